/** A setting is in force at once in the process that stored it: the clock stands still in these tests. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setPlan } from '../../src/accounts/account/accounts.ts'
import { setAudienceProfile } from '../../src/accounts/account/audience-profile.ts'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { setIndexing } from '../../src/accounts/account/indexing.ts'
import { setBackupUrl } from '../../src/accounts/account/registry-settings.ts'
import { updateBrand } from '../../src/accounts/brand/update-brand.ts'
import { rotateSigningKey, setSigning } from '../../src/accounts/issuer/issuer.ts'
import { createOwnKey, revokeOwnKey, rotateOwnKey } from '../../src/accounts/keys/own-keys.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { revokeKeyAndSignatures } from '../../src/passports/signed/revoke-key.ts'
import { updateStory } from '../../src/passports/story/update-story.ts'
import { setScanSettings } from '../../src/scans/settings.ts'
import { type Harness, nextGtin, startHarness, type TestAccount } from '../harness.ts'

/** The law shows it to everybody, the default to some. */
const REPORT = { dueDiligenceUrl: 'https://example.com/report' }

let t: Harness
let account: TestAccount
let ctx: TestAccount['ctx'] & { secretCipher: Harness['setup']['secretCipher'] }
let model: string
let item: string
let units = 0

before(async () => {
  t = await startHarness()
  t.clock.set('2026-11-22T12:00:00Z')
})
after(() => t.close())

beforeEach(async () => {
  account = await t.account({ plan: 'enterprise' })
  ctx = { ...account.ctx, secretCipher: t.setup.secretCipher }
  const data = { ...CATEGORY_EXAMPLES.battery.value.data, ...REPORT, gtin: nextGtin() }
  model = (await write('POST', '/products', { category: 'battery', data })).id
  item = (await write('POST', `/products/${model}/children`, { level: 'item', serial: 'A1' })).id
})

const api = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, { key } = account) =>
  t.ask(method, `/api/v1${path}`, { key, ...(body && { body }) })

async function write(method: 'POST' | 'PUT', path: string, body: object) {
  const answer = await api(method, path, body)
  assert.ok(answer.status < 300, answer.text)
  return answer.json.data
}

const page = async (id = item) => (await t.ask('GET', `/p/${id}`, { headers: { accept: 'text/html' } })).text

/** Looks, so that all is cached; changes the setting; looks again at the same time. */
async function changes<T>(look: () => Promise<T>, store: () => Promise<unknown>): Promise<[T, T]> {
  await look()
  const before = await look()
  await store()
  return [before, await look()]
}

describe('what a key may do', () => {
  test('the gate, on and off', async () => {
    const { data } = CATEGORY_EXAMPLES.battery.value
    const create = async () => (await api('POST', '/products', { category: 'battery', data })).status
    const set = (on: string) =>
      write('PUT', '/readiness/settings', { gate: { acts: ['eu.battery.passport'], on } })
    assert.deepEqual(await changes(create, () => set('everything')), [201, 422])
    assert.deepEqual(await changes(create, () => set('off')), [422, 201])
  })

  test('a revoked key, a replaced one, and all of a closed account', async () => {
    const { key, id } = await createOwnKey(ctx, {
      name: 'other',
      scope: 'full',
      expiresAt: undefined,
      createdBy: 'test',
    })
    const readWith = (sent: string) => async () =>
      (await api('GET', '/products', undefined, { ...account, key: sent })).status
    assert.deepEqual(await changes(readWith(key), () => revokeOwnKey(ctx, id)), [200, 401])
    const next = await createOwnKey(ctx, {
      name: 'next',
      scope: 'full',
      expiresAt: undefined,
      createdBy: 'test',
    })
    const replace = () => rotateOwnKey(ctx, { id: next.id, overlapMs: 0, createdBy: 'test' })
    assert.deepEqual(await changes(readWith(next.key), replace), [200, 401])
    const operator = { sql: t.setup.sql, clock: t.clock }
    assert.deepEqual(
      await changes(readWith(account.key), () => closeAccount(operator, account.id)),
      [200, 401],
    )
    assert.deepEqual(
      await changes(readWith(account.key), () => reopenAccount(operator, account.id)),
      [401, 200],
    )
  })

  test('the plan and the rate limit', async () => {
    const operator = { sql: t.setup.sql, clock: t.clock }
    const input = { accountId: account.id, quota: {}, requestsPerMinute: 1_234 }
    const look = async () => {
      const { status, headers } = await api('GET', '/products')
      return [status, headers['x-ratelimit-limit']]
    }
    const [, limited] = await changes(look, () => setPlan(operator, { ...input, plan: 'enterprise' }))
    assert.deepEqual(limited, [200, '1234'])
    const [, lower] = await changes(look, () => setPlan(operator, { ...input, plan: 'free' }))
    assert.equal(lower[0], 403)
  })
})

describe('what public pages show', () => {
  test('the look and the story of the brand', async () => {
    const [plain, named] = await changes(page, () => updateBrand(account.ctx, { name: 'Brand of the day' }))
    assert.deepEqual(
      [plain, named].map(text => text.includes('Brand of the day')),
      [false, true],
    )
    const story = { text: { en: 'Made with care.' } }
    const [without, told] = await changes(page, () => updateStory(account.ctx, story))
    assert.deepEqual(
      [without, told].map(text => text.includes('Made with care.')),
      [false, true],
    )
  })

  test('offers', async () => {
    const offer = { kind: 'repair', title: { en: 'Repairs of the day' }, url: 'https://shop.example/' }
    const [without, shown] = await changes(page, () => write('POST', '/offers', offer))
    assert.deepEqual(
      [without, shown].map(text => text.includes('Repairs of the day')),
      [false, true],
    )
  })

  test('the address of copies', async () => {
    const [without, shown] = await changes(page, () => setBackupUrl(account.ctx, 'https://copy.example'))
    assert.deepEqual(
      [without, shown].map(text => text.includes('https://copy.example')),
      [false, true],
    )
  })

  test('signing, on and off, on the page and in documents', async () => {
    const look = async () => {
      const { json } = await t.ask('GET', `/dpp/v1/dpps/${item}`)
      return [json.proof !== undefined, (await page()).includes('/signature')]
    }
    assert.deepEqual(await changes(look, () => setSigning(ctx, true)), [
      [false, false],
      [true, true],
    ])
    // Documents that an older key has signed stay, so each look is at a new unit.
    const keyOf = async () => {
      const body = { level: 'item', serial: `K${++units}` }
      const { id } = await write('POST', `/products/${model}/children`, body)
      return (await t.ask('GET', `/dpp/v1/dpps/${id}`)).json.proof.verificationMethod.split('#')[1]
    }
    assert.deepEqual(await changes(keyOf, () => rotateSigningKey(ctx)), ['key-1', 'key-2'])
    assert.deepEqual(await changes(keyOf, () => revokeKeyAndSignatures(ctx, 2)), ['key-2', 'key-3'])
    assert.deepEqual(await changes(look, () => setSigning(ctx, false)), [
      [true, true],
      [false, false],
    ])
  })

  test('the audiences of fields, on the page and in documents', async () => {
    const operator = { sql: t.setup.sql, clock: t.clock }
    const set = (profile: 'law' | 'contract') =>
      setAudienceProfile(operator, { accountId: account.id, profile })
    const look = async () => {
      const { json } = await t.ask('GET', `/dpp/v1/dpps/${item}`)
      return [(await page()).includes(REPORT.dueDiligenceUrl), json.dueDiligenceUrl !== undefined]
    }
    assert.deepEqual(await changes(look, () => set('law')), [
      [false, false],
      [true, true],
    ])
    assert.deepEqual(await changes(look, () => set('contract')), [
      [true, true],
      [false, false],
    ])
  })

  test('search engines, on the page and in the sitemap', async () => {
    const look = async () => {
      const sitemap = await t.ask('GET', '/sitemap/1.xml')
      return [(await page(model)).includes('noindex'), sitemap.text.includes(`/p/${model}<`)]
    }
    const set = (indexable: boolean) =>
      setIndexing({ sql: t.setup.sql, clock: t.clock }, { accountId: account.id, indexable })
    assert.deepEqual(await changes(look, () => set(false)), [
      [false, true],
      [true, false],
    ])
    assert.deepEqual(await changes(look, () => set(true)), [
      [true, false],
      [false, true],
    ])
  })

  test('a recall, on the pages of units', async () => {
    const recall = { hazard: { en: 'It gets hot.' }, action: { en: 'Stop using it.' } }
    const [without, shown] = await changes(page, () => write('PUT', `/products/${model}/recall`, recall))
    assert.deepEqual(
      [without, shown].map(text => text.includes('Stop using it.')),
      [false, true],
    )
  })
})

test('scan counting, on and off', async () => {
  const operator = { sql: t.setup.sql, clock: t.clock }
  const count = async () => {
    const before = await read()
    await page()
    return (await read()) - before
  }
  const read = async () => {
    await t.scans.flush()
    return (await api('GET', `/products/${item}/scans`)).json.data.total as number
  }
  const set = (on: boolean) => setScanSettings(operator, { accountId: account.id, on })
  assert.deepEqual(await changes(count, () => set(false)), [1, 0])
  // The scan comes right after the change: nothing was flushed in between.
  await set(true)
  await page()
  assert.equal(await read(), 3)
})
