/** Tests the documents of standards at `/p/{id}`: who gets which, how they are cached, and what is refused. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { strFromU8, unzipSync } from 'fflate'
import { setPlan } from '../../src/accounts/account/accounts.ts'
import { revokeSigningKey, rotateSigningKey, setSigning } from '../../src/accounts/issuer/issuer.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { readConfig } from '../../src/kernel/config/config.ts'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink, revokeAccessLink } from '../../src/passports/access/access-links.ts'
import { DOCUMENT_FORMATS } from '../../src/passports/documents/formats.ts'
import { endPools } from '../database.ts'
import { ADDRESSES, type Answer, type Harness, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { problemsOf } from '../kernel/problems-of.ts'
import { compileSchema } from '../standards/schemas.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
/** Formats that show more to readers who may see more, and need no signature. */
const RESTRICTED = ['en', 'en-full', 'aas', 'aasx']
const HIDDEN = '97.53'

let t: Harness
let account: TestAccount
let other: TestAccount
let id: string
const assertAas = compileSchema('idta-aas-3.1')

const read = (query = '', headers: Record<string, string> = {}, of = id) =>
  t.ask('GET', `/p/${of}${query}`, { headers })
const withKey = (key: string) => ({ authorization: `Bearer ${key}` })

const createBattery = async (data: Record<string, unknown> = {}): Promise<string> => {
  const body = {
    category: 'battery',
    data: {
      ...CATEGORY_EXAMPLES.battery.value.data,
      gtin: nextGtin(),
      stateOfHealth: Number(HIDDEN),
      ...data,
    },
  }
  const { status, json } = await t.ask('POST', '/api/v1/products', { key: account.key, body })
  assert.equal(status, 201, JSON.stringify(json))
  return json.data.id
}

const createLink = async (hours = 1, passportId: string | undefined = id) =>
  createAccessLink(account.ctx, {
    passportId,
    audience: 'authority',
    label: 'Customs',
    addresses: ADDRESSES,
    expiresAt: new Date(t.clock.now().getTime() + hours * 3_600_000),
  })

const bodyOf = async (query: string, headers: Record<string, string> = {}) =>
  (await t.app.inject({ method: 'GET', url: `/p/${id}${query}`, headers })).rawPayload

/** All text of a document, also of one in a package. */
async function readText(format: string, headers: Record<string, string> = {}): Promise<string> {
  const bytes = await bodyOf(`?format=${format}`, headers)
  return format === 'aasx' ? strFromU8(unzipSync(bytes)['aasx/data.json'] ?? new Uint8Array()) : String(bytes)
}

before(async () => {
  t = await startHarness()
  account = await t.account()
  other = await t.account()
  id = await createBattery()
})
after(() => t.close())

const assertPrivate = ({ headers }: Answer) => {
  assert.equal(headers['cache-control'], 'private, no-store')
  assert.match(headers.vary ?? '', /\bAccept\b.*\bAuthorization\b/)
  assert.equal(headers.etag, undefined)
  assert.equal(headers['access-control-allow-origin'], undefined)
}

const assertPublic = ({ headers }: Answer) => {
  assert.match(headers['cache-control'] ?? '', /^public, max-age=60\b/)
  assert.match(headers.etag ?? '', /^"[^"]+"$/)
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['x-robots-tag'], 'noindex')
  assert.match(headers.vary ?? '', /\bAccept\b.*\bAuthorization\b/)
}

describe('an AAS submodel', () => {
  test('is at the address that is its id, with what its reader may see', async () => {
    for (const headers of [{}, withKey(account.key)]) {
      const { submodels } = (await read('?format=aas', headers)).json
      assert.ok(submodels.length >= 5)
      for (const submodel of submodels) {
        const answer = await t.ask('GET', submodel.id.slice(ADDRESSES.publicUrl.length), { headers })
        assert.equal(answer.headers['content-type'], 'application/json')
        assert.deepEqual(answer.json, submodel)
      }
    }
    assertPrivate(await read('/aas/Nameplate', withKey(account.key)))
    const { headers } = await read('/aas/Nameplate')
    const { status } = await read('/aas/Nameplate', { 'if-none-match': headers.etag ?? '' })
    assert.equal(status, 304)
  })

  test('is not found if the passport does not have it, or does not exist', async () => {
    for (const [path, of] of [
      ['/aas/ProductCondition', id],
      ['/aas/nameplate', id],
      ['/aas/Nameplate', idFromUuid(newUuid(Date.UTC(2026, 0)))],
    ] as const) {
      const { status, json } = await read(path, {}, of)
      assert.deepEqual([status, json.code], [404, 'not_found'], path)
    }
    assert.equal((await read('/aas/Nameplate', withKey('dpa_wrong'))).status, 401)
  })

  test('is opened by an access link, which leads back to it', async () => {
    const { token } = await createLink()
    const { status, headers } = await read(`/aas/Nameplate?access=${token}`)
    assert.deepEqual(
      [status, new URL(headers.location ?? '', ADDRESSES.publicUrl).pathname],
      [303, `/p/${id}/aas/Nameplate`],
    )
  })
})

describe('the public', () => {
  test('gets the EN document for application/json, by ?format=en and from /dpp/v1', async () => {
    const answers = [
      await read('', { accept: 'application/json' }),
      await read('?format=en', { accept: BROWSER }),
    ]
    const { json } = await t.ask('GET', `/dpp/v1/dpps/${id}`)
    for (const answer of answers) {
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['content-type'], 'application/json')
      assert.deepEqual(answer.json, json)
      assertPublic(answer)
    }
    assert.equal(answers[0]?.headers.etag, answers[1]?.headers.etag)
    assert.equal(json.digitalProductPassportId, `${ADDRESSES.publicUrl}/p/${id}`)
  })

  test('still gets JSON-LD for application/ld+json and the page for everything else', async () => {
    for (const accept of ['application/ld+json', 'application/ld+json, application/json'])
      assert.equal((await read('', { accept })).headers['content-type'], 'application/ld+json')
    for (const accept of [BROWSER, '*/*', 'image/png'])
      assert.equal((await read('', { accept })).headers['content-type'], 'text/html; charset=utf-8')
  })

  test('gets each document in its media type, without anything that is hidden', async () => {
    for (const format of RESTRICTED) {
      const answer = await read(`?format=${format}`)
      assert.equal(answer.status, 200, format)
      const row = DOCUMENT_FORMATS.find(one => one.id === format)
      assert.equal(answer.headers['content-type'], row?.mediaTypes[0])
      assertPublic(answer)
      const text = await readText(format)
      assert.ok(text.includes(id) && !text.includes(HIDDEN), format)
    }
    const full = (await read('?format=en-full')).json
    assert.ok(full.elements.length > 10)
  })

  test('gets a valid Asset Administration Shell, and the same in a package that browsers save', async () => {
    const { json } = await read('?format=aas')
    assertAas(json)
    const { headers } = await read('?format=aasx', { 'accept-encoding': 'br, gzip' })
    assert.equal(headers['content-type'], 'application/aas+zip')
    assert.equal(headers['content-encoding'], undefined)
    assert.equal(headers['content-disposition'], `attachment; filename="${id}.aasx"`)
    const files = unzipSync(await bodyOf('?format=aasx', { 'accept-encoding': 'br, gzip' }))
    assert.deepEqual(JSON.parse(strFromU8(files['aasx/data.json'] ?? new Uint8Array())), json)
    assert.ok(files['[Content_Types].xml'])
  })

  test('gets an earlier version, as /dpp/v1 has it', async () => {
    const own = await createBattery()
    const body = { data: { weightKg: 3.3 } }
    assert.equal((await t.ask('PATCH', `/api/v1/products/${own}`, { key: account.key, body })).status, 200)
    for (const [format, form] of [
      ['en', 'compressed'],
      ['en-full', 'full'],
    ]) {
      const answer = await read(`?format=${format}&version=1`, {}, own)
      const expected = await t.ask('GET', `/dpp/v1/dpps/${own}?version=1&representation=${form}`)
      assert.deepEqual(answer.json, expected.json)
      assert.equal(answer.headers['cache-control'], 'public, max-age=3600')
      const again = { 'if-none-match': answer.headers.etag ?? '' }
      assert.equal((await read(`?format=${format}&version=1`, again, own)).status, 304)
    }
    const now = await read('?format=en&version=2', {}, own)
    assert.deepEqual([now.json.weightKg, now.json.passportRecord.versionNo], [3.3, 2])
    for (const version of ['3', '0', 'x', '1e3', '99999999999']) {
      const missing = await read(`?format=en&version=${version}`, { accept: BROWSER }, own)
      assert.deepEqual([missing.status, missing.json?.code], [404, 'not_found'], version)
    }
  })

  test('sees at once that a passport is archived, restored or changed', async () => {
    t.clock.set(new Date())
    const own = await createBattery()
    const states: string[] = []
    const note = async () => {
      t.clock.advance(2_000)
      const { json } = await read('?format=en', {}, own)
      states.push(`${json.dppStatus} ${json.passportRecord.versionNo} ${json.lastUpdated}`)
      assert.deepEqual((await t.ask('GET', `/dpp/v1/dpps/${own}`)).json, json)
    }
    const change = async (method: 'POST' | 'PATCH', rest: string, body: object) =>
      assert.equal(
        (await t.ask(method, `/api/v1/products/${own}${rest}`, { key: account.key, body })).status,
        200,
        rest,
      )
    await note()
    await change('POST', '/archive', {})
    await note()
    await change('POST', '/restore', {})
    await note()
    await change('PATCH', '', { data: { weightKg: 4.4 } })
    await note()
    assert.equal(new Set(states).size, 4, states.join(', '))
    assert.deepEqual(
      states.map(state => state.split(' ', 2).join(' ')),
      ['active 1', 'archived 1', 'active 1', 'active 2'],
    )
    t.clock.release()
  })

  test('HEAD has the headers of GET, and a 304 answers a reader who has the document', async () => {
    for (const format of RESTRICTED) {
      for (const encoding of ['identity', 'gzip', 'br']) {
        const headers = { 'accept-encoding': encoding }
        const url = `/p/${id}?format=${format}`
        const get = await t.app.inject({ url, headers })
        const head = await t.app.inject({ method: 'HEAD', url, headers })
        assert.deepEqual([head.statusCode, head.body], [200, ''])
        for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'content-encoding'])
          assert.equal(head.headers[name], get.headers[name], `${format} ${encoding} ${name}`)
        const etag = String(get.headers.etag)
        for (const sent of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
          const again = await read(`?format=${format}`, { ...headers, 'if-none-match': sent })
          assert.deepEqual([again.status, again.headers.etag, again.text], [304, etag, ''])
        }
        const other = await t.app.inject({ url, headers: { ...headers, 'if-none-match': '"x"' } })
        assert.equal(other.statusCode, 200)
      }
    }
  })

  test('the bytes of each encoding have an entity tag of their own', async () => {
    const tags = await Promise.all(
      ['identity', 'gzip', 'br'].map(
        async encoding =>
          (await t.app.inject({ url: `/p/${id}?format=en`, headers: { 'accept-encoding': encoding } }))
            .headers.etag,
      ),
    )
    assert.equal(new Set(tags).size, 3)
  })

  test('other sites may ask before they read', async () => {
    const { status, headers } = await t.ask('OPTIONS', `/p/${id}?format=en`)
    assert.deepEqual([status, headers['access-control-allow-origin']], [204, '*'])
  })
})

describe('errors', () => {
  test('are JSON, also in a browser that asks for a document', async () => {
    const unknown = idFromUuid(newUuid(Date.UTC(2026, 0)))
    for (const missing of [unknown, 'nonsense', id.slice(1)]) {
      for (const [query, accept] of [
        ['', 'application/json'],
        ...DOCUMENT_FORMATS.map(one => [`?format=${one.id}`, BROWSER]),
      ]) {
        const answer = await read(query, { accept: accept ?? '' }, missing)
        assert.deepEqual([answer.status, answer.json?.code], [404, 'not_found'], `${missing} ${query}`)
        assert.match(answer.headers['cache-control'] ?? '', /^no-store$/)
        assert.equal(answer.headers['access-control-allow-origin'], '*')
      }
    }
  })

  test('an unknown format is 406 and names all formats', async () => {
    const { status, json } = await read('?format=xml')
    assert.equal(status, 406)
    for (const one of ['html', 'jsonld', ...DOCUMENT_FORMATS.map(format => format.id)])
      assert.match(json.error, new RegExp(`\\b${one}\\b`))
  })

  test('a draft has no documents, for nobody', async () => {
    const body = { category: 'battery', data: { productName: 'Later' } }
    const made = await t.ask('POST', '/api/v1/drafts', { key: account.key, body })
    assert.equal(made.status, 201)
    const { token } = await createLink(1, undefined)
    for (const headers of [{}, withKey(account.key), withKey(token)])
      for (const { id: format } of DOCUMENT_FORMATS)
        assert.equal((await read(`?format=${format}`, headers, made.json.data.id)).status, 404, format)
  })

  test('an id in capitals is redirected with its format', async () => {
    const { status, headers } = await read('?format=en', {}, id.toUpperCase())
    assert.deepEqual([status, headers.location], [301, `/p/${id}?format=en`])
  })
})

describe('a credential', () => {
  test('of the account shows every field, and of an authority what it may see; neither is cached', async () => {
    const { token } = await createLink()
    for (const sent of [account.key, token]) {
      for (const format of RESTRICTED) {
        const answer = await read(`?format=${format}`, withKey(sent))
        assert.equal(answer.status, 200, format)
        assertPrivate(answer)
        assert.ok((await readText(format, withKey(sent))).includes(HIDDEN), format)
        assert.ok(!(await readText(format)).includes(HIDDEN), format)
      }
      const { json } = await t.ask('GET', `/dpp/v1/dpps/${id}`, { headers: withKey(sent) })
      assert.deepEqual((await read('', { ...withKey(sent), accept: 'application/json' })).json, json)
    }
    const past = await read('?format=en&version=1', withKey(account.key))
    assert.equal(past.json.stateOfHealth, Number(HIDDEN))
    assertPrivate(past)
  })

  test('of another account, or for another passport, shows what is public, and is not cached either', async () => {
    const { token } = await createLink(1, await createBattery())
    const { json } = await read('?format=en')
    for (const sent of [other.key, token]) {
      const answer = await read('?format=en', withKey(sent))
      assert.deepEqual([answer.status, answer.json], [200, json])
      assertPrivate(answer)
    }
  })

  test('that is malformed, unknown, revoked or expired is 401', async () => {
    const expired = await t.apiKey(account, 'read', new Date(t.clock.now().getTime() + 60_000))
    const ending = await createLink(0.01)
    const revoked = await createLink()
    await revokeAccessLink(account.ctx, revoked.id)
    t.clock.advance(120_000)
    try {
      const sent = [
        'Bearer',
        'Bearer x',
        'Basic eDp5',
        'nonsense',
        '',
        ...[expired, ending.token, revoked.token, `${account.key}x`].map(one => `Bearer ${one}`),
      ]
      for (const authorization of sent) {
        const answer = await read('?format=en', { authorization, accept: BROWSER })
        assert.deepEqual([answer.status, answer.json?.code], [401, 'unauthorized'], authorization)
        assert.equal(answer.headers['www-authenticate'], 'Bearer')
        assert.equal(answer.headers['cache-control'], 'no-store')
        // The page and JSON-LD do not read keys.
        assert.equal((await read('', { authorization })).status, 200)
        assert.equal((await read('?format=jsonld', { authorization })).status, 200)
      }
    } finally {
      t.clock.release()
    }
  })

  test('of a plan without the API is 403, and beyond the limit of the key it is 429', async () => {
    const free = await t.account({ plan: 'free' })
    const refused = await read('?format=en', withKey(free.key))
    assert.deepEqual([refused.status, refused.json.code], [403, 'plan_required'])
    const answer = await read('?format=en', withKey(account.key))
    assert.ok(Number(answer.headers['x-ratelimit-remaining']) > 0)
    const limited = await t.account()
    const plan = { accountId: limited.id, plan: 'beta', quota: {}, requestsPerMinute: 2 }
    await setPlan({ sql: t.sql, clock: t.clock }, plan)
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) statuses.push((await read('?format=en', withKey(limited.key))).status)
    assert.deepEqual(statuses, [200, 200, 429])
  })

  test('in the address moves into a cookie, which opens the documents too', async () => {
    const { token, id: linkId } = await createLink()
    const entered = await read(`?access=${token}&format=en`)
    assert.deepEqual([entered.status, entered.headers.location], [303, `/p/${id}?format=en`])
    const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
    const opened = await read('?format=en', { cookie })
    assert.equal(opened.json.stateOfHealth, Number(HIDDEN))
    assertPrivate(opened)
    await revokeAccessLink(account.ctx, linkId)
    const ended = await read('?format=en', { cookie })
    assert.deepEqual([ended.status, ended.json.stateOfHealth], [200, undefined])
    for (const wrong of [token, 'x', ''])
      assert.equal((await read(`?access=${wrong}&format=en`)).status, 401, wrong)
  })

  test('changes nothing in formats that are always public', async () => {
    await setSigning({ ...other.ctx, secretCipher: t.setup.secretCipher }, true)
    const data = {
      ...CATEGORY_EXAMPLES.battery.value.data,
      gtin: nextGtin(),
      stateOfHealth: Number(HIDDEN),
      manufacturingFacility: { facilityId: '9521234003007', name: 'Werk Dresden' },
    }
    const body = { category: 'battery', data }
    const { json } = await t.ask('POST', '/api/v1/products', { key: other.key, body })
    for (const { id: format, mediaTypes } of DOCUMENT_FORMATS.filter(one => one.isAlwaysPublic)) {
      const open = await read(`?format=${format}`, {}, json.data.id)
      assert.deepEqual([open.status, open.headers['content-type']], [200, mediaTypes[0]])
      assertPublic(open)
      for (const sent of [other.key, 'nonsense']) {
        const answer = await read(`?format=${format}`, withKey(sent), json.data.id)
        assert.deepEqual(
          [answer.status, answer.headers.etag, answer.text],
          [open.status, open.headers.etag, open.text],
        )
      }
      const door = await t.ask('GET', `/dpp/v1/dpps/${json.data.id}`, { headers: { accept: mediaTypes[0] } })
      assert.equal(door.text, open.text)
      assert.equal((await read(`?format=${format}`)).status, 406, 'of an account that does not sign')
    }
  })
})

describe('none of them', () => {
  test('counts as a scan', async () => {
    const own = await createBattery()
    const { token } = await createLink(1, own)
    for (const headers of [{}, withKey(account.key), withKey(token)])
      for (const { id: format } of DOCUMENT_FORMATS) await read(`?format=${format}`, headers, own)
    await read('', { accept: 'application/json' }, own)
    await t.scans.flush()
    const { json } = await t.ask('GET', `/api/v1/products/${own}/scans`, { key: account.key })
    assert.equal(json.data.total, 0)
  })
})

describe('a popular document', () => {
  test('costs no statement within a second, and neither does its 304', async () => {
    const texts: string[] = []
    const sql = await t.openPools({ onStatementEnd: ({ text }) => texts.push(text) })
    const app = createApp({ ...t.setup, sql })
    t.clock.set('2026-11-23T10:00:00Z')
    try {
      for (const url of [`/p/${id}?format=en`, `/p/${id}?format=aasx`]) {
        const first = await app.inject({ url })
        assert.equal(first.statusCode, 200)
        await app.inject({ url, headers: { 'accept-encoding': 'br' } })
        texts.length = 0
        for (const headers of [
          {},
          { 'accept-encoding': 'br' },
          { 'if-none-match': String(first.headers.etag) },
        ])
          await app.inject({ url, headers })
        assert.deepEqual(texts, [], url)
      }
      t.clock.advance(1_001)
      await app.inject({ url: `/p/${id}?format=en` })
      assert.equal(texts.length, 2, 'the passport and the issuer')
    } finally {
      t.clock.release()
      await app.close()
      await endPools(sql)
    }
  })
})

describe('a signed document', () => {
  test('is signed once the account signs, anew after its key was revoked, and not when it stops', async () => {
    const own = await createBattery()
    const ctx = { ...account.ctx, secretCipher: t.setup.secretCipher }
    const readProof = async () => {
      const [first, again] = [await read('?format=en', {}, own), await read('?format=en', {}, own)]
      assert.equal(first.text, again.text)
      assert.equal(first.headers.etag, again.headers.etag)
      assert.deepEqual((await t.ask('GET', `/dpp/v1/dpps/${own}`)).json, first.json)
      return first.json.proof?.verificationMethod.split('#')[1]
    }
    assert.equal(await readProof(), undefined)
    await setSigning(ctx, true)
    assert.equal(await readProof(), 'key-1')
    await rotateSigningKey(ctx)
    assert.equal(await readProof(), 'key-1')
    await revokeSigningKey(ctx, 1)
    assert.equal(await readProof(), 'key-2')
    const etag = (await read('?format=en', {}, own)).headers.etag ?? ''
    await setSigning(ctx, false)
    assert.equal(await readProof(), undefined)
    assert.equal((await read('?format=en', { 'if-none-match': etag }, own)).status, 200)
    await setSigning(ctx, true)
    assert.equal(await readProof(), 'key-2')
  })

  test('is made by no page and no JSON-LD', async () => {
    const own = await createBattery()
    const count = async () => (await t.sql`select from signed_document`).length
    const before = await count()
    await read('', { accept: BROWSER }, own)
    await read('?format=jsonld', {}, own)
    assert.equal(await count(), before)
    await read('?format=en', {}, own)
    assert.equal(await count(), before + 1)
  })
})

describe('links', () => {
  test('a page names its JSON-LD and its EN document, also of an earlier version', async () => {
    const { headers } = await read('', { accept: BROWSER })
    const url = `${ADDRESSES.publicUrl}/p/${id}`
    assert.match(
      headers.link ?? '',
      new RegExp(`<${url}\\?format=jsonld>; rel="alternate"; type="application/ld\\+json"`),
    )
    assert.match(
      headers.link ?? '',
      new RegExp(`<${url}\\?format=en>; rel="alternate"; type="application/json"`),
    )
  })
})

describe('the account that signs', () => {
  test('has a JWT credential among the links of pages and link sets, another account has not', async () => {
    const ctx = { ...account.ctx, secretCipher: t.setup.secretCipher }
    const { json } = await t.ask('GET', `/api/v1/products/${id}`, { key: account.key })
    const gs1 = new URL(json.data.gs1_url).pathname
    t.clock.set(new Date())
    for (const isSigning of [true, false]) {
      await setSigning(ctx, isSigning)
      t.clock.advance(2_000)
      const { headers } = await read('', { accept: BROWSER })
      const { text } = await t.ask('GET', `${gs1}?linkType=linkset`)
      const found = [headers.link ?? '', text].map(one => one.includes('?format=vc-jwt'))
      assert.deepEqual(found, [isSigning, isSigning])
      const named = await t.ask('GET', `${gs1}?linkType=gs1:dpp`, {
        headers: { accept: 'application/vc+jwt' },
      })
      assert.match(named.headers.location ?? '', /\?format=vc-jwt&linkType=gs1:dpp$/)
    }
    t.clock.release()
  })

  test('gets a reason in JSON for what a passport cannot be given as, also in a browser', async () => {
    for (const { id: format } of DOCUMENT_FORMATS.filter(one => one.isAlwaysPublic)) {
      const answer = await read(`?format=${format}`, { accept: BROWSER })
      assert.deepEqual([answer.status, answer.json?.code], [406, 'not_acceptable'], format)
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.ok(answer.json.error.length > 20)
    }
  })
})

describe('ANY_ACCEPT=json', () => {
  test('is refused with another value, and html without one', () => {
    assert.match(problemsOf({ ANY_ACCEPT: 'xml' }).join(' '), /^ANY_ACCEPT\b.*html.*json/)
    assert.equal(readConfig({}).anyAccept, 'html')
    assert.equal(readConfig({ ANY_ACCEPT: 'json' }).anyAccept, 'json')
  })

  test('gives the EN document to readers who accept anything, and leaves GS1 addresses as they are', async () => {
    const app = createApp({ ...t.setup, anyAccept: 'json' })
    const get = (url: string, headers = {}) => app.inject({ method: 'GET', url, headers })
    for (const headers of [{}, { accept: '*/*' }, { accept: '' }, { accept: 'image/png, */*;q=0.1' }]) {
      const answer = await get(`/p/${id}`, headers)
      assert.deepEqual([answer.statusCode, answer.headers['content-type']], [200, 'application/json'])
    }
    for (const accept of [BROWSER, 'text/html', 'text/*']) {
      const answer = await get(`/p/${id}`, { accept })
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    }
    const { json } = await t.ask('GET', `/api/v1/products/${id}`, { key: account.key })
    const gs1 = new URL(json.data.gs1_url).pathname
    const redirect = await get(gs1, { accept: '*/*' })
    assert.deepEqual(
      [redirect.statusCode, redirect.headers.location],
      [307, `${ADDRESSES.publicUrl}/p/${id}`],
    )
    const asked = await get(`${gs1}?linkType=gs1:dpp`, { accept: '*/*' })
    assert.equal(asked.headers.location, `${ADDRESSES.publicUrl}/p/${id}?format=en&linkType=gs1:dpp`)
    await app.close()
  })
})
