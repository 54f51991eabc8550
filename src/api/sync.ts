/** Create or update over REST: one product named by its SKU or GTIN, or hundreds in a call. */

import { FORMATS } from '../categories/formats.ts'
import { inEnglish } from '../categories/problems.ts'
import { assert, invalid } from '../kernel/errors.ts'
import { together } from '../kernel/together.ts'
import { type Data, requireData } from '../passports/check-data.ts'
import { type PassportRow, recordEtag } from '../passports/record.ts'
import { syncModel, syncModels } from '../passports/sync-models.ts'
import type { Synced, SyncResult } from '../passports/sync-result.ts'
import { MATCH_BY, type MatchBy } from '../passports/sync-rows.ts'
import { CHANGE_TYPES } from '../passports/update.ts'
import { optionalChoice, optionalText, readBody, sentMembers } from './body.ts'
import { bulkBody, nothingDone, requireItems } from './bulk-answer.ts'
import { allowsChange } from './conditions.ts'
import { createdAnswer, isStrict, MOST_NOTE, writtenAnswer } from './products.ts'
import { flag, readQuery } from './query.ts'
import type { AccountCall, Answer } from './route.ts'

export const putBySku = (call: AccountCall) => put(call, 'sku', call.params.sku ?? '')

export async function putByGtin(call: AccountCall): Promise<Answer> {
  const gtin = call.params.gtin ?? ''
  const fault = FORMATS.gtin.findFault(gtin)
  if (fault !== undefined) {
    const message = `gtin ${inEnglish(fault.problem)}`
    throw invalid([{ field: 'gtin', pointer: '/path/gtin', code: fault.code, message }])
  }
  return put(call, 'gtin', gtin)
}

async function put(call: AccountCall, matchBy: MatchBy, address: string): Promise<Answer> {
  const { dry_run: dryRun = false } = readQuery(call.query, { dry_run: flag })
  const body = readPut(call.body)
  const result = await syncModel(call.account, {
    ...body,
    matchBy,
    address,
    dryRun,
    strict: isStrict(call),
    expects: current => isExpected(call, current),
  })
  return putAnswer(call, result, dryRun)
}

function putAnswer(call: AccountCall, result: SyncResult, dryRun: boolean): Answer {
  const [failure] = result.errors
  if (failure !== undefined) throw failure.error
  const [created] = result.created
  const [unchanged] = result.unchanged
  const one = created ?? unchanged ?? result.updated[0]
  assert(one, 'a row is created, updated, unchanged or refused')
  const meta = { ...(dryRun ? { dry_run: true } : {}), ...(unchanged ? { unchanged: true } : {}) }
  return created === undefined ? writtenAnswer(call, one, meta) : createdAnswer(call, one, meta)
}

/** RFC 9110 §13.1: `If-Match` is about a product that is there, `If-None-Match: *` about one that is not. */
function isExpected({ headers }: AccountCall, current: PassportRow | undefined): boolean {
  if (current === undefined) return headers['if-match'] === undefined
  return allowsChange(headers, recordEtag(current))
}

function readPut(body: unknown) {
  const members = ['category', 'data', 'change_type', 'note'] as const
  const sent = sentMembers(body)
  if (sent !== body) readBody(body, members)
  const { data, changeType, note } = together({
    members: () => readBody(body, members),
    data: () => requireData(sent.data),
    changeType: () => optionalChoice('change_type', sent.change_type, CHANGE_TYPES),
    note: () => optionalText('note', sent.note, MOST_NOTE),
  })
  return { category: sent.category, data, changeType: changeType ?? ('change' as const), note }
}

export async function syncProducts(call: AccountCall): Promise<Answer> {
  const { dry_run: dryRun = false } = readQuery(call.query, { dry_run: flag })
  const body = readBulk(call.body)
  const result = await syncModels(call.account, { ...body, dryRun, strict: isStrict(call) })
  const { created, updated, unchanged, errors } = result
  if (created.length + updated.length + unchanged.length === 0) {
    throw nothingDone(errors, 'No product could be created or updated')
  }
  const lists = { created: rowsOf(created), updated: rowsOf(updated), unchanged: rowsOf(unchanged) }
  return { body: bulkBody(call, lists, errors, dryRun ? { dry_run: true } : undefined) }
}

const rowsOf = (synced: readonly Synced[]) =>
  synced.map(({ index, passport, warnings }) => ({
    index,
    row: passport,
    names: JSON.parse(passport.data) as Data,
    warnings,
  }))

function readBulk(body: unknown) {
  const members = ['items', 'match_by', 'change_type', 'note'] as const
  const sent = sentMembers(body)
  if (sent !== body) readBody(body, members)
  const { rows, matchBy, changeType, note } = together({
    members: () => readBody(body, members),
    rows: () => requireItems(sent.items, 'products'),
    matchBy: () => optionalChoice('match_by', sent.match_by, MATCH_BY),
    changeType: () => optionalChoice('change_type', sent.change_type, CHANGE_TYPES),
    note: () => optionalText('note', sent.note, MOST_NOTE),
  })
  return { rows, matchBy: matchBy ?? ('sku' as const), changeType: changeType ?? ('change' as const), note }
}
