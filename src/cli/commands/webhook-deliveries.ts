/** `carnet webhooks deliveries`, `test`, `resend`, `replay`, `unstick`: see and repeat deliveries. */
import { actAsOperator } from '../../accounts/account/accounts.ts'
import { parseId } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { openOutbound } from '../../kernel/http-out/outbound-http.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import {
  DEFAULT_ATTEMPTS_LISTED,
  listAttempts,
  MAX_ATTEMPTS_LISTED,
  replayFailed,
  resendDelivery,
} from '../../webhooks/delivery-log.ts'
import { sendTestEvent } from '../../webhooks/send-test-event.ts'
import { unstickAllShards } from '../../webhooks/unstick.ts'
import { ACCOUNT_OPTION, getAccountId } from '../command-line/account-arguments.ts'
import { type Arguments, type Command, formatTable } from '../command-line/command.ts'
import { parseSince, SINCE_HINT } from '../command-line/parse-times.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { onStore } from '../store/with-store.ts'
import { buildWebhookCommand } from './webhook-arguments.ts'

const WEBHOOK_OPTION = { webhook: { hint: 'W', about: 'only those of this webhook' } }

const readWebhookId = (args: Arguments): { webhookId?: string } => {
  const webhookId = args.find('webhook')
  return webhookId === undefined ? {} : { webhookId }
}

export const webhooksTest = buildWebhookCommand({
  usage: 'webhooks test ID',
  about: 'sends the event webhook.test once, now; exit code 1 when it was not received',
  async run(ctx, id) {
    const { secretCipher, policy } = buildWebhookSetup(ctx.config)
    const outbound = openOutbound(policy)
    try {
      const value = await sendTestEvent(ctx, { secretCipher, outbound }, id)
      if (value.ok)
        return { value, text: `The test event was received: ${value.status} after ${value.duration_ms} ms.` }
      return { value, text: value.outcome, failure: `The test event was not received. ${value.detail ?? ''}` }
    } finally {
      await outbound.close()
    }
  },
})

export const webhooksDeliveries: Command = {
  usage: 'webhooks deliveries --account A [--webhook W] [--limit N] [--before DELIVERY]',
  about: 'lists the delivery attempts of the last 30 days, newest first',
  options: {
    ...ACCOUNT_OPTION,
    ...WEBHOOK_OPTION,
    limit: {
      hint: 'N',
      about: `how many, at most ${MAX_ATTEMPTS_LISTED}; the default is ${DEFAULT_ATTEMPTS_LISTED}`,
    },
    before: { hint: 'DELIVERY', about: 'only attempts before this one' },
  },
  run: onStore(
    args => ({
      accountId: getAccountId(args),
      ...readWebhookId(args),
      ...readBefore(args),
      limit: args.findInteger('limit', 1, MAX_ATTEMPTS_LISTED) ?? DEFAULT_ATTEMPTS_LISTED,
    }),
    async (ctx, { accountId, ...input }) => {
      const attempts = await listAttempts(await actAsOperator(ctx, accountId), input)
      const rows = attempts.map(one => [
        one.id,
        one.at.slice(0, 19),
        one.event,
        String(one.attempt),
        one.outcome,
        `${one.duration_ms} ms`,
        one.next_attempt_at?.slice(0, 19) ?? '',
      ])
      const headings = ['ID', 'AT', 'EVENT', 'ATTEMPT', 'OUTCOME', 'TOOK', 'NEXT']
      return { value: attempts, text: formatTable(headings, rows, 'Nothing was sent yet.') }
    },
  ),
}

function readBefore(args: Arguments): { before?: string } {
  const before = args.find('before')
  if (before === undefined) return {}
  if (parseId(before) !== undefined) return { before }
  const message = `There is no delivery "${before}". "carnet webhooks deliveries" shows their ids.`
  throw new AppError('not_found', message)
}

export const webhooksResend: Command = {
  usage: 'webhooks resend --account A DELIVERY',
  about: 'sends the event of one attempt again, now, with six attempts',
  positionals: ['DELIVERY'],
  options: ACCOUNT_OPTION,
  run: onStore(
    args => ({ accountId: getAccountId(args), id: args.get('DELIVERY') }),
    async (ctx, { accountId, id }) => {
      const sent = await resendDelivery(await actAsOperator(ctx, accountId), id)
      const text =
        sent.webhook_status === 'active'
          ? `Event ${sent.event_id} is being sent again.`
          : `Event ${sent.event_id} waits until the webhook is resumed: it is ${sent.webhook_status}.`
      return { value: sent, text }
    },
  ),
}

export const webhooksReplay: Command = {
  usage: 'webhooks replay --account A [--webhook W] --since D',
  about: 'sends again the events that failed since a time and were not delivered later',
  options: { ...ACCOUNT_OPTION, ...WEBHOOK_OPTION, since: { hint: 'D', about: SINCE_HINT } },
  run: onStore(
    args => ({
      accountId: getAccountId(args),
      ...readWebhookId(args),
      since: parseSince(args.get('since'), systemClock.now()),
    }),
    async (ctx, { accountId, ...input }) => {
      const done = await replayFailed(await actAsOperator(ctx, accountId), input)
      const held = done.held === 0 ? '' : ` ${done.held} wait until their webhook is resumed.`
      return { value: done, text: `${done.replayed - done.held} events are being sent again.${held}` }
    },
  ),
}

export const webhooksUnstick: Command = {
  usage: 'webhooks unstick',
  about: 'delivers the events that wait because a clock was ahead; the server does so every five minutes',
  run: onStore(
    () => undefined,
    async ctx => {
      const freed = await unstickAllShards(ctx)
      const { leases, deliveries, endpoints } = freed
      const text =
        leases + deliveries + endpoints === 0
          ? 'Nothing is stuck.'
          : `Freed ${leases} accounts, ${deliveries} deliveries and ${endpoints} webhooks.`
      return { value: freed, text }
    },
  ),
}
