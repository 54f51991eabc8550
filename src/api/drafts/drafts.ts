/** `/drafts`: products and changes that are prepared before anybody sees them. */

import { pauseIfLarge } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { detailJson } from '../../kernel/errors/detail-json.ts'
import { invalid } from '../../kernel/errors/errors.ts'
import { requireData } from '../../passports/core/check-data.ts'
import { passportUrl } from '../../passports/core/record.ts'
import {
  type Draft,
  type JudgedDraft,
  judgeDraft,
  judgeDrafts,
  reportDraft,
} from '../../passports/drafts/draft.ts'
import { previewPublish, publishDraft } from '../../passports/drafts/publish.ts'
import {
  changeDraft,
  countDrafts,
  createDraft,
  deleteDraft,
  getDraft,
  listDrafts,
  type NewDraft,
} from '../../passports/drafts/store-drafts.ts'
import { requireProductUuid } from '../../passports/read/find.ts'
import { readReportBasis } from '../../passports/readiness/report-passport.ts'
import { CHANGE_TYPES } from '../../passports/write/plan-version.ts'
import { choiceMember, dataMember, objectBody, optionalCategoryMember, textMember } from '../endpoint/body.ts'
import { MAX_PASSPORT_BYTES } from '../endpoint/body-limits.ts'
import {
  arrayOf,
  DATE_TIME,
  dataResponse,
  jsonResponse,
  NULLABLE_TEXT,
  objectSchema,
  pageResponse,
  schemaRef,
  TEXT,
} from '../endpoint/documented-response.ts'
import { type AccountCall, defineEndpoint, pageMeta, successJson } from '../endpoint/endpoint.ts'
import { IF_MATCH, STRICT } from '../endpoint/header-parameters.ts'
import { LIMIT, PAGE } from '../endpoint/query-parameters.ts'
import { exampleRecord } from '../products/examples.ts'
import { ID_CURSOR } from '../products/list-products.ts'
import {
  createdResponse,
  isChangeAllowed,
  isStrict,
  WRITTEN_SCHEMA,
  writtenResponse,
} from '../products/record-response.ts'
import { ID_SCHEMA } from '../products/summary.ts'
import { EXAMPLE_DRAFT, EXAMPLE_DRAFT_ROW } from './examples.ts'

const MAX_NOTE_LENGTH = 500

const DATA = { type: 'object', additionalProperties: true, description: 'The fields that are known.' }
const NOTE = textMember('A note; with a change it becomes the note of the version.', MAX_NOTE_LENGTH)
const CHANGE_TYPE = choiceMember('Only for a change, as of `PATCH /products/{id}`.', CHANGE_TYPES)

const NEW_DRAFT = objectBody({
  category: optionalCategoryMember({ ...TEXT, description: 'Category of a new product.' }),
  product_id: {
    schema: { ...TEXT, description: 'The product to change, in place of `category`.' },
    read: (sent: unknown) => (sent === undefined ? undefined : requireProductUuid(String(sent))),
  },
  data: dataMember(DATA),
  change_type: CHANGE_TYPE,
  note: NOTE,
})

function readNewDraft(sent: unknown): NewDraft {
  const { category, product_id: product, data, change_type: changeType, note } = NEW_DRAFT.read(sent)
  if (product !== undefined && category === undefined)
    return { product, changeType: changeType ?? 'change', data, note }
  if (category === undefined || product !== undefined) {
    const message = 'Send either category for a new product, or product_id for a change.'
    throw invalid([{ path: ['category'], code: category === undefined ? 'required' : 'immutable', message }])
  }
  if (changeType !== undefined) {
    const message = 'change_type belongs to a change; leave it out for a new product.'
    throw invalid([{ path: ['change_type'], code: 'immutable', message }])
  }
  return { category, data, note }
}

const DRAFT_CHANGE = objectBody({
  data: { schema: DATA, read: (sent: unknown) => (sent === undefined ? undefined : requireData(sent)) },
  change_type: CHANGE_TYPE,
  note: NOTE,
})

const toRow = (call: AccountCall, { planned, ...draft }: JudgedDraft) => ({
  id: idFromUuid(draft.id),
  product_id: draft.product_id && idFromUuid(draft.product_id),
  category: draft.category,
  level: planned.level,
  change_type: draft.change_type,
  passport_url: passportUrl(call.setup.addresses, idFromUuid(draft.product_id ?? draft.id)),
  product_name: planned.data.productName ?? null,
  sku: planned.data.sku ?? null,
  note: draft.note,
  created_at: draft.created_at.toISOString(),
  updated_at: draft.updated_at.toISOString(),
})

/** Refusals and demands of the law may change at any time, so no cache may store it. */
const NO_STORE = { 'cache-control': 'private, no-store' }

async function respond(call: AccountCall, draft: Draft, status = 200) {
  const data = JSON.stringify(draft.data)
  await pauseIfLarge(data.length)
  const judged = await judgeDraft(call.account, draft)
  await pauseIfLarge(data.length)
  const readiness = reportDraft(call.account, await readReportBasis(call.account), judged)
  const row = JSON.stringify(toRow(call, judged))
  const rest = JSON.stringify({ details: judged.details.map(detailJson), readiness })
  const body = `${row.slice(0, -1)},"data":${data},${rest.slice(1)}`
  return { status, body: successJson(body), headers: NO_STORE }
}

const DRAFT_RESPONSE = {
  ...dataResponse('The draft.', 'Draft', EXAMPLE_DRAFT),
  isIllustration: true,
} as const

export const createDraftEndpoint = defineEndpoint({
  method: 'POST',
  path: '/drafts',
  id: 'createDraft',
  tag: 'drafts',
  summary: 'Prepare a product or a change',
  description:
    'Stores fields that nobody but the account sees, until they are published. Fields may be missing, but what is there must be valid. The id of a new product’s draft becomes the id of its passport, so labels can be printed early. An account can have 1,000 drafts; each is deleted 180 days after its last change.',
  body: {
    maxBytes: MAX_PASSPORT_BYTES,
    schema: schemaRef('NewDraft'),
    examples: {
      product: {
        summary: 'A product of which little is known yet',
        value: { category: 'battery', data: { batteryCategory: 'lmt', weightKg: 2.6 } },
      },
    },
    read: readNewDraft,
  },
  responses: { 201: DRAFT_RESPONSE },
  errors: ['plan_limit', 'not_found'],
  handle: async call => respond(call, await createDraft(call.account, call.body), 201),
})

export const listDraftsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/drafts',
  id: 'listDrafts',
  tag: 'drafts',
  summary: 'List drafts',
  description: 'Newest first, without their data.',
  query: { page: PAGE, limit: LIMIT, cursor: ID_CURSOR },
  responses: {
    200: { ...pageResponse('A page of drafts.', 'DraftSummary', [EXAMPLE_DRAFT_ROW]), isIllustration: true },
  },
  async handle(call) {
    const { account, query } = call
    const { page, limit, cursor } = query
    const from = cursor === undefined ? { offset: (page - 1) * limit } : { after: cursor }
    // One more than the limit, to see whether there is a next page.
    const found = await listDrafts(account, { limit: limit + 1, ...from })
    const basis = await readReportBasis(account)
    const rows = (await judgeDrafts(account, found.slice(0, limit))).map(judged => ({
      ...toRow(call, judged),
      refused: judged.details.length,
      readiness: reportDraft(account, basis, judged),
    }))
    const last = found.length > limit ? found[limit - 1] : undefined
    const meta = pageMeta(query, { total: await countDrafts(account) }, last && idFromUuid(last.id))
    return { body: successJson(JSON.stringify(rows), { meta }), headers: NO_STORE }
  },
})

export const readDraft = defineEndpoint({
  method: 'GET',
  path: '/drafts/:draft',
  id: 'getDraft',
  tag: 'drafts',
  summary: 'Read a draft',
  description: '`details` is what publishing it would refuse now, `readiness` what the law would still want.',
  responses: { 200: DRAFT_RESPONSE },
  handle: async call => respond(call, await getDraft(call.account, call.path.draft)),
})

export const changeDraftEndpoint = defineEndpoint({
  method: 'PATCH',
  path: '/drafts/:draft',
  id: 'updateDraft',
  tag: 'drafts',
  summary: 'Change a draft',
  description:
    'Each field that you send replaces the whole field of that name. In a draft of a new product `null` removes the field; in a change it stays, and removes the field of the product when the draft is published.',
  body: {
    maxBytes: MAX_PASSPORT_BYTES,
    schema: schemaRef('DraftChange'),
    examples: { weight: { summary: 'One more field', value: { data: { weightKg: 2.7 } } } },
    read: DRAFT_CHANGE.read,
  },
  responses: { 200: DRAFT_RESPONSE },
  async handle(call) {
    const { data, note, change_type: changeType } = call.body
    return respond(call, await changeDraft(call.account, call.path.draft, { data, note, changeType }))
  },
})

export const deleteDraftEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/drafts/:draft',
  id: 'deleteDraft',
  tag: 'drafts',
  summary: 'Delete a draft',
  description: 'Answers with the draft as it was.',
  responses: { 200: DRAFT_RESPONSE },
  handle: async call => respond(call, await deleteDraft(call.account, call.path.draft)),
})

export const publishDraftEndpoint = defineEndpoint({
  method: 'POST',
  path: '/drafts/:draft/publish',
  id: 'publishDraft',
  tag: 'drafts',
  summary: 'Publish a draft',
  description:
    'Does what `POST /products` or `PATCH /products/{id}` would do with its data, with the same errors, and deletes the draft. After an error the draft stays.',
  takesDryRun: true,
  requestHeaders: [IF_MATCH, STRICT],
  responses: {
    200: jsonResponse('The changed product.', WRITTEN_SCHEMA, exampleRecord(), ['ETag']),
    201: jsonResponse('The new product.', WRITTEN_SCHEMA, exampleRecord(), ['ETag', 'Location']),
  },
  errors: ['gtin_taken', 'plan_limit', 'version_conflict'],
  async handle(call) {
    const options = { strict: isStrict(call), expects: isChangeAllowed(call) }
    const publish = call.isDryRun ? previewPublish : publishDraft
    const { isNew, ...written } = await publish(call.account, call.path.draft, options)
    const meta = call.isDryRun ? { dry_run: true } : {}
    return isNew ? createdResponse(call, written, meta) : writtenResponse(call, written, meta)
  },
})

const DRAFT_PROPERTIES = {
  id: { ...ID_SCHEMA, description: 'Id of the draft. The passport of a new product will have it too.' },
  product_id: { ...NULLABLE_TEXT, description: 'The product that it changes; null for a new one.' },
  category: TEXT,
  level: { type: 'string', enum: ['model', 'batch', 'item'] },
  change_type: { ...NULLABLE_TEXT, enum: [...CHANGE_TYPES, null] },
  passport_url: { ...TEXT, format: 'uri', description: 'Answers 404 while a new product is a draft.' },
  product_name: NULLABLE_TEXT,
  sku: NULLABLE_TEXT,
  note: NULLABLE_TEXT,
  created_at: DATE_TIME,
  updated_at: DATE_TIME,
}
const READINESS = { ...schemaRef('ReadinessReport') }

export const DRAFT_SCHEMAS = {
  NewDraft: NEW_DRAFT.schema,
  DraftChange: DRAFT_CHANGE.schema,
  Draft: objectSchema({
    ...DRAFT_PROPERTIES,
    data: DATA,
    details: { ...arrayOf(schemaRef('Detail')), description: 'What publishing would refuse now.' },
    readiness: READINESS,
  }),
  DraftSummary: objectSchema({
    ...DRAFT_PROPERTIES,
    refused: { type: 'integer', minimum: 0, description: 'How many `details` the draft has.' },
    readiness: READINESS,
  }),
}
