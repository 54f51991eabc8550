/** Creates or updates models from rows, with the same function as the API. */
import type { AccountContext } from '../../../accounts/account/context.ts'
import { isTransaction } from '../../../kernel/db/transaction.ts'
import { AppError, type Detail } from '../../../kernel/errors/errors.ts'
import type { DataObject } from '../../../kernel/values/data-object.ts'
import { normaliseSku } from '../../../passports/core/check-data.ts'
import { readStatesOnShards } from '../../../passports/core/state.ts'
import { isKeyText, type MatchBy } from '../../../passports/sync/parse-row.ts'
import { syncModels } from '../../../passports/sync/sync-models.ts'
import { findByGtin, findBySku } from '../../../passports/write/find-matches.ts'
import { lockPassports } from '../../../passports/write/lock-passports.ts'
import { listPictureSources } from '../columns/pictures.ts'
import { buildChanges, type ParsedRow, type RowOptions } from '../columns/row-to-passport.ts'
import {
  describeNewProduct,
  findProductChange,
  MAX_SHOWN_NEW,
  type ProductChange,
} from './product-changes.ts'
import type { ImportSettings } from './spreadsheet-import.ts'

type WriteRowsOptions = Pick<ImportSettings, 'matchBy' | 'changeType'> & {
  category: string
  dryRun: boolean
  /** New models of the previous steps, created or planned. */
  before: number
  reading: RowOptions
  isConfirmed: boolean
}

export type WriteRowsResult = {
  created: number
  updated: number
  unchanged: number
  /** `draft`: the data of a new product that only lacks required values. */
  refused: { index: number; error: AppError; draft?: DataObject }[]
  /** Counts rows that create or change a product. */
  warnings: { index: number; isNew: boolean; data: DataObject; warnings: readonly Detail[] }[]
  /** Only in a dry run: the changes of the products in `updated`, and the first new products. */
  changes: (readonly [index: number, change: ProductChange])[]
}

/** Creates or updates a model for each row; a dry run only reports what it would do. At most 500 rows. */
export async function writeRows(
  ctx: AccountContext,
  rows: readonly ParsedRow[],
  { category, matchBy, changeType, dryRun, before, reading, isConfirmed }: WriteRowsOptions,
): Promise<WriteRowsResult> {
  const planned = await planChanges(ctx, rows, { matchBy, reading, dryRun })
  // Products created after the check were not shown to the person who confirmed the import.
  const isUnconfirmed = ({ change }: Planned) => change !== undefined && !dryRun && !isConfirmed
  const places = planned.flatMap((one, index) => (isUnconfirmed(one) ? [] : [index]))
  const result = await syncModels(ctx, {
    rows: places.map(index => ({ category, data: dryRun ? planned[index]?.certain : planned[index]?.data })),
    matchBy,
    changeType,
    dryRun,
    before,
    strict: false,
    note: undefined,
  })
  const placed = <T extends { index: number }>(one: T): T => ({ ...one, index: places[one.index] ?? 0 })
  const message = 'This row would change a product that the check did not show. Check the spreadsheet again.'
  const unconfirmed = planned.flatMap((one, index) =>
    isUnconfirmed(one) ? [{ index, error: new AppError('version_conflict', message) }] : [],
  )
  // Which picture an address leads to is not known before it is fetched.
  const isOpen = ({ index }: { index: number }) => dryRun && planned[index]?.data !== planned[index]?.certain
  const { open = [], unchanged = [] } = Object.groupBy(result.unchanged.map(placed), one =>
    isOpen(one) ? 'open' : 'unchanged',
  )
  const updated = [...result.updated.map(placed), ...open]
  const shown = dryRun ? result.created.map(placed).slice(0, Math.max(0, MAX_SHOWN_NEW - before)) : []
  const fresh = shown.map(({ index }) => [index, describeNewProduct(planned[index]?.data ?? {})] as const)
  return {
    warnings: dryRun
      ? [...result.created, ...result.updated].map(placed).map(({ index, warnings }) => {
          const { isNew = false, data = {} } = planned[index] ?? {}
          return { index, isNew, data, warnings }
        })
      : [],
    created: result.created.length,
    updated: updated.length,
    unchanged: unchanged.length,
    refused: [
      ...result.errors.map(placed).map(one => withDraft(one, planned[one.index], dryRun)),
      ...unconfirmed,
    ],
    changes: [
      ...fresh,
      ...updated.flatMap(({ index }) => {
        const change = dryRun ? planned[index]?.change : undefined
        return change === undefined ? [] : [[index, change] as const]
      }),
    ],
  }
}

function withDraft<R extends { error: AppError }>(refused: R, planned: Planned | undefined, dryRun: boolean) {
  if (planned === undefined || !planned.isNew || !isIncomplete(refused.error)) return refused
  return { ...refused, draft: dryRun ? planned.certain : planned.data }
}

/** Lists what an account publishes only with further values, by its category or by the gate. */
const INCOMPLETE: readonly Detail['code'][] = ['required', 'not_ready']

const isIncomplete = ({ details = [], truncated }: AppError): boolean =>
  details.length > 0 && !truncated && details.every(({ code }) => INCOMPLETE.includes(code))

/** The key of a row's product: a SKU in NFC or a GTIN of 14 digits; undefined without a key. */
export function findMatchKey({ data }: ParsedRow, matchBy: MatchBy): string | undefined {
  const value = data[matchBy]
  if (!isKeyText(value)) return undefined
  return matchBy === 'sku' ? normaliseSku(value) : value.padStart(14, '0')
}

/** `certain`: the data without pictures that are not fetched yet. */
type Planned = { data: DataObject; certain: DataObject; isNew: boolean; change?: ProductChange | undefined }

function planData(data: DataObject, current: DataObject | undefined): Planned {
  const isNew = current === undefined
  const change = isNew ? undefined : findProductChange(current, data)
  if (listPictureSources(data).length === 0 || !Array.isArray(data.pictures))
    return { data, certain: data, isNew, change }
  const isCertain = (one: unknown) => listPictureSources({ pictures: [one] }).length === 0
  const { pictures, ...rest } = data
  const certain = pictures.filter(isCertain)
  return { data, isNew, change, certain: certain.length === 0 ? rest : { ...rest, pictures: certain } }
}

/**
 * Plans the changes of existing models. `syncModels` reports all errors, so none are checked here. A cell may
 * change a part of a field: nobody may change the rest of it before the row is written.
 */
async function planChanges(
  ctx: AccountContext,
  rows: readonly ParsedRow[],
  { matchBy, reading, dryRun }: Pick<WriteRowsOptions, 'matchBy' | 'reading' | 'dryRun'>,
): Promise<Planned[]> {
  const ids = await findIds(ctx, rows, matchBy)
  if (!dryRun && isTransaction(ctx.sql)) await lockPassports(ctx, [...ids.values()])
  const idOf = (row: ParsedRow) => ids.get(findMatchKey(row, matchBy) ?? '')
  const planned = new Map<ParsedRow, Planned>()
  for await (const states of readStatesOnShards(ctx, [...new Set(ids.values())])) {
    const there = new Map(states.map(state => [state.row.id, state.inherited]))
    for (const row of rows) {
      const current = there.get(idOf(row) ?? '')
      if (current === undefined) continue
      planned.set(row, planData(buildChanges(row, current, reading), current))
    }
  }
  return rows.map(row => planned.get(row) ?? planData(buildChanges(row, undefined, reading), undefined))
}

/** UUIDs by key. */
async function findIds(
  ctx: AccountContext,
  rows: readonly ParsedRow[],
  matchBy: MatchBy,
): Promise<Map<string, string>> {
  const keys = [...new Set(rows.flatMap(row => findMatchKey(row, matchBy) ?? []))]
  const ids = new Map<string, string>()
  if (matchBy === 'sku') {
    for (const [sku, match] of await findBySku(ctx, keys))
      if (match.ids[0] !== undefined) ids.set(sku, match.ids[0])
  } else {
    for (const [gtin, match] of await findByGtin(ctx, keys)) if (match.id !== null) ids.set(gtin, match.id)
  }
  return ids
}
