/** The units of a product: listed, issued by pasting their serials, and brought up to date after a correction. */
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { createChildren, type NotIssued, UNIT_LEVELS } from '../../passports/create-children.ts'
import { listPassports, MOST_COUNTED, type Summary } from '../../passports/list.ts'
import { LEVEL_NAME } from '../../passports/record.ts'
import { type JobReport, previewRefresh, refreshPassport } from '../../passports/refresh-job.ts'
import type { State } from '../../passports/state.ts'
import { notice } from '../fields.ts'
import type { Outcome, SignedInVisit } from '../route.ts'
import { type Words, wordsOf } from '../texts.ts'
import { faultSentence } from './faults.ts'
import { PRODUCTS } from './list.ts'
import { type Place, pages, readPlace, sentAs, windowAt } from './pages.ts'
import { contextAndState, nameOf } from './subject.ts'
import { PRODUCT_TEXTS } from './texts.ts'

const A_PAGE = 25
const MOST_ISSUED = 500
const MOST_NAMED = 20

/** The section on a product's page; `goesOn` while a refresh is at work, so that the page looks again. */
export async function unitsPart(
  visit: SignedInVisit,
  ctx: AccountContext,
  state: State,
): Promise<{ html: string; goesOn: boolean }> {
  const { words, session, query } = visit
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const { row } = state
  const place = readPlace(query, 'units')
  const refresh = await previewRefresh(ctx, row.id)
  const job = refresh.job?.finished_at === null ? refresh.job : undefined
  const mayEdit = session.role !== 'viewer'
  const state_ = refreshPart(words, idFromUuid(row.id), { outdated: refresh.outdated, job, mayEdit })
  const found = await refreshFailures(words, refresh.job)
  if (row.level === 'i') {
    const part =
      state_ === ''
        ? ''
        : html`<section aria-labelledby="units"><h2 id="units">${texts.upToDate}</h2>!${state_}!${found}</section>`
    return { html: part, goesOn: job !== undefined }
  }
  const filter = { levels: row.level === 'm' ? (['b', 'i'] as const) : (['i'] as const), parentId: row.id }
  const list = await listPassports(ctx, filter, windowAt(place, A_PAGE), MOST_COUNTED)
  const address = (to: Place) =>
    `${PRODUCTS}/${idFromUuid(row.id)}?${new URLSearchParams(sentAs(to, 'units'))}#units`
  const more = pages(words, { place, found: list, size: A_PAGE, address })
  const total = words.number(list.total)
  const heading = list.totalCapped ? texts.unitsMany(total) : texts.units(list.total, total)
  const issue =
    mayEdit && row.status === 'a'
      ? html`<p><a class="button second" href="${PRODUCTS}/${idFromUuid(row.id)}/units/new">${texts.issue}</a></p>`
      : ''
  const html_ = html`<section aria-labelledby="units"><h2 id="units">${heading}</h2>
!${state_}!${found}!${list.rows.length === 0 ? html`<p class="empty">${texts.noUnits}</p>` : html`<ul class="rows">!${list.rows.map(one => unitRow(words, one))}</ul>`}!${more}!${issue}</section>`
  return { html: html_, goesOn: job !== undefined }
}

function unitRow(words: Words, row: Summary): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const badges = [
    row.outdated ? html` <span class="badge">${texts.outdated}</span>` : '',
    row.status === 'x' ? html` <span class="badge">${texts.statuses.archived}</span>` : '',
  ]
  return html`<li class="in-line"><span><a class="row-link" href="${PRODUCTS}/${idFromUuid(row.id)}">${row.serial ?? row.lot ?? ''}</a>!${badges}</span>
<span class="quiet">${texts.levels[LEVEL_NAME[row.level]]}, ${words.texts.version(row.version_no)}, ${words.date(row.updated_at.toISOString())}</span></li>`
}

type Refreshing = { outdated: number; job: JobReport | undefined; mayEdit: boolean }

function refreshPart(words: Words, id: string, { outdated, job, mayEdit }: Refreshing): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  if (job !== undefined) {
    const all = job.refreshed + outdated
    return html`<div class="progress" role="status"><label for="refresh">${texts.refreshing(words.number(job.refreshed), words.number(all))}</label>
<progress id="refresh" max="${all}" value="${job.refreshed}"></progress></div>`
  }
  if (outdated === 0) return ''
  const button = mayEdit
    ? html`<form method="post" action="${PRODUCTS}/${id}/refresh"><button>${texts.refresh(words.number(outdated))}</button></form>`
    : ''
  return html`<div class="reach"><p>${texts.outdatedUnits(outdated, words.number(outdated))}</p>!${button}</div>`
}

/** Units that the last refresh could not bring up to date, with why. */
function refreshFailures(words: Words, job: JobReport | undefined): string {
  const failed = (job?.failed ?? []) as { id: string; error: string }[]
  if (failed.length === 0) return ''
  const lines = failed
    .slice(0, MOST_NAMED)
    .map(one => html`<li><a href="${PRODUCTS}/${one.id}">${one.id}</a>: ${one.error}</li>`)
  return html`<details class="fold"><summary>${wordsOf(words, PRODUCT_TEXTS).refreshFailed(words.number(failed.length))}</summary><ul>!${lines}</ul></details>`
}

export async function submitRefresh(visit: SignedInVisit): Promise<Outcome> {
  const { ctx, state } = await contextAndState(visit)
  await refreshPassport(ctx, state.row.id)
  return { to: `${PRODUCTS}/${idFromUuid(state.row.id)}#units` }
}

type Sent = { level: string; names: string; problem?: string; errors?: readonly NotIssued[]; done?: number }

export async function showIssue(visit: SignedInVisit): Promise<Outcome> {
  const { state } = await contextAndState(visit)
  return issuePage(visit.words, state, { level: 'item', names: '' })
}

function issuePage(
  words: Words,
  state: State,
  { level, names, problem, errors = [], done = 0 }: Sent,
): Outcome {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const id = idFromUuid(state.row.id)
  const levels = state.row.level === 'm' ? UNIT_LEVELS : (['item'] as const)
  const radio = (one: (typeof UNIT_LEVELS)[number]) =>
    html`<div class="check"><input type="radio" id="level-${one}" name="level" value="${one}"!${one === level ? ' checked' : ''}><label for="level-${one}">${texts.issueLevels[one]}</label></div>`
  const refused = errors.slice(0, MOST_NAMED).map(({ index, error }) => {
    const [detail] = error.details ?? []
    return html`<li>${texts.line(index + 1)}: ${detail === undefined ? error.message : faultSentence(words, detail)}</li>`
  })
  const told =
    errors.length === 0
      ? notice(problem)
      : html`<div class="summary" role="alert" tabindex="-1" autofocus><p>${texts.issuedSome(words.number(done), words.number(errors.length))}</p><ul>!${refused}</ul></div>`
  const body = html`<p class="way"><a class="alone" href="${PRODUCTS}/${id}">${nameOf(words, state)}</a></p><h1>${texts.issue}</h1><p class="lead">${texts.issueLead}</p>!${told}
<form method="post" action="${PRODUCTS}/${id}/units" novalidate class="narrow"><fieldset><legend>${texts.level}</legend>!${levels.map(radio)}</fieldset>
<div class="field"><label for="names">${texts.names}</label><p class="hint" id="names-hint">${texts.namesHint(MOST_ISSUED)}</p>
<textarea id="names" name="names" rows="10" spellcheck="false" autocapitalize="none" aria-describedby="names-hint">
${names}</textarea></div>
<div class="choices"><button>${texts.issueSubmit}</button> <a class="button second" href="${PRODUCTS}/${id}">${texts.cancel}</a></div></form>`
  return { title: texts.issue, body, status: problem !== undefined || errors.length > 0 ? 422 : 200 }
}

/** Lines that could not be issued stay in the form, to be mended and sent again; the others are done. */
export async function submitIssue(visit: SignedInVisit): Promise<Outcome> {
  const { form, words } = visit
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const { ctx, state } = await contextAndState(visit)
  const level = UNIT_LEVELS.find(one => one === form.text('level')) ?? 'item'
  const names = form
    .raw('names')
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '')
  const sent: Sent = { level, names: names.join('\n') }
  if (names.length < 1 || names.length > MOST_ISSUED) {
    return issuePage(words, state, { ...sent, problem: texts.namesHint(MOST_ISSUED) })
  }
  const member = level === 'batch' ? 'lot' : 'serial'
  const units = names.map(name => ({ [member]: name }))
  try {
    const wish = { parentUuid: state.row.id, level, units, bulk: true, strict: false }
    const { created, errors } = await createChildren(ctx, wish)
    if (errors.length === 0) return { to: `${PRODUCTS}/${idFromUuid(state.row.id)}#units` }
    const left = errors.map(({ index }) => names[index] ?? '').join('\n')
    return issuePage(words, state, { level, names: left, errors, done: created.length })
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'not_found') throw error
    return issuePage(words, state, { ...sent, problem: error.message })
  }
}
