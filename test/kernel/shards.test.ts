/** Tests shards as plain schemas of one PostgreSQL: their tables, and the whole server on two of them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listAccounts } from '../../src/accounts/account/accounts.ts'
import { getServiceActor } from '../../src/accounts/account/actors.ts'
import { idFromUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { listShardTables } from '../../src/kernel/db/create-shard.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { getShard, getShardNumber, listShards, SHARED_TABLES } from '../../src/kernel/db/shards.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import { listSitemapFile, listSitemapFiles } from '../../src/passports/read/sitemap.ts'
import { releaseGtin } from '../../src/passports/write/release-gtin.ts'
import { describeSchema } from '../describe-schema.ts'
import { type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'

describe('a shard', () => {
  let t: Harness
  before(async () => {
    t = await startHarness({ shards: 2 })
  })
  after(() => t.close())

  test('has each table that is not shared, exactly as the migrations have left it', async () => {
    const tables = await listShardTables(t.setup.sql)
    assert.ok(tables.length >= 25, `${tables.length} tables`)
    const { sql } = t.setup
    const expected = await describeSchema(sql, 'public', tables)
    assert.ok(expected.length > 300, `${expected.length} lines`)
    assert.deepEqual(await describeSchema(sql, 'shard_2', tables), expected)
  })

  test('begins with the rows that the migrations have inserted', async () => {
    const rows = await getShard(t.setup.sql, 2)<{ schema: string; n: number }[]>`
      select 'public' as schema, count(*)::int as n from public.scan_cleaning
      union all select 'shard_2', count(*)::int from shard_2.scan_cleaning`
    assert.deepEqual(
      [...rows],
      [
        { schema: 'public', n: 1 },
        { schema: 'shard_2', n: 1 },
      ],
    )
  })

  test('has no unlogged table, because such a shard cannot be moved', async () => {
    const rows = await t.setup.sql<{ name: string }[]>`
      select oid::regclass::text as name from pg_class
      where relnamespace = 'shard_2'::regnamespace and relpersistence <> 'p'`
    assert.deepEqual([...rows], [])
  })

  test('has no shared table, and every table of public is in one of the two lists', async () => {
    const rows = await t.setup.sql<{ name: string }[]>`
      select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`
    const tables = await listShardTables(t.setup.sql)
    assert.deepEqual(rows.map(row => row.name).sort(), [...tables, ...SHARED_TABLES].sort())
  })
})

describe('a transaction over several shards', () => {
  let t: Harness
  before(async () => {
    t = await startHarness({ shards: 2 })
  })
  after(() => t.close())

  const nameSchema = async (sql: Sql) => {
    const [row] = await sql<{ name: string }[]>`select current_schema()::text as name`
    return row?.name
  }
  /** A statement that fails after it was sent to this shard. */
  const fail = (sql: Sql) => assert.rejects(async () => void (await sql`select 1 / 0`))

  test('leads each statement to its shard, however they take turns', async () => {
    const pool = getShard(t.setup.sql, 1)
    const names = await inTransaction(pool, async sql => {
      const [one, two, shared] = [sql, getShard(sql, 2), getShard(sql, null)]
      assert.deepEqual([one, two, shared].map(getShardNumber), [1, 2, null])
      assert.equal(getShard(two, 1), one)
      await fail(two)
      const first = await Promise.all([one, two, shared, two, one].map(nameSchema))
      const nested = await inTransaction(two, async inner => {
        assert.equal(getShardNumber(inner), 2)
        return [await nameSchema(inner), await nameSchema(getShard(inner, 1)), await nameSchema(inner)]
      })
      await assert.rejects(
        inTransaction(one, inner => fail(getShard(inner, 2)).then(() => nameSchema(inner))),
      )
      return [...first, ...nested, await nameSchema(one), await nameSchema(two)]
    })
    const [one, two] = ['shard_1', 'shard_2']
    assert.deepEqual(names, [one, two, 'public', two, one, two, one, two, one, two])
    assert.equal(await nameSchema(pool), one)
  })

  test('sends its last statement to the shard that it was begun on', async () => {
    const pool = getShard(t.setup.sql, 1)
    let last: string | undefined
    await inTransaction(
      pool,
      sql => nameSchema(getShard(sql, 2)),
      sql => {
        const statement = sql`select current_schema()::text as name`
        statement.then(([row]) => {
          last = row?.name
        })
        return statement
      },
    )
    assert.equal(last, 'shard_1')
  })
})

/** Issued by the test of GS1 addresses. */
const UNITS = 2

describe('a server with two shards', () => {
  let t: Harness
  let accounts: TestAccount[]
  before(async () => {
    t = await startHarness({ shards: 2 })
    accounts = []
    for (let i = 0; i < 4; i++) {
      const account = await t.account()
      accounts.push(account)
      for (let n = 0; n < 3; n++) await create(account)
    }
  })
  after(() => t.close())

  const create = async (account: TestAccount, data: Record<string, unknown> = {}) => {
    const answer = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct(data) })
    assert.equal(answer.status, 201, answer.text)
    return answer.json.data as { id: string }
  }
  const shardsOf = async () => {
    const rows = await t.setup.sql<
      { id: number; shard: number | null }[]
    >`select id, shard from account order by id`
    return rows.map(row => row.shard)
  }

  const countPassports = async (sql: Sql) => {
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from passport`
    return row?.n ?? 0
  }

  test('puts a new account on the shard with the fewest passports', async () => {
    assert.deepEqual(await shardsOf(), [1, 2, 1, 2])
  })

  test('keeps the passports of an account on its shard, and none in public', async () => {
    assert.equal(await countPassports(t.setup.sql), 0)
    assert.deepEqual(await Promise.all(listShards(t.setup.sql).map(countPassports)), [6, 6])
  })

  test('ends ids in the number of their shard', async () => {
    const { id } = await create(accounts[1] as TestAccount)
    assert.match(parseId(id) ?? '', /002$/)
  })

  test('shows public pages of each shard, whatever the id ends in', async () => {
    for (const account of accounts.slice(0, 2)) {
      const { id } = await create(account)
      const page = await t.ask('GET', `/p/${id}`, { headers: { accept: 'application/ld+json' } })
      assert.equal(page.status, 200)
    }
    const sql = getShard(t.setup.sql, 2)
    const { id } = await create(accounts[1] as TestAccount)
    const old = `${(parseId(id) ?? '').slice(0, -3)}001`
    // As an id of an account that was moved: it names the shard that it came from.
    await sql`update passport set id = ${old}, model_id = ${old} where id = ${parseId(id) ?? ''}`
    const rows = await sql<{ id: string }[]>`select id from passport where id = ${old}`
    assert.equal(rows.length, 1)
    assert.equal((await t.ask('GET', `/p/${idFromUuid(old)}`)).status, 200)
  })

  test('gives a GTIN to one of four accounts on two shards, 20 times', async () => {
    for (let round = 0; round < 20; round++) {
      const gtin = nextGtin()
      const answers = await Promise.all(
        accounts.map(({ key }) =>
          t.ask('POST', '/api/v1/products', { key, body: newProduct({ gtin, sku: `G-${gtin}` }) }),
        ),
      )
      assert.deepEqual(answers.map(answer => answer.status).sort(), [201, 409, 409, 409])
    }
  })

  test('creates a product without a GTIN while the claim of another waits', async () => {
    const account = accounts[0] as TestAccount
    const gtin = nextGtin()
    const held = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const blocker = t.setup.sql.begin(async sql => {
      await sql`lock table gtin_claim in share row exclusive mode`
      locked.resolve()
      await held.promise
    })
    await locked.promise
    let isClaimed = false
    const claiming = create(account, { gtin, sku: `W-${gtin}` }).then(() => {
      isClaimed = true
    })
    await create(account)
    assert.equal(isClaimed, false)
    held.resolve()
    await Promise.all([blocker, claiming])
  })

  test('resolves GS1 addresses of both shards down to the unit', async () => {
    for (const account of accounts.slice(0, 2)) {
      const gtin = nextGtin()
      const { id } = await create(account, { gtin, sku: `R-${gtin}` })
      const made = await t.ask('POST', `/api/v1/products/${id}/children`, {
        key: account.key,
        body: { level: 'item', serial: 'S1' },
      })
      assert.equal(made.status, 201)
      const answer = await t.ask('GET', `/01/0${gtin}/21/S1`)
      assert.ok(answer.headers.location?.includes(made.json.data.id), String(answer.headers.location))
    }
  })

  test('lists the models of all shards in the sitemap, each in one file', async () => {
    const files = await listSitemapFiles(t.setup.sql)
    const listed = (await Promise.all(files.map(n => listSitemapFile(t.setup.sql, n)))).flatMap(
      file => file?.map(model => model.id) ?? [],
    )
    const counts = await Promise.all(listShards(t.setup.sql).map(countPassports))
    assert.equal(new Set(listed).size, listed.length)
    assert.equal(listed.length, counts.reduce((sum, n) => sum + n, 0) - UNITS)
  })

  test('counts scans of each account on its shard', async () => {
    const { id } = await create(accounts[0] as TestAccount)
    const page = await t.ask('GET', `/p/${id}`, {
      headers: {
        accept: 'text/html',
        'user-agent': 'Mozilla/5.0 (Linux; Android 14) Chrome/126 Mobile Safari',
      },
    })
    assert.equal(page.status, 200)
    await t.scans.flush()
    const counted = async (shard: number) => {
      const rows = await getShard(t.setup.sql, shard)`
        select from scan_total where passport_id = ${parseId(id) ?? ''}`
      return rows.length
    }
    assert.deepEqual([await counted(1), await counted(2)], [1, 0])
  })

  test('counts the passports of each account for the operator', async () => {
    const used = (await listAccounts({ sql: t.setup.sql, clock: t.clock })).map(
      account => account.used.model > 0,
    )
    assert.deepEqual(used, [true, true, true, true])
  })

  test('releases no GTIN of an active product, and counts the units issued under it', async () => {
    for (const account of accounts.slice(0, 2)) {
      const gtin = nextGtin()
      const { id } = await create(account, { gtin, sku: `L-${gtin}` })
      const body = { level: 'item', serial: 'S1' }
      await t.ask('POST', `/api/v1/products/${id}/children`, { key: account.key, body })
      const ctx = { sql: t.setup.sql, clock: t.clock }
      await assert.rejects(releaseGtin(ctx, gtin), { code: 'gtin_taken' })
      await t.ask('POST', `/api/v1/products/${id}/archive`, { key: account.key })
      await assert.rejects(releaseGtin(ctx, gtin), { code: 'validation' })
      const released = await releaseGtin(ctx, gtin, { force: true })
      assert.deepEqual([released.units, released.active_units], [1, 1])
    }
  })

  test('answers 503 for an account whose shard it does not know yet', async () => {
    const account = await t.account()
    await t.setup.sql`update account set shard = 7 where id = ${account.id}`
    const answer = await t.ask('GET', '/api/v1/products', { key: account.key })
    assert.deepEqual([answer.status, answer.json.code], [503, 'unavailable'])
    assert.ok(Number(answer.headers['retry-after']) > 0)
  })

  test('shows no account the products of another on the same shard', async () => {
    const [first, , third] = accounts as [TestAccount, TestAccount, TestAccount]
    const { id } = await create(first)
    assert.equal((await t.ask('GET', `/api/v1/products/${id}`, { key: third.key })).status, 404)
    assert.ok(await getServiceActor({ sql: t.setup.sql, clock: t.clock }, first.id))
  })
})
