/** Describes endpoints and outcomes of deliveries in words. */
import { html } from 'ghtml'
import type { AttemptRecord } from '../../webhooks/delivery-log.ts'
import { isRedirect } from '../../webhooks/send.ts'
import type { WebhookRecord } from '../../webhooks/webhook.ts'
import type { Words } from '../page/route.ts'
import { findText, renderText, type Text, type Texts } from '../page/texts.ts'

/** `delivered`, `answered 500`, or the failure; an unknown name of a later version is shown as it is. */
export function describeOutcome(
  { developer: texts }: Texts,
  { outcome, status }: Pick<AttemptRecord, 'outcome' | 'status'>,
) {
  if (outcome === 'delivered') return status === null ? texts.delivered : `${texts.delivered}, ${status}`
  if (status !== null) return texts.answered({ status })
  return findText(texts.outcomes, outcome) ?? outcome
}

/** The English sentence about a failure, with the facts for other languages. */
export function explainFailure(
  { language, texts: { failures } }: Pick<Words, 'language' | 'texts'>,
  { detail, outcome, status }: Pick<AttemptRecord, 'detail' | 'outcome' | 'status'>,
): string | null {
  if (detail === null || language === 'en') return detail
  if (status === 410) return failures.gone
  if (status !== null) return isRedirect(status) ? failures.redirect({ status }) : failures.status({ status })
  const [, name = '', address = ''] =
    /^The name (\S+) cannot be resolved/.exec(detail) ??
    /^(\S+) resolves to /.exec(detail) ??
    /^()(\S+) is .*\. Carnet does not connect to it\.$/.exec(detail) ??
    []
  const [, tls, code] =
    /^No secure connection was made: (.*)\.$/s.exec(detail) ??
    /^()The connection .*\((\w+)\)\.$/.exec(detail) ??
    []
  const reason = tls || code || ''
  const known = name !== '' ? '_name' : address !== '' ? '_address' : reason !== '' ? '_reason' : ''
  const text = findText<Text>(failures, outcome + known) ?? findText<Text>(failures, outcome)
  return text === undefined ? detail : renderText(text, { name, address, reason })
}

export const describeLastDelivery = ({ texts, minute }: Words, { last_delivery: last }: WebhookRecord) =>
  last === null ? texts.developer.never : `${minute(last.at)}, ${describeOutcome(texts, last)}`

export function describeEvents({ developer: texts }: Texts, { events }: WebhookRecord): string {
  return events.includes('*') ? texts.allEvents : events.join(', ')
}

export function renderStateBadge(
  { developer: texts }: Texts,
  { status, failing_since }: WebhookRecord,
): string {
  const isFailing = status === 'active' && failing_since !== null
  const word = isFailing ? texts.failing : texts.states[status]
  return html`<span class="badge!${isFailing || status === 'disabled' ? ' off' : ''}">${word}</span>`
}
