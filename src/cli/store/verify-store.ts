/** Verifies a store: its counters match its rows, and no history has a gap or a wrong hash. */
import { listAccounts } from '../../accounts/accounts.ts'
import { LEVELS } from '../../accounts/plans.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { asSql } from '../../kernel/db/transaction.ts'
import { toError } from '../../kernel/errors.ts'
import {
  countRows,
  findBrokenChains,
  findBrokenHistories,
  findWrongCounts,
  findWrongUnitCounts,
} from '../../passports/copies/verify.ts'
import { explainOperatorProblem } from '../command-line/database-errors.ts'

export type Check = { name: string; ok: boolean; detail: string }

export type CheckResult = string | readonly string[]

/** Runs checks one after the other. A text means success; a list of problems, or an error, means failure. */
export async function runChecks(
  checks: Readonly<Record<string, () => CheckResult | Promise<CheckResult>>>,
): Promise<Check[]> {
  const results: Check[] = []
  for (const [name, check] of Object.entries(checks)) {
    try {
      const found = await check()
      const ok = typeof found === 'string'
      results.push({ name, ok, detail: ok ? found : found.join('; ') })
    } catch (error) {
      results.push({ name, ok: false, detail: describeError(error) })
    }
  }
  return results
}

export const describeError = (error: unknown) => explainOperatorProblem(error) ?? toError(error).message

/** Uses one snapshot, so that writes of a running server do not look like errors. */
export async function checkCounters(sql: Sql): Promise<CheckResult> {
  const connection = await sql.reserve()
  try {
    await connection`begin isolation level repeatable read read only`
    await connection`set local statement_timeout = '10min'`
    const wrong = [
      ...(await findWrongCounts(connection)),
      ...(await findWrongUnitCounts(connection)),
      ...(await findWrongUsage(connection)),
    ]
    await connection`commit`
    return wrong.length === 0 ? 'agree with the rows' : wrong
  } finally {
    connection.release()
  }
}

async function findWrongUsage(sql: Sql): Promise<string[]> {
  const counted = await countRows(sql)
  const accounts = await listAccounts({ sql, clock: systemClock })
  return accounts.flatMap(({ id, used }) =>
    LEVELS.flatMap(level => {
      const count = counted.get(`${id} ${level}`) ?? 0
      if (used[level] === count) return []
      return `account ${id} has ${count} products of level ${level}, but its usage says ${used[level]}`
    }),
  )
}

/** Uses one snapshot: a version that is written meanwhile is no error. */
export async function checkHistories(sql: Sql): Promise<CheckResult> {
  const broken = await sql.begin('isolation level repeatable read read only', async tx => {
    await tx`set local statement_timeout = '1h'`
    const snapshot = asSql(tx)
    return [...(await findBrokenHistories(snapshot)), ...(await findBrokenChains(snapshot))]
  })
  return broken.length === 0 ? 'every version is there, and every hash is right' : broken
}
