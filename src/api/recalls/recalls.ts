/** Recall notices: of a model, a batch or an item, and the list of those of the account. */

import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { matchesAny } from '../../kernel/http/entity-tags.ts'
import type { RecallNotice } from '../../passports/core/recalls.ts'
import { LEVEL_NAME } from '../../passports/core/record.ts'
import { atPassport, getPassport } from '../../passports/read/find.ts'
import { NOTICE_MEMBERS } from '../../passports/recalls/check-notice.ts'
import {
  countRecalls,
  findRecall,
  listRecallChanges,
  listRecalls,
  noRecall,
  type Recall,
  type RecallChange,
} from '../../passports/recalls/read-recall.ts'
import { endRecall, setRecall } from '../../passports/recalls/set-recall.ts'
import { membersReadLater, objectBody } from '../endpoint/body.ts'
import { MAX_PASSPORT_BYTES } from '../endpoint/body-limits.ts'
import { allowsChange } from '../endpoint/conditions.ts'
import {
  arrayOf,
  DATE_TIME,
  envelopeSchema,
  INTEGER,
  jsonResponse,
  NULLABLE_TEXT,
  objectSchema,
  pageResponse,
  schemaRef,
  TEXT,
} from '../endpoint/documented-response.ts'
import {
  type ApiResponse,
  defineEndpoint,
  type PublicCall,
  pageMeta,
  successJson,
} from '../endpoint/endpoint.ts'
import { describeHeader, IF_NONE_MATCH } from '../endpoint/header-parameters.ts'
import { choiceParameter, LIMIT, PAGE, withDefault } from '../endpoint/query-parameters.ts'
import { ID_CURSOR } from '../products/list-products.ts'
import { ID_SCHEMA } from '../products/summary.ts'

const CHANGE_NAME = { s: 'set', c: 'changed', e: 'ended' } as const
const CHANGE_NAMES = Object.values(CHANGE_NAME)
const MAX_CHANGES = 50

const BODY = objectBody(membersReadLater(NOTICE_MEMBERS))

const EXAMPLE_BODY = {
  hazard: {
    en: 'The charger can overheat and cause a fire.',
    de: 'Das Ladegerät kann überhitzen und einen Brand verursachen.',
  },
  action: {
    en: 'Stop using the charger. Bring it back to any store; you get a new one.',
    de: 'Benutzen Sie das Ladegerät nicht mehr. Bringen Sie es in ein Geschäft zurück; Sie erhalten ein neues.',
  },
  url: 'https://nordlicht.example/recall',
  contact: '+49 441 5550100',
}
const EXAMPLE_NOTICE: RecallNotice = { ...EXAMPLE_BODY, from: '2026-11-24' }

const EXAMPLE_ROW = {
  product_id: '01m7ywhcr7fxwrqq1xd4m28c2t',
  level: 'model',
  status: 'active',
  number: 1,
  notice: EXAMPLE_NOTICE,
  set_at: '2026-11-24T09:30:00.000Z',
  changed_at: '2026-11-24T09:30:00.000Z',
  ended_at: null,
}
const EXAMPLE_CHANGE = {
  number: 1,
  change: 'set',
  at: '2026-11-24T09:30:00.000Z',
  by: 'ERP',
  notice: EXAMPLE_NOTICE,
}

const toRow = ({ id, level, number, kind, notice, set_at, changed_at }: Recall) => ({
  product_id: idFromUuid(id),
  level: LEVEL_NAME[level],
  status: kind === 'e' ? 'ended' : 'active',
  number,
  notice: toNotice(notice),
  set_at: set_at.toISOString(),
  changed_at: changed_at.toISOString(),
  ended_at: kind === 'e' ? changed_at.toISOString() : null,
})

/** In the order of the documentation; PostgreSQL has another one. */
const toNotice = ({ hazard, action, url, contact, from }: RecallNotice) => ({
  hazard,
  action,
  url,
  contact,
  from,
})

const getEtag = ({ number }: Pick<Recall, 'number'>) => `"v${number}"`

/** A recall must not come from a cache. */
const NO_STORE = { 'cache-control': 'private, no-store' }

const respond = (
  recall: Recall,
  { changes, status = 200 }: { changes?: object[]; status?: number } = {},
): ApiResponse => ({
  status,
  body: successJson(JSON.stringify({ ...toRow(recall), ...(changes && { changes }) })),
  headers: { etag: getEtag(recall), ...NO_STORE },
})

/** Without a notice there is nothing that `If-Match` could mean. */
const isChangeAllowed = (call: PublicCall) => (current: Recall | undefined) =>
  current === undefined
    ? call.headers['if-match'] === undefined
    : allowsChange(call.headers, getEtag(current))

const IF_MATCH_RECALL = describeHeader('If-Match', 'ETag that the notice must still have.')

const RECALL_RESPONSE = (description: string) => ({
  ...jsonResponse(description, envelopeSchema(schemaRef('Recall')), EXAMPLE_ROW, ['ETag']),
  isIllustration: true as const,
})

export const putRecall = defineEndpoint({
  method: 'PUT',
  path: '/products/:id/recall',
  id: 'setRecall',
  tag: 'recalls',
  summary: 'Set or change the recall notice of a product',
  description:
    'The public page of the product and of everything beneath it shows the notice first, at once, in print too, and for every reader. Link sets get `gs1:recallStatus`. Webhooks that name `product.recalled` get that event. The body replaces the whole notice; an equal one changes nothing. Archived products can be recalled.',
  requestHeaders: [IF_MATCH_RECALL],
  body: {
    maxBytes: MAX_PASSPORT_BYTES,
    schema: schemaRef('RecallNotice'),
    examples: { recall: { summary: 'A charger that overheats', value: EXAMPLE_BODY } },
    read: BODY.read,
  },
  responses: {
    200: RECALL_RESPONSE('The notice, changed.'),
    201: RECALL_RESPONSE('The notice, newly set.'),
  },
  errors: ['not_found', 'version_conflict'],
  async handle(call) {
    const input = { uuid: call.path.id, notice: call.body, expects: isChangeAllowed(call) }
    const { recall, isNew } = await setRecall(call.account, input)
    return respond(recall, { status: isNew ? 201 : 200 })
  },
})

export const readRecall = defineEndpoint({
  method: 'GET',
  path: '/products/:id/recall',
  id: 'getRecall',
  tag: 'recalls',
  summary: 'Read the recall notice of a product',
  description:
    'The notice that was set on this product, or the last one that ended, with its changes, the newest first, at most 50. 404 if it never had one, also if its model or batch is recalled.',
  requestHeaders: [IF_NONE_MATCH],
  responses: {
    200: {
      ...jsonResponse(
        'The notice.',
        envelopeSchema(schemaRef('Recall')),
        { ...EXAMPLE_ROW, changes: [EXAMPLE_CHANGE] },
        ['ETag'],
      ),
      isIllustration: true,
    },
  },
  async handle({ account, path, headers }) {
    const at = await atPassport(account, path.id)
    await getPassport(at, path.id)
    const recall = await findRecall(at, path.id)
    if (recall === undefined) throw noRecall()
    if (matchesAny(headers['if-none-match'], getEtag(recall)))
      return { status: 304, body: '', headers: { etag: getEtag(recall), ...NO_STORE } }
    const changes = await listRecallChanges(at, path.id, MAX_CHANGES)
    return respond(recall, { changes: changes.map(toChange) })
  },
})

const toChange = ({ number, kind, changed_at, changedBy, notice }: RecallChange) => ({
  number,
  change: CHANGE_NAME[kind],
  at: changed_at.toISOString(),
  by: changedBy,
  notice: toNotice(notice),
})

export const deleteRecall = defineEndpoint({
  method: 'DELETE',
  path: '/products/:id/recall',
  id: 'endRecall',
  tag: 'recalls',
  summary: 'End the recall of a product',
  description:
    'The pages no longer show the notice. It is kept with its changes, the time of its end and who ended it. Webhooks that name `product.recall_ended` get that event. 404 if no notice of this product is in force.',
  requestHeaders: [IF_MATCH_RECALL],
  responses: { 200: RECALL_RESPONSE('The notice that ended.') },
  errors: ['version_conflict'],
  async handle(call) {
    return respond(await endRecall(call.account, { uuid: call.path.id, expects: isChangeAllowed(call) }))
  },
})

export const listRecallsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/recalls',
  id: 'listRecalls',
  tag: 'recalls',
  summary: 'List the recalls of the account',
  description:
    'One row for each model, batch or item on which a notice was set, the newest product first. Products beneath it have no row.',
  query: {
    status: withDefault(
      choiceParameter('In force, ended, or all.', ['active', 'ended', 'all'] as const),
      'active',
    ),
    page: PAGE,
    limit: LIMIT,
    cursor: ID_CURSOR,
  },
  responses: {
    200: { ...pageResponse('A page of recalls.', 'Recall', [EXAMPLE_ROW]), isIllustration: true },
  },
  async handle({ account, query }) {
    const { status: state, page, limit, cursor } = query
    const skip = cursor === undefined ? (page - 1) * limit : 0
    const total = await countRecalls(account, state)
    // One more than the page, to see whether there is a next one.
    const wanted = skip < total ? skip + limit + 1 : 0
    const found = wanted === 0 ? [] : await listRecalls(account, { state, limit: wanted, after: cursor })
    const rows = found.slice(skip, skip + limit)
    const last = found.length > skip + limit ? rows.at(-1) : undefined
    const meta = pageMeta(query, { total }, last && idFromUuid(last.id))
    return { body: successJson(JSON.stringify(rows.map(toRow)), { meta }), headers: NO_STORE }
  },
})

const STORED_NOTICE = objectSchema({ ...BODY.schema.properties, from: { ...TEXT, format: 'date' } })

export const RECALL_SCHEMAS = {
  RecallNotice: BODY.schema,
  Recall: objectSchema(
    {
      product_id: { ...ID_SCHEMA, description: 'The product on which the notice was set.' },
      level: { type: 'string', enum: ['model', 'batch', 'item'] },
      status: { type: 'string', enum: ['active', 'ended'] },
      number: { ...INTEGER, minimum: 1, description: 'Increases with each change; the ETag has it.' },
      notice: STORED_NOTICE,
      set_at: DATE_TIME,
      changed_at: DATE_TIME,
      ended_at: { ...NULLABLE_TEXT, format: 'date-time' },
      changes: arrayOf(
        objectSchema({
          number: INTEGER,
          change: { type: 'string', enum: CHANGE_NAMES },
          at: DATE_TIME,
          by: { ...TEXT, description: 'The key or the person.' },
          notice: STORED_NOTICE,
        }),
      ),
    },
    ['changes'],
  ),
}
