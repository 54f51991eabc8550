/** `carnet webhooks deliveries`, `test`, `resend`, `replay`, `unstick`: what was delivered, and sending it again. */
import { systemClock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { openOutbound } from '../../kernel/http-out/outbound-http.ts'
import { findUuid } from '../../kernel/ids.ts'
import {
  type AttemptRecord,
  DEFAULT_DELIVERIES,
  listDeliveries,
  MAX_DELIVERIES,
  replayFailed,
  resendDelivery,
} from '../../webhooks/delivery-log.ts'
import { sendTestEvent } from '../../webhooks/send-test-event.ts'
import { unstick } from '../../webhooks/unstick.ts'
import { parseAccountId } from '../command-line/account-arguments.ts'
import { alignColumns, type Command, UsageError } from '../command-line/command.ts'
import { parseSince, SINCE_HINT } from '../command-line/parse-times.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { withStore } from '../store/with-store.ts'
import {
  enterAccount,
  enterWebhookAccount,
  parseWebhookTarget,
  STATUS_LABELS,
  WEBHOOK_OPTIONS,
} from './webhook-arguments.ts'

export const webhooksTest: Command = {
  usage: 'webhooks test ID',
  about: 'sends the event webhook.test once, now; exit code 1 when it was not received',
  optionalPositional: 'ID',
  options: WEBHOOK_OPTIONS,
  run: ({ args, env }) => {
    const wanted = parseWebhookTarget(args)
    return withStore(env, async ctx => {
      const { sealer, policy } = buildWebhookSetup(ctx.config)
      const outbound = openOutbound(policy)
      try {
        const attempt = await sendTestEvent(
          await enterWebhookAccount(ctx, wanted),
          { sealer, outbound },
          wanted.id,
        )
        if (attempt.ok)
          return {
            value: attempt,
            text: `It was received: ${attempt.status} after ${attempt.duration_ms} ms.`,
          }
        const failure = `It was not received. ${attempt.detail ?? ''}`
        return { value: attempt, text: attempt.outcome, exitCode: 1, failure }
      } finally {
        await outbound.close()
      }
    })
  },
}

export const webhooksDeliveries: Command = {
  usage: 'webhooks deliveries --account A [--webhook W] [--limit N] [--before DELIVERY]',
  about: 'lists the delivery attempts of the last 30 days, newest first',
  options: {
    account: { hint: 'A', about: 'the id of the account' },
    webhook: { hint: 'W', about: 'only of this webhook' },
    limit: { hint: 'N', about: `how many, ${MAX_DELIVERIES} at most (${DEFAULT_DELIVERIES})` },
    before: { hint: 'DELIVERY', about: 'only attempts before this one' },
  },
  run: ({ args, env }) => {
    const accountId = parseAccountId(args.get('account'))
    const webhookId = args.find('webhook')
    const before = args.find('before')
    if (before !== undefined && findUuid(before) === undefined) {
      throw new AppError(
        'not_found',
        `There is no delivery "${before}". "carnet webhooks deliveries" shows their ids.`,
      )
    }
    const input = {
      limit: readLimit(args.find('limit')),
      ...(webhookId === undefined ? {} : { webhookId }),
      ...(before === undefined ? {} : { before }),
    }
    return withStore(env, async ctx => {
      const attempts = await listDeliveries(await enterAccount(ctx, accountId), input)
      return {
        value: attempts,
        text: attempts.length === 0 ? 'Nothing was sent yet.' : attemptTable(attempts),
      }
    })
  },
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_DELIVERIES
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_DELIVERIES) return limit
  throw new UsageError(`--limit is "${text}": it must be a whole number from 1 to ${MAX_DELIVERIES}.`)
}

export const webhooksResend: Command = {
  usage: 'webhooks resend --account A DELIVERY',
  about: 'sends the event of one attempt again, now, with six attempts',
  positionals: ['DELIVERY'],
  options: { account: { hint: 'A', about: 'the id of the account' } },
  run: ({ args, env }) => {
    const accountId = parseAccountId(args.get('account'))
    const id = args.get('DELIVERY')
    return withStore(env, async ctx => {
      const sent = await resendDelivery(await enterAccount(ctx, accountId), id)
      const isHeld = sent.webhook_status !== 'active'
      const text = isHeld
        ? `Event ${sent.event_id} waits until the webhook is resumed: it is ${STATUS_LABELS[sent.webhook_status]}.`
        : `Event ${sent.event_id} is being sent again.`
      return { value: sent, text }
    })
  },
}

export const webhooksReplay: Command = {
  usage: 'webhooks replay --account A [--webhook W] --since D',
  about: 'sends again the events that failed since a time and were not delivered later',
  options: {
    account: { hint: 'A', about: 'the id of the account' },
    webhook: { hint: 'W', about: 'only of this webhook' },
    since: { hint: 'D', about: SINCE_HINT },
  },
  run: ({ args, env }) => {
    const accountId = parseAccountId(args.get('account'))
    const webhookId = args.find('webhook')
    const since = parseSince(args.get('since'), systemClock.now())
    return withStore(env, async ctx => {
      const input = { since, ...(webhookId === undefined ? {} : { webhookId }) }
      const done = await replayFailed(await enterAccount(ctx, accountId), input)
      const held = done.held === 0 ? '' : ` ${done.held} wait until their webhook is resumed.`
      return { value: done, text: `${done.replayed - done.held} events are being sent again.${held}` }
    })
  },
}

export const webhooksUnstick: Command = {
  usage: 'webhooks unstick',
  about: 'delivers what waits because a clock was ahead; the server does so every five minutes',
  options: {},
  run: ({ env }) =>
    withStore(env, async ctx => {
      const freed = await unstick(ctx)
      const { leases, deliveries, endpoints } = freed
      const text =
        leases + deliveries + endpoints === 0
          ? 'Nothing is stuck.'
          : `Freed ${leases} accounts, ${deliveries} deliveries and ${endpoints} webhooks.`
      return { value: freed, text }
    }),
}

function attemptTable(attempts: readonly AttemptRecord[]): string {
  const rows = attempts.map(one => [
    one.id,
    one.at.slice(0, 19),
    one.event,
    String(one.attempt),
    one.outcome,
    `${one.duration_ms} ms`,
    one.next_attempt_at?.slice(0, 19) ?? '',
  ])
  return alignColumns([['ID', 'AT', 'EVENT', 'ATTEMPT', 'OUTCOME', 'TOOK', 'NEXT'], ...rows])
}
