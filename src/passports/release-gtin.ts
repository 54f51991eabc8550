/** Giving a GTIN free: an operator's act, because printed codes may still name it. */
import { actingIn } from '../accounts/actors.ts'
import { audit } from '../accounts/audit.ts'
import type { OperatorContext } from '../accounts/context.ts'
import { inTransaction } from '../accounts/transaction.ts'
import { isGtin, toGtin14 } from '../gs1/gtin.ts'
import { AppError } from '../kernel/errors.ts'
import { idFromUuid } from '../kernel/ids.ts'
import { countUnitsOf } from './content-units.ts'
import { contentsOf } from './outdated.ts'

/** `units`: issued under the GTIN; a code printed on them by it leads nowhere from now on. */
export type ReleasedGtin = { gtin14: string; product_id: string; units: number }

/**
 * Releases a GTIN that no active passport bears any more, so that another product can take it.
 * Throws `validation`-like sentences as `not_found` (nobody holds it) or `gtin_taken` (an active passport bears it).
 */
export async function releaseGtin(ctx: OperatorContext, gtin: string): Promise<ReleasedGtin> {
  if (!isGtin(gtin))
    throw new AppError(
      'bad_request',
      `"${gtin}" is not a GTIN: 8, 12, 13 or 14 digits with a right check digit.`,
    )
  const gtin14 = toGtin14(gtin)
  const released = await release(ctx, gtin14)
  if (released) return released
  const [held] = await ctx.sql<
    { model_id: string }[]
  >`select model_id from gtin_claim where gtin14 = ${gtin14}`
  if (!held) throw new AppError('not_found', `No product holds the GTIN ${gtin14}.`)
  const id = idFromUuid(held.model_id)
  throw new AppError(
    'gtin_taken',
    `The active product ${id} bears the GTIN ${gtin14}. Archive it or change its GTIN first.`,
  )
}

/** Undefined when it is not to be released. */
function release(ctx: OperatorContext, gtin14: string): Promise<ReleasedGtin | undefined> {
  return inTransaction(ctx, async tx => {
    const [released] = await tx.sql<{ model_id: string; account_id: number }[]>`
      delete from gtin_claim g where gtin14 = ${gtin14} and not exists (
        select 1 from passport p where p.account_id = g.account_id and p.id = g.model_id and p.gtin14 = g.gtin14
          and p.status = 'a')
      returning model_id, account_id`
    if (released === undefined) return undefined
    const { model_id: id, account_id } = released
    await audit(await actingIn(tx, account_id), 'gtin_released', gtin14)
    const issuedUnder = tx.sql`${contentsOf(tx.sql, { id, account_id })} and lpad(c.data->>'gtin', 14, '0') = ${gtin14}`
    return { gtin14, product_id: idFromUuid(id), units: await countUnitsOf(tx.sql, account_id, issuedUnder) }
  })
}
