/** `carnet webhooks` and `carnet secrets`: the URLs that receive an account's events, and their secrets. */
import { actAsOperator } from '../../accounts/account/accounts.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { withTransaction } from '../../accounts/account/context.ts'
import { countIssuerSecrets, reencryptIssuerSecrets } from '../../accounts/issuer/issuer.ts'
import { findUrlError } from '../../kernel/http-out/outbound-url.ts'
import {
  addWebhook,
  changeWebhook,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
  type WebhookChange,
  type WebhookSetup,
} from '../../webhooks/manage-webhooks.ts'
import { activateSecret, reencryptSecrets, rotateSecret } from '../../webhooks/rotate-secret.ts'
import { listWebhooks, type WebhookRecord } from '../../webhooks/webhook.ts'
import { ACCOUNT_OPTION, getAccountId } from '../command-line/account-arguments.ts'
import {
  type Arguments,
  type Command,
  CommandError,
  formatTable,
  UsageError,
} from '../command-line/command.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { onStore } from '../store/with-store.ts'
import { buildWebhookCommand, describeState } from './webhook-arguments.ts'

const EVENTS_HINT = 'names of events, separated by commas; * for all'
const URL_OPTION = { url: { hint: 'U', about: 'the https URL that receives the events' } }
const DESCRIPTION_OPTION = { description: { hint: 'D', about: 'what it is for' } }

export const webhooksAdd: Command = {
  usage: 'webhooks add --account A --url U [--events a,b] [--description D]',
  about: 'sends events to an https URL; the secret that signs them is shown only now',
  options: {
    ...ACCOUNT_OPTION,
    ...URL_OPTION,
    events: { hint: 'a,b', about: `${EVENTS_HINT}, the default` },
    ...DESCRIPTION_OPTION,
  },
  run: onStore(
    args => ({ accountId: getAccountId(args), ...readChange(args), url: args.get('url') }),
    async (ctx, { accountId, ...input }) => {
      const setup = buildWebhookSetup(ctx.config)
      requireCallable(input.url, setup)
      const { id, url, secret, ...rest } = await addWebhook(await actAsOperator(ctx, accountId), setup, input)
      const text = `${secret}\n\nThat is the secret of webhook ${id}. Save it now: it is not shown again.`
      return { value: { id, url, secret, ...rest }, text }
    },
  ),
}

/** The operator may allow a private network, so this error says how. API clients get no such hint. */
function requireCallable(url: string, { policy }: WebhookSetup): void {
  const error = findUrlError(url.trim(), policy)
  if (error?.name !== 'forbidden' && error?.name !== 'this_machine') return
  throw new CommandError(
    `${error.sentence} To allow it, set WEBHOOK_ALLOW_CIDRS to its address or network, here and for the server.`,
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
  options: ACCOUNT_OPTION,
  run: onStore(getAccountId, async (ctx, accountId) => {
    const webhooks = await listWebhooks(await actAsOperator(ctx, accountId))
    const rows = webhooks.map(webhook => {
      const { id, last_delivery: last, events, url } = webhook
      const delivery = last === null ? 'none' : `${last.at.slice(0, 16)} ${last.outcome}`
      return [id, describeState(webhook), delivery, events.join(','), url]
    })
    const headings = ['ID', 'STATE', 'LAST DELIVERY', 'EVENTS', 'URL']
    return { value: webhooks, text: formatTable(headings, rows, 'The account has no webhooks.') }
  }),
}

export const webhooksChange = buildWebhookCommand({
  usage: 'webhooks change ID [--url U] [--events a,b] [--description D]',
  about: 'changes the given properties; the rest and the secret stay',
  options: { ...URL_OPTION, events: { hint: 'a,b', about: EVENTS_HINT }, ...DESCRIPTION_OPTION },
  readChange(args) {
    const change = readChange(args)
    if (Object.keys(change).length > 0) return change
    throw new UsageError('Give at least one of --url, --events and --description.')
  },
  async run(ctx, id, change) {
    const setup = buildWebhookSetup(ctx.config)
    if (change.url !== undefined) requireCallable(change.url, setup)
    const webhook = await changeWebhook(ctx, setup, id, change)
    return {
      value: webhook,
      text: `Webhook ${webhook.id} sends ${webhook.events.join(', ')} to ${webhook.url}.`,
    }
  },
})

const buildStateCommand = (
  verb: string,
  about: string,
  work: (ctx: AccountContext, id: string) => Promise<WebhookRecord>,
  format = describeState,
): Command =>
  buildWebhookCommand({
    usage: `webhooks ${verb} ID`,
    about,
    async run(ctx, id) {
      const webhook = await work(ctx, id)
      return { value: webhook, text: `Webhook ${webhook.id} is ${format(webhook)}.` }
    },
  })

const PAUSE = 'holds back the events of a webhook, for 30 days at most'
export const webhooksPause = buildStateCommand('pause', PAUSE, pauseWebhook)

const RESUME = 'resumes deliveries, waiting events first; also after a webhook was disabled'
export const webhooksResume = buildStateCommand('resume', RESUME, resumeWebhook)

const REMOVE = 'removes a webhook and its waiting events'
export const webhooksRemove = buildStateCommand('remove', REMOVE, removeWebhook, () => 'removed')

export const webhooksRotate = buildWebhookCommand({
  usage: 'webhooks rotate ID',
  about:
    'creates a new secret, shown only now; for 24 hours webhook-signature is signed with both, and X-Service-Signature with the old one',
  async run(ctx, wanted) {
    const { id, url, secret, ...rest } = await rotateSecret(ctx, buildWebhookSetup(ctx.config), wanted)
    const text = [
      `${secret}\n\nThat is the new secret of webhook ${id}. Save it now: it is not shown again.`,
      `Until ${rest.old_secret_until} the old secret signs too. "carnet webhooks activate ${id}" signs X-Service-Signature with the new one at once.`,
    ].join('\n')
    return { value: { id, url, secret, ...rest }, text }
  },
})

export const webhooksActivate = buildWebhookCommand({
  usage: 'webhooks activate ID',
  about: 'signs X-Service-Signature with the new secret now, not only after 24 hours',
  async run(ctx, id) {
    const webhook = await activateSecret(ctx, id)
    return { value: webhook, text: `The newest secret of webhook ${webhook.id} signs X-Service-Signature.` }
  },
})

export const secretsReseal: Command = {
  usage: 'secrets reseal',
  about:
    'encrypts stored secrets again with SECRET_KEY; reads them with OLD_SECRET_KEY or SECRET_KEY; all or none',
  run: onStore(
    () => undefined,
    async ctx => {
      const { secretCipher } = buildWebhookSetup(ctx.config)
      const done = await withTransaction(ctx, async tx => {
        const { sealed_anew, already_current } = await reencryptSecrets(tx, secretCipher)
        const { current } = await countIssuerSecrets(tx, secretCipher)
        const reencrypted = await reencryptIssuerSecrets(tx, secretCipher)
        return { sealed_anew: sealed_anew + reencrypted, already_current: already_current + current }
      })
      const text = `${done.sealed_anew} secrets are encrypted again with key ${secretCipher.fingerprint}; ${done.already_current} already were.`
      return { value: { ...done, key: secretCipher.fingerprint }, text }
    },
  ),
}
