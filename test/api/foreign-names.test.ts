/** Tests that names of the outside world belong to the account that the operator has approved for them. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { listAuditEntries } from '../../src/accounts/account/audit.ts'
import { type IdentityInput, parseIdentity } from '../../src/accounts/identity/identity.ts'
import { verifyAccount } from '../../src/accounts/issuer/verify-account.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { hasMod10CheckDigit } from '../../src/gs1/check-digit.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { normalizeDppId } from '../../src/passports/core/dpp-id.ts'
import { listChangedPassports } from '../../src/passports/read/list-changes.ts'
import { listConflicts } from '../../src/passports/read/list-conflicts.ts'
import { releaseDppId } from '../../src/passports/write/release-dpp-id.ts'
import { ADDRESSES, type Answer, type Harness, startHarness, type TestAccount } from '../harness.ts'
import { assertError, createSender, encode } from './dpp-stand.ts'

const PREFIX = '9524321'
let t: Harness
let beside: Harness
/** The company that the operator has verified, another one, and one with another prefix. */
let brand: TestAccount
let other: TestAccount

const { send } = createSender(() => t)
const { gtin: _, ...DATA }: Record<string, unknown> = CATEGORY_EXAMPLES.furniture.value.data
const NS = `${ADDRESSES.publicUrl}/ns/dpp/furniture/v1`

const createDpp = (by: TestAccount, dppId: string, members: object = {}): Promise<Answer> =>
  send('POST', '/dpps', {
    key: by.key,
    body: {
      contentSpecificationIds: [NS],
      ...DATA,
      careInstructions: [{ value: 'Wipe.', language: 'en' }],
      endOfLife: {
        recyclingInstructions: [{ value: 'Wood.', language: 'en' }],
        disposalInstructions: [{ value: 'Bulky waste.', language: 'en' }],
      },
      digitalProductPassportId: dppId,
      ...members,
    },
  })

let serial = 0
/** A GTIN that begins with these digits, and that no test has used. */
function newGtin(prefix: string, length: 13 | 14 = 13): string {
  const digits = prefix + String(++serial).padStart(length - 1 - prefix.length, '0')
  const found = Array.from('0123456789', digit => digits + digit).find(hasMod10CheckDigit)
  assert.ok(found)
  return found
}

const approve = (account: TestAccount, names: Partial<IdentityInput>) =>
  verifyAccount(
    account.ctx,
    parseIdentity({ legalName: 'Maker AG', identifiers: [], hosts: [], gs1Prefixes: [], dids: [], ...names }),
    'Operator',
  )

before(async () => {
  t = await startHarness()
  beside = await t.beside()
  brand = await t.account()
  other = await t.account()
  await approve(brand, {
    hosts: ['brand.example', 'xn--mbel-5qa.example'],
    gs1Prefixes: [PREFIX],
    dids: ['did:ebsi:zabc'],
  })
  await approve(other, { hosts: ['shop.brand.example', 'retailer.example'] })
})
after(async () => {
  await beside.close()
  await t.close()
})

describe('an identifier of a passport', () => {
  test('that is a URN has one owner in all spellings', async () => {
    const uuid = '6e8bc430-9c3a-11d9-9669-0800200c9a66'
    for (const [first, ...spellings] of [
      [
        `urn:uuid:${uuid}`,
        `URN:UUID:${uuid}`,
        `urn:Uuid:${uuid.toUpperCase()}`,
        `urn:uuid:${uuid}?+now`,
        `urn:uuid:${uuid}#part`,
      ],
      ['urn:Example-1:a%2fb', 'URN:example-1:a%2Fb', 'urn:EXAMPLE-1:a%2Fb?=x'],
    ] as const) {
      assert.equal((await createDpp(brand, first)).status, 201)
      for (const spelling of spellings) {
        assertError(await createDpp(other, spelling), 409, /^validation:duplicate$/)
        const found = await send('GET', `/dpps/${encode(spelling)}`)
        assert.deepEqual([found.status, found.json.digitalProductPassportId], [200, first])
      }
    }
    const different = await createDpp(other, 'urn:example-1:A%2fb')
    assert.equal(different.status, 201, 'a namespace decides about the case of its own text')
    assertError(await createDpp(other, 'urn:x'), 400, /^validation:format$/)
  })

  test('that was stored with another spelling of its URN gets the usual one in the upgrade', async () => {
    const migration = await readFile('migrations/0061_urn_keys.sql', 'utf8')
    const keys = [
      ['urn:UUID:6E8BC430-9C3A-11D9-9669-0800200C9A01', 'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a01'],
      ['urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a02', 'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a02'],
      ['urn:UUID:6e8bc430-9c3a-11d9-9669-0800200c9a02', 'urn:UUID:6e8bc430-9c3a-11d9-9669-0800200c9a02'],
      ['urn:Old-1:A%2fb%C3%a4%zz?=q#f', 'urn:old-1:A%2Fb%C3%A4%zz'],
      ['https://old.example/urn:X:y', 'https://old.example/urn:X:y'],
    ] as const
    for (const [before] of keys)
      await t.sql`
        insert into dpp_alias (key, account_id, passport_id, created_at)
        values (${before}, ${other.id}, gen_random_uuid(), ${t.clock.now()})`
    const stored = () => t.sql<{ key: string }[]>`select key from dpp_alias where account_id = ${other.id}`
    const before = new Set((await stored()).map(({ key }) => key))
    await t.sql.unsafe(migration)
    const after = new Set((await stored()).map(({ key }) => key))
    for (const [old, usual] of keys) {
      assert.ok(before.has(old) && after.has(usual), usual)
      assert.equal(
        normalizeDppId(old)?.startsWith('urn:uuid:6e8bc430') || normalizeDppId(old) === usual,
        true,
      )
    }
    await t.sql`delete from dpp_alias where key = any(${keys.map(([, usual]) => usual)}::text[])`
  })

  test('of a host, DID or GS1 company prefix of another account is refused, with a way out', async () => {
    const gtin14 = newGtin(PREFIX).padStart(14, '0')
    for (const dppId of [
      'https://brand.example/dpp/1',
      'HTTP://Brand.Example.:8080/dpp/1',
      'https://dpp.brand.example/1',
      'https://m%C3%B6bel.example/1',
      'https://möbel.example/1',
      'did:web:brand.example:dpp:1',
      'did:web:Brand.example%3A8443:dpp:1',
      'did:webvh:QmZ:brand.example:1',
      'did:ebsi:zabc',
      'did:ebsi:zabc/passports/1?a#b',
      `https://id.gs1.org/01/${gtin14}`,
      `https://id.gs1.org/01/${gtin14}/21/1`,
      `https://elsewhere.example/de/%301/${gtin14}/99/x?a`,
      `https://elsewhere.example/gtin/${gtin14.slice(1)}`,
      `https://id.gs1.org/8004/${PREFIX}0001`,
      `did:web:elsewhere.example:01:${gtin14}`,
      `urn:epc:id:sgtin:${PREFIX}.00001.1`,
      `urn:EPC:class:lgtin:${PREFIX}.00001.L`,
    ]) {
      const answer = await createDpp(other, dppId)
      assertError(answer, 400, /^validation:format$/)
      assert.match(
        answer.text,
        /digitalProductPassportId .* names the .* another account .* ask the operator/,
      )
    }
    const { text } = await t.ask('GET', '/api/v1/products', { key: other.key })
    assert.ok(!text.includes('brand.example'))
  })

  test('of the account itself is kept, and so is one of nobody', async () => {
    const gtin14 = newGtin(PREFIX).padStart(14, '0')
    for (const [by, dppId] of [
      [brand, 'https://brand.example/dpp/2'],
      [brand, 'https://dpp.brand.example/2'],
      [brand, 'did:ebsi:zabc#2'],
      [brand, `https://id.gs1.org/01/${gtin14}`],
      [brand, `urn:epc:id:sgtin:${PREFIX}.00001.2`],
      [other, 'https://shop.brand.example/2'],
      [other, `https://retailer.example/01/${gtin14}`],
      [other, 'https://notbrand.example/2'],
      [other, 'https://brand.example.elsewhere.example/2'],
      [other, 'did:ebsi:zabcd'],
      [other, 'https://elsewhere.example/952432101/01'],
      [other, `https://id.gs1.org/01/${newGtin('9525').padStart(14, '0')}`],
      [other, `urn:epc:id:gid:${PREFIX}.1.1`],
    ] as const) {
      const { status, text } = await createDpp(by, dppId)
      assert.equal(status, 201, `${dppId}: ${text}`)
    }
    assertError(await createDpp(brand, 'https://shop.brand.example/3'), 400, /^validation:format$/)
  })

  test('with a GTIN of another account is refused, unless its prefix or host is one of the own', async () => {
    const gtin = newGtin('9527')
    const body = { category: 'furniture', data: { ...DATA, gtin } }
    const made = await t.ask('POST', '/api/v1/products', { key: other.key, body })
    assert.equal(made.status, 201, made.text)
    const dppId = `https://id.gs1.org/01/0${gtin}`
    assertError(await createDpp(brand, dppId), 400, /^validation:format$/)
    assert.equal((await createDpp(other, dppId)).status, 201)
    const third = await t.account()
    await approve(third, { gs1Prefixes: ['9527'] })
    const { status, text } = await createDpp(third, `${dppId}/21/1`)
    assert.equal(status, 201, text)
  })
})

describe('a GTIN whose GS1 company prefix is approved for another account', () => {
  const ask = (by: TestAccount, method: 'POST' | 'PUT' | 'PATCH', path: string, body?: object) =>
    t.ask(method, `/api/v1/products${path}`, { key: by.key, ...(body && { body }) })
  const product = (data: object) => ({ category: 'furniture', data: { ...DATA, ...data } })

  test('is refused by every call that would claim it, and its owner may use it', async () => {
    const made = await ask(other, 'POST', '', product({}))
    const gtin = newGtin(PREFIX)
    for (const [what, answer] of [
      ['create', await ask(other, 'POST', '', product({ gtin }))],
      ['dry run', await ask(other, 'POST', '?dry_run=true', product({ gtin }))],
      ['change', await ask(other, 'PATCH', `/${made.json.data.id}`, { data: { gtin } })],
      ['replacement', await ask(other, 'PUT', `/by-gtin/${gtin}`, product({}))],
      ['with an indicator', await ask(other, 'POST', '', product({ gtin: newGtin(`1${PREFIX}`, 14) }))],
    ] as const) {
      assert.deepEqual([answer.status, answer.json.code], [409, 'gtin_taken'], `${what}: ${answer.text}`)
      assert.match(answer.text, /company prefix .* another account .* ask the operator/, what)
    }
    const items = [product({ sku: 'P-1', gtin }), product({ sku: 'P-2', gtin: newGtin('9528') })]
    const bulk = await ask(other, 'POST', '/bulk', { items, match_by: 'sku' })
    assert.match(bulk.text, /company prefix that belongs to another account/)
    const link = { uniqueProductIdentifier: `https://id.gs1.org/01/0${gtin}` }
    assertError(await createDpp(other, 'https://free.example/1', link), 409, /^gtin_taken:duplicate$/)
    const [none] = await t.sql`select from gtin_claim where gtin14 = ${`0${gtin}`}`
    assert.equal(none, undefined)
    assert.equal((await ask(brand, 'POST', '', product({ gtin }))).status, 201)
  })

  test('stays with the product that had it before, also when it is archived and restored', async () => {
    const gtin = newGtin('9529')
    const { id } = (await ask(other, 'POST', '', product({ gtin }))).json.data
    const owner = await t.account()
    await approve(owner, { gs1Prefixes: ['9529'] })
    for (const [method, path, body] of [
      ['POST', '/archive', undefined],
      ['POST', '/restore', undefined],
      ['PATCH', '', { data: { productName: 'New name' } }],
      ['PATCH', '', { data: { gtin: null } }],
      ['POST', '/versions/1/revert', undefined],
    ] as const) {
      const { status, text } = await ask(other, method, `/${id}${path}`, body)
      assert.equal(status, 200, `${path}: ${text}`)
    }
    assert.equal((await ask(owner, 'POST', '', product({ gtin }))).status, 409)
    assert.equal((await ask(other, 'POST', '', product({ gtin: newGtin('9529') }))).status, 409)
    assert.equal((await ask(owner, 'POST', '', product({ gtin: newGtin('9529') }))).status, 201)
  })
})

describe('claims from before an approval', () => {
  const late = 'https://late.example/dpp/1'

  test('are listed for the operator, who releases an identifier once, also if two contests meet', async () => {
    const taken = await createDpp(other, late)
    assert.equal(taken.status, 201, taken.text)
    const gtin = newGtin('9524777')
    const body = { category: 'furniture', data: { ...DATA, sku: 'late', gtin } }
    assert.equal((await t.ask('POST', '/api/v1/products', { key: other.key, body })).status, 201)
    const lateBrand = await t.account()
    const { names } = await approve(lateBrand, { hosts: ['late.example'], gs1Prefixes: ['9524777'] })
    const found = await listConflicts(lateBrand.ctx, names)
    assert.deepEqual(
      found.map(({ claim, kind, account_id }) => [claim, kind, account_id]),
      [
        [late, 'dpp_id', String(other.id)],
        [`0${gtin}`, 'gtin', String(other.id)],
      ],
    )
    assert.equal((await createDpp(lateBrand, late)).status, 409)

    const contexts = [t, beside].map(({ setup }) => ({ sql: setup.sql, clock: t.clock }))
    const outcomes = await Promise.allSettled(contexts.map(ctx => releaseDppId(ctx, late, lateBrand.id)))
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    for (const account of [other, lateBrand]) {
      const { entries } = await listAuditEntries(account.ctx, { before: '', limit: 100 })
      const released = entries.filter(({ action }) => action === 'dpp_id_released')
      assert.deepEqual(
        released.map(({ subject }) => subject),
        [late],
      )
    }
    assert.equal((await createDpp(other, late)).status, 400, 'the name is approved for another account')
    assert.equal((await createDpp(lateBrand, late)).status, 201)
    assert.deepEqual(
      (await listConflicts(lateBrand.ctx, names)).map(({ kind }) => kind),
      ['gtin'],
    )
  })

  test('a passport whose identifier was released has the address of this server', async () => {
    const id = 'https://nobody.example/dpp/2'
    const { json } = await createDpp(other, id)
    assert.equal(json.digitalProductPassportId, id)
    const [time] = await t.sql<{ now: Date }[]>`select now() + interval '1 millisecond' as now`
    assert.ok(time)
    const list = async () =>
      (await listChangedPassports(other.ctx, { levels: ['m'], since: time.now }, { page: 1, limit: 50 })).map(
        row => idFromUuid(row.id),
      )
    assert.deepEqual(await list(), [])
    await pause(5)
    const { product_id, claimable_by } = await releaseDppId({ sql: t.setup.sql, clock: t.clock }, id)
    assert.equal(claimable_by, null)
    assert.deepEqual(await list(), [product_id], 'mirrors and lists of changes have it again')
    const read = await send('GET', `/dpps/${product_id}`)
    assert.equal(read.json.digitalProductPassportId, `${ADDRESSES.publicUrl}/p/${product_id}`)
    assert.equal((await send('GET', `/dpps/${encode(id)}`)).status, 404)
    await assert.rejects(releaseDppId({ sql: t.setup.sql, clock: t.clock }, id), /No passport has/)
    await assert.rejects(releaseDppId({ sql: t.setup.sql, clock: t.clock }, 'no uri'), /is not an identifier/)
    assert.equal((await createDpp(brand, id)).status, 201, 'who comes first')
  })
})
