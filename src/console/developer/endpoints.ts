/** Webhooks: all members see them, owners create, change and remove them, editors may pause them. */

import { html } from 'ghtml'
import { AppError } from '../../kernel/errors/errors.ts'
import { findUrlError } from '../../kernel/http-out/outbound-url.ts'
import { isOneLine } from '../../kernel/values/characters.ts'
import { EVENT_TYPES } from '../../webhooks/insert-events.ts'
import {
  addWebhook,
  changeWebhook,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
} from '../../webhooks/manage-webhooks.ts'
import { MAX_DELIVERY_ATTEMPTS, RETRY_PERIOD_MS } from '../../webhooks/retry-schedule.ts'
import {
  listWebhooks,
  MAX_DESCRIPTION_LENGTH,
  MAX_WEBHOOKS,
  type WebhookRecord,
} from '../../webhooks/webhook.ts'
import { isFine, type Problems, problemsOf } from '../page/form.ts'
import { described, input, notes, notice, questionPage, renderTick, rowList, summary } from '../page/parts.ts'
import { type ConsolePage, DOCS, type Outcome, type Visit, WEBHOOKS, type Words } from '../page/route.ts'
import { renderText } from '../page/texts.ts'
import { backToDeveloper, backToWebhooks, endpointOf, pageOf } from './parts.ts'
import { shownSecret } from './secrets.ts'
import { describeEvents, describeLastDelivery, renderStateBadge } from './words.ts'

const MAX_URL_LENGTH = 2_048
/** Rounded to half hours. */
const HOURS_TRIED = Math.round(RETRY_PERIOD_MS / 1_800_000) / 2

export async function showWebhooks({ ctx, words, session }: Visit): Promise<Outcome> {
  const texts = words.texts.developer
  const isOwner = session.role === 'owner'
  const add = isOwner ? html`<a class="button" href="${WEBHOOKS}/new">${texts.add}</a>` : ''
  const rows = (await listWebhooks(ctx)).map(one => endpointRow(words, one))
  const body = html`!${backToDeveloper(words)}<div class="page-head"><h1>${texts.webhooks}</h1>!${add}</div>
<p class="lead">${texts.webhooksLead({ attempts: MAX_DELIVERY_ATTEMPTS, hours: HOURS_TRIED })}!${isOwner ? '' : html` ${texts.ownersOnly}`}</p>
!${rows.length === 0 ? html`<p class="empty">${texts.none}</p>` : rowList(rows)}
<p><a class="alone" href="${DOCS}#webhooks">${texts.webhooksDocs}</a></p>`
  return { title: texts.webhooks, body }
}

function endpointRow(words: Words, endpoint: WebhookRecord): string {
  const texts = words.texts.developer
  const { id, url, description, failing_since } = endpoint
  const failing =
    failing_since === null ? '' : html`<dt>${texts.failingSince}</dt><dd>${words.minute(failing_since)}</dd>`
  return html`<li class="key"><div class="key-head"><h2><a class="row-link" href="${pageOf(id)}">${url}</a></h2>!${renderStateBadge(words.texts, endpoint)}</div>
!${description === '' ? '' : html`<p class="described">${description}</p>`}
<dl class="pairs"><dt>${texts.events}</dt><dd>${describeEvents(words.texts, endpoint)}</dd>
<dt>${texts.lastDelivery}</dt><dd>${describeLastDelivery(words, endpoint)}</dd>!${failing}</dl></li>`
}

export const showNewWebhook = ({ words }: Visit): Outcome =>
  formPage(words, { typed: { url: '', description: '', filter: '', events: [] }, problems: {} })

/** `filter` is empty until a person chooses whether all events are sent, or some. */
type EndpointForm = { url: string; description: string; filter: string; events: readonly string[] }
const FILTERS = ['all', 'chosen'] as const

type Filled = { typed: EndpointForm; problems: Problems; id?: string; refusal?: string }

/** The form of a new webhook, or of the existing one with `id`. */
function formPage(words: Words, { typed, problems, id, refusal }: Filled): ConsolePage {
  const texts = words.texts.developer
  const title = id === undefined ? texts.add : texts.changeTitle
  const url = {
    name: 'url',
    label: texts.url,
    hint: texts.urlHint,
    value: typed.url,
    type: 'url',
    maxLength: MAX_URL_LENGTH,
  } as const
  const description = {
    name: 'description',
    label: texts.description,
    hint: texts.descriptionHint,
    value: typed.description,
    maxLength: MAX_DESCRIPTION_LENGTH,
    isOptional: true,
  }
  const labels = {
    url: texts.url,
    description: texts.description,
    filter: texts.filter,
    event: texts.events,
  }
  const at = id === undefined ? WEBHOOKS : pageOf(id)
  const body = html`!${backToWebhooks(words)}<h1>${title}</h1>!${id === undefined ? html`<p class="lead">${texts.addLead}</p>` : ''}
!${notice(refusal)}!${summary(words.texts, problems, labels)}
<form method="post" action="${at}" novalidate class="data">
!${input(url, problems)}!${input(description, problems)}!${filterChoice(words, typed.filter, problems)}!${eventChoice(words, typed.events, problems)}
<div class="choices"><button>${id === undefined ? texts.addSubmit : texts.save}</button>
<a class="button second" href="${at}">${id === undefined ? texts.back : texts.cancel}</a></div></form>`
  return { title, body, status: isFine(problems) && refusal === undefined ? 200 : 422 }
}

function filterChoice(words: Words, chosen: string, problems: Problems): string {
  const texts = words.texts.developer
  const boxes = FILTERS.map(value =>
    renderTick(`filter-${value}`, texts.filters[value], {
      type: 'radio',
      name: 'filter',
      value,
      isOn: value === chosen,
    }),
  )
  return html`<fieldset id="filter" tabindex="-1"!${described({ name: 'filter' }, problems)}><legend>${texts.filter}</legend>!${notes({ name: 'filter' }, problems)}!${boxes}</fieldset>`
}

function eventChoice(words: Words, chosen: readonly string[], problems: Problems): string {
  const texts = words.texts.developer
  const field = { name: 'event' }
  const boxes = EVENT_TYPES.map(
    name =>
      html`<div class="check"><input type="checkbox" id="event-${name}" name="event" value="${name}"!${chosen.includes(name) ? ' checked' : ''}><label for="event-${name}"><code>${name}</code> <span class="quiet line">${texts.eventNames[name] ?? ''}</span></label></div>`,
  )
  return html`<fieldset id="event" tabindex="-1"!${described(field, problems)}><legend>${texts.events}</legend>!${notes(field, problems)}!${boxes}</fieldset>`
}

export async function submitNewWebhook(visit: Visit): Promise<Outcome> {
  const { setup, words } = visit
  const { typed, problems } = readTyped(visit)
  if (!isFine(problems)) return formPage(words, { typed, problems })
  const { secretCipher, outbound } = setup
  try {
    const made = await addWebhook(visit.ctx, { secretCipher, policy: outbound.policy }, inputOf(typed))
    return shownSecret.redirect(visit, made)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation' || error.details !== undefined)
      throw error
    const refusal = words.texts.developer.tooMany({ most: MAX_WEBHOOKS })
    return formPage(words, { typed, problems, refusal })
  }
}

export async function showChange(visit: Visit): Promise<Outcome> {
  const endpoint = await endpointOf(visit)
  const isAll = endpoint.events.includes('*')
  const chosen = { filter: isAll ? 'all' : 'chosen', events: isAll ? [] : endpoint.events }
  return formPage(visit.words, { typed: { ...endpoint, ...chosen }, problems: {}, id: endpoint.id })
}

export async function submitChange(visit: Visit): Promise<Outcome> {
  const { id } = await endpointOf(visit)
  const { typed, problems } = readTyped(visit)
  if (!isFine(problems)) return formPage(visit.words, { typed, problems, id })
  await changeWebhook(visit.ctx, visit.setup.outbound, id, inputOf(typed))
  return { to: pageOf(id) }
}

const inputOf = ({ url, description, filter, events }: EndpointForm) => ({
  url,
  description,
  events: filter === 'all' ? ['*'] : events,
})

function readTyped({ form, setup, words }: Visit): { typed: EndpointForm; problems: Problems } {
  const { errors } = words.texts
  const typed = {
    url: form.text('url'),
    description: form.text('description'),
    filter: form.text('filter'),
    events: form.all('event'),
  }
  const fault = findUrlError(typed.url, setup.outbound.policy)
  const urlProblem =
    fault && renderText(words.texts.developer.urlFaults[fault.name], { host: fault.host ?? '' })
  const problems = problemsOf({
    url: typed.url === '' ? errors.required : urlProblem,
    description: descriptionProblem(words.texts, typed.description),
    filter: FILTERS.some(one => one === typed.filter) ? undefined : errors.choice,
    event: findEventProblem(words.texts, typed),
  })
  return { typed, problems }
}

/** No ticked event never means all of them, and ticked events do not narrow "all". */
function findEventProblem(
  { developer, errors }: Words['texts'],
  { filter, events }: EndpointForm,
): string | undefined {
  const known: readonly string[] = EVENT_TYPES
  if (!events.every(one => known.includes(one))) return errors.choice
  if (filter === 'all') return events.length === 0 ? undefined : developer.eventsTooMuch
  return filter === 'chosen' && events.length === 0 ? developer.eventsMissing : undefined
}

function descriptionProblem({ errors }: Visit['words']['texts'], text: string): string | undefined {
  if (text.length > MAX_DESCRIPTION_LENGTH) return errors.tooLong({ max: MAX_DESCRIPTION_LENGTH })
  return isOneLine(text) ? undefined : errors.characters
}

export async function submitState(visit: Visit): Promise<Outcome> {
  const to = visit.form.text('to')
  const { id } = await endpointOf(visit)
  if (to === 'pause') await pauseWebhook(visit.ctx, id)
  if (to === 'resume') await resumeWebhook(visit.ctx, id)
  return { to: pageOf(id) }
}

export async function showRemove(visit: Visit): Promise<Outcome> {
  const { id, url } = await endpointOf(visit)
  const { removeTitle: title, removeLead, removeSubmit: submit, keep } = visit.words.texts.developer
  const about = html`<p class="lead"><code>${url}</code></p><p>${removeLead}</p>`
  return questionPage({ title, about, action: `${pageOf(id)}/remove`, submit, back: pageOf(id), keep })
}

export async function submitRemove(visit: Visit): Promise<Outcome> {
  const { id } = await endpointOf(visit)
  await removeWebhook(visit.ctx, id)
  return { to: WEBHOOKS }
}
