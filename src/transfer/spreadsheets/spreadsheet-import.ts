/** Sheets on their way in: kept as rows from the upload to the last product, with what was said about them. */
import type { AccountContext } from '../../accounts/context.ts'
import { type CompleteCategory, findCategory } from '../../categories/catalogue.ts'
import { inTransaction } from '../../kernel/db/transaction.ts'
import { assert, invalid, notFound } from '../../kernel/errors.ts'
import { newUuid } from '../../kernel/ids.ts'
import { DECIMAL_MARKS, type DecimalMark, guessDecimalMark } from './cell.ts'
import { type ColumnTraits, collectTraits, NO_TRAITS } from './column-traits.ts'
import { buildMappingName, findColumn, UNIT_TO_CHOOSE } from './columns.ts'
import { type ConstantTexts, loadConstants, selectConstants } from './constant-values.ts'
import type { TextEncoding } from './decode-text.ts'
import { guessMapping, resolveUnits } from './guess-mapping.ts'
import { type ColumnMapping, loadMapping, loadSheetName } from './mapping.ts'
import { type OpenSpreadsheet, openSpreadsheet } from './read-spreadsheet.ts'
import type { Constants, RowOptions } from './row-to-passport.ts'
import { SpreadsheetError } from './spreadsheet-error.ts'
import { MAX_ROWS, type SheetRow } from './spreadsheet-limits.ts'

export const IMPORT_MATCH_FIELDS = ['sku', 'gtin'] as const
export const IMPORT_CHANGE_TYPES = ['change', 'correction'] as const

export type ImportSettings = {
  mapping: ColumnMapping
  matchBy: (typeof IMPORT_MATCH_FIELDS)[number]
  mark: DecimalMark
  clears: boolean
  changeType: (typeof IMPORT_CHANGE_TYPES)[number]
  constants?: ConstantSettings
  /** A person has ticked that products which are there may change. */
  isConfirmed?: boolean
  /** Of the person who confirmed it: the file of what is wrong speaks it, too. */
  language?: string
}

/** What is the same for every row; the rest as in `Constants`. */
export type ConstantSettings = { texts: ConstantTexts } & Pick<Constants, 'overwrites' | 'takesGtinAsSku'>

export type ImportState = 'open' | 'checking' | 'checked' | 'running' | 'done' | 'stopped'

export type SpreadsheetImport = {
  id: string
  accountId: number
  actorId: number
  createdAt: Date
  fileName: string
  encoding: TextEncoding | null
  /** Of a workbook with several sheets: their names, and the one that was read. */
  sheets: readonly string[]
  sheet: string | null
  category: string
  header: readonly string[]
  traits: ColumnTraits
  settings: ImportSettings
  state: ImportState
  rowCount: number
  chunkCount: number
  nextChunk: number
  created: number
  updated: number
  unchanged: number
  failed: number
}

/** Rows of one call of the verb, of one transaction, of one step of the progress bar. */
export const ROWS_PER_CHUNK = 250
/** Security bound on what an upload becomes in the database, in characters. */
const MOST_STORED = 200_000_000
/** Unfinished sheets an account may keep; a new one takes the place of the oldest that is not at work. */
const MOST_OPEN = 10
const SAMPLED_ROWS = 500
const LONGEST_NAME = 200

/** The rows of a file, with a first guess at everything. Throws `SheetFault`, and `validation` for a category. */
export async function createImport(
  ctx: AccountContext,
  upload: { fileName: string; bytes: Buffer; category: string },
): Promise<string> {
  const category = requireCategory(upload.category)
  const sheet = await openSpreadsheet(upload.bytes, await loadSheetName(ctx, category.id))
  const now = ctx.clock.now()
  const id = newUuid(now.getTime())
  const { sheets = [], encoding = null } = sheet
  const isChoice = sheets.length > 1
  await makeRoom(ctx)
  await ctx.sql`
    insert into sheet_import (account_id, id, actor_id, created_at, alive_at, file_name, encoding, category, header,
      settings, state, row_count, chunk_count, sheets, book)
    values (${ctx.accountId}, ${id}, ${ctx.actorId}, ${now}, ${now}, ${nameOf(upload.fileName)},
      ${encoding}, ${category.id}, '[]', '{}', 'open', 0, 0, ${JSON.stringify(isChoice ? sheets : [])}::text::json,
      ${isChoice ? upload.bytes : null})`
  try {
    await takeRows(ctx, id, category, sheet)
  } catch (error) {
    await deleteImport(ctx, id)
    throw error
  }
  return id
}

/**
 * Reads another sheet of the workbook in place of the one that was read. Throws `not_found`, and `SheetFault` for a
 * sheet that is none; then the one before stays.
 */
export async function selectSheet(ctx: AccountContext, uuid: string, name: string): Promise<void> {
  const { category } = await getImport(ctx, uuid)
  await inTransaction(ctx.sql, async sql => {
    const [kept] = await sql<{ book: Buffer }[]>`
      update sheet_import set state = 'open', next_chunk = 0, created = 0, updated = 0, unchanged = 0, failed = 0
      where account_id = ${ctx.accountId} and id = ${uuid} and state in ('open', 'checked') and book is not null
      returning book`
    if (kept === undefined) return
    await sql`delete from sheet_chunk where account_id = ${ctx.accountId} and import_id = ${uuid}`
    await takeRows({ ...ctx, sql }, uuid, requireCategory(category), await openSpreadsheet(kept.book, name))
  })
}

/** The rows of a sheet, and the first guess at its columns and numbers. */
async function takeRows(
  ctx: AccountContext,
  id: string,
  category: CompleteCategory,
  { header, rows: source, separator, sheets = [], sheet }: OpenSpreadsheet,
): Promise<void> {
  const { rows, chunks, sample, traits } = await storeRows(ctx, id, source)
  if (rows === 0) throw new SpreadsheetError('no_rows')
  const mapping = guessMapping(category, header, await loadMapping(ctx, category.id), traits)
  const usual = separator === ';' ? 'comma' : 'point'
  const mark = guessDecimalMark(numbersIn(sample, category, mapping)) ?? usual
  const matchBy = guessMatchField(mapping)
  const constants = {
    texts: await loadConstants(ctx, category),
    overwrites: false,
    takesGtinAsSku: !mapping.includes('sku') && mapping.includes('gtin'),
  }
  const settings: ImportSettings = { mapping, matchBy, mark, clears: false, changeType: 'change', constants }
  await ctx.sql`
    update sheet_import set row_count = ${rows}, chunk_count = ${chunks}, sheet = ${sheets.length > 1 ? (sheet ?? null) : null},
      traits = ${JSON.stringify(traits)}::text::json, header = ${JSON.stringify(header)}::text::json, settings = ${JSON.stringify(settings)}::text::json
    where account_id = ${ctx.accountId} and id = ${id}`
}

/** By what a sheet has: the SKU, which is the account's own, and the GTIN where no column is the SKU. */
export const guessMatchField = (mapping: ColumnMapping): ImportSettings['matchBy'] =>
  !mapping.includes('sku') && mapping.includes('gtin') ? 'gtin' : 'sku'

function requireCategory(id: string): CompleteCategory {
  const category = findCategory(id)
  if (category !== undefined) return category
  const message = 'category is not one that this service knows; choose one of the list.'
  throw invalid([{ field: 'category', pointer: '/category', code: 'enum', message }])
}

/** For people, on pages: no path, no control characters. */
const nameOf = (sent: string) =>
  (sent.split(/[/\\]/).at(-1) ?? '')
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .slice(0, LONGEST_NAME)
    .trim() || '–'

async function storeRows(ctx: AccountContext, id: string, rows: AsyncIterable<SheetRow>) {
  const sample: SheetRow[] = []
  let [count, chunks, stored] = [0, 0, 0]
  let open: [number, SheetRow['cells']][] = []
  const collected = collectTraits()
  const store = async () => {
    if (open.length === 0) return
    const text = JSON.stringify(open).replaceAll('\\u0000', '\\ufffd').toWellFormed()
    stored += text.length
    if (stored > MOST_STORED) throw new SpreadsheetError('too_much')
    await ctx.sql`
      insert into sheet_chunk (account_id, import_id, no, rows) values (${ctx.accountId}, ${id}, ${chunks}, ${text})`
    chunks++
    open = []
  }
  for await (const row of rows) {
    if (++count > MAX_ROWS) throw new SpreadsheetError('too_many_rows')
    if (sample.length < SAMPLED_ROWS) sample.push(row)
    collected.add(row.cells)
    open.push([row.no, row.cells])
    if (open.length === ROWS_PER_CHUNK) await store()
  }
  await store()
  return { rows: count, chunks, sample, traits: collected.traits() }
}

function* numbersIn(
  sample: readonly SheetRow[],
  category: CompleteCategory,
  mapping: ColumnMapping,
): Generator<string> {
  const places = mapping.flatMap((name, place) =>
    name !== null && findColumn(category, name)?.field.type === 'number' ? [place] : [],
  )
  for (const { cells } of sample) {
    for (const place of places) {
      const cell = cells[place]
      if (typeof cell === 'string') yield cell
    }
  }
}

async function makeRoom({ sql, accountId }: AccountContext): Promise<void> {
  await sql`
    delete from sheet_import where account_id = ${accountId} and id in (
      select id from sheet_import where account_id = ${accountId} and state in ('open', 'checked', 'stopped')
      order by created_at desc offset ${MOST_OPEN - 1})`
}

type ImportRow = {
  id: string
  account_id: number
  actor_id: number
  created_at: Date
  file_name: string
  encoding: TextEncoding | null
  sheets: string
  sheet: string | null
  category: string
  header: string
  traits: string
  settings: string
  state: ImportState
  row_count: number
  chunk_count: number
  next_chunk: number
  created: number
  updated: number
  unchanged: number
  failed: number
}

export const importColumns = (sql: AccountContext['sql']) => sql`
  id, account_id, actor_id, created_at, file_name, encoding, sheets::text, sheet, category, header::text, traits::text, settings::text, state, row_count,
  chunk_count, next_chunk, created, updated, unchanged, failed`

export const parseImportRow = (row: ImportRow): SpreadsheetImport => ({
  id: row.id,
  accountId: row.account_id,
  actorId: row.actor_id,
  createdAt: row.created_at,
  fileName: row.file_name,
  encoding: row.encoding,
  sheets: JSON.parse(row.sheets) as string[],
  sheet: row.sheet,
  category: row.category,
  header: JSON.parse(row.header) as string[],
  traits: { ...NO_TRAITS, ...(JSON.parse(row.traits) as Partial<ColumnTraits>) },
  settings: JSON.parse(row.settings) as ImportSettings,
  state: row.state,
  rowCount: row.row_count,
  chunkCount: row.chunk_count,
  nextChunk: row.next_chunk,
  created: row.created,
  updated: row.updated,
  unchanged: row.unchanged,
  failed: row.failed,
})

export type { ImportRow }

/** Throws `not_found`, for another account's too. */
export async function getImport(
  { sql, accountId }: AccountContext,
  uuid: string,
): Promise<SpreadsheetImport> {
  const [row] = await sql<ImportRow[]>`
    select ${importColumns(sql)} from sheet_import where account_id = ${accountId} and id = ${uuid}`
  if (row === undefined || row.row_count === 0) throw notFound('import')
  return parseImportRow(row)
}

const MOST_LISTED = 20

/** The newest sheets of an account. */
export async function listImports({ sql, accountId }: AccountContext): Promise<SpreadsheetImport[]> {
  const rows = await sql<ImportRow[]>`
    select ${importColumns(sql)} from sheet_import where account_id = ${accountId} and row_count > 0
    order by created_at desc, id desc limit ${MOST_LISTED}`
  return rows.map(parseImportRow)
}

/** Takes a sheet away, with its rows. What it has written stays. */
export async function deleteImport({ sql, accountId }: AccountContext, uuid: string): Promise<void> {
  await sql`delete from sheet_import where account_id = ${accountId} and id = ${uuid}`
}

export type ChunkRow = [no: number, cells: SheetRow['cells']]

export async function getChunkRows(
  { sql, accountId }: AccountContext,
  uuid: string,
  no: number,
): Promise<ChunkRow[]> {
  const [chunk] = await sql<{ rows: string }[]>`
    select rows from sheet_chunk where account_id = ${accountId} and import_id = ${uuid} and no = ${no}`
  return chunk === undefined ? [] : (JSON.parse(chunk.rows) as ChunkRow[])
}

/** The first rows, to be shown. */
export const getSampleRows = async (ctx: AccountContext, uuid: string, most: number): Promise<ChunkRow[]> =>
  (await getChunkRows(ctx, uuid, 0)).slice(0, most)

/** How the rows of a sheet are read. */
export function buildRowOptions({
  category,
  header,
  settings,
}: Pick<SpreadsheetImport, 'category' | 'header' | 'settings'>): RowOptions {
  const table = findCategory(category)
  assert(table !== undefined, 'a kept sheet has a known category')
  const columns = settings.mapping.map(name => (name === null ? undefined : findColumn(table, name)))
  const units = new Map(header.map((title, place) => [`@${title}`, place]))
  const { mark, clears, constants: same = { texts: {}, overwrites: false, takesGtinAsSku: false } } = settings
  const constants = { ...same, values: selectConstants(table, same.texts, columns) }
  return { columns, mark, clears, units, constants }
}

/** Throws `validation` when two columns are one field, a unit is open, or the field that rows are matched by has no column. */
export function requireSettings(sheet: SpreadsheetImport, sent: ImportSettings): ImportSettings {
  const table = findCategory(sheet.category)
  const chosen = sheet.header.map((_, place) => {
    const name = sent.mapping[place] ?? null
    return name === null || table === undefined ? undefined : findColumn(table, name)
  })
  const columns = resolveUnits(chosen, sheet.header, sheet.traits)
  const names = columns.flatMap(column => column?.name ?? [])
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined)
    throw mappingFault(twice, 'duplicate', `Two columns are ${twice}. Leave one of them out.`)
  const open = columns.find(column => column?.unit === UNIT_TO_CHOOSE)
  if (open !== undefined)
    throw mappingFault(open.name, 'enum', `Say in which unit the column ${open.name} is.`)
  if (!names.includes(sent.matchBy)) {
    const message = `No column is ${sent.matchBy}, by which rows find their product. Choose one, or match by the other.`
    throw mappingFault(sent.matchBy, 'required', message)
  }
  const mark = DECIMAL_MARKS.find(one => one === sent.mark) ?? 'point'
  const mapping = columns.map(column => (column === undefined ? null : buildMappingName(column)))
  return { ...sent, mapping, mark }
}

const mappingFault = (field: string, code: 'duplicate' | 'required' | 'enum', message: string) =>
  invalid([{ field, pointer: '/mapping', code, message }])

const KEPT_DAYS = 30

/** A chore: sheets of a month ago. */
export async function deleteOldImports(sql: AccountContext['sql'], now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * 86_400_000)
  await sql`
    delete from sheet_import where created_at < ${before} and state not in ('checking', 'running')`
}
