/** Refreshes outdated units: batches before items, only corrected fields, a version for each unit. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { parseId } from '../../kernel/crypto/ids.ts'
import { TransactionConflict } from '../../kernel/db/transaction.ts'
import { selectOutdatedContents } from '../core/outdated.ts'
import type { PassportState } from '../core/state.ts'
import { countUnitsWithContents } from '../core/unit-counts.ts'
import { lockPassports } from '../write/lock-passports.ts'
import { getRefreshedContent, readContents } from './refresh-content.ts'
import { findBatches, type Refreshed, type RefreshTask, refreshBatch } from './refresh-units.ts'
import { runConcurrently } from './run-concurrently.ts'

/** Bounds the lists of a result, not its counts. */
export const MAX_LISTED_UNITS = 100

/** Counts the outdated units under a passport, and the passport itself if it is an outdated unit. */
export async function countOutdated(
  { sql, accountId }: AccountContext,
  { row }: PassportState,
): Promise<number> {
  const self = row.level !== 'm' && row.outdated ? 1 : 0
  if (row.level === 'i') return self
  return self + (await countUnitsWithContents(sql, accountId, selectOutdatedContents(sql, row)))
}

/**
 * Locks what a transaction refreshes, and the passports whose corrections would make more units outdated
 * meanwhile. Throws `TransactionConflict` if some have become outdated before it had the locks.
 */
export async function lockOutdated(ctx: AccountContext, state: PassportState): Promise<void> {
  const locked = await listToLock(ctx, state)
  await lockPassports(ctx, locked)
  const isLocked = new Set(locked)
  if ((await listToLock(ctx, state)).some(id => !isLocked.has(id))) throw new TransactionConflict()
}

async function listToLock({ sql, accountId }: AccountContext, { row }: PassportState): Promise<string[]> {
  const above = [...new Set([row.id, row.model_id, row.parent_id ?? row.model_id])]
  if (row.level === 'i') return above
  const batches = sql`p.level = 'b' and p.parent_id = ${row.id}`
  const units = sql`p.parent_id is not null and p.content_id = any(array(${selectOutdatedContents(sql, row)}))`
  const rows = await sql<{ id: string }[]>`
    select p.id from passport p where p.account_id = ${accountId} and ${batches}
    union all select p.id from passport p where p.account_id = ${accountId} and ${units}`
  return [...above, ...rows.map(({ id }) => id)]
}

/** Called after each step; false stops the refresh, which can be continued. */
type RefreshProgress = (step: Refreshed) => Promise<boolean>

/** Refreshes a unit and everything outdated under it. Units that fail stay outdated and are listed. */
export async function refreshAll(
  ctx: AccountContext,
  state: PassportState,
  { jobId, progress = async () => true }: { jobId?: string; progress?: RefreshProgress } = {},
): Promise<Refreshed> {
  const total: Refreshed = { refreshed: 0, skipped: [], failed: [] }
  const run = async (from: string, only: { id: string } | { level: 'b' | 'i' }) =>
    refreshContentUnits(ctx, { from, only, jobId }, total, progress)
  if (state.row.level !== 'm' && state.row.outdated && !(await run(state.contentId, { id: state.row.id })))
    return total
  if (state.row.level === 'i') return total
  for (const level of ['b', 'i'] as const) {
    for (const from of await listOutdatedContents(ctx, state, level))
      if (!(await run(from, { level }))) return total
  }
  return total
}

/**
 * Only contents that have units, because unused ones would double at each correction. Uses look-ups, because
 * PostgreSQL may start a join with all units.
 */
async function listOutdatedContents(
  { sql, accountId }: AccountContext,
  { row }: PassportState,
  level: 'b' | 'i',
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    ${selectOutdatedContents(sql, row)} and (select true from passport u where u.account_id = ${accountId}
      and u.content_id = c.id and u.parent_id is not null and u.level = ${level}::text::"char" limit 1)
    order by c.id`
  return rows.map(({ id }) => id)
}

/** Returns false if `progress` stopped the refresh. */
async function refreshContentUnits(
  ctx: AccountContext,
  { from: contentId, only, jobId }: Pick<RefreshTask, 'only' | 'jobId'> & { from: string },
  total: Refreshed,
  progress: RefreshProgress,
): Promise<boolean> {
  const [from] = await readContents(ctx, [contentId])
  if (from === undefined) return true
  const to = await getRefreshedContent(ctx, from)
  const except: string[] = []
  const task = { from, to, only, except, jobId }
  for (;;) {
    const steps = await findBatches(ctx, task)
    if (steps.length === 0) return true
    const isWhole = await runConcurrently(steps, MAX_CONCURRENT, async units => {
      const step = await refreshBatch(ctx, task, units)
      for (const { id } of step.failed) except.push(parseId(id) ?? '')
      total.refreshed += step.refreshed
      total.skipped.push(...step.skipped.slice(0, MAX_LISTED_UNITS - total.skipped.length))
      total.failed.push(...step.failed.slice(0, MAX_LISTED_UNITS - total.failed.length))
      return progress(step)
    })
    if (!isWhole) return false
  }
}

/** Two, so that one step is prepared while another is written. */
const MAX_CONCURRENT = 2
