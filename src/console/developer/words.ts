/** How an endpoint and what became of a delivery are put into words. */
import { html } from 'ghtml'
import type { AttemptRecord } from '../../webhooks/delivery-log.ts'
import type { EndpointRecord } from '../../webhooks/endpoint.ts'
import { isRedirect } from '../../webhooks/send.ts'
import type { DeveloperTexts } from './texts-en.ts'

/** `delivered`, `answered 500`, or what stopped it; a name of a later version stands for itself. */
export function outcomeOf(
  texts: DeveloperTexts,
  { outcome, status }: Pick<AttemptRecord, 'outcome' | 'status'>,
) {
  if (outcome === 'delivered') return status === null ? texts.delivered : `${texts.delivered}, ${status}`
  if (status !== null) return texts.answered(status)
  return texts.outcomes[outcome] ?? outcome
}

/** The sentence about a failure. It is kept in English, with the names and addresses that others are made of. */
export function whyOf(
  { why }: DeveloperTexts,
  { detail, outcome, status }: Pick<AttemptRecord, 'detail' | 'outcome' | 'status'>,
): string | null {
  if (detail === null || why === undefined) return detail
  if (status !== null) {
    if (status === 410) return why.gone
    return isRedirect(status) ? why.redirect(status) : why.status(status)
  }
  const [, name, address] =
    /^The name (\S+) leads to no/.exec(detail) ??
    /^(\S+) leads to (\S+), which/.exec(detail) ??
    /^()(\S+) is .*: it is not connected to\.$/.exec(detail) ??
    []
  const [, tls, code] =
    /^No secure connection was made: (.*)\.$/s.exec(detail) ??
    /^()The connection .*\((\w+)\)\.$/.exec(detail) ??
    []
  const reason = tls || code
  return why.outcomes[outcome]?.({ name: name ?? '', address: address ?? '', reason: reason ?? '' }) ?? detail
}

export function eventsOf(texts: DeveloperTexts, { events }: EndpointRecord): string {
  return events.includes('*') ? texts.allEvents : events.join(', ')
}

/** A word for the state, marked where somebody should look. */
export function stateBadge(texts: DeveloperTexts, { status, failing_since }: EndpointRecord): string {
  const isFailing = status === 'active' && failing_since !== null
  const word = isFailing ? texts.failing : texts.states[status]
  return html`<span class="badge!${isFailing || status === 'disabled' ? ' off' : ''}">${word}</span>`
}
