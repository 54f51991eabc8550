/** The one place where rows of a sheet meet the verb that creates or updates models. */
import type { AccountContext } from '../accounts/context.ts'
import type { Data } from '../categories/value.ts'
import type { AppError } from '../kernel/errors.ts'
import { skuKey } from '../passports/check-data.ts'
import { findByGtin, findBySku } from '../passports/find-matches.ts'
import { statesInPieces } from '../passports/state.ts'
import { syncModels } from '../passports/sync-models.ts'
import type { Settings } from './import.ts'
import { changesOf, type Reading, type RowData } from './row-data.ts'

export type Writing = Pick<Settings, 'matchBy' | 'changeType'> & {
  category: string
  dryRun: boolean
  /** New models that the steps before have made, or would have. */
  before: number
  reading: Reading
}

export type Written = {
  created: number
  updated: number
  unchanged: number
  refused: { index: number; error: AppError }[]
}

/** Creates or updates a model for each row, or says what would become of them. At most 500 rows. */
export async function writeRows(
  ctx: AccountContext,
  rows: readonly RowData[],
  { category, matchBy, changeType, dryRun, before, reading }: Writing,
): Promise<Written> {
  const changes = await changesOfAll(ctx, rows, matchBy, reading)
  const sent = changes.map(data => ({ category, data }))
  const result = await syncModels(ctx, {
    rows: sent,
    matchBy,
    changeType,
    dryRun,
    before,
    strict: false,
    note: undefined,
  })
  return {
    created: result.created.length,
    updated: result.updated.length,
    unchanged: result.unchanged.length,
    refused: result.errors,
  }
}

/** What a row is told from others by: a SKU in NFC or a GTIN of 14 digits; undefined for a row without. */
export function keyOf({ data }: RowData, matchBy: Settings['matchBy']): string | undefined {
  const value = data[matchBy]
  if (typeof value !== 'string' || value === '' || !value.isWellFormed() || value.includes('\0'))
    return undefined
  return matchBy === 'sku' ? skuKey(value) : value.padStart(14, '0')
}

/** What rows change at the models that they mean, as far as there is one; what else is wrong the verb says. */
async function changesOfAll(
  ctx: AccountContext,
  rows: readonly RowData[],
  matchBy: Settings['matchBy'],
  reading: Reading,
): Promise<Data[]> {
  const keys = [...new Set(rows.flatMap(row => keyOf(row, matchBy) ?? []))]
  const ids = new Map<string, string>()
  if (matchBy === 'sku') {
    for (const [sku, match] of await findBySku(ctx, keys))
      if (match.ids[0] !== undefined) ids.set(sku, match.ids[0])
  } else {
    for (const [gtin, match] of await findByGtin(ctx, keys)) if (match.id !== null) ids.set(gtin, match.id)
  }
  const idOf = (row: RowData) => ids.get(keyOf(row, matchBy) ?? '')
  const changes = new Map<RowData, Data>()
  for await (const states of statesInPieces(ctx, [...new Set(ids.values())])) {
    const there = new Map(states.map(state => [state.row.id, state.inherited]))
    for (const row of rows) {
      const data = there.get(idOf(row) ?? '')
      if (data !== undefined) changes.set(row, changesOf(row, data, reading))
    }
  }
  return rows.map(row => changes.get(row) ?? changesOf(row, undefined, reading))
}
