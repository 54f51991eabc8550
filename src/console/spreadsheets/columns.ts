/** The page that maps columns to fields: guessed, shown with sample values, confirmed by a person. */

import { html } from 'ghtml'
import { getRemainingQuota } from '../../accounts/limits/quota.ts'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { requireProductUuid } from '../../passports/read/find.ts'
import { MATCH_BY } from '../../passports/sync/parse-row.ts'
import { CHANGE_TYPES } from '../../passports/write/plan-version.ts'
import {
  buildMappingName,
  buildTemplateLayout,
  findColumn,
  listColumns,
  UNIT_TO_CHOOSE,
} from '../../transfer/spreadsheets/columns/columns.ts'
import { listAmbiguousColumns, listMarksToChoose } from '../../transfer/spreadsheets/columns/decimal-marks.ts'
import { resolveUnits } from '../../transfer/spreadsheets/columns/guess-mapping.ts'
import { splitAmount } from '../../transfer/spreadsheets/columns/measurement-units.ts'
import { DECIMAL_MARKS, parseNumber } from '../../transfer/spreadsheets/files/cell.ts'
import { SpreadsheetError } from '../../transfer/spreadsheets/files/spreadsheet-error.ts'
import { startCheck } from '../../transfer/spreadsheets/import/run-import.ts'
import {
  getChunkRows,
  getImport,
  guessMatchField,
  type ImportSettings,
  type SpreadsheetImport,
  selectSheet,
} from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import { isFine, type Problems } from '../page/form.ts'
import { notice, renderOptions, select, summary } from '../page/parts.ts'
import { IMPORT, type Outcome, type Visit, type Words } from '../page/route.ts'
import type { Texts } from '../page/texts.ts'
import { formatPlainNumber } from '../product-data/parse-value.ts'
import {
  type FurtherConstant,
  listConstantLabels,
  parseConstantValues,
  renderConstantValues,
  renderMissingNote,
} from './constant-values.ts'
import { limitReads } from './limit-reads.ts'
import { formatColumnTitle, renderMappingTable } from './mapping-table.ts'
import {
  explainUnreadableFile,
  getCategoryOrFirst,
  getColumnLabel,
  getImportUrl,
  getPictureRules,
  renderImportHead,
} from './words.ts'

const SAMPLE_ROWS = 3
const MAX_NAME_LENGTH = 60
const MAX_MARK_EXAMPLES = 3

type ColumnsPageState = {
  problems?: Problems
  problem?: string
  settings?: ImportSettings
  typed?: readonly string[]
  further?: readonly FurtherConstant[]
}

export async function renderColumnsPage(
  visit: Visit,
  sheet: SpreadsheetImport,
  told: ColumnsPageState = {},
): Promise<Outcome> {
  const { ctx, words } = visit
  const texts = words.texts.spreadsheets
  const settings = told.settings ?? sheet.settings
  const category = getCategoryOrFirst(sheet.category)
  const sample = (await getChunkRows(ctx, sheet.id, 0)).slice(0, SAMPLE_ROWS)
  const { problems = {} } = told
  const room = await getRemainingQuota(ctx, 'm')
  const columns = settings.mapping.map(name => (name === null ? undefined : findColumn(category, name)))
  const section = { category, columns, settings, problems, typed: told.further ?? [] }
  const labels: Record<string, string> = {
    mark: texts.mark,
    ...listConstantLabels(words, category, problems),
  }
  for (const [place, title] of sheet.header.entries())
    for (const input of ['c', 'u']) labels[`${input}.${place}`] = formatColumnTitle(words, title, place)
  const encoding =
    sheet.encoding === 'windows-1252' || sheet.encoding?.startsWith('utf-16')
      ? html`<p class="quiet">${texts.readAs({ encoding: sheet.encoding })}</p>`
      : ''
  const body = html`!${renderImportHead(words, sheet, texts.columns)}<p class="lead">${texts.columnsLead}</p>
!${encoding}!${notice(told.problem)}!${summary(words.texts, problems, labels)}!${renderQuotaNote(words, sheet, room)}!${renderSheetChoice(words, sheet)}!${renderHeaderChoice(words, sheet)}!${renderMissingNote(words, section)}
<form method="post" action="${getImportUrl(sheet)}/columns" novalidate>!${renderSettings(words, sheet, { settings, problems })}!${renderMappingTable(words, sheet, { sample, settings, typed: told.typed ?? [], problems })}
!${renderConstantValues(words, section)}!${renderFieldList(words, category, settings)}<div class="choices"><button>${texts.check}</button> <button class="second" formaction="${getImportUrl(sheet)}/discard">${texts.discard}</button></div></form>`
  const isWrong = told.problem !== undefined || !isFine(problems)
  return { title: texts.columns, body, isWide: true, status: isWrong ? 422 : 200 }
}

function renderQuotaNote(words: Words, { rowCount }: SpreadsheetImport, room: number): string {
  if (room >= rowCount) return ''
  return html`<p class="reach">${words.texts.spreadsheets.room({ room, count: rowCount })}</p>`
}

function renderSheetChoice(words: Words, { id, sheets, sheet }: SpreadsheetImport): string {
  if (sheets.length < 2) return ''
  const texts = words.texts.spreadsheets
  const options = sheets.map(name => [name, name] as const)
  const field = { name: 'sheet', label: texts.sheet, hint: texts.sheetHint, value: sheet ?? '', options }
  return html`<form method="post" action="${IMPORT}/${idFromUuid(id)}/sheet" class="filters">!${select(field, {})}<button class="second">${texts.readSheet}</button></form>`
}

/** Only if the titles are not known, or not in the first row. */
function renderHeaderChoice(words: Words, { id, traits: { head } }: SpreadsheetImport): string {
  if (head === undefined) return ''
  const texts = words.texts.spreadsheets
  const options = head.rows.map(
    ([no, titles]) => [String(no), texts.headerRow({ row: words.number(no), titles })] as const,
  )
  const field = {
    name: 'header',
    label: texts.header,
    hint: texts.headerHint,
    value: String(head.no),
    options,
  }
  return html`<form method="post" action="${IMPORT}/${idFromUuid(id)}/sheet" class="filters">!${select(field, {})}<button class="second">${texts.readHeader}</button></form>`
}

/** Shared by all columns, so that the page stays small. */
function renderFieldList(words: Words, category: CompleteCategory, settings: ImportSettings): string {
  const named = settings.mapping.flatMap(name => findColumn(category, name ?? '')?.language ?? [])
  const languages = [...new Set([...named, words.language, 'en'])]
  const columns = listColumns(category, buildTemplateLayout(category, languages))
  const lists = category.fields
    .flatMap(({ name }) => findColumn(category, name) ?? [])
    .filter(one => one.isWhole)
  const options = [...lists, ...columns.filter(one => !one.isWhole)].map(
    column => [column.name, getColumnLabel(words, column)] as const,
  )
  return html`<datalist id="fields">!${renderOptions(options)}</datalist>`
}

function renderSettings(
  words: Words,
  sheet: SpreadsheetImport,
  { settings, problems }: { settings: ImportSettings; problems: Problems },
): string {
  const texts = words.texts.spreadsheets
  const { matchBy, clears, changeType } = settings
  const fields = [
    {
      name: 'match_by',
      label: texts.matchBy,
      value: matchBy,
      all: texts.matches,
      hint: buildMatchHint(texts, settings),
    },
    buildMarkField(words, sheet, settings),
    { name: 'clears', label: texts.clears, value: clears ? 'remove' : 'keep', all: texts.clearing },
    { name: 'change_type', label: texts.changeType, value: changeType, all: texts.changeTypes },
  ]
  return html`<div class="settings">!${fields.map(({ all, ...field }) => select({ ...field, options: Object.entries(all) }, problems))}</div>`
}

/** Without a mark, nothing is preselected, and examples show what the choice means. */
function buildMarkField(words: Words, { header, traits }: SpreadsheetImport, { mark }: ImportSettings) {
  const texts = words.texts.spreadsheets
  const field = { name: 'mark', label: texts.mark, value: mark ?? '' }
  const examples = listAmbiguousColumns(traits).slice(0, MAX_MARK_EXAMPLES)
  const lines = examples.map(({ place, example }) => {
    const amount = splitAmount(example)?.amount ?? example
    const [point, comma] = DECIMAL_MARKS.map(one => formatPlainNumber(words, parseNumber(amount, one)))
    const title = formatColumnTitle(words, header[place] ?? '', place)
    return texts.markExample({ title, example, point: point ?? '', comma: comma ?? '' })
  })
  const open = mark === undefined ? { '': texts.markOpen } : {}
  const hint = lines.length === 0 ? {} : { hint: lines.join(' ') }
  return { ...field, ...hint, all: { ...open, ...texts.marks } }
}

function buildMatchHint(texts: Texts['spreadsheets'], { mapping, matchBy }: ImportSettings): string {
  const isGuessed = mapping.includes(matchBy) && matchBy === guessMatchField(mapping)
  return `${isGuessed ? `${texts.matchReasons[matchBy]} ` : ''}${texts.matchHint}`
}

/** For errors of `requireSettings`. */
function explainSettingsError(
  words: Words,
  category: CompleteCategory,
  { details, message }: AppError,
): string {
  const { twoColumns, noKey } = words.texts.spreadsheets
  const [fault] = details ?? []
  const name = String(fault?.path[1] ?? '')
  const column = findColumn(category, name)
  const called = column === undefined ? name : getColumnLabel(words, column)
  if (fault?.code === 'duplicate') return twoColumns({ field: called })
  return fault?.code === 'required' ? noKey({ field: called }) : message
}

export async function submitColumns(visit: Visit): Promise<Outcome> {
  const { ctx, words, id, form } = visit
  const uuid = requireProductUuid(id)
  const sheet = await getImport(ctx, uuid)
  const category = getCategoryOrFirst(sheet.category)
  const typed = sheet.header.map((_, place) => form.text(`c.${place}`))
  const problems: Record<string, string> = {}
  for (const [place, name] of typed.entries()) {
    if (name === '' || findColumn(category, name) !== undefined) continue
    problems[`c.${place}`] = words.texts.spreadsheets.unknownField({ name: name.slice(0, MAX_NAME_LENGTH) })
  }
  const chosen = typed.map((name, place) => {
    const unit = form.text(`u.${place}`)
    return findColumn(category, unit === '' ? name : `${name}|${unit}`) ?? findColumn(category, name)
  })
  const columns = resolveUnits(chosen, sheet.header, sheet.traits)
  const mark = DECIMAL_MARKS.find(one => one === form.text('mark'))
  const { offered } = sheet.settings.constants ?? {}
  const same = parseConstantValues(words, form, {
    category,
    columns,
    offered,
    mark: mark ?? words.decimalMark,
  })
  Object.assign(problems, same.problems)
  const mapping = columns.map((column, place) => {
    if (column?.unit === UNIT_TO_CHOOSE) problems[`u.${place}`] = words.texts.spreadsheets.unitMissing
    return column === undefined ? null : buildMappingName(column)
  })
  if (mark === undefined && listMarksToChoose(category, sheet.traits, mapping).length > 0)
    problems.mark = words.texts.spreadsheets.markMissing
  const settings: ImportSettings = {
    mapping,
    matchBy: MATCH_BY.find(one => one === form.text('match_by')) ?? 'sku',
    mark,
    clears: form.text('clears') === 'remove',
    changeType: CHANGE_TYPES.find(one => one === form.text('change_type')) ?? 'change',
    constants: same.constants,
    plainTexts: sheet.settings.plainTexts ?? false,
    language: words.language,
  }
  const told = { settings, typed, further: same.typed }
  if (!isFine(problems)) return renderColumnsPage(visit, sheet, { ...told, problems })
  try {
    await startCheck(ctx, uuid, { settings, rules: getPictureRules(visit) })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error
    if (error.details?.[0]?.path[0] === 'state') return { to: `${IMPORT}/${id}` }
    return renderColumnsPage(visit, sheet, { ...told, problem: explainSettingsError(words, category, error) })
  }
  return { to: `${IMPORT}/${id}` }
}

/** Switches to another sheet or header of an uploaded file; the stored file is parsed again. */
export async function submitSheetChoice(visit: Visit): Promise<Outcome> {
  const { ctx, words, id, form } = visit
  const uuid = requireProductUuid(id)
  const again = async (problem: string) => renderColumnsPage(visit, await getImport(ctx, uuid), { problem })
  await getImport(ctx, uuid)
  const headerNo = /^\d{1,7}$/.test(form.text('header')) ? Number(form.text('header')) : undefined
  try {
    const isRead = await limitReads({ sql: ctx.sql, accountId: ctx.accountId, bytes: 0 }, async () => {
      await selectSheet(ctx, uuid, headerNo === undefined ? { sheet: form.raw('sheet') } : { headerNo })
      return true
    })
    return isRead ? { to: `${IMPORT}/${id}` } : again(words.texts.spreadsheets.busy)
  } catch (error) {
    if (error instanceof SpreadsheetError) return again(explainUnreadableFile(words, error))
    throw error
  }
}
