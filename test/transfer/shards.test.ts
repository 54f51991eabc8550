/** Backups and exports of databases with shards: restored and imported onto any number of shards, also of none. */
import assert from 'node:assert/strict'
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { createAccount } from '../../src/accounts/account/accounts.ts'
import { checkClaims, checkCounters } from '../../src/cli/store/verify-store.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { getShard, newPassportUuid } from '../../src/kernel/db/shards.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { openExportDownload } from '../../src/transfer/accounts/export-download.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { createBackup } from '../../src/transfer/backup/create-backup.ts'
import { openBackup } from '../../src/transfer/backup/open-backup.ts'
import { restoreBackup } from '../../src/transfer/backup/restore-backup.ts'
import { createBackupWhenDue, findLastBackup } from '../../src/transfer/backup/scheduled-backups.ts'
import { cloneWithShards, emptyDatabase, type TestDatabase } from '../database.ts'
import {
  type Harness,
  newProduct,
  nextGtin,
  spreadClosed,
  startHarness,
  type TestAccount,
  TestClock,
} from '../harness.ts'
import { STUCK_MS } from '../waiting.ts'
import { BACKUP_KEY, type Folder, MIGRATIONS, NO_FILES, poolOfOne, temporaryFolder } from './stores.ts'

const setup = (of: TestDatabase) => ({
  openPool: poolOfOne(of),
  clock: systemClock,
  key: BACKUP_KEY,
  keys: [BACKUP_KEY],
  version: '0.0.0-test',
  mediaStore: NO_FILES,
  migrations: MIGRATIONS,
})

/** A server with accounts on shards, or in `public` if there are none. */
type Store = { database: TestDatabase; t: Harness; accounts: TestAccount[]; close: () => Promise<void> }

async function startStore(shards: number, accounts = 3): Promise<Store> {
  const database = await cloneWithShards(shards)
  const t = await startHarness({ database })
  const made: TestAccount[] = []
  for (let i = 0; i < accounts; i++) {
    made.push(await t.account())
    for (let n = 0; n < 2; n++) await create(t, made[i] as TestAccount)
  }
  return { database, t, accounts: made, close: () => Promise.all([t.close()]).then(() => database.drop()) }
}

async function create(t: Harness, account: TestAccount, data: Record<string, unknown> = {}): Promise<string> {
  const gtin = nextGtin()
  const body = newProduct({ gtin, sku: `S-${gtin}`, ...data })
  const answer = await t.ask('POST', '/api/v1/products', { key: account.key, body })
  assert.equal(answer.status, 201, answer.text)
  return (answer.json.data as { id: string }).id
}

/** Every row of all accounts, whatever schema it is in, and without the shards. */
async function readRows(sql: Sql): Promise<Record<string, string[]>> {
  const tables = await sql<{ schema: string; name: string }[]>`
    select schemaname::text as schema, tablename::text as name from pg_tables
    where schemaname = 'public' or schemaname like 'shard\\_%' order by 1, 2`
  const all: Record<string, string[]> = {}
  for (const { schema, name } of tables) {
    if (!COMPARED.includes(name)) continue
    const rows = await sql<{ row: string }[]>`
      select (to_jsonb(r) - '{shard,shards,model_shards}'::text[])::text as row from ${sql(schema)}.${sql(name)} r`
    all[name] = [...(all[name] ?? []), ...rows.map(({ row }) => row)].sort()
  }
  return all
}

const COMPARED = [
  'account',
  'account_usage',
  'actor',
  'api_key',
  'audit_entry',
  'content',
  'event',
  'gtin_claim',
  'passport',
  'passport_count',
  'passport_version',
  'sku_claim',
  'content_units',
  'membership',
  'plan',
]

/** Runs a server on a restored database. */
async function withServer(database: TestDatabase, work: (t: Harness) => Promise<void>): Promise<void> {
  const t = await startHarness({ database })
  try {
    await work(t)
  } finally {
    await t.close()
  }
}

describe('a backup of a database with shards', { timeout: STUCK_MS }, () => {
  let s: Store
  let folder: Folder
  let path: string
  before(async () => {
    s = await startStore(2)
    folder = await temporaryFolder()
    const made = await createBackup(setup(s.database), { path: folder.file('whole') })
    path = made.path
    assert.equal(made.passports, 6)
  })
  after(async () => {
    await s?.close()
    await folder?.remove()
  })

  test('is a folder with a file for what is shared, for each shard and for the actors', async () => {
    assert.deepEqual((await readdir(path)).sort(), [
      'actors.backup',
      'shard_1.backup',
      'shard_2.backup',
      'shared.backup',
    ])
  })

  for (const shards of [2, 1, 3, 0]) {
    test(`is restored onto ${shards} shards with the same rows, and works`, async () => {
      const database = await cloneWithShards(shards)
      try {
        const back = await restoreBackup(setup(database), { path })
        assert.deepEqual([back.passports, back.broken, back.migrated], [6, [], []])
        await withServer(database, async t => {
          assert.deepEqual(await readRows(t.setup.sql), await readRows(s.t.setup.sql))
          const [account] = s.accounts
          assert.ok(account)
          const id = await create(t, account)
          const page = await t.ask('GET', `/p/${id}`, { headers: { accept: 'application/ld+json' } })
          assert.equal(page.status, 200)
          const list = await t.ask('GET', '/api/v1/products', { key: account.key })
          assert.equal(list.json.data.length, 3)
          await assert.rejects(t.sql`delete from passport_version`, /never changed and never deleted/)
          const next = await createAccount(
            { sql: t.setup.sql, clock: systemClock },
            { name: 'n', plan: 'pro' },
          )
          assert.equal(Number(next.id), Math.max(...s.accounts.map(one => one.id)) + 1)
        })
        await assert.rejects(
          restoreBackup(setup(database), { path }),
          /This backup was already restored here/,
        )
      } finally {
        await database.drop()
      }
    })
  }

  test('a plain backup is restored onto shards: each account gets one, the largest first', async () => {
    const plain = await startStore(0, 4)
    const database = await cloneWithShards(2)
    try {
      const [first] = plain.accounts
      assert.ok(first)
      for (let i = 0; i < 5; i++) await create(plain.t, first)
      const made = await createBackup(setup(plain.database), { path: folder.file('plain') })
      const back = await restoreBackup(setup(database), { path: made.path })
      assert.deepEqual([back.passports, back.broken], [13, []])
      await withServer(database, async t => {
        assert.deepEqual(await readRows(t.setup.sql), await readRows(plain.t.setup.sql))
        const rows = await t.setup.sql<{ shard: number }[]>`select shard from account order by id`
        assert.deepEqual(
          rows.map(row => row.shard),
          [1, 2, 2, 2],
        )
        const left = await t.setup.sql<{ n: number }[]>`select count(*)::int as n from public.passport`
        assert.equal(left[0]?.n, 0)
        await create(t, first)
      })
    } finally {
      await plain.close()
      await database.drop()
    }
  })

  test('with a missing, swapped, foreign or single part is rejected with the name of the part', async () => {
    const database = await emptyDatabase()
    const other = (await createBackup(setup(s.database), { path: folder.file('other') })).path
    const refuse = async (change: (copy: string) => Promise<unknown>, message: RegExp) => {
      const copy = folder.file('changed')
      await cp(path, copy, { recursive: true })
      await change(copy)
      await assert.rejects(restoreBackup(setup(database), { path: copy }), { code: 'validation', message })
      await rm(copy, { recursive: true })
    }
    try {
      await refuse(copy => rm(join(copy, 'shard_2.backup')), /incomplete: shard_2\.backup is missing/)
      await refuse(copy => rm(join(copy, 'shared.backup')), /incomplete: shared\.backup is missing/)
      await refuse(async copy => {
        await rename(join(copy, 'shard_1.backup'), join(copy, 'x'))
        await rename(join(copy, 'shard_2.backup'), join(copy, 'shard_1.backup'))
        await rename(join(copy, 'x'), join(copy, 'shard_2.backup'))
      }, /shard_1\.backup is another part of the backup, renamed: shard_2/)
      await refuse(
        copy => cp(join(other, 'actors.backup'), join(copy, 'actors.backup')),
        /actors\.backup belongs to another backup/,
      )
      await refuse(
        copy => cp(join(path, 'shard_1.backup'), join(copy, 'shard_7.backup')),
        /shard_7\.backup is not a part of this backup/,
      )
      await refuse(
        copy => writeFile(join(copy, 'shard_1.backup'), 'x'),
        /shard_1\.backup is not a backup of Carnet/,
      )
      const part = restoreBackup(setup(database), { path: join(path, 'shard_1.backup') })
      await assert.rejects(part, /is one part of a backup of a database with shards \(shard_1\)/)
    } finally {
      await database.drop()
    }
  })

  test('during writes, each product that it has keeps its GTIN, and no other one is claimed', async () => {
    const stop = new AbortController()
    const failed = Promise.all(
      s.accounts.map(async account => {
        while (!stop.signal.aborted) {
          const id = await create(s.t, account)
          const body = { data: { gtin: nextGtin() } }
          const answer = await s.t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body })
          assert.equal(answer.status, 200, answer.text)
        }
      }),
    )
    // Created after what is shared was read: the backup has its rows, but not the account.
    let late: Promise<unknown> | undefined
    const progress = (table: string) => {
      if (table.startsWith('shard_1.')) late ??= s.t.account().then(account => create(s.t, account))
    }
    const made = await createBackup(setup(s.database), { path: folder.file('busy'), progress })
    stop.abort()
    await Promise.all([failed, late])
    const database = await cloneWithShards(3)
    try {
      const back = await restoreBackup(setup(database), { path: made.path })
      assert.deepEqual(back.broken, [])
      await withServer(database, async t => {
        const { sql } = t.setup
        assert.match(String(await checkClaims(sql, true)), /^\d+ claims and \d+ products agree$/)
        const foreign = await sql`
          select account_id from (select account_id from shard_1.event union all select account_id from shard_2.event) e
          where account_id not in (select id from account)`
        assert.deepEqual([...foreign], [])
      })
    } finally {
      await database.drop()
    }
  })

  test('claims what the shared part is too old for, and drops what has no product', async () => {
    const store = await startStore(2, 2)
    const database = await cloneWithShards(2)
    try {
      const [account] = store.accounts
      assert.ok(account)
      const before = await store.t.setup.sql<{ gtin14: string }[]>`select gtin14 from gtin_claim`
      let changed: Promise<unknown> | undefined
      const gtin = nextGtin()
      const newGtin = nextGtin()
      const change = async () => {
        const id = await create(store.t, account, { gtin })
        const body = { data: { gtin: newGtin } }
        await store.t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body })
      }
      // Between what is shared and the shards.
      let opened = 0
      const openPool = () => {
        const pool = poolOfOne(store.database)()
        if (++opened !== 2) return pool
        const reserve = async () => {
          changed ??= change()
          await changed
          return pool.reserve()
        }
        return new Proxy(pool, { get: (_, key) => (key === 'reserve' ? reserve : Reflect.get(pool, key)) })
      }
      const made = await createBackup(
        { ...setup(store.database), openPool },
        { path: folder.file('between') },
      )
      assert.ok(changed)
      assert.equal(made.passports, 5)
      const back = await restoreBackup(setup(database), { path: made.path })
      assert.deepEqual([back.passports, back.broken], [5, []])
      await withServer(database, async t => {
        const rows = await t.setup.sql<{ gtin14: string }[]>`select gtin14 from gtin_claim`
        const expected = [...before.map(row => row.gtin14), gtin.padStart(14, '0'), newGtin.padStart(14, '0')]
        assert.deepEqual(rows.map(row => row.gtin14).sort(), expected.sort())
      })
    } finally {
      await store.close()
      await database.drop()
    }
  })

  test('is made when due, replaces older ones and leftovers, and reports its size', async () => {
    const clock = new TestClock()
    clock.set('2026-11-01T00:00:00Z')
    const dir = folder.file('scheduled')
    const schedule = { ...setup(s.database), clock, dir, everyMs: 3_600_000, keep: 1 }
    await createBackupWhenDue(schedule)
    const left = join(dir, 'carnet-20261101T003000Z.backup.0123456789abcdef.partial')
    await cp(join(dir, 'carnet-20261101T000000Z.backup'), left, { recursive: true })
    clock.advance(3_600_000)
    const made = await createBackupWhenDue(schedule)
    assert.deepEqual(await readdir(dir), ['carnet-20261101T010000Z.backup'])
    assert.equal((await findLastBackup(dir))?.bytes, made?.bytes)
    const opened = await openBackup({ path: made?.path ?? '', keys: [BACKUP_KEY], acceptUnsealed: false })
    assert.deepEqual([opened.sha256, opened.bytes], [made?.sha256, made?.bytes])
  })
})

describe('an account on two shards', { timeout: STUCK_MS }, () => {
  let s: Store
  let folder: Folder
  let account: TestAccount
  let ids: string[]
  before(async () => {
    s = await startStore(3, 0)
    folder = await temporaryFolder()
    account = await s.t.account()
    await spreadClosed(s.t.setup.sql, account.id, [1, 3])
    ids = []
    for (let i = 0; i < 16; i++) ids.push(await create(s.t, account))
    assert.deepEqual(await countByShard(s.t.setup.sql, [1, 2, 3]), [true, false, true])
  })
  after(async () => {
    await s?.close()
    await folder?.remove()
  })

  const countByShard = (sql: Sql, shards: number[]) =>
    Promise.all(
      shards.map(
        async shard => (await sql`select from ${sql(`shard_${shard}`)}.passport limit 1`).length > 0,
      ),
    )
  const readPlace = async (sql: Sql, id: number | string) =>
    (
      await sql<Record<string, unknown>[]>`select shard, shards, model_shards from account where id = ${id}`
    )[0]

  for (const [shards, place] of [
    [3, { shard: 1, shards: [1, 3], model_shards: [1, 3] }],
    // The third shard becomes the second.
    [2, { shard: 1, shards: [1, 2], model_shards: [1, 2] }],
  ] as const) {
    test(`is restored onto ${shards} shards with all its products`, async () => {
      const database = await cloneWithShards(shards)
      try {
        const made = await createBackup(setup(s.database), { path: folder.file(`spread-${shards}`) })
        const back = await restoreBackup(setup(database), { path: made.path })
        assert.deepEqual([back.passports, back.broken], [16, []])
        await withServer(database, async t => {
          assert.deepEqual(await readRows(t.setup.sql), await readRows(s.t.setup.sql))
          assert.deepEqual({ ...(await readPlace(t.setup.sql, account.id)) }, place)
          const list = await t.ask('GET', '/api/v1/products?limit=100', { key: account.key })
          assert.deepEqual(
            list.json.data.map((row: { id: string }) => row.id),
            ids.toSorted().reverse(),
          )
          for (const id of ids) assert.equal((await t.ask('GET', `/p/${id}`)).status, 200)
          await create(t, account)
        })
      } finally {
        await database.drop()
      }
    })
  }

  for (const shards of [1, 0]) {
    test(`is not restored onto ${shards} shards, and nothing is written`, async () => {
      const database = await cloneWithShards(shards)
      const sql = openPool(database.target, { max: 1 })
      const findTable = async () => (await sql`select 'public.account'::regclass::oid::text as oid`)[0]?.oid
      try {
        const before = await findTable()
        const made = await createBackup(setup(s.database), { path: folder.file(`refused-${shards}`) })
        await assert.rejects(restoreBackup(setup(database), { path: made.path }), {
          code: 'validation',
          message: new RegExp(`account ${account.id} has products on the shards 1, 3, .* at least 3 shards`),
        })
        assert.equal(await findTable(), before)
      } finally {
        await sql.end()
        await database.drop()
      }
    })
  }

  test('is restored where there are no shards, if the restore may create them', async () => {
    const database = await cloneWithShards(0)
    try {
      const made = await createBackup(setup(s.database), { path: folder.file('drill') })
      const back = await restoreBackup(setup(database), { path: made.path, createsShards: true })
      assert.deepEqual([back.passports, back.broken], [16, []])
      await withServer(database, async t => {
        assert.deepEqual(await readRows(t.setup.sql), await readRows(s.t.setup.sql))
        assert.equal(await checkCounters(t.setup.sql), 'agree with the rows')
      })
    } finally {
      await database.drop()
    }
  })

  test('spread over one shard is restored without shards, with its whole quota', async () => {
    const source = await startStore(1, 0)
    const database = await cloneWithShards(0)
    try {
      const one = await source.t.account()
      await spreadClosed(source.t.setup.sql, one.id, [1])
      await create(source.t, one)
      const made = await createBackup(setup(source.database), { path: folder.file('one') })
      await restoreBackup(setup(database), { path: made.path })
      await withServer(database, async t => {
        const none = { shard: null, shards: null, model_shards: null }
        assert.deepEqual({ ...(await readPlace(t.setup.sql, one.id)) }, none)
        const parts = await t.setup.sql`select from account_usage where part is not null`
        assert.equal(parts.length, 0)
        await create(t, one)
      })
    } finally {
      await source.close()
      await database.drop()
    }
  })

  test('is exported whole, and imported onto one shard', async () => {
    const target = await startStore(2, 1)
    try {
      const path = folder.file('spread-account')
      const way = { ...setup(s.database), publicUrl: 'https://carnet.example' }
      const { counts } = await exportAccountToFile(way, { accountId: account.id, path })
      assert.deepEqual([counts.passport, counts.gtin], [16, 16])
      const { sql } = target.t.setup
      const options = { path, name: undefined, plan: undefined }
      const made = await importAccountFromFile({ ...target.t.setup, ...setup(target.database), sql }, options)
      const place = { shard: 2, shards: null, model_shards: null }
      assert.deepEqual({ ...(await readPlace(sql, made.account)) }, place)
      const rows = await sql<{ n: number }[]>`select count(*)::int as n from shard_2.passport`
      assert.equal(rows[0]?.n, 16)
      for (const id of ids) assert.equal((await target.t.ask('GET', `/p/${id}`)).status, 200)
    } finally {
      await target.close()
    }
  })

  test('is restored without the claim of a SKU whose product is not in the backup', async () => {
    const database = await cloneWithShards(3)
    const home = getShard(s.t.setup.sql, 1)
    const body = newProduct({ sku: 'KEPT' })
    const put = await s.t.ask('PUT', '/api/v1/products/by-sku/KEPT', { key: account.key, body })
    assert.equal(put.status, 201, put.text)
    try {
      const id = newPassportUuid(home, systemClock.now().getTime())
      await home`insert into sku_claim (account_id, sku, model_id) values (${account.id}, 'LOST', ${id})`
      const made = await createBackup(setup(s.database), { path: folder.file('sku-claims') })
      await restoreBackup(setup(database), { path: made.path })
      await withServer(database, async t => {
        const claims = await getShard(t.setup.sql, 1)<{ sku: string }[]>`select sku from sku_claim`
        assert.deepEqual(
          claims.map(({ sku }) => sku),
          ['KEPT'],
        )
      })
    } finally {
      await home`delete from sku_claim where sku = 'LOST'`
      await database.drop()
    }
  })
})

describe('an exported account', { timeout: STUCK_MS }, () => {
  let folder: Folder
  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder?.remove())

  for (const [from, to] of [
    [0, 2],
    [2, 0],
    [2, 2],
  ] as const) {
    test(`of a database with ${from} shards is imported into one with ${to}`, async () => {
      const source = await startStore(from)
      const target = await startStore(to, 1)
      try {
        const account = source.accounts[1] as TestAccount
        const id = await create(source.t, account, { name: 'Exported' })
        const path = folder.file(`account-${from}-${to}`)
        const { t } = source
        const way = { ...setup(source.database), publicUrl: 'https://carnet.example' }
        const { counts } = await exportAccountToFile(way, { accountId: account.id, path })
        assert.deepEqual([counts.passport, counts.gtin], [3, 3])
        const download = await openExportDownload(
          { ...account.ctx, sql: getShard(t.setup.sql, from > 0 ? 2 : null) },
          way,
          'by the console',
        )
        assert.ok(download)
        assert.equal(
          (await text(download)).split('\n').length,
          (await readFile(path, 'utf8')).split('\n').length,
        )
        const options = { path, name: undefined, plan: undefined }
        const imported = { ...target.t.setup, ...setup(target.database), sql: target.t.setup.sql }
        const made = await importAccountFromFile(imported, options)
        const [row] = await target.t.setup.sql<{ shard: number | null }[]>`
          select shard from account where id = ${made.account}`
        assert.equal(row?.shard, to > 0 ? 2 : null)
        const page = await target.t.ask('GET', `/p/${id}`, { headers: { accept: 'application/ld+json' } })
        assert.equal(page.status, 200)
        await assert.rejects(
          importAccountFromFile(imported, options),
          /already exists here|belongs to another product/,
        )
        const left = await target.t.setup.sql<{ n: number }[]>`select count(*)::int as n from public.passport`
        assert.equal(left[0]?.n, to > 0 ? 0 : 5)
      } finally {
        await source.close()
        await target.close()
      }
    })
  }
})
