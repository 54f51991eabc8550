/** Scan statistics: of one product, and of the whole account. */
import { allCategories } from '../../categories/catalogue.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { getPassport } from '../../passports/read/find.ts'
import { BUNDLED_BUILD_DATE, BUNDLED_LICENCE } from '../../scans/country.ts'
import { SUMMARY_RANGES, summarizeAccount, summarizePassport } from '../../scans/summary.ts'
import { type DocumentedResponse, dataResponse, objectSchema, TEXT } from '../endpoint/documented-response.ts'
import { type ApiResponse, defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import { choiceParameter, withDefault } from '../endpoint/query-parameters.ts'

const RANGES_DAYS = SUMMARY_RANGES.map(Number)
const days = withDefault(choiceParameter('Range in days of UTC; today is the last day.', RANGES_DAYS), 30)

const DESCRIPTION =
  'A scan is one GET of the public page as HTML. Not counted: HEAD, prefetches, JSON-LD, crawlers and link previews ' +
  "(these are in `crawlers`), and the account's own signed-in members. `unique` adds up the different readers of each " +
  'day: readers are told apart by a hash that cannot be repeated on another day. No address is stored. Countries come from ' +
  "a trusted proxy, the operator's file, or the bundled one: iptoasn-country of " +
  `${BUNDLED_BUILD_DATE}, ${BUNDLED_LICENCE}; \`XX\` is unknown.`

const EXAMPLE_ITEM_ID = '01m7ywm3p9eknbw8v1r6za7d4s'
/** Shows one day instead of all days of the range. */
const EXAMPLE = {
  range_days: 30,
  total: 412,
  unique: 377,
  byCountry: { DE: 301, AT: 87, XX: 24 },
  byDevice: { mobile: 371, tablet: 12, desktop: 27, other: 2 },
  by_day: [{ date: '2026-11-21', total: 19, unique: 18 }],
  crawlers: 33,
}

const describeSummary = (schema: string, example: object): DocumentedResponse => ({
  ...dataResponse('The summary.', schema, example),
  isIllustration: true,
})

export const productScans = defineEndpoint({
  method: 'GET',
  path: '/products/:id/scans',
  id: 'getProductScans',
  tag: 'scans',
  summary: 'Count the scans of a product',
  description: DESCRIPTION,
  query: {
    days,
    include: choiceParameter('`units`: with the scans of all batches and items under it.', ['units']),
  },
  responses: {
    200: describeSummary('ProductScans', { product_id: EXAMPLE_ITEM_ID, ...EXAMPLE }),
  },
  async handle({ setup, account, path, query: { days, include } }) {
    const { id: uuid } = await getPassport(account, path.id)
    await setup.scans.flush()
    const summary = await summarizePassport(account, { uuid, days, withUnits: include === 'units' })
    return respondUncached({ product_id: idFromUuid(uuid), range_days: days, ...summary })
  },
})

export const accountScans = defineEndpoint({
  method: 'GET',
  path: '/scans',
  id: 'getScans',
  tag: 'scans',
  summary: 'Count the scans of all products of the account',
  isCostly: () => true,
  description: DESCRIPTION,
  query: { days },
  responses: {
    200: describeSummary('AccountScans', {
      ...EXAMPLE,
      byCategory: { textile: 412 },
      byLevel: { model: 310, batch: 0, item: 102 },
    }),
  },
  async handle({ setup, account, query: { days } }) {
    await setup.scans.flush()
    const summary = await summarizeAccount(account, { days })
    const none = Object.fromEntries(allCategories().map(({ id }) => [id, 0]))
    return respondUncached({ range_days: days, ...summary, byCategory: { ...none, ...summary.byCategory } })
  },
})

/** The numbers change with every scan, so no cache may store them. */
const respondUncached = (summary: object): ApiResponse => ({
  body: successJson(JSON.stringify(summary)),
  headers: { 'cache-control': 'private, no-store' },
})

const COUNT = { type: 'integer', minimum: 0 }
const COUNTS = { type: 'object', additionalProperties: COUNT }
const countsOf = (...names: readonly string[]) =>
  objectSchema(Object.fromEntries(names.map(name => [name, COUNT])))

const SUMMARY = {
  range_days: { type: 'integer', enum: RANGES_DAYS },
  total: COUNT,
  unique: { ...COUNT, description: 'Readers of each day, added up.' },
  byCountry: { ...COUNTS, description: 'ISO 3166-1 alpha-2 code to scans; `XX` is unknown.' },
  byDevice: countsOf('mobile', 'tablet', 'desktop', 'other'),
  by_day: {
    type: 'array',
    description: 'Every day of the range, oldest first.',
    items: objectSchema({ date: { type: 'string', format: 'date' }, total: COUNT, unique: COUNT }),
  },
  crawlers: {
    ...COUNT,
    description: 'Requests by crawlers and link previews; no other number includes them.',
  },
}

export const SCAN_SCHEMAS = {
  ProductScans: objectSchema({ product_id: TEXT, ...SUMMARY }),
  AccountScans: objectSchema({ ...SUMMARY, byCategory: COUNTS, byLevel: countsOf('model', 'batch', 'item') }),
}
