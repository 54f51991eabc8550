/** Tests conditional requests (RFC 9110 §13) on every call that supports them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { requireUuid } from '../../src/kernel/crypto/ids.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { waitForLocks } from '../waiting.ts'

let t: Harness
let other: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  other = await t.beside()
  account = await t.account()
})
after(async () => {
  await other.close()
  await t.close()
})

const ask = (method: 'GET' | 'HEAD' | 'POST' | 'PATCH', path: string, headers = {}, body?: unknown) =>
  t.ask(method, `/api/v1/products/${path}`, { key: account.key, headers, body })
/** By Apache, nginx, Caddy, Jetty, and an Apache of old. */
const changeAsProxies = (tag: string) =>
  ['-gzip"', '-br"', '-zstd"', '-deflate"', '--gzip"', '"-gzip'].flatMap(end => [
    `"${tag}${end}`,
    `W/"${tag}${end}`,
  ])
const made = async (): Promise<string> =>
  (await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })).json.data.id

describe('If-None-Match', () => {
  test('304 for the tag, also if it is weak or in a list, and for *', async () => {
    const id = await made()
    for (const tag of ['"v1"', 'W/"v1"', '"x", W/"v1" , "y"', '*', ' * ', ...changeAsProxies('v1')]) {
      for (const method of ['GET', 'HEAD'] as const) {
        const answer = await ask(method, id, { 'if-none-match': tag })
        assert.deepEqual([answer.status, answer.text, answer.headers.etag], [304, '', '"v1"'], tag)
        assert.equal(answer.headers['content-type'], undefined)
      }
    }
    for (const tag of ['"v2"', '"v1.archived"', 'v1', '"V1"', '""', '"v1'])
      assert.equal((await ask('GET', id, { 'if-none-match': tag })).status, 200, tag)
  })

  test('the tag changes with the version, the status and outdated', async () => {
    const id = await made()
    const unit = (await ask('POST', `${id}/children`, {}, { level: 'item', serial: 'E1' })).json.data.id
    const tags = [(await ask('GET', unit)).headers.etag]
    const correct = { data: { weightGrams: 1 }, change_type: 'correction' }
    await ask('PATCH', id, {}, correct)
    tags.push((await ask('GET', unit)).headers.etag)
    await ask('POST', `${unit}/archive`)
    tags.push((await ask('GET', unit)).headers.etag)
    await ask('POST', `${unit}/refresh`)
    tags.push((await ask('GET', unit)).headers.etag)
    assert.deepEqual(tags, ['"v1"', '"v1.outdated"', '"v1.archived.outdated"', '"v2.archived"'])
  })
})

describe('If-Match', () => {
  const CALLS: [string, 'PATCH' | 'POST', (id: string) => string, unknown][] = [
    ['PATCH', 'PATCH', id => id, { data: { weightGrams: 5 } }],
    ['revert', 'POST', id => `${id}/versions/1/revert`, undefined],
    ['archive', 'POST', id => `${id}/archive`, undefined],
    ['restore', 'POST', id => `${id}/restore`, undefined],
  ]
  for (const [name, method, path, body] of CALLS) {
    test(`${name}: 412 when stale, and nothing is changed; otherwise it succeeds`, async () => {
      const id = await made()
      await ask('PATCH', id, {}, { data: {} })
      const events = () => t.sql`select id from event where account_id = ${account.id} order by id`
      const before = { record: (await ask('GET', id)).json, events: await events() }
      for (const tag of ['"v1"', '"v3"', 'v2', '""', 'W/"v1", "v9"', '"x']) {
        const { status, json, headers } = await ask(method, path(id), { 'if-match': tag }, body)
        assert.deepEqual([status, json?.code], [412, 'version_conflict'], tag)
        assert.match(json.error, /version 2/)
        assert.equal(headers.etag, undefined)
      }
      assert.deepEqual({ record: (await ask('GET', id)).json, events: await events() }, before)
      for (const tag of ['*', ' * ', '"v2"', 'W/"v2", "v9"']) {
        const { status, json } = await ask(method, path(id), { 'if-none-match': tag }, body)
        assert.deepEqual([status, json?.code], [412, 'version_conflict'], `If-None-Match: ${tag}`)
      }
      assert.deepEqual({ record: (await ask('GET', id)).json, events: await events() }, before)
      for (const tag of ['"v1-gzip"', '"v2-x"', '"v2-gzip-x"', '"v2gzip"', '"-gzip"']) {
        const { status } = await ask(method, path(id), { 'if-match': tag }, body)
        assert.equal(status, 412, tag)
      }
      for (const tag of ['"v2"', '*', '"v1", W/"v2.archived"', ...changeAsProxies('v2')]) {
        const { status, headers } = await ask(method, path(id), { 'if-match': tag }, body)
        assert.equal(status, 200, tag)
        assert.match(headers.etag ?? '', /^"v\d+(\.archived)?"$/)
        if (name === 'PATCH' || name === 'revert') break
      }
    })
  }

  test('a change that comes first makes archiving with the earlier tag fail, although both have read it', async () => {
    const id = await made()
    const ask = (on: Harness, method: 'PATCH' | 'POST', path: string, body?: object) =>
      on.ask(method, `/api/v1/products/${path}`, { key: account.key, headers: { 'if-match': '"v1"' }, body })
    const { answers } = await t.sql.begin(async tx => {
      await tx`select from passport where id = ${requireUuid(id, 'product')} for update`
      const changed = ask(t, 'PATCH', id, { data: { weightGrams: 1 } })
      await waitForLocks(t.sql, 1)
      const archived = ask(other, 'POST', `${id}/archive`)
      await waitForLocks(t.sql, 2)
      return { answers: Promise.all([changed, archived]) }
    })
    const [changed, archived] = await answers
    assert.deepEqual([changed.status, archived.status, archived.json.code], [200, 412, 'version_conflict'])
    const { status, version_no } = (await t.ask('GET', `/api/v1/products/${id}`, { key: account.key })).json
      .data
    assert.deepEqual([status, version_no], ['active', 2])
  })

  test('20 PATCHes with the same tag over two servers: one succeeds; archiving also blocks a stale PATCH', async () => {
    const id = await made()
    const race = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? t : other).ask('PATCH', `/api/v1/products/${id}`, {
          key: account.key,
          headers: { 'if-match': '"v1"' },
          body: { data: { weightGrams: i } },
        }),
      ),
    )
    assert.deepEqual(
      race.map(one => one.status).filter(status => status !== 412),
      [200],
    )
    for (let round = 0; round < 10; round++) {
      const own = await made()
      const headers = { 'if-match': '"v1"' }
      const [archived, changed] = await Promise.all([
        t.ask('POST', `/api/v1/products/${own}/archive`, { key: account.key, headers }),
        other.ask('PATCH', `/api/v1/products/${own}`, { key: account.key, headers, body: { data: {} } }),
      ])
      // Archiving keeps the version, so both calls may succeed. If the change comes first, archiving is
      // rejected.
      assert.equal(changed.status, 200)
      const { status } = (await ask('GET', own)).json.data
      assert.equal(status, archived.status === 200 ? 'archived' : 'active')
      assert.ok([200, 412].includes(archived.status))
    }
  })
})
