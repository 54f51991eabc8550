/** Tests the withdrawal of files: at every address and in every form, in one process and in several, for good. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { actAsOperator } from '../../src/accounts/account/accounts.ts'
import { ERROR_CATALOGUE } from '../../src/api/endpoint/error-catalogue.ts'
import { listObjectKeys, originalKey, variantKey } from '../../src/media/files/media-file.ts'
import { verifyMedia } from '../../src/media/upkeep/verify-media.ts'
import { type WithdrawnResult, withdrawMedia } from '../../src/media/upkeep/withdraw-media.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { DOCUMENT_FORMATS } from '../../src/passports/documents/formats.ts'
import { createMediaCleanup } from '../../src/worker/media-tasks.ts'
import { cloneDatabase, getTestShard, type TestDatabase } from '../database.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { makeJpeg, makePdf } from './sample-files.ts'

let database: TestDatabase
let t: Harness
let account: TestAccount
before(async () => {
  database = await cloneDatabase()
  t = await startHarness({ database })
  account = await t.account()
})
after(async () => {
  await t.close()
  await database.drop()
})

const HOUR_MS = 3_600_000
const REASON = 'It shows the address of a person.'
/** The day in the example of the documentation. */
const WITHDRAWN_AT = new Date('2026-11-20T10:00:00Z')

const makePicture = async () => Buffer.concat([await makeJpeg({ width: 700, height: 400 }), randomBytes(8)])
const makeDocument = () => makePdf(`Manual ${randomBytes(8).toString('hex')}`)

const send = (bytes: Buffer, key = account.key) => {
  const type = bytes.subarray(0, 4).toString() === '%PDF' ? 'application/pdf' : 'image/jpeg'
  return t.ask('POST', '/api/v1/media', { key, text: bytes, headers: { 'content-type': type } })
}
async function upload(bytes: Buffer, key = account.key): Promise<string> {
  const stored = await send(bytes, key)
  assert.ok(stored.status < 300, stored.text)
  return stored.json.data.id
}
async function create(data: Record<string, unknown>, key = account.key): Promise<string> {
  const made = await t.ask('POST', '/api/v1/products', { key, body: newProduct(data) })
  assert.equal(made.status, 201, made.text)
  return made.json.data.id
}
const show = (media: string) => ({ pictures: [{ media, alt: { en: 'A shirt', de: 'Ein Hemd' } }] })
const attach = (media: string, access = 'public') => ({
  documents: [{ title: { en: 'Manual', de: 'Anleitung' }, media, access }],
})
const get = (path: string, headers: Record<string, string> = {}) => t.ask('GET', path, { headers })
const asOperator = async () => ({
  ...(await actAsOperator({ sql: getTestShard(t.sql), clock: t.clock }, account.id)),
  mediaStore: t.setup.media.mediaStore,
})
const withdraw = async (id: string, reason = REASON): Promise<WithdrawnResult> =>
  withdrawMedia(await asOperator(), { id, reason })
const cleanUp = () =>
  createMediaCleanup(
    { sql: getTestShard(t.sql), clock: t.clock, log: t.setup.log, mediaStore: t.setup.media.mediaStore },
    () => true,
  )()

async function assertNoBytes(id: string, width: number | null): Promise<void> {
  for (const key of listObjectKeys(account.id, { id, width }))
    assert.equal(await t.setup.media.mediaStore.read(key), undefined, key)
}

describe('a public document that is withdrawn', () => {
  let bytes: Buffer
  let id: string
  let product: string
  let result: WithdrawnResult
  before(async () => {
    bytes = await makeDocument()
    id = await upload(bytes)
    product = await create(attach(id))
    assert.equal((await get(`/d/${id}`)).status, 200)
    const path = `/api/v1/products/${product}`
    await t.ask('PATCH', path, { key: account.key, body: { data: { productName: { en: 'B', de: 'B' } } } })
    assert.match((await get(`/p/${product}`)).text, new RegExp(`href="../d/${id}"`))
    const clock = { now: () => WITHDRAWN_AT }
    result = await withdrawMedia({ ...(await asOperator()), clock }, { id, reason: REASON })
  })

  test('is 410 at its address: a page for people, JSON with date and reason for programs, stored nowhere', async () => {
    assert.equal(result.isNew, true)
    assert.equal(result.wasPublic, true)
    const json = await get(`/d/${id}`)
    assert.deepEqual([json.status, json.json.code], [410, 'gone'])
    assert.ok(json.json.error.includes(REASON))
    assert.equal(json.headers['cache-control'], 'no-store')
    const page = await get(`/d/${id}`, { accept: 'text/html', 'accept-language': 'de' })
    assert.equal(page.status, 410)
    assert.match(page.text, /Diese Datei wurde zurückgezogen/)
    assert.equal(page.headers['cache-control'], 'no-store')
    const part = await get(`/d/${id}`, { range: 'bytes=0-9' })
    assert.equal(part.status, 410)
  })

  test('is 410 in the API, and is not listed', async () => {
    for (const method of ['GET', 'DELETE'] as const) {
      const answer = await t.ask(method, `/api/v1/media/${id}`, { key: account.key })
      assert.deepEqual([answer.status, answer.json.code], [410, 'gone'], method)
      assert.equal(answer.json.error, ERROR_CATALOGUE.gone.sentence)
    }
    const { paths } = (await t.ask('GET', '/api/v1/openapi.json')).json
    for (const method of ['get', 'delete'])
      assert.ok('410' in paths['/media/{media}'][method].responses, `${method} is documented`)
    const list = await t.ask('GET', '/api/v1/media', { key: account.key })
    assert.ok(!list.text.includes(id))
    assert.equal((await get(`/d/${id}`, { authorization: `Bearer ${account.key}` })).status, 410)
  })

  test('is named with date, reason and digest on the page and in its history, without a link', async () => {
    const day = result.withdrawnAt.toISOString().slice(0, 4)
    for (const query of ['', '?version=1']) {
      const { text } = await get(`/p/${product}${query}`)
      assert.ok(text.includes(REASON), query)
      assert.match(text, new RegExp(`Withdrawn on [^<]*${day}`))
      assert.ok(text.includes(id))
      assert.doesNotMatch(text, /href="[^"]*\/d\//)
    }
  })

  test('keeps its digest in the documents of all formats, and has no address there', async () => {
    for (const format of [...DOCUMENT_FORMATS.map(one => one.id), 'jsonld']) {
      if (format === 'aasx') continue
      for (const version of ['', '&version=1']) {
        const answer = await get(`/p/${product}?format=${format}${version}`)
        if (answer.status === 406) continue
        assert.equal(answer.status, 200, `${format}: ${answer.text}`)
        assert.ok(!answer.text.includes(`/d/${id}`), format)
        if (!['vc', 'vc-jwt', 'sd-jwt'].includes(format)) assert.ok(answer.text.includes(id), format)
      }
    }
    const own = await t.ask('GET', `/api/v1/products/${product}`, { key: account.key })
    assert.equal(own.json.data.data.documents[0].media, id)
  })

  test('cannot be stored again, whoever of the account sends it', async () => {
    const again = await send(bytes)
    assert.deepEqual([again.status, again.json.errors[0].code], [422, 'media_withdrawn'])
    await assertNoBytes(id, null)
  })

  test('cannot be referred to again: the error says that it is withdrawn', async () => {
    const made = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct(attach(id)) })
    assert.deepEqual([made.status, made.json.errors[0].code], [422, 'unknown_media'])
    assert.match(made.json.errors[0].message, /has withdrawn the file/)
    const path = `/api/v1/products/${product}`
    const body = { data: { documents: null } }
    assert.equal((await t.ask('PATCH', path, { key: account.key, body })).status, 200)
  })

  test('is withdrawn once: a second time changes neither date nor reason, and is one entry of the audit log', async () => {
    const again = await withdraw(id, 'Another reason')
    assert.equal(again.isNew, false)
    assert.deepEqual([again.withdrawnAt, again.reason], [result.withdrawnAt, REASON])
    const rows = await t.sql`
      select 1 from audit_entry where account_id = ${account.id} and action = 'file_withdrawn' and subject like ${`${id}%`}`
    assert.equal(rows.length, 1)
  })

  test('stays with another account, which shows it at the same address until it is withdrawn there, too', async () => {
    const other = await t.account()
    assert.equal(await upload(bytes, other.key), id)
    assert.equal((await get(`/d/${id}`)).status, 410)
    await create(attach(id), other.key)
    assert.equal((await get(`/d/${id}`)).status, 200)
    const operator = await actAsOperator({ sql: getTestShard(t.sql), clock: t.clock }, other.id)
    const { mediaStore } = t.setup.media
    await withdrawMedia({ ...operator, mediaStore }, { id, reason: REASON })
    assert.equal((await get(`/d/${id}`)).status, 410)
  })

  test('is complete for doctor --verify, which complains about bytes that are still there', async () => {
    const { mediaStore } = t.setup.media
    assert.deepEqual((await verifyMedia(t.sql, mediaStore)).problems, [])
    const key = originalKey(account.id, id)
    await mediaStore.write(key, bytes, 'application/pdf')
    const { problems } = await verifyMedia(t.sql, mediaStore)
    assert.deepEqual(problems, [
      `1 objects of withdrawn files are still stored; repeat "carnet media withdraw" for them: ${key}`,
    ])
    await withdraw(id)
    assert.deepEqual((await verifyMedia(t.sql, mediaStore)).problems, [])
  })
})

describe('a picture that is withdrawn', () => {
  test('is not sent from memory in the same process, nor its page', async () => {
    const id = await upload(await makePicture())
    const product = await create(show(id))
    for (const _ of [1, 2]) assert.equal((await get(`/m/${id}/320.jpg`)).status, 200)
    assert.match((await get(`/p/${product}`)).text, new RegExp(`/m/${id}/`))
    await withdraw(id)
    for (const file of ['320.jpg', '640.avif'])
      assert.equal((await get(`/m/${id}/${file}`)).status, 410, file)
    const { text } = await get(`/p/${product}`)
    assert.ok(text.includes(REASON))
    assert.doesNotMatch(text, new RegExp(`/m/${id}/`))
    assert.ok(!(await get(`/p/${product}?format=jsonld`)).text.includes(`/m/${id}`))
    await assertNoBytes(id, 700)
  })

  test('is gone in another process within a second for pages, and within ten minutes for what it has in memory', async () => {
    const second = await startHarness({ database })
    try {
      const id = await upload(await makePicture())
      const product = await create(show(id))
      const { accountId } = await asOperator()
      const key = variantKey(accountId, id, 320, 'jpg')
      // The two harnesses have a folder each.
      const picture = await t.setup.media.mediaStore.read(key)
      await second.setup.media.mediaStore.write(key, picture ?? Buffer.alloc(0), 'image/jpeg')
      assert.equal((await second.ask('GET', `/m/${id}/320.jpg`)).status, 200)
      assert.equal((await second.ask('GET', `/p/${product}`)).status, 200)
      await withdraw(id)
      second.clock.advance(1_001)
      assert.ok((await second.ask('GET', `/p/${product}`)).text.includes(REASON))
      // Its page has told this process, which drops what it has in memory.
      assert.equal((await second.ask('GET', `/m/${id}/320.jpg`)).status, 410)
    } finally {
      await second.close()
    }
  })
})

describe('a document that not everyone may read', () => {
  test('is 404 for strangers as before, and 410 for those who could read it', async () => {
    const id = await upload(await makeDocument())
    const product = await create(attach(id, 'restricted'))
    const { token } = await createAccessLink(await asOperator(), {
      passportId: product,
      audience: 'legitimate_interest',
      label: 'a reader',
      addresses: t.setup.addresses,
      expiresAt: new Date(t.clock.now().getTime() + HOUR_MS),
    })
    assert.equal((await get(`/d/${id}?access=${token}`)).status, 200)
    await withdraw(id)
    assert.equal((await get(`/d/${id}`)).status, 404)
    assert.equal((await get(`/d/${id}`, { authorization: `Bearer ${account.key}` })).status, 410)
    assert.equal((await get(`/d/${id}?access=${token}`)).status, 410)
    assert.ok(!(await get(`/p/${product}`)).text.includes(REASON))
    assert.ok((await get(`/p/${product}`, { authorization: `Bearer ${token}` })).text.includes(REASON))
  })
})

describe('a withdrawal beside other work', () => {
  test('killed before the bytes were deleted is ended by the clean-up', async () => {
    const id = await upload(await makePicture())
    await create(show(id))
    const { mediaStore } = t.setup.media
    const failing = { ...mediaStore, delete: () => Promise.reject(new Error('killed')) }
    const operator = await asOperator()
    await assert.rejects(
      withdrawMedia({ ...operator, mediaStore: failing }, { id, reason: REASON }),
      /killed/,
    )
    assert.equal((await get(`/m/${id}/320.jpg`)).status, 410)
    assert.notEqual(await mediaStore.read(originalKey(account.id, id)), undefined)
    await cleanUp()
    await assertNoBytes(id, 700)
  })

  test('deletes what an upload wrote that had begun before, for an hour', async () => {
    const bytes = await makePicture()
    const id = await upload(bytes)
    await create(show(id))
    await withdraw(id)
    const { mediaStore } = t.setup.media
    await mediaStore.write(originalKey(account.id, id), bytes, 'image/jpeg')
    await t.sql`insert into public_media (media_id, account_id, width, name) values (decode(${id}, 'hex'), ${account.id}, 700, 'x')`
    assert.equal((await get(`/m/${id}/320.jpg`)).status, 410)
    await cleanUp()
    await assertNoBytes(id, 700)
    assert.equal((await t.sql`select 1 from public_media where media_id = decode(${id}, 'hex')`).length, 0)
    t.clock.advance(2 * HOUR_MS)
    await cleanUp()
    const rows = await getTestShard(t.sql)`
      select 1 from withdrawn_media where account_id = ${account.id} and cleared_at is null`
    assert.equal(rows.length, 0)
    t.clock.release()
  })

  test('and uploads and products of the same moment: nothing is stored after it', async () => {
    for (let round = 0; round < 5; round++) {
      const bytes = await makeDocument()
      const id = await upload(bytes)
      await create(attach(id))
      await Promise.all([
        withdraw(id),
        withdraw(id),
        send(bytes),
        send(bytes),
        t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct(attach(id)) }),
      ])
      await cleanUp()
      await assertNoBytes(id, null)
      assert.equal((await get(`/d/${id}`)).status, 410)
      const [row] = await getTestShard(t.sql)<{ n: number }[]>`
        select count(*)::int as n from media where account_id = ${account.id} and id = decode(${id}, 'hex')`
      assert.equal(row?.n, 0)
    }
    const [usage] = await getTestShard(t.sql)<{ used: number; stored: number }[]>`
      select files as used, (select count(*)::int from media m where m.account_id = u.account_id) as stored
      from media_usage u where account_id = ${account.id}`
    assert.equal(usage?.used, usage?.stored)
  })

  test('of a file that the account does not have is refused', async () => {
    await assert.rejects(withdraw('0'.repeat(64)), { code: 'not_found' })
  })
})
