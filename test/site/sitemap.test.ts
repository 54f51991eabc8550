/** Tests robots.txt and the sitemap, and which passports the sitemap lists. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { setIndexing } from '../../src/accounts/account/indexing.ts'
import { waitForTurn } from '../../src/accounts/limits/turns.ts'
import type { Release } from '../../src/kernel/concurrency/semaphore.ts'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import { MODELS_PER_FILE } from '../../src/passports/read/sitemap.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { ADDRESSES, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

const BASE = ADDRESSES.publicUrl

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
})
after(() => t.close())

const make = async (owner = account) => {
  const { passport } = await createPassport(owner.ctx, { ...newProduct(), strict: false })
  return { uuid: passport.id, id: idFromUuid(passport.id), page: `${BASE}/p/${idFromUuid(passport.id)}` }
}
/** Advances a minute, after which the sitemap is rebuilt. */
const later = () => t.clock.advance(60_000)
const locations = (xml: string) => Array.from(xml.matchAll(/<loc>(.*?)<\/loc>/g), ([, address]) => address)
/** Takes the turns of readers, until one has to wait. */
async function holdAllTurns(): Promise<Release[]> {
  const held: Release[] = []
  for (;;) {
    let isWaiting = true
    const asker = { address: '192.0.2.77' }
    const waiting = waitForTurn(t, { pool: 'readers', asker, response: undefined }).then(release => {
      if (isWaiting) held.push(release ?? (() => {}))
      else release?.()
      isWaiting = false
    })
    for (let i = 0; i < 10 && isWaiting; i++) await eventLoopTurn()
    if (!isWaiting) continue
    isWaiting = false
    waiting.catch(() => undefined)
    return held
  }
}
const listed = async () => {
  later()
  const index = await t.ask('GET', '/sitemap.xml')
  assert.equal(index.status, 200)
  const files = await Promise.all(
    locations(index.text).map(address => t.ask('GET', String(address).slice(BASE.length))),
  )
  for (const file of files) assert.deepEqual([file.status, file.text.includes('<url>')], [200, true])
  return { files: files.map(file => locations(file.text)), all: files.flatMap(file => locations(file.text)) }
}

describe('robots.txt and the sitemap', () => {
  test('crawlers are allowed, and pointed to the sitemap', async () => {
    const { status, headers, text } = await t.ask('GET', '/robots.txt')
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal(text, `User-agent: *\nDisallow: /api/\nDisallow: /console\n\nSitemap: ${BASE}/sitemap.xml\n`)
  })

  test('there is no sitemap without a model', async () => {
    assert.equal((await t.ask('GET', '/sitemap.xml')).status, 404)
    for (const path of [
      '1.xml',
      '2.xml',
      '0.xml',
      '01.xml',
      '1',
      '-1.xml',
      'x.xml',
      '99999999999.xml',
      '1.xml/',
    ]) {
      assert.equal((await t.ask('GET', `/sitemap/${path}`)).status, 404, path)
    }
    assert.equal((await t.ask('POST', '/sitemap.xml')).status, 405)
  })

  test('active models are listed with their last change; units and archived products are not', async () => {
    const model = await make()
    const archived = await make()
    await t.ask('POST', `/api/v1/products/${archived.id}/archive`, { key: account.key })
    const made = await issueUnits(account.ctx, {
      parentUuid: model.uuid,
      level: 'batch',
      units: [{ lot: 'L' }],
      bulk: false,
      strict: true,
    })
    const batch = idFromUuid(made.created[0]?.passport.id ?? '')
    assert.deepEqual((await listed()).all, [model.page])
    const { headers, text } = await t.ask('GET', '/sitemap/1.xml')
    assert.equal(headers['content-type'], 'application/xml; charset=utf-8')
    assert.match(
      text,
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www\.sitemaps\.org/,
    )
    assert.match(text, /<lastmod>\d{4}-\d\d-\d\dT[\d:.]+Z<\/lastmod>/)
    for (const [id, robots] of [
      [model.id, undefined],
      [archived.id, 'noindex'],
      [batch, 'noindex'],
    ] as const) {
      assert.equal((await t.ask('GET', `/p/${id}`)).headers['x-robots-tag'], robots)
    }
  })

  test('readers get the older copy while a new one waits for its turn, or gets none', async () => {
    const { text } = await t.ask('GET', '/sitemap.xml')
    await make(await t.account({ plan: 'enterprise' }))
    later()
    const turns = await holdAllTurns()
    const first = t.ask('GET', '/sitemap.xml')
    try {
      const second = await Promise.race([
        t.ask('GET', '/sitemap.xml'),
        first.then(() => 'the first came first'),
      ])
      assert.ok(typeof second !== 'string' && second.status === 200 && second.text === text)
    } finally {
      for (const end of turns) end()
    }
    assert.equal((await first).status, 200)
  })

  test('an account that forbids indexing is not in the sitemap, and its pages say noindex', async () => {
    const shy = await t.account({ plan: 'enterprise' })
    const model = await make(shy)
    const robots = async () => {
      later()
      return (await t.ask('GET', `/p/${model.id}`)).headers['x-robots-tag']
    }
    assert.equal(await robots(), undefined)
    assert.ok((await listed()).all.includes(model.page))
    assert.equal(locations((await t.ask('GET', '/sitemap.xml')).text).length, 1)
    const hidden = await setIndexing(shy.ctx, { accountId: shy.id, indexable: false })
    assert.deepEqual(hidden, { id: String(shy.id), name: 'Test', indexable: false })
    assert.equal(await robots(), 'noindex')
    assert.ok(!(await listed()).all.includes(model.page))
    await setIndexing(shy.ctx, { accountId: shy.id, indexable: true })
    assert.equal(await robots(), undefined)
    await assert.rejects(setIndexing(shy.ctx, { accountId: 999_999, indexable: true }), { code: 'not_found' })
  })

  test('many models are split over several files, each listed once, and no file exceeds its limit', async () => {
    const many = await t.account({ plan: 'enterprise' })
    const model = await make(many)
    const ids = Array.from({ length: 2 * MODELS_PER_FILE }, (_one, i) =>
      newUuid(t.clock.now().getTime() + 1 + i),
    )
    // Items between the models, which the sitemap must skip without reading them.
    const [like] = await t.sql<
      { updated_at: Date; created_by: number; content_id: string; category: string }[]
    >`
      select updated_at, created_by, content_id, category from passport
      where id = ${model.uuid} and account_id = ${many.id}`
    assert.ok(like)
    await t.sql`
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, model_id,
        schema_version, level, status, category)
      select ${like.updated_at}::timestamptz, ${many.id}::int, 1, ${like.created_by}::int, 0, k.id, ${like.content_id}::uuid,
        k.id, 1, (case when k.n % 100 = 0 then 'i' else 'm' end)::"char", 'a', ${like.category}::text
      from unnest(${ids}::text[]::uuid[]) with ordinality k(id, n)`
    const wanted = ids.filter((_id, i) => (i + 1) % 100 !== 0).map(id => `${BASE}/p/${idFromUuid(id)}`)
    const { files, all } = await listed()
    assert.equal(files.length, 2)
    assert.equal(new Set(all).size, all.length)
    for (const file of files) assert.ok(file.length <= MODELS_PER_FILE)
    const found = new Set(all)
    assert.deepEqual(
      wanted.filter(address => !found.has(address)),
      [],
    )
    assert.deepEqual([...all].sort(), all, 'in the order of their ids')

    await setIndexing(many.ctx, { accountId: many.id, indexable: false })
    const without = await listed()
    assert.equal(without.all.length, all.length - wanted.length - 1)
    // The second file contained only this account's models.
    assert.equal(without.files.length, 1)
    assert.equal((await t.ask('GET', '/sitemap/2.xml')).status, 404)
    const last = await make()
    later()
    const { text } = await t.ask('GET', '/sitemap.xml')
    assert.deepEqual(
      locations(text),
      [1, 2].map(n => `${BASE}/sitemap/${n}.xml`),
    )
    assert.equal((await listed()).files[1]?.includes(last.page), true, 'a model stays in its file')
    for (const owner of await t.sql<{ id: number }[]>`select id from account where indexable`) {
      await setIndexing(account.ctx, { accountId: Number(owner.id), indexable: false })
    }
    later()
    assert.equal((await t.ask('GET', '/sitemap.xml')).status, 404)
  })
})
