/**
 * Tests events and their endpoints: written by the statement that causes them, selected by the endpoints'
 * filters.
 */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import { FIRST_CURSOR, listPendingEndpoints, selectDueDeliveries } from '../../src/webhooks/claim.ts'
import { pauseWebhook, resumeWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { newProduct, type TestAccount } from '../harness.ts'
import { type Receiver, type Stand, startReceiver, startStand } from './stand.ts'

let stand: Stand
let receiver: Receiver

before(async () => {
  stand = await startStand()
  receiver = await startReceiver()
})

after(async () => {
  await receiver.close()
  await stand.close()
})

afterEach(async () => {
  await stand.sql`delete from webhook_delivery`
  receiver.received.length = 0
})

const TABLE = { skip: skipOnCitus('table') }

const bodies = () => receiver.received.splice(0).map(one => JSON.parse(one.text))

const queued = async (account: TestAccount) => {
  const rows = await stand.sql<{ type: string; endpoint_id: string }[]>`
    select e.type, d.endpoint_id from webhook_delivery d join event e on e.id = d.event_id and e.account_id = d.account_id
    where d.account_id = ${account.id} order by e.id`
  return rows.map(row => [row.type, idFromUuid(row.endpoint_id)])
}

describe('events of passports', () => {
  test('create, change, archive, restore and new units send the documented data', async () => {
    const account = await stand.account()
    await stand.endpoint(account, { url: receiver.url })
    const made = await stand.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    const { id } = made.json.data
    const at = `/api/v1/products/${id}`
    await stand.ask('PATCH', at, { key: account.key, body: { data: { weightGrams: 7 } } })
    await stand.ask('POST', `${at}/archive`, { key: account.key })
    await stand.ask('POST', `${at}/restore`, { key: account.key })
    const item = await stand.ask('POST', `${at}/children`, {
      key: account.key,
      body: { level: 'item', serial: 'S-1', data: {} },
    })
    const worker = stand.worker()
    await worker.drain()
    const passport = { id, category: 'textile' }
    assert.deepEqual(
      bodies()
        .map(({ event, data }) => ({ event, data }))
        .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
      [
        { event: 'product.archived', data: { ...passport, version_no: 2 } },
        { event: 'product.created', data: { ...passport, version_no: 1 } },
        { event: 'product.created', data: { id: item.json.data.id, category: 'textile', version_no: 1 } },
        { event: 'product.restored', data: { ...passport, version_no: 2 } },
        { event: 'product.updated', data: { ...passport, version_no: 2 } },
      ].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    )
  })

  test('500 units in one call are 500 events, inserted by one statement', TABLE, async () => {
    const account = await stand.account({ plan: 'enterprise' })
    await stand.endpoint(account, { url: receiver.url })
    const made = await stand.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    const items = Array.from({ length: 500 }, (_, i) => ({ serial: `S-${i}` }))
    const body = { level: 'item', items }
    // A trigger counts how often events are written from now on.
    await stand.sql`create table fanned (events bigint)`
    await stand.sql`
      create function count_fanned() returns trigger language plpgsql as
        'begin insert into fanned select count(*) from written; return null; end'`
    await stand.sql`
      create trigger counted after insert on event referencing new table as written for each statement
        execute function count_fanned()`
    const answer = await stand.ask('POST', `/api/v1/products/${made.json.data.id}/children`, {
      key: account.key,
      body,
    })
    assert.equal(answer.json.data.summary.created, 500)
    assert.equal((await queued(account)).length, 501)
    assert.deepEqual([...(await stand.sql`select events from fanned`)], [{ events: 500 }])
    await stand.sql`drop trigger counted on event`
  })

  test('wait for a paused endpoint', async () => {
    const account = await stand.account()
    const { id } = await stand.endpoint(account, { url: receiver.url })
    await pauseWebhook(account.ctx, id)
    await stand.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    assert.deepEqual(await queued(account), [['product.created', id]])
  })

  test('are due at once, also if the clock of the server is ahead', async () => {
    const account = await stand.account()
    await stand.endpoint(account, { url: receiver.url })
    stand.clock.set(new Date(Date.now() + 3_600_000))
    try {
      await stand.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    } finally {
      stand.clock.release()
    }
    const rows = await stand.sql`
      select due_at <= now() as is_due from webhook_delivery where account_id = ${account.id}`
    assert.deepEqual([...rows], [{ is_due: true }])
  })

  test('refused calls send no events', async () => {
    const account = await stand.account()
    await stand.endpoint(account, { url: receiver.url })
    await stand.ask('POST', '/api/v1/products', { key: account.key, body: newProduct({ gtin: '123' }) })
    assert.deepEqual(await queued(account), [])
    const error = new Error('on purpose')
    const run = stand.sql.begin(async sql => {
      await stand.announce(account, 1, 'product.updated', sql as unknown as Sql)
      throw error
    })
    await assert.rejects(run, error)
    assert.deepEqual(await queued(account), [])
  })
})

describe('fan-out', () => {
  test('happens in the statement that inserts the events, without a trigger', TABLE, async () => {
    const account = await stand.account()
    const { id } = await stand.endpoint(account, { url: receiver.url })
    await stand.sql`alter table event disable trigger event_fans_out`
    try {
      await stand.announce(account, 2)
    } finally {
      await stand.sql`alter table event enable trigger event_fans_out`
    }
    assert.deepEqual(await queued(account), [
      ['product.updated', id],
      ['product.updated', id],
    ])
  })

  test(
    'is left to the trigger by servers of the version before, and done once by either',
    TABLE,
    async () => {
      const account = await stand.account()
      const { id } = await stand.endpoint(account, { url: receiver.url })
      const insertOnly = (sql: Sql, type: string) => sql`
      insert into event (created_at, account_id, id, type, data)
      values (now(), ${account.id}, ${newUuid(stand.clock.now().getTime())}, ${type}, '{}')`
      await stand.announce(account, 1, 'product.created')
      await insertOnly(stand.sql, 'product.restored')
      await inTransaction(stand.sql, async sql => {
        await sql`set local carnet.announces_events = ''`
        await stand.announce(account, 1, 'product.updated', sql)
        await insertOnly(sql, 'product.archived')
      })
      assert.deepEqual(await queued(account), [
        ['product.created', id],
        ['product.updated', id],
        ['product.archived', id],
      ])
    },
  )

  test("depends on the filter, the account and the endpoint's status", async () => {
    const account = await stand.account()
    const other = await stand.account()
    const all = await stand.endpoint(account, { url: receiver.url })
    const some = await stand.endpoint(account, {
      url: receiver.url,
      events: ['scan.milestone', 'product.archived'],
    })
    const paused = await stand.endpoint(account, { url: receiver.url, events: ['*'] })
    await pauseWebhook(account.ctx, paused.id)
    await stand.endpoint(other, { url: receiver.url })
    await stand.announce(account, 1, 'product.updated')
    await stand.announce(account, 1, 'scan.milestone')
    const sorted = (rows: string[][]) => rows.map(row => row.join(' ')).sort()
    assert.deepEqual(
      sorted(await queued(account)),
      sorted([
        ['product.updated', all.id],
        ['product.updated', paused.id],
        ['scan.milestone', all.id],
        ['scan.milestone', some.id],
        ['scan.milestone', paused.id],
      ]),
    )
    assert.deepEqual(await queued(other), [])
    const worker = stand.worker()
    await worker.drain()
    assert.equal(receiver.received.splice(0).length, 3)
    await resumeWebhook(account.ctx, paused.id)
    await worker.drain()
    assert.equal(receiver.received.splice(0).length, 2)
  })

  test('sends events of a refresh after all others', async () => {
    const account = await stand.account()
    await stand.endpoint(account, { url: receiver.url })
    await stand.announce(account, 20, 'product.updated')
    await stand.sql`
      update webhook_delivery set background = true, due_at = now() - interval '1 minute'
      where account_id = ${account.id}`
    await stand.announce(account, 20, 'product.created')
    const [row] = await listPendingEndpoints(stand.queue, new Date(), FIRST_CURSOR)
    const request = { accountId: account.id, endpointId: row?.id ?? '', limit: 30, claimedIds: [] }
    const claimed = await selectDueDeliveries(stand.queue, new Date(), [request])
    assert.deepEqual(
      claimed.map(one => one.type),
      [...Array(20).fill('product.created'), ...Array(10).fill('product.updated')],
    )
    await stand.worker().drain()
    assert.equal(receiver.received.length, 40)
  })

  test('stores events of a refresh through the API as background events', async () => {
    const account = await stand.account()
    await stand.endpoint(account, { url: receiver.url, events: ['product.updated'] })
    const made = await stand.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    const at = `/api/v1/products/${made.json.data.id}`
    const items = [{ serial: 'A' }, { serial: 'B' }]
    await stand.ask('POST', `${at}/children`, { key: account.key, body: { level: 'item', items } })
    const correction = { change_type: 'correction', data: { countryOfManufacture: 'DE' } }
    await stand.ask('PATCH', at, { key: account.key, body: correction })
    await stand.ask('POST', `${at}/refresh`, { key: account.key })
    const rows = await stand.sql<{ background: boolean; n: number }[]>`
      select background, count(*)::int as n from webhook_delivery where account_id = ${account.id} group by 1 order by 1`
    assert.deepEqual(
      [...rows],
      [
        { background: false, n: 1 },
        { background: true, n: 2 },
      ],
    )
  })
})
