/** Carnet's own tables on Citus: shards spread over the workers, with their guards, and a move that loses no row. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getPrefixDigits } from '../../src/gs1/gtin.ts'
import { newUuid } from '../../src/kernel/crypto/ids.ts'
import { listShardTables } from '../../src/kernel/db/create-shard.ts'
import {
  type CitusDatabase,
  type CitusNode,
  findPlacement,
  moveShard,
  SKIP_WITHOUT_CITUS,
} from './cluster.ts'
import { makeShardedDatabase } from './sharded-database.ts'

const SHARDS = 4
const ROWS = 500
const KEPT = /is never changed/
const CHECK_VIOLATION = { code: '23514' }
const NOW = new Date('2026-11-23T10:00:00Z')
/** The tables whose rows nobody may change. */
const HISTORIES = ['audit_entry', 'content', 'passport_status', 'passport_version']

describe('shards on Citus', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase
  let nodes: readonly CitusNode[]

  before(async () => {
    database = await makeShardedDatabase(SHARDS)
    nodes = [database.coordinator, ...database.workers]
  })
  after(() => database?.drop())

  test('have all their tables on one worker, as many on each worker', async () => {
    const expected = await listShardTables(database.coordinator.sql)
    const rows = await database.coordinator.sql<{ shard: string; ports: number[]; tables: string[] }[]>`
      select split_part(table_name::text, '.', 1) as shard, json_agg(distinct nodeport) as ports,
        json_agg(split_part(table_name::text, '.', 2) order by table_name::text) as tables
      from citus_shards where citus_table_type = 'schema' group by 1 order by 1`
    assert.deepEqual(
      rows.map(row => row.shard),
      ['shard_1', 'shard_2', 'shard_3', 'shard_4'],
    )
    for (const row of rows) assert.deepEqual(row.tables, expected)
    const ports = rows.map(row => row.ports)
    assert.ok(ports.every(list => list.length === 1))
    for (const { port } of database.workers) assert.equal(ports.flat().filter(one => one === port).length, 2)
  })

  test('share the tables of public, and its functions', async () => {
    await database.coordinator.sql`
      insert into plan (id, api, requests_per_minute) values ('shared', true, 7)`
    const functions = await listFunctions(database.coordinator.sql)
    assert.ok(functions.includes('carnet_may_claim_gtin'))
    for (const { sql } of nodes) {
      const [row] = await sql`select requests_per_minute from plan where id = 'shared'`
      assert.equal(row?.requests_per_minute, 7)
      assert.deepEqual(await listFunctions(sql), functions)
    }
  })

  test('let one of several nodes claim a GTIN', async () => {
    const claims = nodes.map(
      ({ sql }, i) => sql`
        insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
        values ('04012345678901', '2345', ${i}::int, ${newUuid(NOW.getTime())}::uuid, ${NOW})
        on conflict do nothing returning account_id`,
    )
    const claimed = (await Promise.all(claims)).flat()
    assert.equal(claimed.length, 1)
  })

  test('have the GTINs of a company on one machine, and refuse other digits than its own', async () => {
    const { sql } = database.coordinator
    const insert = (gtin14: string, digits: string) => sql`
      insert into gtin_claim (gtin14, prefix_digits, account_id, model_id, claimed_at)
      values (${gtin14}, ${digits}, 1, ${newUuid(NOW.getTime())}::uuid, ${NOW})`
    const gtins = ['04098765000017', '14098765999993']
    for (const gtin14 of gtins) await insert(gtin14, getPrefixDigits(gtin14))
    const places = await sql`
      select distinct get_shard_id_for_distribution_column('gtin_claim', prefix_digits) from gtin_claim
      where gtin14 = any(${gtins}::text[])`
    assert.equal(places.length, 1)
    await assert.rejects(insert('04098765000024', '0000'), CHECK_VIOLATION)
  })

  test('move with all their tables, rows and guards', async () => {
    await insertEntries(database.coordinator.sql)
    const before = await findPlacement(database, 'shard_2.passport')
    const to = database.workers.find(worker => worker !== before.node)
    assert.ok(to)
    await moveShard(database, 'shard_2.passport', to)
    const tables = await listShardTables(database.coordinator.sql)
    for (const table of tables) assert.equal((await findPlacement(database, `shard_2.${table}`)).node, to)
    for (const { sql } of nodes) {
      const [row] = await sql`select count(*)::int as rows from shard_2.audit_entry`
      assert.equal(row?.rows, ROWS)
      for (const table of HISTORIES) {
        await assert.rejects(sql.unsafe(`update shard_2.${table} set account_id = account_id`), KEPT)
        await assert.rejects(sql.unsafe(`delete from shard_2.${table}`), KEPT)
        await assert.rejects(sql.unsafe(`truncate shard_2.${table}`), KEPT)
      }
    }
  })
})

async function insertEntries(sql: CitusNode['sql']): Promise<void> {
  await sql`
    insert into shard_2.audit_entry (account_id, id, at, actor, action, subject)
    select 1, gen_random_uuid(), ${NOW}::timestamptz, 1, 'test', n::text from generate_series(1, ${ROWS}::int) n`
}

/** Those of Carnet, not of its extensions. */
async function listFunctions(sql: CitusNode['sql']): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select proname as name from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    order by 1`
  return rows.map(row => row.name)
}
