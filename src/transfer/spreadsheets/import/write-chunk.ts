/** Checks or writes the rows of one chunk of an import, with its results and the progress. */
import { lockAccount } from '../../../accounts/account/accounts.ts'
import { audit } from '../../../accounts/account/audit.ts'
import type { AccountContext } from '../../../accounts/account/context.ts'
import { findDrafted } from '../../../passports/drafts/create-drafts.ts'
import { collectNameNotes } from '../columns/name-notes.ts'
import type { RowError } from '../columns/row-errors.ts'
import type { RowOptions } from '../columns/row-to-passport.ts'
import { hasPictures, notePictures, type PictureRules, readPictureFiles } from './import-pictures.ts'
import { keepDrafts } from './keep-drafts.ts'
import type { RowGroups } from './row-groups.ts'
import {
  buildWarnings,
  collectWarnings,
  DRAFT_WARNING,
  findMarkedTexts,
  serializeCheckNotes,
} from './row-warnings.ts'
import { type ChunkErrors, explainRefusal, type GoodRow, splitRows } from './split-rows.ts'
import type { ChunkRow, SpreadsheetImport } from './spreadsheet-import.ts'
import { type WriteRowsResult, writeRows } from './write-rows.ts'

/** Audit entries of an import, as JSON: the number of rows at its start, the results at its end. */
export type ImportAuditSubject = { file: string; rows?: number } & Partial<ImportCounts>
type ImportCounts = Pick<SpreadsheetImport, 'created' | 'updated' | 'unchanged' | 'drafted' | 'failed'>

export type Step = {
  no: number
  rows: ChunkRow[]
  /** New models of the previous chunks, created or planned: a check also counts them against the quota. */
  before: number
  reading: RowOptions
  groups: RowGroups
  rules: PictureRules
}

/** Another process took over, or somebody pressed Stop: this chunk is rolled back. */
export class ImportChanged extends Error {
  override name = 'ImportChanged'
}

export async function writeChunk(ctx: AccountContext, sheet: SpreadsheetImport, step: Step): Promise<number> {
  const { no, rows, before, groups } = step
  const dryRun = sheet.state === 'checking'
  const { matchBy, changeType, isConfirmed = false, asDrafts = false } = sheet.settings
  // Drafts are created in turns. The row of the account is locked before products are.
  if (!dryRun && asDrafts) await lockAccount(ctx)
  const names = collectNameNotes()
  const noted = { ...step.reading, onName: names.listen }
  const split = splitRows(sheet, { rows, reading: noted, groups })
  const { good, faults, reading, notes } = await checkPictures(ctx, sheet, step, split)
  const writing = { category: sheet.category, matchBy, changeType, dryRun, before, reading, isConfirmed }
  const data = good.map(one => one.data)
  const written = await writeRows(ctx, data, writing)
  const refused = written.refused.flatMap(({ index, error, draft }) => {
    const row = good[index]
    if (row === undefined) return []
    const { faults, isVariant } = explainRefusal(error, row, { rows, reading, groups })
    return [{ ...row, no: rows[row.place]?.[0] ?? 0, faults, draft: isVariant ? undefined : draft }]
  })
  const kept = await keepDrafts(ctx, sheet, { rows: refused, reading })
  faults.push(...kept.errors)
  faults.sort(([a], [b]) => a - b)
  // An import keeps the changes found by the check, because the person has confirmed them.
  const told = dryRun ? await collectCheckNotes(ctx, { sheet, step, good, written, reading }) : null
  const { sql, accountId } = ctx
  await sql`
    update sheet_chunk set faults = ${faults.length === 0 ? null : JSON.stringify(faults)},
      changes = case when ${dryRun}::boolean then ${serializeChanges(good, written)} else changes end,
      names = case when ${dryRun}::boolean then ${JSON.stringify(names.notes())} else names end,
      warnings = case when ${dryRun}::boolean then ${told} else warnings end,
      notes = ${serializeNotes(notes, faults)}
    where account_id = ${accountId} and import_id = ${sheet.id} and no = ${no}`
  const unchanged = written.unchanged + kept.unchanged
  const { created, updated } = written
  return saveProgress(ctx, sheet, no, {
    created,
    updated,
    unchanged,
    drafted: kept.drafted,
    failed: faults.length,
  })
}

type CheckedChunk = {
  sheet: SpreadsheetImport
  step: Step
  good: readonly GoodRow[]
  written: WriteRowsResult
  reading: RowOptions
}

/** Notes for a person about the rows that a check would write. */
async function collectCheckNotes(
  ctx: AccountContext,
  { sheet, step, good, written, reading }: CheckedChunk,
): Promise<string | null> {
  const getNo = ({ place }: GoodRow) => step.rows[place]?.[0] ?? 0
  const collected = collectWarnings()
  const fresh = written.warnings.filter(({ isNew }) => isNew)
  const drafted = await findDrafted(
    ctx,
    sheet.category,
    fresh.map(({ data }) => data),
  )
  const besideDrafts = new Set(fresh.filter((_, n) => drafted[n]).map(({ index }) => index))
  for (const { index, warnings } of written.warnings) {
    const row = good[index]
    if (row === undefined) continue
    const told = buildWarnings(warnings, row, reading)
    collected.add(getNo(row), besideDrafts.has(index) ? [...told, DRAFT_WARNING] : told)
  }
  const rows = good.map(row => ({ ...row, no: getNo(row) }))
  return serializeCheckNotes({ warnings: collected.list(), ...findMarkedTexts(rows, reading) })
}

/** Adds the counts of a chunk. Returns the number of new models so far. */
async function saveProgress(
  ctx: AccountContext,
  sheet: SpreadsheetImport,
  no: number,
  counts: ImportCounts,
): Promise<number> {
  const { sql, accountId, clock } = ctx
  const isLast = no + 1 === sheet.chunkCount
  const next = isLast ? (sheet.state === 'checking' ? 'checked' : 'done') : sheet.state
  const [moved] = await sql<ImportCounts[]>`
    update sheet_import set next_chunk = ${no + 1}, alive_at = ${clock.now()}, state = ${next},
      created = created + ${counts.created}, updated = updated + ${counts.updated},
      unchanged = unchanged + ${counts.unchanged}, drafted = drafted + ${counts.drafted},
      failed = failed + ${counts.failed}
    where account_id = ${accountId} and id = ${sheet.id} and next_chunk = ${no} and state = ${sheet.state}
      and settings::text = ${JSON.stringify(sheet.settings)}
    returning created, updated, unchanged, drafted, failed`
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

function serializeChanges(good: readonly GoodRow[], { changes }: WriteRowsResult): string | null {
  const placed = changes.map(([index, change]) => [good[index]?.place, change])
  return placed.length === 0 ? null : JSON.stringify(placed)
}
