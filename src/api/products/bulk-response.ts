/** What a bulk call answers: the rows it did something with, those it could not, and how many of each. */
import { AppError, type Detail, invalid, SAID } from '../../kernel/errors.ts'
import type { PassportData } from '../../passports/core/check-data.ts'
import type { PassportRow } from '../../passports/core/record.ts'
import type { PassportSummary } from '../../passports/read/list.ts'
import { bodyDetail } from '../endpoint/body.ts'
import { type AccountCall, successJson } from '../endpoint/endpoint.ts'
import { summaryJson } from './summary.ts'

export const MAX_ITEMS = 500

/** `names`: the data as it reads, for the names that a summary shows. */
export type BulkRow = {
  index: number
  row: Omit<PassportRow, 'data'>
  names: PassportData
  warnings: readonly Detail[]
}
export type FailedRow = { index: number; error: AppError }

/** 1 to 500 rows. Throws `validation`; `what` they are, as a plural. */
export function requireItems(items: unknown, what: string): readonly unknown[] {
  if (items === undefined)
    throw invalid([bodyDetail('items', 'required', `items is missing: a list of ${what}.`)])
  if (!Array.isArray(items)) throw invalid([bodyDetail('items', 'type', `items must be a list of ${what}.`)])
  if (items.length >= 1 && items.length <= MAX_ITEMS) return items
  throw invalid([
    bodyDetail('items', 'length', `items must have 1 to ${MAX_ITEMS} ${what}; this has ${items.length}.`),
  ])
}

/** `done` by what was done: `{"created": [...], "updated": [...]}`. Warnings stand with their row and beside it all. */
export function bulkJson(
  call: AccountCall,
  done: Readonly<Record<string, readonly BulkRow[]>>,
  errors: readonly FailedRow[],
  meta?: object,
): string {
  const lists = Object.entries(done)
  const faults = errors.map(({ index, error }) => ({
    index,
    code: error.code,
    error: error.message,
    ...(error.details ? { errors: error.details.map(detail => ({ ...detail, index })) } : {}),
  }))
  const summary = {
    requested: lists.reduce((sum, [, rows]) => sum + rows.length, errors.length),
    ...Object.fromEntries(lists.map(([verb, rows]) => [verb, rows.length])),
    failed: errors.length,
  }
  const members = lists.map(([verb, rows]) => `"${verb}":[${rows.map(row => rowJson(call, row)).join(',')}]`)
  return successJson(
    `{${members.join(',')},"errors":${JSON.stringify(faults)},"summary":${JSON.stringify(summary)}}`,
    { warnings: warningsOf(lists.flatMap(([, rows]) => rows)), ...(meta === undefined ? {} : { meta }) },
  )
}

/**
 * Those of all rows, pointing into the call as its errors do. A name is warned of once, in the first row that has it:
 * 500 rows of one cloth would leave no room for anything else. Each row has its own warnings as well.
 */
function warningsOf(rows: readonly BulkRow[]): Detail[] {
  const names = new Set<unknown>()
  const isNew = (warning: Detail) => {
    if (!ABOUT_NAMES.has(warning.code)) return true
    const name = warning[SAID]?.facts.found
    if (names.has(name)) return false
    names.add(name)
    return true
  }
  return rows
    .toSorted((a, b) => a.index - b.index)
    .flatMap(({ index, warnings }) =>
      warnings.filter(isNew).map(one => ({ ...one, pointer: `/items/${index}${one.pointer}`, index })),
    )
}

const ABOUT_NAMES: ReadonlySet<string> = new Set(['synonym', 'unlisted_name'])

function rowJson(call: AccountCall, { index, row, names, warnings }: BulkRow): string {
  const summary = summaryJson(call.setup.addresses, withNames(row, names))
  const more = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`
  return `{"index":${index},${summary.slice(1, -1)}${more}}`
}

function withNames(row: BulkRow['row'], names: PassportData): PassportSummary {
  const { productName, sku, brandName } = names as Record<string, string>
  return { ...row, product_name: productName ?? null, sku: sku ?? null, brand_name: brandName ?? null }
}

/** A bulk call of which nothing took effect: over quota if that is all there was, else invalid, with every detail. */
export function bulkError(errors: readonly FailedRow[], message: string): AppError {
  const details = errors.flatMap(({ index, error }) =>
    (error.details ?? [rowDetail(index, error)]).map(detail => ({ ...detail, index })),
  )
  const first = errors[0]?.error
  const all = first !== undefined && errors.every(({ error }) => error.code === first.code)
  if (all && first.code === 'plan_limit') return new AppError('plan_limit', first.message, details)
  return new AppError('validation', `${message}; errors says why for each.`, details)
}

const rowDetail = (index: number, error: AppError): Detail => ({
  field: `items[${index}]`,
  pointer: `/items/${index}`,
  code: error.code === 'plan_limit' ? 'plan_limit' : 'not_found',
  message: error.message,
})
