/** The page of one webhook: its state, its actions and its log. */

import { html } from 'ghtml'
import { AppError } from '../../kernel/errors/errors.ts'
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import { listAttempts, replayFailed, resendDelivery } from '../../webhooks/delivery-log.ts'
import { sendTestEvent } from '../../webhooks/send-test-event.ts'
import type { WebhookRecord } from '../../webhooks/webhook.ts'
import { doneNotice, facts, notice, section } from '../page/parts.ts'
import { DOCS, type Outcome, type Visit, type Words } from '../page/route.ts'
import { attemptSummary, logPart } from './log-part.ts'
import { backToWebhooks, endpointOf, pageOf } from './parts.ts'
import { describeEvents, describeLastDelivery, renderStateBadge } from './words.ts'

const LISTED = 20

type Note = { status?: number; html: string; replaySince?: string }

export const showWebhook = (visit: Visit): Promise<Outcome> => webhookPage(visit, noteOf(visit))

/** The notice for the action that the query names, after a redirect. */
function noteOf({ query, words, id }: Visit): Note | undefined {
  const texts = words.texts.developer
  const resent = query.get('resent')
  if (resent === 'held') return { html: doneNotice(texts.resentHeld) }
  if (resent !== null) return { html: renderSending(words, texts.resent, id) }
  const replayed = query.get('replayed') ?? ''
  if (!/^\d{1,9}$/.test(replayed)) return undefined
  const count = Number(replayed)
  if (query.has('held')) return { html: doneNotice(texts.replayedHeld({ count })) }
  if (count === 0) return { html: doneNotice(texts.replayedNone) }
  return { html: renderSending(words, texts.replayed({ count }), id) }
}

/** The page is older than the result: the state on it can be that of before. */
const renderSending = ({ texts }: Words, sentence: string, id: string) =>
  html`<p class="reach" role="status">${sentence} ${texts.developer.resultLater} <a class="alone" href="${pageOf(id)}">${texts.developer.showResult}</a></p>`

export async function webhookPage(visit: Visit, note: Note | undefined): Promise<Outcome> {
  const { ctx, words, session, query } = visit
  const endpoint = await endpointOf(visit)
  const before = query.get('before') ?? undefined
  // One more than shown, to know whether there are older ones.
  const attempts = await listAttempts(ctx, {
    webhookId: endpoint.id,
    limit: LISTED + 1,
    ...(before === undefined ? {} : { before }),
  })
  const tested = attempts.find(one => one.id === query.get('tested'))
  const { role } = session
  const body = html`!${backToWebhooks(words)}<div class="page-head"><h1 class="address">${endpoint.url}</h1>!${renderStateBadge(words.texts, endpoint)}</div>
!${note?.html ?? ''}!${tested === undefined ? '' : attemptSummary(words, tested)}!${standing(words, endpoint)}
!${renderFacts(words, endpoint)}!${role === 'viewer' ? '' : actions(words, endpoint, role === 'owner')}
!${role === 'owner' ? secret(words, endpoint) : ''}
!${logPart(visit, { endpoint, attempts, listed: LISTED, isOlder: before !== undefined, since: note?.replaySince })}`
  return { title: endpoint.url, body, status: note?.status ?? 200 }
}

/** Explains why an endpoint gets nothing. */
function standing(words: Words, endpoint: WebhookRecord): string {
  const texts = words.texts.developer
  const { status, disabled_reason, failing_since, left_in_peace_until } = endpoint
  if (status === 'disabled')
    return html`<p class="reach wrong">${texts.offLead({ reason: texts.reasons[disabled_reason ?? 'failing'] })}</p>`
  if (status === 'paused') return html`<p class="reach">${texts.pausedLead}</p>`
  if (failing_since === null) return ''
  const peace =
    left_in_peace_until && html` ${texts.leftInPeace({ until: words.minute(left_in_peace_until) })}`
  return html`<p class="reach wrong">${texts.failingLead({ since: words.minute(failing_since) })}!${peace ?? ''}</p>`
}

function renderFacts(words: Words, endpoint: WebhookRecord): string {
  const texts = words.texts.developer
  const { description, created_at } = endpoint
  return facts([
    ...(description === '' ? [] : [[texts.description, description] as const]),
    [texts.events, describeEvents(words.texts, endpoint)],
    [texts.lastDelivery, describeLastDelivery(words, endpoint)],
    [texts.created, words.date(created_at)],
  ])
}

function actions(words: Words, { id, status }: WebhookRecord, isOwner: boolean): string {
  const texts = words.texts.developer
  const [to, text] =
    status === 'active'
      ? ['pause', texts.pause]
      : ['resume', status === 'paused' ? texts.resume : texts.switchOn]
  const ways = isOwner
    ? html` <a class="button second" href="${pageOf(id)}/edit">${texts.change}</a> <a class="button second" href="${pageOf(id)}/remove">${texts.remove}</a>`
    : ''
  return html`<div class="choices"><form method="post" action="${pageOf(id)}/test"><button>${texts.test}</button></form>
<form method="post" action="${pageOf(id)}/state"><button class="second" name="to" value="${to}">${text}</button></form>!${ways}</div>
<p class="hint below">${texts.testHint}</p>`
}

function secret(words: Words, { id, old_secret_until, old_secret_signs }: WebhookRecord): string {
  const texts = words.texts.developer
  const until = old_secret_until === null ? '' : words.minute(old_secret_until)
  const overlap =
    old_secret_until === null
      ? ''
      : html`<p class="reach">${old_secret_signs ? texts.overlap({ until }) : texts.activated({ until })}</p>`
  const activate = old_secret_signs
    ? html`<form method="post" action="${pageOf(id)}/activate"><button>${texts.activate}</button></form> `
    : ''
  const content = html`<p>${texts.secretLead} <a href="${DOCS}#webhooks">${texts.webhooksDocs}</a></p>!${overlap}
<div class="choices">!${activate}<a class="button second" href="${pageOf(id)}/rotate">${texts.rotate}</a></div>`
  return section('secret', texts.secret, content)
}

export async function submitTest(visit: Visit): Promise<Outcome> {
  const { id, webhook_id } = await sendTestEvent(visit.ctx, visit.setup, visit.id)
  return { to: `${pageOf(webhook_id)}?tested=${id}` }
}

export async function submitResend(visit: Visit): Promise<Outcome> {
  const { id } = await endpointOf(visit)
  try {
    const { webhook_status } = await resendDelivery(visit.ctx, visit.form.text('attempt'))
    return { to: `${pageOf(id)}?resent=${webhook_status === 'active' ? 'sent' : 'held'}` }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error
    return webhookPage(visit, { status: 422, html: notice(visit.words.texts.developer.nothingToResend) })
  }
}

export async function submitReplay(visit: Visit): Promise<Outcome> {
  const { id } = await endpointOf(visit)
  const typed = visit.form.text('since')
  const since = readTime(typed)
  if (since === undefined) {
    const sentence = visit.words.texts.developer.timeWrong
    return webhookPage(visit, { status: 422, html: notice(sentence), replaySince: typed })
  }
  const { replayed, held } = await replayFailed(visit.ctx, { webhookId: id, since })
  return { to: `${pageOf(id)}?replayed=${replayed}${held === 0 ? '' : '&held'}` }
}

/** Browsers send a day and a time without a zone; here it is UTC, as on every page. */
function readTime(text: string): Date | undefined {
  const [, minute] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::\d\d(?:\.\d{1,3})?)?$/.exec(text) ?? []
  return minute === undefined ? undefined : parseDateTime(minute)
}
