/** How an endpoint and what became of a delivery are put into words. */
import { html } from 'ghtml'
import type { AttemptRecord } from '../../webhooks/deliveries.ts'
import type { EndpointRecord } from '../../webhooks/endpoint.ts'
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

export function eventsOf(texts: DeveloperTexts, { events }: EndpointRecord): string {
  return events.includes('*') ? texts.allEvents : events.join(', ')
}

/** A word for the state, marked where somebody should look. */
export function stateBadge(texts: DeveloperTexts, { status, failing_since }: EndpointRecord): string {
  const isFailing = status === 'active' && failing_since !== null
  const word = isFailing ? texts.failing : texts.states[status]
  return html`<span class="badge!${isFailing || status === 'disabled' ? ' off' : ''}">${word}</span>`
}
