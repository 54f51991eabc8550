/** Tests references from passports to files: which are accepted, and that referred files stay. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { findHome } from '../../src/accounts/account/account-shard.ts'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { listShards } from '../../src/kernel/db/shards.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { copyMedia } from '../../src/media/upkeep/copy-media.ts'
import { countMedia } from '../../src/media/upkeep/count-media.ts'
import { listMedia } from '../../src/media/upkeep/list-media.ts'
import { verifyMedia } from '../../src/media/upkeep/verify-media.ts'
import { isMediaInUse } from '../../src/media/uses/media-use.ts'
import { spreadAccount } from '../../src/webhooks/spread-account.ts'
import { createFetchSlots, createMediaFetcher } from '../../src/worker/media-fetcher.ts'
import { createMediaCleanup } from '../../src/worker/media-tasks.ts'
import { getTestShard, IS_SHARDED } from '../database.ts'
import { type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { makeJpeg, makePdf } from '../media/sample-files.ts'
import { storeFileRows } from '../media/stored-files.ts'

let t: Harness
let account: TestAccount
/** Ids of files: of the account, being stored, and of another account. */
let picture: string
let document: string
let unfinished: string
let foreign: string
before(async () => {
  t = await startHarness()
  account = await t.account()
  const other = await t.account()
  picture = (await upload(await makeJpeg({ width: 40, height: 30 }), 'image/jpeg')).json.data.id
  document = (await upload(await makePdf(), 'application/pdf')).json.data.id
  ;[unfinished, foreign] = [newId(), newId()]
  await storeFileRows(at(account), { kind: 'picture', ids: [unfinished] }, 'p')
  await storeFileRows(at(other), { kind: 'picture', ids: [foreign] })
})
after(() => t.close())

const newId = () => randomBytes(32).toString('hex')
const at = ({ id }: TestAccount) => ({ sql: t.sql, accountId: id })

async function newFile(kind: 'picture' | 'document' = 'picture'): Promise<string> {
  const id = newId()
  await storeFileRows(at(account), { kind, ids: [id] })
  return id
}

const upload = (bytes: Buffer, type: string) =>
  t.ask('POST', '/api/v1/media', { key: account.key, text: bytes, headers: { 'content-type': type } })

const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
  t.ask(method, `/api/v1${path}`, { key: account.key, body })

const show = (id: string) => ({ pictures: [{ media: id, alt: { en: 'A shirt', de: 'Ein Hemd' } }] })
const create = (data: Record<string, unknown>) => send('POST', '/products', newProduct(data))
const remove = (id: string) => send('DELETE', `/media/${id}`)

type Problem = { field: string; code: string; index?: number }
const listProblems = ({ json }: { json: { errors?: Problem[] } }) =>
  json.errors?.map(({ field, code }) => `${field} ${code}`)

describe('a reference to a file', () => {
  test('is stored with the passport, in each list', async () => {
    const data = {
      ...show(picture),
      documents: [{ title: { en: 'Manual' }, media: document, language: 'en', access: 'restricted' }],
      complianceDocuments: [{ type: 'declaration_of_conformity', media: document }],
      authorityDocuments: [{ type: 'test_report', media: document }],
    }
    const made = await create(data)
    assert.equal(made.status, 201, made.text)
    const read = await send('GET', `/products/${made.json.data.id}`)
    for (const [name, value] of Object.entries(data)) assert.deepEqual(read.json.data.data[name], value)
  })

  test('takes the file from the list of unused ones', async () => {
    const [used, unused] = [await newFile(), await newFile()]
    assert.equal((await create(show(used))).status, 201)
    const { json } = await send('GET', '/media?unused=true&limit=100')
    const ids = json.data.map((one: { id: string }) => one.id)
    assert.deepEqual([ids.includes(used), ids.includes(unused)], [false, true])
  })

  const wrong: Record<string, [string, () => Record<string, unknown>]> = {
    'that does not exist': ['pictures[0].media', () => show(newId())],
    'of another account': ['pictures[0].media', () => show(foreign)],
    'that is being stored': ['pictures[0].media', () => show(unfinished)],
    'of another kind': ['pictures[0].media', () => show(document)],
    'of another kind, in a document': [
      'documents[0].media',
      () => ({ documents: [{ title: { en: 'Manual' }, media: picture }] }),
    ],
    'of authorities that does not exist': [
      'authorityDocuments[1].media',
      () => ({
        authorityDocuments: [
          { type: 'a', media: document },
          { type: 'b', media: newId() },
        ],
      }),
    ],
  }
  for (const [title, [field, build]] of Object.entries(wrong))
    test(`${title} is 422 with its path`, async () => {
      const refused = await create(build())
      assert.equal(refused.status, 422, refused.text)
      assert.deepEqual(listProblems(refused), [`${field} unknown_media`])
    })

  test('is checked by every way to write', async () => {
    const gtin = nextGtin()
    const { id } = (await create({ gtin })).json.data
    const data = show(newId())
    const batch = { level: 'batch', lot: 'L1' }
    assert.equal((await send('POST', `/products/${id}/children`, batch)).status, 201)
    const draft = (await send('POST', '/drafts', newProduct({}))).json.data.id
    // As a draft of the version before, which did not look for files.
    await getTestShard(
      t.sql,
    )`update draft set data = data || ${JSON.stringify(data)}::text::jsonb where id = ${parseId(draft) ?? ''}`
    const ways: [string, Promise<{ json: { errors?: Problem[] }; status: number }>][] = [
      ['PATCH', send('PATCH', `/products/${id}`, { data })],
      ['dry run of PATCH', send('PATCH', `/products/${id}?dry_run=true`, { data })],
      ['dry run of create', send('POST', '/products?dry_run=true', newProduct(data))],
      ['PUT by GTIN', send('PUT', `/products/by-gtin/${gtin}`, newProduct({ ...data, gtin }))],
      ['unit', send('POST', `/products/${id}/children`, { level: 'item', serial: 'S1', data })],
      ['draft', send('POST', '/drafts', newProduct(data))],
      ['change of a draft', send('PATCH', `/drafts/${draft}`, { data })],
      ['publishing', send('POST', `/drafts/${draft}/publish`)],
      ['dry run of publishing', send('POST', `/drafts/${draft}/publish?dry_run=true`)],
    ]
    for (const [way, answer] of ways) {
      const { status, ...rest } = await answer
      assert.equal(status, 422, way)
      assert.deepEqual(listProblems(rest), ['pictures[0].media unknown_media'], way)
    }
    const dpp = await t.ask('PATCH', `/dpp/v1/dpps/${encodeURIComponent(`https://carnet.example/p/${id}`)}`, {
      key: account.key,
      body: { pictures: [{ media: newId(), alt: [{ value: 'A shirt', language: 'en' }] }] },
    })
    assert.equal(dpp.status, 400, dpp.text)
    assert.match(dpp.text, /has no picture/)
  })

  test('is checked row by row in bulk calls, and the other rows are written', async () => {
    const { id } = (await create({})).json.data
    const data = show(newId())
    const items = [
      newProduct({ sku: 'B1' }),
      newProduct({ sku: 'B2', ...data }),
      newProduct({ sku: 'B3', ...show(picture) }),
    ]
    for (const query of ['?dry_run=true', '']) {
      const bulk = await send('POST', `/products/bulk${query}`, { items })
      assert.deepEqual(summarize(bulk), [2, ['1 pictures[0].media unknown_media']], bulk.text)
    }
    const units = [{ serial: 'U1', data: show(picture) }, { serial: 'U2', data }, { serial: 'U3' }]
    for (const query of ['?dry_run=true', '']) {
      const bulk = await send('POST', `/products/${id}/children${query}`, { level: 'item', items: units })
      assert.deepEqual(summarize(bulk), [2, ['1 pictures[0].media unknown_media']], bulk.text)
    }
    const changes = [
      { serial: 'U1', data },
      { serial: 'U3', data: show(picture) },
    ]
    const changed = await send('POST', `/products/${id}/children/update`, { items: changes })
    assert.deepEqual(summarize(changed), [1, ['0 pictures[0].media unknown_media']], changed.text)
  })
})

/** How many rows were written, and what was wrong with the others. */
const summarize = ({ json }: { json: { data: BulkResult } }) => {
  const { created = [], updated = [], errors } = json.data
  return [
    created.length + updated.length,
    errors.flatMap(row => row.errors.map(({ field, code }) => `${row.index} ${field} ${code}`)),
  ]
}

type BulkResult = {
  created?: unknown[]
  updated?: unknown[]
  errors: { index: number; errors: Problem[] }[]
}

describe('DELETE /media/{id}', () => {
  test('is 409 while any version refers to the file', async () => {
    const file = await newFile()
    const { id } = (await create(show(file))).json.data
    const refused = await remove(file)
    assert.deepEqual([refused.status, refused.json.code], [409, 'in_use'])
    const gone = await send('PATCH', `/products/${id}`, { data: { pictures: null } })
    assert.equal(gone.json.data.data.pictures, undefined)
    assert.equal((await remove(file)).status, 409)
    const back = await send('POST', `/products/${id}/versions/1/revert`)
    assert.deepEqual(back.json.data.data.pictures, show(file).pictures)
  })

  test('is 409 for a file that only a unit or a draft refers to, until the draft is deleted', async () => {
    const [ofUnit, ofDraft] = [await newFile(), await newFile()]
    const { id } = (await create({})).json.data
    const unit = { level: 'item', serial: 'A', data: show(ofUnit) }
    assert.equal((await send('POST', `/products/${id}/children`, unit)).status, 201)
    const draft = await send('POST', '/drafts', newProduct(show(ofDraft)))
    assert.equal((await remove(ofUnit)).status, 409)
    const refused = await remove(ofDraft)
    assert.deepEqual([refused.status, refused.json.code], [409, 'in_use'])
    assert.match(refused.text, /A draft refers to this file\. Remove it from the draft/)
    assert.equal((await send('DELETE', `/drafts/${draft.json.data.id}`)).status, 200)
    assert.equal((await remove(ofDraft)).status, 204)
    const late = await send('POST', '/drafts', newProduct(show(ofDraft)))
    assert.deepEqual(listProblems(late), ['pictures[0].media unknown_media'])
  })

  test('that races with drafts never removes what a draft names', async () => {
    for (let i = 0; i < 8; i++) {
      const file = await newFile()
      const [saved, removed] = await Promise.all([
        send('POST', '/drafts', newProduct(show(file))),
        remove(file),
      ])
      assert.deepEqual(
        saved.status === 201 ? [201, 409] : [saved.status, saved.json.errors[0].code],
        saved.status === 201 ? [saved.status, removed.status] : [422, 'unknown_media'],
      )
    }
  })

  test('that races with writes never removes what a version refers to', async () => {
    const { id } = (await create({})).json.data
    let removed = 0
    for (let round = 0; round < 12; round++) {
      const file = await newFile()
      const writes = [
        () => create(show(file)),
        () => send('PATCH', `/products/${id}`, { data: show(file) }),
        () =>
          send('POST', `/products/${id}/children`, { level: 'item', serial: `R${round}`, data: show(file) }),
      ]
      const write = writes[round % writes.length] ?? create
      const [written, gone] = await Promise.all(
        round % 2 === 0 ? [write({}), remove(file)] : [remove(file), write({})].reverse(),
      )
      const isWritten = [200, 201].includes(written?.status ?? 0)
      assert.deepEqual(gone?.status, isWritten ? 409 : 204)
      assert.equal(await isMediaInUse({ ...account.ctx, sql: t.sql }, file), isWritten)
      removed += isWritten ? 0 : 1
    }
    assert.ok(removed < 12)
  })
})

describe('an account on two shards', () => {
  test('checks references where its products are', { skip: IS_SHARDED }, async () => {
    const on = await startHarness({ shards: 2 })
    try {
      const home = await on.account({ plan: 'enterprise' })
      const ask = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
        on.ask(method, `/api/v1${path}`, { key: home.key, body })
      const early = await storeOn(on, home, 40)
      const ctx = { sql: on.setup.sql, clock: on.clock }
      await closeAccount(ctx, home.id)
      on.clock.advance(61_000)
      const { added } = await spreadAccount(ctx, { accountId: home.id, modelShards: [1, 2] })
      const { sql } = await findHome(on.setup.sql, home.id)
      await copyMedia({ ...home.ctx, sql }, added)
      await reopenAccount(ctx, home.id)
      on.clock.advance(2_000)
      const late = await storeOn(on, home, 41)
      const shardOf = (id: string) => Number.parseInt(parseId(id)?.slice(-3) ?? '', 16)
      const ids: string[] = []
      while (new Set(ids.map(shardOf)).size < 2) {
        const media = ids.length % 2 === 0 ? [early, late] : [late, early]
        const made = await ask('POST', '/products', newProduct(show(media[0] ?? '')))
        assert.equal(made.status, 201, made.text)
        ids.push(made.json.data.id)
      }
      const spare = await storeOn(on, home, 42)
      const refused = await ask('POST', '/products', newProduct(show(newId())))
      assert.deepEqual(listProblems(refused), ['pictures[0].media unknown_media'])
      assert.deepEqual(
        await Promise.all([early, spare].map(async id => (await ask('DELETE', `/media/${id}`)).status)),
        [409, 204],
      )
      for (let n = 0; n < 4; n++) {
        const late = await ask('POST', '/products', newProduct(show(spare)))
        assert.equal(late.status, 422)
      }
      for (const file of [early, late]) assert.equal((await on.ask('GET', `/m/${file}/320.jpg`)).status, 200)
      const fetched = await fetchOn(on, home)
      const shown = new Set<number>()
      while (shown.size < 2) {
        const made = await ask('POST', '/products', newProduct(show(fetched)))
        assert.equal(made.status, 201, made.text)
        shown.add(shardOf(made.json.data.id))
      }
      const { mediaStore } = on.setup.media
      const report = await verifyMedia(on.setup.sql, mediaStore)
      assert.deepEqual([report.files, report.problems], [3, []])
      const { files, bytes, waiting } = await countMedia(on.setup.sql)
      assert.deepEqual([files, bytes, waiting], [3, report.bytes, 0])
      await checkUnused(on, home, { used: [early, late, fetched] })
    } finally {
      await on.close()
    }
  })
})

async function storeOn(on: Harness, { key }: TestAccount, width: number): Promise<string> {
  const text = await makeJpeg({ width, height: 30 })
  const stored = await on.ask('POST', '/api/v1/media', {
    key,
    text,
    headers: { 'content-type': 'image/jpeg' },
  })
  assert.equal(stored.status, 201, stored.text)
  return stored.json.data.id
}

/** A file that workers of all shards fetch from an address. Returns its id. */
async function fetchOn(on: Harness, { key }: TestAccount): Promise<string> {
  const bytes = await makeJpeg({ width: 50, height: 30 })
  const server = createServer((_, response) => response.end(bytes))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const source_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.jpg`
  const asked = await on.ask('POST', '/api/v1/media', { key, body: { source_url } })
  assert.equal(asked.status, 202, asked.text)
  for (const sql of listShards(on.setup.sql)) {
    const outbound = openOutbound({ allowInsecureLoopback: true, allowed: createAddressList([]) })
    const { log, media } = on.setup
    const slots = createFetchSlots()
    const fetcher = createMediaFetcher({ ...media, sql, clock: on.clock, log, slots, outbound })
    await fetcher.drain()
    await fetcher.stop()
  }
  server.close()
  const { json } = await on.ask('GET', `/api/v1/media/${asked.json.data.id}`, { key })
  assert.deepEqual([json.data.status, json.data.bytes], ['ready', bytes.length])
  return json.data.id
}

/** Files on the pages of products on both shards: those that are unused are listed, and cleaned up. */
async function checkUnused(on: Harness, home: TestAccount, { used }: { used: readonly string[] }) {
  const unused: string[] = []
  for (const width of [43, 44, 45]) unused.push(await storeOn(on, home, width))
  const listed: string[] = []
  for (let cursor = ''; ; ) {
    const path = `/api/v1/media?unused=true&limit=2${cursor && `&cursor=${cursor}`}`
    const { json } = await on.ask('GET', path, { key: home.key })
    listed.push(...json.data.map(({ id }: { id: string }) => id))
    cursor = json.meta.next_cursor ?? ''
    if (cursor === '') break
  }
  assert.deepEqual(listed.toSorted(), unused.toSorted())
  on.clock.advance(31 * 86_400_000)
  const { clock, setup } = on
  for (const sql of listShards(setup.sql)) {
    const tools = { sql, clock, log: setup.log, mediaStore: setup.media.mediaStore }
    await createMediaCleanup(tools, () => true)()
  }
  const ctx = { ...home.ctx, ...(await findHome(setup.sql, home.id)) }
  const left = await listMedia(ctx, { limit: 10 })
  assert.deepEqual(left.map(({ id }) => id).toSorted(), used.toSorted())
}
