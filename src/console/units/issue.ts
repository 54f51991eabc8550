/** The units of a product: the list, and the page that issues units from pasted numbers. */

import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/account/context.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { LEVEL_NAME } from '../../passports/core/record.ts'
import type { RowRejection } from '../../passports/core/row-problems.ts'
import type { PassportState } from '../../passports/core/state.ts'
import { listPassports, MAX_COUNTED, type PassportSummary } from '../../passports/read/list.ts'
import { countUnitsUnder } from '../../passports/read/list-units.ts'
import { issueUnits, UNIT_LEVELS } from '../../passports/units/issue-units.ts'
import type { Problems } from '../page/form.ts'
import { onceInput, runOnce } from '../page/once.ts'
import { alertBox, described, notes, notice, renderTick, rowList, section, summary } from '../page/parts.ts'
import {
  type ConsolePage,
  type Outcome,
  PRODUCTS,
  type Redirect,
  type Visit,
  type Words,
} from '../page/route.ts'
import { findText } from '../page/texts.ts'
import {
  type PagePosition,
  parsePagePosition,
  renderPagination,
  toPageParameters,
  toWindow,
} from '../product-data/pagination.ts'
import { explainProblem } from '../product-data/problem-sentence.ts'
import {
  backToProduct,
  getDoneUrl,
  getProductUrl,
  getRequestedProduct,
  renderDoneNotice,
} from '../product-data/product.ts'

const PAGE_SIZE = 25
const MAX_ISSUED = 500
const MAX_LISTED_ERRORS = 20
const MAX_LISTED_LENGTH = 40

/** The units section of the product page; '' for an item, which has no units. */
export async function renderUnitsSection(
  { ctx, words, session, query }: Visit,
  { row }: PassportState,
): Promise<string> {
  const texts = words.texts.units
  if (row.level === 'i') return ''
  const place = parsePagePosition(query, 'units')
  const mayEdit = session.role !== 'viewer'
  const done = renderDoneNotice(words, query, ['issued'])
  const filter = { levels: row.level === 'm' ? (['b', 'i'] as const) : (['i'] as const), parentId: row.id }
  const [list, { batches, items }] = await Promise.all([
    listPassports(ctx, filter, toWindow(place, PAGE_SIZE), MAX_COUNTED),
    countUnitsUnder(ctx, row, MAX_COUNTED),
  ])
  const address = (to: PagePosition) =>
    `${getProductUrl(row)}?${new URLSearchParams(toPageParameters(to, 'units'))}#units`
  const more = renderPagination(words, { place, found: list, size: PAGE_SIZE, address })
  const all = batches + items
  const isMany = list.totalCapped || all > MAX_COUNTED
  const known = all === 0 ? texts.title : texts.units({ count: all })
  const heading = isMany ? texts.unitsMany({ count: MAX_COUNTED }) : known
  const here =
    isMany || list.total === all ? '' : html`<p class="quiet">${texts.unitsHere({ here: list.total })}</p>`
  const issue =
    mayEdit && row.status === 'a'
      ? html`<p><a class="button second" href="${getProductUrl(row)}/units/new">${texts.issue}</a></p>`
      : ''
  const content = html`
!${done}!${here}!${list.rows.length === 0 ? html`<p class="empty">${texts.noUnits}</p>` : rowList(list.rows.map(one => renderUnitRow(words, one)))}!${more}!${issue}`
  return section('units', heading, content)
}

function renderUnitRow(words: Words, row: PassportSummary): string {
  const texts = words.texts.products
  const badges = [
    row.outdated ? html` <span class="badge">${texts.outdated}</span>` : '',
    row.status === 'x' ? html` <span class="badge">${texts.statuses.archived}</span>` : '',
  ]
  return html`<li class="in-line"><span><a class="row-link" href="${getProductUrl(row)}">${row.serial ?? row.lot ?? ''}</a>!${badges}</span>
<span class="quiet">${texts.levels[LEVEL_NAME[row.level]]}, ${words.texts.page.version({ n: row.version_no })}, ${words.date(row.updated_at.toISOString())}</span></li>`
}

/** `lines`: the lines still in the form; `errors`: one for each of them, in the same order. */
type IssueState = {
  level: (typeof UNIT_LEVELS)[number]
  lines: readonly string[]
  problems?: Problems
  problem?: string
  errors?: readonly RowRejection[]
  done?: number
}

export async function showIssue(visit: Visit): Promise<Outcome> {
  const state = await getRequestedProduct(visit)
  return (
    renderClosedPage(visit.words, state) ?? renderIssuePage(visit.words, state, { level: 'item', lines: [] })
  )
}

/** The page shown instead of the form if no unit can be issued. */
function renderClosedPage(words: Words, state: PassportState): ConsolePage | undefined {
  const texts = words.texts.units
  const { level, status } = state.row
  if (level !== 'i' && status === 'a') return undefined
  const why = level === 'i' ? texts.issueItem : texts.issueArchived
  return { title: texts.issue, body: html`!${renderHead(words, state)}!${notice(why)}`, status: 409 }
}

const renderHead = (words: Words, state: PassportState) =>
  html`!${backToProduct(words, state)}<h1>${words.texts.units.issue}</h1>`

function renderIssuePage(words: Words, state: PassportState, sent: IssueState): ConsolePage {
  const { level, lines, problems = {}, problem, errors = [] } = sent
  const texts = words.texts.units
  const id = idFromUuid(state.row.id)
  const levels = state.row.level === 'm' ? UNIT_LEVELS : (['item'] as const)
  const radio = (one: (typeof UNIT_LEVELS)[number]) =>
    renderTick(`level-${one}`, texts.issueLevels[one], {
      type: 'radio',
      name: 'level',
      value: one,
      isOn: one === level,
    })
  const told =
    errors.length === 0
      ? notice(problem) + summary(words.texts, problems, { names: texts.names })
      : renderIssueErrors(words, sent)
  const field = { name: 'names', hint: texts.namesHint({ most: MAX_ISSUED }) }
  const body = html`!${renderHead(words, state)}<p class="lead">${texts.issueLead}</p>!${told}
<form method="post" action="${PRODUCTS}/${id}/units" novalidate class="narrow">!${onceInput()}<fieldset><legend>${words.texts.products.level}</legend>!${levels.map(radio)}</fieldset>
<div class="field"><label for="names">${texts.names}</label>!${notes(field, problems)}
<textarea id="names" name="names" rows="10" spellcheck="false" autocapitalize="none"!${described(field, problems)}>
${lines.join('\n')}</textarea></div>
<div class="choices"><button>${texts.issueSubmit}</button> <a class="button second" href="${PRODUCTS}/${id}">${words.texts.products.cancel}</a></div></form>`
  return { title: texts.issue, body, status: told === '' ? 200 : 422 }
}

/** Lists failed lines by their line number in the form as it is now. */
function renderIssueErrors(words: Words, { level, lines, errors = [], done = 0 }: IssueState): string {
  const texts = words.texts.units
  const refused = errors
    .slice(0, MAX_LISTED_ERRORS)
    .map(
      ({ error }, place) =>
        html`<li>${texts.line({ n: place + 1, name: (lines[place] ?? '').slice(0, MAX_LISTED_LENGTH) })}: ${explainUnitError(words, level, error)}</li>`,
    )
  const more = errors.length - refused.length
  if (more > 0) refused.push(html`<li>${texts.andMore({ count: more })}</li>`)
  return alertBox(html`<p>${texts.issuedSome({ done, left: errors.length })}</p><ul>!${refused}</ul>`)
}

function explainUnitError(words: Words, level: IssueState['level'], error: AppError): string {
  const texts = words.texts.units
  if (error.code === 'plan_limit') return texts.unitQuota[level]
  const [detail] = error.details ?? []
  if (detail === undefined) return error.message
  return findText(texts.unitFaults, detail.code) ?? explainProblem(words, detail)
}

/** Issues one unit per line. Failed lines stay in the form to be corrected and submitted again. */
export async function submitIssue(visit: Visit): Promise<Outcome> {
  const { form, words } = visit
  const texts = words.texts.units
  const state = await getRequestedProduct(visit)
  const closed = renderClosedPage(words, state)
  if (closed !== undefined) return closed
  const level = UNIT_LEVELS.find(one => one === form.text('level')) ?? 'item'
  const lines = form
    .raw('names')
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '')
  const sent: IssueState = { level, lines }
  if (lines.length === 0)
    return renderIssuePage(words, state, { ...sent, problems: { names: texts.noNames } })
  if (lines.length > MAX_ISSUED) {
    const names = texts.tooManyNames({ count: lines.length, most: MAX_ISSUED })
    return renderIssuePage(words, state, { ...sent, problems: { names } })
  }
  try {
    return await runOnce(visit, ctx => issueLines(ctx, words, state, sent))
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'not_found') throw error
    const problem = error.code === 'archived' ? texts.issueArchived : error.message
    return renderIssuePage(words, state, { ...sent, problem })
  }
}

async function issueLines(
  ctx: AccountContext,
  words: Words,
  state: PassportState,
  { level, lines }: IssueState,
): Promise<ConsolePage | Redirect> {
  const member = level === 'batch' ? 'lot' : 'serial'
  const units = lines.map(name => ({ [member]: name }))
  const wish = { parentUuid: state.row.id, level, units, bulk: true, strict: false }
  const { created, errors } = await issueUnits(ctx, wish)
  if (errors.length === 0) return { to: `${getDoneUrl(state.row, 'issued', created.length)}#units` }
  const left = errors.map(({ index }) => lines[index] ?? '')
  return renderIssuePage(words, state, { level, lines: left, errors, done: created.length })
}
