/**
 * Tests the features of Citus that Carnet's shards rely on: a schema on one worker, its foreign keys and
 * triggers, and a move that loses nothing.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type CitusDatabase,
  type CitusNode,
  findPlacement,
  makeCitusDatabase,
  moveShard,
  SKIP_WITHOUT_CITUS,
} from './cluster.ts'

/** A schema as Carnet's shards are: two tables, of which one refuses to be changed. */
const SCHEMA = `
  create function public.refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'rows of % are kept', tg_table_name;
  end $$;
  create schema shard_1;
  create table shard_1.passport (id integer primary key, name text not null);
  create table shard_1.passport_version (
    passport_id integer not null references shard_1.passport (id),
    version_no  integer not null,
    primary key (passport_id, version_no)
  );
  create trigger version_is_kept before update or delete on shard_1.passport_version
    for each statement execute function public.refuse_change();
  create trigger version_is_kept_whole before truncate on shard_1.passport_version
    for each statement execute function public.refuse_change();
  insert into shard_1.passport select n, 'chair ' || n from generate_series(1, 1000) n;
  insert into shard_1.passport_version select n, 1 from generate_series(1, 1000) n;
  select citus_schema_distribute('shard_1');
`
const ROWS = 1000
const FOREIGN_KEY_VIOLATION = { code: '23503' }
const KEPT = /rows of passport_version\w* are kept/

describe('a distributed schema', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase

  before(async () => {
    database = await makeCitusDatabase()
    await database.coordinator.sql.unsafe(SCHEMA).simple()
  })
  after(() => database.drop())

  const countRows = async (sql: CitusNode['sql']) => {
    const [row] = await sql<{ rows: number }[]>`
      select count(*)::int as rows from shard_1.passport p
      join shard_1.passport_version v on v.passport_id = p.id`
    return row?.rows
  }
  /** By each node: what is true through one entry is true through all. */
  const onAllNodes = async (check: (sql: CitusNode['sql']) => Promise<void>) => {
    for (const { sql } of [database.coordinator, ...database.workers]) await check(sql)
  }
  const checkGuards = () =>
    onAllNodes(async sql => {
      await assert.rejects(sql`insert into shard_1.passport_version values (0, 1)`, FOREIGN_KEY_VIOLATION)
      await assert.rejects(sql`update shard_1.passport_version set version_no = 2`, KEPT)
      await assert.rejects(sql`delete from shard_1.passport_version where passport_id = 1`, KEPT)
      await assert.rejects(sql`truncate shard_1.passport_version`, KEPT)
    })

  test('has a coordinator without shards, and two workers', async () => {
    assert.equal(database.workers.length, 2)
    const rows = await database.coordinator.sql<{ port: number }[]>`
      select nodeport as port from pg_dist_node where shouldhaveshards order by nodeport`
    assert.deepEqual(
      rows.map(row => row.port),
      database.workers.map(worker => worker.port),
    )
  })

  test('has all its tables on one worker, where the rows are', async () => {
    const passports = await findPlacement(database, 'shard_1.passport')
    const versions = await findPlacement(database, 'shard_1.passport_version')
    assert.equal(passports.node, versions.node)
    assert.deepEqual(await listTables(passports.node), [passports.name, versions.name].sort())
    await onAllNodes(async sql => assert.equal(await countRows(sql), ROWS))
  })

  test('keeps its foreign keys and its triggers, by every node', checkGuards)

  test('moves to the other worker with all rows and guards, and leaves nothing behind', async () => {
    const before = await findPlacement(database, 'shard_1.passport')
    const to = database.workers.find(worker => worker !== before.node)
    assert.ok(to)
    await moveShard(database, 'shard_1.passport', to)
    const passports = await findPlacement(database, 'shard_1.passport')
    const versions = await findPlacement(database, 'shard_1.passport_version')
    assert.deepEqual([passports.node, versions.node], [to, to])
    assert.deepEqual(await listTables(to), [passports.name, versions.name].sort())
    await onAllNodes(async sql => assert.equal(await countRows(sql), ROWS))
    await checkGuards()
    // Citus drops what was moved when its next maintenance comes round.
    await database.coordinator.sql`call citus_cleanup_orphaned_resources()`
    assert.deepEqual(await listTables(before.node), [])
  })
})

/** The tables of the schema that have rows on a node itself, by their physical names. */
async function listTables({ sql }: CitusNode): Promise<string[]> {
  const rows = await sql.begin(async tx => {
    // Citus hides them from everybody who does not ask.
    await tx`set local citus.override_table_visibility = off`
    return tx<{ name: string }[]>`
      select 'shard_1.' || relname as name from pg_class
      where relnamespace = 'shard_1'::regnamespace and relkind = 'r' and relname ~ '_[0-9]+$'
      order by 1`
  })
  return rows.map(row => row.name)
}
