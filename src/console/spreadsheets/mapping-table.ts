/** The table of the columns page: each column of the sheet with its first values, its field and its unit. */
import { html } from 'ghtml'
import { parseCellText } from '../../transfer/spreadsheets/cell.ts'
import { type Column, findColumn, UNIT_TO_CHOOSE } from '../../transfer/spreadsheets/columns.ts'
import { listUnits } from '../../transfer/spreadsheets/measurement-units.ts'
import type {
  ChunkRow,
  ImportSettings,
  SpreadsheetImport,
} from '../../transfer/spreadsheets/spreadsheet-import.ts'
import { formatColumnLetters } from '../../transfer/spreadsheets/write-xlsx.ts'
import type { Problems } from '../page/form.ts'
import { SHEET_TEXTS } from '../page/sheet-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { categoryOf, columnLabel } from './words.ts'

const MAX_SAMPLE_LENGTH = 60

/** "C: Gewicht". */
export const columnTitle = (words: Words, title: string, place: number): string =>
  `${formatColumnLetters(place)}: ${title === '' ? wordsOf(words, SHEET_TEXTS).noTitle : title}`

type Shown = {
  sample: readonly ChunkRow[]
  settings: ImportSettings
  /** What was typed into the form, where it was sent. */
  typed: readonly string[]
  problems: Problems
}

export function mappingTable(words: Words, sheet: SpreadsheetImport, shown: Shown): string {
  const texts = wordsOf(words, SHEET_TEXTS)
  const lines = sheet.header.map((title, place) => line(words, sheet, shown, { title, place }))
  const heads = [texts.column, texts.field, texts.sample].map(head => html`<th scope="col">${head}</th>`)
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${texts.columns}"><table class="mapping stacked"><thead><tr>!${heads}</tr></thead><tbody>!${lines}</tbody></table></div>`
}

function line(
  words: Words,
  sheet: SpreadsheetImport,
  { sample, settings, typed, problems }: Shown,
  { title, place }: { title: string; place: number },
): string {
  const texts = wordsOf(words, SHEET_TEXTS)
  const called = columnTitle(words, title, place)
  const column = findColumn(categoryOf(sheet.category), settings.mapping[place] ?? '')
  const value = typed[place] ?? column?.name ?? ''
  const name = `c.${place}`
  const label = column === undefined ? '' : html`<span class="called">${columnLabel(words, column)}</span>`
  const values = sample.map(([, cells]) => sampleText(cells[place])).filter(text => text !== '')
  return html`<tr><th scope="row">${called}</th><td>!${error(problems, name)}!${label}<input id="${name}" name="${name}" value="${value}" list="fields" aria-label="${texts.fieldOf(called)}" autocomplete="off" autocapitalize="none" spellcheck="false"!${invalid(problems, name)}>!${column === undefined ? '' : unitChoice(words, column, { problems, called, place })}</td><td class="quiet">${values.join(' · ')}</td></tr>`
}

const sampleText = (cell: ChunkRow[1][number] | undefined): string =>
  parseCellText(String(cell ?? ''))
    .trim()
    .slice(0, MAX_SAMPLE_LENGTH)

function error(problems: Problems, name: string): string {
  const sentence = problems[name]
  return sentence === undefined ? '' : html`<p class="error" id="${name}-error">${sentence}</p>`
}

const invalid = (problems: Problems, name: string): string =>
  problems[name] === undefined ? '' : html` aria-invalid="true" aria-describedby="${name}-error"`

/** In what the numbers of a column are. Nothing is chosen before where the sheet leaves it open. */
function unitChoice(
  words: Words,
  { field, unit }: Column,
  { problems, called, place }: { problems: Problems; called: string; place: number },
): string {
  const units = listUnits(field)
  if (units.length === 0) return ''
  const texts = wordsOf(words, SHEET_TEXTS)
  const isOpen = unit === UNIT_TO_CHOOSE
  const beside = unit?.startsWith('@') ? [[unit, texts.unitBeside(unit.slice(1))] as const] : []
  const all = [
    ...(isOpen ? [['', texts.unitOpen] as const] : []),
    ...beside,
    ...units.map(one => [one, texts.units[one] ?? one] as const),
  ]
  const chosen = isOpen ? '' : (unit ?? field.unit)
  const options = all.map(
    ([value, text]) => html`<option value="${value}"!${value === chosen ? ' selected' : ''}>${text}</option>`,
  )
  const name = `u.${place}`
  return html`!${error(problems, name)}<select id="${name}" name="${name}" class="unit" aria-label="${texts.unitOf(called)}"!${invalid(problems, name)}>!${options}</select>`
}
