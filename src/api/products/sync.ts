/** Create or update: one product named by its SKU or GTIN, or up to 500 in a call. */
import { assert } from '../../kernel/errors/errors.ts'
import { recordEtag } from '../../passports/core/record.ts'
import type { BulkRow } from '../../passports/core/state.ts'
import { MATCH_BY, type MatchBy } from '../../passports/sync/parse-row.ts'
import { syncModel, syncModels } from '../../passports/sync/sync-models.ts'
import {
  choiceMember,
  dataMember,
  memberWithDefault,
  objectBody,
  optionalCategoryMember,
  rowsMember,
} from '../endpoint/body.ts'
import { MAX_BULK_BYTES, MAX_PASSPORT_BYTES } from '../endpoint/body-limits.ts'
import { allowsChange } from '../endpoint/conditions.ts'
import { BOOLEAN, closedSchema, jsonResponse } from '../endpoint/documented-response.ts'
import { type AccountCall, type ApiResponse, defineEndpoint } from '../endpoint/endpoint.ts'
import { describeHeader, IF_MATCH, STRICT } from '../endpoint/header-parameters.ts'
import { bulkError, bulkJson, bulkWrittenSchema } from './bulk-response.ts'
import { CHANGE_MEMBERS } from './change-members.ts'
import { CHANGED, exampleRecord, exampleSummary, LONGER_WARRANTY } from './examples.ts'
import { createdResponse, isStrict, WRITTEN_SCHEMA, writtenResponse } from './record-response.ts'

const CATEGORY = {
  type: 'string',
  description: 'Required for a new product. It cannot change for an existing one.',
}
const DATA = {
  type: 'object',
  description:
    'All fields of a new product. For an existing product, the fields to set; null removes a field.',
}

const ONE_PRODUCT = objectBody({
  category: optionalCategoryMember(CATEGORY),
  data: dataMember(DATA),
  ...CHANGE_MEMBERS,
})

const IF_ABSENT = describeHeader('If-None-Match', '`*`: only if the product does not exist yet.')

const OUTCOME_SCHEMA = {
  ...WRITTEN_SCHEMA,
  properties: {
    ...WRITTEN_SCHEMA.properties,
    meta: {
      type: 'object',
      properties: {
        unchanged: { type: 'boolean', description: 'Nothing would change, so there is no new version.' },
        dry_run: BOOLEAN,
      },
    },
  },
}

/** The parts that the two endpoints for one product share. */
const PUT = {
  method: 'PUT',
  tag: 'products',
  takesDryRun: true,
  requestHeaders: [IF_MATCH, IF_ABSENT, STRICT],
  body: {
    maxBytes: MAX_PASSPORT_BYTES,
    ...ONE_PRODUCT,
    examples: { warranty: { summary: 'One field', value: { data: { warrantyMonths: 36 } } } },
  },
  responses: {
    200: jsonResponse(
      'The updated product, or the unchanged one with `meta.unchanged`.',
      OUTCOME_SCHEMA,
      exampleRecord(CHANGED, LONGER_WARRANTY),
      ['ETag'],
    ),
    201: jsonResponse('Created.', OUTCOME_SCHEMA, exampleRecord(), ['ETag', 'Location']),
  },
  errors: ['gtin_taken', 'plan_limit', 'version_conflict'],
} as const

export const putBySku = defineEndpoint({
  ...PUT,
  path: '/products/by-sku/:sku',
  id: 'putProductBySku',
  summary: 'Create or update the product with this SKU',
  description:
    'For an existing product, `data` is merged over its fields, as by PATCH. A request that would change nothing writes no version. If several products have this SKU, the answer is 422 and names them. Send a slash in the SKU as %2F.',
  handle: call => putProduct(call, 'sku', call.path.sku),
})

export const putByGtin = defineEndpoint({
  ...PUT,
  path: '/products/by-gtin/:gtin',
  id: 'putProductByGtin',
  summary: 'Create or update the product with this GTIN',
  description:
    'Works like the call by SKU, for the product with this GTIN; leading zeros make no difference. If the GTIN cannot be used for it, the answer is 409.',
  handle: call => putProduct(call, 'gtin', call.path.gtin),
})

type Put = AccountCall & { body: ReturnType<typeof ONE_PRODUCT.read> }

async function putProduct(call: Put, matchBy: MatchBy, address: string): Promise<ApiResponse> {
  const { change_type: changeType, ...rest } = call.body
  const result = await syncModel(call.account, {
    ...rest,
    matchBy,
    address,
    changeType,
    dryRun: call.isDryRun,
    strict: isStrict(call),
    expects: current => isExpected(call, current),
  })
  const [failure] = result.errors
  if (failure !== undefined) throw failure.error
  const [created] = result.created
  const [unchanged] = result.unchanged
  const written = created ?? unchanged ?? result.updated[0]
  assert(written, 'a row is created, updated, unchanged or rejected')
  const meta = { ...(call.isDryRun ? { dry_run: true } : {}), ...(unchanged ? { unchanged: true } : {}) }
  return created === undefined ? writtenResponse(call, written, meta) : createdResponse(call, written, meta)
}

/** RFC 9110 §13.1: `If-Match` needs an existing product, `If-None-Match: *` needs a new one. */
function isExpected({ headers }: AccountCall, current: BulkRow | undefined): boolean {
  if (current === undefined) return headers['if-match'] === undefined
  return allowsChange(headers, recordEtag(current))
}

const matchBy = choiceMember('The field of `data` that identifies the product.', MATCH_BY)
const MATCH_BY_SCHEMA = { ...matchBy.schema, default: 'sku' }

const SYNC = objectBody({
  items: rowsMember(
    'products',
    closedSchema({ category: CATEGORY, data: DATA, match_by: MATCH_BY_SCHEMA }, ['data']),
  ),
  match_by: { ...memberWithDefault(matchBy, 'sku'), schema: MATCH_BY_SCHEMA },
  ...CHANGE_MEMBERS,
})

export const syncProducts = defineEndpoint({
  method: 'POST',
  path: '/products/bulk',
  id: 'syncProducts',
  tag: 'products',
  summary: 'Create or update up to 500 products',
  description:
    'Each row works like the calls by SKU or GTIN: valid rows are stored, and rejected rows are reported. Sending the same rows again changes nothing and says so. At most 8 MiB.',
  takesDryRun: true,
  isBulk: true,
  requestHeaders: [STRICT],
  body: {
    maxBytes: MAX_BULK_BYTES,
    ...SYNC,
    examples: {
      warranty: {
        summary: 'One product',
        value: { items: [{ data: { sku: 'OST-45', warrantyMonths: 36 } }] },
      },
    },
  },
  responses: {
    200: jsonResponse('The result of each row.', bulkWrittenSchema('SyncedProducts'), {
      created: [],
      updated: [{ index: 0, ...exampleSummary(CHANGED) }],
      unchanged: [],
      errors: [],
      summary: { requested: 1, created: 0, updated: 1, unchanged: 0, failed: 0 },
    }),
  },
  errors: ['plan_limit'],
  async handle(call) {
    const { items: rows, match_by: matchBy, change_type: changeType, note } = call.body
    const options = { matchBy, changeType, note, dryRun: call.isDryRun, strict: isStrict(call) }
    const { created, updated, unchanged, errors } = await syncModels(call.account, { rows, ...options })
    if (created.length + updated.length + unchanged.length === 0) {
      throw bulkError(errors, 'No product could be created or updated')
    }
    return { body: bulkJson(call, { created, updated, unchanged }, errors) }
  },
})
