/**
 * Tests a released GTIN: who may claim it, which passport its printed codes open, and what of the old product
 * can be restored.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { releaseGtin } from '../../src/passports/write/release-gtin.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { ADDRESSES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { temporaryFolder } from '../transfer/stores.ts'

describe('a released GTIN that another product took', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
  })
  after(() => t.close())

  const post = (path: string, body?: unknown) =>
    t.ask('POST', `/api/v1/products${path}`, { key: account.key, ...(body ? { body } : {}) })

  test('POST /products/{id}/restore: 409 gtin_taken, and the product stays archived', async () => {
    const gtin = nextGtin()
    const { id } = (await post('', newProduct({ gtin }))).json.data
    await post(`/${id}/archive`)
    await releaseGtin(t, gtin)
    await post('', newProduct({ gtin }))
    const answer = await post(`/${id}/restore`)
    assert.deepEqual([answer.status, answer.json.code], [409, 'gtin_taken'])
    const { json } = await t.ask('GET', `/api/v1/products/${id}`, { key: account.key })
    assert.equal(json.data.status, 'archived')
  })

  test('POST /products/{id}/versions/{n}/revert: 409 gtin_taken, and no new version', async () => {
    const gtin = nextGtin()
    const { id } = (await post('', newProduct({ gtin }))).json.data
    const path = `/api/v1/products/${id}`
    await t.ask('PATCH', path, { key: account.key, body: { data: { gtin: nextGtin() } } })
    await releaseGtin(t, gtin)
    await post('', newProduct({ gtin }))
    const answer = await post(`/${id}/versions/1/revert`)
    assert.deepEqual([answer.status, answer.json.code], [409, 'gtin_taken'])
    assert.equal((await t.ask('GET', path, { key: account.key })).json.data.version_no, 2)
  })

  test('of two accounts that it is released to at once, one may claim it', async () => {
    const gtin = nextGtin()
    const { id } = (await post('', newProduct({ gtin }))).json.data
    await post(`/${id}/archive`)
    const rivals = [await t.account(), await t.account()]
    const released = await Promise.all(rivals.map(rival => releaseGtin(t, gtin, { claimableBy: rival.id })))
    assert.deepEqual(
      released.map(({ claimable_by }) => claimable_by),
      rivals.map(rival => String(rival.id)),
    )
    const body = newProduct({ gtin })
    const answers = await Promise.all(
      [account, ...rivals].map(({ key }) => t.ask('POST', '/api/v1/products', { key, body })),
    )
    const [former, ...others] = answers.map(({ status, json }) => [status, json.code])
    assert.deepEqual(former, [409, 'gtin_taken'])
    assert.deepEqual(others.sort(), [
      [201, undefined],
      [409, 'gtin_taken'],
    ])
  })

  test('the operator sees how many active units have the GTIN, and nothing about other units', async () => {
    const [gtin, next] = [nextGtin(), nextGtin()]
    const { id } = (await post('', newProduct({ gtin }))).json.data
    const issue = async (parent: string, body: object) =>
      (await post(`/${parent}/children`, { ...body, data: {} })).json.data.id
    const batch = await issue(id, { level: 'batch', lot: 'L' })
    for (const serial of ['1', '2']) await issue(batch, { level: 'item', serial })
    await t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body: { data: { gtin: next } } })
    await issue(id, { level: 'item', serial: '3' })
    const gtin14 = gtin.padStart(14, '0')
    const said = new RegExp(`^3 active units were issued under the GTIN ${gtin14} by product ${id}`)
    await assert.rejects(releaseGtin(t, gtin), { code: 'validation', message: said })
    await post(`/${batch}/archive`)
    await assert.rejects(releaseGtin(t, gtin), /^AppError: 2 active units/)
    assert.deepEqual(await releaseGtin(t, gtin, { force: true }), {
      gtin14,
      product_id: id,
      account_id: String(account.id),
      claimable_by: String(account.id),
      units: 3,
      active_units: 2,
    })
  })
})

describe('a GTIN that moved from one account to another', () => {
  let t: Harness
  let first: Party
  let second: Party
  let third: Party
  before(async () => {
    t = await startHarness()
    ;[first, second, third] = [await startParty(t), await startParty(t), await startParty(t)]
  })
  after(() => t.close())

  /** The id of the passport that a printed code opens. Advances the clock, so no cached response is used. */
  const scan = async (gtin: string, rest = '') => {
    t.clock.advance(1_001)
    const { status, headers } = await t.ask('GET', `/01/${gtin.padStart(14, '0')}${rest}`)
    return status === 307 ? String(headers.location).replace(/^.*\/p\//, '') : status
  }

  test('only its former account may claim it, by any call, until the operator allows another', async () => {
    const gtin = nextGtin()
    const model = await first.create(gtin)
    await first.archive(model)
    await releaseGtin(t, gtin)
    const other = await second.create(nextGtin())
    const tries = () => [
      second.ask('POST', '', newProduct({ gtin })),
      second.ask('PATCH', `/${other}`, { data: { gtin } }),
      second.ask('PUT', `/by-gtin/${gtin}`, { category: 'textile', data: newProduct({}).data }),
    ]
    for (const trying of tries()) {
      const { status, json } = await trying
      assert.deepEqual([status, json.code], [409, 'gtin_taken'])
    }
    const bulk = await second.ask('POST', '/bulk', {
      items: [newProduct({ gtin, sku: 'R-1' })],
      match_by: 'sku',
    })
    assert.match(bulk.text, /already taken by another product/)
    assert.equal(await scan(gtin), model)

    await releaseGtin(t, gtin, { claimableBy: third.id })
    assert.equal((await second.ask('POST', '', newProduct({ gtin }))).status, 409)
    assert.equal((await first.ask('POST', `/${model}/restore`)).json.code, 'gtin_taken')
    const released = await releaseGtin(t, gtin, { claimableBy: 'anyone' })
    assert.equal(released.claimable_by, 'anyone')
    const taken = await second.create(gtin)
    assert.equal(await scan(gtin), taken)
    await assert.rejects(releaseGtin(t, gtin, { claimableBy: 4711 }), { code: 'not_found' })
  })

  test('codes of units of the first account resolve to them, and all other codes to the second account’s product', async () => {
    const gtin = nextGtin()
    const model = await first.create(gtin)
    const batch = await first.issue(model, { level: 'batch', lot: 'L-1' })
    const item = await first.issue(batch, { level: 'item', serial: 'S-1' })
    const alone = await first.issue(model, { level: 'item', serial: 'S-2' })
    await first.archive(model)
    await releaseGtin(t, gtin, { claimableBy: second.id, force: true })
    const late = await first.issue(model, { level: 'item', serial: 'LATE' }).catch(() => undefined)
    const theirs = await second.create(gtin)
    const own = await second.issue(theirs, { level: 'item', serial: 'T-1' })
    await second.issue(theirs, { level: 'item', serial: 'S-2' })
    const found = async (rest: string) => [rest, await scan(gtin, rest)]
    for (const [rest, id] of [
      ['', theirs],
      ['/10/L-1', batch],
      ['/10/L-1/21/S-1', item],
      ['/21/S-1', item],
      ['/10/L-9/21/S-1', item],
      ['/10/L-1/21/NEVER', batch],
      ['/21/S-2', alone],
      ['/21/T-1', own],
      ['/10/L-9', theirs],
      ['/21/NEVER', theirs],
      ['/21/LATE', theirs],
    ] as const)
      assert.deepEqual(await found(rest), [rest, id])
    assert.equal(late, undefined, 'an archived product issues none')
    // The first account claims the GTIN back: its printed codes have priority again.
    await second.archive(theirs)
    await releaseGtin(t, gtin, { claimableBy: first.id, force: true })
    const again = await first.create(gtin)
    const newer = await first.issue(again, { level: 'item', serial: 'S-1' })
    assert.deepEqual(await found('/21/S-1'), ['/21/S-1', newer], 'of one account the latest')
    assert.deepEqual(await found('/21/S-2'), ['/21/S-2', alone])
    assert.deepEqual(await found('/21/T-1'), ['/21/T-1', own])
    assert.deepEqual(await found(''), ['', again])
  })

  test('an export includes it: after an import the codes resolve to the same passports', async () => {
    const gtin = nextGtin()
    const moved = await startParty(t)
    const model = await moved.create(gtin)
    const item = await moved.issue(model, { level: 'item', serial: 'S' })
    await moved.archive(model)
    await releaseGtin(t, gtin, { force: true })
    const other = await startHarness()
    const folder = await temporaryFolder()
    try {
      const path = folder.file('account')
      const setup = (of: Harness) => ({ openPool: of.setup.openPoolOfOne, clock: systemClock })
      const source = { ...setup(t), version: 'test', publicUrl: ADDRESSES.publicUrl }
      const { counts } = await exportAccountToFile(source, { accountId: moved.id, path })
      assert.equal(counts.released_gtin, 1)
      await importAccountFromFile(
        { ...other.setup, ...setup(other) },
        { path, name: undefined, plan: undefined },
      )
      const { headers } = await other.ask('GET', `/01/${gtin.padStart(14, '0')}/21/S`)
      assert.equal(headers.location, `${ADDRESSES.publicUrl}/p/${item}`)
    } finally {
      await other.close()
      await folder.remove()
    }
  })
})

type Party = Awaited<ReturnType<typeof startParty>>

/** An account with short functions for its calls. */
async function startParty(t: Harness) {
  const { id, key } = await t.account({ plan: 'enterprise' })
  const ask = (method: 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown) =>
    t.ask(method, `/api/v1/products${path}`, { key, ...(body ? { body } : {}) })
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await ask('POST', path, body)
    assert.equal(answer.status, 201, answer.text)
    return answer.json.data.id
  }
  return {
    id,
    ask,
    create: (gtin: string) => made('', newProduct({ gtin })),
    issue: (parent: string, unit: object) => made(`/${parent}/children`, { ...unit, data: {} }),
    archive: (product: string) => ask('POST', `/${product}/archive`),
  }
}
