/** Products over REST: create, read, change, revert. */

import { collectErrors } from '../../kernel/collect-errors.ts'
import { AppError } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import {
  isCategory,
  isPassportData,
  type PassportData,
  requireCategory,
  requireData,
} from '../../passports/core/check-data.ts'
import { type PassportRow, recordEtag, recordJson } from '../../passports/core/record.ts'
import { getState } from '../../passports/core/state.ts'
import { getPassport, requireProductUuid, requireVersionNo } from '../../passports/read/find.ts'
import { getPassportAt } from '../../passports/read/history.ts'
import {
  checkNewData,
  createPassport,
  previewCreate,
  type WrittenPassport,
} from '../../passports/write/create.ts'
import { previewUpdate } from '../../passports/write/preview-update.ts'
import { revertPassport } from '../../passports/write/revert.ts'
import {
  CHANGE_TYPES,
  type PassportChange,
  planNextVersion,
  updatePassport,
} from '../../passports/write/update.ts'
import { optionalChoice, optionalText, readBody, sentMembers } from '../endpoint/body.ts'
import { allowsChange, matchesAny } from '../endpoint/conditions.ts'
import { type AccountCall, type ApiResponse, type OpenCall, successJson } from '../endpoint/endpoint.ts'
import { dateTime, readQuery } from '../endpoint/query.ts'

const MOST_NOTE = 500

export async function createProduct(call: AccountCall): Promise<ApiResponse> {
  const strict = isStrict(call)
  const body = readNew(call.body, strict)
  const input = { category: body.category, data: body.data, strict }
  if (call.dryRun) return createdAnswer(call, await previewCreate(call.account, input), { dry_run: true })
  const answer = (written: WrittenPassport) => createdAnswer(call, written)
  return answer(await createPassport(call.account, input, answer))
}

/** 201 with where it is; of a dry run nothing is anywhere. */
export function createdAnswer(call: OpenCall, written: WrittenPassport, meta: Meta = {}) {
  const { body, headers } = writtenAnswer(call, written, meta)
  const location = `${call.setup.addresses.apiUrl}/products/${idFromUuid(written.passport.id)}`
  return { status: 201, headers: { ...headers, ...(meta.dry_run ? {} : { location }) }, body: String(body) }
}

export async function readProduct(call: AccountCall): Promise<ApiResponse> {
  const { at } = readQuery(call.query, { at: dateTime })
  const uuid = requireProductUuid(call.params.id ?? '')
  const row =
    at === undefined ? await getPassport(call.account, uuid) : await getPassportAt(call.account, uuid, at)
  return recordAnswer(call, row)
}

/** A record with its ETag, or 304 when the client has it. */
export function recordAnswer(call: OpenCall, row: PassportRow): ApiResponse {
  const etag = recordEtag(row)
  if (matchesAny(call.headers['if-none-match'], etag)) return { status: 304, body: '', headers: { etag } }
  return { body: successJson(recordJson(call.setup.addresses, row)), headers: { etag } }
}

export async function changeProduct(call: AccountCall): Promise<ApiResponse> {
  const body = await readChange(call)
  const change: PassportChange = {
    uuid: requireProductUuid(call.params.id ?? ''),
    data: body.data,
    changeType: body.changeType ?? 'change',
    note: body.note,
    strict: isStrict(call),
    expects: expected(call),
  }
  if (!call.dryRun) return writtenAnswer(call, await updatePassport(call.account, change))
  const preview = await previewUpdate(call.account, change)
  const reach = preview.reach === null ? {} : { correction: preview.reach }
  return writtenAnswer(call, preview, { dry_run: true, ...reach })
}

export async function revertProduct(call: AccountCall): Promise<ApiResponse> {
  const { words } = readWords(call.body)
  const wish = {
    uuid: requireProductUuid(call.params.id ?? ''),
    versionNo: requireVersionNo(call.params.n ?? ''),
    ...words,
    expects: expected(call),
  }
  return writtenAnswer(call, await revertPassport(call.account, wish))
}

function readWords(body: unknown = {}) {
  const members = ['change_type', 'note'] as const
  const sent = sentMembers(body)
  if (sent !== body) readBody(body, members)
  return collectErrors({ members: () => readBody(body, members), words: () => changeWords(sent) })
}

function readNew(body: unknown, strict: boolean) {
  const sent = sentMembers(body)
  // A body that is no object has nothing else to complain of.
  if (sent !== body) readBody(body, ['category', 'data'])
  const read = () =>
    collectErrors({
      members: () => readBody(body, ['category', 'data']),
      category: () => requireCategory(sent.category),
      data: () => requireData(sent.data),
    })
  try {
    read()
  } catch (error) {
    // What is wrong inside `data` is told with what is wrong beside it, where that can be known.
    if (!isCategory(sent.category) || !isPassportData(sent.data)) throw error
    collectErrors({ read, inside: () => checkNewData(sent.category, sent.data, strict) })
  }
  return sent
}

async function readChange(call: AccountCall) {
  const members = ['data', 'change_type', 'note'] as const
  const sent = sentMembers(call.body)
  if (sent !== call.body) readBody(call.body, members)
  const read = () =>
    collectErrors({
      members: () => readBody(call.body, members),
      data: () => requireData(sent.data),
      changeType: () => optionalChoice('change_type', sent.change_type, CHANGE_TYPES),
      note: () => optionalText('note', sent.note, MOST_NOTE),
    })
  try {
    return read()
  } catch (error) {
    if (!isPassportData(sent.data)) throw error
    const inside = await faultOf(call, sent.data)
    return collectErrors({
      read,
      inside: () => {
        if (inside) throw inside
      },
    }).read
  }
}

/** What is wrong inside the `data` of a change that is refused for something else already. */
async function faultOf(call: AccountCall, sent: PassportData): Promise<AppError | undefined> {
  const current = await getState(call.account, requireProductUuid(call.params.id ?? ''))
  try {
    planNextVersion(call.account, current, {
      data: sent,
      changeType: 'change',
      note: undefined,
      strict: isStrict(call),
    })
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation') return error
    throw error
  }
}

/** What a body says about a change besides its data. */
export function changeWords(body: { change_type?: unknown; note?: unknown }) {
  const { changeType, note } = collectErrors({
    changeType: () => optionalChoice('change_type', body.change_type, CHANGE_TYPES),
    note: () => optionalText('note', body.note, MOST_NOTE),
  })
  return { changeType: changeType ?? ('change' as const), note }
}

/** Whether `If-Match` and `If-None-Match`, where they were sent, allow a change of the version that a product is at. */
export const expected = (call: OpenCall) => (current: PassportRow) =>
  allowsChange(call.headers, recordEtag(current))

type Meta = { dry_run?: true | boolean; unchanged?: boolean; correction?: object }

/** The record with its warnings. Of a dry run there is no version that an ETag could name. */
export function writtenAnswer(call: OpenCall, written: WrittenPassport, meta: Meta = {}): ApiResponse {
  const more = Object.keys(meta).length === 0 ? {} : { meta }
  return {
    body: successJson(recordJson(call.setup.addresses, written.passport), {
      warnings: written.warnings,
      ...more,
    }),
    headers: {
      ...(meta.dry_run ? {} : { etag: recordEtag(written.passport) }),
      ...(isStrict(call) ? { 'preference-applied': 'handling=strict' } : {}),
    },
  }
}

/** `Prefer: handling=strict` (RFC 7240): unknown fields are refused instead of warned about. */
export function isStrict(call: OpenCall): boolean {
  const prefer = call.headers.prefer
  return typeof prefer === 'string' && /(?:^|[,;\s])handling\s*=\s*"?strict"?(?:$|[,;\s])/i.test(prefer)
}
