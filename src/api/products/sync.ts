/** Create or update over REST: one product named by its SKU or GTIN, or hundreds in a call. */

import { toEnglish } from '../../categories/problems.ts'
import { FORMAT_RULES } from '../../categories/schema/formats.ts'
import { collectErrors } from '../../kernel/collect-errors.ts'
import { assert, invalid } from '../../kernel/errors.ts'
import { type PassportData, requireData } from '../../passports/core/check-data.ts'
import { type PassportRow, recordEtag } from '../../passports/core/record.ts'
import { MATCH_BY, type MatchBy } from '../../passports/sync/parse-row.ts'
import { syncModel, syncModels } from '../../passports/sync/sync-models.ts'
import type { Synced, SyncResult } from '../../passports/sync/sync-result.ts'
import { optionalChoice, readBody, sentMembers } from '../endpoint/body.ts'
import { allowsChange } from '../endpoint/conditions.ts'
import type { AccountCall, ApiResponse } from '../endpoint/endpoint.ts'
import { bulkError, bulkJson, requireItems } from './bulk-response.ts'
import { changeWords, createdAnswer, isStrict, writtenAnswer } from './products.ts'

export const putBySku = (call: AccountCall) =>
  put(call, { matchBy: 'sku', address: call.params.sku ?? '', ...readPut(call.body) })

export function putByGtin(call: AccountCall): Promise<ApiResponse> {
  const { address, body } = collectErrors({
    address: () => requireGtin(call.params.gtin ?? ''),
    body: () => readPut(call.body),
  })
  return put(call, { matchBy: 'gtin', address, ...body })
}

function requireGtin(gtin: string): string {
  const fault = FORMAT_RULES.gtin.findViolation(gtin)
  if (fault === undefined) return gtin
  const message = `gtin ${toEnglish(fault.problem)}`
  throw invalid([{ field: 'gtin', pointer: '/path/gtin', code: fault.code, message }])
}

type Put = ReturnType<typeof readPut> & { matchBy: MatchBy; address: string }

async function put(call: AccountCall, sent: Put): Promise<ApiResponse> {
  const result = await syncModel(call.account, {
    ...sent,
    dryRun: call.dryRun,
    strict: isStrict(call),
    expects: current => isExpected(call, current),
  })
  return putAnswer(call, result)
}

function putAnswer(call: AccountCall, result: SyncResult): ApiResponse {
  const [failure] = result.errors
  if (failure !== undefined) throw failure.error
  const [created] = result.created
  const [unchanged] = result.unchanged
  const one = created ?? unchanged ?? result.updated[0]
  assert(one, 'a row is created, updated, unchanged or refused')
  const meta = { ...(call.dryRun ? { dry_run: true } : {}), ...(unchanged ? { unchanged: true } : {}) }
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
  const { data, words } = collectErrors({
    members: () => readBody(body, members),
    data: () => requireData(sent.data),
    words: () => changeWords(sent),
  })
  return { category: sent.category, data, ...words }
}

export async function syncProducts(call: AccountCall): Promise<ApiResponse> {
  const body = readBulk(call.body)
  const result = await syncModels(call.account, { ...body, dryRun: call.dryRun, strict: isStrict(call) })
  const { created, updated, unchanged, errors } = result
  if (created.length + updated.length + unchanged.length === 0) {
    throw bulkError(errors, 'No product could be created or updated')
  }
  const lists = { created: rowsOf(created), updated: rowsOf(updated), unchanged: rowsOf(unchanged) }
  return { body: bulkJson(call, lists, errors, call.dryRun ? { dry_run: true } : undefined) }
}

const rowsOf = (synced: readonly Synced[]) =>
  synced.map(({ index, passport, warnings }) => ({
    index,
    row: passport,
    names: JSON.parse(passport.data) as PassportData,
    warnings,
  }))

function readBulk(body: unknown) {
  const members = ['items', 'match_by', 'change_type', 'note'] as const
  const sent = sentMembers(body)
  if (sent !== body) readBody(body, members)
  const { rows, matchBy, words } = collectErrors({
    members: () => readBody(body, members),
    rows: () => requireItems(sent.items, 'products'),
    matchBy: () => optionalChoice('match_by', sent.match_by, MATCH_BY),
    words: () => changeWords(sent),
  })
  return { rows, matchBy: matchBy ?? ('sku' as const), ...words }
}
