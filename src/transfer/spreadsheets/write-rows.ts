/** The one place where rows of a sheet meet the verb that creates or updates models. */
import type { AccountContext } from '../../accounts/context.ts'
import type { Data } from '../../categories/value.ts'
import { AppError } from '../../kernel/errors.ts'
import { normaliseSku } from '../../passports/core/check-data.ts'
import { readStatesInBatches } from '../../passports/core/state.ts'
import { syncModels } from '../../passports/sync/sync-models.ts'
import { findByGtin, findBySku } from '../../passports/write/find-matches.ts'
import { findProductChange, type ProductChange } from './product-changes.ts'
import { buildChanges, type ParsedRow, type RowOptions } from './row-to-passport.ts'
import type { ImportSettings } from './spreadsheet-import.ts'

export type WriteRowsOptions = Pick<ImportSettings, 'matchBy' | 'changeType'> & {
  category: string
  dryRun: boolean
  /** New models that the steps before have made, or would have. */
  before: number
  reading: RowOptions
  /** Products that are there may be changed. */
  isConfirmed: boolean
}

export type WriteRowsResult = {
  created: number
  updated: number
  unchanged: number
  refused: { index: number; error: AppError }[]
  /** Of a dry run: what would change at the products of `updated`. */
  changes: (ProductChange & { index: number })[]
}

/** Creates or updates a model for each row, or says what would become of them. At most 500 rows. */
export async function writeRows(
  ctx: AccountContext,
  rows: readonly ParsedRow[],
  { category, matchBy, changeType, dryRun, before, reading, isConfirmed }: WriteRowsOptions,
): Promise<WriteRowsResult> {
  const planned = await planChanges(ctx, rows, matchBy, reading)
  // Products made since the check were not shown to the person who confirmed it.
  const isHeld = ({ change }: Planned) => change !== undefined && !dryRun && !isConfirmed
  const places = planned.flatMap((one, index) => (isHeld(one) ? [] : [index]))
  const result = await syncModels(ctx, {
    rows: places.map(index => ({ category, data: planned[index]?.data })),
    matchBy,
    changeType,
    dryRun,
    before,
    strict: false,
    note: undefined,
  })
  const placed = <T extends { index: number }>(one: T): T => ({ ...one, index: places[one.index] ?? 0 })
  const held = planned.flatMap((one, index) => (isHeld(one) ? [{ index, error: notShown() }] : []))
  return {
    created: result.created.length,
    updated: result.updated.length,
    unchanged: result.unchanged.length,
    refused: [...result.errors.map(placed), ...held],
    changes: dryRun
      ? result.updated.map(placed).flatMap(({ index }) => {
          const change = planned[index]?.change
          return change === undefined ? [] : [{ ...change, index }]
        })
      : [],
  }
}

const notShown = () =>
  new AppError(
    'version_conflict',
    'This row would change a product that the check did not show. Check the sheet again.',
  )

/** What a row is told from others by: a SKU in NFC or a GTIN of 14 digits; undefined for a row without. */
export function findMatchKey({ data }: ParsedRow, matchBy: ImportSettings['matchBy']): string | undefined {
  const value = data[matchBy]
  if (typeof value !== 'string' || value === '' || !value.isWellFormed() || value.includes('\0'))
    return undefined
  return matchBy === 'sku' ? normaliseSku(value) : value.padStart(14, '0')
}

/** What is sent for a row, and what that changes at a model that is there. */
type Planned = { data: Data; change?: ProductChange | undefined }

/** What rows change at the models that they mean, as far as there is one; what else is wrong the verb says. */
async function planChanges(
  ctx: AccountContext,
  rows: readonly ParsedRow[],
  matchBy: ImportSettings['matchBy'],
  reading: RowOptions,
): Promise<Planned[]> {
  const keys = [...new Set(rows.flatMap(row => findMatchKey(row, matchBy) ?? []))]
  const ids = new Map<string, string>()
  if (matchBy === 'sku') {
    for (const [sku, match] of await findBySku(ctx, keys))
      if (match.ids[0] !== undefined) ids.set(sku, match.ids[0])
  } else {
    for (const [gtin, match] of await findByGtin(ctx, keys)) if (match.id !== null) ids.set(gtin, match.id)
  }
  const idOf = (row: ParsedRow) => ids.get(findMatchKey(row, matchBy) ?? '')
  const planned = new Map<ParsedRow, Planned>()
  for await (const states of readStatesInBatches(ctx, [...new Set(ids.values())])) {
    const there = new Map(states.map(state => [state.row.id, state.inherited]))
    for (const row of rows) {
      const current = there.get(idOf(row) ?? '')
      if (current === undefined) continue
      const data = buildChanges(row, current, reading)
      planned.set(row, { data, change: findProductChange(current, data) })
    }
  }
  return rows.map(row => planned.get(row) ?? { data: buildChanges(row, undefined, reading) })
}
