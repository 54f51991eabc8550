/**
 * Checks and runs imports in the background, chunk by chunk. A chunk's products and the progress are one
 * transaction, so that after a crash another process continues after the last complete chunk.
 */
import { findHome } from '../../accounts/account-shard.ts'
import { audit } from '../../accounts/audit.ts'
import type { AccountContext } from '../../accounts/context.ts'
import { readReadinessSettings } from '../../accounts/readiness-settings.ts'
import type { Clock } from '../../kernel/clock.ts'
import { perDatabase, type Sql, withRetries } from '../../kernel/db/database.ts'
import { inTransaction, repeatTransaction } from '../../kernel/db/transaction.ts'
import { type AppError, invalidField } from '../../kernel/errors.ts'
import { createBackgroundJobs, isAbandoned, type JobFailure } from '../../kernel/process/background-jobs.ts'
import { stopImportFetches } from '../../media/fetch/import-fetches.ts'
import { listCellDamages } from './cell-damage.ts'
import { saveConstants } from './constant-values.ts'
import {
  fetchPictures,
  hasPictures,
  notePictures,
  type PictureRules,
  readPictureFiles,
} from './import-pictures.ts'
import { DUPLICATE_COLUMN, saveMapping } from './mapping.ts'
import { collectNameNotes } from './name-notes.ts'
import {
  buildDuplicateError,
  buildRepeatedError,
  buildRowErrors,
  buildVariantError,
  quoteCell,
  type RowError,
} from './row-errors.ts'
import { findRowGroups, isMarkedDuplicate, type RowGroups } from './row-groups.ts'
import { type ParsedRow, parseRow, type RowOptions } from './row-to-passport.ts'
import {
  buildRowOptions,
  type ChunkRow,
  getChunkRows,
  getImport,
  type ImportSettings,
  importColumns,
  parseImportRow,
  requireImportCategory,
  requireSettings,
  type SpreadsheetImport,
} from './spreadsheet-import.ts'
import { findMatchKey, type WriteRowsResult, writeRows } from './write-rows.ts'

/** Another process takes over an import that was silent for this long. */
const ABANDONED_MS = 10_000

type ChunkErrors = [place: number, faults: RowError[]][]

type CheckRequest = { settings: ImportSettings; rules: PictureRules }

/** Saves the settings and starts the check of all rows. Throws `not_found`, `validation`. */
export async function startCheck(
  ctx: AccountContext,
  uuid: string,
  { settings: sent, rules }: CheckRequest,
): Promise<void> {
  const sheet = await getImport(ctx, uuid)
  const settings = requireSettings(sheet, sent)
  await saveMapping(ctx, sheet, settings.mapping)
  const { columns } = buildRowOptions({ ...sheet, settings })
  await saveConstants(ctx, requireImportCategory(sheet.category), columns, settings.constants?.texts ?? {})
  await setRunning(ctx, { ...sheet, settings }, 'checking', rules)
}

/**
 * Starts writing the rows. Throws `not_found`, and `validation` if the import is not checked, would change
 * nothing, or would change existing products without `isConfirmed`.
 */
export async function startImport(
  ctx: AccountContext,
  uuid: string,
  { isConfirmed, rules }: { isConfirmed: boolean; rules: PictureRules },
): Promise<void> {
  const sheet = await getImport(ctx, uuid)
  const { settings, state, created, updated } = sheet
  if (state === 'checked' && created + updated === 0) {
    throw invalidField(['rows'], 'required', 'No row of this spreadsheet would change anything.')
  }
  if (state === 'checked' && updated > 0 && !isConfirmed) {
    const message = 'This import changes existing products. Review the changes and confirm them.'
    throw invalidField(['confirm'], 'required', message)
  }
  const confirmed = { ...settings, isConfirmed: isConfirmed && updated > 0 }
  await setRunning(ctx, { ...sheet, settings: confirmed }, 'running', rules)
}

/** Stops a check or an import after the current chunk; written products stay. */
export async function stopImport(ctx: AccountContext, uuid: string): Promise<void> {
  const { accountId } = ctx
  await inTransaction(ctx.sql, async sql => {
    const [ended] = await sql<(ImportAuditSubject & { state: string })[]>`
      update sheet_import set state = case when state = 'checking' then 'open' else 'stopped' end
      where account_id = ${accountId} and id = ${uuid} and state in ('checking', 'running')
      returning state, file_name as file, created, updated, unchanged, failed`
    if (ended !== undefined) await stopImportFetches({ ...ctx, sql }, uuid)
    if (ended?.state !== 'stopped') return
    const { state: _, ...subject } = ended
    await audit({ ...ctx, sql }, 'import_stopped', JSON.stringify(subject))
  })
}

/** Audit entries of an import, as JSON: the number of rows at its start, the results at its end. */
export type ImportAuditSubject = { file: string; rows?: number } & Partial<ImportCounts>
type ImportCounts = Pick<SpreadsheetImport, 'created' | 'updated' | 'unchanged' | 'failed'>

/** Rejects a header that differs from that of the settings: another file may have been uploaded meanwhile. */
async function setRunning(
  ctx: AccountContext,
  { id, header, settings }: SpreadsheetImport,
  to: 'checking' | 'running',
  rules: PictureRules,
): Promise<void> {
  const from = to === 'checking' ? ['open', 'checked'] : ['checked']
  const { accountId, actorId, clock } = ctx
  // Two statements: as one, Citus would also need a machine that has nothing of this account.
  const row = await inTransaction(ctx.sql, async sql => {
    const [begun] = await sql<SpreadsheetImport[]>`
      update sheet_import set state = ${to}, settings = ${JSON.stringify(settings)}::text::json, alive_at = ${clock.now()},
        book = case when ${to === 'checking'} then book end, actor_id = ${actorId}, next_chunk = 0, created = 0, updated = 0, unchanged = 0, failed = 0
      where account_id = ${accountId} and id = ${id} and state = any(${from}::text[])
        and header::text = ${JSON.stringify(header)} returning ${importColumns(sql)}`
    if (begun !== undefined && to === 'checking') await stopImportFetches({ ...ctx, sql }, id)
    if (begun === undefined || to === 'checking') return begun
    const subject: ImportAuditSubject = { file: begun.fileName, rows: begun.rowCount }
    await audit({ ...ctx, sql }, 'import_started', JSON.stringify(subject))
    return begun
  })
  if (row === undefined)
    throw invalidField(
      ['state'],
      'immutable',
      'This import has changed meanwhile. Reload the page to see its state.',
    )
  runners(ctx.sql).startAnew(clock, { id, sheet: parseImportRow(row), rules })
}

/** Resumes imports that no process works on. A timer in every server calls it. */
export async function resumeImports(sql: Sql, clock: Clock, rules: PictureRules): Promise<number> {
  const now = clock.now()
  const rows = await sql<SpreadsheetImport[]>`
    update sheet_import set alive_at = ${now}
    where state in ('checking', 'running') and ${isAbandoned(sql, now, ABANDONED_MS)}
    returning ${importColumns(sql)}`
  for (const row of rows) runners(sql).start(clock, { id: row.id, sheet: parseImportRow(row), rules })
  return rows.length
}

/** Stops the imports of this process after their current chunks, and waits for that. */
export const stopImports = (sql: Sql): Promise<void> => runners(sql).stop()

export const waitForImports = (sql: Sql): Promise<void> => runners(sql).ended()

/** Returns and clears the errors that stopped imports in this process; those imports are resumed. */
export const takeImportFailures = (sql: Sql): JobFailure[] => runners(sql).takeFailures()

type ImportJob = { id: string; sheet: SpreadsheetImport; rules: PictureRules }

const runners = perDatabase((sql: Sql) =>
  createBackgroundJobs<ImportJob>((clock, job, canContinue) => run(sql, clock, job, canContinue)),
)

async function run(
  sql: Sql,
  clock: Clock,
  { sheet, rules }: ImportJob,
  canContinue: () => boolean,
): Promise<void> {
  const { accountId, actorId } = sheet
  const home = { ...(await findHome(sql, accountId)), clock, accountId, actorId }
  // Once, so that the chunks need not read them.
  const ctx: AccountContext = { ...home, readiness: await readReadinessSettings(home) }
  const reading = buildRowOptions(sheet)
  const groups = await findRowGroups(ctx, sheet, reading)
  let before: number | undefined = sheet.created
  for (let no = sheet.nextChunk; no < sheet.chunkCount && canContinue(); no++) {
    const step: Step = { no, rows: await getChunkRows(ctx, sheet.id, no), before, reading, groups, rules }
    if (sheet.state === 'running' && hasPictures(reading)) {
      const rows = splitRows(sheet, step).good.map(({ data }) => data)
      const keepAlive = () => saveHeartbeat(ctx, sheet, no)
      if (!(await fetchPictures({ ctx, sheet, rules }, rows, { canContinue, keepAlive }))) return
    }
    before = await withRetries(() => processChunk(ctx, sheet, step))
    if (before === undefined) return
  }
}

/** False if another process took over, or if somebody pressed Stop. */
async function saveHeartbeat(
  { sql, accountId, clock }: AccountContext,
  { id, state }: SpreadsheetImport,
  no: number,
): Promise<boolean> {
  const { count } = await sql`
    update sheet_import set alive_at = ${clock.now()}
    where account_id = ${accountId} and id = ${id} and next_chunk = ${no} and state = ${state}`
  return count > 0
}

type Step = {
  no: number
  rows: ChunkRow[]
  /** New models of the previous chunks, created or planned: a check also counts them against the quota. */
  before: number
  reading: RowOptions
  groups: RowGroups
  rules: PictureRules
}

/** Another process took over, or somebody pressed Stop: this chunk is rolled back. */
class ImportChanged extends Error {
  override name = 'ImportChanged'
}

/** Returns the number of new models so far; undefined if this process must not continue. */
async function processChunk(
  ctx: AccountContext,
  sheet: SpreadsheetImport,
  step: Step,
): Promise<number | undefined> {
  try {
    return await repeatTransaction(() =>
      inTransaction(ctx.sql, sql => writeChunk({ ...ctx, sql }, sheet, step)),
    )
  } catch (error) {
    if (error instanceof ImportChanged) return undefined
    throw error
  }
}

async function writeChunk(ctx: AccountContext, sheet: SpreadsheetImport, step: Step): Promise<number> {
  const { no, rows, before, groups } = step
  const { sql, accountId, clock } = ctx
  const dryRun = sheet.state === 'checking'
  const names = collectNameNotes()
  const noted = { ...step.reading, onName: names.listen }
  const split = splitRows(sheet, { rows, reading: noted, groups })
  const { good, faults, reading, notes } = await checkPictures(ctx, sheet, step, split)
  const { matchBy, changeType, isConfirmed = false } = sheet.settings
  const writing = { category: sheet.category, matchBy, changeType, dryRun, before, reading, isConfirmed }
  const data = good.map(one => one.data)
  const written = await writeRows(ctx, data, writing)
  for (const { index, error } of written.refused) {
    const row = good[index]
    if (row !== undefined) faults.push([row.place, explainRefusal(error, row, { rows, reading, groups })])
  }
  faults.sort(([a], [b]) => a - b)
  // An import keeps the changes found by the check, because the person has confirmed them.
  await sql`
    update sheet_chunk set faults = ${faults.length === 0 ? null : JSON.stringify(faults)},
      changes = ${dryRun ? serializeChanges(good, written) : sql`changes`},
      names = ${dryRun ? JSON.stringify(names.notes()) : sql`names`}, notes = ${serializeNotes(notes, faults)}
    where account_id = ${accountId} and import_id = ${sheet.id} and no = ${no}`
  const isLast = no + 1 === sheet.chunkCount
  const next = isLast ? (dryRun ? 'checked' : 'done') : sheet.state
  const [moved] = await sql<ImportCounts[]>`
    update sheet_import set next_chunk = ${no + 1}, alive_at = ${clock.now()}, state = ${next},
      created = created + ${written.created}, updated = updated + ${written.updated},
      unchanged = unchanged + ${written.unchanged}, failed = failed + ${faults.length}
    where account_id = ${accountId} and id = ${sheet.id} and next_chunk = ${no} and state = ${sheet.state}
      and settings::text = ${JSON.stringify(sheet.settings)}
    returning created, updated, unchanged, failed`
  if (moved === undefined) throw new ImportChanged()
  const subject: ImportAuditSubject = { file: sheet.fileName, ...moved }
  if (next === 'done') await audit(ctx, 'import_done', JSON.stringify(subject))
  return moved.created
}

/** Moves rows with pictures that cannot be used to the rows with errors. */
async function checkPictures(
  ctx: AccountContext,
  sheet: SpreadsheetImport,
  { reading, rules }: Step,
  { good, faults }: ReturnType<typeof splitRows>,
) {
  const none: RowNotes = new Map()
  if (!hasPictures(reading)) return { good, faults, reading, notes: none }
  const check = { ctx, sheet, reading, rules }
  const files = { publicUrl: rules.publicUrl, fetched: new Map() }
  const result =
    sheet.state === 'checking'
      ? { faults: await notePictures(check, good), files, notes: none }
      : await readPictureFiles(check, good)
  return {
    good: good.filter(({ place }) => !result.faults.has(place)),
    faults: [...faults, ...result.faults],
    reading: { ...reading, pictures: result.files },
    notes: result.notes,
  }
}

type RowNotes = ReadonlyMap<number, RowError[]>

/** The notes of the rows that were written. */
function serializeNotes(notes: RowNotes, faults: ChunkErrors): string | null {
  const failed = new Set(faults.map(([place]) => place))
  const kept = [...notes].filter(([place]) => !failed.has(place))
  return kept.length === 0 ? null : JSON.stringify(kept)
}

type RowContext = Pick<Step, 'rows' | 'reading' | 'groups'>

/** A variant of an earlier row that lacks a name gets only that sentence. */
function explainRefusal(
  error: AppError,
  { place, cells }: GoodRow,
  { rows, reading, groups }: RowContext,
): RowError[] {
  const variantOf = groups.variants.get(rows[place]?.[0] ?? -1)
  const lacksName = error.details?.some(({ code, path }) => code === 'required' && path[1] === 'productName')
  return variantOf !== undefined && lacksName
    ? [buildVariantError(reading, variantOf)]
    : buildRowErrors(error, cells, reading)
}

type GoodRow = { place: number; cells: ChunkRow[1]; data: ParsedRow }

function serializeChanges(good: readonly GoodRow[], { changes }: WriteRowsResult): string | null {
  const placed = changes.map(([index, change]) => [good[index]?.place, change])
  return placed.length === 0 ? null : JSON.stringify(placed)
}

/** Separates the rows to write from those with damaged cells or about the same product as an earlier row. */
function splitRows(sheet: SpreadsheetImport, { rows, reading, groups }: RowContext) {
  const { matchBy } = sheet.settings
  const faults: ChunkErrors = []
  const good: GoodRow[] = []
  for (const [place, [rowNo, cells]] of rows.entries()) {
    const damages = listCellDamages(cells, reading.columns)
    if (damages.length > 0) {
      faults.push([place, damages])
      continue
    }
    const data = parseRow(cells, reading)
    const first = groups.firsts.get(findMatchKey(data, matchBy) ?? '')
    const variantOf = groups.variants.get(rowNo)
    if (isMarkedDuplicate(sheet.header, cells, data)) {
      const column = sheet.header.indexOf(DUPLICATE_COLUMN)
      faults.push([place, [buildRepeatedError({ column, ...quoteCell(cells, column) })]])
    } else if (first === undefined || first === rowNo) good.push({ place, cells, data })
    else if (variantOf !== undefined) faults.push([place, [buildVariantError(reading, variantOf)]])
    else {
      const column = sheet.settings.mapping.indexOf(matchBy)
      const at = { column: column < 0 ? null : column, field: matchBy, ...quoteCell(cells, column) }
      faults.push([place, [buildDuplicateError(at, first)]])
    }
  }
  return { good, faults }
}
