/** Tests recall notices: set, changed and ended with every change kept, events, and the shards of an account. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { HTTPMethods } from 'fastify'
import { findHome } from '../../src/accounts/account/account-shard.ts'
import { listAuditEntries } from '../../src/accounts/account/audit.ts'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { idFromUuid, newUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import { spreadAccount } from '../../src/webhooks/spread-account.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { IS_SHARDED } from '../database.ts'
import { type Ask, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { type Receiver, type Stand, startReceiver, startStand } from '../webhooks/stand.ts'

const NOTICE = {
  hazard: { en: 'The battery can catch fire.', de: 'Der Akku kann Feuer fangen.' },
  action: { en: 'Stop using it.' },
}

let stand: Stand
let receiver: Receiver
let account: TestAccount
before(async () => {
  stand = await startStand()
  receiver = await startReceiver()
  account = await stand.account({ plan: 'enterprise' })
})
after(async () => {
  await receiver.close()
  await stand.close()
})

type Sent = Ask & { on?: Pick<Harness, 'ask'>; as?: TestAccount }

async function send(method: HTTPMethods, path: string, { on = stand, as = account, ...ask }: Sent = {}) {
  return on.ask(method, `/api/v1${path}`, { key: as.key, ...ask })
}

async function create(sent: Sent = {}): Promise<string> {
  const { json, text } = await send('POST', '/products', { ...sent, body: newProduct() })
  assert.ok(json.data, text)
  return json.data.id
}

const put = (id: string, body: object = NOTICE, more: Sent = {}) =>
  send('PUT', `/products/${id}/recall`, { body, ...more })

describe('a recall notice', () => {
  test('is set, changed and ended; each change is kept with its author, and an equal one is none', async () => {
    const id = await create()
    assert.equal((await send('GET', `/products/${id}/recall`)).status, 404)
    assert.equal((await send('DELETE', `/products/${id}/recall`)).status, 404)
    const set = await put(id)
    assert.equal(set.status, 201, set.text)
    assert.equal(set.headers.etag, '"v1"')
    const today = stand.clock.now().toISOString().slice(0, 10)
    assert.deepEqual(set.json.data.notice, { ...NOTICE, url: null, contact: null, from: today })
    const same = await put(id, set.json.data.notice)
    assert.deepEqual([same.status, same.json.data], [200, set.json.data])
    const more = { ...NOTICE, url: 'https://brand.example/recall', contact: '+49 1', from: '2026-01-31' }
    const changed = await put(id, more)
    assert.deepEqual([changed.status, changed.json.data.number], [200, 2])
    assert.deepEqual(changed.json.data.notice, more)
    const ended = await send('DELETE', `/products/${id}/recall`)
    assert.deepEqual([ended.status, ended.json.data.status, ended.json.data.number], [200, 'ended', 3])
    assert.equal(ended.json.data.ended_at, ended.json.data.changed_at)
    assert.equal(ended.json.data.set_at, set.json.data.set_at)
    assert.equal((await send('DELETE', `/products/${id}/recall`)).status, 404)
    const read = (await send('GET', `/products/${id}/recall`)).json.data
    assert.deepEqual(
      read.changes.map((one: Record<string, unknown>) => [one.number, one.change]),
      [
        [3, 'ended'],
        [2, 'changed'],
        [1, 'set'],
      ],
    )
    assert.ok(read.changes[0].by)
    assert.deepEqual(read.changes[2].notice, set.json.data.notice)
    const again = await put(id)
    assert.deepEqual([again.status, again.json.data.number], [201, 4])
    const { entries } = await listAuditEntries(account.ctx, { before: '', limit: 50 })
    assert.deepEqual(
      entries.filter(one => one.subject === id).map(({ action }) => action),
      ['product_recalled', 'recall_ended', 'recall_changed', 'product_recalled'],
    )
  })

  test('keeps its day if it is sent again, or changed, on a later day', async () => {
    const id = await create()
    const { from } = (await put(id)).json.data.notice
    stand.clock.advance(48 * 3_600_000)
    assert.deepEqual([(await put(id)).json.data.number, (await put(id)).json.data.notice.from], [1, from])
    assert.equal((await put(id, { ...NOTICE, contact: 'x' })).json.data.notice.from, from)
    await send('DELETE', `/products/${id}/recall`)
    assert.notEqual((await put(id)).json.data.notice.from, from)
  })

  test('changes only what the client has seen, if it says so; a request sent twice changes once', async () => {
    const id = await create()
    const match = (etag: string) => ({ headers: { 'if-match': etag } })
    assert.equal((await put(id, NOTICE, match('"v1"'))).status, 412)
    assert.equal((await put(id)).status, 201)
    const stale = await put(id, { ...NOTICE, contact: 'x' }, match('"v9"'))
    assert.deepEqual([stale.status, stale.json.code], [412, 'version_conflict'])
    assert.equal((await send('DELETE', `/products/${id}/recall`, match('"v9"'))).status, 412)
    assert.equal((await put(id, { ...NOTICE, contact: 'x' }, match('"v1"'))).status, 200)
    const known = await send('GET', `/products/${id}/recall`, { headers: { 'if-none-match': '"v2"' } })
    assert.equal(known.status, 304)
    const key = { headers: { 'idempotency-key': `end ${id}` } }
    const ended = await send('DELETE', `/products/${id}/recall`, key)
    const repeated = await send('DELETE', `/products/${id}/recall`, key)
    assert.deepEqual([repeated.status, repeated.text], [200, ended.text])
  })

  test('set by twenty requests at once has each of their changes once', async () => {
    const id = await create()
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => put(id, { ...NOTICE, contact: `Line ${n}` })),
    )
    assert.deepEqual([...new Set(all.map(({ status }) => status))].sort(), [200, 201])
    const numbers = all.map(({ json }) => json.data.number).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 20 }, (_, n) => n + 1),
    )
  })

  test('names each field that is wrong, and stores nothing', async () => {
    const id = await create()
    const faults = async (body: object) => {
      const { status, json, text } = await put(id, body)
      assert.equal(status, 422, text)
      return json.errors.map(({ field, code }: Record<string, string>) => `${field} ${code}`)
    }
    assert.deepEqual(await faults({}), ['hazard required', 'action required'])
    assert.deepEqual(await faults({ ...NOTICE, hazard: { de: 'Nur deutsch' } }), [
      'hazard primary_language_missing',
    ])
    assert.deepEqual(await faults({ ...NOTICE, hazard: { en: ' ' } }), ['hazard primary_language_missing'])
    assert.deepEqual(await faults({ ...NOTICE, action: 'Stop' }), ['action type'])
    assert.deepEqual(await faults({ ...NOTICE, action: { en: 'x', english: 'x', e_n: 'x' } }), [
      'action.e_n language_code',
    ])
    assert.deepEqual(await faults({ ...NOTICE, hazard: { en: 'x'.repeat(2_001) } }), ['hazard.en length'])
    assert.deepEqual(await faults({ ...NOTICE, hazard: { en: 'a\u0000b' } }), ['hazard.en pattern'])
    assert.deepEqual(await faults({ ...NOTICE, url: 'javascript:alert(1)' }), ['url format'])
    assert.deepEqual(await faults({ ...NOTICE, url: 'https://user@brand.example' }), ['url format'])
    assert.deepEqual(await faults({ ...NOTICE, contact: 'x'.repeat(501) }), ['contact length'])
    assert.deepEqual(await faults({ ...NOTICE, from: '2026-02-30' }), ['from format'])
    assert.deepEqual(await faults({ ...NOTICE, from: '9999-01-01' }), ['from max'])
    assert.deepEqual(await faults({ ...NOTICE, languages: ['en'], more: 1 }), [
      'languages unknown_field',
      'more unknown_field',
    ])
    assert.equal((await send('GET', `/products/${id}/recall`)).status, 404)
  })

  test('of another account, or of no product, is 404, and a key that reads sets none', async () => {
    const id = await create()
    await put(id)
    const stranger = await stand.account()
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await send(method, `/products/${id}/recall`, { as: stranger })).status, 404)
    assert.equal((await put(id, NOTICE, { as: stranger })).status, 404)
    assert.equal((await put('01m7ywhcr7fxwrqq1xd4m28c2t')).status, 404)
    assert.deepEqual((await send('GET', '/recalls', { as: stranger })).json.data, [])
    const reader = { ...account, key: await stand.apiKey(account, 'read') }
    assert.equal((await put(id, NOTICE, { as: reader })).status, 403)
  })

  test('is listed by its state, page by page', async () => {
    const own = await stand.account({ plan: 'enterprise' })
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push(await create({ as: own }))
    for (const id of ids) await put(id, NOTICE, { as: own })
    await send('DELETE', `/products/${ids[0]}/recall`, { as: own })
    const list = async (query: string) => (await send('GET', `/recalls?${query}`, { as: own })).json
    const idsOf = (page: { data: { product_id: string }[] }) => page.data.map(one => one.product_id)
    assert.deepEqual(idsOf(await list('')), ids.slice(1).reverse())
    assert.deepEqual(idsOf(await list('status=ended')), [ids[0]])
    const first = await list('status=all&limit=3')
    assert.deepEqual([idsOf(first), first.meta.total], [ids.slice(2).reverse(), 5])
    const rest = await list(`status=all&limit=3&cursor=${first.meta.next_cursor}`)
    assert.deepEqual([idsOf(rest), rest.meta.has_more], [ids.slice(0, 2).reverse(), false])
    assert.deepEqual(idsOf(await list('status=all&limit=3&page=2')), idsOf(rest))
    assert.deepEqual(idsOf(await list('page=9')), [])
  })

  test('is a row that nobody changes or deletes', { skip: skipOnCitus('table') }, async () => {
    const id = await create()
    await put(id)
    for (const statement of [
      'update recall_change set number = 9',
      'delete from recall_change',
      'truncate recall_change',
    ])
      await assert.rejects(stand.sql.unsafe(statement), /never changed and never deleted/)
  })
})

describe('the events of a recall', () => {
  const bodies = () => receiver.received.splice(0).map(one => JSON.parse(one.text))

  test('are delivered to endpoints that name them, once, without a text that a person wrote', async () => {
    const own = await stand.account({ plan: 'enterprise' })
    const events = ['product.recalled', 'product.recall_ended']
    await stand.endpoint(own, { url: `${receiver.url}/named`, events })
    await stand.endpoint(own, { url: `${receiver.url}/all` })
    await stand.endpoint(own, { url: `${receiver.url}/other`, events: ['product.updated'] })
    const id = await create({ as: own })
    const worker = stand.worker()
    await worker.drain()
    bodies()
    await put(id, NOTICE, { as: own })
    await put(id, NOTICE, { as: own })
    await put(id, { ...NOTICE, contact: 'A person' }, { as: own })
    await send('DELETE', `/products/${id}/recall`, { as: own })
    await worker.drain()
    assert.deepEqual([...new Set(receiver.received.map(({ path }) => path))], ['/hook/named'])
    for (const { headers } of receiver.received) assert.match(headers['webhook-signature'] ?? '', /^v1,/)
    const sent = bodies().sort((a, b) => a.data.number - b.data.number)
    const { category } = newProduct()
    const from = stand.clock.now().toISOString().slice(0, 10)
    const data = (change: string, number: number) => ({
      id,
      category,
      version_no: 1,
      level: 'model',
      change,
      number,
      from,
    })
    assert.deepEqual(
      sent.map(one => [one.event, one.data]),
      [
        ['product.recalled', data('set', 1)],
        ['product.recalled', data('changed', 2)],
        ['product.recall_ended', data('ended', 3)],
      ],
    )
  })

  test('are not sent to endpoints for all events by sessions that leave deliveries to the database', async () => {
    const own = await stand.account()
    const named = await stand.endpoint(own, { url: receiver.url, events: ['product.recalled'] })
    await stand.endpoint(own, { url: receiver.url })
    await inTransaction(own.ctx.sql, async sql => {
      await sql`set local carnet.announces_events = ''`
      await sql`
        insert into event (created_at, account_id, id, type, data)
        values (now(), ${own.id}, ${newUuid(stand.clock.now().getTime())}, 'product.recalled', '{}')`
    })
    const rows = await stand.sql<{ endpoint_id: string }[]>`
      select endpoint_id from webhook_delivery where account_id = ${own.id}`
    // On shards no trigger sends events: every server there announces them itself.
    assert.deepEqual(
      rows.map(row => idFromUuid(row.endpoint_id)),
      IS_SHARDED ? [] : [named.id],
    )
  })
})

describe('an account on two shards', () => {
  test('has its recalls where its products are, and lists them together', { skip: IS_SHARDED }, async () => {
    const t = await startHarness({ shards: 2 })
    try {
      const home = await t.account({ plan: 'enterprise' })
      const ctx = { sql: t.setup.sql, clock: t.clock }
      await closeAccount(ctx, home.id)
      t.clock.advance(61_000)
      await spreadAccount(ctx, { accountId: home.id, modelShards: [1, 2] })
      await reopenAccount(ctx, home.id)
      t.clock.advance(2_000)
      const own = { ...home, ctx: { ...home.ctx, ...(await findHome(t.setup.sql, home.id)) } }
      const sent = { on: t, as: own }
      const shardOf = (id: string) => Number.parseInt(parseId(id)?.slice(-3) ?? '', 16)
      const ids: string[] = []
      while (new Set(ids.map(shardOf)).size < 2) ids.push(await create(sent))
      const units: string[] = []
      for (const [n, id] of ids.entries()) {
        const unit = { level: 'item', serial: `S-${n}` }
        const made = await send('POST', `/products/${id}/children`, { ...sent, body: unit })
        units.push(made.json.data.id)
        assert.equal((await put(id, NOTICE, sent)).status, 201)
        const key = { 'idempotency-key': `change ${id}` }
        const changed = await put(id, { ...NOTICE, contact: 'x' }, { ...sent, headers: key })
        assert.deepEqual([changed.status, changed.json.data.number], [200, 2])
      }
      const listed = (await send('GET', '/recalls?limit=100', sent)).json
      assert.deepEqual(
        listed.data.map((one: { product_id: string }) => one.product_id),
        ids.toSorted().reverse(),
      )
      assert.equal(listed.meta.total, ids.length)
      for (const id of [...ids, ...units])
        assert.match((await t.ask('GET', `/p/${id}`)).text, /The battery can catch fire/)
      for (const id of ids) {
        const read = (await send('GET', `/products/${id}/recall`, sent)).json.data
        assert.equal(read.changes.length, 2)
        assert.equal((await send('DELETE', `/products/${id}/recall`, sent)).status, 200)
      }
      t.clock.advance(2_000)
      for (const id of units)
        assert.doesNotMatch((await t.ask('GET', `/p/${id}`)).text, /The battery can catch fire/)
    } finally {
      await t.close()
    }
  })
})
