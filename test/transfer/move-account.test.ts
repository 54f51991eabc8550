/** Moves accounts between shards while readers look at their pages, and kills the move at each step. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { findHome } from '../../src/accounts/account/account-shard.ts'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { beginMove, endMove, switchShard } from '../../src/accounts/placement/move-account.ts'
import { checkCounters, checkShards } from '../../src/cli/store/verify-store.ts'
import { idFromUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { findInShards, getShard, getShardNumber } from '../../src/kernel/db/shards.ts'
import { findBrokenChains } from '../../src/passports/copies/verify.ts'
import { moveAccount } from '../../src/transfer/accounts/move-account.ts'
import { createBackup } from '../../src/transfer/backup/create-backup.ts'
import { listAccountTables } from '../../src/transfer/tables.ts'
import { addWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { spreadAccount } from '../../src/webhooks/spread-account.ts'
import { DeliveryWorker } from '../../src/worker/deliver.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { newProduct, nextGtin } from '../harness.ts'
import { STUCK_MS, waitForLocks } from '../waiting.ts'
import { LOG, POLICY, type Receiver, SECRET_KEY, startReceiver } from '../webhooks/stand.ts'
import { BACKUP_KEY, type Folder, fill, NO_FILES, temporaryFolder } from './stores.ts'

const QUIET_MS = 300
const PHONE = 'Mozilla/5.0 (Linux; Android 14) Chrome/126 Mobile Safari'

let s: UnitStand
let folder: Folder
before(async () => {
  s = await startUnitStand('enterprise', undefined, { shards: 3 })
  folder = await temporaryFolder()
})
after(async () => {
  await s?.close()
  await folder?.remove()
})

const operator = () => ({ sql: s.t.setup.sql, clock: s.t.clock })

const moveAtOnce = (accountId: number, to: number, quietMs = QUIET_MS, progress?: (step: string) => void) =>
  moveAccount(
    { ...operator(), openOwnerPool: s.t.setup.openPoolOfOne, quietMs, ...(progress && { progress }) },
    { accountId, to },
  )

/** The server releases the locks of a connection some time after it was closed here. */
async function waitUntilNoneIsLocked(): Promise<void> {
  for (let i = 0; i < 500; i++) {
    const locks = await s.t.setup.sql`
      select from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
    if (locks.length === 0) return
    await pause(20)
  }
}

const move: typeof moveAtOnce = async (...of) => {
  await waitUntilNoneIsLocked()
  return moveAtOnce(...of)
}

async function waitUntilOneWaitsFor(table: string): Promise<void> {
  for (let i = 0; i < 500; i++) {
    const waiting = await s.t.setup.sql`
      select from pg_locks where not granted and relation = ${table}::text::regclass`
    if (waiting.length > 0) return
    await pause(20)
  }
  throw new Error(`nobody waits for ${table}`)
}

async function close(accountId: number): Promise<void> {
  await closeAccount(operator(), accountId)
  s.t.clock.advance(61_000)
}

async function homeOf(accountId: number): Promise<number> {
  const { sql } = await findHome(s.t.setup.sql, accountId)
  return getShardNumber(sql) ?? 0
}

/** All rows of the account on a shard, except the audit log. */
async function readRows(accountId: number, shard: number): Promise<Record<string, string[]>> {
  const sql = getShard(s.t.setup.sql, shard)
  const all: Record<string, string[]> = {}
  for (const { name } of await listAccountTables(sql)) {
    if (name === 'audit_entry') continue
    const rows = await sql<{ row: string }[]>`
      select to_jsonb(r)::text as row from ${sql(name)} r where account_id = ${accountId}`
    if (rows.length > 0) all[name] = rows.map(({ row }) => row).sort()
  }
  return all
}

async function readAudit(accountId: number, shard: number): Promise<string[]> {
  const sql = getShard(s.t.setup.sql, shard)
  const rows = await sql<{ action: string }[]>`
    select action from audit_entry where account_id = ${accountId} order by id`
  return rows.map(({ action }) => action)
}

/** Pages are read during a move, and deliveries are sent when it has ended. */
const withoutScans = (all: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !/^(scan_|event$|webhook_)/.test(name)))

/** The pages of these ids. */
async function readPages(ids: readonly string[]): Promise<string[]> {
  s.t.clock.advance(1_100)
  return Promise.all(
    ids.map(async id => {
      const page = await s.t.ask('GET', `/p/${id}`, { headers: { accept: 'application/ld+json' } })
      const history = await s.t.ask('GET', `/p/${id}`, { headers: { accept: 'text/html' } })
      return `${page.status} ${history.status} ${page.text}`
    }),
  )
}

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: Error) => error.message,
  )

async function scan(id: string): Promise<void> {
  s.t.clock.advance(1_100)
  const headers = { accept: 'text/html', 'user-agent': PHONE }
  assert.equal((await s.t.ask('GET', `/p/${id}`, { headers })).status, 200)
}

describe('an account that is moved to another shard', () => {
  let ids: string[]
  let receiver: Receiver
  let from: number
  let gtin: string
  let waiting: string[]
  let workers: DeliveryWorker[]
  before(async () => {
    const { model, batch, items } = await fill(s)
    ids = [model, batch, ...items]
    receiver = await startReceiver()
    await addWebhook(
      s.account.ctx,
      { secretCipher: createSecretCipher(SECRET_KEY), policy: POLICY },
      { url: receiver.url },
    )
    gtin = nextGtin()
    const body = newProduct({ sku: 'MOVED', gtin })
    const headers = { 'idempotency-key': 'before the move' }
    const made = await s.t.ask('PUT', '/api/v1/products/by-sku/MOVED', { key: s.account.key, body, headers })
    assert.equal(made.status, 201, made.text)
    ids.push(made.json.data.id)
    await scan(model)
    await s.t.scans.flush()
    // The second references the first, so their order matters.
    await s.account.ctx.sql`
      insert into sheet_import (account_id, id, actor_id, created_at, alive_at, file_name, category, header, settings, state,
        row_count, chunk_count)
      values (${s.account.id}, gen_random_uuid(), 1, now(), now(), 'a.csv', 'textile', '[ 1]', '{}', 'done', 1, 1)`
    await s.account.ctx.sql`
      insert into sheet_chunk (account_id, import_id, no, rows)
      select account_id, id, 0, '[[1, ["tab \\ and\nline"]]]' from sheet_import`
    from = await homeOf(s.account.id)
    workers = [1, 2, 3].map(
      shard =>
        new DeliveryWorker({
          sql: getShard(s.t.setup.sql, shard),
          clock: s.t.clock,
          log: LOG,
          secretCipher: createSecretCipher(SECRET_KEY),
          outbound: s.t.setup.outbound,
        }),
    )
  })
  after(async () => {
    for (const worker of workers) await worker.stop()
    await receiver.close()
  })

  test('answers readers all the time, counts their scans, and has the same rows afterwards', async () => {
    const { id: accountId } = s.account
    const to = (from % 3) + 1
    const [pages, rows] = [await readPages(ids), await readRows(accountId, from)]
    assert.ok(Object.keys(rows).length >= 19, Object.keys(rows).join())
    await s.t.scans.flush()
    const scanned = await readRows(accountId, from)
    await close(accountId)
    const queued = await s.account.ctx.sql<{ id: string }[]>`select event_id as id from webhook_delivery`
    waiting = queued.map(({ id }) => idFromUuid(id))
    assert.ok(waiting.length > 0)
    const isFlagged = async () => {
      const rows = await s.t.setup.sql`
        select from account where id = ${accountId} and move_shard is not null`
      return rows.length > 0
    }
    let isMoving = true
    let reads = 0
    const read = async () => {
      while (isMoving) {
        assert.deepEqual(await readPages(ids), pages)
        for (const worker of workers) await worker.drain()
        const sent = receiver.received.length
        if (await isFlagged()) assert.equal(sent, 0)
        await s.t.scans.flush()
        reads++
        await pause(5)
      }
    }
    const begun = Promise.withResolvers<void>()
    const moved = move(accountId, to, 1_000, () => begun.resolve()).finally(() => {
      isMoving = false
    })
    await begun.promise
    const [{ rows: copied }] = await Promise.all([moved, read()])
    assert.ok(reads > 10, `${reads} rounds`)
    assert.deepEqual(await readRows(accountId, from), {})
    assert.deepEqual(await readAudit(accountId, from), [])
    assert.equal(await homeOf(accountId), to)
    const after = await readRows(accountId, to)
    assert.deepEqual(withoutScans(after), withoutScans(scanned))
    assert.equal(copied, Object.values(scanned).flat().length)
    assert.deepEqual(await findBrokenChains(getShard(s.t.setup.sql, to), accountId), [])
    await reopenAccount(operator(), accountId)
    s.t.clock.advance(2_000)
  })

  test('delivers each waiting event once afterwards', async () => {
    for (const worker of workers) await worker.drain()
    const sent = receiver.received.map(({ headers }) => headers['webhook-id'] ?? '')
    assert.equal(new Set(sent).size, sent.length)
    assert.deepEqual(
      waiting.filter(id => !sent.includes(id)),
      [],
    )
    const sql = getShard(s.t.setup.sql, await homeOf(s.account.id))
    assert.equal((await sql`select from webhook_delivery`).length, 0)
  })

  test('knows its Idempotency-Keys, SKUs and GTINs, and goes on with its versions', async () => {
    const ask = (method: 'PUT' | 'PATCH' | 'POST' | 'GET', path: string, body?: object, headers = {}) =>
      s.t.ask(method, `/api/v1/products${path}`, {
        key: s.account.key,
        headers,
        ...(body === undefined ? {} : { body }),
      })
    const again = await ask('PUT', '/by-sku/MOVED', newProduct({ sku: 'MOVED', gtin }), {
      'idempotency-key': 'before the move',
    })
    assert.equal(again.headers['idempotency-replayed'], 'true', again.text)
    const id = ids.at(-1) ?? ''
    const changed = await ask('PUT', '/by-sku/MOVED', newProduct({ sku: 'MOVED', gtin, productName: 'New' }))
    assert.deepEqual([changed.status, changed.json.data.id, changed.json.data.version_no], [200, id, 2])
    const taken = await ask('POST', '', newProduct({ sku: 'other', gtin }))
    assert.equal(taken.json.code, 'gtin_taken')
    const address = await s.t.ask('GET', `/01/0${gtin}`)
    assert.ok(address.headers.location?.includes(id), String(address.headers.location))
    const created = await ask('POST', '', newProduct({ sku: 'after' }))
    assert.equal(Number.parseInt(parseId(created.json.data.id)?.slice(-3) ?? '', 16), (from % 3) + 1)
    for (const unit of [{ level: 'item', serial: 'after' }])
      assert.equal((await ask('POST', `/${ids[0]}/children`, unit)).status, 201)
    const listed = await ask('GET', '?limit=100&level=all')
    assert.equal(listed.json.meta.total, ids.length + 2)
    const changes = await ask('GET', '?updated_since=2000-01-01T00:00:00Z&level=all&limit=100')
    assert.equal(changes.json.meta.total, ids.length + 2)
    const counters = await checkCounters(s.t.setup.sql)
    assert.equal(typeof counters, 'string', JSON.stringify(counters))
  })

  test('counts scans of before, of the time of the move and of afterwards', async () => {
    const account = await s.t.account({ plan: 'enterprise' })
    const made = await s.t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
    const id = made.json.data.id as string
    const home = await homeOf(account.id)
    const to = (home % 3) + 1
    await scan(id)
    await s.t.scans.flush()
    await close(account.id)
    await scan(id)
    let scans = 2
    await move(account.id, to, 500, async step => {
      if (step.startsWith('waiting')) {
        scans++
        await scan(id)
        await s.t.scans.flush()
      }
    })
    await scan(id)
    await s.t.scans.flush()
    await reopenAccount(operator(), account.id)
    assert.equal(scans, 4)
    s.t.clock.advance(1_100)
    const { json } = await s.t.ask('GET', '/api/v1/scans', { key: account.key })
    assert.equal(json.data.total, scans + 1)
    assert.deepEqual(await readRows(account.id, home), {})
  })

  test('lets its people sign in meanwhile, and keeps the whole audit log', async () => {
    const account = await s.t.account({ plan: 'enterprise' })
    const home = await homeOf(account.id)
    await close(account.id)
    const written: Promise<unknown>[] = []
    let n = 0
    const { actorId } = account.ctx
    const write = async () => {
      const { sql } = await findHome(s.t.setup.sql, account.id)
      await sql`
        insert into audit_entry (account_id, id, at, actor, action, subject)
        values (${account.id}, gen_random_uuid(), now(), ${actorId}, 'signed_in', ${String(n++)})`
    }
    await move(account.id, (home % 3) + 1, QUIET_MS, () => written.push(write()))
    await Promise.all(written)
    const entries = await readAudit(account.id, (home % 3) + 1)
    assert.equal(entries.filter(action => action === 'signed_in').length, written.length)
    assert.ok(entries.includes('account_closed'))
    assert.deepEqual(await readAudit(account.id, home), [])
  })

  test('is found by one look-up, the second time', async () => {
    const [id = ''] = ids
    const asked: (number | null)[] = []
    const uuid = parseId(id) ?? ''
    const find = async (sql: Sql) => {
      asked.push(getShardNumber(sql))
      const rows = await sql`select from passport where id = ${uuid}`
      return rows.length === 1 ? true : undefined
    }
    const pools = await s.t.openPools()
    assert.equal(await findInShards(pools, uuid, find), true)
    assert.equal(asked.length, 3)
    assert.equal(await findInShards(pools, uuid, find), true)
    assert.deepEqual(asked.slice(3), [await homeOf(s.account.id)])
    await Promise.all([pools, ...[1, 2, 3].map(shard => getShard(pools, shard))].map(pool => pool.end()))
  })
})

describe('a move of an account', () => {
  test('is refused for an open one, one on several shards, one that is there, and a shard that is not', async () => {
    const account = await s.t.account({ plan: 'enterprise' })
    const home = await homeOf(account.id)
    const to = (home % 3) + 1
    const run = (id: number, shard: number) => rejection(move(id, shard))
    assert.match(await run(account.id, to), /Close it with "carnet accounts close"/)
    await closeAccount(operator(), account.id)
    assert.match(await run(account.id, to), /a minute later/)
    s.t.clock.advance(61_000)
    assert.match(await run(account.id, home), new RegExp(`on shard ${home} already`))
    assert.match(await run(account.id, 9), /There is no shard 9/)
    assert.match(await run(99_999, to), /account/)
    await waitUntilNoneIsLocked()
    await spreadAccount(operator(), { accountId: account.id, modelShards: [to] })
    assert.match(await run(account.id, to), /on several shards/)
  })

  test('is refused for an account that is opened again at the same moment', async () => {
    const account = await s.t.account()
    const to = ((await homeOf(account.id)) % 3) + 1
    await close(account.id)
    const { moving } = await s.t.setup.sql.begin(async tx => {
      await tx`update account set closed_at = null where id = ${account.id}`
      const moving = rejection(beginMove(operator(), { accountId: account.id, to }))
      await waitForLocks(s.t.setup.sql, 1)
      return { moving }
    })
    try {
      assert.match(await moving, /Close it with "carnet accounts close"/)
      const [row] = await s.t.setup.sql`select move_shard from account where id = ${account.id}`
      assert.equal(row?.move_shard, null)
    } finally {
      await endMove(operator(), account.id, to)
    }
  })

  test('changes the shard only from and to where it was begun', async () => {
    const account = await s.t.account()
    const home = await homeOf(account.id)
    const to = (home % 3) + 1
    await close(account.id)
    const begun = await beginMove(operator(), { accountId: account.id, to })
    const third = (to % 3) + 1
    try {
      for (const other of [
        { ...begun, other: third },
        { ...begun, home: third },
      ])
        await assert.rejects(switchShard(operator(), account.id, other), /nobody else moves an account/)
      assert.equal(await homeOf(account.id), home)
    } finally {
      await s.t.setup.sql`update account set shard = ${home}, move_shard = null where id = ${account.id}`
    }
  })

  test('is the only way to delete a history, and nothing is ever deleted from public', async () => {
    const { id: accountId } = await s.t.account()
    const shard = await homeOf(accountId)
    for (const [schema, setting] of [
      ['public', 'public'],
      [`shard_${shard}`, 'public'],
      [`shard_${shard}`, `shard_${(shard % 3) + 1}`],
    ]) {
      const deletion = s.t.setup.sql.begin(async tx => {
        await tx.unsafe(`set local carnet.moved_from = '${setting}'`)
        await tx.unsafe(`delete from ${schema}.passport_version where account_id = ${accountId}`)
      })
      await assert.rejects(deletion, { code: 'CA002' })
    }
  })

  test('does not run during a backup, nor a spread; and a backup waits for it', async () => {
    const { id: accountId } = await s.t.account({ plan: 'enterprise' })
    const to = ((await homeOf(accountId)) % 3) + 1
    await close(accountId)
    const setup = {
      openPool: s.t.setup.openPoolOfOne,
      clock: s.t.clock,
      key: BACKUP_KEY,
      version: '0.0.0-test',
      mediaStore: NO_FILES,
    }
    const answers: string[] = []
    const { first } = await s.t.setup.sql.begin(async tx => {
      // The backup stops at this table until both have been tried.
      await tx`lock table plan in access exclusive mode`
      const running = createBackup(setup, { path: folder.file('first') })
      await waitUntilOneWaitsFor('plan')
      answers.push(await rejection(moveAtOnce(accountId, to)))
      answers.push(await rejection(spreadAccount(operator(), { accountId, modelShards: [to] })))
      return { first: running }
    })
    await first
    assert.deepEqual(
      answers.map(answer => /A backup is being made/.test(answer)),
      [true, true],
      answers.join('\n'),
    )
    const order: string[] = []
    let later: Promise<unknown> | undefined
    await move(accountId, to, QUIET_MS, () => {
      later ??= createBackup(setup, { path: folder.file('second') }).then(() => order.push('backup'))
    })
    order.push('move')
    await later
    assert.deepEqual(order, ['move', 'backup'])
  })
})

describe('a move of an account that is killed', { skip: skipOnCitus('lock'), timeout: STUCK_MS }, () => {
  let ids: string[]
  let pages: string[]
  let accountId: number
  before(async () => {
    const account = await s.t.account({ plan: 'enterprise' })
    accountId = account.id
    const call = async (method: 'POST' | 'PATCH', path: string, body: object) => {
      const answer = await s.t.ask(method, `/api/v1/products${path}`, { key: account.key, body })
      assert.ok(answer.status < 300, answer.text)
      return answer.json.data.id as string
    }
    const model = await call('POST', '', newProduct({ gtin: nextGtin(), sku: 'K' }))
    const unit = await call('POST', `/${model}/children`, { level: 'item', serial: 'K1' })
    await call('PATCH', `/${model}`, { data: { productName: 'Second' } })
    ids = [model, unit]
    pages = await readPages(ids)
    await s.t.scans.flush()
    await s.t.setup.sql`update account set closed_at = '2000-01-01' where id = ${accountId}`
  })

  /** Where the move waits when it is killed. */
  type Stop = {
    at: string
    step?: string
    times?: number
    lock?: (sql: Sql, from: number, to: number) => Promise<unknown>
  }
  const STOPS: Stop[] = [
    { at: 'the first wait', step: 'waiting' },
    {
      at: 'the copy',
      step: 'waiting',
      lock: (sql, _, to) => sql`lock table ${sql(`shard_${to}`)}.sheet_mapping in access exclusive mode`,
    },
    {
      at: 'the switch',
      step: 'waiting',
      lock: sql => sql`select from account where id = ${accountId} for no key update`,
    },
    {
      at: 'the deletion of the passports',
      step: 'waiting',
      lock: (sql, from) => sql`lock table ${sql(`shard_${from}`)}.passport in share mode`,
    },
    { at: 'the second wait', step: 'waiting', times: 2 },
    {
      at: 'the deletion of the rest',
      step: 'waiting',
      lock: (sql, from) => sql`lock table ${sql(`shard_${from}`)}.sheet_mapping in share mode`,
    },
    {
      at: 'its end',
      step: 'waiting',
      times: 2,
      lock: sql => sql`select from account where id = ${accountId} for no key update`,
    },
  ]

  const start = (to: number): ChildProcess => {
    const { target, isDistributed } = s.t.database
    const input = { database: { target, isDistributed }, accountId, to, quietMs: 400 }
    const file = join(import.meta.dirname, 'move-process.ts')
    return spawn(process.execPath, [file, JSON.stringify(input)], { stdio: ['ignore', 'pipe', 'inherit'] })
  }

  const isAnyoneWaiting = async () => {
    const rows = await s.t.setup.sql`
      select from pg_locks l join pg_stat_activity a using (pid)
      where not l.granted and a.datname = current_database()`
    return rows.length > 0
  }

  const isMoving = async () => {
    const rows = await s.t.setup.sql`
      select from account where id = ${accountId} and move_shard is not null`
    return rows.length > 0
  }

  /** Starts the move and kills it there. */
  async function kill(to: number, { step = '', times = 1, lock }: Stop): Promise<void> {
    const from = await homeOf(accountId)
    const child = start(to)
    const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
    let seen = 0
    const reached = new Promise<void>(resolve => {
      child.stdout?.on('data', text => {
        seen += String(text).split(step).length - 1
        if (seen >= times) resolve()
      })
    })
    await Promise.race([reached, ended])
    assert.equal(child.exitCode, null)
    const blocker = openPool(s.t.target, { max: 1 })
    try {
      if (lock === undefined) child.kill('SIGKILL')
      else {
        await blocker.begin(async tx => {
          await lock(tx as unknown as Sql, from, to)
          for (let i = 0; !(await isAnyoneWaiting()); i++) {
            assert.ok(i < 500, 'the move waits for the lock')
            await pause(20)
          }
          child.kill('SIGKILL')
          await ended
        })
      }
      await ended
    } finally {
      await blocker.end()
    }
  }

  /** The connections of the killed process end a moment later. */
  async function finish(to: number): Promise<void> {
    for (let i = 0; (await isMoving()) || (await homeOf(accountId)) !== to; i++) {
      const result = await rejection(move(accountId, to, 100))
      if (result === 'done') break
      assert.match(result, /another account is being moved/)
      assert.ok(i < 100, result)
      await pause(50)
    }
  }

  for (const stop of STOPS) {
    for (const goesOn of [true, false]) {
      test(`at ${stop.at} can be ${goesOn ? 'continued' : 'undone'}`, async () => {
        const from = await homeOf(accountId)
        const to = (from % 3) + 1
        const rows = await readRows(accountId, from)
        const audit = await readAudit(accountId, from)
        await kill(to, stop)
        assert.deepEqual(await readPages(ids), pages)
        // The last statement may end although its process was killed.
        if (stop.at !== 'its end' || (await isMoving())) {
          const problems = await checkShards(s.t.setup.sql)
          assert.match(String(problems), new RegExp(`accounts move ${accountId} --to`))
          assert.match(await rejection(reopenAccount(operator(), accountId)), /is being moved/)
        }
        const target = goesOn ? to : from
        await finish(target)
        assert.deepEqual(await readPages(ids), pages)
        assert.equal(await homeOf(accountId), target)
        assert.deepEqual(withoutScans(await readRows(accountId, target)), withoutScans(rows))
        assert.deepEqual(await readAudit(accountId, target), audit)
        for (const other of [1, 2, 3].filter(shard => shard !== target)) {
          assert.deepEqual(await readRows(accountId, other), {})
          assert.deepEqual(await readAudit(accountId, other), [])
        }
        assert.equal(typeof (await checkShards(s.t.setup.sql)), 'string')
      })
    }
  }
})
