/**
 * "Create or update": the verb of systems that hold the truth about products elsewhere and bring it here, a row at a
 * time or five hundred. However many there are, it takes a look-up, a read, a statement for what is new and one for
 * what has changed. What would change nothing is not written, so that a sync can be run again for nothing.
 */
import type { AccountContext } from '../../accounts/context.ts'
import { perDatabase } from '../../kernel/db/database.ts'
import { isTransaction } from '../../kernel/db/transaction.ts'
import type { AppError } from '../../kernel/errors.ts'
import { KeyedQueue } from '../../kernel/keyed-queue.ts'
import { splitByBytes } from '../../kernel/text/split-by-bytes.ts'
import { yieldBetweenRows } from '../../kernel/yield-to-event-loop.ts'
import { gtinTakenError } from '../core/check-data.ts'
import { type PassportState, readStatesInBatches } from '../core/state.ts'
import { contentionError, MAX_WRITE_ATTEMPTS, queueByPassport } from '../write/change-queue.ts'
import { findByGtin, findBySku, type SkuMatch } from '../write/find-matches.ts'
import { writeVersions } from '../write/write-versions.ts'
import { insertCreations } from './insert-new.ts'
import {
  type AddressedRow,
  type MatchBy,
  parseAddressedRow,
  parseSyncRow,
  type SyncRow,
} from './parse-row.ts'
import {
  type Creation,
  DuplicateGuard,
  findMatch,
  hasKey,
  type Plan,
  planRow,
  type SyncOptions,
  type Update,
} from './plan-row.ts'
import { previewPlans } from './preview-sync.ts'
import {
  collectError,
  emptyResult,
  rejectRow,
  type SyncResult,
  sortByIndex,
  summariseAll,
  toSynced,
} from './sync-result.ts'
import { writeStorable } from './write-storable.ts'

/** `dryRun`: everything is checked that can be, and nothing written, as if `before` new models had been made by then. */
export type SyncRun = SyncOptions & { dryRun: boolean; before?: number }

/** `rows`: each `{category?, data, match_by?}` as it was sent, or why it could not be read; `matchBy` for those that do not say. */
export type SyncRequest = SyncRun & { rows: readonly unknown[]; matchBy: MatchBy }

const turns = perDatabase(() => new KeyedQueue())

/**
 * Creates or updates models, row by row: one that fails spoils no other. An update merges `data` over what is there as
 * PATCH does (null removes). Errors are values: `validation`, `gtin_taken`, `plan_limit`, `version_conflict`.
 */
export async function syncModels(ctx: AccountContext, wish: SyncRequest): Promise<SyncResult> {
  const result = emptyResult()
  const rows: SyncRow[] = []
  const breathe = yieldBetweenRows()
  for (const [index, sent] of wish.rows.entries()) {
    await breathe()
    const pointerPrefix = `/items/${index}`
    rows.push(...collectError(result, { index, pointerPrefix }, () => parseSyncRow(sent, index, wish)))
  }
  const run = () => syncRows(ctx, rows, wish, result)
  await (wish.dryRun ? run() : turns(ctx.sql).run(String(ctx.accountId), run))
  return sortByIndex(result)
}

/** Creates or updates the one model that an address names by its SKU or GTIN. Errors are a value in `errors`. */
export async function syncModel(ctx: AccountContext, wish: SyncRun & AddressedRow): Promise<SyncResult> {
  const result = emptyResult()
  const row = parseAddressedRow(wish)
  await turns(ctx.sql).run(`${ctx.accountId} ${row.matchBy} ${row.key}`, () =>
    syncRows(ctx, [row], wish, result),
  )
  return result
}

/** Rows that another writer was faster with are looked up and worked out anew. */
async function syncRows(
  ctx: AccountContext,
  rows: readonly SyncRow[],
  manner: SyncRun,
  result: SyncResult,
): Promise<void> {
  let open = rows
  let alone: string | undefined
  for (let attempt = 0; open.length > 0; attempt++) {
    if (attempt === MAX_WRITE_ATTEMPTS) {
      for (const { index } of open) result.errors.push({ index, error: contentionError() })
      return
    }
    const run = () => attemptRows(ctx, open, manner, result)
    const lost = await (alone === undefined ? run() : queueByPassport(ctx.sql, alone, run))
    open = lost.map(one => one.row)
    // A single model goes on in turn with its PATCHes, which would else be faster each time.
    alone = lost.length === 1 ? lost[0]?.uuid : undefined
  }
}

type LostRow = { row: SyncRow; uuid: string | undefined }

async function attemptRows(
  ctx: AccountContext,
  rows: readonly SyncRow[],
  manner: SyncRun,
  result: SyncResult,
): Promise<LostRow[]> {
  const { found, bySku } = await findMatches(ctx, rows, result)
  const once = new DuplicateGuard()
  const isBrief = rows.length > 1
  const breathe = yieldBetweenRows()
  const lost: LostRow[] = []
  let open = found
  for await (const states of readMatchedStates(ctx, found)) {
    const there = new Map(states.map(state => [state.row.id, state]))
    const { now = [], later = [] } = Object.groupBy(open, ({ uuid }) =>
      uuid === undefined || there.has(uuid) ? 'now' : 'later',
    )
    open = later
    const plans: Plan[] = []
    for (const { row, uuid } of now) {
      await breathe()
      const state = uuid === undefined ? undefined : there.get(uuid)
      if (state !== undefined && !hasKey(row, state)) {
        lost.push({ row, uuid: undefined })
        continue
      }
      collectError(result, row, () => {
        const plan = planRow(ctx, row, state, manner)
        once.add(plan)
        plans.push(plan.kind === 'create' ? { ...plan, claimedBy: findClaim(row, bySku) } : plan)
      })
    }
    lost.push(...(await applyPlans(ctx, plans, { ...manner, isBrief }, result)))
    if (isBrief) await summariseAll(result)
  }
  return [...lost, ...open.map(({ row }) => ({ row, uuid: undefined }))]
}

type Found = { row: SyncRow; uuid: string | undefined }

async function findMatches(ctx: AccountContext, rows: readonly SyncRow[], result: SyncResult) {
  const keys = (by: MatchBy) => rows.flatMap(row => (row.matchBy === by && row.key !== null ? [row.key] : []))
  const [bySku, byGtin] = await Promise.all([
    findBySku(ctx, [...new Set(keys('sku'))]),
    findByGtin(ctx, [...new Set(keys('gtin'))]),
  ])
  const found: Found[] = rows.flatMap(row =>
    collectError(result, row, () => ({ row, uuid: findMatch(row, bySku, byGtin) })),
  )
  return { found, bySku }
}

/** The models that rows mean; at least one piece, which has the new ones to go with it. */
async function* readMatchedStates(
  ctx: AccountContext,
  found: readonly Found[],
): AsyncGenerator<PassportState[], void, void> {
  let isFirst = true
  for await (const states of readStatesInBatches(ctx, [
    ...new Set(found.flatMap(({ uuid }) => uuid ?? [])),
  ])) {
    isFirst = false
    yield states
  }
  if (isFirst) yield []
}

async function applyPlans(
  ctx: AccountContext,
  plans: readonly Plan[],
  manner: SyncRun & { isBrief: boolean },
  result: SyncResult,
): Promise<LostRow[]> {
  for (const plan of plans) {
    if (plan.kind !== 'unchanged') continue
    result.unchanged.push({ index: plan.row.index, passport: plan.passport, warnings: plan.warnings })
  }
  const { isBrief } = manner
  const creations = plans.filter(plan => plan.kind === 'create')
  const updates = plans.filter(plan => plan.kind === 'update')
  if (manner.dryRun) {
    await previewPlans(ctx, creations, updates, { result, before: manner.before ?? 0, isBrief })
    return []
  }
  const lost: LostRow[] = []
  const spoilt = ({ row }: Plan, error: AppError) => rejectRow(result, row, error)
  const create = async (some: readonly Creation[]) => {
    lost.push(...(await writeCreations(ctx, some, { result, isBrief })))
  }
  const update = async (some: readonly Update[]) => {
    lost.push(...(await writeUpdates(ctx, some, result)))
  }
  for (const some of splitForStatements(ctx, creations, bytesOfCreation))
    await writeStorable(some, create, spoilt)
  for (const some of splitForStatements(ctx, updates, bytesOfUpdate))
    await writeStorable(some, update, spoilt)
  return lost
}

/** A larger statement is written and sent without a pause; five hundred rows of a usual product are less. */
const MAX_STATEMENT_BYTES = 512 * 1024

/**
 * In order, as much as a statement takes. In a transaction all of them: rows locked by one statement and waited for by
 * the next could close a circle with another writer.
 */
const splitForStatements = <T>({ sql }: AccountContext, rows: readonly T[], bytesOf: (row: T) => number) =>
  isTransaction(sql) ? [rows] : splitByBytes(rows, bytesOf, MAX_STATEMENT_BYTES)

const bytesOfCreation = ({ bytes }: Creation) => bytes
const bytesOfUpdate = ({ passport }: Update) => passport.data.length

const findClaim = (row: SyncRow, bySku: ReadonlyMap<string, SkuMatch>) =>
  (row.matchBy === 'sku' && row.key !== null ? bySku.get(row.key)?.claimedBy : null) ?? null

async function writeCreations(
  ctx: AccountContext,
  creations: readonly Creation[],
  { result, isBrief }: { result: SyncResult; isBrief: boolean },
): Promise<LostRow[]> {
  const { rejected, lost } = await insertCreations(ctx, creations)
  const out = new Set([...rejected.map(one => one.creation), ...lost])
  for (const creation of creations) if (!out.has(creation)) result.created.push(toSynced(creation, isBrief))
  for (const { creation, error } of rejected) rejectRow(result, creation.row, error)
  return lost.map(({ row }) => ({ row, uuid: undefined }))
}

async function writeUpdates(
  ctx: AccountContext,
  updates: readonly Update[],
  result: SyncResult,
): Promise<LostRow[]> {
  const { written, taken } = await writeVersions(
    ctx,
    updates.map(({ next }) => next),
  )
  const holders = await findByGtin(
    ctx,
    updates.flatMap(({ passport, claims }) => (claims !== null && taken.has(passport.id) ? [claims] : [])),
  )
  const lost: LostRow[] = []
  for (const { row, passport, claims, warnings } of updates) {
    const { id } = passport
    const updated_at = written.get(id)
    if (updated_at !== undefined) {
      result.updated.push({ index: row.index, passport: { ...passport, updated_at }, warnings })
    } else if (taken.has(id)) rejectRow(result, row, gtinTakenError(holders.get(claims ?? '')))
    else lost.push({ row, uuid: id })
  }
  return lost
}
