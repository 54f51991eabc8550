/** Previews a sync: the outcome of each row, with nothing written. */
import type { AccountContext } from '../../accounts/context.ts'
import { getRemainingQuota } from '../../accounts/limits/quota.ts'
import { gtinTakenError } from '../core/check-data.ts'
import { findByGtin } from '../write/find-matches.ts'
import { modelQuotaError } from '../write/insert-models.ts'
import type { Creation, Update } from './plan-row.ts'
import { rejectRow, type SyncResult, toSynced } from './sync-result.ts'

/** As if `before` other models already existed. */
export async function previewPlans(
  ctx: AccountContext,
  creations: readonly Creation[],
  updates: readonly Update[],
  { result, before, isBrief }: { result: SyncResult; before: number; isBrief: boolean },
): Promise<void> {
  const gtins = [...creations.map(({ model }) => model.gtin14), ...updates.map(({ claims }) => claims)]
  const holders = await findByGtin(
    ctx,
    gtins.filter(one => one !== null),
  )
  const holderOf = (gtin14: string | null, uuid: string) => {
    const holder = gtin14 === null ? undefined : holders.get(gtin14)
    return holder?.id === uuid ? undefined : holder
  }
  const left =
    creations.length === 0 ? 0 : await getRemainingQuota(ctx.sql, { accountId: ctx.accountId, level: 'm' })
  let room = left - before
  for (const creation of creations) {
    const { row, model } = creation
    const holder = holderOf(model.gtin14, model.id)
    if (holder !== undefined) rejectRow(result, row, gtinTakenError(holder))
    else if (room-- > 0) result.created.push(toSynced(creation, isBrief))
    else rejectRow(result, row, modelQuotaError())
  }
  for (const { row, passport, next, claims, warnings } of updates) {
    const holder = holderOf(claims, passport.id)
    if (holder !== undefined) rejectRow(result, row, gtinTakenError(holder))
    else {
      result.updated.push({ index: row.index, passport: { ...passport, updated_at: next.now }, warnings })
    }
  }
}
