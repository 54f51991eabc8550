/**
 * Tests files that are fetched from an address, by the worker, from servers that are slow, wrong or hostile.
 */
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { claimFetches, FETCH_LEASE_MS, settleFetch } from '../../src/media/fetch/claim-fetches.ts'
import { downloadFile } from '../../src/media/fetch/download-file.ts'
import { originalKey } from '../../src/media/files/media-file.ts'
import { deleteOldFetches } from '../../src/media/upkeep/delete-unused-media.ts'
import { createFetchSlots, createMediaFetcher } from '../../src/worker/media-fetcher.ts'
import { getTestShard } from '../database.ts'
import { type Answer, type Harness, startHarness, type TestAccount } from '../harness.ts'
import { waitForLocks } from '../waiting.ts'
import { makePng } from './sample-files.ts'

const DAY_MS = 86_400_000

let t: Harness
let account: TestAccount
let server: Server
let base: string
let picture: Buffer
const answers: Record<string, RequestListener> = {}
const asked: string[] = []

const openLoopback = () => openOutbound({ allowInsecureLoopback: true, allowed: createAddressList([]) })

before(async () => {
  t = await startHarness()
  account = await t.account()
  picture = await makePng({ width: 40, height: 30 })
  server = createServer((request, response) => {
    const path = String(request.url)
    asked.push(path)
    const answer = answers[path]
    if (answer === undefined) response.writeHead(404).end('nothing here')
    else answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(async () => {
  server.closeAllConnections()
  server.close()
  await t.close()
})

const openFetcher = (timeoutMs?: number) =>
  createMediaFetcher({
    ...t.setup.media,
    sql: getTestShard(t.sql),
    clock: t.clock,
    log: t.setup.log,
    slots: createFetchSlots(),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    outbound: openLoopback(),
  })

const send = (body: unknown, key = account.key, headers: Record<string, string> = {}): Promise<Answer> =>
  t.ask('POST', '/api/v1/media', { key, body, headers })
const request = async (path: string, key = account.key): Promise<string> => {
  const { status, json } = await send({ source_url: base + path }, key)
  assert.equal(status, 202, JSON.stringify(json))
  return json.data.id
}
const read = async (id: string, key = account.key) =>
  (await t.ask('GET', `/api/v1/media/${id}`, { key })).json.data

/** Runs workers until each file is there or refused; the clock moves on to the next attempt. */
async function fetchAll(timeoutMs?: number): Promise<void> {
  for (let attempt = 0; attempt < 6; attempt++) {
    const fetcher = openFetcher(timeoutMs)
    await fetcher.drain()
    await fetcher.stop()
    t.clock.advance(3_600_000)
  }
  t.clock.release()
}

describe('POST /media with source_url', () => {
  test('answers 202 with a temporary id, which later answers with the file', async () => {
    const bytes = Buffer.concat([picture, randomBytes(8)])
    answers['/good.png'] = (_, response) => response.setHeader('content-type', 'text/plain').end(bytes)
    const { status, json } = await send({ source_url: `${base}/good.png` })
    assert.equal(status, 202)
    const { id, created_at: _, ...rest } = json.data
    assert.match(id, /^[0-9a-z]{26}$/)
    assert.deepEqual(rest, {
      kind: null,
      type: null,
      bytes: null,
      width: null,
      height: null,
      color: null,
      status: 'fetching',
      reason: null,
      url: null,
    })
    assert.deepEqual(await read(id), json.data)
    await fetchAll()
    const found = await read(id)
    assert.equal(found.id, hash('sha256', bytes, 'hex'))
    assert.deepEqual([found.status, found.type, found.bytes], ['ready', 'image/png', bytes.length])
    assert.deepEqual(await t.setup.media.mediaStore.read(originalKey(account.id, found.id)), bytes)
    assert.equal((await t.ask('GET', `/api/v1/media/${id}`, { key: (await t.account()).key })).status, 404)
  })

  test('follows redirects to other addresses of the same kind', async () => {
    answers['/moved'] = (_, response) => response.writeHead(302, { location: '/good.png#part' }).end()
    const id = await request('/moved')
    await fetchAll()
    assert.equal((await read(id)).status, 'ready')
  })

  test('refuses what is no address, or not a public one', async () => {
    const cases: [unknown, string][] = [
      [{ source_url: 'file:///etc/passwd' }, 'format'],
      [{ source_url: 'https://192.168.0.1/a.png' }, 'format'],
      [{ source_url: 'http://pictures.example/a.png' }, 'format'],
      [{ source_url: 7 }, 'type'],
      [{}, 'required'],
      [{ source_url: base, name: 'x' }, 'unknown_field'],
    ]
    for (const [body, code] of cases) {
      const { status, json } = await send(body)
      assert.deepEqual([status, json.errors[0].code], [422, code], JSON.stringify(body))
    }
    assert.equal((await send({ source_url: 'x'.repeat(2 ** 21) })).status, 413)
  })

  test('with an Idempotency-Key is one request', async () => {
    const headers = { 'idempotency-key': 'fetch-1' }
    const first = await send({ source_url: `${base}/once` }, account.key, headers)
    const again = await send({ source_url: `${base}/once` }, account.key, headers)
    assert.equal(again.text, first.text)
    assert.equal(again.headers['idempotency-replayed'], 'true')
    await t.ask('DELETE', `/api/v1/media/${first.json.data.id}`, { key: account.key })
  })

  test('counts what is not fetched yet against the quota', async () => {
    const own = await t.account()
    await t.sql`insert into media_usage (account_id, files, bytes) values (${own.id}, 4999, 0)`
    const id = await request('/good.png', own.key)
    const { status, json } = await send({ source_url: `${base}/good.png` }, own.key)
    assert.deepEqual([status, json.code], [403, 'plan_limit'])
    const removed = await t.ask('DELETE', `/api/v1/media/${id}`, { key: own.key })
    assert.equal(removed.status, 204)
    assert.equal(await read(id, own.key), undefined)
    await request('/good.png', own.key)
    await fetchAll()
  })
})

describe('an address', () => {
  const cases: [name: string, path: string, answer: RequestListener, reason: RegExp, times: number][] = [
    ['that is not found', '/404', (_, r) => r.writeHead(404).end(), /answered 404/, 1],
    ['that always fails', '/503', (_, r) => r.writeHead(503).end(), /answered 503/, 5],
    ['of a web page', '/page', (_, r) => r.end('<!doctype html><p>Hello'), /Send a picture/, 1],
    ['of a cut picture', '/cut', (_, r) => r.end(picture.subarray(0, 100)), /damaged/, 1],
    ['that leads to a file', '/file', redirect('file:///etc/passwd'), /must begin with https/, 1],
    ['that leads to FTP', '/ftp', redirect('ftp://127.0.0.1/a.png'), /must begin with https/, 1],
    ['that leads to a private host', '/private', redirect('https://10.0.0.1/a.png'), /10\.0\.0\.1 is/, 1],
    ['that leads to itself', '/loop', redirect('/loop'), /more than 5 times/, 6],
    ['that leads nowhere', '/nowhere', (_, r) => r.writeHead(302).end(), /without saying where/, 1],
    [
      'of a gzip bomb',
      '/bomb',
      (_, r) => r.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(30_000_000))),
      /sends the file compressed/,
      1,
    ],
    [
      'that breaks off',
      '/broken',
      (_, r) => {
        r.writeHead(200, { 'content-length': 1_000 }).write('abc')
        setImmediate(() => r.destroy())
      },
      /connection ended/,
      5,
    ],
  ]
  function redirect(to: string): RequestListener {
    return (_, response) => response.writeHead(302, { location: to }).end('x'.repeat(100))
  }

  test('that gives no file is refused with a reason, and asked again only if that may help', async () => {
    const own = await t.account()
    const ids = new Map<string, string>()
    for (const [name, path, answer] of cases) {
      answers[path] = answer
      ids.set(name, await request(path, own.key))
    }
    await fetchAll()
    for (const [name, path, , reason, times] of cases) {
      const found = await read(ids.get(name) ?? '', own.key)
      assert.equal(found.status, 'refused', name)
      assert.match(found.reason, reason, name)
      assert.equal(asked.filter(one => one === path).length, times, name)
    }
  })

  test('that answers an error or a redirect has its body ignored, however long it is', async () => {
    const closed: Promise<unknown>[] = []
    const respondEndlessly = (status: number): RequestListener => {
      return (_, response) => {
        closed.push(once(response, 'close'))
        response.writeHead(status, { location: '/endless-404' }).write('x')
      }
    }
    answers['/endless-302'] = respondEndlessly(302)
    answers['/endless-404'] = respondEndlessly(404)
    const outbound = openLoopback()
    const limits = { timeoutMs: 20_000, maxBytes: 5_000_000 }
    const result = await downloadFile(outbound, `${base}/endless-302`, limits)
    assert.deepEqual(result, {
      failure: 'not_found',
      reason: 'The server of the address answered 404 instead of sending the file.',
      isPassing: false,
    })
    assert.equal(closed.length, 2)
    await Promise.all(closed)
    await outbound.close()
  })

  test('has one time limit for the file with all redirects that lead to it', async () => {
    const timeoutMs = 400
    for (let hop = 0; hop < 4; hop++)
      answers[`/hop${hop}`] = (_, response) => {
        setTimeout(() => response.writeHead(302, { location: `/hop${hop + 1}` }).end(), timeoutMs / 3)
      }
    answers['/hop4'] = (_, response) => response.writeHead(200).end(picture)
    const result = await downloadFile(openLoopback(), `${base}/hop0`, { timeoutMs })
    assert.deepEqual(result, {
      failure: 'no_answer',
      reason: 'The file did not arrive within 0.4 seconds.',
      isPassing: true,
    })
  })

  test('that is slow, endless or huge ends at the limits', async () => {
    answers['/slow'] = () => undefined
    answers['/drip'] = (_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    }
    answers['/huge'] = (_, response) => {
      const chunk = Buffer.alloc(65_536, 1)
      const more = (error?: Error | null) => {
        if (!error) response.write(chunk, more)
      }
      more()
    }
    const outbound = openLoopback()
    const download = (path: string, timeoutMs: number) =>
      downloadFile(outbound, base + path, { timeoutMs, maxBytes: 5_000_000 })
    for (const path of ['/slow', '/drip'])
      assert.deepEqual(await download(path, 300), {
        failure: 'no_answer',
        reason: 'The file did not arrive within 0.3 seconds.',
        isPassing: true,
      })
    assert.deepEqual(await download('/huge', 20_000), {
      failure: 'too_large',
      reason: 'The file has more than 5000000 bytes (4 MiB).',
      isPassing: false,
    })
    await outbound.close()
  })
})

describe('workers', () => {
  const add = async (accountId: number, count: number) => {
    for (let i = 0; i < count; i++)
      await getTestShard(t.sql)`
        insert into media_fetch (account_id, id, source_url, status, attempts, due_at, created_at, created_by)
        values (${accountId}, gen_random_uuid(), 'https://x.example/', 'f', 0, ${new Date(i)}, ${new Date()}, 1)`
  }
  const workers = () => ({ sql: getTestShard(t.sql), clock: t.clock })
  const claim = (limit: number) => claimFetches(workers(), { limit, maxOfAccount: 2 })
  const listAccounts = (claimed: { accountId: number }[]) => claimed.map(({ accountId }) => accountId).sort()

  test('begin with one file of each account, and never fetch more than two of one at a time', async () => {
    const [one, two] = [await t.account(), await t.account()]
    await add(one.id, 6)
    await add(two.id, 1)
    const first = await claim(2)
    assert.deepEqual(listAccounts(first), [one.id, two.id].sort())
    const second = await claim(6)
    assert.deepEqual(listAccounts(second), [one.id])
    assert.equal((await claim(6)).length, 0)
    const [ended, broken] = [...first.filter(({ accountId }) => accountId === one.id), ...second]
    assert.ok(ended && broken)
    // A fetch that waits for its next attempt is not in flight.
    await settleFetch(workers(), ended, { failure: 'status', reason: 'busy', isPassing: true })
    assert.equal((await claim(6)).length, 1)
    assert.equal((await claim(6)).length, 0)
    await settleFetch(workers(), broken, { failure: 'not_found', reason: 'nothing', isPassing: false })
    assert.equal((await claim(6)).length, 1)
    // The leases of killed workers end.
    t.clock.advance(FETCH_LEASE_MS)
    assert.equal((await claim(6)).length, 3)
    t.clock.release()
    await t.sql`delete from media_fetch where account_id = any(${[one.id, two.id]}::int[])`
  })

  test('of several processes that claim at once never fetch more than two of one account', async () => {
    const { id } = await t.account()
    await add(id, 20)
    for (let round = 0; round < 3; round++) {
      const claims = (await Promise.all(Array.from({ length: 8 }, () => claim(1 + (round % 3))))).flat()
      assert.equal(claims.length, 2)
      for (const one of claims) await settleFetch(workers(), one, 'stopped')
    }
    await t.sql`delete from media_fetch where account_id = ${id}`
  })

  test('count what another process claims meanwhile, also if an older one has come in between', async () => {
    const { id } = await t.account()
    await add(id, 2)
    try {
      const { claims } = await t.sql.begin(async tx => {
        await tx`select from media_fetch where account_id = ${id} order by due_at limit 1 for update`
        const first = claim(6)
        first.catch(() => undefined)
        await waitForLocks(t.sql, 1)
        await getTestShard(t.sql)`
          insert into media_fetch (account_id, id, source_url, status, attempts, due_at, created_at, created_by)
          values (${id}, gen_random_uuid(), 'https://x.example/', 'f', 0, ${new Date(-1)}, ${new Date()}, 1)`
        const second = claim(6)
        second.catch(() => undefined)
        await waitForLocks(t.sql, 2)
        return { claims: Promise.all([first, second]) }
      })
      assert.equal((await claims).flat().length, 2)
    } finally {
      await t.sql`delete from media_fetch where account_id = ${id}`
    }
  })

  test('try a file five times, one of an import three times', async () => {
    const { id } = await t.account()
    for (const [isForImport, tries] of [
      [false, 5],
      [true, 3],
    ] as const) {
      await add(id, 1)
      if (isForImport)
        await t.sql`update media_fetch set import_id = gen_random_uuid() where account_id = ${id}`
      try {
        let count = 0
        for (let [claimed] = await claim(1); claimed; [claimed] = await claim(1)) {
          count++
          await settleFetch(workers(), claimed, { failure: 'status', reason: 'busy', isPassing: true })
          t.clock.advance(DAY_MS)
        }
        assert.equal(count, tries)
      } finally {
        t.clock.release()
        await t.sql`delete from media_fetch where account_id = ${id}`
      }
    }
  })

  test('know for 30 days what became of a file, and never forget one that they still fetch', async () => {
    const { id } = await t.account()
    const now = t.clock.now()
    t.clock.set(now)
    const before = new Date(now.getTime() - 30 * DAY_MS)
    const insert = (status: string, createdAt: Date) => getTestShard(t.sql)`
      insert into media_fetch (account_id, id, source_url, status, attempts, due_at, created_at, created_by)
      values (${id}, gen_random_uuid(), 'https://x.example/', ${status}::text::"char", 0, ${now}, ${createdAt}, 1)`
    try {
      for (const status of ['f', 'x']) {
        await insert(status, new Date(before.getTime() - 1))
        await insert(status, before)
      }
      await deleteOldFetches(workers())
      const rows = await t.sql<{ status: string; at: Date }[]>`
        select status, created_at as at from media_fetch where account_id = ${id} order by status, created_at`
      assert.deepEqual(
        rows.map(({ status, at }) => [status, before.getTime() - at.getTime()]),
        [
          ['f', 1],
          ['f', 0],
          ['x', 0],
        ],
      )
    } finally {
      t.clock.release()
      await t.sql`delete from media_fetch where account_id = ${id}`
    }
  })

  test('store nothing about a file that another worker has claimed since', async () => {
    const { id } = await t.account()
    await add(id, 1)
    try {
      const [older] = await claim(1)
      t.clock.advance(FETCH_LEASE_MS)
      const [newer] = await claim(1)
      assert.ok(older && newer)
      const readRow = async () => {
        const [row] = await t.sql`
          select status, attempts, due_at, claimed_until from media_fetch where account_id = ${id}`
        return row
      }
      const before = await readRow()
      await settleFetch(workers(), older, 'stopped')
      assert.deepEqual(await readRow(), before)
      await settleFetch(workers(), older, { failure: 'status', reason: 'busy', isPassing: true })
      assert.deepEqual(await readRow(), before)
      await settleFetch(workers(), newer, 'stopped')
      assert.equal((await claim(1)).length, 1)
    } finally {
      t.clock.release()
      await t.sql`delete from media_fetch where account_id = ${id}`
    }
  })

  test('fetch again what a killed worker has claimed, and stop without losing an attempt', async () => {
    const [release, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    answers['/late'] = () => release.resolve()
    const id = await request('/late')
    assert.equal((await claim(6)).length, 1)
    const early = openFetcher()
    await early.drain()
    await early.stop()
    assert.equal((await read(id)).status, 'fetching')
    assert.equal(asked.includes('/late'), false)
    t.clock.advance(FETCH_LEASE_MS)
    const stopped = openFetcher()
    await stopped.startDue()
    await release.promise
    await stopped.stop()
    answers['/late'] = (_, response) => response.end(picture, () => released.resolve())
    const next = openFetcher()
    await next.drain()
    await released.promise
    await next.stop()
    t.clock.release()
    assert.equal((await read(id)).status, 'ready')
    const [row] = await t.sql<{ attempts: number }[]>`
      select attempts from media_fetch where source_url like '%/late'`
    assert.equal(row?.attempts, 2)
  })
})
