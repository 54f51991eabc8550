/** What the OpenAPI document says of scan statistics. */
import { BUNDLED_BUILD_DATE, BUNDLED_LICENCE } from '../../scans/country.ts'
import {
  envelope,
  illustrated,
  json,
  type Operation,
  queryParameter,
  schema,
} from '../endpoint/operation-parts.ts'
import { ITEM_IDS } from '../products/examples.ts'

const DAYS = queryParameter('days', 'Range in days of UTC; today is the last.', {
  type: 'integer',
  enum: [7, 30, 90, 365],
  default: 30,
})

const WHAT =
  'A scan is one GET of the public page as HTML. Not counted: HEAD, prefetches, JSON-LD, crawlers and link previews ' +
  "(these are in `crawlers`), and the account's own signed-in people. `unique` adds up the different readers of each " +
  'day: readers are told apart by a hash that cannot be repeated on another day. No address is stored. Countries come ' +
  "from a trusted proxy, the operator's file, or the bundled one: iptoasn-country of " +
  `${BUNDLED_BUILD_DATE}, ${BUNDLED_LICENCE}; \`XX\` is unknown.`

/** One day of the range stands for all of them. */
const SHOWN = {
  range_days: 30,
  total: 412,
  unique: 377,
  byCountry: { DE: 301, AT: 87, XX: 24 },
  byDevice: { mobile: 371, tablet: 12, desktop: 27, other: 2 },
  by_day: [{ date: '2026-11-21', total: 19, unique: 18 }],
  crawlers: 33,
}

export const SCAN_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/products/:id/scans',
    id: 'getProductScans',
    tag: 'scans',
    summary: 'How often a product was scanned',
    description: WHAT,
    parameters: [
      DAYS,
      queryParameter('include', '`units`: with the scans of all batches and items under it.', {
        type: 'string',
        enum: ['units'],
      }),
    ],
    responses: {
      200: illustrated(
        json('The summary.', envelope(schema('ProductScans')), {
          data: { product_id: ITEM_IDS[0], ...SHOWN },
        }),
      ),
    },
    errors: [],
  },
  {
    method: 'GET',
    path: '/scans',
    id: 'getScans',
    tag: 'scans',
    summary: 'How often all products of the account were scanned',
    description: WHAT,
    parameters: [DAYS],
    responses: {
      200: illustrated(
        json('The summary.', envelope(schema('AccountScans')), {
          data: { ...SHOWN, byCategory: { textile: 412 }, byLevel: { model: 310, batch: 0, item: 102 } },
        }),
      ),
    },
    errors: [],
  },
]

const count = { type: 'integer', minimum: 0 }
const counts = { type: 'object', additionalProperties: count }
const named = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map(name => [name, count])),
  required: names,
})
const object = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

const SUMMARY = {
  range_days: { type: 'integer', enum: [7, 30, 90, 365] },
  total: count,
  unique: { ...count, description: 'Readers of each day, added up.' },
  byCountry: { ...counts, description: 'ISO 3166-1 alpha-2 to scans; `XX` is unknown.' },
  byDevice: named('mobile', 'tablet', 'desktop', 'other'),
  by_day: {
    type: 'array',
    description: 'Every day of the range, the oldest first.',
    items: object({ date: { type: 'string', format: 'date' }, total: count, unique: count }),
  },
  crawlers: { ...count, description: 'Fetched by crawlers and link previews; in no other number.' },
}

export const SCAN_SCHEMAS = {
  ProductScans: object({ product_id: { type: 'string' }, ...SUMMARY }),
  AccountScans: object({ ...SUMMARY, byCategory: counts, byLevel: named('model', 'batch', 'item') }),
}
