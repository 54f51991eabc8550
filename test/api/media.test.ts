/** Tests `/media`: storing files once, listing, deleting, quotas, and what other accounts see. */
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { originalKey, variantKey } from '../../src/media/files/media-file.ts'
import { deleteUnfinishedMedia } from '../../src/media/upkeep/delete-media.ts'
import { type Ask, type Harness, startHarness, type TestAccount } from '../harness.ts'
import { makeJpeg, makePdf, makePng } from '../media/sample-files.ts'
import { waitForLocks } from '../waiting.ts'

let t: Harness
let account: TestAccount
let picture: Buffer
before(async () => {
  t = await startHarness()
  account = await t.account()
  picture = await makeJpeg({ width: 400, height: 300 })
})
after(() => t.close())

const upload = (bytes: Buffer, type: string | undefined, more: Ask = {}) =>
  t.ask('POST', '/api/v1/media', {
    key: account.key,
    text: bytes,
    ...more,
    headers: { ...(type === undefined ? {} : { 'content-type': type }), ...more.headers },
  })

const ask = (method: 'GET' | 'DELETE', path: string, key = account.key) =>
  t.ask(method, `/api/v1${path}`, { key })

const makeForm = (name: string, bytes: Buffer, type?: string, count = 1) => {
  const head = `--xyz\r\nContent-Disposition: form-data; name="${name}"; filename="a.bin"`
  const part = [head, ...(type === undefined ? [] : [`Content-Type: ${type}`]), '', ''].join('\r\n')
  const parts = Array.from({ length: count }, () => [Buffer.from(part), bytes, Buffer.from('\r\n')])
  return {
    type: 'multipart/form-data; boundary=xyz',
    body: Buffer.concat([...parts.flat(), Buffer.from('--xyz--\r\n')]),
  }
}

/** A small picture of its own. */
const makeNewPicture = async () => Buffer.concat([await makePng({ width: 40, height: 30 }), randomBytes(8)])

describe('POST /media', () => {
  test('stores a picture under the digest of its bytes', async () => {
    const { status, json } = await upload(picture, 'image/jpeg')
    assert.equal(status, 201)
    const id = hash('sha256', picture, 'hex')
    const { color, created_at: _, ...rest } = json.data
    assert.match(color, /^#[0-9a-f]{6}$/)
    assert.deepEqual(rest, {
      id,
      kind: 'picture',
      type: 'image/jpeg',
      bytes: picture.length,
      width: 400,
      height: 300,
      status: 'ready',
      reason: null,
      url: `https://carnet.example/m/${id}/640.jpg`,
    })
    const { mediaStore } = t.setup.media
    assert.deepEqual(await mediaStore.read(originalKey(account.id, id)), picture)
    assert.ok(await mediaStore.read(variantKey(account.id, id, 640, 'avif')))
  })

  test('with the same bytes is 200 with the same file, and counts once', async () => {
    const bytes = await makeNewPicture()
    const first = await upload(bytes, 'image/png')
    const before = (await ask('GET', '/media?limit=1')).json.meta
    const again = await upload(bytes, undefined, { headers: { 'content-type': 'application/octet-stream' } })
    assert.deepEqual([first.status, again.status], [201, 200])
    assert.deepEqual(again.json.data, first.json.data)
    assert.deepEqual((await ask('GET', '/media?limit=1')).json.meta, before)
  })

  test('eight times at once stores it once', async () => {
    const bytes = await makeNewPicture()
    const { files } = (await ask('GET', '/media?limit=1')).json.meta
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(bytes, 'image/png')))
    assert.equal(
      new Set(answers.map(one => one.json.data?.id)).size,
      1,
      answers.map(one => one.text).join('\n'),
    )
    assert.equal((await ask('GET', '/media?limit=1')).json.meta.files, files + 1)
  })

  test('takes a form with one part named file, and a PDF', async () => {
    const bytes = await makePdf('in a form')
    const { type, body } = makeForm('file', bytes)
    const { status, json } = await upload(body, type)
    assert.equal(status, 201)
    assert.deepEqual([json.data.kind, json.data.width, json.data.color], ['document', null, null])
    assert.equal(json.data.url, `https://carnet.example/d/${hash('sha256', bytes, 'hex')}`)
  })

  test('with an Idempotency-Key repeats its answer, and refuses the key for another file', async () => {
    const bytes = await makeNewPicture()
    const headers = { 'idempotency-key': 'upload-1' }
    const first = await upload(bytes, 'image/png', { headers })
    const again = await upload(bytes, 'image/png', { headers })
    assert.deepEqual([first.status, again.status], [201, 201])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(again.text, first.text)
    const other = await upload(await makeNewPicture(), 'image/png', { headers })
    assert.equal(other.status, 422)
    assert.equal(other.json.errors[0].code, 'idempotency_key_reused')
  })

  test('refuses what is no picture or PDF, with a code and a sentence', async () => {
    const { type, body } = makeForm('picture', picture)
    const sent = (form: { body: Buffer }) => form.body
    const cases: [string, Buffer, string, number, string | undefined][] = [
      ['a text', Buffer.from('hello'), 'text/plain', 415, 'media_type'],
      ['another type than declared', picture, 'image/png', 422, 'media_type'],
      ['a cut picture', picture.subarray(0, 500), 'image/jpeg', 422, 'media_unreadable'],
      ['nothing', Buffer.alloc(0), 'image/png', 422, 'media_unreadable'],
      ['a form without file', body, type, 422, 'required'],
      ['a form with another type', sent(makeForm('file', picture, 'image/png')), type, 422, 'media_type'],
      ['a form with two files', sent(makeForm('file', picture, 'image/jpeg', 2)), type, 422, 'length'],
      ['a broken form', Buffer.from('--x'), type, 400, undefined],
      ['JSON', Buffer.from('{}'), 'application/json', 422, 'required'],
      ['21 MB', Buffer.alloc(21 * 1024 * 1024), 'image/png', 413, 'media_too_large'],
    ]
    for (const [name, bytes, declared, status, code] of cases) {
      const answer = await upload(bytes, declared)
      assert.equal(answer.status, status, `${name}: ${answer.text}`)
      assert.equal(answer.json.errors?.[0]?.code, code, name)
      assert.match(answer.json.error, /\.$/)
    }
  })

  test('refuses a compressed body, and says so', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const { status, json } = await upload(gzipSync(picture), 'image/jpeg', { headers })
    assert.equal(status, 415)
    assert.match(json.error, /Compressed bodies are not supported/)
  })

  test('is refused beyond the quota of the plan, and stores nothing then', async () => {
    const small = await t.account({ plan: 'free' })
    await t.sql`update account set plan = 'beta' where id = ${small.id}`
    await t.sql`insert into media_usage (account_id, files, bytes) values (${small.id}, 4999, 1000)`
    assert.equal((await upload(await makeNewPicture(), 'image/png', { key: small.key })).status, 201)
    const beyond = await upload(await makeNewPicture(), 'image/png', { key: small.key })
    assert.equal(beyond.status, 403)
    assert.equal(beyond.json.code, 'plan_limit')
    assert.match(beyond.json.error, /can store 5000 files/)
    await t.sql`update media_usage set files = 0, bytes = 9999999999 where account_id = ${small.id}`
    assert.match(
      (await upload(await makeNewPicture(), 'image/png', { key: small.key })).json.error,
      /10000 MB/,
    )
    assert.equal((await ask('GET', '/media', small.key)).json.data.length, 1)
    const last = await makeNewPicture()
    const setBytes = (left: number) =>
      t.sql`update media_usage set bytes = ${10_000_000_000 - left}::bigint where account_id = ${small.id}`
    await setBytes(last.length - 1)
    assert.equal((await upload(last, 'image/png', { key: small.key })).status, 403)
    await setBytes(last.length)
    assert.equal((await upload(last, 'image/png', { key: small.key })).status, 201)
  })

  test('needs a key that may write', async () => {
    assert.equal((await t.ask('POST', '/api/v1/media', { text: picture })).status, 401)
    const key = await t.apiKey(account, 'read')
    assert.equal((await upload(picture, 'image/jpeg', { key })).json.code, 'read_only')
  })
})

describe('GET /media', () => {
  test('lists page by page, newest first, and by kind', async () => {
    const own = await t.account()
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      const { json } = await upload(await makeNewPicture(), 'image/png', { key: own.key })
      ids.unshift(json.data.id)
    }
    ids.unshift((await upload(await makePdf('listed'), 'application/pdf', { key: own.key })).json.data.id)
    const found: string[] = []
    let path = '/media?limit=2'
    for (;;) {
      const { json } = await ask('GET', path, own.key)
      found.push(...json.data.map((one: { id: string }) => one.id))
      if (!json.meta.has_more) break
      path = `/media?limit=2&cursor=${json.meta.next_cursor}`
    }
    assert.deepEqual(found, ids)
    assert.deepEqual((await ask('GET', '/media?kind=document', own.key)).json.data.length, 1)
    assert.equal((await ask('GET', '/media?kind=film', own.key)).status, 422)
    assert.equal((await ask('GET', '/media?unused=true&kind=document', own.key)).json.data.length, 1)
    assert.equal((await ask('GET', '/media?unused=no', own.key)).status, 422)
    assert.equal((await ask('GET', '/media?cursor=x', own.key)).status, 422)
  })
})

describe('GET and DELETE /media/{id}', () => {
  test('answer about a file of the account, and 404 for any other', async () => {
    const { id } = (await upload(await makeNewPicture(), 'image/png')).json.data
    assert.equal((await ask('GET', `/media/${id}`)).json.data.id, id)
    const stranger = await t.account()
    for (const method of ['GET', 'DELETE'] as const) {
      assert.equal((await ask(method, `/media/${id}`, stranger.key)).status, 404)
      assert.equal((await ask(method, '/media/nonsense')).status, 404)
      assert.equal((await ask(method, `/media/${'0'.repeat(64)}`)).status, 404)
    }
  })

  test('delete its objects and its part of the quota', async () => {
    const bytes = await makeNewPicture()
    const { id } = (await upload(bytes, 'image/png')).json.data
    const { files } = (await ask('GET', '/media?limit=1')).json.meta
    const { status, headers, text } = await ask('DELETE', `/media/${id}`)
    assert.deepEqual([status, headers['content-type'], text], [204, undefined, ''])
    assert.equal((await ask('GET', `/media/${id}`)).status, 404)
    assert.equal(await t.setup.media.mediaStore.read(originalKey(account.id, id)), undefined)
    assert.equal((await ask('GET', '/media?limit=1')).json.meta.files, files - 1)
    assert.equal((await upload(bytes, 'image/png')).status, 201)
  })
})

describe('a file that is being deleted', () => {
  const setDeleting = (id: string) =>
    t.sql`update media set status = 'd' where account_id = ${account.id} and id = decode(${id}, 'hex')`

  test('is not stored meanwhile: nobody would know of its bytes afterwards', async () => {
    const { mediaStore } = t.setup.media
    const bytes = await makeNewPicture()
    const { id } = (await upload(bytes, 'image/png')).json.data
    await setDeleting(id)
    await mediaStore.delete(originalKey(account.id, id))
    const { status, json } = await upload(bytes, 'image/png')
    assert.equal(status, 503)
    assert.match(json.error, /was deleted a moment ago/)
    assert.equal(await mediaStore.read(originalKey(account.id, id)), undefined)
    await deleteUnfinishedMedia({ sql: t.sql, clock: t.clock }, mediaStore)
    assert.equal((await upload(bytes, 'image/png')).status, 201)
  })

  test('leaves the count once, also if two processes delete it', async () => {
    const { mediaStore } = t.setup.media
    const { id } = (await upload(await makeNewPicture(), 'image/png')).json.data
    const readFiles = async () => (await ask('GET', '/media?limit=1')).json.meta.files
    const files = await readFiles()
    await setDeleting(id)
    const { deleted } = await t.sql.begin(async tx => {
      await tx`select from media_usage where account_id = ${account.id} for update`
      const clean = () => deleteUnfinishedMedia({ sql: t.sql, clock: t.clock }, mediaStore)
      const deleted = Promise.all([clean(), clean()])
      deleted.catch(() => undefined)
      await waitForLocks(t.sql, 2)
      return { deleted }
    })
    await deleted
    assert.equal(await readFiles(), files - 1)
  })
})

describe('what a killed process left', () => {
  const insert = (id: string, status: string, createdAt: Date) => t.sql`
    insert into media (account_id, id, kind, status, type, bytes, width, height, color, created_at, created_by)
    values (${account.id}, decode(${id}, 'hex'), 'p', ${status}::text::"char", 'image/png', 5, 40, 30, '#000000', ${createdAt}, 1)`

  test('is deleted: files that were begun an hour ago, and deletions that did not end', async () => {
    const { mediaStore } = t.setup.media
    const old = new Date(Date.now() - 3_700_000)
    const [begun, doomed, young] = ['1', '2', '3'].map(digit => digit.repeat(64)) as [string, string, string]
    await insert(begun, 'p', old)
    await insert(doomed, 'd', new Date())
    await insert(young, 'p', new Date())
    for (const id of [begun, doomed, young])
      await mediaStore.write(originalKey(account.id, id), Buffer.from('x'), 'image/png')
    assert.equal(await deleteUnfinishedMedia({ sql: t.sql, clock: t.clock }, mediaStore), 2)
    assert.equal(await mediaStore.read(originalKey(account.id, begun)), undefined)
    assert.equal(await mediaStore.read(originalKey(account.id, doomed)), undefined)
    assert.ok(await mediaStore.read(originalKey(account.id, young)))
    assert.equal((await ask('GET', `/media/${young}`)).json.data.status, 'processing')
  })
})
