/** Tests what is said before the first mirror of an account: how many files, and how much room they need. */
import assert from 'node:assert/strict'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { estimateMirror } from '../../src/transfer/mirror/estimate-mirror.ts'
import { mirrorAccount } from '../../src/transfer/mirror/mirror-account.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { newProduct } from '../harness.ts'
import { createMirrorSetup } from './mirror-setup.ts'
import { type Folder, temporaryFolder } from './stores.ts'

const MODELS = 10
/** Larger passports are not in each sample, and files that all share count for some. */
const MARGIN = 0.25

let s: UnitStand
let folder: Folder

before(async () => {
  s = await startUnitStand('enterprise')
  folder = await temporaryFolder()
  const { ctx } = s.account
  await setSigning({ ...ctx, secretCipher: s.t.setup.secretCipher }, true)
  for (let n = 0; n < MODELS; n++) {
    const { id } = await s.call('POST', '', newProduct({ sku: `M-${n}`, productName: `Model ${n}` }))
    if (n % 3 === 0) await s.call('PATCH', `/${id}`, { data: { productName: `Model ${n}, changed` } })
  }
})
after(async () => {
  await s.close()
  await folder.remove()
})

async function measureFolder(dir: string): Promise<{ files: number; bytes: number }> {
  let [files, bytes] = [0, 0]
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const { blocks, size } = await stat(join(entry.parentPath, entry.name))
    files++
    bytes += Math.max(blocks * 512, entry.isFile() ? size : 0)
  }
  return { files, bytes }
}

const assertNear = (estimated: number | undefined, real: number, what: string) =>
  assert.ok(
    Math.abs((estimated ?? 0) / real - 1) < MARGIN,
    `${what}: ${estimated} were estimated, ${real} are there`,
  )

test('a sample tells files and room of the whole mirror, and leaves nothing behind', async () => {
  const setup = createMirrorSetup(s)
  const dir = folder.file('mirror')
  await mkdir(dir)
  const estimate = await estimateMirror(setup, s.account.ctx, dir, 1)
  assert.deepEqual(await readdir(dir, { recursive: true }), ['.carnet-mirror'])
  assert.equal(estimate?.passports, MODELS)
  assert.ok(estimate.ms > 0 && estimate.freeBytes > 0)
  await mirrorAccount(setup, { accountId: s.account.id, dir, all: false })
  const { files, bytes } = await measureFolder(dir)
  assertNear(estimate.files, files, 'files')
  assertNear(estimate.bytes, bytes, 'bytes')
})

test('nothing is estimated for few passports, whose mirror is as quick', async () => {
  const dir = folder.file('few')
  assert.equal(await estimateMirror(createMirrorSetup(s), s.account.ctx, dir), undefined)
})
