/** The events of batches and items: added one by one or in bulk, and listed. */
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { detailJson } from '../../kernel/errors/detail-json.ts'
import { addEvent } from '../../passports/life/add-events.ts'
import { type AddedUnitEvents, addUnitEvents } from '../../passports/life/add-unit-events.ts'
import { toEventJson } from '../../passports/life/event.ts'
import { type EventPosition, listEvents } from '../../passports/life/read-events.ts'
import { objectBody, rowsMember } from '../endpoint/body.ts'
import { MAX_EVENT_BYTES, MAX_EVENTS_BYTES } from '../endpoint/body-limits.ts'
import {
  arrayOf,
  BOOLEAN,
  envelopeSchema,
  INTEGER,
  jsonResponse,
  NULLABLE_TEXT,
  objectSchema,
  schemaRef,
} from '../endpoint/documented-response.ts'
import { defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import { dateTimeParameter, LIMIT, type QueryParameter, textParameter } from '../endpoint/query-parameters.ts'
import { bulkError } from '../products/bulk-response.ts'
import {
  EXAMPLE_CORRECTION,
  EXAMPLE_EVENT,
  EXAMPLE_EVENT_BODY,
  EXAMPLE_UNIT_EVENT,
  NEW_UNIT_EVENT,
} from './schemas.ts'

const NO_STORE = { 'cache-control': 'private, no-store' }

export const addEventEndpoint = defineEndpoint({
  method: 'POST',
  path: '/products/:id/events',
  id: 'addEvent',
  tag: 'events',
  summary: 'Add an event to the log of a batch or item',
  description:
    'A repair, an accident, the end of life: which kinds there are, and who sees them, follows from the category. Events are never changed and never deleted. A `correction` withdraws one, or puts another in its place. An event makes no new version of the product, and never widens who sees it: `public` can only be `false`. Webhooks that name `product.event_added` get that event.',
  takesDryRun: true,
  body: {
    maxBytes: MAX_EVENT_BYTES,
    schema: schemaRef('NewLifeEvent'),
    examples: {
      repair: { summary: 'A repair', value: EXAMPLE_EVENT_BODY },
      correction: { summary: 'A correction', value: EXAMPLE_CORRECTION },
    },
    // Which members there are depends on the category of the product, so the operation checks them.
    read: (sent: unknown) => sent,
  },
  responses: {
    201: {
      ...jsonResponse(
        'The event, with its number and hash.',
        envelopeSchema(schemaRef('LifeEvent'), { meta: schemaRef('DryRun') }),
        EXAMPLE_EVENT,
      ),
      isIllustration: true,
    },
  },
  errors: ['ended'],
  async handle(call) {
    const added = await addEvent(call.account, {
      uuid: call.path.id,
      event: call.body,
      isDryRun: call.isDryRun,
    })
    const meta = call.isDryRun ? { meta: { dry_run: true } } : {}
    return { status: 201, body: successJson(JSON.stringify(toEventJson(added)), meta) }
  },
})

const EVENTS = objectBody({ items: rowsMember('events', NEW_UNIT_EVENT) })

export const addUnitEventsEndpoint = defineEndpoint({
  method: 'POST',
  path: '/products/:id/children/events',
  id: 'addUnitEvents',
  tag: 'events',
  summary: 'Add up to 500 events to the logs of units under a product',
  description:
    'Each row names its unit by `serial`, `lot` or `id`, and has the members of an event. A unit may occur in several rows; its events get their numbers in the order of the rows. Valid rows are stored, and rejected rows are reported. At most 4 MiB.',
  takesDryRun: true,
  isBulk: true,
  body: {
    maxBytes: MAX_EVENTS_BYTES,
    ...EVENTS,
    examples: { inspection: { summary: 'An inspection', value: { items: [EXAMPLE_UNIT_EVENT] } } },
  },
  responses: {
    200: {
      ...jsonResponse(
        'The result of each row.',
        envelopeSchema(schemaRef('AddedLifeEvents'), { meta: schemaRef('DryRun') }),
        {
          stored: [{ index: 0, product_id: '01m7ywhcr7fxwrqq1xd4m28c2t', ...EXAMPLE_EVENT }],
          errors: [],
          summary: { requested: 1, stored: 1, failed: 0 },
        },
      ),
      isIllustration: true,
    },
  },
  async handle(call) {
    const { isDryRun } = call
    const result = await addUnitEvents(call.account, {
      parentUuid: call.path.id,
      rows: call.body.items,
      isDryRun,
    })
    if (result.added.length === 0) throw bulkError(result.errors, 'No event could be stored')
    return {
      body: successJson(JSON.stringify(toBulkJson(result)), isDryRun ? { meta: { dry_run: true } } : {}),
    }
  },
})

/** The place in the list of one product: the time of an event, and its number. */
const CURSOR: QueryParameter<EventPosition> = {
  description: '`next_cursor` of an earlier response.',
  schema: { type: 'string' },
  read(text, name) {
    const [, time = '', number = ''] = /^(-?[0-9a-v]{1,11})\.([0-9a-v]{1,6})$/.exec(text) ?? []
    const at = new Date(Number.parseInt(time, 32))
    if (!Number.isNaN(at.getTime())) return { at, number: Number.parseInt(number, 32) }
    return { code: 'format', message: `${name} is no cursor of this list; send next_cursor as it was.` }
  },
}

const formatCursor = ({ at, number }: EventPosition) => `${at.getTime().toString(32)}.${number.toString(32)}`

export const listEventsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/products/:id/events',
  id: 'listEvents',
  tag: 'events',
  summary: 'List the events of a batch or item',
  description:
    'The newest first, by the time of the event. A corrected event stays in the list, with `corrected_by`. A model has none.',
  query: {
    kind: textParameter('Only events of this kind.', 100),
    from: dateTimeParameter('Only events from this time on.', '2026-01-01T00:00:00Z'),
    to: dateTimeParameter('Only events up to this time.', '2026-12-31T23:59:59Z'),
    limit: LIMIT,
    cursor: CURSOR,
  },
  responses: {
    200: {
      ...jsonResponse(
        'A page of events.',
        objectSchema({
          data: arrayOf(schemaRef('LifeEvent')),
          meta: objectSchema({ limit: INTEGER, has_more: BOOLEAN, next_cursor: NULLABLE_TEXT }),
        }),
      ),
      example: { data: [EXAMPLE_EVENT], meta: { limit: 25, has_more: false, next_cursor: null } },
      isIllustration: true,
    },
  },
  async handle({ account, path, query }) {
    const { kind, from, to, limit, cursor: after } = query
    const found = await listEvents(account, path.id, { kind, from, to, limit, after })
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    const next = found.length > limit && last !== undefined ? formatCursor(last.position) : null
    const meta = { limit, has_more: next !== null, next_cursor: next }
    return { body: successJson(JSON.stringify(rows.map(toEventJson)), { meta }), headers: NO_STORE }
  },
})

function toBulkJson({ added, errors }: AddedUnitEvents) {
  const stored = added
    .toSorted((a, b) => a.place - b.place)
    .map(event => ({ index: event.place, product_id: idFromUuid(event.unit.id), ...toEventJson(event) }))
  return {
    stored,
    errors: errors.map(({ index, error }) => ({
      index,
      code: error.code,
      error: error.message,
      errors: error.details?.map(detail => detailJson({ ...detail, index })),
    })),
    summary: { requested: stored.length + errors.length, stored: stored.length, failed: errors.length },
  }
}
