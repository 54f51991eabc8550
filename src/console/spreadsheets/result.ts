/** The result of a check or an import: counts, changes, rows with errors, and the next steps. */

import { html } from 'ghtml'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import type { NameNote } from '../../transfer/spreadsheets/columns/name-notes.ts'
import {
  type ChangedProduct,
  type ErrorGroup,
  type ErrorOverview,
  RESULTS_PER_PAGE,
  type RejectedRow,
} from '../../transfer/spreadsheets/import/import-results.ts'
import type { FieldChange } from '../../transfer/spreadsheets/import/product-changes.ts'
import type { CheckNotes } from '../../transfer/spreadsheets/import/row-warnings.ts'
import type { SpreadsheetImport } from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import { notice, rowList, section, wideTable } from '../page/parts.ts'
import { DRAFTS, IMPORT, type Outcome, PRODUCTS, type Words } from '../page/route.ts'
import { renderText } from '../page/texts.ts'
import { getValueLabel } from '../product-data/labels.ts'
import { renderMarkedTexts, renderWarnings } from './check-notes.ts'
import { renderIncompleteRows, renderKeepButton } from './incomplete-rows.ts'
import {
  findStoredColumn,
  getStoredName,
  renderNewProducts,
  renderSameValues,
  renderStoredValue,
} from './new-products.ts'
import {
  explainRowError,
  formatErrorLocation,
  getImportUrl,
  getPathLabel,
  renderImportHead,
} from './words.ts'

export type ResultPageInput = {
  overview: ErrorOverview
  /** How many more drafts the account may have, if rows can become drafts. */
  draftRoom: number
  /** Notes for a person about rows that are imported all the same. */
  checkNotes: CheckNotes
  /** How many pictures the import would fetch. */
  pictures: number
  names: readonly NameNote[]
  /** Rows with errors of one group, or of all. */
  bad: readonly RejectedRow[]
  group: string | undefined
  page: number
  changes: readonly ChangedProduct[]
  newProducts: readonly ChangedProduct[]
  changesPage: number
  /** Rows that were imported without some picture. */
  notes: { count: number; rows: readonly RejectedRow[] }
  notesPage: number
  problem?: string
}

export function renderResultPage(
  words: Words,
  sheet: SpreadsheetImport,
  title: string,
  result: ResultPageInput,
): Outcome {
  const texts = words.texts.spreadsheets
  const names = sheet.state === 'checked' ? texts.outcomes.will : texts.outcomes.has
  const hasDrafts = sheet.state !== 'checked' && sheet.settings.asDrafts === true
  const counts = (
    ['created', 'updated', 'unchanged', ...(hasDrafts ? (['drafted'] as const) : []), 'failed'] as const
  ).map(one => html`<div><dt>${names[one]}</dt><dd>${words.number(sheet[one])}</dd></div>`)
  const body = html`!${renderImportHead(words, sheet, title)}!${notice(result.problem)}<dl class="facts counts">!${counts}</dl>!${renderQuotaNote(words, sheet, result.overview)}!${renderPicturesNote(words, result)}!${renderNames(words, result)}!${sheet.state === 'checked' ? renderSameValues(words, sheet) : ''}!${renderNewProducts(words, sheet, result.newProducts)}!${renderChanges(words, sheet, result)}!${renderWarnings(words, sheet, result.checkNotes)}!${renderMarkedTexts(words, sheet, result.checkNotes)}!${renderIncompleteRows(words, sheet, result)}!${renderNextSteps(words, sheet, result)}!${renderNotes(words, sheet, result)}!${renderBadRows(words, sheet, result)}`
  return { title, body, isWide: true, status: result.problem === undefined ? 200 : 422 }
}

function renderQuotaNote(words: Words, sheet: SpreadsheetImport, { overQuota }: ErrorOverview): string {
  if (overQuota === 0) return ''
  const { quota } = words.texts.spreadsheets
  return html`<p class="reach">${quota({ fits: sheet.created, all: sheet.created + overQuota, count: overQuota })}</p>`
}

function renderPicturesNote(words: Words, { pictures }: ResultPageInput): string {
  return pictures === 0
    ? ''
    : html`<p class="reach">${words.texts.spreadsheets.toFetch({ count: pictures })}</p>`
}

/** Names that were recognised, and unknown fibres, which are published as written. */
function renderNames(words: Words, { names }: ResultPageInput): string {
  if (names.length === 0) return ''
  const texts = words.texts.spreadsheets
  const lines = names.toSorted(compareKinds).map(({ path, text, code, kind }) => {
    const called = code === null ? '' : getKnownName(words, path, code)
    return html`<li><strong>${text}</strong> <span class="quiet">${getPathLabel(words, path)}: ${renderText(texts.nameKinds[kind], { name: called })}</span></li>`
  })
  const isOpen = names.some(({ kind }) => kind !== 'exact')
  return html`<details!${isOpen ? ' open' : ''}><summary>${texts.names({ count: names.length })}</summary>!${rowList(lines)}</details>`
}

/** Possible mistakes first. */
const KIND_ORDER: readonly NameNote['kind'][] = ['similar', 'unknown', 'exact']
const compareKinds = (a: NameNote, b: NameNote) => KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind)

const getKnownName = (words: Words, path: string, code: string): string =>
  findLabel(getLabels(words.language), 'fibres', code) ?? getValueLabel(words, path, code)

function renderNextSteps(words: Words, sheet: SpreadsheetImport, { draftRoom }: ResultPageInput): string {
  const texts = words.texts.spreadsheets
  const at = getImportUrl(sheet)
  if (sheet.state !== 'checked') {
    const drafts =
      sheet.settings.asDrafts === true && sheet.drafted > 0
        ? html`<a class="button second" href="${DRAFTS}">${texts.toDrafts}</a> `
        : ''
    return html`<p class="choices"><a class="button" href="${PRODUCTS}">${texts.toProducts}</a> !${drafts}<a class="button second" href="${IMPORT}">${texts.another}</a></p>`
  }
  const n = sheet.created + sheet.updated
  const keep = renderKeepButton(words, sheet, draftRoom)
  const run = n === 0 ? '' : html`<button>${texts.run({ count: n })}</button> `
  const confirm =
    sheet.updated === 0
      ? ''
      : html`<p class="check"><input type="checkbox" id="confirm" name="confirm" value="yes"><label for="confirm">${texts.confirm({ count: sheet.updated })}</label></p>`
  return html`!${n === 0 && keep === '' ? html`<p>${texts.nothingToRun}</p>` : ''}<form method="post" action="${at}/run">!${confirm}<div class="choices">!${run}!${keep}<a class="button second" href="${at}?columns=yes">${texts.changeColumns}</a> <button class="second" formaction="${at}/discard">${texts.discard}</button></div></form>`
}

function renderChanges(
  words: Words,
  sheet: SpreadsheetImport,
  { changes, changesPage, group, page }: ResultPageInput,
): string {
  if (sheet.state !== 'checked' || sheet.updated === 0) return ''
  const texts = words.texts.spreadsheets
  const lines = changes.flatMap(({ no, change }) =>
    change.fields.map((field, n) => {
      const head =
        n > 0
          ? ''
          : html`<td class="number" rowspan="${change.fields.length}" data-head="${texts.row}">${words.number(no)}</td><td rowspan="${change.fields.length}">${change.name}!${change.more === 0 ? '' : html`<br><span class="quiet">${texts.moreValues({ n: change.more })}</span>`}</td>`
      return html`<tr>!${head}!${renderDifferenceCells(words, sheet, field)}</tr>`
    }),
  )
  const heads = [texts.row, texts.product, texts.field, texts.before, texts.after]
  const pages = renderPager(words, { count: sheet.updated, page: changesPage, anchor: 'changed' }, n =>
    getResultUrl(sheet, { changes: n, group, page }),
  )
  const content = html`<p>${texts.changedLead}</p>
!${wideTable({ label: texts.changesTable, kind: 'stacked', heads }, lines)}!${pages}`
  return section('changed', texts.changed, content)
}

function renderDifferenceCells(
  words: Words,
  sheet: SpreadsheetImport,
  [field, before, after]: FieldChange,
): string {
  const texts = words.texts.spreadsheets
  const column = findStoredColumn(sheet, field)
  const name = getStoredName(words, column, field)
  const value = (one: FieldChange[1]) => renderStoredValue(words, column, one)
  return html`<td>${name}</td><td data-head="${texts.before}">!${value(before)}</td><td data-head="${texts.after}">!${value(after)}</td>`
}

function renderBadRows(words: Words, sheet: SpreadsheetImport, result: ResultPageInput): string {
  if (sheet.failed === 0) return ''
  const texts = words.texts.spreadsheets
  const { overview, group, bad, page } = result
  const at = getImportUrl(sheet)
  const downloads = html`<p class="choices"><a class="button second" href="${at}/errors?format=xlsx">${texts.errorFile.xlsx}</a> <a class="button second" href="${at}/errors?format=csv">${texts.errorFile.csv}</a></p>`
  const mistakes = sheet.failed - overview.overQuota
  if (mistakes === 0) {
    return section('bad', texts.badRows, html`<p>${texts.badRowsQuota}</p>!${downloads}`)
  }
  const chosen = overview.groups.find(({ key }) => key === group)
  const pages = renderPager(words, { count: chosen?.rows ?? mistakes, page, anchor: 'bad' }, n =>
    getResultUrl(sheet, { changes: result.changesPage, group, page: n }),
  )
  const content = html`<p>${texts.badRowsLead}</p>
!${downloads}!${renderGroups(words, sheet, result)}
!${renderRowErrors(words, sheet, bad)}!${pages}`
  return section('bad', texts.badRows, content)
}

function renderRowErrors(words: Words, sheet: SpreadsheetImport, rows: readonly RejectedRow[]): string {
  const texts = words.texts.spreadsheets
  const lines = rows.flatMap(({ no, faults }) =>
    faults.map(
      fault =>
        html`<tr><td class="number" data-head="${texts.row}">${no}</td><td>${formatErrorLocation(words, sheet, fault)}</td><td>${explainRowError(words, fault)}</td></tr>`,
    ),
  )
  const heads = [texts.row, texts.column, texts.what]
  return wideTable({ label: texts.what, kind: 'stacked', heads }, lines)
}

function renderNotes(words: Words, sheet: SpreadsheetImport, { notes, notesPage }: ResultPageInput): string {
  if (notes.count === 0) return ''
  const texts = words.texts.spreadsheets
  const pages = renderPager(
    words,
    { count: notes.count, page: notesPage, anchor: 'notes' },
    n => `${getImportUrl(sheet)}?notes=${n}`,
  )
  const content = html`<p>${texts.withoutPicturesLead({ count: notes.count })}</p>!${renderRowErrors(words, sheet, notes.rows)}!${pages}`
  return section('notes', texts.withoutPictures, content)
}

function renderGroups(
  words: Words,
  sheet: SpreadsheetImport,
  { overview, group, changesPage }: ResultPageInput,
): string {
  const texts = words.texts.spreadsheets
  if (overview.groups.length < 2) return ''
  const one = ({ key, example, rows }: ErrorGroup) => {
    const title = [formatErrorLocation(words, sheet, example), explainRowError(words, example)]
      .filter(part => part !== '')
      .join(' – ')
    const current = key === group ? html` aria-current="true"` : ''
    return html`<li><a class="alone" href="${getResultUrl(sheet, { changes: changesPage, group: key, page: 1 })}#bad"!${current}>${texts.rows({ count: rows })}</a> <span class="quiet">${title}</span></li>`
  }
  const all =
    group === undefined
      ? ''
      : html`<li><a class="alone" href="${getResultUrl(sheet, { changes: changesPage, group: undefined, page: 1 })}#bad">${texts.allMistakes}</a></li>`
  return html`<ul class="rows" aria-label="${texts.mistakeKinds}">!${overview.groups.map(one)}!${all}</ul>`
}

type ResultPosition = { changes: number; group: string | undefined; page: number }

function getResultUrl(sheet: SpreadsheetImport, { changes, group, page }: ResultPosition): string {
  const parts = new URLSearchParams()
  if (changes > 1) parts.set('changes', String(changes))
  if (group !== undefined) parts.set('group', group)
  if (page > 1) parts.set('page', String(page))
  return parts.size === 0 ? getImportUrl(sheet) : `${getImportUrl(sheet)}?${parts}`
}

const getPagerLabel = (texts: Words['texts']['spreadsheets'], anchor: string): string => {
  if (anchor === 'changed') return texts.pagesOfChanges
  return anchor === 'notes' ? texts.withoutPictures : texts.pagesOfErrors
}

function renderPager(
  words: Words,
  { count, page, anchor }: { count: number; page: number; anchor: string },
  to: (page: number) => string,
): string {
  const last = Math.ceil(count / RESULTS_PER_PAGE)
  if (last < 2) return ''
  const texts = words.texts.spreadsheets
  const link = (n: number, text: string) =>
    n < 1 || n > last ? '' : html`<a class="alone" href="${to(n)}#${anchor}">${text}</a> `
  return html`<nav class="choices" aria-label="${getPagerLabel(texts, anchor)}">!${link(page - 1, texts.previous)}<span class="quiet">${texts.pageOf({ page, last })}</span> !${link(page + 1, texts.next)}</nav>`
}
