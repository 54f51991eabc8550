/** Tests that static exports and mirrors have the pictures and documents which the public may see, and no others. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { actAsOperator } from '../../src/accounts/account/accounts.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { variantKey } from '../../src/media/files/media-file.ts'
import { withdrawMedia } from '../../src/media/upkeep/withdraw-media.ts'
import { updateStory } from '../../src/passports/story/update-story.ts'
import { mirrorAccount } from '../../src/transfer/mirror/mirror-account.ts'
import { exportStaticSite } from '../../src/transfer/static/export-static-site.ts'
import { cloneDatabase, getTestShard, type TestDatabase } from '../database.ts'
import { ADDRESSES, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { makePdf, makePng } from '../media/sample-files.ts'
import { type Folder, passportsOf, poolOfOne, temporaryFolder } from './stores.ts'

let database: TestDatabase
let t: Harness
let account: TestAccount
let folder: Folder
let product: string
let picture: string
let open: string
let closed: string
/** The addresses of files that were read from the server. */
let asked: string[] = []
let requests = 0

const setup = () => ({
  openPool: poolOfOne(database),
  clock: systemClock,
  version: 'test',
  publicUrl: ADDRESSES.publicUrl,
  namespace: undefined,
  documents: {
    sql: t.sql,
    clock: systemClock,
    addresses: ADDRESSES,
    secretCipher: t.setup.secretCipher,
    nsUrl: t.setup.nsUrl,
    signatureDays: 90,
  },
  openPassport: passportsOf(t.setup),
  async fetchPage(path: string, accept: string) {
    if (/^\/[md]\//.test(path)) asked.push(path)
    // Each from another network, because of the limit of uncached pages.
    const remoteAddress = `10.${++requests >> 8}.${requests & 255}.1`
    const answer = await t.app.inject({ method: 'GET', url: path, remoteAddress, headers: { accept } })
    const type = String(answer.headers['content-type'])
    return { status: answer.statusCode, type, body: answer.rawPayload }
  },
})

async function store(bytes: Buffer, type: string): Promise<string> {
  const sent = { key: account.key, text: bytes, headers: { 'content-type': type } }
  return (await t.ask('POST', '/api/v1/media', sent)).json.data.id
}

before(async () => {
  database = await cloneDatabase()
  t = await startHarness({ database })
  account = await t.account()
  folder = await temporaryFolder()
  picture = await store(await makePng({ width: 700, height: 50 }), 'image/png')
  open = await store(await makePdf('Manual'), 'application/pdf')
  closed = await store(await makePdf('Test report'), 'application/pdf')
  const { category, data } = newProduct()
  const pictures = [{ media: picture, alt: { en: 'The front' } }]
  const documents = [
    { media: open, title: { en: 'Manual' } },
    { media: closed, title: { en: 'Test report' }, access: 'authority' },
  ]
  const body = { category, data: { ...data, pictures, documents } }
  const { status, json, text } = await t.ask('POST', '/api/v1/products', { key: account.key, body })
  assert.equal(status, 201, text)
  product = json.data.id
})
after(async () => {
  await t.close()
  await database.drop()
  await folder.remove()
})

async function assertHasFiles(dir: string) {
  const read = async (path: string) => (await t.app.inject({ method: 'GET', url: `/${path}` })).rawPayload
  const names = await readdir(join(dir, 'm', picture))
  assert.ok(names.length > 0)
  for (const path of [...names.map(name => `m/${picture}/${name}`), `d/${open}`])
    assert.deepEqual(await readFile(join(dir, path)), await read(path), path)
  assert.deepEqual(await readdir(join(dir, 'd')), [open])
  const page = await readFile(join(dir, 'p', product, 'index.html'), 'utf8')
  const links = Array.from(page.matchAll(/\.\.\/\.\.\/([md]\/[^\s",]+)/g), ([, path]) => path ?? '')
  assert.deepEqual(
    [...new Set(links)].toSorted(),
    [...names.map(name => `m/${picture}/${name}`), `d/${open}`].toSorted(),
  )
}

describe('a file that is missing in the store', () => {
  test('ends a static export with its name, the product and a way out; sent again, it is there', async () => {
    const { mediaStore } = t.setup.media
    const bytes = await makePng({ width: 700, height: 51 })
    const id = await store(bytes, 'image/png')
    const { category, data } = newProduct()
    const body = { category, data: { ...data, pictures: [{ media: id, alt: { en: 'The back' } }] } }
    const made = await t.ask('POST', '/api/v1/products', { key: account.key, body })
    await mediaStore.delete(variantKey(account.id, id, 640, 'webp'))
    const dir = folder.file('missing')
    const run = () => exportStaticSite(setup(), { accountId: account.id, dir })
    await assert.rejects(run(), {
      code: 'unavailable',
      message: new RegExp(
        `/p/${made.json.data.id} shows the file /m/${id}/640\\.webp, .*send the same file again`,
      ),
    })
    assert.equal(await store(bytes, 'image/png'), id)
    await run()
    assert.ok((await readFile(join(dir, 'm', id, '640.webp'))).length > 0)
    await t.ask('POST', `/api/v1/products/${made.json.data.id}/archive`, { key: account.key })
  })
})

describe('pictures and public documents', () => {
  test('are in a static export, where its pages lead to them', async () => {
    const dir = folder.file('site')
    await exportStaticSite(setup(), { accountId: account.id, dir })
    await assertHasFiles(dir)
  })

  test('are in a mirror, which reads each file once', async () => {
    const dir = folder.file('mirror')
    const run = () => mirrorAccount(setup(), { accountId: account.id, dir, all: false })
    asked = []
    await run()
    await assertHasFiles(dir)
    assert.deepEqual(asked.length, new Set(asked).size)
    asked = []
    const body = { data: { countryOfManufacture: 'IT' } }
    await t.ask('PATCH', `/api/v1/products/${product}`, { key: account.key, body })
    await run()
    assert.deepEqual(asked, [])
    await assertHasFiles(dir)
  })

  test('are no links to files that are not public, or not there', async () => {
    const { category, data } = newProduct()
    const addresses = [closed, 'f'.repeat(64), '../m/x/320.jpg'].map(
      path => `${ADDRESSES.publicUrl}/d/${path}`,
    )
    const complianceDocuments = addresses.map(url => ({ type: 'test_report', url }))
    const body = { category, data: { ...data, complianceDocuments } }
    const made = await t.ask('POST', '/api/v1/products', { key: account.key, body })
    assert.equal(made.status, 201, made.text)
    const dir = folder.file('links')
    await exportStaticSite(setup(), { accountId: account.id, dir })
    await assertHasFiles(dir)
    const page = await readFile(join(dir, 'p', made.json.data.id, 'index.html'), 'utf8')
    for (const address of addresses) assert.ok(page.includes(`href="${new URL(address).href}"`), address)
  })
})

test('the block “From the brand” and its picture are in a static export and in a mirror, until it is removed', async () => {
  const media = await store(await makePng({ width: 40, height: 31 }), 'image/png')
  const site = folder.file('story-site')
  const mirror = folder.file('story-mirror')
  const runMirror = () => mirrorAccount(setup(), { accountId: account.id, dir: mirror, all: false })
  const readPage = (dir: string) => readFile(join(dir, 'p', product, 'index.html'), 'utf8')
  await runMirror()
  assert.doesNotMatch(await readPage(mirror), /From the brand/)
  await updateStory(account.ctx, { text: { en: 'We weave.' }, picture: { media, alt: { en: 'A loom' } } })
  t.clock.advance(2_000)
  await runMirror()
  await exportStaticSite(setup(), { accountId: account.id, dir: site })
  for (const dir of [site, mirror]) {
    assert.match(await readPage(dir), /From the brand.*We weave\..*srcset="\.\.\/\.\.\/m\//s)
    for (const type of ['avif', 'webp', 'jpg'])
      assert.ok((await readFile(join(dir, 'm', media, `320.${type}`))).length > 0)
    assert.ok(!(await readFile(join(dir, 'p', product, 'passport.jsonld'), 'utf8')).includes('We weave.'))
  }
  await updateStory(account.ctx, null)
  t.clock.advance(2_000)
  await runMirror()
  assert.doesNotMatch(await readPage(mirror), /From the brand/)
  t.clock.release()
})

test('a withdrawn file is in no new copy, and the next run removes it from a mirror', async () => {
  const mirror = folder.file('withdrawn-mirror')
  const site = folder.file('withdrawn-site')
  const runMirror = () => mirrorAccount(setup(), { accountId: account.id, dir: mirror, all: false })
  await runMirror()
  assert.deepEqual(await readdir(join(mirror, 'd')), [open])
  const operator = await actAsOperator({ sql: getTestShard(t.sql), clock: t.clock }, account.id)
  for (const id of [open, picture]) {
    await withdrawMedia({ ...operator, mediaStore: t.setup.media.mediaStore }, { id, reason: 'A mistake.' })
  }
  t.clock.advance(2_000)
  await runMirror()
  await exportStaticSite(setup(), { accountId: account.id, dir: site })
  for (const dir of [site, mirror]) {
    for (const path of [`d/${open}`, `m/${picture}/320.jpg`])
      await assert.rejects(readFile(join(dir, path)), { code: 'ENOENT' }, path)
    const page = await readFile(join(dir, 'p', product, 'index.html'), 'utf8')
    assert.match(page, /A mistake\./)
    assert.ok(page.includes(open) && page.includes(picture))
    const manifest = dir === site ? 'manifest.ndjson' : 'manifest.json'
    assert.ok(!(await readFile(join(dir, manifest), 'utf8')).includes(`d/${open}`))
  }
  t.clock.release()
})
