/**
 * Tests that each route refuses a body over its own limit, before and while it is read, and names the limit.
 */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import Fastify, { type RouteOptions } from 'fastify'
import { API_PREFIX, getBodyLimit } from '../../src/api/door/door.ts'
import { DPP_ADDRESSES } from '../../src/api/dpp/dpp-door.ts'
import { ENDPOINTS } from '../../src/api/endpoints.ts'
import { registerConsole } from '../../src/console/door.ts'
import { formatByteLimit, readBody } from '../../src/kernel/http/read-body.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'

const MIB = 1024 * 1024
/** The limit of a body where nothing else is declared. */
const SMALL = 16 * 1024

describe('limits of bodies', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account({ plan: 'enterprise' })
  })
  after(() => t.close())

  /** Without `Content-Length`, in pieces. */
  const stream = async (method: 'POST', url: string, bytes: number, headers: Record<string, string>) => {
    const pieces = Array.from({ length: Math.ceil(bytes / 8_192) }, (_, n) =>
      Buffer.alloc(Math.min(8_192, bytes - n * 8_192), ' '),
    )
    return t.app.inject({ method, url, headers, payload: Readable.from(pieces) })
  }
  const json = (key?: string) => ({
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  })

  test('only passports, bulk calls and files may have more than 256 KiB', () => {
    for (const endpoint of ENDPOINTS) {
      const limit = getBodyLimit(endpoint)
      const declared = endpoint.body?.maxBytes ?? SMALL
      assert.ok(declared <= 8 * MIB && declared >= SMALL, endpoint.id)
      if (endpoint.body === undefined) assert.equal(limit, SMALL, endpoint.id)
    }
    const large = ENDPOINTS.filter(({ body }) => (body?.maxBytes ?? 0) > MIB).map(({ id }) => id)
    const bulk = ['addUnitEvents', 'createChildren', 'createChildrenMeasurements']
    assert.deepEqual(large.sort(), [...bulk, 'syncProducts', 'updateChildren'])
  })

  for (const [id, url, limit] of [
    ['createProduct', '/products', MIB],
    ['createOffer', '/offers', 256 * 1024],
    ['createMedia', '/media', SMALL],
  ] as const) {
    test(`${id}: 413 names ${formatByteLimit(limit)}, with and without Content-Length`, async () => {
      const at = `${API_PREFIX}${url}`
      const announced = await t.ask('POST', at, { key: account.key, text: ' '.repeat(limit + 1) })
      const counted = await stream('POST', at, limit + 1, json(account.key))
      for (const answer of [announced, { status: counted.statusCode, json: counted.json() }]) {
        assert.equal(answer.status, 413)
        assert.equal(answer.json.code, 'payload_too_large')
        assert.equal(answer.json.error, `The body is too large: at most ${formatByteLimit(limit)} here.`)
      }
      const within = await stream('POST', at, limit, json(account.key))
      assert.equal(within.statusCode, 400)
    })
  }

  test('a list of product identifiers has 128 KiB, without a key too', async () => {
    const limit = DPP_ADDRESSES.dppIds.maxBodyBytes
    assert.equal(limit, 128 * 1024)
    const url = '/dpp/v1/dppsByProductIds'
    const announced = await t.ask('POST', url, { text: ' '.repeat(limit + 1) })
    assert.equal(announced.status, 413)
    assert.match(announced.text, /at most 128 KiB/)
    assert.equal((await stream('POST', url, limit + 1, json())).statusCode, 413)
    const ids = Array.from({ length: 100 }, (_, n) => `${n}`.padStart(1_250, 'x'))
    const largest = await t.ask('POST', url, { body: { productIds: ids } })
    assert.equal(largest.status, 200, largest.text)
  })

  test('a body that is shorter than it says, and one that ends early, are 400', async () => {
    const headers = { ...json(account.key), 'content-length': '10' }
    const short = await t.app.inject({
      method: 'POST',
      url: `${API_PREFIX}/products`,
      headers,
      payload: Readable.from([Buffer.from('{}')]),
    })
    assert.equal(short.statusCode, 400)
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('{"a":')
        throw new Error('the connection is gone')
      })(),
    )
    const request = { headers: {}, ownAddress: undefined, response: null }
    await assert.rejects(readBody({ request, body: broken, maxBytes: MIB }), {
      code: 'bad_request',
      message: 'The connection ended before the body did.',
    })
  })

  test('a form of the console: 413 beyond the limit of its route, counted while it arrives', async () => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: t.setup.addresses.publicUrl,
      'sec-fetch-site': 'same-origin',
    }
    const limits = await listConsoleLimits(t)
    assert.equal(limits.get('/console/sign-in'), SMALL)
    for (const [url, limit] of limits) assert.ok(limit === SMALL || limit === MIB, `${url}: ${limit}`)
    for (const path of ['/console/sign-in', '/console/products']) {
      const limit = limits.get(path) ?? 0
      assert.equal((await stream('POST', path, limit + 1, headers)).statusCode, 413, path)
      assert.notEqual((await stream('POST', path, limit, headers)).statusCode, 413, path)
    }
  })

  test('where a route declares nothing, a body may have 16 KiB', () => {
    assert.equal(t.app.initialConfig.bodyLimit, SMALL)
  })
})

/** The declared limits of routes that take a form, by path. Routes for files read their own. */
async function listConsoleLimits({ setup }: Harness): Promise<ReadonlyMap<string, number>> {
  const app = Fastify()
  const routes: RouteOptions[] = []
  app.addHook('onRoute', route => {
    routes.push(route)
  })
  registerConsole(app, setup)
  await app.ready()
  await app.close()
  const forms = routes.filter(({ method, bodyLimit }) => method === 'POST' && bodyLimit !== undefined)
  return new Map(forms.map(({ url, bodyLimit = 0 }) => [url, bodyLimit]))
}
