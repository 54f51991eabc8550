/** Writing the new models of a sync: together, and when some are in the way, all the others. */
import type { AccountContext } from '../../accounts/context.ts'
import { getRemainingQuota } from '../../accounts/limits/quota.ts'
import type { AppError } from '../../kernel/errors.ts'
import { gtinTakenError } from '../core/check-data.ts'
import { findByGtin } from '../write/find-matches.ts'
import { insertModels, modelQuotaError, type RejectReason } from '../write/insert-models.ts'
import type { Creation } from './plan-row.ts'

export type RejectedCreation = { creation: Creation; error: AppError }
/** `lost`: another creator was faster; what they made is to be looked up. In neither list: written. */
export type Inserted = { rejected: RejectedCreation[]; lost: Creation[] }

/** In order: of those over the quota the first are written, as many as there is room for. */
export async function insertCreations(
  ctx: AccountContext,
  creations: readonly Creation[],
): Promise<Inserted> {
  const outcome: InsertProgress = { rejected: [], lost: [], taken: [] }
  let rest = creations
  while (rest.length > 0) {
    const obstacles = await insertModels(
      ctx.sql,
      rest.map(({ model }) => model),
      rest
        .filter(({ row }) => row.matchBy === 'sku')
        .map(({ model, claimedBy }) => ({ ...model, claimedBy })),
    )
    if (obstacles.size === 0) break
    const at = ({ model }: Creation) => obstacles.get(model.id)
    const isQuotaAlone = rest.every(one => at(one) === 'plan_limit')
    rest = isQuotaAlone ? await keepUpToQuota(ctx, rest, outcome) : removeRejected(rest, at, outcome)
  }
  const { rejected, lost, taken } = outcome
  return { rejected: [...rejected, ...(await explainTaken(ctx, taken))], lost }
}

type InsertProgress = Inserted & { taken: Creation[] }

/** Of GTINs that others hold. */
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

/** The rows that nothing but perhaps the quota is in the way of. */
function removeRejected(
  rows: readonly Creation[],
  at: (one: Creation) => RejectReason | undefined,
  { taken, lost }: InsertProgress,
): Creation[] {
  return rows.filter(creation => {
    const obstacle = at(creation)
    if (obstacle === undefined || obstacle === 'plan_limit') return true
    // Of a row that is matched by GTIN, the one who took it may be the model that it means.
    if (obstacle === 'sku_taken' || creation.row.matchBy === 'gtin') lost.push(creation)
    else taken.push(creation)
    return false
  })
}

/** The counter refuses to be overrun, whatever is read here: when others were faster, what is left shrinks, and it is tried again. */
async function keepUpToQuota(
  ctx: AccountContext,
  rows: readonly Creation[],
  { rejected }: Inserted,
): Promise<readonly Creation[]> {
  const left = await getRemainingQuota(ctx.sql, { accountId: ctx.accountId, level: 'm' })
  for (const creation of rows.slice(left)) rejected.push({ creation, error: modelQuotaError() })
  return rows.slice(0, left)
}
