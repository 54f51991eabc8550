/** Giving a GTIN free: an operator's act, because printed codes may still name it. */
import { actingIn } from '../accounts/actors.ts'
import { audit } from '../accounts/audit.ts'
import type { OperatorContext } from '../accounts/context.ts'
import { inTransaction } from '../accounts/transaction.ts'
import { isGtin, toGtin14 } from '../gs1/gtin.ts'
import { AppError } from '../kernel/errors.ts'
import { idFromUuid } from '../kernel/ids.ts'

/**
 * Releases a GTIN that no active passport bears any more, so that another product can take it.
 * Throws `validation`-like sentences as `not_found` (nobody holds it) or `gtin_taken` (an active passport bears it).
 */
export async function releaseGtin(
  ctx: OperatorContext,
  gtin: string,
): Promise<{ gtin14: string; product_id: string }> {
  if (!isGtin(gtin))
    throw new AppError(
      'bad_request',
      `"${gtin}" is not a GTIN: 8, 12, 13 or 14 digits with a right check digit.`,
    )
  const gtin14 = toGtin14(gtin)
  const released = await release(ctx, gtin14)
  if (released) return { gtin14, product_id: idFromUuid(released) }
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

/** The model that held it, or undefined when it is not to be released. */
async function release(ctx: OperatorContext, gtin14: string): Promise<string | undefined> {
  return inTransaction(ctx, async tx => {
    const [released] = await tx.sql<{ model_id: string; account_id: number }[]>`
      delete from gtin_claim g where gtin14 = ${gtin14} and not exists (
        select 1 from passport p where p.account_id = g.account_id and p.id = g.model_id and p.gtin14 = g.gtin14
          and p.status = 'a')
      returning model_id, account_id`
    if (released) await audit(await actingIn(tx, released.account_id), 'gtin_released', gtin14)
    return released?.model_id
  })
}
