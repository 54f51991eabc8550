/**
 * Stores the choices of an account for its readiness reports, as JSON that `src/readiness/settings.ts`
 * checks.
 */
import { isDeepStrictEqual } from 'node:util'
import { notFound } from '../../kernel/errors/errors.ts'
import { audit } from './audit.ts'
import { type AccountContext, withTransaction } from './context.ts'

/** Null: nothing chosen. Throws `not_found`. */
export async function readReadinessSettings({ sql, accountId }: AccountContext): Promise<unknown> {
  const [row] = await sql<{ readiness: unknown }[]>`select readiness from account where id = ${accountId}`
  if (row === undefined) throw notFound('account')
  return row.readiness
}

/** Throws `not_found`. */
export async function storeReadinessSettings(ctx: AccountContext, settings: object): Promise<void> {
  await withTransaction(ctx, async tx => {
    const [row] = await tx.sql<{ before: unknown }[]>`
      select readiness as before from account where id = ${ctx.accountId} for no key update`
    if (row === undefined) throw notFound('account')
    if (isDeepStrictEqual(row.before, settings)) return
    await tx.sql`update account set readiness = ${JSON.stringify(settings)}::text::jsonb where id = ${ctx.accountId}`
    await audit(tx, 'readiness_changed', '')
  })
}
