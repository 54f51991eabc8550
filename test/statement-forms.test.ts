import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type postgres from 'postgres'
import { listShardTables } from '../src/kernel/db/create-shard.ts'
import { splitStatements } from '../src/kernel/db/split-statements.ts'
import { cloneDatabase, connect, type TestDatabase } from './database.ts'
import { explainForm } from './statement-forms.ts'

let database: TestDatabase
let sql: postgres.Sql
let tables: string[]

before(async () => {
  database = await cloneDatabase()
  sql = connect(database.target)
  tables = await listShardTables(sql)
})
after(async () => {
  await sql.end()
  await database.drop()
})

describe('forms that Citus cannot run', () => {
  const REFUSED: [string, RegExp][] = [
    ['insert into content (id) values ($1) on conflict (id) do update set hash = $2', /a parameter after/],
    [
      'insert into content (id) values ($1) on conflict (id) do update set at = now() returning id',
      /immutable/,
    ],
    [
      "insert into content (id) values ($1) on conflict (id) do update set at = excluded.at - interval '1 day'",
      /immutable/,
    ],
    [
      'insert into sku_claim (sku) values ($1) on conflict (sku) do update set model_id = (select id from passport)',
      /a subquery after/,
    ],
    [
      'with a as (update passport set own = $1 returning id) insert into event (id) select id from a',
      /several writes/,
    ],
    [
      'with a as (delete from event) select 1 from a, (insert into content (id) values ($1)) b',
      /several writes/,
    ],
    ['select 1 from gtin_claim g join passport p on p.id = g.model_id', /a join of gtin_claim/],
    [
      'insert into event (id, created_at) select id, now() from passport where id = $1',
      /a clock in an insert/,
    ],
    ["update passport set status = case level when 'm' then 'a' else 'x' end", /a case with one value/],
  ]
  for (const [text, expected] of REFUSED) {
    test(`are found: ${text}`, () => assert.match(explainForm(text, tables) ?? '', expected))
  }

  const ACCEPTED = [
    'with a as (delete from passkey returning person_id) insert into person_session (id) select person_id from a',
    'insert into content (id) values ($1) on conflict (id) do update set hash = excluded.hash returning $2',
    `insert into person (at) values (now()) on conflict (id) do update set
      at = excluded.at at time zone 'UTC' - interval '1 day'`,
    'with a as (select id from passport where id = $1 for no key update) update passport set own = $2 from a',
    'with a as (select id from passport for update skip locked) delete from passport p using a where p.id = a.id',
    `with claim as materialized (select (1 + (2)) from gtin_claim where gtin14 = any($1))
      select 1 from claim join passport p on p.id = claim.model_id`,
    'with a as materialized (select id, now() as at from passport) insert into event (id, at) select id, at from a',
    'insert into event (id, created_at) select id, now() from unnest($1::uuid[]) id',
  ]
  for (const text of ACCEPTED) {
    test(`are not: ${text}`, () => assert.equal(explainForm(text, tables), undefined))
  }

  test('are not in the functions of the database', async () => {
    const rows = await sql<{ name: string; body: string }[]>`
      select proname as name, prosrc as body from pg_proc
      where pronamespace = 'public'::regnamespace and proname like 'carnet\\_%'`
    assert.ok(rows.length > 20)
    const problems = rows
      // A trigger for servers of the version before, which know no shards.
      .filter(({ name }) => name !== 'carnet_fan_out')
      .flatMap(({ name, body }) =>
        splitStatements(body).flatMap(({ text }) => {
          const problem = explainForm(text, tables)
          return problem === undefined ? [] : [`${name}: ${problem}\n${text}`]
        }),
      )
    assert.deepEqual(problems, [])
  })
})
