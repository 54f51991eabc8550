/** Tests `/dpp/v1`: reads of EN 18222, who sees what, errors in its shape, and hostile addresses. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { DPP_ADDRESSES } from '../../src/api/dpp/dpp-door.ts'
import { parseTarget } from '../../src/api/dpp/parse-target.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { createAccessLink, revokeAccessLink } from '../../src/passports/access/access-links.ts'
import { ADDRESSES, type Answer, type Harness, startHarness, type TestAccount } from '../harness.ts'

let t: Harness
let account: TestAccount
let other: TestAccount
let model: Answer['json']
let lot: Answer['json']
let item: Answer['json']

const encode = encodeURIComponent
const ask = (method: string, path: string, input: Parameters<Harness['ask']>[2] = {}) =>
  t.ask(method as 'GET', `/dpp/v1${path}`, input)

async function create(path: string, body: object): Promise<Answer['json']> {
  const { status, json, text } = await t.ask('POST', `/api/v1${path}`, { key: account.key, body })
  assert.equal(status, 201, text)
  return json.data
}

before(async () => {
  t = await startHarness()
  account = await t.account()
  other = await t.account()
})
after(() => t.close())

const addressOf = ({ passport_url }: { passport_url: string }) => passport_url

describe('reads', () => {
  before(async () => {
    const gtin = '9521234000013'
    const { data } = CATEGORY_EXAMPLES.furniture.value
    model = await create('/products', { category: 'furniture', data: { ...data, gtin } })
    lot = await create(`/products/${model.id}/children`, { level: 'batch', lot: 'L-1' })
    item = await create(`/products/${lot.id}/children`, { level: 'item', serial: 'S/1' })
  })

  test('by identifier: its address, encoded or with bare slashes, or the id alone', async () => {
    for (const id of [encode(addressOf(item)), addressOf(item), item.id]) {
      const { status, json, headers } = await ask('GET', `/dpps/${id}`)
      assert.equal(status, 200, id)
      assert.equal(json.digitalProductPassportId, addressOf(item))
      assert.equal(json.uniqueProductIdentifier, item.gs1_url)
      assert.deepEqual([json.granularity, json.dppStatus], ['item', 'active'])
      assert.equal(headers['access-control-allow-origin'], '*')
      assert.equal(headers.vary, 'Accept, Authorization')
    }
  })

  test('the full form has elements, and the same address answers as JSON-LD', async () => {
    const full = await ask('GET', `/dpps/${item.id}?representation=full`)
    assert.ok(full.json.elements.some((one: { elementId: string }) => one.elementId === 'productName'))
    const jsonLd = await ask('GET', `/dpps/${item.id}`, { headers: { accept: 'application/ld+json' } })
    assert.match(jsonLd.headers['content-type'] ?? '', /^application\/ld\+json/)
    assert.deepEqual(jsonLd.json, (await ask('GET', `/dpps/${item.id}`)).json)
  })

  test('an unchanged document is 304, HEAD has no body', async () => {
    const { headers } = await ask('GET', `/dpps/${item.id}`)
    const again = await ask('GET', `/dpps/${item.id}`, { headers: { 'if-none-match': headers.etag ?? '' } })
    assert.deepEqual([again.status, again.text], [304, ''])
    const head = await ask('HEAD', `/dpps/${item.id}`)
    assert.deepEqual([head.status, head.text, head.headers.etag], [200, '', headers.etag])
  })

  test('by product identifier of any host, only at exactly its level', async () => {
    const path = '/01/09521234000013'
    const find = async (link: string) => {
      const { status, json } = await ask('GET', `/dppsByProductId/${encode(`https://id.gs1.org${link}`)}`)
      return status === 200 ? json.digitalProductPassportId : status
    }
    assert.equal(await find(path), addressOf(model))
    assert.equal(await find(`${path}/10/L-1`), addressOf(lot))
    assert.equal(await find(`${path}/21/S%2F1`), addressOf(item))
    assert.equal(await find(`${path}/10/L-1/21/S%2F1`), addressOf(item))
    assert.equal(await find(`${path}/10/L-2/21/S%2F1`), 404)
    assert.equal(await find(`${path}/10/L-2`), 404)
    assert.equal(await find(`${path}/21/none`), 404)
    assert.equal(await find('/01/09521234000014'), 400)
    const byPage = await ask('GET', `/dppsByProductId/${encode(addressOf(model))}`)
    assert.equal(byPage.json.digitalProductPassportId, addressOf(model))
    assert.equal((await ask('GET', '/dppsByProductId/chair')).status, 400)
  })

  test('identifiers by a list of product identifiers, in pages', async () => {
    const links = [item.gs1_url, 'https://example.com/01/04006381333931', model.gs1_url, item.gs1_url]
    const whole = await ask('POST', '/dppsByProductIds', { body: { productIds: links } })
    assert.deepEqual(whole.json, { dppIds: [addressOf(item), addressOf(model)] })
    const first = await ask('POST', '/dppsByProductIds?limit=2&cursor=', { body: links })
    assert.deepEqual(first.json.dppIds, [addressOf(item)])
    const next = `/dppsByProductIds?limit=2&cursor=${encode(first.json.nextCursor)}`
    assert.deepEqual((await ask('POST', next, { body: links })).json, { dppIds: [addressOf(model)] })
    assert.equal((await ask('POST', next, { body: [...links, 'https://example.com/01/x'] })).status, 400)
    const unknown = await ask('POST', '/dppsByProductIds', {
      body: [
        'https://example.com/01/04006381333931',
        'urn:epc:id:sgtin:4012345.077889.2026',
        'https://example.com/01/x',
        'x',
      ],
    })
    assert.deepEqual(unknown.json, { dppIds: [] })
    const tooMany = Array.from({ length: 101 }, (_, i) => `https://example.com/${i}`)
    const badBodies = [[], {}, { productIds: 'x' }, [1], tooMany, null, 'x']
    for (const body of badBodies) {
      assert.equal((await ask('POST', '/dppsByProductIds', { body })).status, 400, JSON.stringify(body))
    }
    assert.equal((await ask('POST', '/dppsByProductIds?limit=101', { body: links })).status, 400)
    const text = await ask('POST', '/dppsByProductIds', {
      text: 'x',
      headers: { 'content-type': 'text/plain' },
    })
    assert.equal(text.status, 415)
  })

  test('elements by a singular path', async () => {
    const read = (path: string, query = '') =>
      ask('GET', `/dpps/${encode(addressOf(model))}/elements/${encode(path)}${query}`)
    assert.equal((await read("$['materialComposition'][0]['material']")).json, 'wood')
    assert.equal((await read('$.repair.repairable')).json, true)
    assert.equal((await read('$.granularity')).json, 'model')
    assert.equal((await read('$.productName', '?representation=full')).json.elementId, 'productName')
    assert.equal((await read("$['materialComposition'][-1]['material']")).json, 'wood')
    for (const query of ['', '?representation=full']) {
      const whole = await ask('GET', `/dpps/${encode(addressOf(model))}${query}`)
      assert.deepEqual((await read('$', query)).json, whole.json)
    }
    for (const path of ['$.*', '$..a', '$[0:2]', '$[-0]', 'productName', "$['a'", '$[?@.a]']) {
      assert.equal((await read(path)).status, 400, path)
    }
    for (const path of [
      '$.none',
      '$[-1]',
      '$.materialComposition[7]',
      '$.materialComposition[-7]',
      '$.proof',
      "$['@context']",
    ]) {
      assert.equal((await read(path)).status, 404, path)
    }
  })
})

describe('time', () => {
  test('by date: the version and the status of that instant, to the microsecond', async () => {
    t.clock.set('2026-03-01T10:00:00.000Z')
    const made = await create('/products', {
      category: 'textile',
      data: CATEGORY_EXAMPLES.textile.value.data,
    })
    t.clock.set('2026-03-02T10:00:00.000Z')
    await t.ask('PATCH', `/api/v1/products/${made.id}`, {
      key: account.key,
      body: { data: { productName: 'Two' } },
    })
    t.clock.set('2026-03-03T10:00:00.000Z')
    await t.ask('POST', `/api/v1/products/${made.id}/archive`, { key: account.key })
    t.clock.release()
    const at = async (date: string) => {
      const { status, json } = await ask('GET', `/dppsByIdAndDate/${made.id}?date=${date}`)
      return status === 200 ? [json.passportRecord.versionNo, json.dppStatus, json.lastUpdated] : status
    }
    const [first, second, third] = [1, 2, 3].map(day => `2026-03-0${day}T10:00:00.000Z`)
    assert.equal(await at('2026-03-01T09:59:59.999999Z'), 404)
    assert.deepEqual(await at('2026-03-01T10:00:00Z'), [1, 'active', first])
    assert.deepEqual(await at('2026-03-02T09:59:59.999999Z'), [1, 'active', first])
    assert.deepEqual(await at('2026-03-02T11:00:00+01:00'), [2, 'active', second])
    assert.deepEqual(await at('2026-03-02T11:00:00%2B01:00'), [2, 'active', second])
    assert.deepEqual(await at('2026-03-03T10:00:00Z'), [2, 'archived', third])
    assert.deepEqual(await at('2999-01-01T00:00:00Z'), [2, 'archived', third])
    for (const bad of ['', 'yesterday', '2026-03-01', '2026-03-01T10:00:00', '2026-02-30T10:00:00Z']) {
      assert.equal(await at(bad), 400, bad)
    }
    assert.equal((await ask('GET', `/dppsByIdAndDate/${made.id}`)).status, 400)
    const version = await ask('GET', `/dpps/${made.id}?version=1`)
    assert.deepEqual([version.json.passportRecord.versionNo, version.json.dppStatus], [1, 'active'])
    assert.match(version.headers['cache-control'] ?? '', /^public, max-age=3600$/)
    assert.equal((await ask('GET', `/dpps/${made.id}?version=3`)).status, 404)
    assert.equal((await ask('GET', `/dpps/${made.id}?version=0`)).status, 400)
  })
})

describe('a published draft', () => {
  test('did not exist before it was published', async () => {
    t.clock.set('2026-04-01T10:00:00Z')
    const body = { category: 'textile', data: CATEGORY_EXAMPLES.textile.value.data }
    const draft = await t.ask('POST', '/api/v1/drafts', { key: account.key, body })
    assert.equal(draft.status, 201, draft.text)
    t.clock.set('2026-04-02T10:00:00Z')
    const made = await t.ask('POST', `/api/v1/drafts/${draft.json.data.id}/publish`, { key: account.key })
    assert.equal(made.status, 201, made.text)
    t.clock.release()
    const at = (date: string) => ask('GET', `/dppsByIdAndDate/${made.json.data.id}?date=${date}`)
    assert.equal((await at('2026-04-01T12:00:00Z')).status, 404)
    const { status, json } = await at('2026-04-02T10:00:00Z')
    assert.deepEqual([status, json.lastUpdated], [200, '2026-04-02T10:00:00.000Z'])
  })
})

describe('readers', () => {
  let battery: Answer['json']
  const link = (audience: string) =>
    createAccessLink(account.ctx, {
      passportId: battery.id,
      audience,
      label: 'Test',
      addresses: ADDRESSES,
      expiresAt: new Date('2999-01-01'),
    })
  before(async () => {
    const data = { ...CATEGORY_EXAMPLES.battery.value.data, stateOfHealth: 97.5, secret: 'free-form' }
    battery = await create('/products', { category: 'battery', data })
  })
  const stateOfHealth = async (credential?: string) => {
    const headers: Record<string, string> =
      credential === undefined ? {} : { authorization: `Bearer ${credential}` }
    const { status, json, headers: sent } = await ask('GET', `/dpps/${battery.id}`, { headers })
    return { status, value: json.stateOfHealth, caching: sent['cache-control'], whole: JSON.stringify(json) }
  }

  test('each sees its audience; a restricted element cannot be told from a missing one', async () => {
    const { token } = await link('authority')
    assert.deepEqual((await stateOfHealth()).value, undefined)
    const restricted = await stateOfHealth(token)
    assert.deepEqual([restricted.value, restricted.caching], [97.5, 'private, no-store'])
    const own = await stateOfHealth(account.key)
    assert.deepEqual([own.value, own.caching], [97.5, 'private, no-store'])
    assert.doesNotMatch(own.whole, /free-form/)
    const foreign = await stateOfHealth(other.key)
    assert.deepEqual([foreign.value, foreign.caching], [undefined, 'private, no-store'])
    const element = async (path: string) => {
      const { status, json } = await ask('GET', `/dpps/${battery.id}/elements/${path}`)
      return {
        status,
        texts: json.message.map((one: { text: string; code: string }) => [one.text, one.code]),
      }
    }
    const [hidden, missing] = [await element('$.stateOfHealth'), await element('$.nothingSuch')]
    assert.deepEqual([hidden.status, hidden.texts], [404, missing.texts])
    // On passports that the link does not open, its reader is the public.
    const second = await create('/products', {
      category: 'battery',
      data: { ...CATEGORY_EXAMPLES.battery.value.data, stateOfHealth: 96 },
    })
    const { json } = await ask('GET', `/dpps/${second.id}`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(json.stateOfHealth, undefined)
  })

  test('a key or token that is not valid is 401, also where the public may read', async () => {
    const { token, id } = await link('authority')
    await revokeAccessLink(account.ctx, id)
    for (const credential of ['x', 'dpp_live_x', 'dpa_x', token, `${account.key}x`]) {
      const { status, json } = await ask('GET', `/dpps/${battery.id}`, {
        headers: { authorization: `Bearer ${credential}` },
      })
      assert.equal(status, 401, credential)
      assert.equal(json.statusCode, 'ClientNotAuthorized')
    }
  })
})

describe('errors and hostile addresses', () => {
  test('an error has the shape of EN 18222 with a message for each violation', async () => {
    const { status, json } = await ask('GET', `/dpps/${model.id}?representation=half`)
    assert.equal(status, 400)
    assert.equal(json.statusCode, 'ClientErrorBadRequest')
    const [message] = json.message
    assert.deepEqual(Object.keys(message), ['messageType', 'text', 'code', 'correlationId', 'timestamp'])
    assert.deepEqual([message.messageType, message.code], ['Error', 'validation:enum'])
    assert.equal((await ask('GET', `/dpps/${model.id}?colour=red`)).status, 400)
    assert.equal((await ask('GET', `/dpps/${model.id}`, { headers: { accept: 'text/html' } })).status, 406)
    const wrong = await ask('PUT', `/dpps/${model.id}`)
    assert.deepEqual([wrong.status, wrong.headers.allow], [405, 'GET, HEAD, OPTIONS, PATCH, DELETE'])
    assert.equal((await ask('GET', '/nothing')).status, 404)
    const options = await ask('OPTIONS', `/dpps/${model.id}`)
    assert.deepEqual([options.status, options.headers['access-control-allow-origin']], [204, '*'])
  })

  test('the OpenAPI document is valid', async () => {
    const { json } = await ask('GET', '/openapi.json')
    const { valid, errors } = await new Validator().validate(json)
    assert.ok(valid, JSON.stringify(errors))
    assert.doesNotMatch(JSON.stringify(json), /"schema":(?:true|false)/)
  })

  test('the OpenAPI document describes every kind of address, each with the methods that it allows', async () => {
    const { json } = await ask('GET', '/openapi.json')
    const described = Object.entries<object>(json.paths).map(([path, methods]) => {
      const { kind } = parseTarget(path.replaceAll(/[{}]/g, ''))
      return [kind, Object.keys(methods).map(method => method.toUpperCase())] as const
    })
    const allowed = Object.entries(DPP_ADDRESSES).map(([kind, { methods }]) => [
      kind,
      methods.split(', ').filter(method => method !== 'HEAD' && method !== 'OPTIONS'),
    ])
    assert.deepEqual(Object.fromEntries(described), Object.fromEntries(allowed))
    for (const methods of Object.values<Record<string, { responses: object }>>(json.paths)) {
      for (const { responses } of Object.values(methods)) assert.ok('414' in responses)
    }
  })

  test('2,000 hostile identifiers and paths get an answer below 500 in the same shape', async () => {
    const parts = [
      '%2F',
      '%252F',
      '%',
      '%zz',
      '%00',
      '..',
      '/',
      '//',
      '\\',
      '%5C',
      '😀',
      '%F0%9F%98%80',
      '%C3%28',
      '%0A',
    ]
    const more = [
      '01',
      '21',
      "$['a']",
      '[0]',
      '[99999999999999999999]',
      '*',
      "'",
      '"',
      ';',
      ':',
      '@',
      '#x',
      'elements',
    ]
    const words = [
      ...parts,
      ...more,
      'https:',
      encode(addressOf(model)),
      model.id,
      '{',
      '}',
      '<',
      '>',
      '+',
      '~',
      '0'.repeat(900),
    ]
    let seed = 7
    const pick = <T>(list: readonly T[]): T => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return list[seed % list.length] as T
    }
    const roots = ['/dpps/', '/dppsByProductId/', '/dppsByIdAndDate/', `/dpps/${model.id}/elements/`]
    const counts: Record<string, number> = {}
    for (let i = 0; i < 2_000; i++) {
      const path = pick(roots) + Array.from({ length: 1 + (i % 4) }, () => pick(words)).join('')
      const { status, json } = await ask('GET', path)
      counts[status] = (counts[status] ?? 0) + 1
      assert.ok(status < 500, `${status} ${path}`)
      if (status >= 400) assert.ok(Array.isArray(json?.message), `${status} ${path}`)
    }
    assert.ok(Object.keys(counts).length >= 3, JSON.stringify(counts))
  })

  test('registering is for the registry: 501 without a body', async () => {
    const { status, text } = await ask('POST', '/registerDPP', { body: {} })
    assert.deepEqual([status, text], [501, ''])
  })
})
