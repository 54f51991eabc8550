/** The arguments and output that the webhook commands share. */
import { withActor } from '../../accounts/account/actors.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import type { WebhookChange } from '../../webhooks/manage-webhooks.ts'
import { getWebhookAccountId, type WebhookRecord } from '../../webhooks/webhook.ts'
import { findAccountId } from '../command-line/account-arguments.ts'
import { type Arguments, type Command, type CommandResult, UsageError } from '../command-line/command.ts'
import { onStore, type StoreContext } from '../store/with-store.ts'

type WebhookCommand = Omit<Command, 'run'> & {
  readChange?: (args: Arguments) => WebhookChange
  /** `ctx`: the operator's context in the webhook's account. */
  run: (ctx: StoreContext & AccountContext, id: string, change: WebhookChange) => Promise<CommandResult>
}

/** A command for one webhook, whose id is an argument or an option. */
export const buildWebhookCommand = ({
  options,
  readChange = () => ({}),
  run,
  ...command
}: WebhookCommand): Command => ({
  ...command,
  optionalPositional: 'ID',
  options: {
    webhook: { hint: 'W', about: 'the id of the webhook, instead of ID' },
    account: { hint: 'A', about: 'the account it must belong to' },
    ...options,
  },
  run: onStore(
    args => ({ ...parseTarget(args), change: readChange(args) }),
    async (ctx, { id, account, change }) => {
      const accountId = await getWebhookAccountId(ctx, id)
      if (account !== undefined && account !== accountId) throw notFound('webhook')
      return run(await withActor(ctx, accountId), id, change)
    },
  ),
})

/** Throws UsageError unless the id is given exactly once. */
function parseTarget(args: Arguments): { id: string; account: number | undefined } {
  const word = args.find('ID')
  const option = args.find('webhook')
  const id = word ?? option
  if (id === undefined) throw new UsageError('ID is missing.')
  if (word !== undefined && option !== undefined)
    throw new UsageError('ID and --webhook mean the same: give one of them.')
  return { id, account: findAccountId(args, 'account') }
}

const REASON = { gone: 'it answered 410 Gone', failing: 'every delivery failed for five days' } as const

export function describeState(webhook: WebhookRecord): string {
  const { status, disabled_reason, failing_since, left_in_peace_until } = webhook
  if (status === 'disabled') return `disabled: ${REASON[disabled_reason ?? 'failing']}`
  if (status === 'paused' || failing_since === null) return status
  const paused = left_in_peace_until === null ? '' : `, no attempt until ${left_in_peace_until.slice(0, 16)}`
  return `failing since ${failing_since.slice(0, 16)}${paused}`
}
