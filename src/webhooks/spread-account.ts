/** Spreads one large account over several shards by its models, with a copy of its webhooks on each. */
import { withActor } from '../accounts/account/actors.ts'
import { type OperatorContext, withTransaction } from '../accounts/account/context.ts'
import { addAccountShards } from '../accounts/placement/add-shards.ts'
import { copyWebhooks } from './copy-webhooks.ts'

/**
 * New models are created on `modelShards`; existing ones stay where they are, with their units. No import may
 * run meanwhile. Throws `not_found`, and `validation` unless the account has been closed for a minute.
 */
export const spreadAccount = (
  ctx: OperatorContext,
  input: Parameters<typeof addAccountShards>[1],
): ReturnType<typeof addAccountShards> =>
  withTransaction(ctx, async tx => {
    const spread = await addAccountShards(tx, input)
    await copyWebhooks(await withActor(tx, input.accountId), spread.added)
    return spread
  })
