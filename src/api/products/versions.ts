/** The history of a product: its versions, one version, and restoring one. */
import { getVersion, listVersions } from '../../passports/read/history.ts'
import { revertPassport } from '../../passports/write/revert.ts'
import { objectBody } from '../endpoint/body.ts'
import { MAX_SMALL_BODY_BYTES } from '../endpoint/body-limits.ts'
import { jsonResponse, pageResponse } from '../endpoint/documented-response.ts'
import { defineEndpoint, pageMeta, successJson } from '../endpoint/endpoint.ts'
import { IF_MATCH, IF_NONE_MATCH } from '../endpoint/header-parameters.ts'
import { CURSOR_TEXT, LIMIT, PAGE, readInteger } from '../endpoint/query-parameters.ts'
import { CHANGE_MEMBERS } from './change-members.ts'
import { EXAMPLE_VERSIONS, exampleRecord, LATER } from './examples.ts'
import {
  describeRecord,
  isChangeAllowed,
  recordResponse,
  WRITTEN_SCHEMA,
  writtenResponse,
} from './record-response.ts'

const MAX_VERSION_NO = 1_000_000_000

export const listProductVersions = defineEndpoint({
  method: 'GET',
  path: '/products/:id/versions',
  id: 'listVersions',
  tag: 'products',
  summary: 'List the versions of a product',
  description: 'Every version, newest first. A version is never changed and never deleted.',
  query: { page: PAGE, limit: LIMIT, cursor: { ...CURSOR_TEXT, read: readInteger(1, MAX_VERSION_NO) } },
  responses: { 200: pageResponse('A page of versions.', 'Version', EXAMPLE_VERSIONS) },
  async handle({ account, path, query }) {
    const { page, limit, cursor } = query
    const from = cursor === undefined ? { offset: (page - 1) * limit } : { before: cursor }
    const { versions, total } = await listVersions(account, path.id, { ...from, limit })
    const last = versions.at(-1)?.version_no ?? 1
    const meta = pageMeta(query, { total }, last > 1 ? String(last) : undefined)
    return { body: successJson(JSON.stringify(versions), { meta }) }
  },
})

export const readProductVersion = defineEndpoint({
  method: 'GET',
  path: '/products/:id/versions/:n',
  id: 'getVersion',
  tag: 'products',
  summary: 'Read a version of a product',
  description: 'The full record as it was.',
  requestHeaders: [IF_NONE_MATCH],
  responses: { 200: describeRecord(exampleRecord(), 'The product as it was.') },
  async handle(call) {
    return recordResponse(call, await getVersion(call.account, call.path.id, call.path.n))
  },
})

const REVERSION = objectBody(CHANGE_MEMBERS)

export const revertProduct = defineEndpoint({
  method: 'POST',
  path: '/products/:id/versions/:n/revert',
  id: 'revertProduct',
  tag: 'products',
  summary: 'Go back to an earlier version',
  description:
    'Writes the data of that version as a new version. For a unit, only its own fields are reverted; inherited fields stay.',
  requestHeaders: [IF_MATCH],
  body: {
    maxBytes: MAX_SMALL_BODY_BYTES,
    isOptional: true,
    schema: REVERSION.schema,
    examples: { reason: { summary: 'With a reason', value: { note: 'Entered by mistake' } } },
    read: (sent = {}) => REVERSION.read(sent),
  },
  responses: {
    200: jsonResponse(
      'The new version.',
      WRITTEN_SCHEMA,
      exampleRecord({ version_no: 3, updated_at: LATER }),
      ['ETag'],
    ),
  },
  errors: ['gtin_taken', 'version_conflict'],
  async handle(call) {
    const { change_type: changeType, note } = call.body
    const { id: uuid, n: versionNo } = call.path
    const reversion = { uuid, versionNo, changeType, note, expects: isChangeAllowed(call) }
    return writtenResponse(call, await revertPassport(call.account, reversion))
  },
})
