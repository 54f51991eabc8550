/** Tests one account whose models are on several shards: it answers as if they were on one. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { findHome } from '../../src/accounts/account/account-shard.ts'
import { setPlan } from '../../src/accounts/account/accounts.ts'
import { listAuditEntries } from '../../src/accounts/account/audit.ts'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { getUsage } from '../../src/accounts/limits/quota.ts'
import { allCategories } from '../../src/categories/catalogue.ts'
import { idFromUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { getShard, getShardNumber, listShards } from '../../src/kernel/db/shards.ts'
import { asSql } from '../../src/kernel/db/transaction.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { checkData, requireCategory } from '../../src/passports/core/check-data.ts'
import { listPassports } from '../../src/passports/read/list.ts'
import { buildModelRow, insertModels } from '../../src/passports/write/insert-models.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { exportModels } from '../../src/transfer/spreadsheets/export/export-models.ts'
import { exportStaticSite } from '../../src/transfer/static/export-static-site.ts'
import { createProcessConcurrency } from '../../src/webhooks/concurrency-limits.ts'
import { listAttempts, resendDelivery } from '../../src/webhooks/delivery-log.ts'
import { addWebhook, pauseWebhook, resumeWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { spreadAccount } from '../../src/webhooks/spread-account.ts'
import { getWebhook, listWebhooks } from '../../src/webhooks/webhook.ts'
import { DeliveryWorker } from '../../src/worker/deliver.ts'
import { ADDRESSES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { passportsOf } from '../transfer/stores.ts'
import { LOG, POLICY, type Receiver, SECRET_KEY, startReceiver } from '../webhooks/stand.ts'

const setup = { secretCipher: createSecretCipher(SECRET_KEY), policy: POLICY }

let t: Harness
before(async () => {
  t = await startHarness({ shards: 3 })
})
after(() => t.close())

async function spread(account: TestAccount, modelShards: readonly number[]): Promise<TestAccount> {
  const ctx = { sql: t.setup.sql, clock: t.clock }
  await closeAccount(ctx, account.id)
  t.clock.advance(61_000)
  await spreadAccount(ctx, { accountId: account.id, modelShards })
  await reopenAccount(ctx, account.id)
  t.clock.advance(2_000)
  return { ...account, ctx: { ...account.ctx, ...(await findHome(t.setup.sql, account.id)) } }
}

const spreadNew = async () => spread(await t.account(), [1, 2, 3])

const shardOf = (id: string) => Number.parseInt(parseId(id)?.slice(-3) ?? '', 16)

async function call(
  account: TestAccount,
  method: 'GET' | 'POST' | 'PATCH' | 'PUT',
  path: string,
  body?: object,
) {
  const answer = await t.ask(method, `/api/v1${path}`, {
    key: account.key,
    ...(body === undefined ? {} : { body }),
  })
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
  return answer.json
}

const create = async (account: TestAccount, data: Record<string, unknown> = {}): Promise<string> =>
  (await call(account, 'POST', '/products', newProduct(data))).data.id

/** So many that each shard has some. */
async function createOnAll(account: TestAccount, count = 24): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++)
    ids.push(await create(account, { sku: `S-${i}`, productName: `Chair ${i}` }))
  assert.deepEqual([...new Set(ids.map(shardOf))].sort(), [1, 2, 3])
  return ids
}

describe('spreading an account', () => {
  test('is refused while it is open, or was a moment ago, for a shard that is not there, and for no account', async () => {
    const { id: accountId } = await t.account()
    const ctx = { sql: t.setup.sql, clock: t.clock }
    const run = (modelShards: number[], id = accountId) =>
      spreadAccount(ctx, { accountId: id, modelShards }).then(
        () => 'done',
        (error: Error) => error.message,
      )
    assert.match(await run([1, 2]), /Close it with "carnet accounts close"/)
    await closeAccount(ctx, accountId)
    assert.match(await run([1, 2]), /a minute later/)
    t.clock.advance(61_000)
    assert.match(await run([1, 9]), /There is no shard 9/)
    assert.match(await run([1], 99_999), /account/)
    assert.equal(await run([1, 2]), 'done')
  })

  test('leaves models where they are, and creates new ones on the chosen shards only', async () => {
    const account = await t.account()
    const old = await create(account)
    const home = shardOf(old)
    const others = [1, 2, 3].filter(shard => shard !== home)
    const wide = await spread(account, others)
    const ids = await Promise.all(Array.from({ length: 20 }, () => create(wide)))
    assert.deepEqual([...new Set(ids.map(shardOf))].sort(), others)
    assert.equal((await call(wide, 'GET', `/products/${old}`)).data.id, old)
    const listed = await call(wide, 'GET', '/products?limit=100')
    assert.deepEqual(
      listed.data.map((row: { id: string }) => row.id),
      [old, ...ids].sort().reverse(),
    )
    assert.equal(listed.meta.total, 21)
    // Again, with the home: only new models go elsewhere.
    await spread(wide, [home])
    assert.equal(shardOf(await create(wide)), home)
  })

  test('knows ids of before, whose last digits may name another of its shards', async () => {
    const account = await spreadNew()
    const id = await create(account)
    const shard = getShard(t.setup.sql, shardOf(id))
    const uuid = parseId(id) ?? ''
    const renamed = `${uuid.slice(0, -3)}00${(shardOf(id) % 3) + 1}`
    await shard`update passport set id = ${renamed}, model_id = ${renamed} where id = ${uuid}`
    assert.equal(
      (await call(account, 'GET', `/products/${idFromUuid(renamed)}`)).data.id,
      idFromUuid(renamed),
    )
  })
})

describe('an account on three shards', () => {
  let account: TestAccount
  let ids: string[]
  before(async () => {
    account = await spreadNew()
    ids = await createOnAll(account)
  })

  test('changes, reverts, archives, restores and issues by id', async () => {
    for (const id of ids.slice(0, 8)) {
      const changed = await call(account, 'PATCH', `/products/${id}`, { data: { productName: 'New' } })
      assert.equal(changed.data.version_no, 2)
      await call(account, 'POST', `/products/${id}/versions/1/revert`)
      await call(account, 'POST', `/products/${id}/archive`)
      await call(account, 'POST', `/products/${id}/restore`)
      const { data } = await call(account, 'POST', `/products/${id}/children`, { level: 'item', serial: 'X' })
      assert.equal(shardOf(data.id), shardOf(id))
      const units = await call(account, 'GET', `/products/${id}/children`)
      assert.deepEqual([units.meta.total, units.data[0].id], [1, data.id])
      assert.equal((await call(account, 'GET', `/products/${id}/versions`)).data.length, 3)
    }
    assert.equal(
      (await t.ask('GET', `/api/v1/products/${idFromUuid('01'.repeat(16))}`, { key: account.key })).status,
      404,
    )
  })

  test('lists pages and cursors of any size in the order of the ids, and a page beyond the last', async () => {
    const expected = ids.toSorted().reverse()
    for (const limit of [1, 5, 7, 23, 24, 100]) {
      const pages: string[] = []
      for (let page = 1; page <= Math.ceil(24 / limit) + 1; page++) {
        const { data, meta } = await call(account, 'GET', `/products?limit=${limit}&page=${page}`)
        assert.equal(meta.total, 24)
        pages.push(...data.map((row: { id: string }) => row.id))
      }
      assert.deepEqual(pages, expected, `pages of ${limit}`)
      const steps: string[] = []
      for (let cursor = ''; ; ) {
        const { data, meta } = await call(account, 'GET', `/products?limit=${limit}${cursor}`)
        steps.push(...data.map((row: { id: string }) => row.id))
        if (meta.next_cursor === null) break
        cursor = `&cursor=${meta.next_cursor}`
      }
      assert.deepEqual(steps, expected, `cursors of ${limit}`)
    }
    const { rows } = await listPassports(
      account.ctx,
      { levels: ['m'] },
      { limit: 5, before: parseId(expected[12] ?? '') ?? '' },
    )
    assert.deepEqual(
      rows.map(row => idFromUuid(row.id)),
      expected.slice(7, 12),
    )
  })

  test('finds words, SKUs, counts and pages of a search on all shards', async () => {
    const found = await call(account, 'GET', '/products?q=chair%201&limit=100')
    // Some were renamed and reverted by the test before.
    assert.equal(found.meta.total, 11)
    const pages = await Promise.all(
      [1, 2, 3].map(page => call(account, 'GET', `/products?q=chair%201&limit=4&page=${page}`)),
    )
    assert.deepEqual(
      pages.flatMap(page => page.data),
      found.data,
    )
    for (const i of [0, 11, 23]) {
      const { data, meta } = await call(account, 'GET', `/products?sku=S-${i}`)
      assert.deepEqual([data.map((row: { id: string }) => row.id), meta.total], [[ids[i]], 1])
    }
  })

  test('lists each change once, in one order, by pages and by cursors', async () => {
    const since = '2000-01-01T00:00:00Z'
    const all = await call(account, 'GET', `/products?updated_since=${since}&level=all&limit=100`)
    assert.equal(all.meta.total, 32)
    const expected = all.data.map((row: { id: string }) => row.id)
    assert.equal(new Set(expected).size, 32)
    for (const limit of [1, 6, 31]) {
      const steps: string[] = []
      for (let cursor = ''; ; ) {
        const { data, meta } = await call(
          account,
          'GET',
          `/products?updated_since=${since}&level=all&limit=${limit}${cursor}`,
        )
        steps.push(...data.map((row: { id: string }) => row.id))
        if (meta.next_cursor === null) break
        cursor = `&cursor=${meta.next_cursor}`
      }
      assert.deepEqual(steps, expected, `cursors of ${limit}`)
      const pages: string[] = []
      for (let page = 1; page <= Math.ceil(32 / limit) + 1; page++) {
        const { data } = await call(
          account,
          'GET',
          `/products?updated_since=${since}&level=all&limit=${limit}&page=${page}`,
        )
        pages.push(...data.map((row: { id: string }) => row.id))
      }
      assert.deepEqual(pages, expected, `pages of ${limit}`)
    }
  })

  test('keeps drafts in one list, and publishes each on the shard that its id names', async () => {
    const own = await spreadNew()
    const models = await createOnAll(own)
    const drafts: string[] = []
    // The shard of each is chosen at random.
    while (drafts.length < 12 || new Set(drafts.map(shardOf)).size < 3)
      drafts.push((await call(own, 'POST', '/drafts', newProduct({ sku: `D-${drafts.length}` }))).data.id)
    assert.deepEqual([...new Set(drafts.map(shardOf))].sort(), [1, 2, 3])
    const changes: string[] = []
    for (const id of models.slice(0, 12)) {
      const { data } = await call(own, 'POST', '/drafts', { product_id: id, data: { productName: 'Old' } })
      await call(own, 'PATCH', `/drafts/${data.id}`, { data: { productName: 'New' } })
      changes.push(data.id)
    }
    const listed = await call(own, 'GET', '/drafts?limit=100')
    assert.deepEqual(
      [...listed.data.map((row: { id: string }) => row.id)].sort(),
      [...drafts, ...changes].sort(),
    )
    for (const id of [...drafts, ...changes]) {
      const dry = await call(own, 'POST', `/drafts/${id}/publish?dry_run=true`)
      assert.ok(dry.data, id)
      const answers = await Promise.all(
        [1, 2].map(() => t.ask('POST', `/api/v1/drafts/${id}/publish`, { key: own.key })),
      )
      const isNew = drafts.includes(id)
      assert.deepEqual(
        answers.map(one => one.status).sort(),
        [isNew ? 201 : 200, 404],
        answers.map(one => one.text).join('\n'),
      )
      if (isNew) assert.equal((await call(own, 'GET', `/products/${id}`)).data.version_no, 1)
    }
    for (const id of models.slice(0, 12)) {
      const { data } = await call(own, 'GET', `/products/${id}`)
      assert.deepEqual([data.version_no, data.data.productName], [2, 'New'])
    }
    assert.equal((await call(own, 'GET', '/products')).meta.total, 36)
    assert.equal((await call(own, 'GET', '/drafts')).meta.total, 0)
  })

  test('a draft whose publication is refused stays, also if its product would be on another shard', async () => {
    const own = await spreadNew()
    const gtin = nextGtin()
    const drafts = []
    for (let i = 0; i < 6; i++)
      drafts.push((await call(own, 'POST', '/drafts', newProduct({ sku: `R-${i}`, gtin }))).data.id)
    await create(own, { gtin })
    for (const id of drafts) {
      const answer = await t.ask('POST', `/api/v1/drafts/${id}/publish`, { key: own.key })
      assert.deepEqual([answer.status, answer.json.code], [409, 'gtin_taken'])
    }
    assert.equal((await call(own, 'GET', '/drafts')).meta.total, 6)
    assert.equal((await call(own, 'GET', '/products')).meta.total, 1)
  })

  test('reports the readiness of the products of all shards, and lists them by it', async () => {
    const own = await spreadNew()
    await createOnAll(own)
    const { data } = await call(own, 'GET', '/readiness')
    const act = data.acts.find((one: { incomplete: number }) => one.incomplete === 24)
    assert.ok(act, JSON.stringify(data))
    const listed = await call(own, 'GET', `/products?act=${act.act}&readiness=incomplete&limit=100`)
    assert.deepEqual(
      [listed.meta.total, new Set(listed.data.map((row: { id: string }) => shardOf(row.id))).size],
      [24, 3],
    )
    const none = await call(own, 'GET', `/products?act=${act.act}&readiness=ready`)
    assert.equal(none.meta.total, 0)
  })

  test('has one audit log', async () => {
    const { entries } = await listAuditEntries(account.ctx, { before: '', limit: 100 })
    assert.equal(entries.filter(one => one.action === 'product_archived').length, 8)
    const times = entries.map(one => one.at)
    assert.deepEqual(times, times.toSorted().reverse())
  })

  test('counts scans of all shards', async () => {
    const headers = {
      accept: 'text/html',
      'user-agent': 'Mozilla/5.0 (Linux; Android 14) Chrome/126 Mobile Safari',
    }
    for (const id of ids) assert.equal((await t.ask('GET', `/p/${id}`, { headers })).status, 200)
    await t.scans.flush()
    const { data } = await call(account, 'GET', '/scans')
    assert.deepEqual([data.total, data.unique], [24, 24])
  })

  test('resolves GS1 addresses down to the unit, and keeps a GTIN one product', async () => {
    for (let i = 0; i < 6; i++) {
      const gtin = nextGtin()
      const id = await create(account, { gtin, sku: `G-${gtin}` })
      const { data } = await call(account, 'POST', `/products/${id}/children`, {
        level: 'item',
        serial: 'S1',
      })
      const answer = await t.ask('GET', `/01/0${gtin}/21/S1`)
      assert.ok(answer.headers.location?.includes(data.id), String(answer.headers.location))
      const again = await t.ask('POST', '/api/v1/products', {
        key: account.key,
        body: newProduct({ gtin, sku: 'other' }),
      })
      assert.equal(again.json.code, 'gtin_taken')
      assert.ok(again.text.includes(id))
    }
  })

  test('creates or updates by SKU and GTIN wherever the product is', async () => {
    const rows = ids.map((_, i) => ({
      category: 'textile',
      data: newProduct({ sku: `S-${i}`, productName: `Bulk ${i}` }).data,
    }))
    const news = Array.from({ length: 10 }, (_, i) => ({
      category: 'textile',
      data: newProduct({ sku: `N-${i}` }).data,
    }))
    const first = await call(account, 'POST', '/products/bulk', { items: [...rows, ...news] })
    assert.deepEqual(
      [first.data.created.length, first.data.updated.length, first.data.errors?.length ?? 0],
      [10, 24, 0],
    )
    const second = await call(account, 'POST', '/products/bulk', { items: [...rows, ...news] })
    assert.deepEqual(
      [second.data.created.length, second.data.updated.length, second.data.unchanged.length],
      [0, 0, 34],
    )
  })

  test('creates one product of concurrent requests with one new SKU, 20 times', async () => {
    const other = await t.beside()
    try {
      for (let round = 0; round < 20; round++) {
        const sku = `R-${round}`
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            (i % 2 === 0 ? t : other).ask('PUT', `/api/v1/products/by-sku/${sku}`, {
              key: account.key,
              body: newProduct({ sku }),
            }),
          ),
        )
        const created = answers.filter(answer => answer.status === 201)
        assert.deepEqual(
          [created.length, answers.every(answer => answer.status < 300)],
          [1, true],
          JSON.stringify(answers.map(a => a.text)),
        )
        assert.equal((await call(account, 'GET', `/products?sku=${sku}`)).meta.total, 1)
      }
    } finally {
      await other.close()
    }
  })

  test('creates no second product while the claim of a SKU is visible and its product is not', async () => {
    const shards = listShards(t.setup.sql)
    const home = shards.find(shard => getShardNumber(shard) === account.ctx.spread?.shards[0])
    const away = shards.find(shard => shard !== home)
    assert.ok(home && away)
    const { data } = newProduct({ sku: 'U-1' })
    const checked = checkData(requireCategory('textile'), data, { strict: true })
    const row = buildModelRow({ ...account.ctx, sql: away }, 'textile', checked, t.clock.now())
    await home`
      insert into sku_claim (account_id, sku, model_id) values (${account.id}, 'U-1', ${row.id})`
    let isAnswered = false
    let answering: Promise<Awaited<ReturnType<typeof call>>> | undefined
    await away.begin(async tx => {
      await insertModels(asSql(tx), [row])
      answering = call(
        account,
        'PUT',
        '/products/by-sku/U-1',
        newProduct({ sku: 'U-1', productName: 'Next' }),
      )
      answering.then(
        () => (isAnswered = true),
        () => (isAnswered = true),
      )
      await pause(200)
      assert.equal(isAnswered, false)
    })
    assert.deepEqual((await answering)?.data.id, idFromUuid(row.id))
    assert.equal((await call(account, 'GET', '/products?sku=U-1')).meta.total, 1)
    // A product that is visible with another SKU does not have this one.
    await call(account, 'PATCH', `/products/${idFromUuid(row.id)}`, { data: { sku: 'U-2' } })
    const next = await call(account, 'PUT', '/products/by-sku/U-1', newProduct({ sku: 'U-1' }))
    assert.notEqual(next.data.id, idFromUuid(row.id))
  })

  test('is exported as one, as data, spreadsheet and pages, and imported elsewhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carnet-spread-'))
    const elsewhere = await startHarness()
    try {
      const { openPoolOfOne: openPool, clock } = t.setup
      const { meta } = await call(account, 'GET', '/products?level=all')
      const path = join(folder, 'account.ndjson')
      const { counts } = await exportAccountToFile(
        { openPool, clock, version: '0', publicUrl: ADDRESSES.publicUrl },
        { accountId: account.id, path },
      )
      assert.equal(counts.passport, meta.total)
      const options = { path, name: undefined, plan: undefined }
      const made = await importAccountFromFile(
        { ...elsewhere.setup, openPool: elsewhere.setup.openPoolOfOne, clock },
        options,
      )
      const ctx = {
        ...account.ctx,
        ...(await findHome(elsewhere.setup.sql, Number(made.account))),
        accountId: Number(made.account),
        spread: undefined,
      }
      const window = { limit: 100, page: 1 }
      const [here, there] = await Promise.all(
        [account.ctx, ctx].map(at => listPassports(at, { levels: ['m'] }, window)),
      )
      assert.deepEqual(
        there?.rows.map(row => [row.id, row.sku]),
        here?.rows.map(row => [row.id, row.sku]),
      )
      const category = allCategories().find(({ id }) => id === 'textile')
      assert.ok(category)
      const file = { format: 'csv', separator: ';', title: 'Models' } as const
      const chunks: Buffer[] = []
      for await (const chunk of exportModels(account.ctx, {
        ...file,
        category,
        addresses: ADDRESSES,
        status: undefined,
        q: undefined,
      }))
        chunks.push(chunk)
      const addresses = String(Buffer.concat(chunks)).match(/https:[^;"\s]*\/p\/\w{26}/g)
      assert.deepEqual(
        addresses,
        here?.rows.map(row => `${ADDRESSES.publicUrl}/p/${idFromUuid(row.id)}`),
      )
      const fetchPage = async (url: string, accept: string) => {
        const answer = await t.ask('GET', url, { headers: { accept } })
        return {
          status: answer.status,
          type: String(answer.headers['content-type']),
          body: Buffer.from(answer.text),
        }
      }
      const openPassport = passportsOf(t.setup)
      const small = await spreadNew()
      const ids = await Promise.all(Array.from({ length: 5 }, () => create(small)))
      const site = await exportStaticSite(
        { clock, openPool, openPassport, fetchPage, publicUrl: ADDRESSES.publicUrl, namespace: undefined },
        { accountId: small.id, dir: join(folder, 'site') },
      )
      assert.equal(site.passports, ids.length)
      for (const id of ids) assert.ok(existsSync(join(folder, 'site', 'p', id, 'index.html')))
    } finally {
      await elsewhere.close()
      rmSync(folder, { recursive: true })
    }
  })

  test('knows an Idempotency-Key on whichever shard its request wrote', async () => {
    const body = { data: { productName: 'Once' } }
    const headers = { 'idempotency-key': 'one key' }
    const ask = (id: string | undefined) =>
      t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, headers, body })
    const [first, second] = [ids[0], ids.find(id => shardOf(id) !== shardOf(ids[0] ?? ''))]
    assert.equal((await ask(first)).status, 200)
    assert.equal((await ask(first)).headers['idempotency-replayed'], 'true')
    assert.equal((await ask(second)).status, 422)
    const posts = await Promise.all(
      Array.from({ length: 12 }, () =>
        t.ask('POST', '/api/v1/products', {
          key: account.key,
          headers: { 'idempotency-key': 'new' },
          body: newProduct({ sku: 'once' }),
        }),
      ),
    )
    assert.deepEqual([...new Set(posts.map(one => one.status))], [201])
    assert.equal(new Set(posts.map(one => one.json.data.id)).size, 1)
  })
})

describe('the quota of an account on three shards', () => {
  let account: TestAccount
  beforeEach(async () => {
    account = await spreadNew()
  })
  const limit = (model: number, item = 1_000) =>
    setPlan(
      { sql: t.setup.sql, clock: t.clock },
      { accountId: account.id, plan: 'beta', quota: { model, item }, requestsPerMinute: 10_000_000 },
    )
  const used = async () => (await getUsage(account.ctx)).map(one => one.used)

  test('is used up exactly by concurrent creates', async () => {
    await limit(20)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct({ sku: `Q-${i}` }) }),
      ),
    )
    assert.equal(answers.filter(one => one.status === 201).length, 20)
    assert.equal(answers.filter(one => one.json.code === 'plan_limit').length, 20)
    assert.deepEqual(await used(), [20, 0, 0])
  })

  test('is used up exactly by bulk calls of products and of units', async () => {
    await limit(10, 25)
    const items = Array.from({ length: 15 }, (_, i) => ({
      category: 'textile',
      data: newProduct({ sku: `B-${i}` }).data,
    }))
    const answer = await t.ask('POST', '/api/v1/products/bulk', { key: account.key, body: { items } })
    assert.deepEqual([answer.json.data.created.length, answer.json.data.errors.length], [10, 5])
    const models = (await call(account, 'GET', '/products')).data.map((row: { id: string }) => row.id)
    const issued = await Promise.all(
      models.slice(0, 5).map((id: string) =>
        t.ask('POST', `/api/v1/products/${id}/children`, {
          key: account.key,
          body: { level: 'item', items: Array.from({ length: 10 }, (_, i) => ({ serial: `U${i}` })) },
        }),
      ),
    )
    assert.equal(
      issued.reduce((sum, one) => sum + (one.json.data?.created?.length ?? 0), 0),
      25,
    )
    assert.deepEqual(await used(), [10, 0, 25])
  })

  test('follows a change of the plan at once, up and down', async () => {
    await limit(5)
    for (let i = 0; i < 5; i++) await create(account)
    const refused = async () =>
      (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json.code
    assert.equal(await refused(), 'plan_limit')
    await limit(7)
    await create(account)
    await limit(6)
    assert.equal(await refused(), 'plan_limit')
    await limit(8)
    await create(account)
    await create(account)
    assert.equal(await refused(), 'plan_limit')
  })
})

describe('webhooks of an account on three shards', () => {
  let receiver: Receiver
  const workers: DeliveryWorker[] = []
  before(async () => {
    receiver = await startReceiver()
    const processConcurrency = createProcessConcurrency()
    const leaseHolder = crypto.randomUUID()
    for (const sql of listShards(t.setup.sql)) {
      const outbound = openOutbound(POLICY)
      const shared = {
        clock: t.clock,
        log: LOG,
        secretCipher: setup.secretCipher,
        processConcurrency,
        leaseHolder,
      }
      workers.push(new DeliveryWorker({ sql, outbound, ...shared }))
    }
  })
  after(async () => {
    for (const worker of workers) await worker.stop()
    await receiver.close()
  })
  const drain = async () => {
    for (const worker of workers) await worker.drain()
  }

  test('get each event once, those added before the spread and after it', async () => {
    const narrow = await t.account()
    await addWebhook(narrow.ctx, setup, { url: `${receiver.url}/before` })
    const account = await spread(narrow, [1, 2, 3])
    await addWebhook(account.ctx, setup, { url: `${receiver.url}/after` })
    const ids = await createOnAll(account)
    await drain()
    for (const path of ['before', 'after']) {
      const got = receiver.received
        .filter(one => one.path.endsWith(path))
        .map(one => JSON.parse(one.text).data.id)
      assert.deepEqual(got.sort(), ids.toSorted())
    }
    const attempts = await listAttempts(account.ctx, { limit: 500 })
    assert.equal(attempts.length, 48)
    assert.deepEqual(await listAttempts(account.ctx, { limit: 7 }), attempts.slice(0, 7))
    const { event_id } = await resendDelivery(account.ctx, attempts.at(-1)?.id ?? '')
    await drain()
    assert.equal(receiver.received.filter(one => one.headers['webhook-id'] === event_id).length, 2 + 1)
  })

  test('pause, fail and resume on all shards', async () => {
    const account = await spreadNew()
    const { id } = await addWebhook(account.ctx, setup, { url: receiver.url })
    await pauseWebhook(account.ctx, id)
    receiver.received.length = 0
    await createOnAll(account)
    await drain()
    assert.equal(receiver.received.length, 0)
    await resumeWebhook(account.ctx, id)
    receiver.respond = (_, response) => response.writeHead(410).end()
    await drain()
    assert.equal((await getWebhook(account.ctx, id)).status, 'disabled')
    const statuses = await Promise.all(
      listShards(t.setup.sql).map(
        sql =>
          sql<{ status: string }[]>`select status from webhook_endpoint where account_id = ${account.id}`,
      ),
    )
    assert.deepEqual(
      statuses.flat().map(row => row.status),
      ['d', 'd', 'd'],
    )
    receiver.respond = (_, response) => response.writeHead(204).end()
    await resumeWebhook(account.ctx, id)
    await drain()
    const [webhook] = await listWebhooks(account.ctx)
    assert.equal(webhook?.last_delivery?.ok, true)
    assert.equal(getShardNumber(account.ctx.sql), account.ctx.spread?.shards[0])
  })
})
