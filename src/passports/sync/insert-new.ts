/** Writes the new models of a sync in one statement; if it rejects some, the others in the next. */
import type { AccountContext } from '../../accounts/context.ts'
import { getRemainingQuota } from '../../accounts/limits/quota.ts'
import type { AppError } from '../../kernel/errors.ts'
import { gtinTakenError } from '../core/check-data.ts'
import { findByGtin } from '../write/find-matches.ts'
import { insertModels, modelQuotaError, type RejectReason } from '../write/insert-models.ts'
import type { Creation } from './plan-row.ts'

type RejectedCreation = { creation: Creation; error: AppError }
/** `lost`: another request created the model first, so the row is looked up again. In neither list: written. */
type Inserted = { rejected: RejectedCreation[]; lost: Creation[] }

/** If the quota is too small, the first ones are written. */
export async function insertCreations(
  ctx: AccountContext,
  creations: readonly Creation[],
): Promise<Inserted> {
  const outcome: InsertProgress = { rejected: [], lost: [], taken: [] }
  let rest = creations
  while (rest.length > 0) {
    const reasons = await insertModels(
      ctx.sql,
      rest.map(({ model }) => model),
      rest
        .filter(({ row }) => row.matchBy === 'sku')
        .map(({ model, claimedBy }) => ({ ...model, claimedBy })),
    )
    if (reasons.size === 0) break
    const reasonFor = ({ model }: Creation) => reasons.get(model.id)
    const isOnlyQuota = rest.every(one => reasonFor(one) === 'plan_limit')
    rest = isOnlyQuota ? await keepUpToQuota(ctx, rest, outcome) : removeRejected(rest, reasonFor, outcome)
  }
  const { rejected, lost, taken } = outcome
  return { rejected: [...rejected, ...(await explainTaken(ctx, taken))], lost }
}

type InsertProgress = Inserted & { taken: Creation[] }

async function explainTaken(ctx: AccountContext, taken: readonly Creation[]): Promise<RejectedCreation[]> {
  const holders = await findByGtin(
    ctx,
    taken.flatMap(({ model }) => model.gtin14 ?? []),
  )
  return taken.map(creation => ({
    creation,
    error: gtinTakenError(holders.get(creation.model.gtin14 ?? '')),
  }))
}

/** The rows without a reason, or with the quota as the reason. */
function removeRejected(
  rows: readonly Creation[],
  reasonFor: (one: Creation) => RejectReason | undefined,
  { taken, lost }: InsertProgress,
): Creation[] {
  return rows.filter(creation => {
    const reason = reasonFor(creation)
    if (reason === undefined || reason === 'plan_limit') return true
    // For a row matched by GTIN, the model that took the GTIN may be the one it means.
    if (reason === 'sku_taken' || creation.row.matchBy === 'gtin') lost.push(creation)
    else taken.push(creation)
    return false
  })
}

/** The remaining quota may shrink meanwhile: then the statement rejects the rows and this is repeated. */
async function keepUpToQuota(
  ctx: AccountContext,
  rows: readonly Creation[],
  { rejected }: Inserted,
): Promise<readonly Creation[]> {
  const left = await getRemainingQuota(ctx.sql, { accountId: ctx.accountId, level: 'm' })
  for (const creation of rows.slice(left)) rejected.push({ creation, error: modelQuotaError() })
  return rows.slice(0, left)
}
