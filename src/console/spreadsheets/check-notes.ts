/** A check's warnings about rows that are imported all the same, and the offer of plain text for HTML. */

import { html } from 'ghtml'
import type { CheckNotes, RowWarning } from '../../transfer/spreadsheets/import/row-warnings.ts'
import type { SpreadsheetImport } from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import { rowList, section, wideTable } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { explainRowError, formatErrorLocation, getImportUrl } from './words.ts'

export function renderWarnings(words: Words, sheet: SpreadsheetImport, { warnings }: CheckNotes): string {
  if (warnings.length === 0) return ''
  const texts = words.texts.spreadsheets
  const lines = warnings.map(one => renderWarning(words, sheet, one))
  return section('warnings', texts.warnings, html`<p>${texts.warningsLead}</p>!${rowList(lines)}`)
}

function renderWarning(words: Words, sheet: SpreadsheetImport, { example, rows, first }: RowWarning): string {
  const texts = words.texts.spreadsheets
  const numbers = first.map(no => words.number(no)).join(', ')
  const named = rows > first.length ? `${numbers} …` : numbers
  const location = formatErrorLocation(words, sheet, example)
  const head = location === '' ? '' : html`<strong>${location}</strong>: `
  return html`<li><span>!${head}${explainRowError(words, example)}</span> <span class="quiet">${texts.warnedRows({ rows: texts.rows({ count: rows }), numbers: named })}</span></li>`
}

/** The first texts with HTML, before and after. */
export function renderMarkedTexts(
  words: Words,
  sheet: SpreadsheetImport,
  { texts: marked, markedRows }: CheckNotes,
): string {
  if (sheet.state !== 'checked' || marked.length === 0) return ''
  const texts = words.texts.spreadsheets
  const isPlain = sheet.settings.plainTexts === true
  const heads = [texts.row, texts.column, texts.markedBefore, texts.markedAfter]
  const lines = marked.map(
    ({ no, column, before, after }) =>
      html`<tr><td class="number" data-head="${texts.row}">${words.number(no)}</td><td>${sheet.header[column] ?? ''}</td><td data-head="${texts.markedBefore}"><code dir="auto">${before}</code></td><td class="lines" dir="auto" data-head="${texts.markedAfter}">${after}</td></tr>`,
  )
  const lead = (isPlain ? texts.markedPlain : texts.markedLead)({ count: markedRows })
  const button = isPlain ? texts.keepMarkup : texts.makePlain
  const content = html`<p>${lead}</p>!${wideTable({ label: texts.marked, kind: 'stacked', heads }, lines)}
<form method="post" action="${getImportUrl(sheet)}/plain"><button class="second" name="plain" value="${isPlain ? 'no' : 'yes'}">${button}</button></form>`
  return section('markup', texts.marked, content)
}
