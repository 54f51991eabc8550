import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { readAudienceProfile, setAudienceProfile } from '../../src/accounts/account/audience-profile.ts'
import { asSql } from '../../src/kernel/db/transaction.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import {
  findBrokenChains,
  findBrokenHistories,
  findWrongCounts,
  findWrongUnitCounts,
} from '../../src/passports/copies/verify.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { enterSchema } from '../../src/transfer/snapshot.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { cloneDatabase, TEST_SHARD, type TestDatabase } from '../database.ts'
import { type Folder, fill, poolOfOne, temporaryFolder } from './stores.ts'

const CHECK = join(import.meta.dirname, '../../docs/check-export.mjs')

let here: TestDatabase
let there: TestDatabase
let s: UnitStand
let other: UnitStand
let folder: Folder
let ids: Awaited<ReturnType<typeof fill>>
let file: string
let n = 0

before(async () => {
  here = await cloneDatabase()
  there = await cloneDatabase()
  s = await startUnitStand('enterprise', here)
  other = await startUnitStand('enterprise', there)
  folder = await temporaryFolder()
  ids = await fill(s)
  await setAudienceProfile(s.t, { accountId: s.account.id, profile: 'law' })
  file = (await makeExport(here, s.account.id)).path
})
after(async () => {
  await s.close()
  await other.close()
  await here.drop()
  await there.drop()
  await folder.remove()
})

const makeExport = (database: TestDatabase, accountId: number) =>
  exportAccountToFile(
    {
      openPool: poolOfOne(database),
      clock: systemClock,
      version: '0.0.0-test',
      publicUrl: 'https://carnet.example',
    },
    { accountId, path: folder.file(`export-${n++}`) },
  )
const makeImport = (path: string, { t } = other) =>
  importAccountFromFile(
    { ...t.setup, openPool: poolOfOne(t.database), clock: systemClock },
    { path, name: undefined, plan: undefined },
  )

const check = (path: string) =>
  promisify(execFile)(process.execPath, [CHECK, path]).then(
    ({ stdout }) => ({ ok: true, said: stdout }),
    (error: { stderr: string }) => ({ ok: false, said: error.stderr }),
  )

/** The lines without the first and the last, which contain a time and a checksum. */
const linesOf = async (path: string) => (await readFile(path, 'utf8')).trimEnd().split('\n').slice(1, -1)

async function faults(sql: UnitStand['t']['sql']): Promise<string[]> {
  const looks = [findBrokenChains, findBrokenHistories, findWrongCounts, findWrongUnitCounts]
  return (await Promise.all(looks.map(look => look(sql)))).flat()
}

/** Change type and status of each draft of an imported account, which are those of the exported one. */
async function publishDrafts(key: string) {
  const list = async (t: UnitStand['t'], of: string) =>
    (await t.ask('GET', '/api/v1/drafts', { key: of })).json.data as {
      id: string
      change_type: string | null
    }[]
  const drafts = await list(other.t, key)
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  assert.deepEqual(idsOf(drafts), idsOf(await list(s.t, s.account.key)))
  const found: [string | null, number][] = []
  for (const { id, change_type } of drafts) {
    assert.equal((await other.t.ask('GET', `/p/${id}`)).status, 404)
    const { status } = await other.t.ask('POST', `/api/v1/drafts/${id}/publish`, { key, body: {} })
    found.push([change_type, status])
  }
  return found
}

/** The latest values, which no line has: an import works them out. */
const latestOf = (sql: UnitStand['t']['sql'], accountId: number) => sql`
  select passport_id, "values", seconds, bits, first_at, last_at from measurement_latest
  where account_id = ${accountId} order by passport_id`

describe('export and import of an account', () => {
  test('an import has the same pages, versions and links, and exports the same lines', async () => {
    const made = await makeImport(file)
    const { passport, access_link, brand, draft, registry_entry, offer } = made.counts
    assert.deepEqual([passport, access_link, brand, draft, registry_entry, offer], [9, 2, 1, 2, 9, 2])
    assert.deepEqual([made.counts.credential_status, made.counts.recall], [2, 4])
    assert.deepEqual([made.counts.event, made.counts.unit_life], [4, 2])
    assert.equal(made.counts.measurement, 3)
    assert.deepEqual(await latestOf(other.t.sql, Number(made.account)), await latestOf(s.t.sql, s.account.id))
    const again = await makeExport(there, Number(made.account))
    assert.deepEqual(await linesOf(again.path), await linesOf(file))
    const imported = { ...other.account.ctx, accountId: Number(made.account) }
    assert.equal(await readAudienceProfile(imported), 'law')
    assert.deepEqual(await faults(other.t.sql), [])
    const underBatch = ids.items.slice(0, 4)
    for (const id of [ids.model, ids.batch, ...ids.items]) {
      const [mine, theirs] = await Promise.all([s.t.ask('GET', `/p/${id}`), other.t.ask('GET', `/p/${id}`)])
      assert.deepEqual([theirs.status, theirs.text], [200, mine.text], id)
      assert.equal(
        theirs.text.includes('It can catch fire.'),
        id === ids.batch || underBatch.includes(id),
        id,
      )
    }
    const key = await other.t.apiKey({ ...other.account, id: Number(made.account) }, 'full')
    const [item = ''] = ids.items
    const changed = await other.call('PATCH', `/${item}`, { data: { stateOfHealth: 50 } }, { key })
    assert.equal(changed.version_no, (await s.call('GET', `/${item}`)).version_no + 1)
    const published = await publishDrafts(key)
    assert.deepEqual(published, [
      ['correction', 200],
      [null, 422],
    ])
    assert.deepEqual(await faults(other.t.sql), [])
  })

  test('existing data is rejected, and nothing is left behind', async () => {
    const before = await other.t.sql`select count(*) as n from account`
    await assert.rejects(makeImport(file, s), { code: 'validation', message: /already exists here/ })
    const lines = (await readFile(file, 'utf8')).split('\n')
    assert.ok(lines.length > 20)
    assert.deepEqual(await other.t.sql`select count(*) as n from account`, before)
  })

  test('the script verifies an export without Carnet', async () => {
    const { ok, said } = await check(file)
    assert.ok(ok, said)
    assert.match(said, /^9 passports with \d+ versions: checksum, counts and hash chains agree\.\n/)
    assert.match(said, /does not prove who made the file: compare it with an earlier copy\.\n$/)
  })

  test('the script finds a changed byte anywhere, and the import rejects it', async () => {
    const bytes = await readFile(file)
    const damaged = folder.file('damaged')
    const accounts = async () =>
      (await other.t.sql<{ n: number }[]>`select count(*)::int as n from account`)[0]?.n
    const before = await accounts()
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 2), fc.integer({ min: 0, max: 7 }), async (at, bit) => {
        const copy = Buffer.from(bytes)
        copy[at] = (copy[at] ?? 0) ^ (1 << bit)
        await writeFile(damaged, copy)
        await assert.rejects(makeImport(damaged), { code: 'validation' })
      }),
      { numRuns: 60 },
    )
    assert.equal(await accounts(), before)
  })

  test('a truncated file is reported as such', async () => {
    const bytes = await readFile(file)
    const cut = folder.file('cut')
    for (const length of [0, 100, bytes.length - 40, bytes.lastIndexOf(10, bytes.length - 2) + 1]) {
      await writeFile(cut, bytes.subarray(0, length))
      await assert.rejects(makeImport(cut), { code: 'validation', message: /cut is incomplete/ })
    }
  })

  test('a file forged with a new checksum is detected by its hashes', async () => {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    const end = JSON.parse(lines.pop() ?? '')
    const forge = async (change: (line: string) => string) => {
      const text = lines.map(line => `${change(line)}\n`).join('')
      const sha256 = createHash('sha256').update(text).digest('hex')
      const path = folder.file('forged')
      await writeFile(path, `${text}${JSON.stringify({ ...end, sha256 })}\n`)
      return path
    }
    assert.ok((await check(await forge(line => line))).ok)
    for (const [from, to] of [
      ['Testmarke GmbH', 'Fälscher GmbH'],
      ['new cells', 'old cells'],
      ['\\"stateOfHealth\\": 90', '\\"stateOfHealth\\": 99'],
      ['"serial":"own"', '"serial":"owl"'],
      ['"kind":"c"', '"kind":"h"'],
      ['"created_by":', '"created_by":9'],
    ] as const) {
      const path = await forge(line => line.replace(from, to))
      assert.equal((await check(path)).ok, false, from)
      await assert.rejects(makeImport(path), { code: 'validation' }, from)
    }
  })

  test('random accounts are restored exactly, according to their hashes', async () => {
    const word = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .map(text => `x${text.replace(/\p{C}|\p{Z}/gu, '')}`)
    const field = fc.dictionary(
      fc.constantFrom('a', 'b', '10', '2', 'zz'),
      fc.oneof(
        word,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.array(word, { maxLength: 3 }),
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(field, { minLength: 1, maxLength: 5 }), async fields => {
        const account = await s.t.account({ plan: 'enterprise' })
        const { key } = account
        const model = await s.model({ gtin: null }, key)
        const unit = await s.call(
          'POST',
          `/${model}/children`,
          { level: 'item', serial: '1', data: { more: 1 } },
          { key },
        )
        for (const [i, extra] of fields.entries()) {
          const id = i % 2 === 0 ? model : unit.id
          const change_type = i % 3 === 0 ? 'correction' : 'change'
          const answer = await s.ask('PATCH', `/${id}`, { data: { extra }, change_type }, { key })
          // The API, not the export, rejects a number that JSON cannot represent exactly.
          assert.ok([200, 422, 400].includes(answer.status), answer.text)
        }
        await s.call('POST', `/${model}/refresh`, undefined, { key })
        const { path } = await makeExport(here, account.id)
        const { ok, said } = await check(path)
        assert.ok(ok, said)
        const made = await makeImport(path)
        const again = await makeExport(there, Number(made.account))
        assert.deepEqual(await linesOf(again.path), await linesOf(path))
      }),
      { numRuns: 5 },
    )
  })
})

/** At version 1 no version row records which data the passport had. */
const SWAPPED = `update passport p set content_id = (select id from content c
  where c.owner_id <> coalesce(p.parent_id, p.id) and c.account_id = p.account_id limit 1) where version_no = 1`

test('a passport with the data of another is detected in the file and not imported', async () => {
  const account = await s.t.account({ plan: 'enterprise' })
  const { key } = account
  for (const productName of ['One', 'Another']) await s.model({ productName, gtin: null }, key)
  assert.equal((await s.t.sql.unsafe(`${SWAPPED} and account_id = ${account.id}`)).count, 2)
  const { path } = await makeExport(here, account.id)
  const { ok, said } = await check(path)
  assert.equal(ok, false)
  assert.match(said, /version 1 of passport \w+ has the data of another/)
  await assert.rejects(makeImport(path), { code: 'validation', message: /inherited from the wrong product/ })
  await s.t.sql.unsafe(`update passport p set content_id = (select id from content c
    where c.owner_id = p.id and c.account_id = p.account_id) where account_id = ${account.id}`)
})

describe('doctor --verify', () => {
  test('names the passport whose history was altered in the database', async () => {
    const { sql } = s.t
    const [item = ''] = ids.items
    const tamper = async (statement: string, expected: RegExp) => {
      await assert.rejects(
        s.t.setup.sql.begin(async tx => {
          await enterSchema(asSql(tx), TEST_SHARD)
          await tx`alter table passport_version disable trigger user`
          await tx`alter table content disable trigger user`
          const { count } = await tx.unsafe(statement)
          assert.ok(count > 0, statement)
          const found = await findBrokenChains(asSql(tx))
          assert.match(found.join('\n'), expected, statement)
          throw new Error('undo')
        }),
        /^Error: undo$/,
      )
    }
    assert.deepEqual(await findBrokenChains(sql), [])
    await tamper(`update passport_version set note = 'x' where note is not null`, /altered at version 2/)
    await tamper(`update passport_version set created_by = 77 where version_no = 1`, /altered at version 1/)
    await tamper(
      `update passport_version
        set created_at = (created_at at time zone 'UTC' + interval '1 ms') at time zone 'UTC' where version_no = 2`,
      /version 2/,
    )
    await tamper(
      `update content set data = data || '{"weightKg": 1}' where upto = 1`,
      /the data of product \w+ at version 1 was altered/,
    )
    await tamper(
      `update passport set serial = 'owl' where serial = 'own'`,
      new RegExp(`${item} was altered at version 1`),
    )
    await tamper(`update passport set own = '{}' where serial = 'own'`, /differs from its version/)
    await tamper(SWAPPED, /data that was inherited from the wrong product/)
    await tamper(`delete from passport_version where version_no = 2`, /altered at version 3/)
  })
})

test('12,000 units are imported into an empty store without reading all of them repeatedly', {
  skip: skipOnCitus('statistics'),
}, async () => {
  const MANY = 12_000
  const from = await cloneDatabase()
  const into = await cloneDatabase()
  const stand = await startUnitStand('enterprise', from)
  const model = await stand.model()
  for (let i = 0; i < MANY; i += 500) {
    const items = Array.from({ length: 500 }, (_, j) => ({ serial: `S${i + j}` }))
    assert.equal((await stand.ask('POST', `/${model}/children`, { level: 'item', items })).status, 201)
  }
  const { path } = await makeExport(from, stand.account.id)
  await stand.close()
  const target = await startUnitStand('enterprise', into)
  assert.equal((await makeImport(path, target)).counts.passport, MANY + 1)
  const [row] = await target.t.sql<{ read: number }[]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables
    where relname in ('passport', 'passport_version', 'content')`
  await target.close()
  await from.drop()
  await into.drop()
  // Writing, counting and comparing read 19 rows per passport. Reading all earlier rows again for every 500
  // passports would add 13.
  const read = row?.read ?? 0
  assert.ok(read > MANY && read < 24 * MANY, `${read} rows read`)
})
