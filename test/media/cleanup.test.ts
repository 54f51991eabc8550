/** Tests the clean-up of files that nobody refers to. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { originalKey } from '../../src/media/files/media-file.ts'
import { withdrawMedia } from '../../src/media/upkeep/withdraw-media.ts'
import { exportMediaUses, importMediaUses } from '../../src/media/uses/export-uses.ts'
import { createMediaCleanup } from '../../src/worker/media-tasks.ts'
import { getTestShard } from '../database.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { waitForLocks } from '../waiting.ts'
import { makePng } from './sample-files.ts'

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account()
})
after(() => t.close())

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const send = (path: string, body: object) => t.ask('POST', `/api/v1${path}`, { key: account.key, body })

const makeFile = async () => Buffer.concat([await makePng({ width: 40, height: 30 }), randomBytes(8)])

async function upload(bytes?: Buffer): Promise<string> {
  const text = bytes ?? (await makeFile())
  const headers = { 'content-type': 'image/png' }
  return (await t.ask('POST', '/api/v1/media', { key: account.key, text, headers })).json.data.id
}

const makeData = (id: string) => newProduct({ pictures: [{ media: id, alt: { en: 'A scarf.' } }] })
const read = async (id: string) => (await t.ask('GET', `/api/v1/media/${id}`, { key: account.key })).status

/** Who deleted which file. */
const readAudit = async (): Promise<string[]> =>
  (
    await t.sql<{ entry: string }[]>`
      select a.kind || ' ' || e.subject as entry from audit_entry e join actor a on a.account_id = e.account_id and a.id = e.actor
      where e.account_id = ${account.id} and e.action = 'file_deleted' order by e.id`
  ).map(({ entry }) => entry)

/** A server's task, as it runs in a worker. */
const makeCleanup = () =>
  createMediaCleanup(
    { sql: getTestShard(t.sql), clock: t.clock, log: t.setup.log, mediaStore: t.setup.media.mediaStore },
    () => true,
  )

describe('the clean-up', () => {
  test('deletes files after 30 days, but none that a version or a draft names', async () => {
    const [used, earlier, drafted, unused] = [await upload(), await upload(), await upload(), await upload()]
    assert.equal((await send('/products', makeData(used))).status, 201)
    const { id } = (await send('/products', makeData(earlier))).json.data
    const change = { data: { pictures: null } }
    assert.equal(
      (await t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body: change })).status,
      200,
    )
    assert.equal((await send('/drafts', makeData(drafted))).status, 201)
    const cleanUp = makeCleanup()
    t.clock.advance(29 * DAY_MS)
    await cleanUp()
    assert.equal(await read(unused), 200)
    t.clock.advance(2 * DAY_MS)
    const young = await upload()
    await cleanUp()
    assert.equal(await read(unused), 404)
    assert.equal(await t.setup.media.mediaStore.read(originalKey(account.id, unused)), undefined)
    for (const one of [used, earlier, drafted, young]) assert.equal(await read(one), 200)
    assert.deepEqual(await readAudit(), [`service ${unused}`])
    await t.ask('DELETE', `/api/v1/media/${young}`, { key: account.key })
    await t.ask('DELETE', `/api/v1/media/${young}`, { key: account.key })
    assert.deepEqual(await readAudit(), [`service ${unused}`, `api_key ${young}`])
    t.clock.release()
  })

  test('reads a thousand files in a run, and goes on behind them in the next', async () => {
    const [many, last] = [await t.account(), await t.account()]
    const uploadFor = async ({ key }: TestAccount) => {
      const headers = { 'content-type': 'image/png' }
      return (await t.ask('POST', '/api/v1/media', { key, text: await makeFile(), headers })).json.data.id
    }
    const young = await uploadFor(many)
    const later = new Date(Date.now() + 365 * DAY_MS).toISOString()
    await t.sql`
      insert into media (account_id, id, kind, status, type, bytes, width, height, created_at, created_by)
      select account_id, sha256(g::text::bytea), kind, status, type, bytes, width, height, ${later}::timestamptz, created_by
      from media cross join generate_series(1, 1000) g
      where account_id = ${many.id} and id = decode(${young}, 'hex')`
    const unused = await uploadFor(last)
    const readIt = async () => (await t.ask('GET', `/api/v1/media/${unused}`, { key: last.key })).status
    const cleanUp = makeCleanup()
    t.clock.advance(31 * DAY_MS)
    await cleanUp()
    assert.equal(await readIt(), 200)
    await cleanUp()
    assert.equal(await readIt(), 404)
    await t.sql`delete from media where account_id = ${many.id}`
    t.clock.release()
  })

  test('keeps a file that was sent again within 30 days', async () => {
    const bytes = await makeFile()
    const id = await upload(bytes)
    t.clock.advance(29 * DAY_MS)
    assert.equal(await upload(bytes), id)
    t.clock.advance(29 * DAY_MS)
    await makeCleanup()()
    assert.equal(await read(id), 200)
    t.clock.advance(2 * DAY_MS)
    await makeCleanup()()
    assert.equal(await read(id), 404)
    t.clock.release()
  })

  test('keeps a file that is sent again while it deletes others', async () => {
    const files = [await makeFile(), await makeFile()]
    const sent = await Promise.all(files.map(async bytes => ({ bytes, id: await upload(bytes) })))
    const [first, second] = sent.sort((a, b) => (a.id < b.id ? -1 : 1))
    assert.ok(first && second)
    t.clock.advance(31 * DAY_MS)
    try {
      const { cleaned } = await t.sql.begin(async tx => {
        await tx`select from media where id = decode(${first.id}, 'hex') for update`
        const cleaned = makeCleanup()()
        cleaned.catch(() => undefined)
        await waitForLocks(t.sql, 1)
        assert.equal(await upload(second.bytes), second.id)
        return { cleaned }
      })
      await cleaned
      assert.deepEqual([await read(first.id), await read(second.id)], [404, 200])
    } finally {
      t.clock.release()
    }
  })

  test('keeps a file that is sent again while it waits to delete it', async () => {
    const bytes = await makeFile()
    const id = await upload(bytes)
    t.clock.advance(31 * DAY_MS)
    try {
      const { cleaned } = await t.sql.begin(async tx => {
        // As an upload of the same bytes does it, before its transaction ends.
        await tx`update media set created_at = ${t.clock.now()} where id = decode(${id}, 'hex')`
        const cleaned = makeCleanup()()
        cleaned.catch(() => undefined)
        await waitForLocks(t.sql, 1)
        return { cleaned }
      })
      await cleaned
      assert.equal(await read(id), 200)
      assert.ok(await t.setup.media.mediaStore.read(originalKey(account.id, id)))
    } finally {
      t.clock.release()
    }
  })

  test('keeps a file whose upload ends while it waits to delete what was not finished', async () => {
    const id = await upload()
    await t.sql`update media set status = 'p' where id = decode(${id}, 'hex')`
    t.clock.advance(2 * HOUR_MS)
    try {
      const { cleaned } = await t.sql.begin(async tx => {
        await tx`update media set status = 'r' where id = decode(${id}, 'hex')`
        const cleaned = makeCleanup()()
        cleaned.catch(() => undefined)
        await waitForLocks(t.sql, 1)
        return { cleaned }
      })
      await cleaned
      assert.equal(await read(id), 200)
      assert.ok(await t.setup.media.mediaStore.read(originalKey(account.id, id)))
    } finally {
      t.clock.release()
    }
  })

  // In whichever order a statement locks them, it has another one before the first or before the last.
  for (const position of [0, -1])
    test(`holds no unfinished file while it waits for another, at ${position}`, async () => {
      const ids: string[] = []
      for (let i = 0; i < 8; i++) ids.push(await upload())
      await t.sql`update media set status = 'p' where encode(id, 'hex') = any(${ids})`
      const held = ids.at(position) ?? ''
      t.clock.advance(2 * HOUR_MS)
      try {
        const { cleaned } = await t.sql.begin(async tx => {
          await tx`select from media where id = decode(${held}, 'hex') for update`
          const cleaned = makeCleanup()()
          cleaned.catch(() => undefined)
          await waitForLocks(t.sql, 1)
          for (const id of ids) await tx`select from media where id = decode(${id}, 'hex') for update`
          return { cleaned }
        })
        await cleaned
        for (const id of ids) assert.equal(await read(id), 404)
      } finally {
        t.clock.release()
      }
    })

  test('and a withdrawal of a file that is being deleted do not wait for each other', async () => {
    const id = await upload()
    await t.sql`update media set status = 'd' where id = decode(${id}, 'hex')`
    const { mediaStore } = t.setup.media
    const ctx = { ...account.ctx, mediaStore }
    const { done } = await t.sql.begin(async tx => {
      await tx`select from media_usage where account_id = ${account.id} for update`
      const withdrawn = withdrawMedia(ctx, { id, reason: 'It names a person.' })
      withdrawn.catch(() => undefined)
      await waitForLocks(t.sql, 1)
      const cleaned = makeCleanup()()
      cleaned.catch(() => undefined)
      await waitForLocks(t.sql, 2)
      return { done: Promise.all([withdrawn, cleaned]) }
    })
    const [{ isNew }] = await done
    assert.equal(isNew, true)
    assert.equal(await mediaStore.read(originalKey(account.id, id)), undefined)
  })

  test('and products written at the same moment: either the file stays, or the product is refused', async () => {
    const ids: string[] = []
    for (let i = 0; i < 12; i++) ids.push(await upload())
    t.clock.advance(31 * DAY_MS)
    const [answers] = await Promise.all([
      Promise.all(ids.map(id => send('/products', makeData(id)))),
      makeCleanup()(),
    ])
    for (const [i, id] of ids.entries()) {
      const answer = answers[i]
      if (answer?.status === 201) assert.equal(await read(id), 200)
      else assert.equal(answer?.json.errors[0].code, 'unknown_media')
      if (await t.setup.media.mediaStore.read(originalKey(account.id, id))) assert.equal(answer?.status, 201)
    }
    t.clock.release()
  })

  test('knows the references of an imported account', async () => {
    const shard = getTestShard(t.sql)
    const uses = await Array.fromAsync(exportMediaUses(shard, account.id))
    assert.ok(uses.length >= 2)
    await importMediaUses(shard, account.id + 1_000, uses)
    assert.deepEqual(await Array.fromAsync(exportMediaUses(shard, account.id + 1_000)), uses)
  })
})
