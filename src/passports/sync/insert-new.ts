/** Writing the new models of a sync: together, and when some are in the way, all the others. */
import type { AccountContext } from '../../accounts/context.ts'
import { getRemainingQuota } from '../../accounts/limits/quota.ts'
import type { AppError } from '../../kernel/errors.ts'
import { gtinTaken } from '../core/check-data.ts'
import { findByGtin } from '../write/find-matches.ts'
import { type Obstacle, overQuota, tryInsertModels } from '../write/insert-models.ts'
import type { Creation } from './plan-row.ts'

export type Refusal = { creation: Creation; error: AppError }
/** `lost`: another creator was faster; what they made is to be looked up. In neither list: written. */
export type Inserted = { refused: Refusal[]; lost: Creation[] }

/** In order: of those over the quota the first are written, as many as there is room for. */
export async function insertNew(ctx: AccountContext, creations: readonly Creation[]): Promise<Inserted> {
  const outcome: Outcome = { refused: [], lost: [], taken: [] }
  let rest = creations
  while (rest.length > 0) {
    const obstacles = await tryInsertModels(
      ctx.sql,
      rest.map(({ made }) => made),
      rest.filter(({ row }) => row.matchBy === 'sku').map(({ made, seen }) => ({ ...made, seen })),
    )
    if (obstacles.size === 0) break
    const at = ({ made }: Creation) => obstacles.get(made.id)
    const isQuotaAlone = rest.every(one => at(one) === 'plan_limit')
    rest = isQuotaAlone ? await fitting(ctx, rest, outcome) : withoutRefused(rest, at, outcome)
  }
  const { refused, lost, taken } = outcome
  return { refused: [...refused, ...(await refusedAs(ctx, taken))], lost }
}

type Outcome = Inserted & { taken: Creation[] }

/** Of GTINs that others hold. */
async function refusedAs(ctx: AccountContext, taken: readonly Creation[]): Promise<Refusal[]> {
  const holders = await findByGtin(
    ctx,
    taken.flatMap(({ made }) => made.gtin14 ?? []),
  )
  return taken.map(creation => ({ creation, error: gtinTaken(holders.get(creation.made.gtin14 ?? '')) }))
}

/** The rows that nothing but perhaps the quota is in the way of. */
function withoutRefused(
  rows: readonly Creation[],
  at: (one: Creation) => Obstacle | undefined,
  { taken, lost }: Outcome,
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
async function fitting(
  ctx: AccountContext,
  rows: readonly Creation[],
  { refused }: Inserted,
): Promise<readonly Creation[]> {
  const left = await getRemainingQuota(ctx.sql, { accountId: ctx.accountId, level: 'm' })
  for (const creation of rows.slice(left)) refused.push({ creation, error: overQuota() })
  return rows.slice(0, left)
}
