/** Tests who can connect to the embedded database, and the rights of the role that serves requests. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createShard } from '../../src/kernel/db/create-shard.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { APPEND_ONLY_TABLES, grantTraffic } from '../../src/kernel/db/traffic-role.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/kernel/postgres-server/embedded-postgres.ts'
import { OWNER, TRAFFIC } from '../../src/kernel/postgres-server/server-access.ts'
import { connect } from '../database.ts'

const MIGRATIONS = join(import.meta.dirname, '../../migrations')
const binDir = process.env.PG_BIN_DIR
let dataDir: string
let server: EmbeddedPostgres
const start = async () => {
  server = await startEmbeddedPostgres({
    dataDir,
    log: () => {},
    settings: { fsync: 'off' },
    ...(binDir === undefined ? {} : { binDir }),
  })
}
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'carnet-access-'))
  await start()
})
after(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function as<T>(login: object, work: (sql: ReturnType<typeof connect>) => Promise<T>): Promise<T> {
  const { socketDir, port, database } = server
  const sql = connect({ socketDir, port, database, user: '', ...login })
  return work(sql).finally(() => sql.end({ timeout: 1 }))
}

const rolesOf = (login: object) =>
  as(
    login,
    sql => sql`select current_user::text as name, rolsuper from pg_roles where rolname = current_user`,
  )

/** Must hold for a data directory with any history. */
async function assertSeparated(): Promise<void> {
  assert.deepEqual([...(await rolesOf(server.owner))], [{ name: OWNER, rolsuper: false }])
  assert.deepEqual([...(await rolesOf(server.traffic))], [{ name: TRAFFIC, rolsuper: false }])
  for (const user of ['carnet', OWNER, TRAFFIC]) {
    await assert.rejects(rolesOf({ user, password: 'guessed' }), { code: '28P01' })
  }
}

const password = () => readFileSync(join(dataDir, 'database-password'), 'utf8')

test('nobody gets in without the password, which only Carnet’s system user can read', async () => {
  await assertSeparated()
  assert.equal(statSync(join(dataDir, 'database-password')).mode & 0o777, 0o600)
  assert.ok(password().trim().length >= 40)
})

test('a data directory of version 0.1, with one superuser and no password, is migrated', async () => {
  const { user, password: secret } = server
  await as({ user, password: secret }, async sql => {
    await sql.unsafe(`alter database carnet owner to carnet;
      drop owned by carnet_traffic, carnet_owner; drop role carnet_traffic; drop role carnet_owner;
      alter role carnet password null`)
    await migrate(sql, MIGRATIONS, new Date())
  })
  await server.stop()
  rmSync(join(dataDir, 'database-password'))
  writeFileSync(join(dataDir, 'pg/pg_hba.conf'), 'local all all trust\n')
  await start()
  await assertSeparated()
  const [row] = await as(server.traffic, sql => sql`select count(*)::int as n from schema_migration`)
  assert.ok(row?.n > 20)
  await as(server.owner, sql => sql`alter table passport add column later integer`)
})

describe('the database role of the server', () => {
  test('owns nothing, reads everything, and writes everything except the list of migrations', async () => {
    const rows = await as(
      server.traffic,
      sql => sql<{ name: string; owner: string; rights: string }[]>`
        select relname as name, relowner::regrole::text as owner,
          concat_ws(' ', case when has_table_privilege(oid, 'select') then 's' end,
            case when has_table_privilege(oid, 'insert') then 'i' end, case when has_table_privilege(oid, 'update') then 'u' end,
            case when has_table_privilege(oid, 'delete') then 'd' end, case when has_table_privilege(oid, 'truncate') then 't' end
          ) as rights
        from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    )
    assert.ok(rows.length > 40)
    for (const { name, owner, rights } of rows) {
      const isAppendOnly = (APPEND_ONLY_TABLES as readonly string[]).includes(name)
      const expected = /^(schema|shard)_migration$/.test(name) ? 's' : isAppendOnly ? 's i' : 's i u d'
      assert.deepEqual([name, owner, rights], [name, OWNER, expected])
    }
  })

  const FORBIDDEN = [
    'update passport_version set note = null',
    'delete from audit_entry',
    'truncate content cascade',
    'alter table passport_version disable trigger user',
    'drop trigger event_fans_out on event',
    'create table mine ()',
    'create role friend superuser',
    "copy (select 1) to program 'true'",
    "select pg_read_file('postgresql.conf')",
    'set role carnet_owner',
    'alter system set fsync = off',
  ]
  for (const statement of FORBIDDEN) {
    test(`cannot run: ${statement}`, async () => {
      await assert.rejects(
        as(server.traffic, sql => sql.unsafe(statement)),
        { code: '42501' },
      )
    })
  }

  test('gets its rights to a new table, and loses excess rights', async () => {
    await as(server.owner, async sql => {
      await sql`create table later (n integer generated always as identity)`
      await sql.unsafe(`grant update on audit_entry to ${TRAFFIC}`)
      await sql.begin(tx => grantTraffic(tx, TRAFFIC))
    })
    await as(server.traffic, sql => sql`insert into later default values`)
    await assert.rejects(
      as(server.traffic, sql => sql`update audit_entry set at = now()`),
      { code: '42501' },
    )
  })

  test('has the same rights on a shard', async () => {
    await as(server.owner, async sql => {
      await sql`drop table later`
      await sql.begin(tx => createShard(tx, 1))
      await sql.begin(tx => grantTraffic(tx, TRAFFIC))
    })
    await as(server.traffic, async sql => {
      await sql`update shard_1.account_usage set used = 0`
      for (const table of APPEND_ONLY_TABLES) {
        await sql`select from shard_1.${sql(table)} limit 1`
        await assert.rejects(sql`delete from shard_1.${sql(table)}`, { code: '42501' })
      }
      await assert.rejects(sql`truncate shard_1.account_usage`, { code: '42501' })
      await assert.rejects(sql`delete from shard_migration`, { code: '42501' })
    })
  })
})

describe('a data directory', () => {
  test('gets a new password if the old one is lost', async () => {
    const before = password()
    await server.stop()
    rmSync(join(dataDir, 'database-password'))
    await start()
    assert.notEqual(password(), before)
    await assertSeparated()
  })

  test('accepts processes of version 0.1, which have no password, while they use its server', async () => {
    const { user, password: secret } = server
    writeFileSync(join(dataDir, 'pg/pg_hba.conf'), 'local all all trust\n')
    const old = await as({ user, password: secret }, async sql => {
      await sql`select pg_reload_conf()`
      const { socketDir, port } = server
      const here = connect({ socketDir, port, user, database: 'postgres' })
      await here`set application_name = 'carnet here 1'`
      return here
    })
    await server.stop()
    await start()
    assert.equal(server.adopted, true)
    assert.equal((await rolesOf({ user: 'carnet' })).length, 1)
    await old.end()
    await server.stop()
    await start()
    await assertSeparated()
  })
})
