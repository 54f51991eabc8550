/** Tests the accounts of one worker while another one cannot be reached, and that it returns. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createAccount } from '../../src/accounts/account/accounts.ts'
import { withActor } from '../../src/accounts/account/actors.ts'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { MAX_ATTEMPTS_PER_NETWORK } from '../../src/accounts/people/network-attempts.ts'
import { createPerson } from '../../src/accounts/people/people.ts'
import { findSession, SESSION_LIFETIME_MS } from '../../src/accounts/people/sessions.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { signIn } from '../../src/accounts/people/sign-in.ts'
import { openPools, type StorePools } from '../../src/cli/store/pools.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { explainDatabaseError } from '../../src/kernel/db/database.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { type Clock, systemClock } from '../../src/kernel/values/clock.ts'
import { getSettledTime } from '../../src/passports/read/list-changes.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { startCheck, stopImports } from '../../src/transfer/spreadsheets/import/run-import.ts'
import { createImport, getImport } from '../../src/transfer/spreadsheets/import/spreadsheet-import.ts'
import { settleDeliveries } from '../../src/webhooks/settle.ts'
import { newProduct, nextGtin } from '../harness.ts'
import { type CitusDatabase, type CitusNode, findPlacement, SKIP_WITHOUT_CITUS } from './cluster.ts'
import { makeShardedDatabase } from './sharded-database.ts'

const MINUTE_MS = 60_000
const UUID = '01900000-0000-7000-8000-000000000001'
const PERSON = { email: 'owner@testmarke.example', password: 'eleven herons over the lake' }

describe('a cluster without one of its workers', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase
  let lost: CitusNode
  let pools: StorePools
  let account: AccountContext
  let session: string

  /** Nothing listens on port 1. Only the address changes, so the other databases of the cluster go on. */
  const setPort = async (from: number, to: number) => {
    for (const { sql } of [database.coordinator, ...database.workers])
      await sql`update pg_dist_node set nodeport = ${to} where nodeport = ${from}`
  }
  const open = async () => {
    await pools?.end()
    pools = openPools({ url: database.coordinator.url }, { name: 'carnet', isDistributed: true })
    await pools.openShards()
    const { id } = await createOnce()
    account = await withActor({ sql: pools.sql, clock: systemClock, actorId: 1 }, Number(id))
  }
  const createOnce = async () => {
    const [row] = await pools.sql<{ id: number }[]>`select id from account`
    return row ?? createAccount({ sql: pools.sql, clock: systemClock }, { name: 'Here', plan: 'enterprise' })
  }
  const tryToSignIn = () => {
    const ctx = { sql: pools.sql, clock: systemClock, secretKey: 'a key of tests, long enough to be one' }
    return signIn(ctx, { ...PERSON, network: '203.0.113.1', device: undefined, replaces: undefined })
  }

  before(async () => {
    database = await makeShardedDatabase(2)
    await open()
    const ctx = { sql: pools.sql, clock: systemClock }
    const { accountId } = account
    const { token } = await createPerson(ctx, { accountId, email: PERSON.email, role: 'owner' })
    await setPassword(ctx, { token, password: PERSON.password })
    const signedIn = await tryToSignIn()
    assert.ok('token' in signedIn)
    session = signedIn.token
    const [row] = await pools.sql<{ shard: number }[]>`select shard from account`
    const { node } = await findPlacement(database, `shard_${row?.shard}.passport`)
    lost = database.workers.find(worker => worker !== node) as CitusNode
    await setPort(lost.port, 1)
    // Connections that the nodes have kept to each other would still lead to the worker.
    await open()
  })
  after(async () => {
    await pools?.end()
    await database?.drop()
  })

  test('stores what became of deliveries', async () => {
    const attempt = {
      at: new Date(),
      durationMs: 1,
      status: 204,
      outcome: 'delivered',
      detail: '',
      responseText: '',
      retryAfterMs: undefined,
      isGone: false,
    } as const
    const { accountId } = account
    const ids = { accountId, endpointId: UUID, eventId: UUID }
    const result = {
      ...ids,
      type: 'product.created',
      attemptNumber: 1,
      kind: 'e',
      attempt,
      nextAt: undefined,
    } as const
    assert.deepEqual(await settleDeliveries(account.sql, [result], []), [])
  })

  test('imports a spreadsheet', async () => {
    const bytes = Buffer.from('sku;productName\nA-1;Jacket\n')
    const id = await createImport(account, { fileName: 'a.csv', bytes, category: 'textile' })
    const uuid = parseId(id) ?? id
    const { settings } = await getImport(account, uuid)
    const policy = { allowInsecureLoopback: false, allowed: createAddressList([]) }
    await startCheck(account, uuid, { settings, rules: { publicUrl: 'https://carnet.example', policy } })
    await stopImports(account.sql)
    assert.notEqual((await getImport(account, uuid)).state, 'open')
  })

  test('creates products whose GTINs are claimed on a worker that answers, beside others', async () => {
    const create = (prefix: string) => {
      const { category, data } = newProduct({ gtin: nextGtin(prefix), sku: prefix })
      return createPassport(account, { category, data, strict: false })
    }
    const prefixes = Array.from({ length: 20 }, (_, n) => String(1_000 + n))
    const results = await Promise.allSettled(prefixes.map(create))
    for (const [n, prefix] of prefixes.entries()) {
      const [row] = await account.sql<{ port: number }[]>`
        select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
        where shardid = get_shard_id_for_distribution_column('public.gtin_claim', ${prefix}::text)`
      assert.equal(results[n]?.status, row?.port === 1 ? 'rejected' : 'fulfilled', prefix)
    }
    assert.equal(new Set(results.map(({ status }) => status)).size, 2)
  })

  test('keeps people signed in, although their sessions cannot be extended', async () => {
    const later = { now: () => new Date(Date.now() + SESSION_LIFETIME_MS / 2) } satisfies Clock
    const found = await findSession({ sql: pools.sql, clock: later }, session)
    assert.equal(found?.email, PERSON.email)
    assert.equal(found?.isMoved, false)
  })

  test('reports changes of a minute ago as complete', async () => {
    const until = (await getSettledTime(account)).getTime()
    assert.ok(
      until < Date.now() - MINUTE_MS && until > Date.now() - 2 * MINUTE_MS,
      new Date(until).toISOString(),
    )
  })

  test('counts no attempts to sign in that failed for this reason, and works as before when it is back', async () => {
    for (let n = 0; n <= MAX_ATTEMPTS_PER_NETWORK; n++)
      await assert.rejects(tryToSignIn(), error => explainDatabaseError(error)?.code === 'unavailable')
    await setPort(1, lost.port)
    assert.ok('token' in (await tryToSignIn()))
    assert.ok((await getSettledTime(account)).getTime() > Date.now() - MINUTE_MS)
  })
})
