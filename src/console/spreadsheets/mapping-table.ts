/** The table of the columns page: each column with sample values, its field and its unit. */

import { html } from 'ghtml'
import { type Column, findColumn, UNIT_TO_CHOOSE } from '../../transfer/spreadsheets/columns/columns.ts'
import { listUnits } from '../../transfer/spreadsheets/columns/measurement-units.ts'
import { parseCellText } from '../../transfer/spreadsheets/files/cell.ts'
import { formatColumnLetters } from '../../transfer/spreadsheets/files/write-xlsx.ts'
import type {
  ChunkRow,
  ImportSettings,
  SpreadsheetImport,
} from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import type { Problems } from '../page/form.ts'
import { notes, renderOptions, wideTable } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { findText } from '../page/texts.ts'
import { getCategoryOrFirst, getColumnLabel } from './words.ts'

const MAX_SAMPLE_LENGTH = 60

/** "C: Gewicht". */
export const formatColumnTitle = (words: Words, title: string, place: number): string =>
  `${formatColumnLetters(place)}: ${title === '' ? words.texts.spreadsheets.noTitle : title}`

type MappingTableOptions = {
  sample: readonly ChunkRow[]
  settings: ImportSettings
  /** Field names as typed, if the form was submitted. */
  typed: readonly string[]
  problems: Problems
}

export function renderMappingTable(
  words: Words,
  sheet: SpreadsheetImport,
  shown: MappingTableOptions,
): string {
  const texts = words.texts.spreadsheets
  const lines = sheet.header.map((title, place) => renderRow(words, sheet, shown, { title, place }))
  const heads = [texts.column, texts.field, texts.sample]
  return wideTable({ label: texts.columns, kind: 'mapping stacked', heads }, lines)
}

function renderRow(
  words: Words,
  sheet: SpreadsheetImport,
  { sample, settings, typed, problems }: MappingTableOptions,
  { title, place }: { title: string; place: number },
): string {
  const { texts } = words
  const called = formatColumnTitle(words, title, place)
  const column = findColumn(getCategoryOrFirst(sheet.category), settings.mapping[place] ?? '')
  const value = typed[place] ?? column?.name ?? ''
  const name = `c.${place}`
  const label = column === undefined ? '' : html`<span class="called">${getColumnLabel(words, column)}</span>`
  const values = sample.map(([, cells]) => formatSample(cells[place])).filter(text => text !== '')
  return html`<tr><th scope="row">${called}</th><td>!${notes({ name }, problems)}!${label}<input id="${name}" name="${name}" value="${value}" list="fields" aria-label="${texts.spreadsheets.fieldOf({ title: called })}" autocomplete="off" autocapitalize="none" spellcheck="false"!${renderInvalid(problems, name)}>!${column === undefined ? '' : renderUnitSelect(words, column, { problems, called, place })}</td><td class="quiet">${values.join(' · ')}</td></tr>`
}

const formatSample = (cell: ChunkRow[1][number] | undefined): string =>
  parseCellText(String(cell ?? ''))
    .trim()
    .slice(0, MAX_SAMPLE_LENGTH)

export const renderInvalid = (problems: Problems, name: string): string =>
  problems[name] === undefined ? '' : html` aria-invalid="true" aria-describedby="${name}-error"`

/** The unit of a column's numbers. Nothing is preselected if the spreadsheet does not name it. */
function renderUnitSelect(
  words: Words,
  { field, unit }: Column,
  { problems, called, place }: { problems: Problems; called: string; place: number },
): string {
  const units = listUnits(field)
  if (units.length === 0) return ''
  const texts = words.texts.spreadsheets
  const isOpen = unit === UNIT_TO_CHOOSE
  const all = [
    ...(isOpen ? [['', texts.unitOpen] as const] : []),
    ...(unit?.startsWith('@') ? [[unit, texts.unitBeside({ title: unit.slice(1) })] as const] : []),
    ...units.map(one => [one, findText(texts.units, one) ?? one] as const),
  ]
  const chosen = isOpen ? '' : (unit ?? field.unit)
  const name = `u.${place}`
  return html`!${notes({ name }, problems)}<select id="${name}" name="${name}" class="unit" aria-label="${texts.unitOf({ title: called })}"!${renderInvalid(problems, name)}>!${renderOptions(all, chosen)}</select>`
}
