/** Batches and items over REST: issued one by one or by the hundred, changed by serial, refreshed after a correction. */

import { collectErrors } from '../../kernel/collect-errors.ts'
import { invalid } from '../../kernel/errors.ts'
import type { PassportData } from '../../passports/core/check-data.ts'
import { requireProductUuid } from '../../passports/read/find.ts'
import { issueUnits, UNIT_LEVELS } from '../../passports/units/issue-units.ts'
import { previewRefresh, refreshPassport } from '../../passports/units/refresh-job.ts'
import { updateUnits } from '../../passports/units/update-units.ts'
import { bodyDetail, optionalChoice, readBody, sentMembers } from '../endpoint/body.ts'
import { type AccountCall, type ApiResponse, successJson } from '../endpoint/endpoint.ts'
import { readQuery } from '../endpoint/query.ts'
import { bulkError, bulkJson, requireItems } from '../products/bulk-response.ts'
import { changeWords, createdAnswer, isStrict } from '../products/products.ts'

export async function createUnits(call: AccountCall): Promise<ApiResponse> {
  const { isBulk, level, units } = readUnits(call.body)
  const parentUuid = requireProductUuid(call.params.id ?? '')
  const { created, errors } = await issueUnits(call.account, {
    parentUuid,
    level,
    units,
    bulk: isBulk,
    strict: isStrict(call),
    dryRun: call.dryRun,
  })
  const meta = call.dryRun ? { dry_run: true } : undefined
  const [first] = created
  if (!isBulk) {
    if (first === undefined) throw errors[0]?.error ?? new Error('one unit was neither issued nor refused')
    const passport = { ...first.passport, data: JSON.stringify(first.data) }
    return createdAnswer(call, { passport, warnings: first.warnings }, meta)
  }
  if (first === undefined) throw bulkError(errors, 'No unit could be created')
  const rows = created.map(one => ({ ...one, row: one.passport, names: one.data }))
  return { status: 201, body: bulkJson(call, { created: rows }, errors, meta) }
}

function readUnits(body: unknown) {
  const sent = sentMembers(body)
  const isBulk = Object.hasOwn(sent, 'items')
  const members = isBulk ? ['level', 'items'] : ['level', 'lot', 'serial', 'data']
  if (sent !== body) readBody(body, members)
  const { level, units } = collectErrors({
    members: () => readBody(body, members),
    level: () => requireLevel(sent.level),
    units: () => (isBulk ? requireItems(sent.items, 'units') : [sent]),
  })
  return { isBulk, level, units }
}

function requireLevel(sent: unknown) {
  const level = optionalChoice('level', sent, UNIT_LEVELS)
  if (level !== undefined) return level
  throw invalid([bodyDetail('level', 'required', 'level is missing: batch or item.')])
}

export async function changeUnits(call: AccountCall): Promise<ApiResponse> {
  const { units, words } = readChanges(call.body)
  const parentUuid = requireProductUuid(call.params.id ?? '')
  const input = { parentUuid, units, ...words, strict: isStrict(call), dryRun: call.dryRun }
  const { updated, errors } = await updateUnits(call.account, input)
  if (updated.length === 0) throw bulkError(errors, 'No unit could be changed')
  const rows = updated.map(({ index, written }) => ({
    index,
    row: written.passport,
    names: JSON.parse(written.passport.data) as PassportData,
    warnings: written.warnings,
  }))
  return { body: bulkJson(call, { updated: rows }, errors, call.dryRun ? { dry_run: true } : undefined) }
}

function readChanges(body: unknown) {
  const members = ['items', 'change_type', 'note']
  const sent = sentMembers(body)
  if (sent !== body) readBody(body, members)
  return collectErrors({
    members: () => readBody(body, members),
    units: () => requireItems(sent.items, 'units'),
    words: () => changeWords(sent),
  })
}

export async function refreshUnits(call: AccountCall): Promise<ApiResponse> {
  const result = await refreshPassport(call.account, requireProductUuid(call.params.id ?? ''))
  return { status: result.pending > 0 ? 202 : 200, body: successJson(JSON.stringify(result)) }
}

export async function showRefresh(call: AccountCall): Promise<ApiResponse> {
  readQuery(call.query, {})
  const { outdated, job } = await previewRefresh(call.account, requireProductUuid(call.params.id ?? ''))
  return { body: successJson(JSON.stringify({ outdated, ...(job === undefined ? {} : { job }) })) }
}
