/**
 * Tests that data could be distributed over machines by account: each table has the account in its key, or a
 * reason.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Harness, startHarness } from '../harness.ts'

/**
 * Directories are searched without an account. Like all shared data, they would be copied to every machine.
 */
const WITHOUT_ACCOUNT: Record<string, string> = {
  account: 'is the account',
  approved_name: 'directory: a name of the outside world is approved for one account of the service',
  browser_link: 'of a person, who may be in several accounts',
  dpp_alias: 'directory: an identifier names one passport of the whole service, and no account',
  dpp_id_base: 'the same for all accounts',
  gtin_claim: 'directory: a GTIN is one product of the whole service, and its address names no account',
  metric_slot: 'the same for all accounts: the place of each metric of a category',
  one_time_link: 'directory: found by the hash of a token, before anybody is known',
  passkey: 'of a person, who belongs to several accounts',
  passkey_challenge: 'directory: found by its hash, before anybody is known',
  password_link: 'of a person, who may be in several accounts',
  person: 'people belong to several accounts',
  person_session: 'directory: found by the hash of a cookie',
  plan: 'the same for all accounts',
  public_media: 'the address of a file names no account',
  scan_cleaning: 'when the service last deleted old scans',
  scan_salt: 'the same for all accounts, for a day',
  scan_writer: 'which processes write scans',
  schema_migration: 'the same for all accounts',
  shard_migration: 'of a shard, which has many accounts',
  sign_in_attempt: 'of a typed address, before the person is known',
}

/** Statements without an account on tables of accounts, by file. */
const STATEMENTS_WITHOUT: Record<string, string> = {
  'accounts/brand/brand.ts': 'directory: a logo by the file name in its address',
  'accounts/idempotency/idempotency.ts': 'scheduled task: deletes expired keys',
  'accounts/keys/keys.ts': 'the inserted row has it; the operator revokes by id alone',
  'accounts/people/browser-links.ts': 'directory: by an e-mail address',
  'accounts/people/members.ts': 'deletes a person without accounts',
  'accounts/people/password-reset.ts': 'directory: by an e-mail address',
  'media/fetch/claim-fetches.ts': 'a worker asks whether any fetch is due',
  'media/upkeep/delete-unused-media.ts': 'retention: fetches from addresses that ended long ago',
  'passports/access/access-links.ts': 'the inserted row has it',
  'passports/core/recalls.ts': 'the condition comes from `holdsFor`, which begins with it',
  'passports/drafts/store-drafts.ts': 'scheduled task: deletes old drafts',
  'passports/read/list-changes.ts': 'the condition comes from `filterConditions`, which begins with it',
  'passports/copies/align-claims.ts': 'a restore aligns the claims of all accounts',
  'passports/copies/import-rows.ts': 'an id may belong to any account',
  'passports/read/list.ts': 'the condition comes from `filterConditions`, which begins with it',
  'passports/read/page-marks.ts': 'the condition comes from `filterConditions`, which begins with it',
  'passports/read/select-hits.ts': 'the condition comes from `filterConditions`, which begins with it',
  'passports/read/select-rare-ids.ts': 'the condition comes from `filterConditions`, which begins with it',
  'passports/units/refresh-job.ts': 'monitoring: how many are open',
  'passports/read/sitemap.ts': 'directory: what search engines may list',
  'passports/copies/verify.ts': 'the operator checks all histories',
  'scans/settings.ts': 'recent changes, for the cache of a process',
  'transfer/spreadsheets/import/run-import.ts': 'a worker continues abandoned imports',
  'transfer/spreadsheets/import/spreadsheet-import.ts': 'scheduled task: deletes old imports',
  'webhooks/claim.ts': 'a worker releases its own leases',
  'webhooks/retention.ts': 'scheduled task: deletes expired secrets',
  'webhooks/rotate-secret.ts': 'the operator: whether any webhook has a secret',
  'webhooks/unstick.ts': 'the operator: frees what a wrong clock holds up',
}

const KEYS = `
  select t.relname as name, coalesce(array_agg(a.attname order by k.n) filter (where a.attname is not null), '{}') as key
  from pg_class t join pg_namespace s on s.oid = t.relnamespace and s.nspname = 'public'
  left join pg_index i on i.indrelid = t.oid and i.indisprimary
  left join lateral unnest(i.indkey::int[]) with ordinality as k(attnum, n) on true
  left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
  where t.relkind in ('r', 'p') and not t.relispartition group by t.relname order by t.relname`

let t: Harness
before(async () => {
  t = await startHarness()
})
after(() => t.close())

const SRC = join(import.meta.dirname, '../../src')

test('each statement on a table with accounts filters by account, or has a documented reason', async () => {
  const tables = (await t.sql.unsafe<{ name: string; key: string[] }[]>(KEYS)).filter(({ key }) =>
    key.includes('account_id'),
  )
  const names = new RegExp(`\\b(?:from|join|into|update)\\s+(${tables.map(({ name }) => name).join('|')})\\b`)
  const found = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .filter(name =>
      Array.from(
        readFileSync(join(SRC, name), 'utf8').matchAll(/sql(?:<[^`]*?>)?`([^`]*)`/g),
        ([, text]) => text ?? '',
      ).some(text => names.test(text) && !/account_id|accountId/.test(text)),
    )
  assert.deepEqual(found.sort(), Object.keys(STATEMENTS_WITHOUT).sort())
})

test('each table has account_id in its primary key, or a documented reason', async () => {
  const tables = await t.sql.unsafe<{ name: string; key: string[] }[]>(KEYS)
  assert.ok(tables.length > 20)
  const without = tables.filter(({ key }) => !key.includes('account_id')).map(({ name }) => name)
  assert.deepEqual(without, Object.keys(WITHOUT_ACCOUNT).sort())
})
