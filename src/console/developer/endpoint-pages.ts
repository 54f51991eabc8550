/** How the list of webhooks, their form and the question before removing one look. */
import { html } from 'ghtml'
import type { Role } from '../../accounts/people/people.ts'
import { type EndpointRecord, MAX_DESCRIPTION_LENGTH } from '../../webhooks/endpoint.ts'
import { EVENT_TYPES } from '../../webhooks/insert-events.ts'
import { MAX_DELIVERY_ATTEMPTS, RETRY_PERIOD_MS } from '../../webhooks/retry-schedule.ts'
import { DOCS, WEBHOOKS } from '../page/addresses.ts'
import { described, input, notes, notice, summary } from '../page/fields.ts'
import { isFine, type Problems } from '../page/form.ts'
import type { ConsolePage } from '../page/route.ts'
import type { Words } from '../page/words.ts'
import { backToDeveloper, backToWebhooks } from './places.ts'
import { pageOf } from './subject.ts'
import { describeEvents, describeOutcome, renderStateBadge } from './words.ts'

const MOST_URL = 2_048
/** To the half hour. */
const HOURS_TRIED = Math.round(RETRY_PERIOD_MS / 1_800_000) / 2

export function endpointsPage(words: Words, endpoints: readonly EndpointRecord[], role: Role): ConsolePage {
  const texts = words.texts.developer
  const add = role === 'owner' ? html`<a class="button" href="${WEBHOOKS}/new">${texts.add}</a>` : ''
  const rows = endpoints.map(one => endpointRow(words, one))
  const body = html`!${backToDeveloper(words)}<div class="page-head"><h1>${texts.webhooks}</h1>!${add}</div>
<p class="lead">${texts.webhooksLead({ attempts: words.number(MAX_DELIVERY_ATTEMPTS), hours: words.number(HOURS_TRIED) })}!${role === 'owner' ? '' : html` ${texts.ownersOnly}`}</p>
!${rows.length === 0 ? html`<p class="empty">${texts.none}</p>` : html`<ul class="rows">!${rows}</ul>`}
<p><a class="alone" href="${DOCS}#webhooks">${texts.webhooksDocs}</a></p>`
  return { title: texts.webhooks, body }
}

function endpointRow(words: Words, endpoint: EndpointRecord): string {
  const texts = words.texts.developer
  const { id, url, description, last_delivery, failing_since } = endpoint
  const last =
    last_delivery === null
      ? texts.never
      : `${words.minute(last_delivery.at)}, ${describeOutcome(words.texts, last_delivery)}`
  const failing =
    failing_since === null ? '' : html`<dt>${texts.failingSince}</dt><dd>${words.minute(failing_since)}</dd>`
  return html`<li class="key"><div class="key-head"><h2><a class="row-link" href="${pageOf(id)}">${url}</a></h2>!${renderStateBadge(words.texts, endpoint)}</div>
!${description === '' ? '' : html`<p class="described">${description}</p>`}
<dl class="pairs"><dt>${texts.events}</dt><dd>${describeEvents(words.texts, endpoint)}</dd>
<dt>${texts.lastDelivery}</dt><dd>${last}</dd>!${failing}</dl></li>`
}

export type EndpointForm = { url: string; description: string; events: readonly string[] }
type Filled = { typed: EndpointForm; problems: Problems; id?: string; refusal?: string }

/** The form of a new webhook, or of the one with the id. */
export function endpointFormPage(words: Words, { typed, problems, id, refusal }: Filled): ConsolePage {
  const texts = words.texts.developer
  const title = id === undefined ? texts.add : texts.changeTitle
  const url = {
    name: 'url',
    label: texts.url,
    hint: texts.urlHint,
    value: typed.url,
    type: 'url',
    autocomplete: 'off',
    maxLength: MOST_URL,
  } as const
  const description = {
    name: 'description',
    label: texts.description,
    hint: texts.descriptionHint,
    value: typed.description,
    autocomplete: 'off',
    maxLength: MAX_DESCRIPTION_LENGTH,
    isOptional: true,
  }
  const labels = {
    url: texts.url,
    description: texts.description,
    event: texts.events,
  }
  const body = html`!${backToWebhooks(words)}<h1>${title}</h1>!${id === undefined ? html`<p class="lead">${texts.addLead}</p>` : ''}
!${notice(refusal)}!${summary(words.texts, problems, labels)}
<form method="post" action="${id === undefined ? WEBHOOKS : pageOf(id)}" novalidate class="data">
!${input(url, problems)}!${input(description, problems)}!${eventChoice(words, typed.events, problems)}
<div class="choices"><button>${id === undefined ? texts.addSubmit : texts.save}</button>
<a class="button second" href="${id === undefined ? WEBHOOKS : pageOf(id)}">${id === undefined ? texts.back : texts.cancel}</a></div></form>`
  return { title, body, status: isFine(problems) && refusal === undefined ? 200 : 422 }
}

function eventChoice(words: Words, chosen: readonly string[], problems: Problems): string {
  const texts = words.texts.developer
  const field = { name: 'event', hint: texts.eventsHint }
  const boxes = EVENT_TYPES.map(
    name =>
      html`<div class="check"><input type="checkbox" id="event-${name}" name="event" value="${name}"!${chosen.includes(name) ? ' checked' : ''}><label for="event-${name}"><code>${name}</code> <span class="quiet line">${texts.eventNames[name] ?? ''}</span></label></div>`,
  )
  return html`<fieldset id="event" tabindex="-1"!${described(field, problems).join('')}><legend>${texts.events}</legend>!${notes(field, problems)}!${boxes}</fieldset>`
}

export function renderEndpointRemoval(words: Words, { id, url }: EndpointRecord): ConsolePage {
  const texts = words.texts.developer
  const body = html`<h1>${texts.removeTitle}</h1><p class="lead"><code>${url}</code></p><p>${texts.removeLead}</p>
<form method="post" action="${pageOf(id)}/remove" class="choices">
<button class="danger">${texts.removeSubmit}</button> <a class="button second" href="${pageOf(id)}">${texts.keep}</a></form>`
  return { title: texts.removeTitle, body }
}
