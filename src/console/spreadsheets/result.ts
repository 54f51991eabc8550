/** What a check found or an import did: counts, what would change, rows with errors, and the way on. */
import { html } from 'ghtml'
import { findCategory } from '../../categories/catalogue.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { findColumn } from '../../transfer/spreadsheets/columns.ts'
import { getColumnLetters, type RejectedRow } from '../../transfer/spreadsheets/error-file.ts'
import {
  type ChangedProduct,
  type ErrorGroup,
  type ErrorOverview,
  RESULTS_PER_PAGE,
} from '../../transfer/spreadsheets/import-results.ts'
import type { NameNote } from '../../transfer/spreadsheets/name-notes.ts'
import type { FieldChange } from '../../transfer/spreadsheets/product-changes.ts'
import type { RowError } from '../../transfer/spreadsheets/row-errors.ts'
import type { SpreadsheetImport } from '../../transfer/spreadsheets/spreadsheet-import.ts'
import { IMPORT, PRODUCTS } from '../page/addresses.ts'
import { notice } from '../page/fields.ts'
import type { Outcome } from '../page/route.ts'
import { SHEET_TEXTS } from '../page/sheet-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { valueLabel } from '../product-data/labels.ts'
import { columnLabel, faultName, pathLabel, rowSentence, sheetHead } from './words.ts'

export type Result = {
  overview: ErrorOverview
  names: readonly NameNote[]
  /** Of one group of mistakes, or of all. */
  bad: readonly RejectedRow[]
  group: string | undefined
  page: number
  changes: readonly ChangedProduct[]
  changesPage: number
  problem?: string
}

const addressOf = (sheet: SpreadsheetImport) => `${IMPORT}/${idFromUuid(sheet.id)}`

export function resultPage(words: Words, sheet: SpreadsheetImport, title: string, result: Result): Outcome {
  const texts = wordsOf(words, SHEET_TEXTS)
  const names = sheet.state === 'checked' ? texts.outcomes.will : texts.outcomes.has
  const counts = (['created', 'updated', 'unchanged', 'failed'] as const).map(
    one => html`<div><dt>${names[one]}</dt><dd>${words.number(sheet[one])}</dd></div>`,
  )
  const body = html`!${sheetHead(words, sheet, title)}!${notice(result.problem)}<dl class="facts counts">!${counts}</dl>!${quotaNote(words, sheet, result.overview)}!${namesPart(words, result)}!${changedPart(words, sheet, result)}!${nextSteps(words, sheet)}!${badPart(words, sheet, result)}`
  return { title, body, isWide: true, status: result.problem === undefined ? 200 : 422 }
}

function quotaNote(words: Words, sheet: SpreadsheetImport, { overQuota }: ErrorOverview): string {
  if (overQuota === 0) return ''
  const { quota } = wordsOf(words, SHEET_TEXTS)
  return html`<p class="reach">${quota(words.number(sheet.created), words.number(sheet.created + overQuota), words.number(overQuota))}</p>`
}

/** Names that mean a known one, and fibres that are none: those are published as they are written. */
function namesPart(words: Words, { names }: Result): string {
  if (names.length === 0) return ''
  const texts = wordsOf(words, SHEET_TEXTS)
  const lines = names.toSorted(byKind).map(({ path, text, code, kind }) => {
    const called = code === null ? '' : nameOf(words, path, code)
    return html`<li><strong>${text}</strong> <span class="quiet">${pathLabel(words, path)}: ${texts.nameKinds[kind](called)}</span></li>`
  })
  const isOpen = names.some(({ kind }) => kind !== 'exact')
  return html`<details!${isOpen ? ' open' : ''}><summary>${texts.names(names.length, words.number(names.length))}</summary><ul class="rows">!${lines}</ul></details>`
}

/** What may be wrong first. */
const KINDS: readonly NameNote['kind'][] = ['similar', 'unknown', 'exact']
const byKind = (a: NameNote, b: NameNote) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)

const nameOf = (words: Words, path: string, code: string): string =>
  findLabel(getLabels(words.language), 'fibres', code) ?? valueLabel(words, path, code)

function nextSteps(words: Words, sheet: SpreadsheetImport): string {
  const texts = wordsOf(words, SHEET_TEXTS)
  const at = addressOf(sheet)
  if (sheet.state !== 'checked') {
    return html`<p class="choices"><a class="button" href="${PRODUCTS}">${texts.toProducts}</a> <a class="button second" href="${IMPORT}">${texts.another}</a></p>`
  }
  const n = sheet.created + sheet.updated
  const run = n === 0 ? '' : html`<button>${texts.run(n, words.number(n))}</button> `
  const confirm =
    sheet.updated === 0
      ? ''
      : html`<p class="check"><input type="checkbox" id="confirm" name="confirm" value="yes"><label for="confirm">${texts.confirm(sheet.updated, words.number(sheet.updated))}</label></p>`
  return html`!${n === 0 ? html`<p>${texts.nothingToRun}</p>` : ''}<form method="post" action="${at}/run">!${confirm}<div class="choices">!${run}<a class="button second" href="${at}?columns=yes">${texts.changeColumns}</a> <button class="second" formaction="${at}/discard">${texts.discard}</button></div></form>`
}

/** Every product that would change, with each value before and after. */
function changedPart(
  words: Words,
  sheet: SpreadsheetImport,
  { changes, changesPage, group, page }: Result,
): string {
  if (sheet.state !== 'checked' || sheet.updated === 0) return ''
  const texts = wordsOf(words, SHEET_TEXTS)
  const lines = changes.flatMap(({ no, change }) => {
    const rows = change.fields.map((field, n) => {
      const head =
        n > 0
          ? ''
          : html`<td class="number" rowspan="${change.fields.length}" data-head="${texts.row}">${words.number(no)}</td><td rowspan="${change.fields.length}">${change.name}!${change.more === 0 ? '' : html`<br><span class="quiet">${texts.moreValues(words.number(change.more))}</span>`}</td>`
      return html`<tr>!${head}!${differenceCells(words, sheet, field)}</tr>`
    })
    return rows
  })
  const heads = [texts.row, texts.product, texts.field, texts.before, texts.after].map(
    one => html`<th scope="col">${one}</th>`,
  )
  const pages = pager(words, { count: sheet.updated, page: changesPage, anchor: 'changed' }, n =>
    query(sheet, { changes: n, group, page }),
  )
  return html`<section aria-labelledby="changed"><h2 id="changed">${texts.changed}</h2><p>${texts.changedLead}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${texts.changesTable}"><table class="stacked"><thead><tr>!${heads}</tr></thead><tbody>!${lines}</tbody></table></div>!${pages}</section>`
}

function differenceCells(
  words: Words,
  sheet: SpreadsheetImport,
  [field, before, after]: FieldChange,
): string {
  const texts = wordsOf(words, SHEET_TEXTS)
  const category = findCategory(sheet.category)
  const column = category === undefined ? undefined : findColumn(category, field)
  const unit = column?.field.unit === undefined ? '' : ` (${column.field.unit})`
  const name = column === undefined ? field : `${columnLabel(words, column)}${unit}`
  const value = (one: FieldChange[1]) => {
    if (one === null) return html`<span class="quiet">${texts.nothing}</span>`
    if (typeof one === 'boolean') return html`${one ? texts.answers.true : texts.answers.false}`
    if (typeof one === 'number') return html`${words.number(one)}`
    return html`${column?.field.values === undefined ? one : valueLabel(words, column.labelPath, one)}`
  }
  return html`<td>${name}</td><td data-head="${texts.before}">!${value(before)}</td><td data-head="${texts.after}">!${value(after)}</td>`
}

function badPart(words: Words, sheet: SpreadsheetImport, result: Result): string {
  if (sheet.failed === 0) return ''
  const texts = wordsOf(words, SHEET_TEXTS)
  const { overview, group, bad, page } = result
  const at = addressOf(sheet)
  const downloads = html`<p class="choices"><a class="button second" href="${at}/errors?format=xlsx">${texts.errorFile.xlsx}</a> <a class="button second" href="${at}/errors?format=csv">${texts.errorFile.csv}</a></p>`
  const mistakes = sheet.failed - overview.overQuota
  if (mistakes === 0) {
    return html`<section aria-labelledby="bad"><h2 id="bad">${texts.badRows}</h2><p>${texts.badRowsQuota}</p>!${downloads}</section>`
  }
  const lines = bad.flatMap(({ no, faults }) =>
    faults.map(
      fault =>
        html`<tr><td class="number" data-head="${texts.row}">${no}</td><td>${placeOf(words, sheet, fault)}</td><td>${rowSentence(words, fault)}</td></tr>`,
    ),
  )
  const heads = [texts.row, texts.column, texts.what].map(one => html`<th scope="col">${one}</th>`)
  const chosen = overview.groups.find(({ key }) => key === group)
  const pages = pager(words, { count: chosen?.rows ?? mistakes, page, anchor: 'bad' }, n =>
    query(sheet, { changes: result.changesPage, group, page: n }),
  )
  return html`<section aria-labelledby="bad"><h2 id="bad">${texts.badRows}</h2><p>${texts.badRowsLead}</p>
!${downloads}!${groupList(words, sheet, result)}
<div class="scroll" tabindex="0" role="region" aria-label="${texts.what}"><table class="stacked"><thead><tr>!${heads}</tr></thead><tbody>!${lines}</tbody></table></div>!${pages}</section>`
}

const placeOf = (words: Words, sheet: SpreadsheetImport, fault: RowError): string =>
  [getColumnLetters(fault), sheet.header[fault.column ?? -1] ?? faultName(words, fault)]
    .filter(part => part !== '')
    .join(': ')

/** The kinds of mistakes with how many rows have each; a link shows those rows alone. */
function groupList(words: Words, sheet: SpreadsheetImport, { overview, group, changesPage }: Result): string {
  const texts = wordsOf(words, SHEET_TEXTS)
  if (overview.groups.length < 2) return ''
  const one = ({ key, example, rows }: ErrorGroup) => {
    const title = [placeOf(words, sheet, example), rowSentence(words, example)]
      .filter(part => part !== '')
      .join(' – ')
    const current = key === group ? html` aria-current="true"` : ''
    return html`<li><a class="alone" href="${query(sheet, { changes: changesPage, group: key, page: 1 })}#bad"!${current}>${texts.rows(rows, words.number(rows))}</a> <span class="quiet">${title}</span></li>`
  }
  const all =
    group === undefined
      ? ''
      : html`<li><a class="alone" href="${query(sheet, { changes: changesPage, group: undefined, page: 1 })}#bad">${texts.allMistakes}</a></li>`
  return html`<ul class="rows" aria-label="${texts.mistakeKinds}">!${overview.groups.map(one)}!${all}</ul>`
}

type Place = { changes: number; group: string | undefined; page: number }

function query(sheet: SpreadsheetImport, { changes, group, page }: Place): string {
  const parts = new URLSearchParams()
  if (changes > 1) parts.set('changes', String(changes))
  if (group !== undefined) parts.set('group', group)
  if (page > 1) parts.set('page', String(page))
  const text = parts.toString()
  return text === '' ? addressOf(sheet) : `${addressOf(sheet)}?${text}`
}

function pager(
  words: Words,
  { count, page, anchor }: { count: number; page: number; anchor: string },
  to: (page: number) => string,
): string {
  const last = Math.ceil(count / RESULTS_PER_PAGE)
  if (last < 2) return ''
  const texts = wordsOf(words, SHEET_TEXTS)
  const link = (n: number, text: string) =>
    n < 1 || n > last ? '' : html`<a class="alone" href="${to(n)}#${anchor}">${text}</a> `
  return html`<nav class="choices" aria-label="${texts.pages(anchor)}">!${link(page - 1, texts.previous)}<span class="quiet">${texts.pageOf(words.number(page), words.number(last))}</span> !${link(page + 1, texts.next)}</nav>`
}
