/** Products over REST: create, read, change, revert. */
import { notFound } from '../kernel/errors.ts'
import { idFromUuid } from '../kernel/ids.ts'
import { requireCategory, requireData } from '../passports/check-data.ts'
import { createPassport, type Written } from '../passports/create.ts'
import { getPassport, requireUuid } from '../passports/find.ts'
import { getPassportAt } from '../passports/history.ts'
import { previewUpdate } from '../passports/preview-correction.ts'
import { type PassportRow, recordEtag, recordJson } from '../passports/record.ts'
import { revertPassport } from '../passports/revert.ts'
import { CHANGE_TYPES, type PassportChange, updatePassport } from '../passports/update.ts'
import { optionalChoice, optionalText, readBody, sentMembers, together } from './body.ts'
import { matchesAny, matchesVersion } from './conditions.ts'
import { dateTime, flag, readQuery } from './query.ts'
import { type AccountCall, type Answer, data, type OpenCall } from './route.ts'

const MOST_NOTE = 500

export async function createProduct(call: AccountCall): Promise<Answer> {
  readQuery(call.query, {})
  const body = readNew(call.body)
  const strict = isStrict(call)
  const input = { category: body.category, data: body.data, strict }
  const answer = (written: Written) => createdAnswer(call, written)
  return answer(await createPassport(call.account, input, answer))
}

function createdAnswer(call: OpenCall, written: Written) {
  const { body, headers } = writtenAnswer(call, written)
  const location = `${call.setup.addresses.apiUrl}/products/${idFromUuid(written.passport.id)}`
  return { status: 201, headers: { ...headers, location }, body: String(body) }
}

export async function readProduct(call: AccountCall): Promise<Answer> {
  const { at } = readQuery(call.query, { at: dateTime })
  const uuid = requireUuid(call.params.id ?? '')
  const row =
    at === undefined ? await getPassport(call.account, uuid) : await getPassportAt(call.account, uuid, at)
  return recordAnswer(call, row)
}

/** A record with its ETag, or 304 when the client has it. */
export function recordAnswer(call: OpenCall, row: PassportRow): Answer {
  const etag = recordEtag(row)
  if (matchesAny(call.headers['if-none-match'], etag)) return { status: 304, body: '', headers: { etag } }
  return { body: data(recordJson(call.setup.addresses, row)), headers: { etag } }
}

export async function changeProduct(call: AccountCall): Promise<Answer> {
  const { dry_run: dryRun = false } = readQuery(call.query, { dry_run: flag })
  const body = readChange(call.body)
  const change: PassportChange = {
    uuid: requireUuid(call.params.id ?? ''),
    data: body.data,
    changeType: body.changeType ?? 'change',
    note: body.note,
    strict: isStrict(call),
    expects: expected(call),
  }
  if (!dryRun) return writtenAnswer(call, await updatePassport(call.account, change))
  const preview = await previewUpdate(call.account, change)
  const reach = preview.reach === null ? {} : { correction: preview.reach }
  const json = recordJson(call.setup.addresses, preview.passport)
  return { body: data(json, { warnings: preview.warnings, meta: { dry_run: true, ...reach } }) }
}

export async function revertProduct(call: AccountCall): Promise<Answer> {
  readQuery(call.query, {})
  const body = call.body === undefined ? {} : readBody(call.body, ['change_type', 'note'])
  const n = call.params.n ?? ''
  if (!/^[1-9]\d{0,8}$/.test(n)) throw notFound('version of this product')
  const wish = {
    uuid: requireUuid(call.params.id ?? ''),
    versionNo: Number(n),
    ...changeWords(body),
    expects: expected(call),
  }
  return writtenAnswer(call, await revertPassport(call.account, wish))
}

function readNew(body: unknown) {
  const sent = sentMembers(body)
  // A body that is no object has nothing else to complain of.
  if (sent !== body) readBody(body, ['category', 'data'])
  together({
    members: () => readBody(body, ['category', 'data']),
    category: () => requireCategory(sent.category),
    data: () => requireData(sent.data),
  })
  return sent
}

function readChange(body: unknown) {
  const members = ['data', 'change_type', 'note'] as const
  const sent = sentMembers(body)
  if (sent !== body) readBody(body, members)
  return together({
    members: () => readBody(body, members),
    data: () => requireData(sent.data),
    changeType: () => optionalChoice('change_type', sent.change_type, CHANGE_TYPES),
    note: () => optionalText('note', sent.note, MOST_NOTE),
  })
}

/** What a body says about a change besides its data. */
export const changeWords = (body: { change_type?: unknown; note?: unknown }) => ({
  changeType: optionalChoice('change_type', body.change_type, CHANGE_TYPES) ?? ('change' as const),
  note: optionalText('note', body.note, MOST_NOTE),
})

const expected = (call: OpenCall) => (current: PassportRow) =>
  matchesVersion(call.headers['if-match'], recordEtag(current))

export function writtenAnswer(call: OpenCall, written: Written): Answer {
  return {
    body: data(recordJson(call.setup.addresses, written.passport), { warnings: written.warnings }),
    headers: {
      etag: recordEtag(written.passport),
      ...(isStrict(call) ? { 'preference-applied': 'handling=strict' } : {}),
    },
  }
}

/** `Prefer: handling=strict` (RFC 7240): unknown fields are refused instead of warned about. */
export function isStrict(call: OpenCall): boolean {
  const prefer = call.headers.prefer
  return typeof prefer === 'string' && /(?:^|[,;\s])handling\s*=\s*"?strict"?(?:$|[,;\s])/i.test(prefer)
}
