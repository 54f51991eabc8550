/**
 * Tests the API with a client generated from the OpenAPI document: the server does what the types promise.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import createClient, { type Client } from 'openapi-fetch'
import { allCategories } from '../../../src/categories/catalogue.ts'
import { type Harness, startHarness } from '../../harness.ts'
import type { components, paths } from './schema.d.ts'

type NewProduct = components['schemas']['NewProduct']
type Product = components['schemas']['Product']
type Refusal = components['schemas']['Error']

const SHIRT = {
  category: 'textile',
  data: {
    productName: 'Typed shirt',
    sku: 'TYPED-1',
    brandName: 'Testmarke',
    languages: ['en'],
    economicOperator: {
      role: 'manufacturer',
      legalName: 'Testmarke GmbH',
      address: 'Werkstraße 1, 26122 Oldenburg',
      country: 'DE',
      contactEmail: 'passport@testmarke.example',
    },
    fiberComposition: [{ fiber: 'cotton', percentage: 100 }],
    countryOfManufacture: 'PT',
    careInstructions: { en: 'Wash at 30 °C.' },
    repair: { repairable: true, sparePartsAvailable: false },
    endOfLife: { recyclingInstructions: { en: 'Textile bank.' }, disposalInstructions: { en: 'Waste.' } },
  },
} satisfies NewProduct

describe('a generated client', () => {
  let t: Harness
  let api: Client<paths>
  let stranger: Client<paths>
  let nobody: Client<paths>
  let shirt: Product

  const clientOf = (baseUrl: string, key: string) =>
    createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })
  /** The response body; fails if there is an error. */
  const got = <T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T => {
    assert.ok(data !== undefined, `${response.status} ${JSON.stringify(error)}`)
    return data
  }
  const path = (id: string) => ({ params: { path: { id } } })

  before(async () => {
    t = await startHarness()
    const origin = await t.app.listen({ port: 0, host: '127.0.0.1' })
    api = clientOf(`${origin}/api/v1`, (await t.account()).key)
    stranger = clientOf(`${origin}/api/v1`, (await t.account()).key)
    nobody = clientOf(`${origin}/api/v1`, 'dpp_live_nobody')
  })
  after(() => t.close())

  test('creates a product and reads back what it sent', async () => {
    const created = await api.POST('/products', { body: SHIRT })
    shirt = got(created).data
    assert.equal(created.response.status, 201)
    assert.equal(created.response.headers.get('location')?.endsWith(shirt.id), true)
    assert.deepEqual(shirt.data, SHIRT.data)
    const read = await api.GET('/products/{id}', path(shirt.id))
    assert.deepEqual(got(read).data, shirt)
    const etag = read.response.headers.get('etag') ?? ''
    const again = await api.GET('/products/{id}', {
      params: { path: { id: shirt.id }, header: { 'If-None-Match': etag } },
    })
    assert.equal(again.response.status, 304)
  })

  test('changes with If-Match, tries a correction as a dry run, and reverts', async () => {
    const change = (ifMatch: string) =>
      api.PATCH('/products/{id}', {
        params: { path: { id: shirt.id }, header: { 'If-Match': ifMatch } },
        body: { data: { weightGrams: 180 }, change_type: 'change', note: 'Weighed' },
      })
    assert.equal(got(await change('"v1"')).data.version_no, 2)
    const stale = await change('"v1"')
    assert.equal(stale.response.status, 412)
    assert.equal(stale.error?.code, 'version_conflict')

    const preview = got(
      await api.PATCH('/products/{id}', {
        params: { path: { id: shirt.id }, query: { dry_run: true } },
        body: { data: { weightGrams: 181 }, change_type: 'correction' },
      }),
    )
    assert.deepEqual(preview.meta?.correction, { fields: ['weightGrams'], units: 0, own_values: {} })

    const back = await api.POST('/products/{id}/versions/{n}/revert', {
      params: { path: { id: shirt.id, n: 1 } },
      body: { note: 'Not that one' },
    })
    assert.equal(got(back).data.version_no, 3)
    const history = got(await api.GET('/products/{id}/versions', path(shirt.id)))
    assert.deepEqual(
      history.data.map(one => [one.version_no, one.change_type, one.note]),
      [
        [3, 'change', 'Not that one'],
        [2, 'change', 'Weighed'],
        [1, null, null],
      ],
    )
  })

  test('issues items in bulk, pages through them by cursor, corrects and refreshes them', async () => {
    const items = Array.from({ length: 7 }, (_, place) => ({ serial: `T${place}` }))
    const issued = got(
      await api.POST('/products/{id}/children', {
        ...path(shirt.id),
        body: { level: 'item', items: [...items, { serial: 'T0' }] },
      }),
    )
    assert.ok('summary' in issued.data)
    assert.deepEqual(issued.data.summary, { requested: 8, created: 7, failed: 1 })
    assert.deepEqual(
      issued.data.errors.map(one => [one.index, one.code, one.errors?.[0]?.code]),
      [[7, 'validation', 'serial_taken']],
    )

    const serials: (string | null)[] = []
    let cursor: string | null = null
    do {
      const query: { limit: number; cursor?: string } = cursor === null ? { limit: 3 } : { limit: 3, cursor }
      const page: {
        data: components['schemas']['ProductSummary'][]
        meta: components['schemas']['PageMeta']
      } = got(await api.GET('/products/{id}/children', { params: { path: { id: shirt.id }, query } }))
      serials.push(...page.data.map(one => one.serial))
      cursor = page.meta.next_cursor
    } while (cursor !== null)
    assert.deepEqual(serials.sort(), items.map(one => one.serial).sort())

    const correction = { data: { countryOfManufacture: 'ES' }, change_type: 'correction' } as const
    got(await api.PATCH('/products/{id}', { ...path(shirt.id), body: correction }))
    assert.equal(got(await api.GET('/products/{id}/refresh', path(shirt.id))).data.outdated, 7)
    assert.equal(got(await api.POST('/products/{id}/refresh', path(shirt.id))).data.refreshed, 7)
    const changed = await api.POST('/products/{id}/children/update', {
      ...path(shirt.id),
      body: { items: [{ serial: 'T3', data: { weightGrams: 190 } }] },
    })
    assert.equal(got(changed).data.updated[0]?.version_no, 3)
  })

  test('archives and restores, and finds the product in lists', async () => {
    assert.equal(got(await api.POST('/products/{id}/archive', path(shirt.id))).data.status, 'archived')
    const list = got(await api.GET('/products', { params: { query: { status: 'archived', q: 'typed' } } }))
    assert.deepEqual(
      list.data.map(one => [one.id, one.sku]),
      [[shirt.id, 'TYPED-1']],
    )
    assert.equal(got(await api.POST('/products/{id}/restore', path(shirt.id))).data.status, 'active')
  })

  test('reads the categories, a schema and a symbol', async () => {
    const categories = got(await api.GET('/categories')).data
    assert.deepEqual(
      categories.map(one => one.id),
      allCategories().map(one => one.id),
    )
    const answer = got(await api.GET('/schema/{category}', { params: { path: { category: 'textile' } } }))
    // With format=json-schema the result is a free-form object; without, it has this type.
    const { data } = answer as { data: components['schemas']['CategoryFields'] }
    assert.equal(data.fields.find(one => one.name === 'fiberComposition')?.sums_to?.total, 100)
    const qr = await api.GET('/products/{id}/qr', { ...path(shirt.id), parseAs: 'text' })
    assert.match(got(qr), /^<svg/)
  })

  test('all errors have one shape, with every violation', async () => {
    const refusalOf = ({ error, response }: { error?: Refusal; response: Response }) => {
      assert.ok(error)
      assert.equal(error.request_id, response.headers.get('x-request-id'))
      return [response.status, error.code, error.errors?.map(one => one.pointer)]
    }
    const data = { ...SHIRT.data, sku: '', fiberComposition: [{ fiber: 'cotton', percentage: 99 }] }
    assert.deepEqual(refusalOf(await api.POST('/products', { body: { ...SHIRT, data } })), [
      422,
      'validation',
      ['/data/sku', '/data/fiberComposition'],
    ])
    assert.deepEqual(refusalOf(await stranger.GET('/products/{id}', path(shirt.id))), [
      404,
      'not_found',
      undefined,
    ])
    assert.deepEqual(refusalOf(await nobody.GET('/products')), [401, 'unauthorized', undefined])
  })
})
