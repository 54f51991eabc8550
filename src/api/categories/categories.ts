/** The categories and their fields, as an integrator's program reads them. */
import { allCategories, type CompleteCategory, findCategory } from '../../categories/catalogue.ts'
import { describeCategory, summariseCategory } from '../../categories/schema/describe.ts'
import { buildRequestSchema } from '../../categories/schema/json-schema.ts'
import { notFound } from '../../kernel/errors.ts'
import { cacheable } from '../endpoint/conditions.ts'
import { type AccountCall, type ApiResponse, successJson } from '../endpoint/endpoint.ts'
import { oneOf, readQuery } from '../endpoint/query.ts'

export function listCategories(call: AccountCall): ApiResponse {
  readQuery(call.query, {})
  const summary = (one: CompleteCategory) =>
    summariseCategory(one, `${call.setup.addresses.apiUrl}/schema/${one.id}`)
  return cacheable(call, successJson(JSON.stringify(allCategories().map(summary))))
}

export function readSchema(call: AccountCall): ApiResponse {
  const { format } = readQuery(call.query, { format: oneOf('fields', 'json-schema') })
  const category = findCategory(call.params.category ?? '')
  if (category === undefined) throw notFound('category')
  if (format !== 'json-schema')
    return cacheable(call, successJson(JSON.stringify(describeCategory(category))))
  const schema = buildRequestSchema(
    category,
    `${call.setup.addresses.apiUrl}/schema/${category.id}?format=json-schema`,
  )
  return cacheable(call, JSON.stringify(schema), 'application/schema+json; charset=utf-8')
}
