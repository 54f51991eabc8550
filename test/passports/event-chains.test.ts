/** Tests that each way to alter a log of events is found: by its chain, its head, the daily root, and in an export. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { idFromUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { asSql } from '../../src/kernel/db/transaction.ts'
import { findBrokenLogs } from '../../src/passports/copies/life-rows.ts'
import { createDueRoots } from '../../src/passports/signed/daily-roots.ts'
import { verifyRoots } from '../../src/passports/signed/verify-roots.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { cloneDatabase, IS_SHARDED, type TestDatabase } from '../database.ts'
import { type Folder, poolOfOne, temporaryFolder } from '../transfer/stores.ts'

const LOGS = 1_000
const DAY_MS = 86_400_000
const CHECK = join(import.meta.dirname, '../../docs/check-export.mjs')
const run = promisify(execFile)

let database: TestDatabase
let s: UnitStand
let folder: Folder
let ids: string[]
before(async () => {
  database = await cloneDatabase()
  s = await startUnitStand('enterprise', database)
  folder = await temporaryFolder()
  s.t.clock.advance(DAY_MS * 1.5 - (s.t.clock.now().getTime() % DAY_MS))
  await setSigning({ ...s.account.ctx, secretCipher: s.t.setup.secretCipher }, true)
  const model = await s.model()
  ids = await s.items(model, 'E', LOGS)
  const kinds = ['repair', 'accident', 'inspection', 'put_into_service']
  // Three to six events of each.
  const rows = ids.flatMap((id, n) =>
    Array.from({ length: 3 + (n % 4) }, (_, i) => ({
      id,
      kind: kinds[(n + i) % 4],
      at: i % 2 ? '2026-01-04' : '2026-01-04T10:00:00.5Z',
      note: { en: `Event ${i} of ${n}` },
    })),
  )
  for (let i = 0; i < rows.length; i += 500)
    await s.call('POST', `/${model}/children/events`, { items: rows.slice(i, i + 500) })
})
after(async () => {
  await folder.remove()
  await s.close()
  await database.drop()
})

/** Writes to a log what nobody may, and undoes it. */
async function tamper(work: (sql: Sql) => Promise<void>): Promise<void> {
  const undone = s.t.setup.sql.begin(async tx => {
    await tx.unsafe('alter table life_event disable trigger user')
    await work(asSql(tx))
    throw new Error('undo')
  })
  await assert.rejects(undone, /^Error: undo$/)
}

const BYTES = [
  `kind = 'lost'`,
  `at = at + interval '1 day'`,
  'is_day = not is_day',
  `stored_at = stored_at + interval '1 ms'`,
  'actor = actor + 1',
  `link_id = '01890000-0000-7000-8000-000000000000'`,
  'is_public = not is_public',
  `data = data || '{"reference": "x"}'`,
  `hash = sha256(hash)`,
]

/** Each alters one log, of at least three events, in one way. `n` chooses the place. */
const WAYS: Record<string, (uuid: string, n: number) => string[]> = {
  byte: (uuid, n) => [
    `update life_event set ${BYTES[n % BYTES.length]} where passport_id = '${uuid}' and number = ${1 + (n % 3)}`,
  ],
  remove: (uuid, n) => [`delete from life_event where passport_id = '${uuid}' and number = ${1 + (n % 2)}`],
  removeAndCloseTheGap: (uuid, n) => [
    `delete from life_event where passport_id = '${uuid}' and number = ${1 + (n % 2)}`,
    `update life_event set number = -number where passport_id = '${uuid}' and number > ${1 + (n % 2)}`,
    `update life_event set number = -number - 1 where passport_id = '${uuid}' and number < 0`,
  ],
  removeLast: uuid => [
    `delete from life_event where passport_id = '${uuid}' and number = (select max(number) from life_event where passport_id = '${uuid}')`,
  ],
  swap: (uuid, n) => [
    `update life_event set number = number - ${3 + 2 * (n % 2)}
     where passport_id = '${uuid}' and number in (${1 + (n % 2)}, ${2 + (n % 2)})`,
    `update life_event set number = -number where passport_id = '${uuid}' and number < 0`,
  ],
  insert: uuid => [
    `insert into life_event (account_id, passport_id, number, kind, at, is_day, stored_at, actor, is_public, data, hash)
     select account_id, passport_id, (select max(number) + 1 from life_event where passport_id = '${uuid}'), kind, at, is_day, stored_at,
       actor, is_public, data, hash from life_event where passport_id = '${uuid}' and number = 1`,
  ],
  cutHead: uuid => [
    `update unit_life set events = events - 1, hash = (select hash from life_event l where l.passport_id = unit_life.passport_id
       and l.number = unit_life.events - 1) where passport_id = '${uuid}'`,
  ],
  loseHead: uuid => [`delete from unit_life where passport_id = '${uuid}'`],
  moveToAnother: uuid => [
    `update unit_life set passport_id = '01890000-0000-7000-8000-000000000000' where passport_id = '${uuid}'`,
    `update life_event set passport_id = '01890000-0000-7000-8000-000000000000' where passport_id = '${uuid}'`,
  ],
}

const skip = skipOnCitus('table') || IS_SHARDED

test('a thousand altered logs are found, and no other', { skip }, async () => {
  assert.deepEqual(await findBrokenLogs(s.t.sql), [])
  const ways = Object.entries(WAYS)
  await tamper(async sql => {
    // `number > 0` would refuse the steps of a swap.
    await sql.unsafe('alter table life_event drop constraint life_event_number_check')
    const altered = ids.filter((_, n) => n % 10 !== 9)
    for (const [n, id] of altered.entries()) {
      const [name, build] = ways[n % ways.length] ?? ['', () => []]
      if (name === 'moveToAnother' && n > ways.length) continue
      const uuid = parseId(id) ?? ''
      for (const statement of build(uuid, n)) {
        const { count } = await sql.unsafe(statement)
        assert.ok(count > 0, `${name}: ${statement}`)
      }
    }
    const found = await findBrokenLogs(sql, undefined, LOGS)
    const named = new Set(found.map(sentence => /product (\w{26})/.exec(sentence)?.[1]))
    const moved = ways.findIndex(([name]) => name === 'moveToAnother')
    const missed = altered.filter((id, n) => n % ways.length !== moved && !named.has(id))
    assert.deepEqual(missed, [])
    const intact = ids.filter((_, n) => n % 10 === 9)
    assert.deepEqual(
      intact.filter(id => named.has(id)),
      [],
    )
    assert.ok(named.has(idFromUuid('01890000-0000-7000-8000-000000000000')))
    const [, ofByte] =
      /altered at event (\d)/.exec(found.find(one => one.includes(altered[0] ?? '')) ?? '') ?? []
    assert.equal(ofByte, '1')
  })
})

test('a log that was cut together with its head is found by the daily root, which names it', {
  skip,
}, async () => {
  const setup = { sql: s.account.ctx.sql, clock: s.t.clock, secretCipher: s.t.setup.secretCipher }
  s.t.clock.advance(DAY_MS)
  assert.equal(await createDueRoots(setup, () => true), 1)
  const [root] = await s.t.sql<
    { versions: number }[]
  >`select versions from daily_root where account_id = ${s.account.id}`
  assert.equal(root?.versions, LOGS * 2 + 1)
  assert.deepEqual((await verifyRoots(setup)).problems, [])
  const [id = ''] = ids
  const uuid = parseId(id) ?? ''
  await tamper(async sql => {
    for (const statement of [...(WAYS.removeLast?.(uuid, 0) ?? [])]) await sql.unsafe(statement)
    await sql`
      update unit_life l set events = e.n, public_events = e.shown, hash = e.head from (
        select count(*)::int as n, (count(*) filter (where is_public))::int as shown, (array_agg(hash order by number desc))[1] as head
        from life_event where passport_id = ${uuid}) e
      where l.passport_id = ${uuid}`
    assert.deepEqual(await findBrokenLogs(sql), [])
    const { problems } = await verifyRoots({ ...setup, sql })
    assert.match(problems.join(), new RegExp(`the log of events up to 2 of passport ${id}`))
  })
  // An event of the next day moves the head of one log.
  await s.call('POST', `/${id}/events`, { kind: 'repair', at: '2026-01-05' })
  s.t.clock.advance(DAY_MS)
  await createDueRoots(setup, () => true)
  const [, next] = await s.t.sql<{ versions: number }[]>`
    select versions from daily_root where account_id = ${s.account.id} order by until`
  assert.deepEqual([next?.versions, (await verifyRoots(setup)).problems], [1, []])
})

type Line = Record<string, unknown> & { type: string }

test('an altered export is found without Carnet, whose own sums somebody has computed anew', {
  skip,
}, async () => {
  const path = folder.file('life.ndjson')
  const { clock } = s.t
  const source = { openPool: poolOfOne(database), clock, version: '0', publicUrl: 'https://carnet.example' }
  await exportAccountToFile(source, { accountId: s.account.id, path })
  const lines: Line[] = (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const check = async (altered: readonly Line[]) => {
    const kept = altered.filter(({ type }) => type !== 'end')
    const counts: Record<string, number> = {}
    for (const { type } of kept) counts[type] = (counts[type] ?? 0) + 1
    const text = kept.map(line => `${JSON.stringify(line)}\n`).join('')
    const sha256 = createHash('sha256').update(text).digest('hex')
    const name = folder.file('altered.ndjson')
    await writeFile(name, `${text}${JSON.stringify({ type: 'end', counts, sha256 })}\n`)
    return run(process.execPath, [CHECK, name]).then(
      () => '',
      (error: { stderr: string }) => error.stderr,
    )
  }
  assert.equal(await check(lines), '')
  const at = lines.findIndex(({ type }) => type === 'event')
  const head = lines.findIndex(({ type }) => type === 'unit_life')
  const edit = (place: number, change: object) =>
    lines.map((line, n) => (n === place ? { ...line, ...change } : line))
  const cases: Record<string, Line[]> = {
    kind: edit(at, { kind: 'lost' }),
    time: edit(at, { at: '2026-01-04T10:00:00.501Z' }),
    day: edit(at, { is_day: true }),
    author: edit(at + 1, { actor: 99 }),
    audience: edit(at, { is_public: lines[at]?.is_public !== true }),
    data: edit(at, { data: String(lines[at]?.data).replace('Event', 'Evant') }),
    removed: lines.filter((_, n) => n !== at),
    last: lines.filter((_, n) => n !== head - 1),
    head: lines.filter((_, n) => n !== head),
    count: edit(head, { events: 99 }),
    swapped: lines.map((line, n) =>
      n === at ? (lines[at + 1] ?? line) : n === at + 1 ? (lines[at] ?? line) : line,
    ),
    doubled: lines.flatMap((line, n) => (n === at ? [line, line] : [line])),
    foreign: edit(at, { passport: '01890000-0000-7000-8000-000000000000' }),
  }
  for (const [name, altered] of Object.entries(cases)) assert.match(await check(altered), /event|log/, name)
})
