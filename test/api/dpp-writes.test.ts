/** Tests changes by EN 18222: merge patches, elements, archiving; and that a refused one changes nothing. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { flushKeyUse } from '../../src/accounts/keys/key-use.ts'
import { revokeKey } from '../../src/accounts/keys/keys.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { ADDRESSES, type Answer, type Harness, startHarness, type TestAccount } from '../harness.ts'
import { assertError, createSender, encode, takeSnapshot } from './dpp-stand.ts'

let t: Harness
let account: TestAccount
let other: TestAccount
let model: Answer['json']

const { send, seen } = createSender(() => t)
const key = () => ({ key: account.key })
const api = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
  t.ask(method, `/api/v1${path}`, { key: account.key, ...(body && { body }) })

async function create(category: keyof typeof CATEGORY_EXAMPLES, data: object = {}): Promise<Answer['json']> {
  const { gtin: _, ...sample }: Record<string, unknown> = CATEGORY_EXAMPLES[category].value.data
  const body = { category, data: { ...sample, ...data } }
  const { status, json, text } = await api('POST', '/products', body)
  assert.equal(status, 201, text)
  return json.data
}

const readRecord = async (id: string) => (await api('GET', `/products/${id}`)).json.data
const patch = (id: string, body: unknown, query = '', headers: Record<string, string> = {}) =>
  send('PATCH', `/dpps/${id}${query}`, { ...key(), body, headers })
const patchElement = (id: string, path: string, body: unknown, query = '') =>
  send('PATCH', `/dpps/${id}/elements/${encode(path)}${query}`, {
    ...key(),
    text: JSON.stringify(body),
    headers: JSON_TYPE,
  })
const JSON_TYPE = { 'content-type': 'application/json' }

/** Runs `work`, which must change nothing. */
async function unchanged(work: () => Promise<void>): Promise<void> {
  const snapshots = () => Promise.all([account, other].map(one => takeSnapshot(t, one)))
  const before = await snapshots()
  await work()
  assert.deepEqual(await snapshots(), before)
}

before(async () => {
  t = await startHarness()
  account = await t.account()
  other = await t.account()
  model = await create('furniture', { gtin: '9521234000013' })
})
after(() => t.close())

describe('a merge patch of the document', () => {
  test('changes only what differs, as one version, and answers with the new document', async () => {
    const { json: before } = await send('GET', `/dpps/${model.id}`, key())
    const { status, json, headers } = await patch(model.id, {
      productName: 'Chair two',
      repair: { repairable: false },
    })
    assert.equal(status, 200)
    assert.deepEqual([json.productName, json.repair.repairable], ['Chair two', false])
    assert.equal(json.repair.sparePartsAvailable, before.repair.sparePartsAvailable, 'a patch is deep')
    assert.equal(json.passportRecord.versionNo, 2)
    const read = await send('GET', `/dpps/${model.id}`, key())
    assert.deepEqual(read.json, json)
    assert.equal(read.headers.etag, headers.etag)
    const { json: versions } = await api('GET', `/products/${model.id}/versions`)
    assert.deepEqual(versions.data[0].changed_fields ?? versions.data[0].changed, ['productName', 'repair'])
  })

  test('of the whole document as it was read writes nothing', async () => {
    await unchanged(async () => {
      const { json } = await send('GET', `/dpps/${model.id}`, key())
      const { lastUpdated, ...document } = json
      const spelt = { ...document, lastUpdate: lastUpdated, granularity: 'Model', dppStatus: 'Active' }
      for (const body of [json, spelt, {}]) {
        const { status, json: answer, text } = await patch(model.id, body)
        assert.equal(status, 200, text)
        assert.deepEqual(answer, json)
      }
    })
  })

  test('removes by null, replaces lists whole, and leaves free-form keys alone', async () => {
    const made = await create('textile', { internalNote: 'mine', commodityCode: '610910' })
    const { json } = await patch(made.id, {
      commodityCode: null,
      fiberComposition: [{ fiber: 'wool', percentage: 100 }],
    })
    assert.equal(json.commodityCode, undefined)
    const { data } = await readRecord(made.id)
    assert.equal(data.internalNote, 'mine')
    assert.equal(data.commodityCode, undefined)
    assert.deepEqual(data.fiberComposition, [{ fiber: 'wool', percentage: 100 }])
    await unchanged(async () =>
      assertError(await patch(made.id, { internalNote: 'public' }), 400, /unknown_field/),
    )
  })

  test('accepts a merge patch by its own media type, with type and note of the change', async () => {
    const { status } = await send('PATCH', `/dpps/${model.id}?change_type=correction&note=Wrong%20name`, {
      ...key(),
      text: '{"productName":"Chair three"}',
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    assert.equal(status, 200)
    const { json } = await api('GET', `/products/${model.id}/versions`)
    assert.deepEqual([json.data[0].change_type, json.data[0].note], ['correction', 'Wrong name'])
  })

  test('a section under a content specification is unwrapped', async () => {
    const section = `${ADDRESSES.publicUrl}/ns/dpp/furniture/v1`
    const { json } = await patch(model.id, { [section]: { productName: 'Chair four' } })
    assert.deepEqual([json.productName, json[section]], ['Chair four', undefined])
    await unchanged(async () => {
      const twice = await patch(model.id, { productName: 'a', [section]: { productName: 'b' } })
      assertError(twice, 400, /validation:duplicate/)
    })
  })

  test('of a unit keeps what it inherits', async () => {
    const { json } = await api('POST', `/products/${model.id}/children`, { level: 'item', serial: 'S1' })
    const item = json.data
    const { json: answer } = await patch(item.id, { countryOfManufacture: 'AT' })
    assert.equal(answer.countryOfManufacture, 'AT')
    await patch(model.id, { productName: 'Corrected' }, '?change_type=correction')
    assert.equal((await readRecord(item.id)).outdated, true, 'the name is inherited still')
    await unchanged(async () =>
      assertError(await patch(item.id, { gtin: '4006381333931' }), 400, /immutable/),
    )
  })

  test('dppStatus alone archives and restores', async () => {
    const made = await create('furniture')
    const archived = await patch(made.id, { dppStatus: 'Archived' })
    assert.deepEqual([archived.status, archived.json.dppStatus], [200, 'archived'])
    assert.equal((await readRecord(made.id)).status, 'archived')
    await unchanged(async () => {
      assert.equal((await patch(made.id, { dppStatus: 'archived' })).status, 200)
      assertError(await patch(made.id, { dppStatus: 'active', productName: 'x' }), 400, /immutable/)
      assertError(await patch(made.id, { dppStatus: 'invalid' }), 400, /enum/)
      assertError(await patch(made.id, { dppStatus: null }), 400, /enum/)
    })
    const restored = await patch(made.id, { dppStatus: 'active' })
    assert.deepEqual([restored.json.dppStatus, restored.json.passportRecord.versionNo], ['active', 1])
  })

  test('other members of the header are read-only', async () => {
    await unchanged(async () => {
      const wrong = {
        digitalProductPassportId: 'https://example.com/1',
        uniqueProductIdentifier: null,
        granularity: 'item',
        dppSchemaVersion: 'x',
        lastUpdated: '2026-01-01T00:00:00Z',
        lastUpdate: '2026-01-01T00:00:00Z',
        economicOperatorId: 'x',
        facilityId: 'x',
        contentSpecificationIds: [],
        passportRecord: { versionNo: 99 },
        elements: [],
      }
      for (const [name, value] of Object.entries(wrong)) {
        assertError(await patch(model.id, { [name]: value }), 400, /immutable|unknown_field/)
      }
      const all = await patch(model.id, wrong)
      assert.equal(all.json.message.length, Object.keys(wrong).length, 'one message for each')
    })
  })

  test('@context and proof are ignored, also of an account that signs', async () => {
    const signing = await t.account()
    await setSigning({ ...signing.ctx, secretCipher: t.setup.secretCipher }, true)
    const body = { category: 'furniture', data: { ...CATEGORY_EXAMPLES.furniture.value.data, gtin: null } }
    const made = (await t.ask('POST', '/api/v1/products', { key: signing.key, body })).json.data
    const change = (sent: object, headers: Record<string, string> = {}) =>
      send('PATCH', `/dpps/${made.id}`, { key: signing.key, body: sent, headers })
    const same = await change({ '@context': null, proof: { forged: true } })
    assert.deepEqual([same.status, same.json.passportRecord.versionNo], [200, 1])
    assert.equal(typeof same.json.proof.proofValue, 'string')
    const { headers } = await send('GET', `/dpps/${made.id}`, { key: signing.key })
    const next = await change({ productName: 'Signed' }, { 'if-match': headers.etag ?? '' })
    assert.deepEqual([next.status, next.json.passportRecord.versionNo], [200, 2])
    assert.match(next.json.passportRecord.versionCommitment, /^[\w-]{43}$/)
    const again = await send('GET', `/dpps/${made.id}`, { key: signing.key })
    assert.equal(again.headers.etag, next.headers.etag)
    assert.equal(again.json.passportRecord.versionCommitment, next.json.passportRecord.versionCommitment)
  })

  test('If-Match refuses a stale ETag; of several at once exactly one wins', async () => {
    const { headers } = await send('GET', `/dpps/${model.id}`, key())
    const full = await send('GET', `/dpps/${model.id}?representation=full`, key())
    assert.equal((await patch(model.id, {}, '', { 'if-match': full.headers.etag ?? '' })).status, 200)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        patch(model.id, { productName: `Racer ${i}` }, '', { 'if-match': headers.etag ?? '' }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(412)])
    await unchanged(async () => {
      const stale = await patch(model.id, { productName: 'x' }, '', { 'if-match': headers.etag ?? '' })
      assertError(stale, 412, /^version_conflict$/)
      assert.equal((await patch(model.id, { productName: 'x' }, '', { 'if-none-match': '*' })).status, 412)
      const element = await send('PATCH', `/dpps/${model.id}/elements/%24.productName`, {
        ...key(),
        text: '"x"',
        headers: { ...JSON_TYPE, 'if-match': '"stale"' },
      })
      assertError(element, 412, /^version_conflict$/)
    })
  })

  test('without If-Match concurrent patches all succeed, each with a version', async () => {
    const made = await create('furniture')
    const names = ['brandName', 'sku', 'countryOfManufacture', 'productName']
    const values = ['B', 'S-2', 'IT', 'Together']
    const answers = await Promise.all(names.map((name, i) => patch(made.id, { [name]: values[i] })))
    for (const { status, text } of answers) assert.equal(status, 200, text)
    const { data, version_no } = await readRecord(made.id)
    assert.deepEqual([...names.map(name => data[name]), version_no], [...values, 5])
  })

  test('an Idempotency-Key changes once', async () => {
    const body = { productName: 'Once' }
    const headers = { 'idempotency-key': 'dpp-patch-1' }
    const first = await patch(model.id, body, '', headers)
    const again = await patch(model.id, body, '', headers)
    assert.deepEqual([again.status, again.text], [200, first.text])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assertError(await patch(model.id, { productName: 'Other' }, '', headers), 400, /idempotency_key_reused/)
    assertError(await patch(model.id, body, '', { 'idempotency-key': ' ' }), 400, /validation:length/)
  })

  test('a GTIN of another passport is a conflict', async () => {
    const made = await create('furniture')
    await unchanged(async () => {
      const { gtin } = model.data
      assertError(await patch(made.id, { gtin }), 409, /^gtin_taken:duplicate$/)
      assertError(await patchElement(made.id, '$.gtin', gtin), 409, /^gtin_taken:duplicate$/)
    })
  })

  test('the full form is not offered', async () => {
    const { status, text } = await patch(model.id, {}, '?representation=full')
    assert.deepEqual([status, text], [501, ''])
  })
})

describe('one element', () => {
  test('is set by its bare value or by a data element, and answered as a read would', async () => {
    const made = await create('furniture', { gtin: '9521234000020' })
    const set = async (path: string, value: unknown, query = '') => {
      const { status, json, text } = await patchElement(made.id, path, value, query)
      assert.equal(status, 200, text)
      return json
    }
    assert.equal(await set('$.productName', 'Bare'), 'Bare')
    assert.equal(await set("$['repair']['repairable']", false), false)
    const element = { elementId: 'productName', objectType: 'SingleValuedDataElement', value: 'Element' }
    assert.equal(await set('$.productName', element), 'Element')
    const full = await set('$.productName', 'Full', '?representation=full')
    assert.deepEqual([full.elementId, full.value], ['productName', 'Full'])
    const children = [
      {
        elementId: 'materialComposition0',
        objectType: 'DataElementCollection',
        elements: [
          { elementId: 'material', objectType: 'SingleValuedDataElement', value: 'metal' },
          { elementId: 'percentage', objectType: 'SingleValuedDataElement', value: 100 },
        ],
      },
    ]
    const composition = [{ material: 'metal', percentage: 100 }]
    for (const member of ['elements', 'value']) {
      const list = { objectType: 'MultiValuedDataElement', [member]: children }
      assert.deepEqual(await set('$.materialComposition', list), composition)
    }
    const { data, version_no } = await readRecord(made.id)
    assert.deepEqual([data.productName, data.materialComposition], ['Full', composition])
    assert.equal(version_no, 6, 'the same value again writes nothing')
    const read = await send('GET', `/dpps/${made.id}/elements/%24.productName`, key())
    assert.equal(read.json, 'Full')
    const { headers } = await patchElement(made.id, '$.productName', 'Full')
    assert.equal(headers.etag, read.headers.etag)
  })

  test('only the last step may be new: a member, or the entry after the last', async () => {
    const made = await create('furniture')
    const entry = { value: 'Schrauben lösen.', language: 'de' }
    const languages = await patchElement(made.id, '$.languages', ['en', 'de'])
    assert.equal(languages.status, 200, languages.text)
    const appended = await patchElement(made.id, '$.careInstructions[1]', entry)
    assert.deepEqual([appended.status, appended.json], [200, entry], appended.text)
    assert.equal((await readRecord(made.id)).data.careInstructions.de, 'Schrauben lösen.')
    const last = await patchElement(made.id, '$.careInstructions[-1].value', 'Nachziehen.')
    assert.deepEqual([last.status, last.json], [200, 'Nachziehen.'], last.text)
    assert.equal((await readRecord(made.id)).data.careInstructions.de, 'Nachziehen.')
    assert.equal((await patchElement(made.id, '$.careInstructions[-1]', null)).status, 200)
    assert.deepEqual(Object.keys((await readRecord(made.id)).data.careInstructions), ['en'])
    await unchanged(async () => {
      assertError(await patchElement(made.id, '$.careInstructions[5]', entry), 400, /bad_request/)
      for (const path of [
        '$.none.x',
        '$.repair.none.x',
        '$.productName.x',
        '$.repair[0]',
        '$.productName[0]',
        '$.careInstructions[-2]',
        '$.proof',
        "$['@context']",
      ]) {
        assertError(await patchElement(made.id, path, 'x'), 404, /not_found/)
      }
      for (const path of ['$.none', '$.repair.none']) {
        assertError(await patchElement(made.id, path, 'x'), 400, /unknown_field/)
      }
    })
  })

  test('null removes it, and what is not there stays away', async () => {
    const made = await create('furniture', { warrantyMonths: 24 })
    const removed = await patchElement(made.id, '$.warrantyMonths', null)
    assert.deepEqual([removed.status, removed.text], [200, 'null'])
    assert.equal((await readRecord(made.id)).data.warrantyMonths, undefined)
    await unchanged(async () => {
      assert.equal((await patchElement(made.id, '$.warrantyMonths', null)).status, 200)
      assertError(await patchElement(made.id, '$.productName', null), 400, /required/)
    })
  })

  test('header and record are read-only, and paths must be singular', async () => {
    await unchanged(async () => {
      for (const path of [
        '$.dppStatus',
        '$.lastUpdated',
        '$.lastUpdate',
        '$.passportRecord.versionNo',
        '$.digitalProductPassportId',
      ]) {
        assertError(await patchElement(model.id, path, 'x'), 400, /immutable/)
      }
      for (const path of [
        '$',
        '$.*',
        '$..a',
        '$[0:2]',
        '$[-0]',
        'productName',
        "$['a'",
        '$[?@.a]',
        '$[99999999999999999999]',
      ]) {
        assertError(await patchElement(model.id, path, 'x'), 400, /bad_request/)
      }
      const renamed = { elementId: 'sku', objectType: 'SingleValuedDataElement', value: 'x' }
      assertError(await patchElement(model.id, '$.productName', renamed), 400, /enum/)
      assertError(
        await patchElement(model.id, '$.productName', { objectType: 'Unknown', value: 'x' }),
        400,
        /enum/,
      )
    })
  })

  test('what is derived from other members cannot be set', async () => {
    const documents = [{ type: 'CE', title: 'Declaration', url: 'https://example.com/a.pdf' }]
    const made = await create('furniture', { complianceDocuments: documents })
    await unchanged(async () => {
      for (const name of ['contentType', 'resourceTitle']) {
        assertError(await patchElement(made.id, `$.complianceDocuments[0].${name}`, 'x'), 400, /immutable/)
      }
    })
    const changed = await patchElement(made.id, '$.complianceDocuments[0].title', 'Other')
    assert.deepEqual([changed.status, changed.json], [200, 'Other'], changed.text)
  })
})

describe('DELETE', () => {
  test('archives, says so, and may be repeated', async () => {
    const made = await create('furniture')
    const remove = () => send('DELETE', `/dpps/${encode(made.passport_url)}`, key())
    const { status, json } = await remove()
    assert.equal(status, 200)
    assert.equal(json.statusCode, 'Success')
    assert.deepEqual([json.message[0].messageType, json.message[0].code], ['Info', 'archived'])
    const { json: document } = await send('GET', `/dpps/${made.id}`)
    assert.equal(document.dppStatus, 'archived')
    await unchanged(async () => {
      const again = await remove()
      assert.deepEqual([again.status, again.json.message[0].text], [200, json.message[0].text])
    })
  })

  test('refuses unknown parameters and a stale ETag', async () => {
    await unchanged(async () => {
      assertError(await send('DELETE', `/dpps/${model.id}?force=1`, key()), 400, /unknown_field/)
      const stale = { ...key(), headers: { 'if-match': '"stale"' } }
      assertError(await send('DELETE', `/dpps/${model.id}`, stale), 412, /version_conflict/)
    })
  })
})

describe('who may write', () => {
  const writes = () =>
    [
      ['PATCH', `/dpps/${model.id}`],
      ['PATCH', `/dpps/${model.id}/elements/%24.productName`],
      ['DELETE', `/dpps/${model.id}`],
    ] as const

  test('nobody without a key: 401 before the body is read, also for a broken one', async () => {
    await unchanged(async () => {
      for (const [method, path] of writes()) {
        for (const text of ['{}', '{{{', '\u0000'.repeat(2_000_000)]) {
          assertError(await send(method, path, { text, headers: JSON_TYPE }), 401, /^unauthorized$/)
        }
      }
    })
  })

  test('an access token reads only; one that is not valid is 401', async () => {
    const passportId = model.id
    const link = { passportId, audience: 'authority', label: 'Test', addresses: ADDRESSES }
    const { token } = await createAccessLink(account.ctx, { ...link, expiresAt: new Date('2999-01-01') })
    await unchanged(async () => {
      for (const [method, path] of writes()) {
        const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` }
        assertError(await send(method, path, { text: '"x"', headers }), 403, /^read_only$/)
        const stolen = { ...headers, authorization: `Bearer ${token.slice(0, -4)}xxxx` }
        assertError(await send(method, path, { text: '"x"', headers: stolen }), 401, /^unauthorized$/)
      }
    })
  })

  test('a read-only key 403, a key of another account 404, one that is expired 401', async () => {
    const readOnly = await t.apiKey(account, 'read')
    const expired = await t.apiKey(account, 'full', new Date(Date.now() + 1_000))
    t.clock.set(new Date(Date.now() + 60_000))
    await unchanged(async () => {
      for (const [method, path] of writes()) {
        const ask = { text: '"x"', headers: JSON_TYPE }
        assertError(await send(method, path, { ...ask, key: readOnly }), 403, /^read_only$/)
        assertError(await send(method, path, { ...ask, key: other.key }), 404, /^not_found$/)
        assertError(await send(method, path, { ...ask, key: expired }), 401, /^unauthorized$/)
      }
    })
    t.clock.release()
  })

  test('not a key that is revoked while the body is sent', async () => {
    const origin = await t.app.listen({ port: 0, host: '127.0.0.1' })
    const stolen = await t.apiKey(account, 'full')
    const [row] = await t.sql<{ id: string }[]>`
      select id from api_key where account_id = ${account.id} order by created_at desc, id desc limit 1`
    assert.ok(row)
    const wasUsed = async () => {
      await flushKeyUse(t.setup.sql)
      const used = await t.sql`select from api_key where id = ${row.id} and last_used_at is not null`
      return used.length > 0
    }
    await unchanged(async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode('{"productName":'))
          await promise
          controller.enqueue(new TextEncoder().encode('"Stolen"}'))
          controller.close()
        },
      })
      const answer = fetch(`${origin}/dpp/v1/dpps/${model.id}`, {
        method: 'PATCH',
        body,
        duplex: 'half',
        headers: { ...JSON_TYPE, authorization: `Bearer ${stolen}` },
      } as RequestInit)
      while (!(await wasUsed()));
      await revokeKey(account.ctx, idFromUuid(row.id))
      t.clock.advance(5_000)
      resolve()
      const { status, ...rest } = await answer
      assert.equal(status, 401, JSON.stringify(rest))
    })
    t.clock.release()
  })
})

describe('hostile bodies', () => {
  const sendText = (path: string, text: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
    send('PATCH', path, { ...key(), text, headers })
  const paths = () => [`/dpps/${model.id}`, `/dpps/${model.id}/elements/%24.productName`]
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

  test('are refused in the shape of EN 18222 and change nothing', async () => {
    await unchanged(async () => {
      for (const path of paths()) await refuseBodies(path)
      for (const text of ['[]', 'null', '"x"', '7', 'true']) {
        assertError(await sendText(paths()[0] ?? '', text), 400, /^validation:type$/)
      }
    })
  })

  async function refuseBodies(path: string): Promise<void> {
    for (const text of ['', '{', '{"a":1}}', 'undefined', "{'a':1}", Buffer.from([0x22, 0xff, 0x22])]) {
      assertError(await sendText(path, text), 400, /^bad_request$/)
    }
    for (const text of [
      '{"a":1,"a":2}',
      '{"__proto__":{"x":1}}',
      deep(40),
      deep(5_000),
      '[1e400]',
      '[12345678901234567890]',
    ]) {
      assertError(await sendText(path, text), 400, /^validation:/)
    }
    const huge = JSON.stringify({ productName: 'x'.repeat(1_100_000) })
    assertError(await sendText(path, huge), 413, /^payload_too_large$/)
    const many = JSON.stringify({ languages: Array(30_000).fill('en') })
    assertError(await sendText(path, many), 400, /^validation:max$/)
    assertError(await sendText(path, 'x', { 'content-type': 'text/plain' }), 415, /^unsupported_media_type$/)
    const latin = { 'content-type': 'application/json; charset=iso-8859-1' }
    assertError(await sendText(path, '{}', latin), 415, /^unsupported_media_type$/)
    const zipped = { ...JSON_TYPE, 'content-encoding': 'gzip' }
    assertError(await sendText(path, '{}', zipped), 415, /^unsupported_media_type$/)
    assertError(await send('PATCH', path, key()), 400, /^bad_request$/)
  }

  test('of wrong types, and with the names of prototypes, are refused too', async () => {
    await unchanged(async () => {
      const wrong = {
        productName: 7,
        repair: [],
        materialComposition: { a: 1 },
        constructor: 1,
        toString: 'x',
        prototype: {},
      }
      for (const [name, value] of Object.entries(wrong)) {
        assertError(await patch(model.id, { [name]: value }), 400, /^validation:/)
      }
      for (const name of ['constructor', '__proto__', 'hasOwnProperty']) {
        assertError(
          await patchElement(model.id, `$.${name}`, { polluted: true }),
          400,
          /^validation:|^bad_request/,
        )
        assertError(await patchElement(model.id, `$.${name}.x`, { polluted: true }), 404, /^not_found$/)
      }
      assert.equal(Reflect.get({}, 'polluted'), undefined)
    })
  })

  test('as are unknown parameters, notes and kinds of change', async () => {
    await unchanged(async () => {
      for (const query of [
        '?x=1',
        '?representation=half',
        '?change_type=x',
        `?note=${'x'.repeat(501)}`,
        '?note=',
        '?note=a&note=b',
      ]) {
        for (const path of paths()) {
          const answer = await send('PATCH', `${path}${query}`, { ...key(), text: '{}', headers: JSON_TYPE })
          assertError(answer, 400, /^validation:/)
        }
      }
    })
  })

  test('random patches and paths never fail inside', async () => {
    const value = fc.jsonValue({ maxDepth: 4 })
    const name = fc.oneof(
      fc.constantFrom('productName', 'repair', 'passportRecord', '@context', 'dppStatus', 'languages'),
      fc.string(),
    )
    const made = await create('furniture')
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, value, { maxKeys: 3 }),
        fc.array(fc.oneof(name, fc.nat()), { minLength: 1, maxLength: 4 }),
        async (body, steps) => {
          const path = `$${steps.map(step => `[${JSON.stringify(step)}]`).join('')}`
          for (const { status, text } of [
            await patch(made.id, body),
            await patchElement(made.id, path, body),
          ]) {
            assert.ok([200, 400, 404].includes(status), `${status} ${text}`)
          }
        },
      ),
      { numRuns: 150 },
    )
  })
})

test('every documented status of these operations was seen', async () => {
  const { json } = await t.ask('GET', '/dpp/v1/openapi.json')
  const documented = {
    'PATCH /dpps/{dppId}': '/dpps/{dppId}',
    'PATCH element': '/dpps/{dppId}/elements/{elementIdPath}',
    'DELETE /dpps/{dppId}': '/dpps/{dppId}',
  }
  for (const [operation, path] of Object.entries(documented)) {
    const [method = ''] = operation.split(' ')
    const { responses } = json.paths[path][method.toLowerCase()]
    // Reads of the same door show the first two, and tests of HTTP the others.
    const expected = Object.keys(responses)
      .map(Number)
      .filter(status => ![429, 503, 408, 414, 417, 431].includes(status))
    assert.deepEqual(
      expected.filter(status => !seen.get(operation)?.has(status)),
      [],
      operation,
    )
  }
})
