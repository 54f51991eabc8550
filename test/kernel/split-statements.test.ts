import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { splitStatements } from '../../src/kernel/db/split-statements.ts'

const MIGRATIONS = join(import.meta.dirname, '../../migrations')
const split = (file: string) => splitStatements(file).map(({ text }) => text)

describe('splitStatements', () => {
  test('ends a statement at its semicolon, and the last one at the end of the file', () => {
    assert.deepEqual(split('select 1;\n\nselect 2 ; select 3\n'), ['select 1', 'select 2 ', 'select 3\n'])
    assert.deepEqual(split(' ;; '), [])
    assert.deepEqual(split(''), [])
  })

  test('leaves out comments before a statement, and says where it begins', () => {
    const file = "-- first; it's\n/* second; ' */ select 1 -- third;\n, 2;\n-- end;\n"
    const [one, ...others] = splitStatements(file)
    assert.deepEqual(one, { text: 'select 1 -- third;\n, 2', start: file.indexOf('select') })
    assert.deepEqual(others, [])
  })

  const WHOLE = [
    `select 'a;b', 'it''s; so', "c;""d"`,
    String.raw`select E'it\'s; so', e'\\', 'a\'`,
    'create function f() returns void language plpgsql as $$ begin perform 1; end $$',
    "create function f() returns text language sql as $body$ select '$$;'; $body$",
    'select a$b, c$d$e from t where x = $1',
    "select typE'a;b'",
  ]
  for (const text of WHOLE) {
    test(`keeps as one: ${text}`, () => assert.deepEqual(split(`${text};${text}`), [text, text]))
  }

  test('leaves a quotation mark without its end to the database', () => {
    assert.deepEqual(split("select 'a; select 2"), ["select 'a", 'select 2'])
  })
})

/** Up to this migration no database has shards, so a file without the line changes all there is. */
const LAST_WITHOUT_MARKER = 31

describe('migrations', () => {
  const names = readdirSync(MIGRATIONS, { recursive: true, encoding: 'utf8' })
  const read = (name: string) => ({ name, text: readFileSync(join(MIGRATIONS, name), 'utf8') })
  const files = names.filter(name => Number(name.slice(0, 4)) > LAST_WITHOUT_MARKER).map(read)
  const functions = names.filter(name => /^functions.*\.sql$/.test(name)).map(read)

  test('say in their first line whether they change each shard or what the shards share', () => {
    assert.ok(files.length > 0)
    const unmarked = files.filter(({ text }) => !/^-- (shard|shared)\n/.test(text))
    assert.deepEqual(
      unmarked.map(({ name }) => name),
      [],
    )
  })

  // Citus refuses each of these for tables that are distributed already.
  test('of shards, and functions, use only forms that Citus distributes', () => {
    assert.ok(functions.length > 0)
    const refused =
      /\bset (storage|statistics)\b|\badd column [^,]*\b(check|unique|primary key)\b|\bbegin atomic\b|\blanguage sql [a-z ]*\breturn\b|\bunlogged\b/i
    const wrong = [...files, ...functions].flatMap(({ name, text }) =>
      split(text)
        .filter(statement => refused.test(statement))
        .map(statement => `${name}: ${statement}`),
    )
    assert.deepEqual(wrong, [])
  })
})
