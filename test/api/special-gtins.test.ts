/** Tests numbers with a right check digit that are not unique in the world: each door says what they are. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { computeMod10CheckDigit } from '../../src/gs1/check-digit.ts'
import { toGtin14 } from '../../src/gs1/gtin.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { findWrongClaims } from '../../src/passports/copies/verify-claims.ts'
import { toClaimKey } from '../../src/passports/core/claim-key.ts'
import { releaseGtin } from '../../src/passports/write/release-gtin.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { ADDRESSES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { temporaryFolder } from '../transfer/stores.ts'

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account()
})
after(() => t.close())

let numbers = 0
/** A new number at each call that begins with the prefix. */
function nextNumber(prefix: string, length = 13): string {
  const digits = prefix + String(++numbers).padStart(length - 1 - prefix.length, '0')
  return digits + computeMod10CheckDigit(digits)
}
const nextLocalNumbers = () => [
  ...['2', '29', '02', '04', '05', '980', '984', '99', '951'].map(prefix => nextNumber(prefix)),
  ...['2', '4', '5'].map(prefix => nextNumber(prefix, 12)),
  ...['0', '2', '977', '999'].map(prefix => nextNumber(prefix, 8)),
  ...['12', '902', '799'].map(prefix => nextNumber(prefix, 14)),
]

const call = (method: string, path: string, body?: unknown, key = account.key) =>
  t.ask(method, `/api/v1/products${path}`, { key, ...(body === undefined ? {} : { body }) })
const create = async (gtin: string, key = account.key) => {
  const made = await call('POST', '', newProduct({ gtin }), key)
  assert.equal(made.status, 201, made.text)
  return { id: String(made.json.data.id), warnings: made.json.warnings ?? [] }
}
const read = async (id: string) => (await call('GET', `/${id}`)).json.data
const codes = (warnings: readonly { field: string; code: string }[]) =>
  warnings.map(({ field, code }) => `${field} ${code}`)
const SPECIAL = ['gtin special_gtin']

describe('a number that is not unique in the world', () => {
  test('is accepted with a warning, and has no GS1 address', async () => {
    for (const gtin of nextLocalNumbers()) {
      const { id, warnings } = await create(gtin)
      assert.deepEqual(codes(warnings), SPECIAL, gtin)
      assert.match(warnings[0].message, /^gtin has the GS1 prefix \d+, .*in your account only/)
      const record = await read(id)
      assert.deepEqual([record.gtin, record.gs1_url], [gtin, null])
      assert.equal((await t.ask('GET', `/01/${toGtin14(gtin)}`)).status, 404)
    }
  })

  test('has the warning at each way in', async () => {
    const { id } = await create(nextGtin())
    const patched = await call('PATCH', `/${id}`, { data: { gtin: nextNumber('2') } })
    assert.deepEqual(codes(patched.json.warnings), SPECIAL)
    const { data, category } = newProduct({ sku: 'SPECIAL' })
    const gtin = nextNumber('2')
    for (const status of [201, 200]) {
      const put = await call('PUT', `/by-gtin/${gtin}`, { category, data: { ...data, note: status } })
      assert.equal(put.status, status, put.text)
      assert.ok(codes(put.json.warnings).includes('gtin special_gtin'))
    }
    const rows = [nextNumber('2'), nextNumber('99')].map(one => newProduct({ gtin: one, sku: one }))
    const bulk = await call('POST', '/bulk', { items: rows })
    assert.deepEqual(codes(bulk.json.warnings), [...SPECIAL, ...SPECIAL], bulk.text)
    const dryRun = await call('POST', '?dry_run=true', newProduct({ gtin: nextNumber('2') }))
    assert.deepEqual(codes(dryRun.json.warnings), SPECIAL)
  })

  test('gives units no GS1 address, and no QR code of one', async () => {
    const { id } = await create(nextNumber('2'))
    const unit = await call('POST', `/${id}/children`, { level: 'item', serial: 'A', data: {} })
    assert.equal(unit.json.data.gs1_url, null)
    for (const one of [id, unit.json.data.id]) {
      const code = await call('GET', `/${one}/qr?content=gs1`)
      assert.equal(code.status, 404)
      assert.match(code.json.error, /^The GTIN \d+ of this product is not unique/)
    }
  })

  test('is no GTIN in documents, the snippet and readiness', async () => {
    const { id } = await create(nextNumber('2'))
    const page = `/p/${id}`
    const jsonLd = (await t.ask('GET', `${page}?format=jsonld`)).json
    assert.equal(jsonLd['@id'], `https://carnet.example${page}#product`)
    assert.ok(jsonLd.gtin !== undefined && jsonLd['gs1:gtin'] === undefined)
    const snippet = (await call('GET', `/${id}/snippet`)).json.data
    assert.equal(snippet.json_ld.about.gtin, undefined)
    const answersOf = async (one: string) => {
      const { json } = await call('GET', `/${one}/readiness?act=eu.espr.annex3&detail=full`)
      return json.data.acts[0].rules.find(({ id: rule }: { id: string }) => rule === 'espr.annex3.c').outcome
    }
    const usual = await create(nextGtin())
    assert.deepEqual([await answersOf(usual.id), await answersOf(id)], ['met', 'missing'])
  })
})

describe('a unique number that is hardly that of the product', () => {
  for (const [what, prefix, length, message] of [
    ['a book', '978', 13, /books, sheet music and periodicals/],
    ['a package', '3952', 14, /package with several pieces.*usually 952\d{10}\.$/],
    ['a piece by weight', '9952', 14, /differ in weight or length/],
    ['an unlisted prefix', '677', 13, /listed no organisation/],
  ] as const) {
    test(`${what}: a warning, and a GS1 address that leads to it`, async () => {
      const gtin = nextNumber(prefix, length)
      const { id, warnings } = await create(gtin)
      assert.deepEqual(codes(warnings), SPECIAL)
      assert.match(warnings[0].message, message)
      const address = `/01/${toGtin14(gtin)}`
      assert.equal((await read(id)).gs1_url, `https://carnet.example${address}`)
      assert.equal((await t.ask('GET', address)).headers.location, `https://carnet.example/p/${id}`)
    })
  }
})

test('the usual number of a product has no warning', async () => {
  for (const gtin of ['4006381333931', '96385074', '614141007349', nextGtin()])
    assert.deepEqual((await create(gtin)).warnings, [], gtin)
})

describe('a number that is not unique in the world belongs to one product of each account', () => {
  let other: TestAccount
  before(async () => {
    other = await t.account()
  })

  test('two accounts have it, and each only once', async () => {
    for (const gtin of nextLocalNumbers()) {
      const { id } = await create(gtin)
      await create(gtin, other.key)
      const again = await call('POST', '', newProduct({ gtin: toGtin14(gtin) }))
      assert.deepEqual([again.status, again.json.code], [409, 'gtin_taken'])
      assert.match(again.json.error, new RegExp(`already belongs to your product ${id}`))
    }
  })

  test('of two simultaneous creates one gets it', async () => {
    const gtin = nextNumber('2')
    const made = await Promise.all(Array.from({ length: 16 }, () => call('POST', '', newProduct({ gtin }))))
    assert.deepEqual(made.map(({ status }) => status).sort(), [201, ...Array.from({ length: 15 }, () => 409)])
  })

  test('it finds the product of the account: PUT, lists, units and restored products', async () => {
    const gtin = nextNumber('2')
    const [own, foreign] = [await create(gtin), await create(gtin, other.key)]
    const { data, category } = newProduct({})
    const body = { category, data: { ...data, productName: 'Renamed' } }
    assert.equal((await call('PUT', `/by-gtin/${toGtin14(gtin)}`, body)).json.data.id, own.id)
    const listed = await call('GET', `?gtin=${gtin}`, undefined, other.key)
    assert.deepEqual(
      listed.json.data.map(({ id }: { id: string }) => id),
      [foreign.id],
    )
    const [free] = [await create(nextGtin())]
    assert.equal((await call('PATCH', `/${free.id}`, { data: { gtin } })).status, 409)
    assert.equal((await call('POST', `/${own.id}/archive`)).status, 200)
    assert.equal((await call('POST', `/${own.id}/restore`)).status, 200)
    const next = nextNumber('2')
    assert.equal((await call('PATCH', `/${own.id}`, { data: { gtin: next } })).json.data.gtin, next)
  })

  test('the operator releases it in one account', async () => {
    const gtin = nextNumber('2')
    const { id } = await create(gtin)
    await create(gtin, other.key)
    await call('POST', `/${id}/archive`)
    await assert.rejects(releaseGtin(t, gtin), /Say with --to in which account/)
    const { accountId } = account.ctx
    const released = await releaseGtin(t, gtin, { claimableBy: accountId })
    assert.deepEqual([released.product_id, released.account_id], [id, String(accountId)])
    await create(gtin)
    assert.equal((await call('POST', '', newProduct({ gtin }), other.key)).status, 409)
  })

  test('an earlier claim of the whole service still resolves, and stops nobody', async () => {
    const gtin = nextNumber('2')
    const { id } = await create(gtin)
    const [claim] = await t.setup.sql<{ gtin14: string }[]>`
      insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
      select ${toGtin14(gtin)}, prefix_digits, account_id, model_id, claimed_at from gtin_claim
      where gtin14 = ${toClaimKey(toGtin14(gtin), account.ctx.accountId)} returning gtin14`
    assert.equal(claim?.gtin14, toGtin14(gtin))
    const answer = await t.ask('GET', `/01/${toGtin14(gtin)}`)
    assert.equal(answer.headers.location, `https://carnet.example/p/${id}`)
    await create(gtin, other.key)
    assert.equal((await call('POST', '', newProduct({ gtin }))).status, 409)
  })

  test('doctor finds each claim and each product', async () => {
    assert.deepEqual((await findWrongClaims(t.setup.sql, 60_000)).problems, [])
  })

  test('the database has the same rule', async () => {
    const starts = Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0'))
    const gtins = ['0', '5', '000000'].flatMap(before14 =>
      starts.map(prefix => {
        const digits = `${before14}${prefix}`.padEnd(13, '7')
        return digits + computeMod10CheckDigit(digits)
      }),
    )
    const rows = await t.setup.sql<{ gtin: string; key: string }[]>`
      select gtin, public.carnet_claim_key(gtin, 7) as key from unnest(${gtins}::text[]) as gtin`
    for (const { gtin, key } of rows) assert.equal(key, toClaimKey(gtin, 7))
  })
})

test('an imported account has its number beside others, and a printed address leads to it', async () => {
  const source = await startHarness()
  const folder = await temporaryFolder()
  try {
    const moved = await source.account()
    const gtin = nextNumber('2')
    const made = await source.ask('POST', '/api/v1/products', { key: moved.key, body: newProduct({ gtin }) })
    await source.setup.sql`
      insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
      select left(gtin14, 14), prefix_digits, account_id, model_id, claimed_at from gtin_claim`
    await create(gtin)
    const path = folder.file('account')
    const setup = (of: Harness) => ({ openPool: of.setup.openPoolOfOne, clock: systemClock })
    const options = { ...setup(source), version: 'test', publicUrl: ADDRESSES.publicUrl }
    const { counts } = await exportAccountToFile(options, { accountId: moved.id, path })
    assert.equal(counts.gtin, 2)
    await importAccountFromFile({ ...t.setup, ...setup(t) }, { path, name: undefined, plan: undefined })
    const { headers } = await t.ask('GET', `/01/${toGtin14(gtin)}`)
    assert.equal(headers.location, `${ADDRESSES.publicUrl}/p/${made.json.data.id}`)
    assert.deepEqual((await findWrongClaims(t.setup.sql, 60_000)).problems, [])
  } finally {
    await source.close()
    await folder.remove()
  }
})
