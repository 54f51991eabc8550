/** Writes the planned rows of a sync: new models and next versions, each in as few statements as possible. */
import { atHome } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { getRemainingQuota, withQuota } from '../../accounts/limits/quota.ts'
import { isTransaction } from '../../kernel/db/transaction.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { gtinTakenError } from '../core/check-data.ts'
import { findUnknownFiles } from '../core/file-uses.ts'
import { findByGtin } from '../write/find-matches.ts'
import { insertModels, listUsesOfModel, modelQuotaError } from '../write/insert-models.ts'
import { splitForStatements, writeStorable } from '../write/write-storable.ts'
import { listUsesOfVersion, writeVersions } from '../write/write-versions.ts'
import type { SyncRow } from './parse-row.ts'
import type { Creation, Plan, Update } from './plan-row.ts'
import { rejectRow, type SyncResult, toSynced } from './sync-result.ts'

/** A row to look up again: another request created its model, or changed the one with this UUID. */
export type LostRow = { row: SyncRow; uuid: string | undefined }

/** `before`: new models that a dry run takes as existing. `isBrief`: results have the data of a summary. */
type WriteOptions = { dryRun: boolean; before?: number; isBrief: boolean }

type Outcome = { result: SyncResult; lost: LostRow[]; isBrief: boolean }

export async function writePlans(
  ctx: AccountContext,
  plans: readonly Plan[],
  { dryRun, before = 0, isBrief }: WriteOptions,
  result: SyncResult,
): Promise<LostRow[]> {
  for (const plan of plans) {
    if (plan.kind !== 'unchanged') continue
    result.unchanged.push({ index: plan.row.index, passport: plan.passport, warnings: plan.warnings })
  }
  const creations = plans.filter(plan => plan.kind === 'create')
  const updates = plans.filter(plan => plan.kind === 'update')
  if (dryRun) {
    await previewPlans(ctx, creations, updates, { result, before, isBrief })
    return []
  }
  const out: Outcome = { result, lost: [], isBrief }
  const reject = ({ row }: Plan, error: AppError) => rejectRow(result, row, error)
  // Counters are locked last: other transactions lock a product and then its counter.
  for (const some of splitForStatements(ctx, updates, ({ passport }) => passport.data.length))
    await writeStorable(some, rows => writeUpdates(ctx, rows, out), reject)
  for (const some of splitForStatements(ctx, creations, ({ bytes }) => bytes))
    await writeStorable(some, rows => writeCreations(ctx, rows, out), reject)
  return out.lost
}

/** A statement with rejected rows writes nothing and is repeated. The first rows get the remaining quota. */
async function writeCreations(
  ctx: AccountContext,
  creations: readonly Creation[],
  { result, lost, isBrief }: Outcome,
): Promise<void> {
  const taken: Creation[] = []
  const beyondQuota: Creation[] = []
  let rest = creations
  while (rest.length > 0) {
    const bySku = rest.filter(({ row }) => row.matchBy === 'sku')
    const reasons = await insertModels(
      ctx.sql,
      rest.map(({ model }) => model),
      {
        rows: bySku.map(({ model, claimedBy }) => ({ ...model, claimedBy })),
        home: ctx.spread && atHome(ctx).sql,
      },
    )
    if (reasons.size === 0) break
    if (rest.every(({ model }) => reasons.get(model.id) === 'plan_limit')) {
      // The remaining quota may shrink meanwhile; then the next statement rejects the rows again.
      const left = await claimQuota(ctx, rest.length)
      beyondQuota.push(...rest.slice(left))
      rest = rest.slice(0, left)
      continue
    }
    rest = rest.filter(creation => {
      const { row, model } = creation
      const reason = reasons.get(model.id)
      if (reason === undefined || reason === 'plan_limit') return true
      if (reason instanceof AppError) rejectRow(result, row, reason)
      // For a row matched by GTIN, the model that took the GTIN may be the intended one.
      else if (reason === 'sku_taken' || row.matchBy === 'gtin') lost.push({ row, uuid: undefined })
      else taken.push(creation)
      return false
    })
  }
  const takenGtins = taken.map(({ model }) => model.gtin14)
  const holders = await findByGtin(ctx, takenGtins)
  for (const creation of rest) result.created.push(toSynced(creation, isBrief))
  for (const { row } of beyondQuota) rejectRow(result, row, modelQuotaError())
  for (const { row, model } of taken) rejectRow(result, row, gtinTakenError(holders.get(model.gtin14 ?? '')))
}

/**
 * How many more models fit on this shard. A transaction then holds the counters before SKUs and GTINs, which
 * others lock first: it waits only a moment for each, and `repeatTransaction` begins it again.
 */
async function claimQuota(ctx: AccountContext, wanted: number): Promise<number> {
  if (ctx.spread === undefined) return getRemainingQuota(ctx, 'm')
  const left = await withQuota(ctx, { level: 'm', wanted }, async (_tx, left) => left)
  if (isTransaction(ctx.sql)) await ctx.sql`set local lock_timeout = '100ms'`
  return left
}

async function writeUpdates(
  ctx: AccountContext,
  updates: readonly Update[],
  { result, lost }: Outcome,
): Promise<void> {
  const versions = updates.map(({ next }) => next)
  const { written, taken, refused } = await writeVersions(ctx, versions)
  const takenGtins = updates.map(({ passport, claims }) => (taken.has(passport.id) ? claims : null))
  const holders = await findByGtin(ctx, takenGtins)
  for (const { row, passport, claims, warnings } of updates) {
    const { id } = passport
    const updated_at = written.get(id)
    const error = refused.get(id)
    if (updated_at !== undefined) {
      result.updated.push({ index: row.index, passport: { ...passport, updated_at }, warnings })
    } else if (error !== undefined) rejectRow(result, row, error)
    else if (taken.has(id)) rejectRow(result, row, gtinTakenError(holders.get(claims ?? '')))
    else lost.push({ row, uuid: id })
  }
}

/** As if `before` other models already existed. */
async function previewPlans(
  ctx: AccountContext,
  creations: readonly Creation[],
  updates: readonly Update[],
  { result, before, isBrief }: { result: SyncResult; before: number; isBrief: boolean },
): Promise<void> {
  const gtins = [...creations.map(({ model }) => model.gtin14), ...updates.map(({ claims }) => claims)]
  const holders = await findByGtin(ctx, gtins)
  const holderOf = (gtin14: string | null, uuid: string) => {
    const holder = gtin14 === null ? undefined : holders.get(gtin14)
    return holder?.id === uuid ? undefined : holder
  }
  const refused = await findUnknownFiles(ctx.sql, [
    ...creations.flatMap(({ model }) => listUsesOfModel(model)),
    ...updates.flatMap(({ next }) => listUsesOfVersion(ctx, next)),
  ])
  const left = creations.length === 0 ? 0 : await getRemainingQuota(ctx, 'm')
  let remaining = left - before
  for (const creation of creations) {
    const { row, model } = creation
    const holder = holderOf(model.gtin14, model.id)
    const error = refused.get(model.id)
    if (error !== undefined) rejectRow(result, row, error)
    else if (holder !== undefined) rejectRow(result, row, gtinTakenError(holder))
    else if (remaining-- > 0) result.created.push(toSynced(creation, isBrief))
    else rejectRow(result, row, modelQuotaError())
  }
  for (const { row, passport, next, claims, warnings } of updates) {
    const holder = holderOf(claims, passport.id)
    const error = refused.get(passport.id)
    if (error !== undefined) rejectRow(result, row, error)
    else if (holder !== undefined) rejectRow(result, row, gtinTakenError(holder))
    else {
      result.updated.push({ index: row.index, passport: { ...passport, updated_at: next.now }, warnings })
    }
  }
}
