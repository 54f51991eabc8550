/** Two roles on a cluster: the owner migrates and creates shards, the other cannot change history on any node. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type postgres from 'postgres'
import { APPEND_ONLY_TABLES } from '../../src/kernel/db/traffic-role.ts'
import { carnet, emptyFolder, type Settings } from '../cli/processes.ts'
import { connect } from '../database.ts'
import { type CitusDatabase, findPlacement, makeCitusDatabase, SKIP_WITHOUT_CITUS } from './cluster.ts'

const PASSWORD = 'p'
const FORBIDDEN = { code: '42501' }

describe('two roles on Citus', { skip: SKIP_WITHOUT_CITUS }, () => {
  let database: CitusDatabase
  let folder: Awaited<ReturnType<typeof emptyFolder>>
  let settings: Settings
  let owner: string
  let traffic: string

  const urlOf = (url: string, role: string) => {
    const address = new URL(url)
    address.username = role
    address.password = PASSWORD
    return `${address.href}?sslmode=disable`
  }

  before(async () => {
    folder = await emptyFolder()
    database = await makeCitusDatabase()
    owner = `${database.name}_owner`
    traffic = `${database.name}_traffic`
    const { sql, url } = database.coordinator
    // Citus creates them on all nodes.
    for (const role of [owner, traffic])
      await sql.unsafe(`create role "${role}" login password '${PASSWORD}'`)
    for (const node of [database.coordinator, ...database.workers]) await prepareNode(node.sql)
    const env = {
      DATABASE_URL: urlOf(url, traffic),
      DATABASE_OWNER_URL: urlOf(url, owner),
      PORT: '0',
      SECRET_KEY: 'a key of tests, long enough to be one',
      DATA_DIR: folder.path,
    }
    settings = { cwd: folder.path, env }
  })
  after(async () => {
    await folder?.remove()
    await database?.drop()
    const sql = connect({ url: process.env.CARNET_CITUS ?? '' })
    for (const role of [owner, traffic]) await sql.unsafe(`drop role if exists "${role}"`)
    await sql.end()
  })

  /** The nodes sign in at each other as the role of the session. */
  async function prepareNode(sql: postgres.Sql): Promise<void> {
    for (const role of [owner, traffic]) {
      await sql`insert into pg_dist_authinfo (nodeid, rolename, authinfo) values (0, ${role}, ${`password=${PASSWORD}`})`
    }
    await sql`set citus.enable_ddl_propagation = off`
    await sql.unsafe(`alter database "${database.name}" owner to "${owner}"`)
    await sql.unsafe(`alter schema public owner to "${owner}"`)
    await sql`set citus.enable_ddl_propagation = on`
  }

  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await carnet(words, settings)
    assert.equal(code, 0, `${stdout}${stderr}`)
    return stdout
  }

  test('the owner creates shards, and doctor finds no problem as the other', async () => {
    await run('shards', 'create', '2')
    await run('accounts', 'create', '--name', 'Two roles', '--plan', 'pro')
    const report = await run('doctor', '--verify')
    assert.match(report, /roles +".*_traffic" answers requests and cannot change history/)
  })

  test('the other role cannot change history, on any node, by any name of a table', async () => {
    for (const node of [database.coordinator, ...database.workers]) {
      const sql = connect({ url: urlOf(node.url, traffic) })
      for (const table of APPEND_ONLY_TABLES) {
        const name = `shard_1.${table}`
        const placement = await findPlacement(database, name)
        await sql.unsafe(`select from ${name} limit 1`)
        for (const change of [`delete from ${name}`, `truncate ${name}`])
          await assert.rejects(sql.unsafe(change), FORBIDDEN)
        // Citus itself protects the table that has the rows.
        if (node === placement.node) await assert.rejects(sql.unsafe(`delete from ${placement.name}`))
      }
      await assert.rejects(sql`update schema_migration set name = 'x'`, FORBIDDEN)
      await assert.rejects(sql`select from pg_dist_authinfo`, FORBIDDEN)
      await sql.end()
    }
  })
})
