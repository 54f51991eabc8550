/** `carnet webhooks`: the URLs that receive an account's events. */
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
  about: 'sends events to an https URL; the secret that signs them is shown only now',
  options: {
    account: { hint: 'A', about: 'the id of the account' },
    url: { hint: 'U', about: 'the https URL that receives the events' },
    events: { hint: 'a,b', about: `${EVENTS_HINT}, the default` },
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

/** The operator may allow a private network, so this error says how. API clients get no such hint. */
function requireCallable(url: string, { policy }: WebhookSetup): void {
  const fault = findUrlFault(url.trim(), policy)
  if (fault?.name !== 'forbidden' && fault?.name !== 'this_machine') return
  throw new CommandError(
    `${fault.sentence} To allow it, set WEBHOOK_ALLOW_CIDRS to its address or network, for the server too.`,
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
  about: "lists an account's webhooks and their state",
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
  about: 'changes the given properties; the rest and the secret stay',
  optionalPositional: 'ID',
  options: {
    ...WEBHOOK_OPTIONS,
    url: { hint: 'U', about: 'the https URL that receives the events' },
    events: { hint: 'a,b', about: EVENTS_HINT },
    description: { hint: 'D', about: 'what it is for' },
  },
  run: ({ args, env }) => {
    const wanted = parseWebhookTarget(args)
    const change = readChange(args)
    if (Object.keys(change).length === 0)
      throw new UsageError('Give at least one of --url, --events and --description.')
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
const buildWebhookCommand = (
  verb: string,
  about: string,
  work: (ctx: AccountContext, id: string) => Promise<EndpointRecord>,
  format: (webhook: EndpointRecord) => string,
): Command => ({
  usage: `webhooks ${verb} ID`,
  about,
  optionalPositional: 'ID',
  options: WEBHOOK_OPTIONS,
  run: ({ args, env }) => {
    const wanted = parseWebhookTarget(args)
    return withStore(env, async ctx => {
      const webhook = await work(await enterWebhookAccount(ctx, wanted), wanted.id)
      return { value: webhook, text: format(webhook) }
    })
  },
})

const formatState = (webhook: EndpointRecord) => `Webhook ${webhook.id} is ${describeState(webhook)}.`

export const webhooksPause = buildWebhookCommand(
  'pause',
  'holds back the events of a webhook, for 30 days at most',
  pauseWebhook,
  formatState,
)

export const webhooksResume = buildWebhookCommand(
  'resume',
  'delivers again, waiting events first; also after a webhook was disabled',
  resumeWebhook,
  formatState,
)

export const webhooksRemove = buildWebhookCommand(
  'remove',
  'removes a webhook and its waiting events',
  removeWebhook,
  webhook => `Webhook ${webhook.id} is removed.`,
)
