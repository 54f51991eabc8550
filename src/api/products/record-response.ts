/** The responses that hold one product, and their description in the OpenAPI document. */

import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { matchesAny } from '../../kernel/http/entity-tags.ts'
import { type PassportRow, recordEtag, recordJson } from '../../passports/core/record.ts'
import { formatInUse, type UnitLife } from '../../passports/core/unit-life.ts'
import type { WrittenPassport } from '../../passports/write/create.ts'
import { allowsChange } from '../endpoint/conditions.ts'
import {
  type DocumentedResponse,
  envelopeSchema,
  jsonResponse,
  schemaRef,
} from '../endpoint/documented-response.ts'
import { type ApiResponse, type PublicCall, successJson } from '../endpoint/endpoint.ts'

/** A record with its ETag, or 304 when the client has it. `life`: of a unit with events. */
export function recordResponse(
  call: PublicCall,
  row: PassportRow,
  life: UnitLife | null = null,
): ApiResponse {
  // `If-Match` compares what stands before the hyphen: an event makes no new version.
  const etag = life === null ? recordEtag(row) : recordEtag(row).replace(/"$/, `-e${life.events}"`)
  if (matchesAny(call.headers['if-none-match'], etag)) return { status: 304, body: '', headers: { etag } }
  const inUse = life === null ? undefined : formatInUse(life)
  return { body: successJson(recordJson(call.setup.addresses, row, inUse)), headers: { etag } }
}

/** Like `recordResponse`, after a change, which is never answered with 304. */
export const changedRecordResponse = (call: PublicCall, row: PassportRow) =>
  recordResponse({ setup: call.setup, headers: {} }, row)

type WriteMeta = { dry_run?: boolean; unchanged?: boolean; correction?: object }

/** The record with its warnings. A dry run has no ETag: the version does not exist. */
export function writtenResponse(
  call: PublicCall,
  written: WrittenPassport,
  meta: WriteMeta = {},
): ApiResponse {
  const envelope = { warnings: written.warnings, ...(Object.keys(meta).length === 0 ? {} : { meta }) }
  return {
    body: successJson(recordJson(call.setup.addresses, written.passport), envelope),
    headers: {
      ...(meta.dry_run ? {} : { etag: recordEtag(written.passport) }),
      ...(isStrict(call) ? { 'preference-applied': 'handling=strict' } : {}),
    },
  }
}

/** 201 with the address of the product; a dry run has no address. */
export function createdResponse(call: PublicCall, written: WrittenPassport, meta: WriteMeta = {}) {
  const { body, headers } = writtenResponse(call, written, meta)
  const location = `${call.setup.addresses.apiUrl}/products/${idFromUuid(written.passport.id)}`
  return { status: 201, headers: { ...headers, ...(meta.dry_run ? {} : { location }) }, body: String(body) }
}

/** Returns true if `If-Match` and `If-None-Match`, if sent, allow a change of the current version. */
export const isChangeAllowed = (call: PublicCall) => (current: PassportRow) =>
  allowsChange(call.headers, recordEtag(current))

/** `Prefer: handling=strict` (RFC 7240): unknown fields are rejected instead of warned about. */
export function isStrict(call: PublicCall): boolean {
  const prefer = call.headers.prefer
  return typeof prefer === 'string' && /(?:^|[,;\s])handling\s*=\s*"?strict"?(?:$|[,;\s])/i.test(prefer)
}

const RECORD_SCHEMA = envelopeSchema(schemaRef('Product'))

export const WARNINGS_SCHEMA = {
  type: 'array',
  items: schemaRef('Detail'),
  description: 'Fields that the schema does not know; they are stored.',
}
export const TRUNCATED_SCHEMA = { type: 'boolean', description: 'There were more than 100 warnings.' }

/** `meta` is only in the response to a dry run. */
export const WRITTEN_SCHEMA = envelopeSchema(schemaRef('Product'), {
  warnings: WARNINGS_SCHEMA,
  truncated: TRUNCATED_SCHEMA,
  meta: schemaRef('DryRun'),
})

export const describeRecord = (example: object, description = 'The product.'): DocumentedResponse =>
  jsonResponse(description, RECORD_SCHEMA, example, ['ETag'])
