/**
 * "Create or update" for one row or 500: one look-up, one read, one statement for changed models and one for
 * new ones. Large data is split. Unchanged models are not written.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { atNewModel } from '../../accounts/account/account-shard.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import { KeyedQueue } from '../../kernel/concurrency/keyed-queue.ts'
import { yieldBetweenRows } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { perDatabase, withRetries } from '../../kernel/db/database.ts'
import { hasShards } from '../../kernel/db/shards.ts'
import { isTransaction, repeatTransaction, TransactionConflict } from '../../kernel/db/transaction.ts'
import { locatePassports } from '../core/passport-shard.ts'
import { withSummaryData } from '../core/record.ts'
import { byIndex } from '../core/row-problems.ts'
import { readStatesInBatches } from '../core/state.ts'
import { type Gate, openGate } from '../readiness/gate.ts'
import { MAX_UNLOCKED_ATTEMPTS, queueByPassport } from '../write/change-queue.ts'
import { findByGtin, findBySku, type SkuMatch } from '../write/find-matches.ts'
import { lockPassports } from '../write/lock-passports.ts'
import { DuplicateGuard } from './duplicate-guard.ts'
import {
  type AddressedRow,
  type MatchBy,
  parseAddressedRow,
  parseSyncRow,
  type SyncRow,
} from './parse-row.ts'
import { findMatch, hasKey, type Plan, planRow, type SyncOptions } from './plan-row.ts'
import { collectError, emptyResult, type SyncResult, summariseAll } from './sync-result.ts'
import { type LostRow, writePlans } from './write-plans.ts'

/** `dryRun`: performs all checks but writes nothing, as if `before` new models already existed. */
type SyncRun = SyncOptions & { dryRun: boolean; before?: number }

/** `rows`: each `{category?, data, match_by?}` as sent, or an error; `matchBy` is the default. */
type SyncRequest = SyncRun & { rows: readonly unknown[]; matchBy: MatchBy }

const queues = perDatabase(() => new KeyedQueue())

/** Each attempt waits longer by this: all of them 2.5 seconds. */
const RETRY_PAUSE_MS = 2

/**
 * Creates or updates each model separately. Merges `data` like PATCH (null removes a field). Errors are
 * values: `validation`, `gtin_taken`, `plan_limit`, `version_conflict`.
 */
export async function syncModels(ctx: AccountContext, request: SyncRequest): Promise<SyncResult> {
  const result = emptyResult()
  const rows: SyncRow[] = []
  const pauseIfDue = yieldBetweenRows()
  for (const [index, sent] of request.rows.entries()) {
    await pauseIfDue()
    rows.push(...collectError(result, index, () => parseSyncRow(sent, index, request)))
  }
  const run = () => syncRows(ctx, rows, request, result)
  await (request.dryRun ? run() : queues(ctx.sql).run(String(ctx.accountId), run))
  for (const list of Object.values(result)) list.sort(byIndex)
  return result
}

/** Creates or updates the model that an address names by SKU or GTIN. Errors are values. */
export async function syncModel(ctx: AccountContext, request: SyncRun & AddressedRow): Promise<SyncResult> {
  const result = emptyResult()
  const row = parseAddressedRow(request)
  await queues(ctx.sql).run(`${ctx.accountId} ${row.matchBy} ${row.key}`, () =>
    syncRows(ctx, [row], request, result),
  )
  return result
}

/**
 * Repeats rows that lost against a concurrent write, with a new look-up. In a transaction, which would lock
 * the products that it finds now out of order, `TransactionConflict` repeats all of it.
 */
async function syncRows(
  ctx: AccountContext,
  rows: readonly SyncRow[],
  options: SyncRun,
  result: SyncResult,
  duplicates = new DuplicateGuard(),
): Promise<void> {
  let open = rows
  let contendedUuid: string | undefined
  for (let attempt = 0; open.length > 0; attempt++) {
    if (attempt === MAX_UNLOCKED_ATTEMPTS) return syncRowsLocked(ctx, open, options, { result, duplicates })
    // A product on another machine than its claim may be visible a moment later.
    if (attempt > 0 && hasShards(ctx.sql)) await pause(attempt * RETRY_PAUSE_MS)
    const run = () => attemptRows(ctx, open, { ...options, duplicates }, result)
    const lost = await (contendedUuid === undefined ? run() : queueByPassport(ctx.sql, contendedUuid, run))
    open = lost.map(({ row }) => row)
    if (open.length > 0 && isTransaction(ctx.sql)) throw new TransactionConflict()
    duplicates.forget(open)
    // A single model queues behind its PATCHes, which would otherwise win each time.
    contendedUuid = lost.length === 1 ? lost[0]?.uuid : undefined
  }
}

/** In a transaction that locks the products before it reads them: no other write can be faster. */
async function syncRowsLocked(
  ctx: AccountContext,
  rows: readonly SyncRow[],
  options: SyncRun,
  { result, duplicates }: { result: SyncResult; duplicates: DuplicateGuard },
): Promise<void> {
  const run = async (tx: AccountContext) => {
    duplicates.forget(rows)
    const part = emptyResult()
    await syncRows(tx, rows, options, part, duplicates)
    return part
  }
  const part = await repeatTransaction(() => withRetries(() => withTransaction(ctx, run)))
  for (const list of ['created', 'updated', 'unchanged'] as const) result[list].push(...part[list])
  result.errors.push(...part.errors)
}

async function attemptRows(
  ctx: AccountContext,
  rows: readonly SyncRow[],
  options: SyncRun & { duplicates: DuplicateGuard },
  result: SyncResult,
): Promise<LostRow[]> {
  const { found, bySku } = await findMatches(ctx, rows, result)
  if (!options.dryRun && isTransaction(ctx.sql))
    await lockPassports(
      ctx,
      found.flatMap(({ uuid }) => uuid ?? []),
    )
  const requireReady = await openGate(ctx, 'direct')
  const run = { bySku, isBrief: rows.length > 1, requireReady }
  const lost: LostRow[] = []
  for (const [at, matched] of await groupByShard(ctx, found))
    lost.push(...(await attemptMatched(at, matched, { ...options, ...run }, result)))
  return lost
}

type Matched = { row: SyncRow; uuid: string | undefined }

/** The rows by the shard of their model; new models are created together. */
async function groupByShard(
  ctx: AccountContext,
  rows: readonly Matched[],
): Promise<[AccountContext, readonly Matched[]][]> {
  if (ctx.spread === undefined) return [[ctx, rows]]
  const uuids = rows.flatMap(({ uuid }) => uuid ?? [])
  const groups = (await locatePassports(ctx, uuids)).map(({ at, ids }): [AccountContext, Matched[]] => [
    { ...ctx, sql: at.sql },
    rows.filter(({ uuid }) => uuid !== undefined && ids.has(uuid)),
  ])
  const known = new Set(groups.flatMap(([, group]) => group))
  return [...groups, [atNewModel(ctx), rows.filter(row => !known.has(row))]]
}

async function attemptMatched(
  ctx: AccountContext,
  found: readonly Matched[],
  options: SyncRun & {
    bySku: ReadonlyMap<string, SkuMatch>
    duplicates: DuplicateGuard
    isBrief: boolean
    requireReady: Gate
  },
  result: SyncResult,
): Promise<LostRow[]> {
  const { bySku, duplicates, isBrief } = options
  const pauseIfDue = yieldBetweenRows()
  const lost: LostRow[] = []
  let open = found
  const uuids = new Set(found.flatMap(({ uuid }) => uuid ?? []))
  // There is at least one batch: rows without a model are planned with the first.
  for await (const states of readStatesInBatches(ctx, [...uuids])) {
    const stateById = new Map(states.map(state => [state.row.id, state]))
    const { now = [], later = [] } = Object.groupBy(open, ({ uuid }) =>
      uuid === undefined || stateById.has(uuid) ? 'now' : 'later',
    )
    open = later
    const plans: Plan[] = []
    for (const { row, uuid } of now) {
      await pauseIfDue()
      const state = uuid === undefined ? undefined : stateById.get(uuid)
      if (state !== undefined && !hasKey(row, state)) {
        lost.push({ row, uuid: undefined })
        continue
      }
      collectError(result, row.index, () => {
        const plan = planRow(ctx, row, state, options)
        duplicates.add(plan)
        if (plan.kind === 'create') plan.claimedBy = bySku.get(row.key ?? '')?.claimedBy ?? null
        if (plan.kind === 'unchanged' && isBrief)
          plan.passport = withSummaryData(plan.passport, state?.inherited)
        plans.push(plan)
      })
    }
    lost.push(...(await writePlans(ctx, plans, options, result)))
    if (isBrief) await summariseAll(result)
  }
  return [...lost, ...open.map(({ row }) => ({ row, uuid: undefined }))]
}

async function findMatches(ctx: AccountContext, rows: readonly SyncRow[], result: SyncResult) {
  const keys = (by: MatchBy) => [
    ...new Set(rows.flatMap(row => (row.matchBy === by && row.key !== null ? [row.key] : []))),
  ]
  const [bySku, byGtin] = await Promise.all([findBySku(ctx, keys('sku')), findByGtin(ctx, keys('gtin'))])
  const found = rows.flatMap(row =>
    collectError(result, row.index, () => ({ row, uuid: findMatch(row, bySku, byGtin) })),
  )
  return { found, bySku }
}
