/** The categories and their fields, as an integrator's program reads them. */
import { createHash } from 'node:crypto'
import { allCategories, type CompleteCategory, findCategory } from '../categories/catalogue.ts'
import { describeCategory, summariseCategory } from '../categories/schema/describe.ts'
import { sentSchema } from '../categories/schema/json-schema.ts'
import { notFound } from '../kernel/errors.ts'
import { matchesAny } from './conditions.ts'
import { oneOf, readQuery } from './query.ts'
import { type AccountCall, type Answer, data } from './route.ts'

export function listCategories(call: AccountCall): Answer {
  readQuery(call.query, {})
  const summary = (one: CompleteCategory) =>
    summariseCategory(one, `${call.setup.addresses.apiUrl}/schema/${one.id}`)
  return cacheable(call, data(JSON.stringify(allCategories().map(summary))))
}

export function readSchema(call: AccountCall): Answer {
  const { format } = readQuery(call.query, { format: oneOf('fields', 'json-schema') })
  const category = findCategory(call.params.category ?? '')
  if (category === undefined) throw notFound('category')
  if (format !== 'json-schema') return cacheable(call, data(JSON.stringify(describeCategory(category))))
  const schema = sentSchema(
    category,
    `${call.setup.addresses.apiUrl}/schema/${category.id}?format=json-schema`,
  )
  return cacheable(call, JSON.stringify(schema), 'application/schema+json; charset=utf-8')
}

/** An answer that changes only with a release, under the hash of its text. */
export function cacheable(call: Pick<AccountCall, 'headers'>, body: string, type?: string): Answer {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const headers = { etag, ...(type === undefined ? {} : { 'content-type': type }) }
  return matchesAny(call.headers['if-none-match'], etag)
    ? { status: 304, body: '', headers }
    : { body, headers }
}
