/** The log of a webhook: every attempt with its outcome, and buttons to send events again. */

import { html } from 'ghtml'
import type { AttemptRecord } from '../../webhooks/delivery-log.ts'
import { TEST_EVENT } from '../../webhooks/send-test-event.ts'
import type { WebhookRecord } from '../../webhooks/webhook.ts'
import { input, rowList, section } from '../page/parts.ts'
import type { Visit, Words } from '../page/route.ts'
import { pageOf } from './parts.ts'
import { describeOutcome, explainFailure } from './words.ts'

const DAY_MS = 86_400_000

type Log = {
  endpoint: WebhookRecord
  /** One more than is shown, if there are older ones. */
  attempts: readonly AttemptRecord[]
  listed: number
  isOlder: boolean
  /** The typed start of a replay, if it was not a valid time. */
  since: string | undefined
}

export function logPart(visit: Visit, { endpoint, attempts, listed, isOlder, since }: Log): string {
  const { words, session } = visit
  const texts = words.texts.developer
  const shown = attempts.slice(0, listed)
  const last = attempts.length > listed ? shown.at(-1) : undefined
  const at = pageOf(endpoint.id)
  const mayAct = session.role !== 'viewer'
  const list = rowList(shown.map(one => attemptEntry(words, one, mayAct)))
  const ways = [
    isOlder ? html`<a class="alone" href="${at}#log">${texts.newest}</a>` : '',
    last === undefined
      ? ''
      : html`<a class="alone" rel="next" href="${at}?before=${last.id}#log">${texts.older}</a>`,
  ].join(' ')
  const content = html`<p class="quiet">${texts.logLead}</p>
!${shown.length === 0 ? html`<p class="empty">${texts.logNone}</p>` : list}!${ways.trim() === '' ? '' : html`<nav class="pages" aria-label="${texts.log}">!${ways}</nav>`}`
  return html`!${section('log', texts.log, content)}
!${mayAct ? replayForm(visit, endpoint, since) : ''}`
}

function attemptEntry(words: Words, one: AttemptRecord, mayAct: boolean): string {
  const texts = words.texts.developer
  const facts = [
    words.minute(one.at),
    texts.attempt({ n: one.attempt }),
    texts.ms({ n: one.duration_ms }),
    whatNext(words, one),
  ]
  return html`<li id="a-${one.id}" class="attempt"><p class="page-head"><code>${one.event}</code> <span!${one.ok ? '' : ' class="failed"'}>${describeOutcome(words.texts, one)}</span></p>
<p class="quiet">${facts.filter(fact => fact !== '').join(' · ')}</p>
<details class="fold-small"><summary>${texts.more}<span class="sight"> ${texts.details({ event: one.event, time: words.minute(one.at) })}</span></summary>!${details(words, one, mayAct)}</details></li>`
}

/** Nothing follows an attempt that delivered, or a test. */
function whatNext(words: Words, { ok, event, next_attempt_at }: AttemptRecord): string {
  const texts = words.texts.developer
  if (next_attempt_at !== null) return texts.next({ time: words.minute(next_attempt_at) })
  return ok || event === TEST_EVENT ? '' : texts.noNext
}

function details(words: Words, one: AttemptRecord, mayAct: boolean): string {
  const texts = words.texts.developer
  const isTest = one.event === TEST_EVENT
  const resend = html`<form method="post" action="${pageOf(one.webhook_id)}/resend"><button class="second" name="attempt" value="${one.id}">${texts.resend}<span class="sight"> (${one.event}, ${words.minute(one.at)})</span></button></form>`
  return html`<dl class="pairs"><dt>${texts.messageId}</dt><dd><code>${one.event_id}</code></dd></dl>!${answerOf(words, one)}!${mayAct && !isTest ? resend : ''}`
}

/** Escaped text, because the receiver's server wrote it. */
function answerOf(words: Words, attempt: AttemptRecord): string {
  const { texts } = words
  const { answer } = attempt
  const said = explainFailure(words, attempt)
  const why = said === null ? '' : html`<p class="quiet">${said}</p>`
  if (answer === null) return why
  return html`!${why}<p class="quiet">${texts.developer.answer}</p><pre class="answer" dir="ltr" tabindex="0">${answer}</pre>`
}

/** The outcome of a test, at the top of the page. */
export function attemptSummary(words: Words, one: AttemptRecord): string {
  const texts = words.texts.developer
  const result = `${describeOutcome(words.texts, one)} (${texts.ms({ n: one.duration_ms })})`
  return html`<div class="reach!${one.ok ? '' : ' wrong'}" role="status"><p><strong>${texts.testResult({ result })}</strong></p>!${answerOf(words, one)}</div>`
}

function replayForm({ words, setup }: Visit, endpoint: WebhookRecord, since: string | undefined): string {
  const texts = words.texts.developer
  const from = endpoint.failing_since ?? new Date(setup.clock.now().getTime() - DAY_MS).toISOString()
  const field = {
    name: 'since',
    label: texts.replaySince,
    value: since ?? from.slice(0, 16),
    type: 'datetime-local',
  } as const
  const content = html`<p class="quiet">${texts.replayLead}</p>
<form method="post" action="${pageOf(endpoint.id)}/replay" novalidate class="filters">!${input(field, since === undefined ? {} : { since: texts.timeWrong })}<button class="second">${texts.replaySubmit}</button></form>`
  return section('replay', texts.replay, content)
}
