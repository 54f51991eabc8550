/** A sync that writes nothing: what each row would come to. */
import type { AccountContext } from '../../accounts/context.ts'
import { getRemainingQuota } from '../../accounts/limits/quota.ts'
import { gtinTaken } from '../core/check-data.ts'
import { findByGtin } from '../write/find-matches.ts'
import { overQuota } from '../write/insert-models.ts'
import type { Creation, Update } from './plan-row.ts'
import { createdOf, refuse, type SyncResult } from './sync-result.ts'

/** What writing would come to as things are now, once `before` other models had been made. */
export async function foresee(
  ctx: AccountContext,
  creations: readonly Creation[],
  updates: readonly Update[],
  { result, before, isBrief }: { result: SyncResult; before: number; isBrief: boolean },
): Promise<void> {
  const gtins = [...creations.map(({ made }) => made.gtin14), ...updates.map(({ claims }) => claims)]
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
    const { row, made } = creation
    const holder = holderOf(made.gtin14, made.id)
    if (holder !== undefined) refuse(result, row, gtinTaken(holder))
    else if (room-- > 0) result.created.push(createdOf(creation, isBrief))
    else refuse(result, row, overQuota())
  }
  for (const { row, step, claims, warnings } of updates) {
    const holder = holderOf(claims, step.current.id)
    if (holder !== undefined) refuse(result, row, gtinTaken(holder))
    else {
      const passport = { ...step.next.row, updated_at: step.next.now }
      result.updated.push({ index: row.index, passport, warnings })
    }
  }
}
