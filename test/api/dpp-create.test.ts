/** Tests passports created by EN 18222: documents of other systems, their identifiers, and forged ones. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setPlan } from '../../src/accounts/account/accounts.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { listShards } from '../../src/kernel/db/shards.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { ADDRESSES, type Answer, type Harness, startHarness, type TestAccount } from '../harness.ts'
import { assertError, createSender, encode, takeSnapshot } from './dpp-stand.ts'

let t: Harness
let account: TestAccount
let other: TestAccount

const { send, seen } = createSender(() => t)
const post = (document: unknown, by: { key: string } = account, headers: Record<string, string> = {}) =>
  send('POST', '/dpps', { key: by.key, body: document, headers })
const read = (dppId: string, by?: { key: string }) =>
  send('GET', `/dpps/${encode(dppId)}`, by ? { key: by.key } : {})
const readRecord = async (dppId: string, by = account): Promise<Answer['json']> =>
  (await t.ask('GET', `/api/v1/products/${dppId.slice(-26)}`, { key: by.key })).json.data

const NS = `${ADDRESSES.publicUrl}/ns/dpp`
const GTIN = '9521234000013'
const { gtin: _, ...SAMPLE }: Record<string, unknown> = CATEGORY_EXAMPLES.furniture.value.data

/** The document of a furniture model, as a program would write it. */
const write = (members: object = {}) => ({
  contentSpecificationIds: [`${NS}/furniture/v1`],
  ...SAMPLE,
  careInstructions: [{ value: 'Wipe with a dry cloth.', language: 'en' }],
  endOfLife: {
    recyclingInstructions: [{ value: 'Untreated wood.', language: 'EN' }],
    disposalInstructions: [{ value: 'Bulky waste.', language: 'en' }],
  },
  ...members,
})

let next = 0
/** A GTIN that no test has used. */
function newGtin(): string {
  const digits = `95${String(++next).padStart(10, '0')}`
  const sum = [...digits].reduce((all, digit, i) => all + Number(digit) * (i % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

async function create(document: object, by = account): Promise<string> {
  const { status, json, text } = await post(document, by)
  assert.equal(status, 201, text)
  return json.digitalProductPassportId
}

async function unchanged(work: () => Promise<void>): Promise<void> {
  const takeAll = async () => [
    ...(await Promise.all([account, other].map(one => takeSnapshot(t, one)))),
    JSON.stringify(await t.setup.sql`select key, passport_id from dpp_alias order by key`),
  ]
  const before = await takeAll()
  await work()
  assert.deepEqual(await takeAll(), before)
}

before(async () => {
  t = await startHarness()
  account = await t.account()
  other = await t.account()
})
after(() => t.close())

describe('a new passport', () => {
  test('is the one that /api/v1 reads, with its address', async () => {
    const { status, json, headers } = await post(
      write({ uniqueProductIdentifier: `https://id.gs1.org/01/0${GTIN}` }),
    )
    assert.equal(status, 201)
    assert.deepEqual(Object.keys(json), ['digitalProductPassportId'])
    const dppId: string = json.digitalProductPassportId
    assert.equal(headers.location, `${ADDRESSES.publicUrl}/dpp/v1/dpps/${encode(dppId)}`)
    const record = await readRecord(dppId)
    assert.equal(record.passport_url, dppId)
    assert.deepEqual([record.category, record.level, record.version_no], ['furniture', 'model', 1])
    assert.deepEqual(record.data, {
      ...SAMPLE,
      gtin: `0${GTIN}`,
      careInstructions: { en: 'Wipe with a dry cloth.' },
      endOfLife: {
        recyclingInstructions: { en: 'Untreated wood.' },
        disposalInstructions: { en: 'Bulky waste.' },
      },
    })
    const viaApi = await t.ask('POST', '/api/v1/products', {
      key: account.key,
      body: { category: 'furniture', data: { ...record.data, gtin: newGtin() } },
    })
    assert.equal(viaApi.status, 201, viaApi.text)
    const [made, same] = await Promise.all([read(dppId), read(viaApi.json.data.passport_url)])
    const fields = ({ json: document }: Answer) => Object.keys(SAMPLE).map(name => document[name])
    assert.deepEqual(fields(made), fields(same))
  })

  test('of each category survives read and create again in another account', async () => {
    for (const category of ['textile', 'battery', 'furniture'] as const) {
      const data = { ...CATEGORY_EXAMPLES[category].value.data, gtin: newGtin() }
      const made = await t.ask('POST', '/api/v1/products', { key: account.key, body: { category, data } })
      assert.equal(made.status, 201, made.text)
      const { json: document } = await read(made.json.data.passport_url, account)
      await unchanged(async () => {
        assertError(await post(document, other), 409, /^validation:duplicate$/)
        const { digitalProductPassportId: __, ...withoutId } = document
        assertError(await post(withoutId, other), 409, /^gtin_taken:duplicate$/)
      })
      const moved = 'https://old.example/dpp/' + category
      const gtin = newGtin()
      const copy = {
        ...document,
        digitalProductPassportId: moved,
        gtin,
        uniqueProductIdentifier: `https://id.gs1.org/01/0${gtin}`,
      }
      assert.equal(await create(copy, other), moved)
      const { json: again } = await read(moved, other)
      const { passportRecord, lastUpdated, economicOperatorId, ...members } = copy
      for (const [name, value] of Object.entries(members)) {
        const expected =
          name === 'uniqueProductIdentifier'
            ? String(value).replace('https://id.gs1.org', ADDRESSES.publicUrl)
            : value
        assert.deepEqual(again[name], expected, name)
      }
      await unchanged(async () => assertError(await post(again, account), 409, /^validation:duplicate$/))
    }
  })

  test('takes its category from the record of the passport too, and unwraps sections', async () => {
    const { contentSpecificationIds, ...data } = write()
    const first = await create({ ...data, passportRecord: { category: 'furniture' } })
    const second = await create({ contentSpecificationIds, [`${NS}/furniture/v1`]: data })
    assert.deepEqual((await readRecord(first)).data, (await readRecord(second)).data)
  })

  test('accepts the spellings of other readings, and ignores what it derives', async () => {
    const dppId = await create(
      write({
        '@context': 'https://example.com',
        proof: { forged: true },
        granularity: 'Model',
        dppStatus: 'Active',
        dppSchemaVersion: 'EN 18223:2026',
        lastUpdate: '2020-01-01T00:00:00Z',
        economicOperatorId: 'VAT-1',
        facilityId: 'GLN-1',
        contentSpecificationIds: ['https://example.com/other', `${NS}/furniture/v1`],
      }),
    )
    const { json } = await read(dppId)
    assert.equal(json.dppSchemaVersion, 'EN18223:v1.0')
    assert.notEqual(json.lastUpdated, '2020-01-01T00:00:00Z')
    assert.equal(json.proof, undefined)
  })
})

describe('units', () => {
  test('are issued under the model or batch that their GS1 address names', async () => {
    const gtin = newGtin()
    const link = `https://example.com/01/0${gtin}`
    const model = await create(write({ uniqueProductIdentifier: link }))
    const batch = await create(write({ uniqueProductIdentifier: `${link}/10/L1`, granularity: 'batch' }))
    const item = await create(
      write({
        uniqueProductIdentifier: `${link}/10/L1/21/S1`,
        granularity: 'Item',
        countryOfManufacture: 'AT',
      }),
    )
    const single = await create(write({ uniqueProductIdentifier: `${link}/21/S2` }))
    const [first, second, alone] = await Promise.all([batch, item, single].map(one => readRecord(one)))
    assert.deepEqual([first.level, first.lot, first.parent_id], ['batch', 'L1', model.slice(-26)])
    assert.deepEqual(
      [second.level, second.serial, second.lot, second.parent_id],
      ['item', 'S1', 'L1', batch.slice(-26)],
    )
    assert.deepEqual(
      [alone.level, alone.serial, alone.lot, alone.parent_id],
      ['item', 'S2', null, model.slice(-26)],
    )
    assert.equal(second.data.countryOfManufacture, 'AT')
    await t.ask('PATCH', `/api/v1/products/${model.slice(-26)}`, {
      key: account.key,
      body: { data: { productName: 'Corrected' }, change_type: 'correction' },
    })
    assert.equal((await readRecord(single)).outdated, true, 'only fields that differ are its own')
    await unchanged(async () => {
      assertError(await post(write({ uniqueProductIdentifier: `${link}/10/L1` })), 409, /lot_taken/)
      assertError(await post(write({ uniqueProductIdentifier: `${link}/21/S2` })), 409, /serial_taken/)
      assertError(await post(write({ uniqueProductIdentifier: `${link}/21/S3` }), other), 400, /not_found/)
      assertError(await post(write({ uniqueProductIdentifier: `${link}/10/L2/21/S3` })), 400, /not_found/)
      assertError(await post(write({ uniqueProductIdentifier: link })), 409, /^gtin_taken/)
      const textile = {
        contentSpecificationIds: [`${NS}/textile/v1`],
        uniqueProductIdentifier: `${link}/21/S3`,
      }
      assertError(await post(textile), 400, /enum/)
      const repeated = { passportRecord: { serial: 'S9' }, uniqueProductIdentifier: `${link}/21/S3` }
      assertError(await post(write(repeated)), 400, /immutable/)
      const wrong = { gtin: newGtin(), uniqueProductIdentifier: `${link}/21/S3` }
      assertError(await post(write(wrong)), 400, /immutable/)
    })
    await t.ask('POST', `/api/v1/products/${model.slice(-26)}/archive`, { key: account.key })
    await unchanged(async () => {
      assertError(await post(write({ uniqueProductIdentifier: `${link}/21/S3` })), 409, /^archived$/)
    })
  })
})

describe('identifiers of other systems', () => {
  test('are kept, shown everywhere, and found by every read and write', async () => {
    const gtin = newGtin()
    const link = `https://example.com/01/0${gtin}`
    const ids = {
      model: 'https://old.example/passports/1?x=ä',
      batch: 'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66',
      item: 'did:web:old.example:passports:3',
    }
    await create(write({ digitalProductPassportId: ids.model, uniqueProductIdentifier: link }))
    await create(write({ digitalProductPassportId: ids.batch, uniqueProductIdentifier: `${link}/10/L1` }))
    await create(
      write({ digitalProductPassportId: ids.item, uniqueProductIdentifier: `${link}/10/L1/21/S1` }),
    )
    const { json, status, text } = await read(ids.item)
    assert.equal(status, 200, text)
    assert.equal(json.digitalProductPassportId, ids.item)
    assert.deepEqual(
      [json.passportRecord.modelPassportId, json.passportRecord.batchPassportId],
      [ids.model, ids.batch],
    )
    assert.equal(json.uniqueProductIdentifier, `${ADDRESSES.publicUrl}/01/0${gtin}/10/L1/21/S1`)
    const [row] = await t.sql<
      { id: string }[]
    >`select passport_id as id from dpp_alias where key = ${ids.item}`
    assert.ok(row)
    const full = await send('GET', `/dpps/${encode(ids.item)}?representation=full`)
    assert.equal(full.json.digitalProductPassportId, ids.item)
    const past = await send('GET', `/dppsByIdAndDate/${encode(ids.item)}?date=2999-01-01T00:00:00Z`)
    assert.deepEqual(
      [past.json.digitalProductPassportId, past.json.passportRecord.modelPassportId],
      [ids.item, ids.model],
    )
    assert.equal((await send('GET', `/dpps/${encode(ids.item)}?version=1`)).status, 200)
    assert.equal(
      (await send('GET', `/dpps/${encode(ids.item)}/elements/%24.digitalProductPassportId`)).json,
      ids.item,
    )
    assert.equal(
      (await send('GET', `/dppsByProductId/${encode(`${link}/21/S1`)}`)).json.digitalProductPassportId,
      ids.item,
    )
    const listed = await send('POST', '/dppsByProductIds', { body: [link, `${link}/10/L1`] })
    assert.deepEqual(listed.json.dppIds, [ids.model, ids.batch])
    const changed = await send('PATCH', `/dpps/${encode(ids.model)}`, {
      key: account.key,
      body: { productName: 'Moved', digitalProductPassportId: ids.model },
    })
    assert.deepEqual([changed.status, changed.json.digitalProductPassportId], [200, ids.model])
    const element = `/dpps/${encode(ids.model)}/elements/%24.productName`
    assert.equal(
      (await send('PATCH', element, { key: account.key, body: 'Moved again' })).json,
      'Moved again',
    )
    assert.equal((await send('DELETE', `/dpps/${encode(ids.batch)}`, { key: account.key })).status, 200)
    assert.equal(
      (await send('PATCH', `/dpps/${encode(ids.model)}`, { key: other.key, body: {} })).status,
      404,
    )
    assert.equal((await send('GET', `/dpps/${ids.item}`)).json.digitalProductPassportId, ids.item)
    const odd = await read('https://old.example/passports/1?x=%C3%A4')
    assert.equal(odd.json.digitalProductPassportId, ids.model, 'in another spelling')
  })

  test('one belongs to one passport, whatever its spelling, also of several at once', async () => {
    const dppId = 'https://old.example/taken'
    await create(write({ digitalProductPassportId: dppId }))
    await unchanged(async () => {
      for (const spelling of [
        dppId,
        'HTTPS://OLD.example/taken',
        'https://old.example:443/x/../taken',
        'https://old.example/%2e/taken',
      ]) {
        for (const by of [account, other]) {
          assertError(
            await post(write({ digitalProductPassportId: spelling }), by),
            409,
            /^validation:duplicate$/,
          )
        }
      }
    })
    const usage = () =>
      t.sql`select coalesce(sum(used), 0)::int as n from account_usage where account_id in (${account.id}, ${other.id})`
    const [before] = await usage()
    const racers = await Promise.all(
      Array.from({ length: 8 }, (__, i) =>
        post(write({ digitalProductPassportId: 'https://old.example/race' }), i % 2 === 0 ? account : other),
      ),
    )
    assert.deepEqual(racers.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)])
    const [after] = await usage()
    assert.equal(after?.n, before?.n + 1, 'the others created nothing')
  })

  test('forged ones of this server are refused', async () => {
    const own = await create(write())
    await unchanged(async () => {
      assertError(await post(write({ digitalProductPassportId: own })), 409, /^validation:duplicate$/)
      const forged = [
        'https://carnet.example',
        'https://carnet.example/p/01m45m2vp0fqh9ek41pvnj0nca',
        'https://carnet.example/other',
        'http://carnet.example/p/x',
        'HTTPS://CARNET.EXAMPLE/p/x',
        'https://carnet.example:443/p/x',
        'http://carnet.example:443/p/x',
        'https://carnet.example./p/x',
        'https://carnet.example/../p/x',
        'https://%63arnet.example/p/x',
        'https://ｃarnet.example/p/x',
        'did:web:carnet.example:issuers:x',
        'did:web:CARNET.example',
        'https:carnet.example/p/x',
      ]
      for (const one of forged) {
        assertError(await post(write({ digitalProductPassportId: one })), 400, /^validation:format$/)
      }
      const malformed = [
        '',
        ' ',
        'x',
        own.slice(-26),
        '/p/x',
        '//old.example/x',
        'javascript:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        'https://user:secret@old.example/x',
        'https://old.example/\u202e',
        'https://old.example/a b',
        'https:\\\\old.example',
        `https://old.example/${'x'.repeat(1_000)}`,
        'urn:',
        7,
        [],
        {},
        true,
      ]
      for (const one of malformed) {
        assertError(await post(write({ digitalProductPassportId: one })), 400, /^validation:format$/)
      }
    })
  })

  test('move with an exported account, and are refused where they are taken', async () => {
    const moving = await t.account()
    const dppId = 'https://old.example/moving'
    await create(write({ digitalProductPassportId: dppId }), moving)
    const folder = await mkdtemp(join(tmpdir(), 'carnet-dpp-'))
    const elsewhere = await startHarness()
    try {
      const path = join(folder, 'account.ndjson')
      const { openPoolOfOne: openPool, sql, clock, secretCipher } = t.setup
      const source = { openPool, clock, version: 'test', publicUrl: ADDRESSES.publicUrl }
      await exportAccountToFile(source, { accountId: moving.id, path })
      const target = {
        openPool: elsewhere.setup.openPoolOfOne,
        sql: elsewhere.setup.sql,
        clock,
        secretCipher,
      }
      const file = { path, name: 'Moved', plan: undefined }
      await importAccountFromFile(target, file)
      const found = await elsewhere.ask('GET', `/dpp/v1/dpps/${encode(dppId)}`)
      assert.equal(found.json.digitalProductPassportId, dppId)
      await unchanged(() =>
        assert.rejects(
          importAccountFromFile({ openPool, sql, clock, secretCipher }, file),
          /already exists here|belongs to another passport here/,
        ),
      )
      for (const shard of listShards(sql)) await shard`delete from passport where account_id = ${moving.id}`
      await assert.rejects(
        importAccountFromFile({ openPool, sql, clock, secretCipher }, { ...file, name: 'Again' }),
        /https:\/\/old\.example\/moving is not valid, or belongs to another passport here/,
      )
    } finally {
      await elsewhere.close()
      await rm(folder, { recursive: true })
    }
  })
})

describe('who may create', () => {
  test('only a key of full scope; 401 before the body is read', async () => {
    const readOnly = await t.apiKey(account, 'read')
    const id = (await create(write())).slice(-26)
    const record = await readRecord(id)
    const link = { passportId: record.id, audience: 'authority', label: 'Test', addresses: ADDRESSES }
    const { token } = await createAccessLink(account.ctx, { ...link, expiresAt: new Date('2999-01-01') })
    await unchanged(async () => {
      assertError(
        await send('POST', '/dpps', { text: '{{', headers: { 'content-type': 'application/json' } }),
        401,
        /^unauthorized$/,
      )
      assertError(await post(write(), { key: readOnly }), 403, /^read_only$/)
      assertError(await post(write(), { key: token }), 403, /^read_only$/)
      assertError(await post(write(), { key: `${account.key}x` }), 401, /^unauthorized$/)
    })
    const { status, text } = await send('POST', '/dpps?representation=full', { key: account.key, body: {} })
    assert.deepEqual([status, text], [501, ''])
  })

  test('within the quota', async () => {
    const small = await t.account()
    await setPlan(small.ctx, {
      accountId: small.id,
      plan: 'beta',
      quota: { model: 0 },
      requestsPerMinute: 100_000,
    })
    const takeBoth = () => takeSnapshot(t, small)
    const before = await takeBoth()
    for (const members of [{}, { digitalProductPassportId: 'https://old.example/quota' }]) {
      assertError(await post(write(members), small), 403, /^plan_limit$/)
    }
    assert.equal(await takeBoth(), before)
    assert.equal((await read('https://old.example/quota')).status, 404)
  })

  test('once with an Idempotency-Key, also with an identifier that is kept', async () => {
    for (const [i, members] of [{}, { digitalProductPassportId: 'https://old.example/once' }].entries()) {
      const headers = { 'idempotency-key': `dpp-create-${i}` }
      const first = await post(write(members), account, headers)
      const again = await post(write(members), account, headers)
      assert.deepEqual(
        [again.status, again.text, again.headers.location],
        [201, first.text, first.headers.location],
      )
      assert.equal(again.headers['idempotency-replayed'], 'true')
      await unchanged(async () => {
        assertError(
          await post(write({ ...members, productName: 'Other' }), account, headers),
          400,
          /idempotency_key_reused/,
        )
      })
    }
    await unchanged(async () => {
      const taken = write({ digitalProductPassportId: 'https://old.example/once' })
      assertError(
        await post(taken, account, { 'idempotency-key': 'dpp-create-9' }),
        409,
        /^validation:duplicate$/,
      )
    })
  })
})

describe('documents that are refused', () => {
  test('name each violation and create nothing', async () => {
    await unchanged(async () => {
      const wrong: Record<string, unknown> = {
        uniqueProductIdentifier: 'https://example.com/chair',
        granularity: 'item',
        dppStatus: 'archived',
        dppSchemaVersion: 7,
        lastUpdated: 'yesterday',
        lastUpdate: 5,
        economicOperatorId: {},
        facilityId: [],
        contentSpecificationIds: 'x',
        passportRecord: 'x',
        elements: [],
        digitalProductPassportId: 'x',
      }
      for (const [name, value] of Object.entries(wrong)) {
        assertError(await post(write({ [name]: value })), 400, /^validation:/)
      }
      const all = await post(write(wrong))
      assert.ok(all.json.message.length >= Object.keys(wrong).length, all.text)
      for (const specifications of [
        [],
        ['https://example.com/x'],
        [`${NS}/spaceship/v1`],
        [`${NS}/textile/v1`, `${NS}/furniture/v1`],
        [7],
      ]) {
        assertError(await post(write({ contentSpecificationIds: specifications })), 400, /^validation:/)
      }
      assertError(await post(write({ productNmae: 'x' })), 400, /^validation:unknown_field$/)
      assertError(await post(write({ productName: null })), 400, /^validation:required$/)
      const json = { 'content-type': 'application/json' }
      for (const text of ['[]', 'null', '"x"', '{"a":1,"a":2}', '{"__proto__":{}}']) {
        assertError(
          await send('POST', '/dpps', { key: account.key, text, headers: json }),
          400,
          /^validation:/,
        )
      }
      for (const text of ['', '{', Buffer.from([0x7b, 0xff])]) {
        assertError(
          await send('POST', '/dpps', { key: account.key, text, headers: json }),
          400,
          /^bad_request$/,
        )
      }
      const huge = write({ productName: 'x'.repeat(1_100_000) })
      assertError(await post(huge), 413, /^payload_too_large$/)
      for (const type of ['text/plain', 'application/merge-patch+json']) {
        const answer = await send('POST', '/dpps', {
          key: account.key,
          text: '{}',
          headers: { 'content-type': type },
        })
        assertError(answer, 415, /^unsupported_media_type$/)
      }
      assertError(await send('POST', '/dpps?x=1', { key: account.key, body: write() }), 400, /unknown_field/)
    })
  })
})

test('every documented status of creating was seen', async () => {
  const { json } = await t.ask('GET', '/dpp/v1/openapi.json')
  const expected = Object.keys(json.paths['/dpps'].post.responses).map(Number)
  const unseen = expected.filter(
    status => ![429, 503, 408, 414, 417, 431].includes(status) && !seen.get('POST /dpps')?.has(status),
  )
  assert.deepEqual(unseen, [])
})
