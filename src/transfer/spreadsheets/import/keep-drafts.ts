/** Keeps rows that only lack required values as drafts. A check marks those that can become drafts. */
import type { AccountContext } from '../../../accounts/account/context.ts'
import { AppError } from '../../../kernel/errors/errors.ts'
import type { DataObject } from '../../../kernel/values/data-object.ts'
import { createDrafts, type DraftOutcome } from '../../../passports/drafts/create-drafts.ts'
import { MAX_DRAFTS } from '../../../passports/drafts/store-drafts.ts'
import { buildRowErrors, quoteCell, type RowError } from '../columns/row-errors.ts'
import type { RowOptions } from '../columns/row-to-passport.ts'
import type { ChunkErrors, GoodRow } from './split-rows.ts'
import type { SpreadsheetImport } from './spreadsheet-import.ts'

/** `draft`: the data of a new product that lacks only required values. */
type RefusedRow = GoodRow & { no: number; faults: RowError[]; draft: DataObject | undefined }

type KeptDrafts = { errors: ChunkErrors; drafted: number; unchanged: number }

/** A check counts the drafts that an import can create; an import creates them if a person chose that. */
export async function keepDrafts(
  ctx: AccountContext,
  sheet: SpreadsheetImport,
  { rows, reading }: { rows: readonly RefusedRow[]; reading: RowOptions },
): Promise<KeptDrafts> {
  const dryRun = sheet.state === 'checking'
  const isChosen = dryRun || sheet.settings.asDrafts === true
  const drafts = rows.flatMap(row =>
    isChosen && row.draft !== undefined
      ? [{ row, data: row.draft, note: `${sheet.fileName} (${row.no})` }]
      : [],
  )
  const outcomes = await createDrafts(ctx, { category: sheet.category, rows: drafts, dryRun })
  const byRow = new Map(drafts.map(({ row }, place) => [row, outcomes[place]]))
  const kept: KeptDrafts = { errors: [], drafted: 0, unchanged: 0 }
  for (const row of rows) {
    const outcome = byRow.get(row)
    const isKept = outcome === 'created' || outcome === 'unchanged'
    if (outcome === 'created') kept.drafted++
    if (dryRun && isKept) kept.errors.push([row.place, row.faults, outcome === 'created' ? 'new' : 'there'])
    else if (!isKept) kept.errors.push([row.place, [...row.faults, ...explainOutcome(outcome, row, reading)]])
    else if (outcome === 'unchanged') kept.unchanged++
  }
  return kept
}

function explainOutcome(
  outcome: DraftOutcome | undefined,
  { cells, data: { data } }: RefusedRow,
  reading: RowOptions,
): RowError[] {
  if (outcome instanceof AppError) return buildRowErrors(outcome, cells, reading)
  if (outcome === 'full') return [{ column: null, field: '', ...DRAFT_ERRORS.full }]
  if (outcome !== 'taken') return []
  const field = typeof data.sku === 'string' ? 'sku' : 'gtin'
  const column = reading.columns.findIndex(one => one?.name === field)
  const at = { column: column < 0 ? null : column, field, ...quoteCell(cells, column) }
  return [{ ...at, ...DRAFT_ERRORS.taken }]
}

const DRAFT_ERRORS = {
  full: {
    code: 'draft',
    message: `The row was not kept as a draft: an account can have ${MAX_DRAFTS} drafts. Publish or discard some, then import the row again.`,
    said: { key: 'full', facts: { most: MAX_DRAFTS } },
  },
  taken: {
    code: 'draft',
    message:
      'A draft of this product has other values, and an import changes no drafts. Change that draft, or discard it and import the row again.',
    said: { key: 'taken', facts: {} },
  },
} as const satisfies Record<string, Pick<RowError, 'code' | 'message' | 'said'>>
