/**
 * "Create or update": the verb of systems that hold the truth about products elsewhere and bring it here, a row at a
 * time or five hundred. However many there are, it takes a look-up, a read, a statement for what is new and one for
 * what has changed. What would change nothing is not written, so that a sync can be run again for nothing.
 */
import type { AccountContext } from '../../accounts/context.ts'
import { perDatabase } from '../../kernel/db/database.ts'
import { isTransaction } from '../../kernel/db/transaction.ts'
import type { AppError } from '../../kernel/errors.ts'
import { createKeyedQueue } from '../../kernel/keyed-queue.ts'
import { splitByBytes } from '../../kernel/text/split-by-bytes.ts'
import { yieldBetweenRows } from '../../kernel/yield-to-event-loop.ts'
import { gtinTaken } from '../core/check-data.ts'
import { type State, statesInPieces } from '../core/state.ts'
import { findByGtin, findBySku, type SkuMatch } from '../write/find-matches.ts'
import { contended, inTurnOf, MOST_ATTEMPTS } from '../write/update.ts'
import { writeVersions } from '../write/write-versions.ts'
import { insertNew } from './insert-new.ts'
import { type AddressedRow, addressedRow, type MatchBy, readSyncRow, type SyncRow } from './parse-row.ts'
import {
  bears,
  type Creation,
  type Manner,
  Once,
  type Plan,
  planRow,
  requireOne,
  type Update,
} from './plan-row.ts'
import { foresee } from './preview-sync.ts'
import {
  allInBrief,
  caught,
  createdOf,
  emptyResult,
  inOrder,
  refuse,
  type SyncResult,
} from './sync-result.ts'
import { eachStorable } from './write-storable.ts'

/** `dryRun`: everything is checked that can be, and nothing written, as if `before` new models had been made by then. */
export type SyncManner = Manner & { dryRun: boolean; before?: number }

/** `rows`: each `{category?, data, match_by?}` as it was sent, or why it could not be read; `matchBy` for those that do not say. */
export type SyncWish = SyncManner & { rows: readonly unknown[]; matchBy: MatchBy }

const turns = perDatabase(() => createKeyedQueue())

/**
 * Creates or updates models, row by row: one that fails spoils no other. An update merges `data` over what is there as
 * PATCH does (null removes). Errors are values: `validation`, `gtin_taken`, `plan_limit`, `version_conflict`.
 */
export async function syncModels(ctx: AccountContext, wish: SyncWish): Promise<SyncResult> {
  const result = emptyResult()
  const rows: SyncRow[] = []
  const breathe = yieldBetweenRows()
  for (const [index, sent] of wish.rows.entries()) {
    await breathe()
    const place = `/items/${index}`
    rows.push(...caught(result, { index, place }, () => readSyncRow(sent, index, wish)))
  }
  const turn = wish.dryRun ? <T>(_key: string, work: () => Promise<T>) => work() : turns(ctx.sql)
  await turn(String(ctx.accountId), () => syncRows(ctx, rows, wish, result))
  return inOrder(result)
}

/** Creates or updates the one model that an address names by its SKU or GTIN. Errors are a value in `errors`. */
export async function syncModel(ctx: AccountContext, wish: SyncManner & AddressedRow): Promise<SyncResult> {
  const result = emptyResult()
  const row = addressedRow(wish)
  await turns(ctx.sql)(`${ctx.accountId} ${row.matchBy} ${row.key}`, () => syncRows(ctx, [row], wish, result))
  return result
}

/** Rows that another writer was faster with are looked up and worked out anew. */
async function syncRows(
  ctx: AccountContext,
  rows: readonly SyncRow[],
  manner: SyncManner,
  result: SyncResult,
): Promise<void> {
  let open = rows
  let alone: string | undefined
  for (let attempt = 0; open.length > 0; attempt++) {
    if (attempt === MOST_ATTEMPTS) {
      for (const { index } of open) result.errors.push({ index, error: contended() })
      return
    }
    const run = () => attemptAll(ctx, open, manner, result)
    const lost = await (alone === undefined ? run() : inTurnOf(ctx.sql, alone, run))
    open = lost.map(one => one.row)
    // A single model goes on in turn with its PATCHes, which would else be faster each time.
    alone = lost.length === 1 ? lost[0]?.uuid : undefined
  }
}

type Lost = { row: SyncRow; uuid: string | undefined }

async function attemptAll(
  ctx: AccountContext,
  rows: readonly SyncRow[],
  manner: SyncManner,
  result: SyncResult,
): Promise<Lost[]> {
  const { found, bySku } = await findAll(ctx, rows, result)
  const once = new Once()
  const isBrief = rows.length > 1
  const breathe = yieldBetweenRows()
  const lost: Lost[] = []
  let open = found
  for await (const states of piecesOf(ctx, found)) {
    const there = new Map(states.map(state => [state.row.id, state]))
    const { now = [], later = [] } = Object.groupBy(open, ({ uuid }) =>
      uuid === undefined || there.has(uuid) ? 'now' : 'later',
    )
    open = later
    const plans: Plan[] = []
    for (const { row, uuid } of now) {
      await breathe()
      const state = uuid === undefined ? undefined : there.get(uuid)
      if (state !== undefined && !bears(row, state)) {
        lost.push({ row, uuid: undefined })
        continue
      }
      caught(result, row, () => {
        const plan = planRow(ctx, row, state, manner)
        once.take(plan)
        plans.push(plan.kind === 'create' ? { ...plan, seen: seenBy(row, bySku) } : plan)
      })
    }
    lost.push(...(await carryOut(ctx, plans, { ...manner, isBrief }, result)))
    if (isBrief) await allInBrief(result)
  }
  return [...lost, ...open.map(({ row }) => ({ row, uuid: undefined }))]
}

type Found = { row: SyncRow; uuid: string | undefined }

async function findAll(ctx: AccountContext, rows: readonly SyncRow[], result: SyncResult) {
  const keys = (by: MatchBy) => rows.flatMap(row => (row.matchBy === by && row.key !== null ? [row.key] : []))
  const [bySku, byGtin] = await Promise.all([
    findBySku(ctx, [...new Set(keys('sku'))]),
    findByGtin(ctx, [...new Set(keys('gtin'))]),
  ])
  const found: Found[] = rows.flatMap(row =>
    caught(result, row, () => ({ row, uuid: requireOne(row, bySku, byGtin) })),
  )
  return { found, bySku }
}

/** The models that rows mean; at least one piece, which has the new ones to go with it. */
async function* piecesOf(ctx: AccountContext, found: readonly Found[]): AsyncGenerator<State[], void, void> {
  let isFirst = true
  for await (const states of statesInPieces(ctx, [...new Set(found.flatMap(({ uuid }) => uuid ?? []))])) {
    isFirst = false
    yield states
  }
  if (isFirst) yield []
}

async function carryOut(
  ctx: AccountContext,
  plans: readonly Plan[],
  manner: SyncManner & { isBrief: boolean },
  result: SyncResult,
): Promise<Lost[]> {
  for (const plan of plans) {
    if (plan.kind !== 'unchanged') continue
    result.unchanged.push({ index: plan.row.index, passport: plan.passport, warnings: plan.warnings })
  }
  const { isBrief } = manner
  const creations = plans.filter(plan => plan.kind === 'create')
  const updates = plans.filter(plan => plan.kind === 'update')
  if (manner.dryRun) {
    await foresee(ctx, creations, updates, { result, before: manner.before ?? 0, isBrief })
    return []
  }
  const lost: Lost[] = []
  const spoilt = ({ row }: Plan, error: AppError) => refuse(result, row, error)
  const create = async (some: readonly Creation[]) => {
    lost.push(...(await writeNew(ctx, some, { result, isBrief })))
  }
  const update = async (some: readonly Update[]) => {
    lost.push(...(await writeChanged(ctx, some, result)))
  }
  for (const some of piecesByBytes(ctx, creations, bytesOfCreation)) await eachStorable(some, create, spoilt)
  for (const some of piecesByBytes(ctx, updates, bytesOfUpdate)) await eachStorable(some, update, spoilt)
  return lost
}

/** A larger statement is written and sent without a pause; five hundred rows of a usual product are less. */
const MAX_STATEMENT_BYTES = 1024 * 1024

/**
 * In order, as much as a statement takes. In a transaction all of them: rows locked by one statement and waited for by
 * the next could close a circle with another writer.
 */
const piecesByBytes = <T>({ sql }: AccountContext, rows: readonly T[], bytesOf: (row: T) => number) =>
  isTransaction(sql) ? [rows] : splitByBytes(rows, bytesOf, MAX_STATEMENT_BYTES)

const bytesOfCreation = ({ bytes }: Creation) => bytes
const bytesOfUpdate = ({ step }: Update) => step.next.row.data.length

const seenBy = (row: SyncRow, bySku: ReadonlyMap<string, SkuMatch>) =>
  (row.matchBy === 'sku' && row.key !== null ? bySku.get(row.key)?.seen : null) ?? null

async function writeNew(
  ctx: AccountContext,
  creations: readonly Creation[],
  { result, isBrief }: { result: SyncResult; isBrief: boolean },
): Promise<Lost[]> {
  const { refused, lost } = await insertNew(ctx, creations)
  const out = new Set([...refused.map(one => one.creation), ...lost])
  for (const creation of creations) if (!out.has(creation)) result.created.push(createdOf(creation, isBrief))
  for (const { creation, error } of refused) refuse(result, creation.row, error)
  return lost.map(({ row }) => ({ row, uuid: undefined }))
}

async function writeChanged(
  ctx: AccountContext,
  updates: readonly Update[],
  result: SyncResult,
): Promise<Lost[]> {
  const { written, taken } = await writeVersions(
    ctx,
    updates.map(({ step }) => step),
  )
  const holders = await findByGtin(
    ctx,
    updates.flatMap(({ step, claims }) => (claims !== null && taken.has(step.current.id) ? [claims] : [])),
  )
  const lost: Lost[] = []
  for (const { row, step, claims, warnings } of updates) {
    const { id } = step.current
    const at = written.get(id)
    if (at !== undefined) {
      const passport = { ...step.next.row, updated_at: at }
      result.updated.push({ index: row.index, passport, warnings })
    } else if (taken.has(id)) refuse(result, row, gtinTaken(holders.get(claims ?? '')))
    else lost.push({ row, uuid: id })
  }
  return lost
}
