/** What the webhook commands share: which webhook is meant, and how one is shown. */
import { requireAccount } from '../../accounts/accounts.ts'
import { getOperatorActor } from '../../accounts/actors.ts'
import type { AccountContext } from '../../accounts/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { type EndpointRecord, type EndpointStatus, getWebhookAccountId } from '../../webhooks/endpoint.ts'
import { parseAccountId } from '../command-line/account-arguments.ts'
import { type Arguments, alignColumns, type CommandOptions, UsageError } from '../command-line/command.ts'
import type { StoreContext } from '../store/with-store.ts'

/** The options that name one webhook. Its id may also be an argument. */
export const WEBHOOK_OPTIONS: CommandOptions = {
  webhook: { hint: 'W', about: 'the id of the webhook, instead of ID' },
  account: { hint: 'A', about: 'the account it must belong to' },
}

type WebhookTarget = { id: string; account: number | undefined }

/** Throws UsageError unless the id is given exactly once. */
export function parseWebhookTarget(args: Arguments): WebhookTarget {
  const word = args.find('ID')
  const option = args.find('webhook')
  const id = word ?? option
  if (id === undefined) throw new UsageError('ID is missing.')
  if (word !== undefined && option !== undefined)
    throw new UsageError('ID and --webhook mean the same: give one of them.')
  const account = args.find('account')
  return { id, account: account === undefined ? undefined : parseAccountId(account) }
}

/** A context of the operator in the account of a webhook. Throws `not_found`. */
export async function enterWebhookAccount(
  ctx: StoreContext,
  { id, account }: WebhookTarget,
): Promise<AccountContext> {
  const accountId = await getWebhookAccountId(ctx, id)
  if (account !== undefined && account !== accountId) throw notFound('webhook')
  return { ...ctx, accountId, actorId: await getOperatorActor(ctx, accountId) }
}

/** A context of the operator in an account. Throws `not_found`. */
export async function enterAccount(ctx: StoreContext, accountId: number): Promise<AccountContext> {
  await requireAccount(ctx, accountId)
  return { ...ctx, accountId, actorId: await getOperatorActor(ctx, accountId) }
}

const REASON = {
  gone: 'it answered 410 Gone',
  failing: 'every delivery failed for five days',
} as const

export const STATUS_LABELS: Readonly<Record<EndpointStatus, string>> = {
  active: 'active',
  paused: 'paused',
  disabled: 'disabled',
}

/** The state of a webhook as one line. */
export function describeState(webhook: EndpointRecord): string {
  const { status, disabled_reason, failing_since, left_in_peace_until } = webhook
  if (status === 'disabled') return `${STATUS_LABELS.disabled}: ${REASON[disabled_reason ?? 'failing']}`
  if (status === 'paused' || failing_since === null) return STATUS_LABELS[status]
  const paused = left_in_peace_until === null ? '' : `, no attempt until ${left_in_peace_until.slice(0, 16)}`
  return `failing since ${failing_since.slice(0, 16)}${paused}`
}

export function formatWebhooks(webhooks: readonly EndpointRecord[]): string {
  const rows = webhooks.map(webhook => [
    webhook.id,
    describeState(webhook),
    webhook.last_delivery === null
      ? 'none'
      : `${webhook.last_delivery.at.slice(0, 16)} ${webhook.last_delivery.outcome}`,
    webhook.events.join(','),
    webhook.url,
  ])
  return alignColumns([['ID', 'STATE', 'LAST DELIVERY', 'EVENTS', 'URL'], ...rows])
}
