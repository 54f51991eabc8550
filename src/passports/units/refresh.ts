/** Bringing outdated units up to date: batches before their items, corrected fields only, each unit a new version. */
import type { AccountContext } from '../../accounts/context.ts'
import { findUuid } from '../../kernel/ids.ts'
import { outdatedContents } from '../core/outdated.ts'
import type { State } from '../core/state.ts'
import { countUnitsOf } from '../core/unit-counts.ts'
import { readContents, refreshedContent } from './refresh-content.ts'
import { type Failure, findSteps, moveStep, type Skip, type Wish } from './refresh-units.ts'

export type Refreshed = { refreshed: number; skipped: Skip[]; failed: Failure[] }

/** Lists in answers end here; the counts do not. */
export const MOST_LISTED = 100

/** How many descendants of a passport are outdated; for a batch or an item, itself included. */
export async function countOutdated({ sql, accountId }: AccountContext, { row }: State): Promise<number> {
  const self = row.level !== 'm' && row.outdated ? 1 : 0
  if (row.level === 'i') return self
  return self + (await countUnitsOf(sql, accountId, outdatedContents(sql, row)))
}

/** Hears of each step, and for how many units it was; answering false ends the work early, to be taken up again later. */
export type Progress = (step: Refreshed) => Promise<boolean>

export type RefreshOptions = {
  /** The job that counts the units, in the statements that refresh them. */
  jobId?: string
  progress?: Progress
}

/** Refreshes a unit and whatever is outdated under it. What fails stays outdated and is told. */
export async function refreshAll(
  ctx: AccountContext,
  state: State,
  { jobId, progress = async () => true }: RefreshOptions = {},
): Promise<Refreshed> {
  const total: Refreshed = { refreshed: 0, skipped: [], failed: [] }
  const run = async (from: string, only: { id: string } | { level: 'b' | 'i' }) =>
    moveAll(ctx, { from, only, jobId }, total, progress)
  if (state.row.level !== 'm' && state.row.outdated && !(await run(state.contentId, { id: state.row.id })))
    return total
  if (state.row.level === 'i') return total
  for (const level of ['b', 'i'] as const) {
    for (const from of await contentsUnder(ctx, state, level)) if (!(await run(from, { level }))) return total
  }
  return total
}

/**
 * Only those that units have: one that all have left stays outdated for ever, and renewing it too would double them at
 * each correction. A look-up for each content, since a join may begin with all units of the account.
 */
async function contentsUnder(
  { sql, accountId }: AccountContext,
  { row }: State,
  level: 'b' | 'i',
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    ${outdatedContents(sql, row)} and (select true from passport u where u.account_id = ${accountId}
      and u.content_id = c.id and u.parent_id is not null and u.level = ${level}::text::"char" limit 1)
    order by c.id`
  return rows.map(one => one.id)
}

/** False when the progress said to stop. */
async function moveAll(
  ctx: AccountContext,
  wish: Pick<Wish, 'from' | 'only' | 'jobId'>,
  total: Refreshed,
  progress: Progress,
): Promise<boolean> {
  const [old] = await readContents(ctx, [wish.from])
  if (old === undefined) return true
  const to = await refreshedContent(ctx, old)
  const except: string[] = []
  for (;;) {
    const steps = await findSteps(ctx, { ...wish, to, except })
    if (steps.length === 0) return true
    const isWhole = await inLanes(steps, async units => {
      const step = await moveStep(ctx, { ...wish, to, except }, units)
      for (const { id } of step.failed) except.push(findUuid(id) ?? '')
      total.refreshed += step.refreshed
      total.skipped.push(...step.skipped.slice(0, MOST_LISTED - total.skipped.length))
      total.failed.push(...step.failed.slice(0, MOST_LISTED - total.failed.length))
      return progress(step)
    })
    if (!isWhole) return false
  }
}

/** One step is made ready while the other is written. */
const LANES = 2

/** False as soon as a piece of work says so; what has begun is waited for. */
async function inLanes<T>(pieces: readonly T[], work: (piece: T) => Promise<boolean>): Promise<boolean> {
  let next = 0
  let goesOn = true
  const lane = async () => {
    while (goesOn && next < pieces.length) {
      const piece = pieces[next++] as T
      // Thrown or false: nothing new is begun.
      let isWell = false
      try {
        isWell = await work(piece)
      } finally {
        goesOn &&= isWell
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane))
  for (const one of lanes) if (one.status === 'rejected') throw one.reason
  return goesOn
}
