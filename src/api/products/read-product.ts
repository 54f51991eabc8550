/** `GET /products/:id` */
import { parseLife } from '../../passports/core/unit-life.ts'
import { getPassport } from '../../passports/read/find.ts'
import { getPassportAt } from '../../passports/read/history.ts'
import { defineEndpoint } from '../endpoint/endpoint.ts'
import { IF_NONE_MATCH } from '../endpoint/header-parameters.ts'
import { dateTimeParameter } from '../endpoint/query-parameters.ts'
import { exampleRecord } from './examples.ts'
import { describeRecord, recordResponse } from './record-response.ts'

export const readProduct = defineEndpoint({
  method: 'GET',
  path: '/products/:id',
  id: 'getProduct',
  tag: 'products',
  summary: 'Read a product',
  description: 'The product as it is now, or with `at` as it was at that time.',
  query: {
    at: dateTimeParameter('Read the product as it was at this time.', '2026-12-24T18:00:00Z'),
  },
  requestHeaders: [IF_NONE_MATCH],
  responses: { 200: describeRecord(exampleRecord()) },
  async handle(call) {
    const { id } = call.path
    const { at } = call.query
    if (at !== undefined) return recordResponse(call, await getPassportAt(call.account, id, at))
    const row = await getPassport(call.account, id)
    return recordResponse(call, row, parseLife(row.life))
  },
})
