/** The readiness of the account: for each act how many products are complete, and what most of them lack. */
import { html } from 'ghtml'
import { READINESS_STATES, type ReadinessState } from '../../passports/readiness/account-readiness.ts'
import { getRules } from '../../readiness/rules.ts'
import { rowList } from '../page/parts.ts'
import {
  type Outcome,
  PRODUCTS,
  READINESS,
  READINESS_SETTINGS,
  type Visit,
  type Words,
} from '../page/route.ts'
import { getActTexts, getRuleTexts } from '../product-data/rule-texts.ts'
import {
  ACCOUNT_LEVELS,
  type AccountLevel,
  type AccountReport,
  findAccountReport,
  type Gap,
  getAccountReadinessUrl,
  getProductsUrl,
  type SummedAct,
} from './account-acts.ts'
import { describeActState, renderActTitle } from './act-parts.ts'
import { renderDueDays } from './coverage.ts'

const MAX_GAPS_SHOWN = 10

export async function showAccountReadiness(visit: Visit): Promise<Outcome> {
  const { words, session } = visit
  const texts = words.texts.accountReadiness
  const report = await findAccountReport(visit)
  const { acts, computedAt, pending, notConcerned, level } = report
  const isOwner = session.role === 'owner'
  const names = notConcerned.map(({ id, title }) => getActTexts(words, { id, title }).title)
  const links = [
    acts.length === 0
      ? ''
      : html`<li><a class="alone" href="${getAccountReadinessUrl(level, `${READINESS}.csv`)}">${texts.download}</a></li>`,
    isOwner ? html`<li><a class="alone" href="${READINESS_SETTINGS}">${texts.settings}</a></li>` : '',
  ]
  const asOf = computedAt === undefined ? '' : html` ${texts.asOf({ time: words.minute(computedAt) })}`
  const body = html`<h1>${texts.title}</h1><p class="lead">${texts.lead}!${asOf}</p>!${pending === 0 ? '' : html`<p class="reach">${texts.pending({ count: pending })}</p>`}!${renderTabs(words, report)}
!${acts.length === 0 ? renderNone(words, report) : html`<div class="halves">!${acts.map(one => renderAct(words, one, level))}</div>`}
!${names.length === 0 ? '' : html`<p class="after quiet">${texts.notConcerned({ acts: names.join(', ') })}</p>`}<ul class="after no-print">!${links}</ul>
<p class="quiet">${words.texts.readiness.rulesOf({ date: words.date(getRules().version) })}</p>`
  return { title: texts.title, body, isWide: true }
}

/** Only if the account has more than models. */
function renderTabs({ texts }: Words, { level, levels }: AccountReport): string {
  if (level === 'model' && (levels.size === 0 || (levels.size === 1 && levels.has('m')))) return ''
  const shown = (['model', 'batch', 'item', 'all'] as const).filter(
    one => one === level || ACCOUNT_LEVELS[one].some(letter => levels.has(letter)),
  )
  const links = shown.map(one => {
    const current = one === level ? ' aria-current="page"' : ''
    return html`<a href="${getAccountReadinessUrl(one)}"!${current}>${texts.productList.levelTabs[one]}</a>`
  })
  return html`<nav class="ranges" aria-label="${texts.products.level}">!${links}</nav>`
}

function renderNone({ texts }: Words, { levels, pending }: AccountReport): string {
  const { none, noActs } = texts.accountReadiness
  if (pending > 0) return ''
  if (levels.size > 0) return html`<p class="empty">${noActs}</p>`
  return html`<p class="empty">${none} <a class="alone" href="${PRODUCTS}">${texts.products.products}</a></p>`
}

function renderAct(words: Words, one: SummedAct, level: AccountLevel): string {
  const { act, sums, gaps, checks } = one
  const texts = words.texts.accountReadiness
  const share = sums.in_scope === 0 ? 0 : Math.floor((100 * sums.ready) / sums.in_scope) / 100
  const amount =
    sums.in_scope === 0
      ? ''
      : html`<span class="amount">${texts.share({ percent: words.percent(share) })}</span>`
  const bar =
    sums.in_scope === 0
      ? ''
      : html`<meter aria-labelledby="${act.id}" min="0" max="${sums.in_scope}" value="${sums.ready}"></meter>`
  const states = READINESS_STATES.filter(state => sums[state] > 0)
  return html`<section aria-labelledby="${act.id}" class="act"><div class="bars"><div><h2 id="${act.id}">!${renderActTitle(words, { act: act.id, title: act.title })}</h2>!${amount}
<div class="bar">!${bar}</div></div></div><p class="quiet">${describeActState(words, { ...act, ...one })}!${describeExpected(words, one)}</p>!${renderDueDays(words, { act: act.id, due: one.due, due_days: one.due_days })}
!${act.not_modelled === undefined ? '' : html`<p class="quiet">${texts.notWhole}</p>`}<p class="tabs">!${states.map(state => renderState(words, one, state, level))}</p>!${renderNothingAsked(words, sums.nothing_asked)}
!${renderGaps(words, act, gaps, level)}!${renderChecks(words, checks)}</section>`
}

function renderNothingAsked({ texts }: Words, count: number): string {
  return count === 0 ? '' : html`<p class="quiet">${texts.accountReadiness.nothingAsked({ count })}</p>`
}

function describeExpected({ texts }: Words, { act, due }: SummedAct): string {
  const [year] = /\d{4}/.exec(act.expected?.application ?? '') ?? []
  return due !== null || year === undefined ? '' : html`, ${texts.readiness.expected({ time: year })}`
}

function renderState(words: Words, { act, sums }: SummedAct, readiness: ReadinessState, level: AccountLevel) {
  const name = words.texts.accountReadiness.states[readiness]({ count: sums[readiness] })
  return html`<a class="alone" href="${getProductsUrl(level, { readiness, act: act.id })}">${name}</a> `
}

/** Demands of no law yet are closed. */
function renderGaps(
  words: Words,
  { status }: SummedAct['act'],
  gaps: readonly Gap[],
  level: AccountLevel,
): string {
  const texts = words.texts.accountReadiness
  if (gaps.length === 0) return ''
  const lines = gaps.map(gap => {
    const to = getProductsUrl(level, { missing: gap.rule.id })
    const count = texts.products({ count: gap.count })
    return html`<li class="in-line"><a class="row-link" href="${to}">!${renderRuleTitle(words, gap)}</a><span class="quiet">${count}</span></li>`
  })
  if (status !== 'in_force') return renderFold(texts.lacking({ count: lines.length }), rowList(lines))
  const [first, rest] = [lines.slice(0, MAX_GAPS_SHOWN), lines.slice(MAX_GAPS_SHOWN)]
  const more = rest.length === 0 ? '' : renderFold(texts.more({ count: rest.length }), rowList(rest))
  return html`<h3>${texts.gaps}</h3>!${rowList(first)}!${more}`
}

const renderFold = (text: string, content: string): string =>
  html`<details class="fold-small"><summary>${text}</summary>!${content}</details>`

/** No list of products shows them: the filter by a rule is about what is missing. */
function renderChecks(words: Words, checks: readonly Gap[]): string {
  const texts = words.texts.accountReadiness
  if (checks.length === 0) return ''
  const lines = checks.map(
    gap =>
      html`<li class="in-line"><span>!${renderRuleTitle(words, gap)}</span><span class="quiet">${texts.products({ count: gap.check })}</span></li>`,
  )
  const lead = html`<p class="quiet">${words.texts.readiness.checkLead}</p>`
  return renderFold(texts.checks({ count: checks.length }), lead + rowList(lines))
}

function renderRuleTitle(words: Words, { rule }: Gap): string {
  const { title, language } = getRuleTexts(words, rule)
  const number = rule.nr === undefined ? '' : html`<span class="quiet">${rule.nr}</span> `
  return language === undefined
    ? html`!${number}${title}`
    : html`!${number}<span lang="${language}">${title}</span>`
}
