/** Batches and items over REST: issued one by one or by the hundred, changed by serial, refreshed after a correction. */
import { invalid } from '../kernel/errors.ts'
import type { Data } from '../passports/check-data.ts'
import { createChildren, UNIT_LEVELS } from '../passports/create-children.ts'
import { requireUuid } from '../passports/find.ts'
import { previewRefresh, refreshPassport } from '../passports/refresh-job.ts'
import { updateChildren } from '../passports/update-children.ts'
import { bodyDetail, optionalChoice, readBody } from './body.ts'
import { bulkBody, nothingDone, requireItems } from './bulk-answer.ts'
import { changeWords, createdAnswer, isStrict } from './products.ts'
import { flag, readQuery } from './query.ts'
import { type AccountCall, type Answer, data } from './route.ts'

export async function createUnits(call: AccountCall): Promise<Answer> {
  const { dry_run: dryRun = false } = readQuery(call.query, { dry_run: flag })
  const isBulk = typeof call.body === 'object' && call.body !== null && Object.hasOwn(call.body, 'items')
  const body: Partial<Record<'level' | 'items' | 'lot' | 'serial' | 'data', unknown>> = isBulk
    ? readBody(call.body, ['level', 'items'])
    : readBody(call.body, ['level', 'lot', 'serial', 'data'])
  const level = optionalChoice('level', body.level, UNIT_LEVELS)
  if (level === undefined)
    throw invalid([bodyDetail('level', 'required', 'level is missing: batch or item.')])
  const units = isBulk ? requireItems(body.items, 'units') : [body]
  const parentUuid = requireUuid(call.params.id ?? '')
  const { created, errors } = await createChildren(call.account, {
    parentUuid,
    level,
    units,
    bulk: isBulk,
    strict: isStrict(call),
    dryRun,
  })
  const meta = dryRun ? { dry_run: true } : undefined
  const [first] = created
  if (!isBulk) {
    if (first === undefined) throw errors[0]?.error ?? new Error('one unit was neither issued nor refused')
    const passport = { ...first.passport, data: JSON.stringify(first.reading) }
    return createdAnswer(call, { passport, warnings: first.warnings }, meta)
  }
  if (first === undefined) throw nothingDone(errors, 'No unit could be created')
  const rows = created.map(one => ({ ...one, row: one.passport, names: one.reading }))
  return { status: 201, body: bulkBody(call, { created: rows }, errors, meta) }
}

export async function changeUnits(call: AccountCall): Promise<Answer> {
  const { dry_run: dryRun = false } = readQuery(call.query, { dry_run: flag })
  const body = readBody(call.body, ['items', 'change_type', 'note'])
  const units = requireItems(body.items, 'units')
  const parentUuid = requireUuid(call.params.id ?? '')
  const input = { parentUuid, units, ...changeWords(body), strict: isStrict(call), dryRun }
  const { updated, errors } = await updateChildren(call.account, input)
  if (updated.length === 0) throw nothingDone(errors, 'No unit could be changed')
  const rows = updated.map(({ index, written }) => ({
    index,
    row: written.passport,
    names: JSON.parse(written.passport.data) as Data,
    warnings: written.warnings,
  }))
  return { body: bulkBody(call, { updated: rows }, errors, dryRun ? { dry_run: true } : undefined) }
}

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
