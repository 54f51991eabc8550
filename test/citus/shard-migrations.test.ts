/** Migrations of shards that are distributed: the same on every node, killed halfway, and behind a reader. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createShards } from '../../src/kernel/db/citus.ts'
import { listShardTables } from '../../src/kernel/db/create-shard.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { connect } from '../database.ts'
import { describeSchema } from '../describe-schema.ts'
import {
  copyMigrations,
  FIRST_WITH_SHARDS,
  killWhileAsleep,
  type Migrations,
  NOW,
  SHARD_FILE,
  SLEEP_IN_SHARD_2,
} from '../kernel/shard-migrations.ts'
import {
  type CitusDatabase,
  type CitusNode,
  findPlacement,
  makeCitusDatabase,
  SKIP_WITHOUT_CITUS,
} from './cluster.ts'

/** As if a shared table was new, with a function that Citus copies only after the table. */
const SHARED_FILE = `-- shared
drop table password_link;
create table password_link (id integer primary key, account_id integer not null references account (id));
create function carnet_later() returns setof password_link language plpgsql as $$
begin
  return query select * from password_link;
end $$;
alter table account add column later integer;
`

describe('a migration of shards on Citus', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase
  let nodes: readonly CitusNode[]
  let sql: CitusNode['sql']
  let migrations: Migrations

  before(async () => {
    migrations = copyMigrations()
    database = await makeCitusDatabase()
    nodes = [database.coordinator, ...database.workers]
    sql = database.coordinator.sql
    await migrate(sql, migrations.dir, NOW, FIRST_WITH_SHARDS)
    await createShards(sql, 2)
  })
  after(async () => {
    migrations?.remove()
    await database?.drop()
  })

  const applied = async () => (await migrate(sql, migrations.dir, NOW)).applied
  const assertEqualSchemas = async (shards: number) => {
    const tables = await listShardTables(sql)
    const expected = await describeSchema(sql, 'public', tables)
    for (let shard = 1; shard <= shards; shard++) {
      for (const node of nodes)
        assert.deepEqual(await describeSchema(node.sql, `shard_${shard}`, tables), expected)
    }
  }

  test('shards as they were before all later migrations become the same as new ones', async () => {
    await applied()
    await createShards(sql, 3)
    await assertEqualSchemas(3)
  })

  test('a new shared table and its function are on every node', async () => {
    migrations.write('9001_shared.sql', SHARED_FILE)
    assert.deepEqual(await applied(), ['9001_shared.sql'])
    await sql`insert into account (name, plan, created_at) values ('Brand', 'beta', ${NOW})`
    await sql`insert into password_link (id, account_id) select 7, id from account limit 1`
    for (const node of nodes) {
      const [row] =
        await node.sql`select id, (select count(later) from account)::int as later from carnet_later()`
      assert.deepEqual(row, { id: 7, later: 0 })
    }
  })

  test('killed halfway, it is continued where it stopped, and a new shard is like the others', async () => {
    migrations.write('9002_shard.sql', `${SHARD_FILE}${SLEEP_IN_SHARD_2}`)
    await killWhileAsleep(sql, { url: database.coordinator.url }, migrations.dir)
    for (const node of nodes) {
      const rows = await node.sql`select number from shard_migration order by shard`
      assert.deepEqual(
        rows.map(row => row.number),
        [9002, 9001, 9001],
      )
    }
    assert.deepEqual(await applied(), ['9002_shard.sql'])
    await createShards(sql, 4)
    await assertEqualSchemas(4)
    for (let shard = 1; shard <= 4; shard++) {
      const [row] = await sql.unsafe(`select count(*)::int as n from shard_${shard}.later`)
      assert.equal(row?.n, 1)
      await assert.rejects(sql.unsafe(`delete from shard_${shard}.later`), /is never changed/)
    }
    const numbers = await sql`select distinct number from shard_migration`
    assert.deepEqual([...numbers], [{ number: 9002 }])
  })

  test('it waits for a reader on a worker without holding up others', async () => {
    migrations.write('9003_shard.sql', '-- shard\nalter table scan_cleaning add column later integer;')
    const { node } = await findPlacement(database, 'shard_1.scan_cleaning')
    const reader = connect({ url: node.url })
    const migrator = connect({ url: database.coordinator.url })
    await reader`begin`
    await reader`select from shard_1.scan_cleaning`
    const migrating = migrate(migrator, migrations.dir, NOW)
    const isWaiting = async () => {
      const rows = await sql`
        select result from run_command_on_all_nodes(
          $$select count(*) from pg_locks l join pg_class c on c.oid = l.relation
            where not granted and c.relname like 'scan_cleaning%'$$) where result <> '0'`
      return rows.length > 0
    }
    let isOver = false
    const end = () => {
      isOver = true
    }
    migrating.then(end, end)
    while (!isOver && !(await isWaiting())) await turn()
    assert.equal(isOver, false)
    // Behind the migration, which gives up for a while.
    const rows = await sql`select from shard_1.scan_cleaning`
    assert.equal(rows.length, 1)
    await reader`commit`
    assert.deepEqual((await migrating).applied, ['9003_shard.sql'])
    await assertEqualSchemas(4)
    await Promise.all([reader.end(), migrator.end()])
  })
})
