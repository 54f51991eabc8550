/** Tests files on a disk that is full. */
import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { openMediaStore } from '../../src/media/store/open-media-store.ts'
import { createFetchSlots, createMediaFetcher } from '../../src/worker/media-fetcher.ts'
import { OWN, type Stand, startStand } from '../console/stand.ts'
import { getTestShard } from '../database.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'
import { mountSmallDisk, testInNamespace, unmountSmallDisk } from '../small-disk.ts'
import { makePng } from './sample-files.ts'

const disk = mountSmallDisk('1m')
const openLoopback = () => openOutbound({ allowInsecureLoopback: true, allowed: createAddressList([]) })
const SENTENCE = 'The server has no room for files. The operator must free space'

if (disk === undefined) testInNamespace(import.meta.filename)

describe('a full disk', { skip: disk === undefined }, () => {
  const folder = disk ?? ''
  const store = openMediaStore({ folder })
  const filler = join(folder, 'filler')
  let t: Harness
  let stand: Stand
  let account: TestAccount
  let picture: Buffer

  before(async () => {
    picture = await makePng({ width: 40, height: 30 })
    t = await startHarness()
    t.setup.media.mediaStore = store
    account = await t.account()
    stand = await startStand()
    stand.media.mediaStore = store
  })
  after(async () => {
    unmountSmallDisk(folder)
    await stand?.close()
    await t?.close()
  })

  const fill = async () => {
    await assert.rejects(writeFile(filler, Buffer.alloc(2 ** 21)), { code: 'ENOSPC' })
  }
  const listTemporary = async () =>
    (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.partial'))
  const send = () =>
    t.app.inject({
      method: 'POST',
      url: '/api/v1/media',
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'image/png' },
      payload: picture,
    })

  test('is 503 with what to do, leaves no temporary file, and the file can be sent again', async () => {
    await fill()
    const refused = await send()
    assert.equal(refused.statusCode, 503, refused.body)
    assert.equal(refused.json().code, 'unavailable')
    assert.ok(refused.json().error.startsWith(SENTENCE))
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.deepEqual(await listTemporary(), [])
    await rm(filler)
    assert.equal((await send()).statusCode, 201)
  })

  test('is explained in the console', async () => {
    await fill()
    const editor = await stand.signedIn(await stand.account(), 'editor')
    const parts = new FormData()
    parts.append('files', new Blob([new Uint8Array(picture)]), 'front.png')
    const { status, text } = await editor.post('/console/media', {
      parts,
      headers: { ...OWN, accept: 'text/html' },
    })
    assert.equal(status, 422)
    assert.ok(text.includes(`<strong>front.png</strong>: ${SENTENCE}; upload the file again then.`), text)
    assert.deepEqual(await listTemporary(), [])
    await rm(filler)
  })

  test('does not end the fetch of a file', async context => {
    const server = createServer((_, response) => response.setHeader('connection', 'close').end(picture))
    context.after(() => server.close())
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const source_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/front.png`
    const other = await t.account()
    const { json } = await t.ask('POST', '/api/v1/media', { key: other.key, body: { source_url } })
    const fetchDue = async () => {
      const shared = {
        sql: getTestShard(t.sql),
        clock: t.clock,
        log: t.setup.log,
        outbound: openLoopback(),
      }
      const fetcher = createMediaFetcher({ ...t.setup.media, ...shared, slots: createFetchSlots() })
      await fetcher.drain()
      await fetcher.stop()
      return (await t.ask('GET', `/api/v1/media/${json.data.id}`, { key: other.key })).json.data.status
    }
    await fill()
    assert.equal(await fetchDue(), 'fetching')
    const [row] = await t.sql`select attempts from media_fetch where account_id = ${other.id}`
    assert.equal(row?.attempts, 0)
    await rm(filler)
    // Somebody has to free space first, so the file is not fetched again at once.
    t.clock.advance(299_000)
    assert.equal(await fetchDue(), 'fetching')
    t.clock.advance(1_000)
    assert.equal(await fetchDue(), 'ready')
  })
})
