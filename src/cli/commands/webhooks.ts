/** `carnet webhooks`: where an account's events go. */
import type { AccountContext } from '../../accounts/context.ts'
import { findUrlFault } from '../../kernel/http-out/outbound-url.ts'
import { type EndpointRecord, listWebhooks } from '../../webhooks/endpoint.ts'
import {
  addWebhook,
  changeWebhook,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
  type WebhookChange,
  type WebhookSetup,
} from '../../webhooks/manage-endpoints.ts'
import { parseAccountId } from '../command-line/account-arguments.ts'
import { type Arguments, type Command, CommandError, UsageError } from '../command-line/command.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { withStore } from '../store/with-store.ts'
import {
  describeState,
  enterAccount,
  enterWebhookAccount,
  formatWebhooks,
  parseWebhookTarget,
  WEBHOOK_OPTIONS,
} from './webhook-arguments.ts'

const EVENTS_HINT = 'names of events, separated by commas; * for all'

export const webhooksAdd: Command = {
  usage: 'webhooks add --account A --url U [--events a,b] [--description D]',
  about: 'has events sent to an https address; the secret that signs them is shown this once',
  options: {
    account: { hint: 'A', about: 'the id of the account' },
    url: { hint: 'U', about: 'where to; https' },
    events: { hint: 'a,b', about: `${EVENTS_HINT}, also without it` },
    description: { hint: 'D', about: 'what it is for' },
  },
  run: ({ args, env }) => {
    const accountId = parseAccountId(args.get('account'))
    const input = { ...readChange(args), url: args.get('url') }
    return withStore(env, async ctx => {
      const setup = buildWebhookSetup(ctx.config)
      requireCallable(input.url, setup)
      const added = await addWebhook(await enterAccount(ctx, accountId), setup, input)
      const { id, url, secret, ...rest } = added
      const text = `${secret}\n\nThat is the secret of webhook ${id}. Keep it now: it is not shown again.`
      return { value: { id, url, secret, ...rest }, text }
    })
  },
}

/** Who runs this may open a network; who asks by the interface may not, and is not told how. Throws a Refusal. */
function requireCallable(url: string, { policy }: WebhookSetup): void {
  const fault = findUrlFault(url.trim(), policy)
  if (fault?.name !== 'forbidden' && fault?.name !== 'this_machine') return
  throw new CommandError(
    `${fault.sentence} If it is meant, set WEBHOOK_ALLOW_CIDRS to its address or network, for the server too.`,
  )
}

function readChange(args: Arguments): WebhookChange {
  const url = args.find('url')
  const events = args.find('events')
  const description = args.find('description')
  return {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events: events.split(',').map(name => name.trim()) }),
    ...(description === undefined ? {} : { description }),
  }
}

export const webhooksList: Command = {
  usage: 'webhooks list --account A',
  about: "lists an account's webhooks with how they are doing",
  options: { account: { hint: 'A', about: 'the id of the account' } },
  run: ({ args, env }) => {
    const accountId = parseAccountId(args.get('account'))
    return withStore(env, async ctx => {
      const webhooks = await listWebhooks(await enterAccount(ctx, accountId))
      const text = webhooks.length === 0 ? 'The account has no webhooks.' : formatWebhooks(webhooks)
      return { value: webhooks, text }
    })
  },
}

export const webhooksChange: Command = {
  usage: 'webhooks change ID [--url U] [--events a,b] [--description D]',
  about: 'changes what is given and leaves the rest; the secret stays',
  optionalPositional: 'ID',
  options: {
    ...WEBHOOK_OPTIONS,
    url: { hint: 'U', about: 'where to; https' },
    events: { hint: 'a,b', about: EVENTS_HINT },
    description: { hint: 'D', about: 'what it is for' },
  },
  run: ({ args, env }) => {
    const wanted = parseWebhookTarget(args)
    const change = readChange(args)
    if (Object.keys(change).length === 0) throw new UsageError('Nothing is to be changed.')
    return withStore(env, async ctx => {
      const setup = buildWebhookSetup(ctx.config)
      if (change.url !== undefined) requireCallable(change.url, setup)
      const webhook = await changeWebhook(await enterWebhookAccount(ctx, wanted), setup, wanted.id, change)
      return {
        value: webhook,
        text: `Webhook ${webhook.id} sends ${webhook.events.join(', ')} to ${webhook.url}.`,
      }
    })
  },
}

/** Commands that do one thing to one webhook. */
const simple = (
  verb: string,
  about: string,
  work: (ctx: AccountContext, id: string) => Promise<EndpointRecord>,
  said: (webhook: EndpointRecord) => string,
): Command => ({
  usage: `webhooks ${verb} ID`,
  about,
  optionalPositional: 'ID',
  options: WEBHOOK_OPTIONS,
  run: ({ args, env }) => {
    const wanted = parseWebhookTarget(args)
    return withStore(env, async ctx => {
      const webhook = await work(await enterWebhookAccount(ctx, wanted), wanted.id)
      return { value: webhook, text: said(webhook) }
    })
  },
})

const stands = (webhook: EndpointRecord) => `Webhook ${webhook.id} is ${describeState(webhook)}.`

export const webhooksPause = simple(
  'pause',
  'holds what a webhook would get, for 30 days at most',
  pauseWebhook,
  stands,
)

export const webhooksResume = simple(
  'resume',
  'delivers again, what waits at once; also ends a switching-off',
  resumeWebhook,
  stands,
)

export const webhooksRemove = simple(
  'remove',
  'takes a webhook away, with what waits for it',
  removeWebhook,
  webhook => `Webhook ${webhook.id} is removed.`,
)
