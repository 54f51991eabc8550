/** Verifies a store: its counters match its rows, and no history has a gap or a wrong hash. */
import { findMisplacedAccounts } from '../../accounts/account/account-shard.ts'
import { listAccounts } from '../../accounts/account/accounts.ts'
import { LEVELS } from '../../accounts/account/plans.ts'
import { findUnfinishedMoves } from '../../accounts/placement/move-account.ts'
import type { SecretCipher } from '../../kernel/crypto/secret-cipher.ts'
import { findShardProblems } from '../../kernel/db/check-shards.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShardNumber, listShards } from '../../kernel/db/shards.ts'
import { asSql } from '../../kernel/db/transaction.ts'
import { toError } from '../../kernel/errors/errors.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { countWithPrivateKeys } from '../../passports/copies/count-private-keys.ts'
import { findBrokenLogs } from '../../passports/copies/life-rows.ts'
import {
  countRows,
  findBrokenChains,
  findBrokenHistories,
  findWrongCounts,
  findWrongUnitCounts,
} from '../../passports/copies/verify.ts'
import { findWrongClaims } from '../../passports/copies/verify-claims.ts'
import { type RootsReport, verifyRoots } from '../../passports/signed/verify-roots.ts'
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

/** Uses a snapshot of each shard, so that writes of a running server do not look like errors. */
export async function checkCounters(sql: Sql): Promise<CheckResult> {
  const wrong = await checkSnapshots(sql, '10min', async snapshot => [
    ...(await findWrongCounts(snapshot)),
    ...(await findWrongUnitCounts(snapshot)),
    ...(await findWrongUsage(snapshot)),
  ])
  return wrong.length === 0 ? 'agree with the rows' : wrong
}

/** Free-form keys of earlier versions of Carnet that are fields now. */
export async function checkPrivateKeys(sql: Sql): Promise<CheckResult> {
  const counts = await Promise.all(listShards(sql).map(countWithPrivateKeys))
  const n = counts.reduce((sum, one) => sum + one, 0)
  return n === 0
    ? 'no stored key has the name of a newer field'
    : `${n} products have keys with the names of newer fields: only their accounts see them until they send them again`
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

/** Uses a snapshot of each shard: a version that is written meanwhile is no error. */
export async function checkHistories(sql: Sql): Promise<CheckResult> {
  const broken = await checkSnapshots(sql, '1h', async snapshot => [
    ...(await findBrokenHistories(snapshot)),
    ...(await findBrokenChains(snapshot)),
    ...(await findBrokenLogs(snapshot)),
  ])
  return broken.length === 0 ? 'every version is there, and every hash is right' : broken
}

/** Finds the problems of one shard after the other, and names the shard of each. */
async function checkSnapshots(
  sql: Sql,
  statementTimeout: string,
  find: (snapshot: Sql) => Promise<string[]>,
): Promise<string[]> {
  const problems: string[] = []
  for (const shard of listShards(sql)) {
    const number = getShardNumber(shard)
    const found = await shard
      .begin('isolation level repeatable read read only', async tx => {
        await tx.unsafe(`set local statement_timeout = '${statementTimeout}'`)
        return find(asSql(tx))
      })
      .catch(error => [describeError(error)])
    problems.push(...found.map(problem => (number === null ? problem : `shard ${number}: ${problem}`)))
  }
  return problems
}

/** Also accounts on shards that do not exist, and those that are being moved. */
export async function checkShards(sql: Sql): Promise<CheckResult> {
  const problems = [
    ...(await findShardProblems(sql)),
    ...(await findMisplacedAccounts({ sql, clock: systemClock })),
    ...(await findUnfinishedMoves(sql)),
  ]
  return problems.length === 0 ? `${listShards(sql).length} shards with the tables of public` : problems
}

const MAX_CLAIM_CHECK_MS = 5_000

/** `verify`: reads all claims and products, however long that takes. */
export async function checkClaims(sql: Sql, verify: boolean): Promise<CheckResult> {
  const limitMs = verify ? Number.POSITIVE_INFINITY : MAX_CLAIM_CHECK_MS
  const { problems, claims, products, isComplete } = await findWrongClaims(sql, limitMs)
  if (problems.length > 0) return problems
  const advice = isComplete ? '' : ', as far as they were read in five seconds; --verify reads all'
  return `${claims} claims and ${products} products agree${advice}`
}

/** The daily roots of accounts with keys, shard by shard. */
export async function checkRoots(sql: Sql, secretCipher: SecretCipher): Promise<CheckResult> {
  const found: RootsReport[] = []
  for (const shard of listShards(sql))
    found.push(await verifyRoots({ sql: shard, clock: systemClock, secretCipher }))
  const unreadable = found.flatMap(one => one.unreadable)
  const problems = [
    ...found.flatMap(one => one.problems),
    ...unreadable.map(id => `account ${id}: its key for commitments cannot be read with this SECRET_KEY`),
  ]
  if (problems.length > 0) return problems
  const sum = (name: 'roots' | 'versions') => found.reduce((total, one) => total + one[name], 0)
  return `${sum('roots')} over ${sum('versions')} versions are right`
}
