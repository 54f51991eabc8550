import assert from 'node:assert/strict'
import { createHash, createPublicKey, hash, verify } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { updateBrand } from '../../src/accounts/brand/update-brand.ts'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { createDueRoots } from '../../src/passports/signed/daily-roots.ts'
import { verifyVersionProof } from '../../src/standards/signing/version-proof.ts'
import { mirrorAccount } from '../../src/transfer/mirror/mirror-account.ts'
import { listMirrorLags } from '../../src/transfer/mirror/mirror-runs.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { ADDRESSES, nextGtin } from '../harness.ts'
import { createMirrorSetup } from './mirror-setup.ts'
import { serveFolder } from './serve-folder.ts'
import { type Folder, fill, temporaryFolder } from './stores.ts'

/** In fields that the public may not see, and in free-form keys. */
const SECRET = 'planted-restricted-value'

const DAY_MS = 86_400_000

let database: TestDatabase
let s: UnitStand
let folder: Folder
let ids: Awaited<ReturnType<typeof fill>>
let dir: string
let served: Awaited<ReturnType<typeof serveFolder>>

const setup = () => createMirrorSetup(s)
const run = (to = dir, more: { all?: boolean } = {}) =>
  mirrorAccount(setup(), { accountId: s.account.id, dir: to, all: false, ...more })

const live = (path: string, accept = 'text/html') => s.t.ask('GET', path, { headers: { accept } })
const withoutLinks = (html: string) => html.replace(/(href|src|srcset)="[^"]*"/g, '')
const all = () => [ids.model, ids.batch, ...ids.items]
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'))

/** The files that a web server would show, with their hashes and times of writing. */
async function listTree(of: string): Promise<Map<string, { sha256: string; writtenAt: number }>> {
  const tree = new Map<string, { sha256: string; writtenAt: number }>()
  for (const entry of await readdir(of, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(of.length + 1)
    if (!entry.isFile() || path.startsWith('.carnet-mirror')) continue
    const body = await readFile(join(of, path))
    tree.set(path, {
      sha256: createHash('sha256').update(body).digest('hex'),
      writtenAt: (await stat(join(of, path))).mtimeMs,
    })
  }
  return tree
}

before(async () => {
  database = await cloneDatabase()
  s = await startUnitStand('enterprise', database, { trustedProxies: ['127.0.0.1'] })
  folder = await temporaryFolder()
  ids = await fill(s)
  const {
    items: [_item = ''],
  } = ids
  await s.call('PATCH', `/${ids.model}`, { data: { note: SECRET } })
  await s.call('PATCH', `/${ids.items[1]}`, { data: { stateOfHealth: 61.5, x: SECRET } })
  await setSigning({ ...s.account.ctx, secretCipher: s.t.setup.secretCipher }, true)
  dir = folder.file('mirror')
  await run()
  served = await serveFolder(dir)
})
after(async () => {
  served?.close()
  await s.close()
  await database.drop()
  await folder.remove()
})

describe('a mirror on a static host', () => {
  test('answers as the server: page, JSON-LD and documents, by types that extensions tell', async () => {
    for (const id of all()) {
      const page = await served.get(`/p/${id}`)
      assert.equal(withoutLinks(page.text), withoutLinks((await live(`/p/${id}`)).text))
      const jsonLd = await served.get(`/p/${id}/passport.jsonld`)
      assert.equal(jsonLd.text, (await live(`/p/${id}?format=jsonld`)).text)
      const en = await served.get(`/p/${id}/passport.en.json`)
      assert.equal(en.text, (await live(`/dpp/v1/dpps/${id}`, 'application/json')).text)
      const full = await served.get(`/p/${id}/passport.en-full.json`)
      assert.equal(full.text, (await live(`/dpp/v1/dpps/${id}?representation=full`, 'application/json')).text)
      assert.deepEqual(
        [page, jsonLd, en, full].map(({ status, type }) => [status, type]),
        [
          [200, 'text/html'],
          [200, 'application/ld+json'],
          [200, 'application/json'],
          [200, 'application/json'],
        ],
      )
    }
  })

  test('has every earlier version', async () => {
    const { version_no } = await s.call('GET', `/${ids.model}`)
    assert.ok(version_no > 3)
    for (let n = 1; n < version_no; n++) {
      const page = await served.get(`/p/${ids.model}/v/${n}/`)
      assert.equal(withoutLinks(page.text), withoutLinks((await live(`/p/${ids.model}?version=${n}`)).text))
      const en = await served.get(`/p/${ids.model}/v/${n}/passport.en.json`)
      assert.equal(en.text, (await live(`/dpp/v1/dpps/${ids.model}?version=${n}`, 'application/json')).text)
    }
  })

  test('has the contexts and schemas that its documents name, and the keys of the account', async () => {
    const document = JSON.parse((await served.get(`/p/${ids.model}/passport.en.json`)).text)
    const own = [document['@context'], document.contentSpecificationIds]
      .flat()
      .filter((url: string) => url.startsWith(ADDRESSES.publicUrl))
    assert.ok(own.length >= 2)
    const type = String(document.contentSpecificationIds[0]).replace('/ns/dpp/', '/ns/dpp/types/')
    for (const url of [...own, type]) {
      const { pathname } = new URL(url)
      assert.equal((await served.get(pathname)).text, (await live(pathname, '*/*')).text)
    }
    const did = /^did:web:carnet\.example:issuers:([a-z]+)#/.exec(document.proof.verificationMethod)?.[1]
    assert.equal(
      (await served.get(`/issuers/${did}/did.json`)).text,
      (await live(`/issuers/${did}/did.json`)).text,
    )
    const metadata = `/.well-known/jwt-vc-issuer/issuers/${did}`
    assert.equal((await served.get(metadata)).text, (await live(metadata)).text)
  })

  test('has what is archived, no draft, and nothing that the public may not see', async () => {
    assert.equal(
      JSON.parse((await served.get(`/p/${ids.items[0]}/passport.en.json`)).text).dppStatus,
      'archived',
    )
    let files = 0
    for (const path of (await listTree(dir)).keys()) {
      const body = await readFile(join(dir, path), 'utf8')
      assert.ok(!body.includes(SECRET), path)
      assert.ok(!/61[.,]5/.test(body), path)
      assert.ok(!/"stateOfHealth"/.test(body) || path.startsWith('ns/'), path)
      files++
    }
    assert.ok(files > 9 * 28)
    const passports = new Set(
      [...(await listTree(dir)).keys()].flatMap(path => /^p\/(\w+)/.exec(path)?.[1] ?? []),
    )
    assert.deepEqual([...passports].sort(), all().sort())
  })

  test('has every file in its manifest, which somebody else can verify', async () => {
    const manifest = await readJson(join(dir, 'manifest.json'))
    const tree = await listTree(dir)
    tree.delete('manifest.json')
    assert.deepEqual(
      new Map(manifest.files.map((file: { path: string; sha256: string }) => [file.path, file.sha256])),
      new Map(Array.from(tree, ([path, { sha256 }]) => [path, sha256])),
    )
    const { proof, ...document } = manifest
    const { proofValue, ...config } = proof
    const name = /issuers:([a-z]+)#key-1$/.exec(proof.verificationMethod)?.[1]
    const did = await readJson(join(dir, `issuers/${name}/did.json`))
    const { publicKeyJwk } = did.verificationMethod.find(
      (one: { id: string }) => one.id === `${proof.verificationMethod}-jwk`,
    )
    const isValid = (signed: object) =>
      verify(
        'sha256',
        Buffer.concat([
          hash('sha256', sortedJson(config), 'buffer'),
          hash('sha256', sortedJson(signed), 'buffer'),
        ]),
        { key: createPublicKey({ key: publicKeyJwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
        fromBase58(proofValue.slice(1)),
      )
    assert.equal(isValid(document), true)
    assert.equal(isValid({ ...document, time: '2020-01-01T00:00:00.000Z' }), false)
    assert.equal(isValid({ ...document, files: document.files.slice(1) }), false)
  })
})

/** RFC 8785 for objects with texts only. */
const sortedJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(sortedJson)}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${sortedJson(one)}`)}}`
}

function fromBase58(text: string): Buffer {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  const number = [...text].reduce((sum, one) => sum * 58n + BigInt(digits.indexOf(one)), 0n)
  return Buffer.from(number.toString(16).padStart(128, '0'), 'hex')
}

describe('a second run', () => {
  test('writes nothing but the manifest if nothing changed', async () => {
    const before = await listTree(dir)
    const made = await run()
    assert.deepEqual([made.written, made.removed], [0, 0])
    const after = await listTree(dir)
    before.delete('manifest.json')
    after.delete('manifest.json')
    assert.deepEqual(after, before)
  })

  test('writes only files of what changed, and is then like a new mirror', async () => {
    const before = await listTree(dir)
    const [, item = ''] = ids.items
    await s.call('PATCH', `/${item}`, { data: { dateOfManufacture: '2026-01' } })
    await s.call('POST', `/${ids.items[2]}/archive`)
    const made = await run()
    assert.ok(made.written > 0)
    const after = await listTree(dir)
    for (const [path, { writtenAt }] of after) {
      const names = [item, ids.items[2] ?? '', '/messages/']
      const isChanged = path === 'manifest.json' || names.some(name => path.includes(name))
      assert.ok(isChanged || writtenAt === before.get(path)?.writtenAt, path)
    }
    assert.ok([...after.keys()].some(path => path.startsWith(`p/${item}/v/`)))
    await requireSameAsNew()
  })

  test('follows a recall to everything beneath it, when it is set and when it ends', async () => {
    const hazard = { hazard: { en: 'The case can break.' }, action: { en: 'Stop using it.' } }
    const shows = async (id: string) => (await served.get(`/p/${id}`)).text.includes('The case can break.')
    await s.call('PUT', `/${ids.model}/recall`, hazard)
    s.t.clock.advance(2_000)
    const made = await run()
    assert.ok(made.passports >= all().length)
    for (const id of all()) assert.ok(await shows(id), id)
    await requireSameAsNew()
    await s.call('DELETE', `/${ids.model}/recall`)
    s.t.clock.advance(2_000)
    await run()
    for (const id of all()) assert.ok(!(await shows(id)), id)
    s.t.clock.release()
  })

  test('follows a new GTIN of a model to its units, and a new brand to all pages', async () => {
    const gtin = nextGtin()
    await s.call('PATCH', `/${ids.model}`, { data: { gtin } })
    await run()
    const item = ids.items.at(-1) ?? ''
    const { serial } = await s.call('GET', `/${item}`)
    assert.equal((await served.get(`/01/${gtin.padStart(14, '0')}/21/${serial}`)).status, 200)
    await updateBrand(s.account.ctx, { name: 'Südlicht', accent: '#102a5f' })
    const made = await run()
    assert.equal(made.passports, all().length)
    assert.match((await served.get(`/p/${item}`)).text, /Südlicht/)
    await requireSameAsNew()
  })

  test('over all passports restores files that somebody changed or removed', async () => {
    const before = await listTree(dir)
    const changed = `p/${ids.batch}/index.html`
    const removed = `p/${ids.batch}/passport.en.json`
    await writeFile(join(dir, changed), 'x')
    await rm(join(dir, removed))
    assert.equal((await run()).written, 0)
    assert.equal((await run(dir, { all: true })).written, 2)
    const after = await listTree(dir)
    for (const path of [changed, removed]) assert.equal(after.get(path)?.sha256, before.get(path)?.sha256)
  })
})

async function requireSameAsNew(): Promise<void> {
  const fresh = folder.file(`fresh-${Math.random()}`)
  await run(fresh)
  const [mirror, expected] = [await listTree(dir), await listTree(fresh)]
  for (const tree of [mirror, expected]) tree.delete('manifest.json')
  const hashes = (tree: typeof mirror) =>
    Object.fromEntries(Array.from(tree, ([path, { sha256 }]) => [path, sha256]).sort())
  assert.deepEqual(hashes(mirror), hashes(expected))
}

describe('proofs', () => {
  const readProofs = async () => {
    const proofs = new Map<string, ReturnType<typeof verifyVersionProof>>()
    for (const path of (await listTree(dir)).keys())
      if (path.endsWith('/proof.json')) proofs.set(path, verifyVersionProof(await readJson(join(dir, path))))
    return proofs
  }

  test('of versions are written once a daily root covers them, and kept when they are succeeded', async () => {
    assert.equal((await readProofs()).size, 0)
    const { sql } = s.account.ctx
    s.t.clock.advance(2 * DAY_MS)
    const { secretCipher } = s.t.setup
    await createDueRoots({ sql, clock: s.t.clock, secretCipher }, () => true)
    s.t.clock.release()
    const made = await run()
    const proofs = await readProofs()
    assert.deepEqual([made.proofs, made.written], [proofs.size, proofs.size])
    for (const id of all()) {
      const { version_no } = await s.call('GET', `/${id}`)
      for (let n = 1; n <= version_no; n++) {
        const proof = await readJson(join(dir, `p/${id}/v/${n}/proof.json`))
        const place = n === version_no ? `p/${id}` : `p/${id}/v/${n}`
        const { passportRecord } = await readJson(join(dir, place, 'passport.en.json'))
        assert.equal(proof.versionCommitment, passportRecord.versionCommitment)
        const { version, notProven } = proofs.get(`p/${id}/v/${n}/proof.json`) ?? assert.fail()
        assert.deepEqual(version, { passportId: id, versionNo: n })
        assert.equal(notProven.address, `${ADDRESSES.publicUrl}/p/${id}`)
      }
    }
    await s.call('PATCH', `/${ids.items[1]}`, { data: { dateOfManufacture: '2026-02' } })
    assert.equal((await run()).proofs, 0)
    assert.equal((await readProofs()).size, proofs.size)
    await requireSameAsNew()
  })

  test('of all versions are restored if somebody changed or removed one', async () => {
    const before = await readProofs()
    const [first = '', second = ''] = before.keys()
    await writeFile(join(dir, first), '{}')
    await rm(join(dir, second))
    assert.equal((await run(dir, { all: true })).written, 2)
    assert.deepEqual(await readProofs(), before)
  })

  test('by time stamps on roots follow when there are some', async () => {
    const { sql } = s.account.ctx
    await sql`update daily_root set token = 'token', stamped_at = until where account_id = ${s.account.id}`
    assert.equal((await run()).written, 1)
    const [path] = [...(await listTree(dir)).keys()].filter(one => one.endsWith('.tst'))
    assert.match(path ?? '', /^issuers\/[a-z]+\/roots\/\d{4}-\d\d-\d\d\.tst$/)
    assert.equal(await readFile(join(dir, path ?? ''), 'utf8'), 'token')
  })
})

test('status lists are there, those of revocations in both forms', async () => {
  const [list = ''] = [...(await listTree(dir)).keys()].filter(path => path.endsWith('/status/1'))
  assert.equal(await readFile(join(dir, list), 'utf8'), (await live(`/${list}`, '*/*')).text)
  assert.equal(await readFile(join(dir, `${list}.jwt`), 'utf8'), (await live(`/${list}/token`, '*/*')).text)
  const messages = list.replace('/status/', '/messages/')
  assert.equal(await readFile(join(dir, messages), 'utf8'), (await live(`/${messages}`, '*/*')).text)
})

describe('the age of what is missing', () => {
  const readLag = async () => {
    const lags = await listMirrorLags({ sql: s.t.sql, clock: s.t.clock })
    return lags.find(({ accountId }) => accountId === s.account.id)?.seconds
  }

  test('is that of the oldest change since the last run', async () => {
    await run()
    assert.equal(await readLag(), 0)
    await s.call('PATCH', `/${ids.batch}`, { data: { ratedCapacity: 14 } })
    s.t.clock.advance(600_000)
    const lag = (await readLag()) ?? 0
    assert.ok(lag >= 599 && lag < 700, String(lag))
    s.t.clock.release()
    await run()
    assert.equal(await readLag(), 0)
    // Recalls of the last two seconds before the run are known to be in the mirror.
    await s.t.sql`
      insert into recall_change (account_id, passport_id, number, kind, notice, set_at, changed_at, changed_by, stored_at)
      values (${s.account.id}, ${parseId(ids.items.at(-1) ?? '') ?? ''}, 99, 'e', '{}', now(), now(), 1,
        now() + interval '10 seconds')`
    s.t.clock.advance(600_000)
    assert.ok(((await readLag()) ?? 0) >= 580)
    s.t.clock.release()
  })
})

describe('the folder', () => {
  test('belongs to one account, and must be empty or a mirror', async () => {
    const other = await s.t.account()
    const wrong = mirrorAccount(setup(), { accountId: other.id, dir, all: false })
    await assert.rejects(wrong, new RegExp(`is a mirror of account ${s.account.id} at`))
    const full = folder.file('full')
    await mkdir(full)
    await writeFile(join(full, 'x'), '')
    await assert.rejects(run(full), /is not empty/)
    await assert.rejects(
      mirrorAccount(setup(), { accountId: 99_999, dir: folder.file('none'), all: false }),
      /account/i,
    )
  })

  test('of an account that does not sign has a manifest without a proof', async () => {
    const other = await s.t.account()
    const made = await mirrorAccount(setup(), {
      accountId: other.id,
      dir: folder.file('unsigned'),
      all: false,
    })
    assert.deepEqual([made.is_signed, made.passports], [false, 0])
  })

  test('is complete again after a run was ended while it wrote', async () => {
    const to = folder.file('ended')
    for (const at of [2, 5]) {
      const whole = setup()
      const seen = new Set<string>()
      const openPassport = async (id: string) => {
        if (seen.add(id).size > at) throw new Error('the process is ended')
        return whole.openPassport(id)
      }
      const begun = mirrorAccount(
        { ...whole, openPassport },
        { accountId: s.account.id, dir: to, all: false },
      )
      await assert.rejects(begun, /the process is ended/)
    }
    const state = await readJson(join(to, '.carnet-mirror/state.json'))
    const stray = { of: ids.model, writing: [`p/${ids.model}/stray.html`] }
    await appendFile(
      join(to, `.carnet-mirror/files-${state.journal}.ndjson`),
      `${JSON.stringify(stray)}\n{"of":"x`,
    )
    await mkdir(join(to, `p/${ids.model}`), { recursive: true })
    await writeFile(join(to, `p/${ids.model}/stray.html`), 'half')
    await writeFile(join(to, `p/${ids.model}/stray.html.partial`), 'half')
    await run(to)
    const tree = await listTree(to)
    assert.deepEqual(
      [...tree.keys()].filter(path => path.includes('stray')),
      [],
    )
    const expected = await listTree(dir)
    assert.deepEqual([...tree.keys()].sort(), [...expected.keys()].sort())
  })
})
