/** Batches and items over REST: issued one by one or by the hundred, changed by serial, refreshed after a correction. */
import { AppError, type Detail, invalid } from '../kernel/errors.ts'
import { idFromUuid } from '../kernel/ids.ts'
import type { Data } from '../passports/check-data.ts'
import { createChildren, type NotIssued, UNIT_LEVELS } from '../passports/create-children.ts'
import { requireUuid } from '../passports/find.ts'
import type { Summary } from '../passports/list.ts'
import type { PassportRow } from '../passports/record.ts'
import { previewRefresh, refreshPassport } from '../passports/refresh-job.ts'
import { updateChildren } from '../passports/update-children.ts'
import { bodyDetail, optionalChoice, readBody } from './body.ts'
import { summaryJson } from './lists.ts'
import { changeWords, isStrict, writtenAnswer } from './products.ts'
import { readQuery } from './query.ts'
import { type AccountCall, type Answer, data } from './route.ts'

const MOST_ITEMS = 500

export async function createUnits(call: AccountCall): Promise<Answer> {
  readQuery(call.query, {})
  const isBulk = typeof call.body === 'object' && call.body !== null && Object.hasOwn(call.body, 'items')
  const body: Partial<Record<'level' | 'items' | 'lot' | 'serial' | 'data', unknown>> = isBulk
    ? readBody(call.body, ['level', 'items'])
    : readBody(call.body, ['level', 'lot', 'serial', 'data'])
  const level = optionalChoice('level', body.level, UNIT_LEVELS)
  if (level === undefined)
    throw invalid([bodyDetail('level', 'required', 'level is missing: batch or item.')])
  const units = isBulk ? requireItems(body.items) : [body]
  const parentUuid = requireUuid(call.params.id ?? '')
  const { created, errors } = await createChildren(call.account, {
    parentUuid,
    level,
    units,
    bulk: isBulk,
    strict: isStrict(call),
  })
  const [first] = created
  if (!isBulk) {
    if (first === undefined) throw errors[0]?.error ?? new Error('one unit was neither issued nor refused')
    const passport = { ...first.passport, data: JSON.stringify(first.reading) }
    const answer = writtenAnswer(call, { passport, warnings: first.warnings })
    const location = `${call.setup.addresses.apiUrl}/products/${idFromUuid(first.passport.id)}`
    return { ...answer, status: 201, headers: { ...answer.headers, location } }
  }
  if (first === undefined) throw nothingDone(errors, 'created')
  return {
    status: 201,
    body: bulkBody(
      call,
      'created',
      created.map(one => ({ ...one, row: one.passport, names: one.reading })),
      errors,
    ),
  }
}

export async function changeUnits(call: AccountCall): Promise<Answer> {
  readQuery(call.query, {})
  const body = readBody(call.body, ['items', 'change_type', 'note'])
  const units = requireItems(body.items)
  const parentUuid = requireUuid(call.params.id ?? '')
  const input = { parentUuid, units, ...changeWords(body), strict: isStrict(call) }
  const { updated, errors } = await updateChildren(call.account, input)
  if (updated.length === 0) throw nothingDone(errors, 'changed')
  const rows = updated.map(({ index, written }) => ({
    index,
    row: written.passport,
    names: JSON.parse(written.passport.data) as Data,
    warnings: written.warnings,
  }))
  return { body: bulkBody(call, 'updated', rows, errors) }
}

function requireItems(items: unknown): readonly unknown[] {
  if (!Array.isArray(items)) throw invalid([bodyDetail('items', 'type', 'items must be a list of units.')])
  if (items.length >= 1 && items.length <= MOST_ITEMS) return items
  throw invalid([
    bodyDetail('items', 'length', `items must have 1 to ${MOST_ITEMS} units; this has ${items.length}.`),
  ])
}

type Done = { index: number; row: Omit<PassportRow, 'data'>; names: Data; warnings: readonly Detail[] }

function bulkBody(
  call: AccountCall,
  verb: 'created' | 'updated',
  done: readonly Done[],
  errors: readonly NotIssued[],
): string {
  const rows = done.map(({ index, row, names, warnings }) => {
    const summary = summaryJson(call.setup.addresses, withNames(row, names))
    const more = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`
    return `{"index":${index},${summary.slice(1, -1)}${more}}`
  })
  const faults = errors.map(({ index, error }) => ({
    index,
    code: error.code,
    error: error.message,
    ...(error.details ? { errors: error.details.map(detail => ({ ...detail, index })) } : {}),
  }))
  const summary = { requested: done.length + errors.length, [verb]: done.length, failed: errors.length }
  return data(
    `{"${verb}":[${rows.join(',')}],"errors":${JSON.stringify(faults)},"summary":${JSON.stringify(summary)}}`,
  )
}

function withNames(row: Done['row'], names: Data): Summary {
  const { productName, sku, brandName } = names as Record<string, string>
  return { ...row, product_name: productName ?? null, sku: sku ?? null, brand_name: brandName ?? null }
}

/** A bulk call of which nothing took effect: over quota if that is all there was, else invalid, with every detail. */
function nothingDone(errors: readonly NotIssued[], verb: string): AppError {
  const details = errors.flatMap(({ index, error }) =>
    (error.details ?? [rowDetail(index, error)]).map(detail => ({ ...detail, index })),
  )
  const first = errors[0]?.error
  const all = first !== undefined && errors.every(({ error }) => error.code === first.code)
  if (all && first.code === 'plan_limit') return new AppError('plan_limit', first.message, details)
  return new AppError('validation', `No unit could be ${verb}; errors says why for each.`, details)
}

const rowDetail = (index: number, error: AppError): Detail => ({
  field: `items[${index}]`,
  pointer: `/items/${index}`,
  code: error.code === 'plan_limit' ? 'plan_limit' : 'not_found',
  message: error.message,
})

export async function refreshUnits(call: AccountCall): Promise<Answer> {
  readQuery(call.query, {})
  const result = await refreshPassport(call.account, requireUuid(call.params.id ?? ''))
  return { status: result.pending > 0 ? 202 : 200, body: data(JSON.stringify(result)) }
}

export async function showRefresh(call: AccountCall): Promise<Answer> {
  readQuery(call.query, {})
  const { outdated, job } = await previewRefresh(call.account, requireUuid(call.params.id ?? ''))
  return { body: data(JSON.stringify({ outdated, ...(job === undefined ? {} : { job }) })) }
}
