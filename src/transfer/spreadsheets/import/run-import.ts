/**
 * Checks and runs imports in the background, chunk by chunk. A chunk's products and the progress are one
 * transaction, so that after a crash another process continues after the last complete chunk.
 */
import { findHome } from '../../../accounts/account/account-shard.ts'
import { audit } from '../../../accounts/account/audit.ts'
import type { AccountContext } from '../../../accounts/account/context.ts'
import { readReadinessSettings } from '../../../accounts/account/readiness-settings.ts'
import { perDatabase, type Sql, withRetries } from '../../../kernel/db/database.ts'
import { inTransaction, repeatTransaction } from '../../../kernel/db/transaction.ts'
import { invalidField } from '../../../kernel/errors/errors.ts'
import {
  createBackgroundJobs,
  isAbandoned,
  type JobFailure,
} from '../../../kernel/process/background-jobs.ts'
import type { Clock } from '../../../kernel/values/clock.ts'
import { stopImportFetches } from '../../../media/fetch/import-fetches.ts'
import { saveConstants } from '../columns/constant-values.ts'
import { saveMapping } from '../columns/mapping.ts'
import { fetchPictures, hasPictures, type PictureRules } from './import-pictures.ts'
import { findRowGroups } from './row-groups.ts'
import { splitRows } from './split-rows.ts'
import {
  buildRowOptions,
  getChunkRows,
  getImport,
  type ImportSettings,
  importColumns,
  parseImportRow,
  requireImportCategory,
  requireSettings,
  type SpreadsheetImport,
} from './spreadsheet-import.ts'
import { type ImportAuditSubject, ImportChanged, type Step, writeChunk } from './write-chunk.ts'

/** Another process takes over an import that was silent for this long. */
const ABANDONED_MS = 10_000

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

/** `asDrafts`: rows that only lack required values become drafts. */
type StartRequest = { isConfirmed: boolean; asDrafts: boolean; rules: PictureRules }

/**
 * Starts writing the rows. Throws `not_found`, and `validation` if the import is not checked, would change
 * nothing, or would change existing products without `isConfirmed`.
 */
export async function startImport(
  ctx: AccountContext,
  uuid: string,
  { isConfirmed, asDrafts, rules }: StartRequest,
): Promise<void> {
  const sheet = await getImport(ctx, uuid)
  const { settings, state, created, updated, drafted } = sheet
  if (state === 'checked' && created + updated + (asDrafts ? drafted : 0) === 0) {
    throw invalidField(['rows'], 'required', 'No row of this spreadsheet would change anything.')
  }
  if (state === 'checked' && updated > 0 && !isConfirmed) {
    const message = 'This import changes existing products. Review the changes and confirm them.'
    throw invalidField(['confirm'], 'required', message)
  }
  const confirmed = { ...settings, isConfirmed: isConfirmed && updated > 0, asDrafts }
  await setRunning(ctx, { ...sheet, settings: confirmed }, 'running', rules)
}

/** Stops a check or an import after the current chunk; written products stay. */
export async function stopImport(ctx: AccountContext, uuid: string): Promise<void> {
  const { accountId } = ctx
  await inTransaction(ctx.sql, async sql => {
    const [ended] = await sql<(ImportAuditSubject & { state: string })[]>`
      update sheet_import set state = case when state = 'checking' then 'open' else 'stopped' end
      where account_id = ${accountId} and id = ${uuid} and state in ('checking', 'running')
      returning state, file_name as file, created, updated, unchanged, drafted, failed`
    if (ended !== undefined) await stopImportFetches({ ...ctx, sql }, uuid)
    if (ended?.state !== 'stopped') return
    const { state: _, ...subject } = ended
    await audit({ ...ctx, sql }, 'import_stopped', JSON.stringify(subject))
  })
}

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
        book = case when ${to === 'checking'} then book end, actor_id = ${actorId}, next_chunk = 0, created = 0, updated = 0, unchanged = 0, drafted = 0, failed = 0
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
