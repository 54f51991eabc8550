/** Tests that pictures and documents go with the export of an account, and come back with its import. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { cp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { actAsOperator } from '../../src/accounts/account/accounts.ts'
import { findStory } from '../../src/accounts/brand/story.ts'
import { listShards } from '../../src/kernel/db/shards.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { originalKey } from '../../src/media/files/media-file.ts'
import { addMedia } from '../../src/media/upkeep/add-media.ts'
import { verifyMedia } from '../../src/media/upkeep/verify-media.ts'
import { withdrawMedia } from '../../src/media/upkeep/withdraw-media.ts'
import { askForWithdrawal } from '../../src/media/upkeep/withdrawal-requests.ts'
import { updateStory } from '../../src/passports/story/update-story.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { createMediaCleanup } from '../../src/worker/media-tasks.ts'
import { cloneDatabase, getTestShard, type TestDatabase } from '../database.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { makePdf, makePng } from '../media/sample-files.ts'
import { type Folder, poolOfOne, temporaryFolder } from './stores.ts'

let here: TestDatabase
let there: TestDatabase
let s: Harness
let other: Harness
let source: TestAccount
let taken: TestAccount
let folder: Folder
let path: string
let files: { picture: string; open: string; closed: string; unused: string }

const STORY = (media: string) => ({
  text: { en: 'We weave.' },
  links: [{ url: 'https://shop.example', label: { en: 'Our shop' } }],
  picture: { media, alt: { en: 'A loom' } },
})

async function store(bytes: Buffer, type: string): Promise<string> {
  const sent = { key: source.key, text: bytes, headers: { 'content-type': type } }
  return (await s.ask('POST', '/api/v1/media', sent)).json.data.id
}

before(async () => {
  here = await cloneDatabase()
  there = await cloneDatabase()
  s = await startHarness({ database: here })
  other = await startHarness({ database: there })
  source = await s.account()
  // The new account gets another number.
  taken = await other.account()
  await other.account()
  folder = await temporaryFolder()
  path = folder.file('account.ndjson')
  files = {
    picture: await store(await makePng({ width: 700, height: 50 }), 'image/png'),
    open: await store(await makePdf('Manual'), 'application/pdf'),
    closed: await store(await makePdf('Test report'), 'application/pdf'),
    unused: await store(await makePdf('For later'), 'application/pdf'),
  }
  const { category, data } = newProduct()
  const pictures = [{ media: files.picture, alt: { en: 'The front' } }]
  const documents = [
    { media: files.open, title: { en: 'Manual' } },
    { media: files.closed, title: { en: 'Test report' }, access: 'authority' },
  ]
  const body = { category, data: { ...data, pictures, documents } }
  const { status, text } = await s.ask('POST', '/api/v1/products', { key: source.key, body })
  assert.equal(status, 201, text)
  await updateStory(source.ctx, STORY(files.picture))
})
after(async () => {
  await s.close()
  await other.close()
  await here.drop()
  await there.drop()
  await folder.remove()
})

const exportTo = (to: string, dir: string) =>
  exportAccountToFile(
    { openPool: poolOfOne(here), clock: systemClock, version: 'test', publicUrl: 'https://carnet.example' },
    { accountId: source.id, path: to, files: { folder: dir, mediaStore: s.setup.media.mediaStore } },
  )
const importFrom = (file: string, dir: string | undefined) =>
  importAccountFromFile(
    { ...other.setup, openPool: poolOfOne(there), clock: other.clock },
    {
      path: file,
      name: undefined,
      plan: undefined,
      ...(dir === undefined ? {} : { files: { folder: dir, ...other.setup.media } }),
    },
  )

const countAccounts = async () =>
  (await other.sql`select id from account order by id`).map(({ id }) => Number(id))
const listStored = async () => (await Array.fromAsync(other.setup.media.mediaStore.listKeys())).toSorted()

/** A server's task, in each shard. */
async function cleanUp(): Promise<void> {
  const { log, media } = other.setup
  for (const sql of listShards(other.setup.sql))
    await createMediaCleanup({ sql, clock: other.clock, log, mediaStore: media.mediaStore }, () => true)()
}

/** Imports from a copy of the folder that `spoil` has changed, and expects that nothing was written. */
async function assertRefused(spoil: (dir: string) => Promise<void>, error: RegExp, file = path) {
  const dir = folder.file('spoilt')
  await cp(`${path}.files`, dir, { recursive: true })
  await spoil(dir)
  const accounts = await countAccounts()
  await assert.rejects(importFrom(file, dir), error)
  assert.deepEqual([await countAccounts(), await listStored()], [accounts, []])
  await rm(dir, { recursive: true })
}

/** The export with another id of a file, and a right checksum. */
async function writeForgedExport(id: string): Promise<string> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const end = JSON.parse(lines.pop() ?? '')
  const text = `${lines.join('\n')}\n`.replace(
    `"type":"file","id":"${files.unused}"`,
    `"type":"file","id":"${id}"`,
  )
  const forged = folder.file('forged.ndjson')
  await writeFile(forged, `${text}${JSON.stringify({ ...end, sha256: hash('sha256', text, 'hex') })}\n`)
  return forged
}

describe('pictures and documents in the export of an account', () => {
  test('are beside it as they were sent, under their digests, and again only if damaged', async () => {
    const dir = `${path}.files`
    const { counts, missing_files: missing } = await exportTo(path, dir)
    assert.deepEqual([counts.file, missing], [4, 0])
    const names = await readdir(dir)
    assert.deepEqual(names.toSorted(), Object.values(files).toSorted())
    await writeFile(join(dir, files.open), 'damaged')
    await exportTo(folder.file('second'), dir)
    for (const id of names) assert.equal(hash('sha256', await readFile(join(dir, id)), 'hex'), id)
  })

  test('are refused by an import if one is missing or damaged, and nothing is written', async () => {
    await assertRefused(dir => rm(join(dir, files.unused)), new RegExp(`${files.unused} is missing\\. Copy`))
    await assertRefused(
      async dir => {
        const bytes = await readFile(join(dir, files.open))
        bytes[20] = (bytes[20] ?? 0) ^ 1
        await writeFile(join(dir, files.open), bytes)
      },
      new RegExp(`${files.open} is damaged`),
    )
    await assertRefused(
      dir => rename(join(dir, files.open), join(dir, files.closed)),
      /is missing|is damaged/,
    )
    await assert.rejects(importFrom(path, folder.file('nowhere')), /is missing\. Copy the folder/)
  })

  test('are never read from outside of the folder', async () => {
    await assertRefused(async dir => {
      const outside = folder.file('outside')
      await rename(join(dir, files.open), outside)
      await symlink(outside, join(dir, files.open))
    }, /is damaged/)
    const forged = await writeForgedExport('../outside')
    await assertRefused(async () => {}, /whose id is not a SHA-256/, forged)
  })

  test('are refused if they are no picture or document, and nothing stays', async () => {
    const bytes = Buffer.from('<script>alert(1)</script>')
    const id = hash('sha256', bytes, 'hex')
    const accounts = await countAccounts()
    await cp(`${path}.files`, folder.file('foreign'), { recursive: true })
    await writeFile(folder.file(`foreign/${id}`), bytes)
    const forged = await writeForgedExport(id)
    await assert.rejects(importFrom(forged, folder.file('foreign')), /cannot be stored\. Send a picture/)
    assert.deepEqual(await countAccounts(), accounts)
    await cleanUp()
    assert.deepEqual(await listStored(), [])
  })

  test('come back with an import: each address answers as before', async () => {
    const made = await importFrom(path, `${path}.files`)
    const account = { ...taken, id: Number(made.account) }
    assert.notEqual(account.id, source.id)
    const key = await other.apiKey(account, 'full')
    const ask = (path: string) =>
      Promise.all([s.ask('GET', path, { key: source.key }), other.ask('GET', path, { key })])
    for (const id of Object.values(files)) {
      const [mine, theirs] = await ask(`/api/v1/media/${id}`)
      assert.deepEqual([theirs.status, theirs.json], [200, mine.json])
    }
    for (const type of ['avif', 'webp', 'jpg']) {
      for (const width of [320, 640, 1280]) {
        const [mine, theirs] = await ask(`/m/${files.picture}/${width}.${type}`)
        assert.deepEqual([mine.status, theirs.status], [200, 200], `${width}.${type}`)
      }
    }
    for (const id of [files.open, files.closed]) {
      const [mine, theirs] = await Promise.all(
        (
          [
            [s, source.key],
            [other, key],
          ] as const
        ).map(([{ app }, token]) =>
          app.inject({ url: `/d/${id}`, headers: { authorization: `Bearer ${token}` } }),
        ),
      )
      assert.deepEqual([theirs?.statusCode, theirs?.rawPayload], [200, mine?.rawPayload])
    }
    assert.equal((await other.ask('GET', `/d/${files.closed}`)).status, 404)
    for (const id of Object.values(files)) {
      const [mine, theirs] = await Promise.all([
        s.setup.media.mediaStore.read(originalKey(source.id, id)),
        other.setup.media.mediaStore.read(originalKey(account.id, id)),
      ])
      assert.deepEqual(theirs, mine)
    }
    assert.deepEqual(await findStory({ sql: other.setup.sql, accountId: account.id }), STORY(files.picture))
    assert.deepEqual((await verifyMedia(other.setup.sql, other.setup.media.mediaStore)).problems, [])
  })

  test('are deleted again after an import that fails later', async () => {
    const stored = await listStored()
    await assert.rejects(importFrom(path, `${path}.files`), /exist/)
    await cleanUp()
    assert.deepEqual(await listStored(), stored)
  })

  test('without the bytes in the store have no line and are counted', async () => {
    await s.setup.media.mediaStore.delete(originalKey(source.id, files.unused))
    const made = await exportTo(folder.file('third'), folder.file('third.files'))
    assert.deepEqual([made.counts.file, made.missing_files], [3, 1])
  })
})

test('a withdrawn file goes with the export as its tombstone, and the new account cannot store it either', async () => {
  const { mediaStore } = s.setup.media
  const bytes = await makePdf('By mistake')
  const id = await store(bytes, 'application/pdf')
  const asked = await store(await makePdf('Also'), 'application/pdf')
  const data = newProduct({ documents: [{ media: id, title: { en: 'Contract' } }] })
  const made = await s.ask('POST', '/api/v1/products', { key: source.key, body: data })
  assert.equal(made.status, 201, made.text)
  await askForWithdrawal(source.ctx, { id: asked, reason: 'Please.' })
  const operator = await actAsOperator({ sql: getTestShard(s.sql), clock: s.clock }, source.id)
  await withdrawMedia({ ...operator, mediaStore }, { id, reason: 'A mistake.' })
  const to = folder.file('withdrawn.ndjson')
  const { counts } = await exportTo(to, `${to}.files`)
  assert.deepEqual([counts.withdrawn_file, counts.withdrawal_request], [1, 1])
  assert.ok(!(await readdir(`${to}.files`)).includes(id))
  const fresh = await cloneDatabase()
  const third = await startHarness({ database: fresh })
  try {
    const { account } = await importAccountFromFile(
      { ...third.setup, openPool: poolOfOne(fresh), clock: third.clock },
      { path: to, name: undefined, plan: undefined, files: { folder: `${to}.files`, ...third.setup.media } },
    )
    const page = await third.ask('GET', `/p/${made.json.data.id}`)
    assert.match(page.text, /A mistake\./)
    assert.equal((await third.ask('GET', `/d/${id}`)).status, 410)
    const ctx = await actAsOperator({ sql: getTestShard(third.sql), clock: third.clock }, Number(account))
    await assert.rejects(addMedia({ ...ctx, ...third.setup.media }, { bytes }), /cannot be stored again/)
    assert.deepEqual((await verifyMedia(third.sql, third.setup.media.mediaStore)).problems, [])
  } finally {
    await third.close()
    await fresh.drop()
  }
})
