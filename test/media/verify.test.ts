/** Tests the comparison of the rows of files with what is in the store. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { checkMediaFiles, checkMediaStore } from '../../src/cli/store/check-media.ts'
import { originalKey, variantKey } from '../../src/media/files/media-file.ts'
import { countMedia } from '../../src/media/upkeep/count-media.ts'
import { verifyMedia } from '../../src/media/upkeep/verify-media.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'
import { makePng } from './sample-files.ts'

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account()
})
after(() => t.close())

async function upload(): Promise<string> {
  const bytes = Buffer.concat([await makePng({ width: 40, height: 30 }), randomBytes(8)])
  const headers = { 'content-type': 'image/png' }
  return (await t.ask('POST', '/api/v1/media', { key: account.key, text: bytes, headers })).json.data.id
}

describe('doctor --verify', () => {
  test('reads every file, and names what is missing, changed or belongs to no file', async () => {
    const { mediaStore } = t.setup.media
    const [good, lost, changed, thin] = [await upload(), await upload(), await upload(), await upload()]
    const before = await verifyMedia(t.sql, mediaStore)
    assert.deepEqual([before.files, before.problems], [4, []])
    assert.equal((await countMedia(t.sql)).files, 4)
    await mediaStore.delete(originalKey(account.id, lost))
    await mediaStore.write(originalKey(account.id, changed), Buffer.from('other bytes'), 'image/png')
    await mediaStore.delete(variantKey(account.id, thin, 320, 'webp'))
    const orphan = originalKey(account.id, '0'.repeat(64))
    await mediaStore.write(orphan, Buffer.from('x'), 'image/png')
    const { files, problems } = await verifyMedia(t.sql, mediaStore)
    assert.equal(files, 4)
    const [missing = '', wrong = '', orphaned = ''] = problems
    assert.match(missing, /^2 objects of files are missing: /)
    for (const id of [lost, thin]) assert.ok(missing.includes(id))
    assert.equal(wrong, `1 files are not as they were sent: ${originalKey(account.id, changed)}`)
    assert.equal(orphaned, `1 objects belong to no file and can be deleted: ${orphan}`)
    assert.ok(!problems.join().includes(good))
    assert.equal((await checkMediaFiles(t.sql, { folder: mediaStore.place })).length, 3)
  })

  test('writes to the store and reads it, and says where it cannot', async () => {
    const { place } = t.setup.media.mediaStore
    assert.equal(await checkMediaStore({ folder: place }, async () => 'fine'), 'fine')
    const nowhere = {
      bucket: 'b',
      endpoint: 'http://127.0.0.1:9',
      region: 'r',
      prefix: '',
      accessKeyId: 'k',
      secretAccessKey: 's',
    }
    await assert.rejects(
      checkMediaStore(nowhere, async () => 'fine'),
      { code: 'unavailable' },
    )
    assert.equal(await checkMediaStore({ folder: `${place}/none/yet` }, async () => 'will be'), 'will be')
  })
})
