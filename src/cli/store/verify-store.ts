/** What proves that a store is whole: its counters agree with its rows, and no history has a gap or a wrong hash. */
import { listAccounts } from '../../accounts/accounts.ts'
import { LEVELS } from '../../accounts/plans.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import {
  countRows,
  findBrokenChains,
  findBrokenHistories,
  findWrongCounts,
  findWrongUnitCounts,
} from '../../passports/copies/verify.ts'
import { explainOperatorProblem } from '../command-line/database-errors.ts'

export type Check = { name: string; ok: boolean; detail: string }

/** Turns what `look` says, or throws, into a line. A text is good news, a list of complaints is not. */
export async function runCheck(
  name: string,
  look: () => Promise<string | readonly string[]>,
): Promise<Check> {
  try {
    const found = await look()
    if (typeof found === 'string') return { name, ok: true, detail: found }
    return { name, ok: false, detail: found.join('; ') }
  } catch (error) {
    return { name, ok: false, detail: describeError(error) }
  }
}

export const describeError = (error: unknown) =>
  explainOperatorProblem(error) ?? (error instanceof Error ? error.message : String(error))

/** All in one snapshot, so that a server at work does not look like a fault. */
export async function checkCounters(sql: Sql): Promise<string | string[]> {
  const one = await sql.reserve()
  try {
    await one`begin isolation level repeatable read read only`
    await one`set local statement_timeout = '10min'`
    const wrong = [
      ...(await findWrongCounts(one)),
      ...(await findWrongUnitCounts(one)),
      ...(await findWrongUsage(one)),
    ]
    await one`commit`
    return wrong.length === 0 ? 'agree with the rows' : wrong
  } finally {
    one.release()
  }
}

async function findWrongUsage(sql: Sql): Promise<string[]> {
  const counted = await countRows(sql)
  const accounts = await listAccounts({ sql, clock: systemClock })
  return accounts.flatMap(({ id, used }) =>
    LEVELS.filter(level => used[level] !== (counted.get(`${id} ${level}`) ?? 0)).map(
      level =>
        `account ${id} has ${counted.get(`${id} ${level}`) ?? 0} of level ${level} and is charged ${used[level]}`,
    ),
  )
}

/** In one snapshot: a version that is written meanwhile is not a fault. */
export async function checkHistories(sql: Sql): Promise<string | string[]> {
  const broken = await sql.begin('isolation level repeatable read read only', async tx => {
    await tx`set local statement_timeout = '1h'`
    const one = tx as unknown as Sql
    return [...(await findBrokenHistories(one)), ...(await findBrokenChains(one))]
  })
  return broken.length === 0 ? 'every version is there, and every hash is right' : broken
}
