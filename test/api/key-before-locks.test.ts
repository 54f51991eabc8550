/**
 * Tests that operations which store their idempotency key themselves do so before they lock anything else
 * (docs/decisions/0065-one-order-of-locks.md).
 */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { ENDPOINTS } from '../../src/api/endpoints.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { type Answer, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'
import { waitForLocks } from '../waiting.ts'

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account()
})
after(() => t.close())

type Send = (key: string) => Promise<Answer>

const sendJson =
  (path: string, body: object): Send =>
  key =>
    t.ask('POST', `/api/v1${path}`, { key: account.key, body, headers: { 'idempotency-key': key } })

const sendFile =
  (bytes: Buffer): Send =>
  key => {
    const headers = { 'content-type': 'image/png', 'idempotency-key': key }
    return t.ask('POST', '/api/v1/media', { key: account.key, text: bytes, headers })
  }

const makeFile = async () => Buffer.concat([await makePng({ width: 40, height: 30 }), randomBytes(8)])

/** How each endpoint is called, in each way that locks other rows. */
const CALLS: Record<string, Record<string, () => Promise<Send>>> = {
  createProduct: {
    'a product': async () => sendJson('/products', newProduct({ sku: randomUUID() })),
  },
  createMedia: {
    'a new file': async () => sendFile(await makeFile()),
    async 'a file that is sent again'() {
      const send = sendFile(await makeFile())
      const { id } = (await send(randomUUID())).json.data
      await t.sql`update media set created_at = created_at - interval '2 days' where id = decode(${id}, 'hex')`
      return send
    },
    'a file at an address': async () => sendJson('/media', { source_url: 'https://nowhere.example/a.png' }),
  },
}

/** The tables in which the one session that waits has written or locked rows. */
async function listLockedTables(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct c.relname as name
    from pg_stat_activity a join pg_locks l on l.pid = a.pid join pg_class c on c.oid = l.relation
    where a.datname = current_database() and a.wait_event_type = 'Lock' and l.granted and c.relkind = 'r'
      and l.mode in ('RowShareLock', 'RowExclusiveLock')
    order by 1`
  return rows.map(({ name }) => name)
}

describe('before its idempotency key is stored, nothing is locked', () => {
  test('the calls below are those of all endpoints that store it themselves', () => {
    const ids = ENDPOINTS.filter(one => 'storesIdempotencyRecord' in one).map(({ id }) => id)
    assert.deepEqual(ids.toSorted(), Object.keys(CALLS).toSorted())
  })

  for (const [id, calls] of Object.entries(CALLS))
    for (const [name, prepare] of Object.entries(calls))
      test(`${id}: ${name}`, async () => {
        const send = await prepare()
        const key = randomUUID()
        const { sent } = await t.sql.begin(async tx => {
          await tx`
            insert into idempotency_key (created_at, account_id, fingerprint, key)
            values (${t.clock.now()}, ${account.id}, '\\x00', ${key})`
          const sent = send(key)
          sent.catch(() => undefined)
          await waitForLocks(t.sql, 1)
          assert.deepEqual(await listLockedTables(t.sql), ['idempotency_key'])
          await tx`delete from idempotency_key where account_id = ${account.id} and key = ${key}`
          return { sent }
        })
        assert.ok((await sent).status < 300)
      })
})
