/** The readiness section of the product page: each act with its bar. */
import { html } from 'ghtml'
import type { PassportState } from '../../passports/core/state.ts'
import { section } from '../page/parts.ts'
import type { Visit, Words } from '../page/route.ts'
import { describeActState, describeQuestion, describeScore, renderActTitle, renderBar } from './act-parts.ts'
import { findReport, getReadinessUrl, type JudgedAct, type UndeterminedAct } from './product-report.ts'

export async function renderReadinessSection(visit: Visit, state: PassportState): Promise<string> {
  const { words } = visit
  const texts = words.texts.readiness
  const to = getReadinessUrl(state.row)
  const { judged, undetermined } = await findReport(visit, state)
  const lines = [
    ...judged.map(act => renderAct(words, act, to)),
    ...undetermined.map(act => renderUndetermined(words, state.row.category, act, to)),
  ]
  if (lines.length === 0) return section('readiness', texts.title, html`<p class="quiet">${texts.noActs}</p>`)
  const content = html`<dl class="bars">!${lines}</dl><p><a class="button second" href="${to}">${texts.see}</a></p>`
  return section('readiness', texts.title, content)
}

const renderAct = (words: Words, act: JudgedAct, to: string): string =>
  html`<div><dt><a id="bar-${act.act}" href="${to}#${act.act}">!${renderActTitle(words, act)}</a> <span class="quiet line">${describeActState(words, act)}</span></dt>
<dd class="amount">${describeScore(words, act)}</dd><dd class="bar">!${renderBar(act, `bar-${act.act}`)}</dd></div>`

const renderUndetermined = (words: Words, category: string, act: UndeterminedAct, to: string): string =>
  html`<div><dt><a href="${to}#${act.act}">!${renderActTitle(words, act)}</a> <span class="quiet line">${describeQuestion(words, category, act).question}</span></dt></div>`
