/**
 * Draws the demands of acts on a draft: a bar for each, with a form for all gaps, and the gaps one by one.
 */
import { html } from 'ghtml'
import type { JudgedDraft } from '../../passports/drafts/draft.ts'
import type { ReadinessReport } from '../../passports/readiness/report-passport.ts'
import { rowList, section } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { getRuleTexts } from '../product-data/rule-texts.ts'
import {
  describeActState,
  describeQuestion,
  describeScore,
  renderActTitle,
  renderBar,
} from '../readiness/act-parts.ts'
import { describeNothing, renderNotWhole } from '../readiness/coverage.ts'
import { type JudgedAct, listFillable, sortActs } from '../readiness/product-report.ts'
import { getDraftUrl } from './requested-draft.ts'

type DraftActs = { acts: ReadinessReport['acts']; judged: JudgedDraft; mayEdit: boolean }

export function renderDraftActs(words: Words, { acts, judged, mayEdit }: DraftActs): string {
  const { category } = judged
  const lines = sortActs(acts).flatMap(act => {
    if ('scope' in act) return [renderAct(words, act, judged, mayEdit)]
    if (!('undetermined' in act)) return []
    const { question } = describeQuestion(words, category, act)
    return [html`<h3>!${renderActTitle(words, act)}</h3><p class="quiet">${question}</p>`]
  })
  const texts = words.texts.readiness
  return section(
    'readiness',
    texts.title,
    lines.length === 0 ? html`<p class="quiet">${texts.noActs}</p>` : lines,
  )
}

function renderAct(words: Words, act: JudgedAct, draft: JudgedDraft, mayEdit: boolean): string {
  const texts = words.texts.readiness
  const fillable = mayEdit ? listFillable(draft.planned.level, act) : []
  const at = getDraftUrl(draft)
  const fill =
    fillable.length === 0
      ? ''
      : html`<p><a class="button second" href="${at}/edit?${new URLSearchParams({ act: act.act })}">${texts.fillAll({ count: fillable.length })}<span class="sight">: !${renderActTitle(words, act)}</span></a></p>`
  const open = act.rules.filter(({ outcome }) => outcome === 'missing' || outcome === 'partial')
  const rules = open.map(rule => {
    const { question, title, language } = getRuleTexts(words, rule)
    return html`<li class="rule"!${language === undefined ? '' : html` lang="${language}"`}><p>${question}</p><p class="hint">${[title, ...rule.source].join(' · ')}</p></li>`
  })
  const list =
    rules.length === 0
      ? html`<p class="quiet">${describeNothing(words, act)}</p>`
      : html`<details class="fold-small"><summary>${texts.groupCount({ group: texts.groups.missing, n: rules.length })}</summary>!${rowList(rules)}</details>`
  return html`<section class="act" aria-labelledby="${act.act}"><div class="bars"><div><h3 id="${act.act}">!${renderActTitle(words, act)}</h3><span class="amount">${describeScore(words, act)}</span>
<div class="bar">!${renderBar(act, act.act)}</div></div></div><p class="quiet">${describeActState(words, act)}</p>!${renderNotWhole(words, act)}!${fill}!${list}</section>`
}
