/** For tests of writes beside each other: loops that run at once, and a count of deadlocks. */
import assert from 'node:assert/strict'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { ADDRESSES, type Answer, type Harness } from '../harness.ts'

/** How long each test runs. `npm run faults -- --only locks` runs longer. */
export const SECONDS = Number(process.env.CARNET_LOCKS_SECONDS ?? 8)

/** The outcome of a loop: an answer, or the error of an operation that is no request. */
export type Done = Pick<Answer, 'status' | 'text'>

export const pick = <T>(list: readonly T[]): T => {
  const one = list[Math.floor(Math.random() * list.length)]
  assert.ok(one !== undefined, 'the list is not empty')
  return one
}

export const shuffled = <T>(list: readonly T[]): T[] => list.toSorted(() => Math.random() - 0.5)

/** An operation without a request, such as one of the operator. An error that it explains is a refusal. */
export async function runJob(work: () => Promise<unknown>): Promise<Done> {
  try {
    await work()
    return { status: 200, text: '' }
  } catch (error) {
    if (error instanceof AppError) return { status: 409, text: error.message }
    return { status: 500, text: error instanceof Error ? String(error.stack) : String(error) }
  }
}

const { gtin: _, ...SAMPLE }: Record<string, unknown> = CATEGORY_EXAMPLES.furniture.value.data
const inEnglish = (value: string) => [{ value, language: 'en' }]

/** A passport as EN 18223 writes it, without its identifiers. */
export const buildFurniture = () => ({
  ...SAMPLE,
  contentSpecificationIds: [`${ADDRESSES.publicUrl}/ns/dpp/furniture/v1`],
  careInstructions: inEnglish('Wipe dry.'),
  endOfLife: {
    recyclingInstructions: inEnglish('Untreated wood.'),
    disposalInstructions: inEnglish('Bulky waste.'),
  },
})

/** An upload of a file that another call is deleting has to be sent again: no sign of a lock. */
const SEND_AGAIN = 'Send it again'

/** However slow the machine is, each loop meets the others a few times. */
const MIN_ROUNDS = 5

async function countDeadlocks({ setup: { sql } }: Harness): Promise<number> {
  await sql`select pg_stat_clear_snapshot()`
  const [row] = await sql<{ n: number }[]>`
    select deadlocks as n from pg_stat_database where datname = current_database()`
  return row?.n ?? 0
}

/** Runs the loops side by side until the time is over, and looks for deadlocks and 503. */
export async function runBeside(t: Harness, loops: readonly (() => Promise<Done>)[]): Promise<void> {
  const deadlocks = await countDeadlocks(t)
  const end = performance.now() + SECONDS * 1_000
  const failed: string[] = []
  await Promise.all(
    loops.map(async loop => {
      for (let round = 1; round <= MIN_ROUNDS || performance.now() < end; round++) {
        const { status, text } = await loop()
        if (status >= 500 && !text.includes(SEND_AGAIN)) failed.push(`${status} ${text.slice(0, 800)}`)
      }
    }),
  )
  assert.deepEqual([...new Set(failed)], [])
  // A session reports its statistics at most once a second, and when it is idle.
  await new Promise(resolve => setTimeout(resolve, 1_500))
  assert.equal(await countDeadlocks(t), deadlocks, 'no deadlock')
}
