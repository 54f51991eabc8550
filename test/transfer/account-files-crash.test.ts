/** Tests kill -9 during the export and the import of an account with files: nothing half, and the next try works. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { listShards } from '../../src/kernel/db/shards.ts'
import { verifyMedia } from '../../src/media/upkeep/verify-media.ts'
import { createMediaCleanup } from '../../src/worker/media-tasks.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { IS_FULL } from '../full.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { makePdf, makePng } from '../media/sample-files.ts'
import type { ProcessInput } from './account-files-process.ts'
import { type Folder, KEY, temporaryFolder } from './stores.ts'

const FILES = IS_FULL ? 12 : 3
/** How many objects a process has read or written when it is killed. */
const KILLED_AFTER = IS_FULL ? Array.from({ length: 12 }, (_, n) => n + 1) : [1, 3]

let here: TestDatabase
let there: TestDatabase
let s: Harness
let other: Harness
let source: TestAccount
let folder: Folder
const ids: string[] = []

before(async () => {
  here = await cloneDatabase()
  there = await cloneDatabase()
  s = await startHarness({ database: here })
  other = await startHarness({ database: there })
  source = await s.account()
  folder = await temporaryFolder()
  const png = await makePng({ width: 40, height: 30 })
  for (let n = 0; n < FILES; n++) {
    const bytes = n === 0 ? await makePdf('Manual') : Buffer.concat([png, randomBytes(8)])
    const headers = { 'content-type': n === 0 ? 'application/pdf' : 'image/png' }
    const sent = await s.ask('POST', '/api/v1/media', { key: source.key, text: bytes, headers })
    ids.push(sent.json.data.id)
  }
  const { category, data } = newProduct()
  const pictures = ids.slice(1, 13).map(media => ({ media, alt: { en: 'The front' } }))
  const body = { category, data: { ...data, pictures } }
  assert.equal((await s.ask('POST', '/api/v1/products', { key: source.key, body })).status, 201)
})
after(async () => {
  await s.close()
  await other.close()
  await here.drop()
  await there.drop()
  await folder.remove()
})

type Run = Pick<ProcessInput, 'path' | 'accountId' | 'killAfter'>

/** Returns whether the process has finished. */
async function run(work: Run): Promise<boolean> {
  const [{ drop: _, ...database }, { mediaStore }] =
    work.accountId === null ? [there, other.setup.media] : [here, s.setup.media]
  const input: ProcessInput = { ...work, database, media: mediaStore.place, secretKey: KEY }
  const file = join(import.meta.dirname, 'account-files-process.ts')
  const child = spawn(process.execPath, [file, JSON.stringify(input)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  assert.equal(signal, work.killAfter === undefined ? null : 'SIGKILL')
  return code === 0
}

const listNames = (dir: string) => readdir(dir).catch((): string[] => [])

test('an export that is killed leaves no file under its name, and no file that is not whole', async () => {
  for (const killAfter of KILLED_AFTER) {
    const path = folder.file(`account-${killAfter}`)
    const dir = `${path}.files`
    const listFiles = async () => (await listNames(dir)).filter(name => /^[0-9a-f]{64}$/.test(name))
    assert.equal(await run({ path, accountId: source.id, killAfter }), false)
    assert.ok(!(await listNames(folder.path)).includes(basename(path)))
    for (const name of await listFiles())
      assert.equal(hash('sha256', await readFile(join(dir, name)), 'hex'), name)
    assert.equal(await run({ path, accountId: source.id }), true)
    assert.deepEqual((await listFiles()).toSorted(), ids.toSorted())
  }
})

test('an import that is killed leaves no account, the next one works, and a clean-up deletes what is left', async () => {
  const path = folder.file(`account-${KILLED_AFTER[0]}`)
  const listAccounts = () => other.sql`select id from account`
  const before = (await listAccounts()).length
  for (const killAfter of KILLED_AFTER) {
    assert.equal(await run({ path, accountId: null, killAfter }), false)
    assert.equal((await listAccounts()).length, before)
  }
  assert.equal(await run({ path, accountId: null }), true)
  assert.equal((await listAccounts()).length, before + 1)
  const { mediaStore } = other.setup.media
  const listObjects = async () => (await Array.fromAsync(mediaStore.listKeys())).length
  const withRest = await listObjects()
  other.clock.advance(26 * 3_600_000)
  for (const sql of listShards(other.setup.sql))
    await createMediaCleanup({ sql, clock: other.clock, log: other.setup.log, mediaStore }, () => true)()
  other.clock.release()
  assert.ok((await listObjects()) < withRest)
  const { files, problems } = await verifyMedia(other.setup.sql, mediaStore)
  assert.deepEqual([files, problems], [FILES, []])
})
