/** Tests that arrays of every registered type are stored and read unchanged. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { ARRAY_TYPES } from '../../src/kernel/db/array-types.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'

let database: TestDatabase
let sql: Sql
before(async () => {
  database = await cloneDatabase()
  sql = openPool(database.target, { max: 2 })
})
after(async () => {
  await sql.end({ timeout: 1 })
  await database.drop()
})

test('the object ids match the PostgreSQL catalogue', async () => {
  const names = Object.keys(ARRAY_TYPES).map(name => name.replace('_array', ''))
  const rows = await sql<{ name: string; oid: number }[]>`
    select t.typname as name, t.typarray as oid from pg_catalog.pg_type t
    where t.typnamespace = 'pg_catalog'::regnamespace and t.typname = any(${names}::text[])`
  assert.deepEqual(
    Object.fromEntries(rows.map(({ name, oid }) => [`${name}_array`, oid])),
    Object.fromEntries(Object.entries(ARRAY_TYPES).map(([name, { to }]) => [name, to])),
  )
})

test('any text round-trips, also one that looks like an array literal', async () => {
  const odd = fc.constantFrom('', 'NULL', 'null', '{', '}', '{}', '"', '\\', '\\"', ',', ' ', '\n', ' a ')
  const text = fc.oneof(odd, fc.string({ unit: 'binary' }))
  const texts = fc.array(fc.option(text.map(one => one.replaceAll('\0', ''))))
  await fc.assert(
    fc.asyncProperty(texts, async given => {
      const [row] = await sql<{ same: string[]; json: string }[]>`
        select ${given}::text[] as same, to_json(${given}::text[])::text as json`
      assert.deepEqual(row?.same, given)
      assert.deepEqual(JSON.parse(row.json), given)
    }),
  )
})

describe('values of every type round-trip', () => {
  const day = new Date('2026-11-22T00:00:00.000Z')
  const moment = new Date('2026-11-22T15:30:00.123Z')
  /** The driver cannot send these as arrays, only read them. */
  const literals: Readonly<Record<string, string>> = {
    bool: '{t,f,null}',
    bytea: '{"\\\\x00ff225c","\\\\x"}',
    timestamp: '{2026-11-22 15:30:00.123Z}',
    date: '{2026-11-22}',
    timestamptz: '{2026-11-22 16:30:00.123+01,null}',
  }
  const same: Readonly<Record<string, unknown[]>> = {
    bool: [true, false, null],
    bytea: [Buffer.from([0, 255, 34, 92]), Buffer.alloc(0)],
    char: ['a', 'b'],
    name: ['a name'],
    int2: [-32_768, 32_767],
    int4: [-1, 0, 2_147_483_647],
    text: ['a', null, 'ü"'],
    bpchar: ['x'],
    varchar: ['x y'],
    int8: [0, 2 ** 53 - 1],
    float4: [0.5],
    float8: [1e-300, -1.5],
    oid: [4_294_967_295],
    timestamp: [moment],
    date: [day],
    timestamptz: [moment, null],
    numeric: ['12345678901234567890.123'],
    json: [{ a: [1, '"'] }],
    uuid: ['0197f1c0-0000-7000-8000-000000000000'],
    jsonb: [{ a: null }, { b: '\\' }],
  }
  for (const [name, values] of Object.entries(same)) {
    test(name, async () => {
      const type = name === 'char' ? '"char"' : name
      const [row] = await sql.unsafe(`select $1::${type}[] as same, '{}'::${type}[] as none`, [
        (literals[name] ?? values) as never,
      ])
      assert.deepEqual(row, { same: values, none: [] })
    })
  }

  test('every array type is covered', () => {
    assert.deepEqual(
      Object.keys(same).map(name => `${name}_array`),
      Object.keys(ARRAY_TYPES),
    )
  })
})
