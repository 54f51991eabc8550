/** Imports of spreadsheets: rows are stored from the upload to the last product, with progress. */
import type { AccountContext } from '../../../accounts/account/context.ts'
import { type CompleteCategory, findCategory } from '../../../categories/catalogue.ts'
import { newUuid } from '../../../kernel/crypto/ids.ts'
import { inTransaction } from '../../../kernel/db/transaction.ts'
import { invalidField, notFound } from '../../../kernel/errors/errors.ts'
import { stopImportFetches } from '../../../media/fetch/import-fetches.ts'
import type { MatchBy } from '../../../passports/sync/parse-row.ts'
import type { ChangeType } from '../../../passports/write/plan-version.ts'
import { type ColumnTraits, collectTraits, NO_TRAITS } from '../columns/column-traits.ts'
import { buildMappingName, findColumn, isPicturesColumn, UNIT_TO_CHOOSE } from '../columns/columns.ts'
import {
  type ConstantTexts,
  loadConstants,
  selectConstants,
  splitOffered,
} from '../columns/constant-values.ts'
import { listAmbiguousColumns, listMarksToChoose, withOwnMarks } from '../columns/decimal-marks.ts'
import { guessMapping, resolveUnits } from '../columns/guess-mapping.ts'
import { type ColumnMapping, loadRemembered } from '../columns/mapping.ts'
import { type OpenSpreadsheet, openSpreadsheet } from '../columns/read-spreadsheet.ts'
import type { Constants, RowOptions } from '../columns/row-to-passport.ts'
import { DECIMAL_MARKS, type DecimalMark, guessDecimalMark } from '../files/cell.ts'
import type { TextEncoding } from '../files/decode-text.ts'
import type { CountKnownTitles } from '../files/find-header.ts'
import { MAX_ROWS, type SheetRow, SpreadsheetError } from '../files/spreadsheet-error.ts'

export type ImportSettings = {
  mapping: ColumnMapping
  matchBy: MatchBy
  /** Undefined until a person chooses, if the spreadsheet does not show it. */
  mark?: DecimalMark | undefined
  clears: boolean
  changeType: ChangeType
  constants?: ConstantSettings
  /** A person has confirmed that existing products may change. */
  isConfirmed?: boolean
  /** Rows that only lack required values become drafts. */
  asDrafts?: boolean
  /** Texts with HTML are turned into plain text. */
  plainTexts?: boolean
  /** The language of the person who started the import, also for the error file. */
  language?: string
}

/** Values for every row; the other members as in `Constants`. */
/** `offered`: an earlier company, which is used only if a person chooses it. */
export type ConstantSettings = { texts: ConstantTexts; offered?: ConstantTexts } & Pick<
  Constants,
  'overwrites' | 'takesGtinAsSku'
>

type ImportState = 'open' | 'checking' | 'checked' | 'running' | 'done' | 'stopped'

export type SpreadsheetImport = {
  id: string
  accountId: number
  actorId: number
  createdAt: Date
  fileName: string
  encoding: TextEncoding | null
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
  /** Rows that an import kept as drafts. A check counts those that can become drafts, also in `failed`. */
  drafted: number
  failed: number
}

/** Rows written in one transaction, which is one step of the progress bar. */
export const ROWS_PER_CHUNK = 250
/** Security bound: characters that one upload stores in the database. */
const MAX_STORED_LENGTH = 200_000_000
/** Unfinished imports of an account; a new one replaces the oldest that is not running. */
const MAX_OPEN = 10
const SAMPLED_ROWS = 500
const MAX_NAME_LENGTH = 200

/** Stores a file with guessed settings; returns the UUID. Throws `SpreadsheetError` and `validation`. */
export async function createImport(
  ctx: AccountContext,
  upload: { fileName: string; bytes: Buffer; category: string },
): Promise<string> {
  const category = requireImportCategory(upload.category)
  const remembered = await loadRemembered(ctx, category.id)
  const countKnown = countKnownTitles(category, remembered.columns)
  const sheet = await openSpreadsheet(upload.bytes, { sheet: remembered.sheet, countKnown })
  const now = ctx.clock.now()
  const id = newUuid(now.getTime())
  const { sheets = [], encoding = null } = sheet
  const isChoice = sheets.length > 1
  const isKept = isChoice || sheet.choice !== undefined
  await deleteOldestOpen(ctx)
  await ctx.sql`
    insert into sheet_import (account_id, id, actor_id, created_at, alive_at, file_name, encoding, category, header,
      settings, state, row_count, chunk_count, sheets, book)
    values (${ctx.accountId}, ${id}, ${ctx.actorId}, ${now}, ${now}, ${cleanFileName(upload.fileName)},
      ${encoding}, ${category.id}, '[]', '{}', 'open', 0, 0, ${JSON.stringify(isChoice ? sheets : [])}::text::json,
      ${isKept ? upload.bytes : null})`
  try {
    await storeSheet(ctx, id, category, sheet)
  } catch (error) {
    await deleteImport(ctx, id)
    throw error
  }
  return id
}

const countKnownTitles =
  (category: CompleteCategory, columns: ReadonlyMap<string, string | null>): CountKnownTitles =>
  titles =>
    guessMapping(category, titles, columns).filter(name => name !== null).length

/** Which part of the stored file is read: another sheet, or the rows below another header. */
export type SheetSelection = { sheet?: string; headerNo?: number }

/** Replaces the rows by those selected. Throws `not_found`, and `SpreadsheetError` without a change. */
export async function selectSheet(
  ctx: AccountContext,
  uuid: string,
  { sheet: name, headerNo: no }: SheetSelection,
): Promise<void> {
  const { category: categoryId, sheet } = await getImport(ctx, uuid)
  const category = requireImportCategory(categoryId)
  const { columns } = await loadRemembered(ctx, category.id)
  const options = { sheet: name ?? sheet, no, countKnown: countKnownTitles(category, columns) }
  await inTransaction(ctx.sql, async sql => {
    const [kept] = await sql<{ book: Buffer }[]>`
      update sheet_import set state = 'open', next_chunk = 0, created = 0, updated = 0, unchanged = 0, drafted = 0, failed = 0
      where account_id = ${ctx.accountId} and id = ${uuid} and state in ('open', 'checked') and book is not null
      returning book`
    if (kept === undefined) return
    await sql`delete from sheet_chunk where account_id = ${ctx.accountId} and import_id = ${uuid}`
    await storeSheet({ ...ctx, sql }, uuid, category, await openSpreadsheet(kept.book, options))
  })
}

async function storeSheet(
  ctx: AccountContext,
  id: string,
  category: CompleteCategory,
  { header, rows: source, separator, sheets = [], sheet, choice: head }: OpenSpreadsheet,
): Promise<void> {
  const { rows, chunks, sample, traits: found } = await storeRows(ctx, id, source)
  const traits: ColumnTraits = { ...found, head }
  if (rows === 0) throw new SpreadsheetError('no_rows')
  const mapping = guessMapping(category, header, (await loadRemembered(ctx, category.id)).columns, traits)
  const defaultMark = separator === ';' ? 'comma' : 'point'
  const mark =
    listAmbiguousColumns(traits).length > 0
      ? undefined
      : (guessDecimalMark(listNumberTexts(sample, category, mapping)) ?? defaultMark)
  const matchBy = guessMatchField(mapping)
  const constants = {
    ...splitOffered(category, await loadConstants(ctx, category)),
    overwrites: false,
    takesGtinAsSku: matchBy === 'gtin',
  }
  const settings: ImportSettings = { mapping, matchBy, mark, clears: false, changeType: 'change', constants }
  await ctx.sql`
    update sheet_import set row_count = ${rows}, chunk_count = ${chunks}, sheet = ${sheets.length > 1 ? (sheet ?? null) : null},
      traits = ${JSON.stringify(traits)}::text::json, header = ${JSON.stringify(header)}::text::json, settings = ${JSON.stringify(settings)}::text::json
    where account_id = ${ctx.accountId} and id = ${id}`
}

/** The SKU; or the GTIN if a column has it and none has the SKU. */
export const guessMatchField = (mapping: ColumnMapping): MatchBy =>
  !mapping.includes('sku') && mapping.includes('gtin') ? 'gtin' : 'sku'

export function requireImportCategory(id: string): CompleteCategory {
  const category = findCategory(id)
  if (category !== undefined) return category
  throw invalidField(['category'], 'enum', 'category is unknown. Choose one from the list.')
}

const cleanFileName = (sent: string) =>
  (sent.split(/[/\\]/).at(-1) ?? '')
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .slice(0, MAX_NAME_LENGTH)
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
    if (stored > MAX_STORED_LENGTH) throw new SpreadsheetError('too_much')
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

function* listNumberTexts(
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

async function deleteOldestOpen({ sql, accountId }: AccountContext): Promise<void> {
  await sql`
    delete from sheet_import where account_id = ${accountId} and id in (
      select id from sheet_import where account_id = ${accountId} and state in ('open', 'checked', 'stopped')
      order by created_at desc offset ${MAX_OPEN - 1})`
}

export const importColumns = (sql: AccountContext['sql']) => sql`
  id, account_id as "accountId", actor_id as "actorId", created_at as "createdAt", file_name as "fileName", encoding,
  sheets, sheet, category, header, traits, settings, state, row_count as "rowCount",
  chunk_count as "chunkCount", next_chunk as "nextChunk", created, updated, unchanged, drafted, failed`

export const parseImportRow = (row: SpreadsheetImport): SpreadsheetImport => ({
  ...row,
  traits: { ...NO_TRAITS, ...row.traits },
})

/** Throws `not_found`, also for an import of another account. */
export async function getImport(
  { sql, accountId }: AccountContext,
  uuid: string,
): Promise<SpreadsheetImport> {
  const [row] = await sql<SpreadsheetImport[]>`
    select ${importColumns(sql)} from sheet_import where account_id = ${accountId} and id = ${uuid}`
  if (row === undefined || row.rowCount === 0) throw notFound('import')
  return parseImportRow(row)
}

const MAX_LISTED = 20

export async function listImports({ sql, accountId }: AccountContext): Promise<SpreadsheetImport[]> {
  const rows = await sql<SpreadsheetImport[]>`
    select ${importColumns(sql)} from sheet_import where account_id = ${accountId} and row_count > 0
    order by created_at desc, id desc limit ${MAX_LISTED}`
  return rows.map(parseImportRow)
}

/** Deletes an import and its stored rows; the products that it wrote stay. */
export async function deleteImport(ctx: AccountContext, uuid: string): Promise<void> {
  const { sql, accountId } = ctx
  await stopImportFetches(ctx, uuid)
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
  return chunk === undefined ? [] : JSON.parse(chunk.rows)
}

export function buildRowOptions({
  category: categoryId,
  header,
  settings,
  traits,
}: Pick<SpreadsheetImport, 'category' | 'header' | 'settings' | 'traits'>): RowOptions {
  const category = requireImportCategory(categoryId)
  const columns = withOwnMarks(
    settings.mapping.map(name => findColumn(category, name ?? '')),
    traits,
  )
  const units = new Map(header.map((title, place) => [`@${title}`, place]))
  const {
    mark = 'point',
    clears,
    plainTexts = false,
    constants = { texts: {}, overwrites: false, takesGtinAsSku: false },
  } = settings
  const values = selectConstants(category, constants.texts, columns)
  return { columns, mark, clears, units, plainTexts, constants: { ...constants, values } }
}

/**
 * Completes the settings. Throws `validation` if a field has two columns, or a unit or the matched field is
 * missing.
 */
export function requireSettings(sheet: SpreadsheetImport, sent: ImportSettings): ImportSettings {
  const category = requireImportCategory(sheet.category)
  const chosen = sheet.header.map((_, place) => findColumn(category, sent.mapping[place] ?? ''))
  const columns = resolveUnits(chosen, sheet.header, sheet.traits)
  const names = columns.flatMap(column => column?.name ?? [])
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined)
    throw invalidField(
      ['mapping', twice],
      'duplicate',
      `Two columns are mapped to ${twice}. Leave one of them out.`,
    )
  const pictures = columns.some(isPicturesColumn)
  const media = names.find(name => /^pictures\[\d+\]\.media$/.test(name))
  if (pictures && media !== undefined) {
    const message = `The columns pictures and ${media} say both which pictures a product has. Leave one of them out.`
    throw invalidField(['mapping', media], 'duplicate', message)
  }
  const open = columns.find(column => column?.unit === UNIT_TO_CHOOSE)
  if (open !== undefined)
    throw invalidField(['mapping', open.name], 'enum', `Choose the unit of the column ${open.name}.`)
  if (!names.includes(sent.matchBy)) {
    const message = `No column is mapped to ${sent.matchBy}, which identifies the product of a row. Choose a column, or match by the other field.`
    throw invalidField(['mapping', sent.matchBy], 'required', message)
  }
  const mapping = columns.map(column => (column === undefined ? null : buildMappingName(column)))
  const mark = DECIMAL_MARKS.find(one => one === sent.mark)
  const [ambiguous] = mark === undefined ? listMarksToChoose(category, sheet.traits, mapping) : []
  if (ambiguous !== undefined)
    throw invalidField(
      ['mark'],
      'required',
      `“${ambiguous.example}” can be two numbers. Choose how numbers are written.`,
    )
  return { ...sent, mapping, mark }
}

/** Returns true if rows of a spreadsheet are being checked or written. */
export async function hasRunningImport({ sql, accountId }: AccountContext): Promise<boolean> {
  const found = await sql`
    select from sheet_import where account_id = ${accountId} and state in ('checking', 'running') limit 1`
  return found.length > 0
}

const MAX_AGE_DAYS = 30

/** Scheduled task: deletes imports older than 30 days. */
export async function deleteOldImports(sql: AccountContext['sql'], now: Date): Promise<void> {
  const before = new Date(now.getTime() - MAX_AGE_DAYS * 86_400_000)
  await sql`
    delete from sheet_import where created_at < ${before} and state not in ('checking', 'running')`
}
