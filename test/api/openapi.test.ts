/**
 * Tests that the OpenAPI document is valid, complete and correct: its examples are sent to the running
 * server.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { HTTPMethods } from 'fastify'
import { createKey } from '../../src/accounts/keys/keys.ts'
import { API_PREFIX } from '../../src/api/door/door.ts'
import type { Endpoint } from '../../src/api/endpoint/endpoint.ts'
import { PATH_PARAMETERS, type PathParameterName } from '../../src/api/endpoint/path-parameters.ts'
import { ENDPOINTS } from '../../src/api/endpoints.ts'
import { listErrors } from '../../src/api/openapi/responses.ts'
import { EVENT_TYPES } from '../../src/webhooks/insert-events.ts'
import { documentChecker } from '../answers.ts'
import { type Harness, newProduct, startHarness } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
type Json = any

const ADDRESS = '/api/v1/openapi.json'

describe('GET /openapi.json', () => {
  let t: Harness
  before(async () => {
    t = await startHarness()
  })
  after(() => t.close())

  test('an independent validator accepts it as OpenAPI 3.1', async () => {
    const { status, json } = await t.ask('GET', ADDRESS)
    assert.equal(status, 200)
    const result = await new Validator().validate(json)
    assert.deepEqual(result.errors ?? [], [])
    assert.ok(result.valid)
  })

  test('pages of any origin may read it, and no other API route; it takes no parameters', async () => {
    const headers = { origin: 'https://tool.example' }
    const first = (await t.ask('GET', ADDRESS, { headers })).headers
    assert.equal(first['access-control-allow-origin'], '*')
    const known = { ...headers, 'if-none-match': first.etag ?? '' }
    const again = await t.ask('GET', ADDRESS, { headers: known })
    assert.deepEqual([again.status, again.headers['access-control-allow-origin']], [304, '*'])
    const { key } = await t.account()
    for (const path of [`${API_PREFIX}/health`, `${API_PREFIX}/categories`, '/docs']) {
      const other = await t.ask('GET', path, { key, headers })
      assert.equal(other.headers['access-control-allow-origin'], undefined, path)
    }
    const odd = await t.ask('GET', `${ADDRESS}?x=1`)
    assert.deepEqual([odd.status, odd.json.errors[0].code], [422, 'unknown_field'])
    const broken = await t.ask('GET', `${ADDRESS}?x=%ff`)
    assert.deepEqual([broken.status, broken.json.code], [400, 'bad_request'])
  })

  test('304 with its ETag, which stays the same', async () => {
    const { headers } = await t.ask('GET', ADDRESS)
    const etag = headers.etag ?? ''
    assert.equal((await t.ask('GET', ADDRESS)).headers.etag, etag)
    const known = await t.ask('GET', ADDRESS, { headers: { 'if-none-match': `"other", ${etag}` } })
    assert.deepEqual([known.status, known.text, known.headers.etag], [304, '', etag])
    const other = await t.ask('GET', ADDRESS, { headers: { 'if-none-match': 'W/"other"' } })
    assert.equal(other.status, 200)
  })

  for (const [accepts, isCompressed] of [
    ['gzip', true],
    ['br, GZIP;q=0.5', true],
    ['*', true],
    ['gzip;q=0', false],
    ['gzip;q=0.000, br', false],
    ['br', false],
    ['x-gzip2', false],
  ] as const) {
    test(`Accept-Encoding: ${accepts}`, async () => {
      const answer = await t.app.inject({
        method: 'GET',
        url: ADDRESS,
        headers: { 'accept-encoding': accepts },
      })
      assert.equal(answer.headers['content-encoding'], isCompressed ? 'gzip' : undefined)
      assert.match(String(answer.headers.vary), /accept-encoding/i)
      const text = isCompressed ? gunzipSync(answer.rawPayload).toString() : answer.body
      assert.equal(JSON.parse(text).openapi, '3.1.1')
    })
  }

  test('describes every route and no other, with unique names', () => {
    const names = (list: readonly { method: string; path: string }[]) =>
      list.map(one => `${one.method} ${one.path}`).sort()
    const documented = Object.entries<Json>(documentChecker().document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      })),
    )
    assert.deepEqual(names(documented), names(ENDPOINTS))
    for (const { method, path } of documented) {
      assert.ok(
        t.app.hasRoute({ method: method as HTTPMethods, url: API_PREFIX + path }),
        `${method} ${path}`,
      )
    }
    const ids = ENDPOINTS.map(one => one.id)
    assert.deepEqual([...new Set(ids)], ids)
    assert.deepEqual(
      ids.filter(id => !/^[a-z][a-zA-Z]+$/.test(id)),
      [],
    )
  })

  test('each component is used, and no schema is a bare boolean', () => {
    const { document } = documentChecker()
    const text = JSON.stringify(document)
    const unused = Object.entries<object>(document.components).flatMap(([kind, of]) =>
      Object.keys(of)
        .map(name => `#/components/${kind}/${name}`)
        .filter(ref => kind !== 'securitySchemes' && !text.includes(`"${ref}"`)),
    )
    assert.deepEqual(unused, [])
    assert.deepEqual(listBooleanSchemas(document.components.schemas), [])
    assert.deepEqual(listBooleanSchemas(document.paths), [])
  })

  test('each call lists what HTTP itself can answer', () => {
    for (const methods of Object.values<Json>(documentChecker().document.paths)) {
      for (const { operationId, responses } of Object.values<Json>(methods)) {
        const missing = ['400', '408', '414', '417', '431'].filter(status => !(status in responses))
        assert.deepEqual(missing, [], operationId)
      }
    }
  })

  test('every event that is sent is listed under webhooks', () => {
    const names = Object.keys(documentChecker().document.webhooks)
    assert.deepEqual(
      EVENT_TYPES.filter(name => !names.includes(name)),
      [],
    )
    assert.deepEqual(names.slice(4), [
      'product.recalled',
      'product.recall_ended',
      'product.event_added',
      'scan.milestone',
      'scan.clone_suspected',
    ])
  })
})

/** Schemas that are `true` or `false`, which generators of code do not know. */
function listBooleanSchemas(node: Json, place = ''): string[] {
  if (typeof node !== 'object' || node === null) return []
  const isNames = place.endsWith('/properties')
  return Object.entries<Json>(node).flatMap(([name, inner]) => {
    const isSchema = isNames || ['schema', 'items', 'not'].includes(name)
    if (typeof inner === 'boolean' && isSchema) return `${place}/${name}`
    return ['example', 'examples'].includes(name) && !isNames
      ? []
      : listBooleanSchemas(inner, `${place}/${name}`)
  })
}

describe('examples', () => {
  const { document, faults } = documentChecker()

  const check = (place: readonly string[], value: unknown) =>
    assert.deepEqual(faults(place, value), [], place.join('/'))

  for (const [path, methods] of Object.entries<Json>(document.paths)) {
    for (const [method, operation] of Object.entries<Json>(methods)) {
      test(`those of ${method} ${path} fit their schemas`, () => {
        const here = ['paths', path, method]
        const json = 'application/json'
        const body = ['requestBody', 'content', json]
        for (const one of Object.values<Json>(operation.requestBody?.content[json]?.examples ?? {})) {
          check([...here, ...body, 'schema'], one.value)
        }
        for (const [status, response] of Object.entries<Json>(operation.responses)) {
          const example = response.content?.[json]?.example
          if (example !== undefined) check([...here, 'responses', status, 'content', json, 'schema'], example)
        }
        operation.parameters.forEach((one: Json, place: number) => {
          if ('example' in one) check([...here, 'parameters', String(place), 'schema'], one.example)
        })
      })
    }
  }

  test('example errors, headers and events fit their schemas', () => {
    for (const one of Object.values<Json>(document.components.examples)) {
      check(['components', 'schemas', 'Error'], one.value)
    }
    for (const [name, one] of Object.entries<Json>(document.components.headers)) {
      check(['components', 'headers', name, 'schema'], one.example)
    }
    for (const [name, { post }] of Object.entries<Json>(document.webhooks)) {
      const content = ['requestBody', 'content', 'application/json']
      check(
        ['webhooks', name, 'post', ...content, 'schema'],
        post.requestBody.content['application/json'].example,
      )
    }
  })
})

/** Ids and times differ between runs; everything else must be equal. */
const masked = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value, (key, inner) => (key === 'version' ? '' : inner))
      .replaceAll(/\b[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, '<id>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z/g, '<time>'),
  )

describe('the running server', () => {
  let t: Harness
  before(async () => {
    t = await startHarness()
  })
  after(() => t.close())

  /** A new account for each call, with the table from the examples. Frees the example's GTIN first. */
  async function stand(operation: Endpoint): Promise<{ key: string; ids: Record<string, string> }> {
    await t.sql`delete from gtin_claim`
    const account = await t.account()
    const { key } = await createKey(
      { sql: t.sql, clock: t.clock },
      { accountId: account.id, name: 'ERP sync', scope: 'full', expiresAt: undefined, createdBy: 'test' },
    )
    const send = async (method: Step[0], path: string, body?: unknown) => {
      const answer = await t.ask(method, API_PREFIX + path, { key, ...(body ? { body } : {}) })
      assert.ok(answer.status < 300, answer.text)
      return answer.json.data
    }
    const wants = PREPARED[operation.id] ?? (operation.pathParameterNames.includes('id') ? [] : undefined)
    const table = exampleOf('createProduct')
    if (operation.pathParameterNames.includes('draft'))
      return { key, ids: { draft: (await send('POST', '/drafts', table)).id } }
    if (operation.pathParameterNames.includes('media')) {
      const text = await makePng({ width: 10, height: 10 })
      const stored = await t.ask('POST', `${API_PREFIX}/media`, {
        key,
        text,
        headers: { 'content-type': 'image/png' },
      })
      return { key, ids: { media: stored.json.data.id } }
    }
    if (operation.pathParameterNames.includes('offer'))
      return { key, ids: { offer: (await send('POST', '/offers', exampleOf('createOffer'))).id } }
    if (operation.tag === 'in_use') {
      const battery = await send('POST', '/products', newProduct({}, 'battery'))
      const item = await send('POST', `/products/${battery.id}/children`, ITEM[2])
      return { key, ids: { id: operation.path.includes('/children') ? battery.id : item.id } }
    }
    if (wants === undefined) return { key, ids: {} }
    const { id } = await send('POST', '/products', table)
    let made = { id }
    for (const [method, path, body] of wants) made = await send(method, `/products/${id}${path}`, body)
    if (!OF_A_UNIT.includes(operation.id)) return { key, ids: { id } }
    await send('POST', `/products/${made.id}/events`, exampleOf('addEvent'))
    return { key, ids: { id: made.id } }
  }

  for (const operation of ENDPOINTS) {
    const { body, responses } = operation
    const bodies = body ? Object.values(body.examples).map(one => one.value) : [undefined]
    for (const [place, sent] of bodies.entries()) {
      const isShown =
        place === 0 && Object.values(responses).some(one => one.example !== undefined && !one.isIllustration)
      test(`${operation.id}: accepts example ${place + 1}${isShown ? ', and returns the one shown' : ''}`, async () => {
        const { key, ids } = await stand(operation)
        const path = operation.path.replaceAll(
          /:(\w+)/g,
          (_, name: string) => ids[name] ?? String(PATH_PARAMETERS[name as PathParameterName].example),
        )
        const ask = { key, ...(sent === undefined ? {} : { body: sent }) }
        const answer = await t.ask(operation.method, API_PREFIX + path, ask)
        assert.ok(answer.status < 300, answer.text)
        if (isShown) assert.deepEqual(masked(answer.json), masked(responses[answer.status]?.example))
      })
    }
  }

  test('rejects a table without a sku with the documented example error', async () => {
    const { key } = await t.account()
    const { gtin: _, sku: __, ...data } = (exampleOf('createProduct') as Json).data
    const body = { category: 'furniture', data }
    const { request_id: ___, ...refusal } = (await t.ask('POST', '/api/v1/products', { key, body })).json
    const { request_id: ____, ...shown } = documentChecker().document.components.examples.validation.value
    assert.deepEqual(refusal, shown)
  })

  test('accepts the nulls that the document allows, and no others', async () => {
    const { key } = await t.account()
    const { faults } = documentChecker()
    const send = async (operation: string, path: string, body: unknown) => {
      const { method, path: template } = ENDPOINTS.find(one => one.id === operation) ?? {}
      const place = ['paths', String(template).replaceAll(/:(\w+)/g, '{$1}'), String(method).toLowerCase()]
      const answer = await t.ask(method ?? 'POST', API_PREFIX + path, { key, body })
      const isValid =
        faults([...place, 'requestBody', 'content', 'application/json', 'schema'], body).length === 0
      assert.equal(isValid, answer.status < 300, `${JSON.stringify(body)}: ${answer.text}`)
      return answer.json?.data
    }
    await t.sql`delete from gtin_claim`
    const table = exampleOf('createProduct') as Json
    const { id } = await send('createProduct', '/products', {
      ...table,
      data: { ...table.data, warrantyMonths: null, packaging: null, woodCertification: null, own: null },
    })
    await send('createProduct', '/products', { ...table, data: { ...table.data, sku: null } })
    const nested = { ...table.data, gtin: null, woodCertification: { scheme: null } }
    await send('createProduct', '/products', { ...table, data: nested })
    const at = `/products/${id}`
    await send('updateProduct', at, { data: { warrantyMonths: null }, note: null })
    await send('updateProduct', at, { data: null })
    await send('updateProduct', at, { data: {}, change_type: null })
    await send('revertProduct', `${at}/versions/1/revert`, { note: null })
    await send('putProductBySku', '/products/by-sku/OST-45', { data: {}, note: null })
    await send('syncProducts', '/products/bulk', { items: [{ data: { sku: 'OST-45' } }], note: null })
    const units = `${at}/children`
    await send('createChildren', units, { level: 'item', serial: '1', lot: null, data: null })
    await send('createChildren', units, { level: 'item', items: [{ serial: '2', lot: null, data: null }] })
    await send('createChildren', units, { level: null, serial: '3' })
    await send('updateChildren', `${units}/update`, {
      items: [{ serial: '1', lot: null, data: {} }],
      note: null,
    })
    await send('updateChildren', `${units}/update`, { items: [{ serial: '1', data: null }] })
  })

  test('no error is listed twice, and each error of a writing call has a documented kind', () => {
    for (const operation of ENDPOINTS) {
      const codes = listErrors(operation)
      assert.deepEqual([...new Set(codes)], codes)
      assert.equal(codes.includes('read_only'), operation.method !== 'GET')
    }
  })
})

type Step = readonly [method: 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown]

const exampleOf = (id: string) =>
  Object.values(ENDPOINTS.find(one => one.id === id)?.body?.examples ?? {})[0]?.value
const WARRANTY: Step = ['PATCH', '', exampleOf('updateProduct')]
const BATCH: Step = ['POST', '/children', { level: 'batch', lot: '2026-11' }]
const ITEM: Step = ['POST', '/children', { level: 'item', serial: 'SN0001' }]
const OTHER_ITEM: Step = ['POST', '/children', { level: 'item', serial: 'SN0002' }]
const RECALL: Step = ['PUT', '/recall', exampleOf('setRecall')]
const CORRECTION: Step = ['PATCH', '', { data: { countryOfManufacture: 'AT' }, change_type: 'correction' }]

/** These calls are about the unit that was issued last, and its first event. */
const OF_A_UNIT = ['addEvent', 'listEvents']

/**
 * Changes of the example product (a table) before a call. A call with an id in its path needs only the table
 * itself.
 */
const PREPARED: Readonly<Record<string, readonly Step[]>> = {
  listProducts: [],
  putProductBySku: [],
  putProductByGtin: [],
  syncProducts: [],
  listVersions: [WARRANTY],
  getVersion: [WARRANTY],
  revertProduct: [WARRANTY],
  restoreProduct: [['POST', '/archive']],
  getRecall: [RECALL],
  endRecall: [RECALL],
  listChildren: [BATCH],
  listEvents: [ITEM],
  addEvent: [ITEM],
  addUnitEvents: [ITEM],
  updateChildren: [ITEM],
  previewRefresh: [ITEM, OTHER_ITEM, CORRECTION],
  refreshProduct: [ITEM, OTHER_ITEM, CORRECTION],
}
