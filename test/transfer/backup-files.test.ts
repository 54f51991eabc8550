/** Tests pictures and documents in backups: copied once, complete, and restored to another store. */
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import S3rver from '@20minutes/s3rver'
import { listShards } from '../../src/kernel/db/shards.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { listObjectKeys, originalKey } from '../../src/media/files/media-file.ts'
import type { MediaStore } from '../../src/media/store/media-store.ts'
import { openMediaStore } from '../../src/media/store/open-media-store.ts'
import { verifyMedia } from '../../src/media/upkeep/verify-media.ts'
import { createBackup } from '../../src/transfer/backup/create-backup.ts'
import { openFilePacks } from '../../src/transfer/backup/file-packs.ts'
import { restoreBackup } from '../../src/transfer/backup/restore-backup.ts'
import { createBackupWhenDue } from '../../src/transfer/backup/scheduled-backups.ts'
import { cloneDatabase, endPools, openPools, type TestDatabase } from '../database.ts'
import { IS_FULL } from '../full.ts'
import { type Harness, newProduct, startHarness, type TestAccount, TestClock } from '../harness.ts'
import { makePdf, makePng } from '../media/sample-files.ts'
import { BACKUP_KEY, emptyStore, type Folder, MIGRATIONS, poolOfOne, temporaryFolder } from './stores.ts'

/** Made one after another, while others upload. */
const BACKUPS = IS_FULL ? 8 : 2

let database: TestDatabase
let t: Harness
let accounts: TestAccount[]
let folder: Folder
let server: S3rver
let bucket: MediaStore
before(async () => {
  database = await cloneDatabase()
  t = await startHarness({ database })
  accounts = [await t.account(), await t.account()]
  folder = await temporaryFolder()
  const options = { address: '127.0.0.1', port: 0, silent: true, directory: folder.file('s3') }
  server = new S3rver({ ...options, configureBuckets: [{ name: 'elsewhere', configs: [] }] })
  const { port } = await server.run()
  const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', region: 'us-east-1' }
  bucket = openMediaStore({
    ...keys,
    bucket: 'elsewhere',
    endpoint: `http://127.0.0.1:${port}`,
    prefix: 'p/',
  })
})
after(async () => {
  await server.close()
  await t.close()
  await database.drop()
  await folder.remove()
})

const setup = (of: TestDatabase, mediaStore: MediaStore) => ({
  openPool: poolOfOne(of),
  clock: systemClock,
  key: BACKUP_KEY,
  keys: [BACKUP_KEY],
  version: 'test',
  migrations: MIGRATIONS,
  mediaStore,
})
const backUp = (name: string) =>
  createBackup(setup(database, t.setup.media.mediaStore), { path: folder.file(`backups/${name}`) })

async function upload(bytes: Buffer, account = accounts[0]): Promise<string> {
  const headers = { 'content-type': 'application/octet-stream' }
  const answer = await t.ask('POST', '/api/v1/media', { key: account?.key ?? '', text: bytes, headers })
  return answer.json.data.id
}
const makePicture = async () => Buffer.concat([await makePng({ width: 400, height: 30 }), randomBytes(8)])
const listPacks = async () =>
  (await readdir(folder.file('backups/carnet-files'), { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()

/** Calls `check` with an empty database, and with its pools once something is restored there. */
async function onEmptyStore(check: (database: TestDatabase) => Promise<void>): Promise<void> {
  const store = await emptyStore()
  try {
    await check(store.database)
  } finally {
    await store.drop()
  }
}

describe('a backup of pictures and documents', () => {
  let picture: Buffer
  test('packs each file once, also for the next backup and for another account', async () => {
    await mkdir(folder.file('backups'))
    picture = await makePicture()
    await upload(picture)
    await upload(picture, accounts[1])
    await upload(await makePdf('kept'))
    const first = await backUp('first')
    assert.deepEqual([first.files, first.missing_files], [3, 0])
    const packs = await listPacks()
    assert.equal(packs.length, 2)
    await upload(await makePicture())
    const second = await backUp('second')
    assert.deepEqual([second.files, second.missing_files], [4, 0])
    assert.equal((await listPacks()).length, 3)
  })

  test('is restored with all objects, from a folder to a bucket, and every digest is right', async () => {
    await onEmptyStore(async other => {
      const back = await restoreBackup(setup(other, bucket), { path: folder.file('backups/second') })
      assert.deepEqual([back.files, back.broken], [4, []])
      const sql = await openPools(other)
      const report = await verifyMedia(sql, bucket)
      assert.deepEqual([report.files, report.problems], [4, []])
      await endPools(sql)
      const id = hash('sha256', picture, 'hex')
      for (const key of listObjectKeys(accounts[1]?.id ?? 0, { id, width: 400 }))
        assert.deepEqual(await bucket.read(key), await t.setup.media.mediaStore.read(key), key)
    })
  })

  test('is refused if a pack is damaged or missing, and nothing is restored then', async () => {
    const id = hash('sha256', picture, 'hex')
    const pack = (await listPacks()).find(path => basename(path).startsWith(id)) ?? ''
    const bytes = await readFile(pack)
    const damage = (at: number) => {
      const damaged = Buffer.from(bytes)
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at)
      return damaged
    }
    const original = bytes.indexOf(picture)
    const store = openMediaStore({ folder: folder.file('other') })
    const path = folder.file('backups/second')
    await onEmptyStore(async other => {
      for (const at of [original, bytes.length - 1]) {
        await writeFile(pack, damage(at))
        await assert.rejects(restoreBackup(setup(other, store), { path }), /is damaged: its checksum/)
      }
      // Its own checksum is right, but the original is not the file of this id.
      const digest = hash('sha256', damage(original), 'hex')
      const exchanged = join(dirname(pack), `${id}.${digest}`)
      await writeFile(exchanged, damage(original))
      const restoring = openFilePacks(path).restore(store, { account: 1, id, pack: digest })
      await assert.rejects(restoring, /is damaged: its checksum/)
      await rm(exchanged)
      await rm(pack)
      await assert.rejects(restoreBackup(setup(other, store), { path }), /is missing: copy the folder/)
      const back = await restoreBackup(setup(other, store), { path, withoutFiles: true })
      assert.equal(back.files, 0)
      await writeFile(pack, bytes)
    })
  })

  test('says how many files are not in the store, and a restore does without them', async () => {
    const id = await upload(await makePicture())
    await t.setup.media.mediaStore.delete(originalKey(accounts[0]?.id ?? 0, id))
    const made = await backUp('third')
    assert.deepEqual([made.files, made.missing_files], [4, 1])
    await onEmptyStore(async other => {
      const store = openMediaStore({ folder: folder.file('third-store') })
      assert.equal((await restoreBackup(setup(other, store), { path: made.path })).files, 4)
      const sql = await openPools(other)
      const states = await Promise.all(
        listShards(sql).map(shard => shard`select 1 from media where status = 'd'`),
      )
      assert.equal(states.flat().length, 1)
      assert.deepEqual((await verifyMedia(sql, store)).problems, [])
      await endPools(sql)
    })
  })

  test('that is scheduled keeps the packs it needs', async () => {
    const clock = new TestClock()
    clock.set(new Date())
    const dir = folder.file('scheduled')
    const shared = setup(database, t.setup.media.mediaStore)
    const run = () => createBackupWhenDue({ ...shared, clock, dir, everyMs: 3_600_000, keep: 1 })
    const countPacks = async () =>
      (await readdir(join(dir, 'carnet-files'), { recursive: true, withFileTypes: true })).filter(entry =>
        entry.isFile(),
      ).length
    assert.ok(await run())
    const packs = await countPacks()
    assert.ok(packs > 0)
    clock.advance(3_600_000)
    assert.ok(await run())
    assert.equal(await countPacks(), packs)
  })

  test('keeps the packs that a backup has needed since a time', async () => {
    const packs = await listPacks()
    const beside = openFilePacks(folder.file('backups/any'))
    assert.equal(await beside.deleteOlderThan(new Date(Date.now() - 60_000)), 0)
    assert.deepEqual(await listPacks(), packs)
    assert.equal(await beside.deleteOlderThan(new Date(Date.now() + 60_000)), packs.length)
    assert.deepEqual(await listPacks(), [])
  })
})

describe('a backup while files are uploaded and used', () => {
  test('has every file that its passports name, with its digest, wherever it is restored', async () => {
    const source = await cloneDatabase()
    const busy = await startHarness({ database: source })
    const { key } = await busy.account()
    let goesOn = true
    let count = 0
    const upload = async () => {
      while (goesOn) {
        const headers = { 'content-type': 'image/png' }
        const sent = await busy.ask('POST', '/api/v1/media', { key, text: await makePicture(), headers })
        if (sent.status !== 201) continue
        const { category, data } = newProduct({ sku: `B-${count++}` })
        const pictures = [{ media: sent.json.data.id, alt: { en: 'The front' } }]
        const body = { category, data: { ...data, pictures } }
        assert.equal((await busy.ask('POST', '/api/v1/products', { key, body })).status, 201)
      }
    }
    const uploads = [upload(), upload()]
    const made: string[] = []
    for (let n = 0; n < BACKUPS; n++) {
      const path = folder.file(`backups/busy-${n}`)
      const result = await createBackup(setup(source, busy.setup.media.mediaStore), { path })
      assert.equal(result.missing_files, 0)
      made.push(path)
    }
    goesOn = false
    await Promise.all(uploads)
    for (const [n, path] of made.entries()) {
      await onEmptyStore(async other => {
        const store = openMediaStore({ folder: folder.file(`busy-store-${n}`) })
        const back = await restoreBackup(setup(other, store), { path })
        const sql = await openPools(other)
        const report = await verifyMedia(sql, store)
        assert.deepEqual([report.files, report.problems, back.broken], [back.files, [], []])
        const shards = listShards(sql)
        const unknown = await Promise.all(
          shards.map(
            shard => shard`
              select u.media_id from media_use u
              where not exists (select from media m where m.account_id = u.account_id and m.id = u.media_id and m.status = 'r')`,
          ),
        )
        assert.deepEqual(unknown.flat(), [])
        await endPools(sql)
      })
    }
    await busy.close()
    await source.drop()
  })
})
