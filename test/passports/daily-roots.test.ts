/** Tests daily Merkle roots over versions, and time stamps by an authority that OpenSSL plays. */
import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { getSecretIssuer, setSigning } from '../../src/accounts/issuer/issuer.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { createSecretCipher, type SecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { asSql } from '../../src/kernel/db/transaction.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { asObject } from '../../src/kernel/values/data-object.ts'
import { proveVersion } from '../../src/passports/documents/prove-version.ts'
import { createDueRoots, findVersionProof, stampRoots } from '../../src/passports/signed/daily-roots.ts'
import { buildEntryOf, listCommitments } from '../../src/passports/signed/list-commitments.ts'
import { verifyRoots } from '../../src/passports/signed/verify-roots.ts'
import { computeMerkleRoot, isInMerkleTree } from '../../src/standards/signing/merkle-tree.ts'
import { SignatureError } from '../../src/standards/signing/signature-error.ts'
import { readTimeStampToken } from '../../src/standards/signing/timestamp.ts'
import {
  buildVersionProof,
  isVersionProof,
  verifyVersionProof,
} from '../../src/standards/signing/version-proof.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { endPools, IS_SHARDED } from '../database.ts'
import { type Harness, startHarness } from '../harness.ts'
import { type Folder, temporaryFolder } from '../transfer/stores.ts'
import { startTsa } from './tsa.ts'

const DAY_MS = 86_400_000
const NOON_MS = DAY_MS / 2
/** More than one block of 1,024. */
const ITEMS = 1_100

let s: UnitStand
let tsa: Awaited<ReturnType<typeof startTsa>>
let folder: Folder
let model: string
const outbound = openOutbound({ allowInsecureLoopback: true, allowed: createAddressList([]) })
const always = () => true

const setup = () => ({ sql: s.account.ctx.sql, clock: s.t.clock, secretCipher: s.t.setup.secretCipher })
const readRoots = () =>
  s.account.ctx.sql<
    { until: Date; versions: number; root: Buffer; token: Buffer | null; stamped_at: Date | null }[]
  >`
    select until, versions, root, token, stamped_at from daily_root where account_id = ${s.account.id} order by until`

async function readCommitments(since: Date | null, until: Date) {
  const { ctx } = s.account
  const issuer = await getSecretIssuer(s.t.sql, s.t.setup.secretCipher, s.account.id, s.t.clock.now())
  assert.ok(issuer?.commitKey)
  const all = []
  for await (const one of listCommitments(ctx, issuer.commitKey, { since, until })) all.push(one)
  return all
}

before(async () => {
  tsa = await startTsa()
  folder = await temporaryFolder()
  s = await startUnitStand('enterprise')
  // A root is due an hour after midnight, so the day begins at noon whenever the test runs.
  s.t.clock.advance(DAY_MS + NOON_MS - (s.t.clock.now().getTime() % DAY_MS))
  await setSigning({ ...s.account.ctx, secretCipher: s.t.setup.secretCipher }, true)
  model = await s.model()
  await s.items(model, 'i', ITEMS)
  await s.call('PATCH', `/${model}`, { data: { weightKg: 7 } })
})
after(async () => {
  await outbound.close()
  tsa.close()
  await s.close()
  await folder.remove()
})

describe('daily roots', () => {
  test('cover each version once, from the day after, and only for accounts with keys', async () => {
    s.t.clock.advance(DAY_MS + DAY_MS)
    assert.equal(await createDueRoots(setup(), always), 1)
    assert.equal(await createDueRoots(setup(), always), 0)
    const [first] = await readRoots()
    assert.deepEqual(
      [first?.versions, first?.until.getTime() ?? 1],
      [ITEMS + 2, first?.until.setUTCHours(0, 0, 0, 0)],
    )
    const all = await readCommitments(null, first?.until ?? new Date(0))
    const entries = all.map(one => buildEntryOf(one, 2))
    assert.deepEqual(first?.root, computeMerkleRoot(entries))
  })

  test('prove each version, and no other', async () => {
    const [first] = await readRoots()
    const all = await readCommitments(null, first?.until ?? new Date(0))
    for (const one of [...all.slice(0, 3), ...all.slice(1_020, 1_030), ...all.slice(-3)]) {
      const proof = await findVersionProof(s.account.ctx, one)
      assert.ok(proof)
      const { format, index, size, siblings, root } = proof
      assert.equal(format, 2)
      assert.deepEqual(all[index]?.commitment, one.commitment)
      const entry = buildEntryOf(one, format)
      assert.equal(isInMerkleTree({ entry, index, size, siblings }, root), true)
      const changed = Buffer.from(entry)
      changed.writeUInt8(changed.readUInt8(0) ^ 1, 0)
      assert.equal(isInMerkleTree({ entry: changed, index, size, siblings }, root), false)
      assert.equal(await findVersionProof(s.account.ctx, { ...one, commitment: changed }), undefined)
      assert.equal(await findVersionProof(s.account.ctx, { ...one, versionNo: 9 }), undefined)
    }
  })

  test('give a file for one version, which is refused after any one change', async () => {
    const id = model
    const proven = await proveVersion(s.t.setup, parseId(id) ?? '', 2)
    const file = buildVersionProof(proven)
    assert.ok(isVersionProof(JSON.parse(JSON.stringify(file))))
    const { version, stamp, notProven } = verifyVersionProof(file)
    assert.deepEqual([version, stamp], [{ passportId: id, versionNo: 2 }, null])
    assert.equal(notProven.address, `https://carnet.example/p/${id}`)
    const tree = asObject(file.tree)
    const siblings = proven.siblings.map(one => one.toString('base64url'))
    const [first, ...rest] = siblings
    const other = proven.commitment
      .toString('base64url')
      .replace(/^./, letter => (letter === 'A' ? 'B' : 'A'))
    for (const changed of [
      { passport: id.replace(/.$/, letter => (letter === '0' ? '1' : '0')) },
      { versionNo: 7 },
      { format: 'carnet-version-proof/1', address: undefined },
      { versionCommitment: other },
      { versionCommitment: 'short' },
      { tree: { ...tree, index: proven.index + 1 } },
      { tree: { ...tree, size: 1 } },
      { tree: { ...tree, until: undefined } },
      { tree: { ...tree, root: other } },
      { tree: { ...tree, siblings: rest } },
      { tree: { ...tree, siblings: [other, ...rest] } },
      { tree: { ...tree, siblings: [first, 7] } },
      { tree: null },
      { timeStamp: 'MAA=' },
    ])
      assert.throws(
        () => verifyVersionProof({ ...file, ...changed }),
        SignatureError,
        JSON.stringify(changed),
      )
  })

  test('are compared with all versions by doctor --verify, which names the first that differs', {
    skip: skipOnCitus('table') || IS_SHARDED,
  }, async () => {
    const [root] = await readRoots()
    const { problems, ...counts } = await verifyRoots(setup())
    assert.deepEqual([counts, problems], [{ roots: 1, versions: ITEMS + 2, unreadable: [] }, []])
    const tamper = async (table: string, statement: string, expected: RegExp) => {
      const undone = s.t.setup.sql.begin(async tx => {
        await tx.unsafe(`alter table ${table} disable trigger user`)
        assert.ok((await tx.unsafe(statement)).count > 0, statement)
        const found = await verifyRoots({ ...setup(), sql: asSql(tx) })
        assert.equal(found.problems.length, 1)
        assert.match(found.problems[0] ?? '', expected)
        throw new Error('undo')
      })
      await assert.rejects(undone, /^Error: undo$/)
    }
    const day = root?.until.toISOString().slice(0, 10)
    await tamper(
      'passport_version',
      `update passport_version set hash = sha256('x') where version_no = 2`,
      new RegExp(`before ${day}: version 2 of passport ${model} was altered`),
    )
    await tamper('passport', `delete from passport where serial = 'i7'`, / of passport \w{26} was altered/)
    await tamper('daily_root_block', `update daily_root_block set root = sha256('x')`, /block 0 was altered/)
    await tamper('daily_root_block', 'delete from daily_root_block where number = 1', /is not in it/)
    await tamper('daily_root', `update daily_root set root = sha256('x')`, /: it was altered/)
    const other = createSecretCipher('another secret key, also long enough')
    const sql = await s.t.openPools()
    try {
      const { unreadable } = await verifyRoots({ ...setup(), sql, secretCipher: other })
      assert.deepEqual(unreadable, [s.account.id])
    } finally {
      await endPools(sql)
    }
  })

  test('of a later day cover only what was made since', async () => {
    await s.call('PATCH', `/${model}`, { data: { weightKg: 8 } })
    s.t.clock.advance(DAY_MS)
    assert.equal(await createDueRoots(setup(), always), 1)
    const [first, second] = await readRoots()
    assert.equal(second?.versions, 1)
    const [only] = await readCommitments(first?.until ?? null, second?.until ?? new Date(0))
    assert.deepEqual([only?.passport, only?.versionNo], [parseId(model), 3])
    s.t.clock.advance(DAY_MS)
    await createDueRoots(setup(), always)
    assert.equal((await readRoots()).at(-1)?.versions, 0)
  })

  test('that a server of the version before has begun stay of its format, beside the others', async () => {
    const { sql } = s.t.setup
    const writeAsBefore = async (until: Date, entry: Buffer) => sql`
      insert into daily_root_block (account_id, until, number, first_passport, first_version, root, commitments)
      values (${s.account.id}, ${until}, 0, ${parseId(model) ?? ''}, 1, ${computeMerkleRoot([entry])}, ${entry})
      on conflict (account_id, until, number) do update set first_passport = excluded.first_passport,
        first_version = excluded.first_version, root = excluded.root, commitments = excluded.commitments`
    const [second] = (await readRoots()).slice(1)
    await assert.rejects(writeAsBefore(second?.until ?? new Date(0), Buffer.alloc(32)), /one_format/)
    await s.call('PATCH', `/${model}`, { data: { weightKg: 9 } })
    const [since, until] = [(await readRoots()).at(-1)?.until ?? null, new Date(s.t.clock.now())]
    until.setUTCHours(24, 0, 0, 0)
    s.t.clock.advance(DAY_MS)
    const [only] = await readCommitments(since, until)
    assert.ok(only)
    await writeAsBefore(until, only.commitment)
    assert.equal(await createDueRoots(setup(), always), 1)
    assert.deepEqual((await readRoots()).at(-1)?.root, computeMerkleRoot([only.commitment]))
    const uuid = parseId(model) ?? ''
    const file = buildVersionProof(await proveVersion(s.t.setup, uuid, only.versionNo))
    const { version, notProven } = verifyVersionProof(file)
    assert.equal(version, null)
    assert.deepEqual(
      [notProven.passport, notProven.versionNo],
      [`https://carnet.example/p/${model}`, only.versionNo],
    )
    assert.deepEqual(verifyVersionProof(buildVersionProof(await proveVersion(s.t.setup, uuid, 1))).version, {
      passportId: model,
      versionNo: 1,
    })
    assert.deepEqual((await verifyRoots(setup())).problems, [])
  })
})

describe('time stamps', () => {
  test('are asked for again after a failure, and OpenSSL accepts them', async () => {
    const timeStamping = { outbound, url: tsa.url }
    tsa.setDown(true)
    await assert.rejects(stampRoots(setup(), timeStamping, always), /answered 503/)
    tsa.setDown(false)
    assert.equal(await stampRoots(setup(), timeStamping, always), 3)
    assert.equal(await stampRoots(setup(), timeStamping, always), 0)
    for (const { versions, root, token, stamped_at } of await readRoots()) {
      if (versions === 0) continue
      assert.ok(token !== null && stamped_at !== null)
      tsa.check(token, root)
      const other = Buffer.from(root)
      other.writeUInt8(other.readUInt8(0) ^ 1, 0)
      assert.throws(() => tsa.check(token, other))
      assert.throws(() => readTimeStampToken(token, other), /for another hash/)
    }
    const [first] = await readRoots()
    const file = buildVersionProof(await proveVersion(s.t.setup, parseId(model) ?? '', 2))
    assert.equal(verifyVersionProof(file).notProven.timeStamp, first?.stamped_at?.toISOString())
    assert.equal(verifyVersionProof(file).stamp, null)
    for (const pem of [tsa.certificates.ca, tsa.certificates.tsa]) {
      const { stamp } = verifyVersionProof(file, { authorities: [new X509Certificate(pem)] })
      assert.deepEqual(stamp, { at: first?.stamped_at, authority: 'CN=Test TSA' })
    }
    const unstamped = { ...file, timeStamp: null }
    const token = first?.token ?? undefined
    const stamped = verifyVersionProof(unstamped, { token })
    assert.equal(stamped.notProven.timeStamp, first?.stamped_at?.toISOString())
  })
})

describe('a moved account', () => {
  let file: string
  before(async () => {
    const { openPoolOfOne: openPool, sql } = s.t.setup
    const from = { openPool, sql, clock: s.t.clock, version: 'test', publicUrl: 'https://carnet.example' }
    file = folder.file('export')
    const { counts } = await exportAccountToFile(from, { accountId: s.account.id, path: file })
    assert.deepEqual([counts.daily_root, counts.daily_root_block], [4, 4])
  })

  const move = async (target: Harness, secretCipher: SecretCipher, path = file) => {
    const into = { ...target.setup, openPool: target.setup.openPoolOfOne, secretCipher, clock: s.t.clock }
    const { account } = await importAccountFromFile(into, { path, name: undefined, plan: undefined })
    return { ...into, accountId: Number(account) }
  }
  const countRoots = async ({ sql }: Harness) =>
    (
      await sql<{ n: number; entries: number }[]>`
      select count(*)::int as n, coalesce(sum(versions), 0)::int as entries from daily_root`
    )[0]

  test('keeps its roots and time stamps: proofs of before are made again, and the next root goes on', async () => {
    const target = await startHarness()
    const setup = await move(target, s.t.setup.secretCipher)
    const uuid = parseId(model) ?? ''
    for (const version of [1, 2, 3, 4])
      assert.deepEqual(await proveVersion(setup, uuid, version), await proveVersion(s.t.setup, uuid, version))
    const [before] = [await countRoots(target)]
    assert.deepEqual(before, { n: 4, entries: ITEMS + 4 })
    s.t.clock.advance(DAY_MS)
    assert.equal(await createDueRoots(setup, always), 1)
    assert.deepEqual(await countRoots(target), { n: 5, entries: ITEMS + 4 })
    await target.close()
  })

  test('gets a root over all versions again if its key for commitments is lost', async () => {
    const target = await startHarness()
    const secretCipher = createSecretCipher('another secret key, also long enough')
    const setup = await move(target, secretCipher)
    assert.deepEqual(await countRoots(target), { n: 0, entries: 0 })
    assert.equal(await createDueRoots(setup, always), 1)
    assert.deepEqual(await countRoots(target), { n: 1, entries: ITEMS + 4 })
    await proveVersion(setup, parseId(model) ?? '', 1)
    await target.close()
  })

  test('is refused with roots, blocks or time stamps that do not fit', async () => {
    const target = await startHarness()
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    const end = JSON.parse(lines.pop() ?? '')
    for (const [type, change] of [
      ['daily_root', { root: '00'.repeat(32) }],
      ['daily_root', { token: null, versions: ITEMS + 1 }],
      ['daily_root', { stamped_at: '2020-01-01T00:00:00.000Z' }],
      ['daily_root_block', { commitments: Buffer.alloc(32).toString('base64') }],
      ['daily_root_block', { entries: Buffer.alloc(32).toString('base64') }],
      ['daily_root_block', { entries: null }],
      ['daily_root_block', { number: 7 }],
    ] as const) {
      const at = lines.findIndex(line => line.startsWith(`{"type":"${type}"`))
      const changed = lines.with(at, JSON.stringify({ ...JSON.parse(lines[at] ?? ''), ...change }))
      const body = `${changed.join('\n')}\n`
      const path = folder.file('forged')
      const sha256 = createHash('sha256').update(body).digest('hex')
      await writeFile(path, `${body}${JSON.stringify({ ...end, sha256 })}\n`)
      await assert.rejects(move(target, s.t.setup.secretCipher, path), {
        code: 'validation',
        message: /^The (daily root|time stamp on the daily root) of/,
      })
    }
    await target.close()
  })
})
