/**
 * Tests how many bytes of bodies may be in memory: of an account, a network and all. A client that announces
 * much, sends slowly or stops holds only what it has sent.
 */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { Semaphore } from '../../src/kernel/concurrency/semaphore.ts'
import { BODY_BYTES, BodiesInFlight } from '../../src/kernel/http/bodies-in-flight.ts'
import { bodiesInFlight } from '../../src/kernel/http/read-body.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { waitUntil } from '../waiting.ts'

let t: Harness
let account: TestAccount
let port: number
const sockets: Socket[] = []
before(async () => {
  t = await startHarness()
  account = await t.account()
  await t.app.listen({ port: 0, host: '127.0.0.1' })
  port = (t.app.server.address() as AddressInfo).port
})
after(async () => {
  for (const socket of sockets) socket.destroy()
  await t.close()
})

const LARGE = 8 * 1024 * 1024
const BODY = Buffer.from(JSON.stringify({ items: [newProduct({ notes: 'x'.repeat(300_000) })] }))

/** Begins a bulk call. */
async function begin(key: string, headers: string, part: string | Buffer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  socket.write(
    `POST /api/v1/products/bulk?dry_run=true HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`,
  )
  socket.write(part)
  return socket
}

/** The status of the answer, and its Retry-After. */
async function readAnswer(socket: Socket): Promise<[status: number, retryAfter: string | undefined]> {
  const [answer] = (await once(socket, 'data')) as [Buffer]
  const head = answer.toString('latin1')
  const retryAfter = /^retry-after: (\d+)/im.exec(head)?.[1]
  return [Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), retryAfter]
}

const bulk = (key: string, body: unknown = JSON.parse(BODY.toString())) =>
  t.ask('POST', '/api/v1/products/bulk?dry_run=true', { key, body })

const closeAll = () => {
  for (const socket of sockets.splice(0)) socket.destroy()
}

const countOf = (owner: TestAccount) => bodiesInFlight.count(`account ${owner.id}`)

/** Sends large bodies without their end, until less than `BODY` is left of the account's share. */
async function fillShare(owner: TestAccount): Promise<void> {
  const parts = [LARGE - 1, LARGE - 1, LARGE - BODY.length + 1_000]
  for (const bytes of parts) await begin(owner.key, `Content-Length: ${LARGE}`, Buffer.alloc(bytes, ' '))
  const all = parts.reduce((sum, bytes) => sum + bytes, 0)
  assert.ok(all < BODY_BYTES.maxOfAccount && all + BODY.length > BODY_BYTES.maxOfAccount)
  await waitUntil('the bodies have arrived', () => countOf(owner) === all)
}

test('an account that holds its share gets 503 with Retry-After; small bodies and other accounts go on', async () => {
  const other = await t.account()
  try {
    await fillShare(account)
    const refused = await bulk(account.key)
    assert.equal(refused.status, 503)
    assert.equal(refused.json.code, 'unavailable')
    assert.match(refused.json.error, /Too many large bodies/)
    assert.equal(refused.headers['retry-after'], '2')
    const socket = await begin(account.key, `Content-Length: ${BODY.length}`, BODY)
    assert.deepEqual(await readAnswer(socket), [503, '2'])
    assert.equal((await bulk(account.key, { items: [newProduct()] })).status, 200)
    assert.equal((await bulk(other.key)).status, 200)
  } finally {
    closeAll()
  }
  await waitUntil('their bytes are given back', () => countOf(account) === 0)
  assert.equal((await bulk(account.key)).status, 200)
})

test('bodies that are announced and not sent, or sent a byte at a time, hold nothing', async () => {
  const { key } = account
  try {
    for (let i = 0; i < 40; i++) {
      await begin(key, `Content-Length: ${LARGE}`, '')
      const drip = await begin(key, 'Transfer-Encoding: chunked', '1\r\n{\r\n')
      drip.write('1\r\n \r\n')
    }
    for (let i = 0; i < 3; i++) assert.equal((await bulk(key)).status, 200)
    assert.equal(countOf(account), 0)
    const chunked = await begin(key, 'Transfer-Encoding: chunked', `${BODY.length.toString(16)}\r\n`)
    chunked.write(Buffer.concat([BODY, Buffer.from('\r\n0\r\n\r\n')]))
    assert.deepEqual(await readAnswer(chunked), [200, undefined])
  } finally {
    closeAll()
  }
})

test('a body that is cut off, or longer or shorter than it says, gives its bytes back', async () => {
  const { key } = account
  const half = Buffer.alloc(LARGE / 2, ' ')
  for (const cut of ['end', 'destroy'] as const) {
    const socket = await begin(key, `Content-Length: ${LARGE}`, half)
    await waitUntil('the half has arrived', () => countOf(account) === half.length)
    socket[cut]()
    await waitUntil('its bytes are given back', () => countOf(account) === 0)
  }
  // A body that is too long is the beginning of another request, which is malformed.
  const long = await begin(key, 'Content-Length: 100000', Buffer.alloc(100_010, ' '))
  assert.equal((await readAnswer(long))[0], 400)
  const chunks = await begin(
    key,
    'Transfer-Encoding: chunked',
    `30000\r\n${'x'.repeat(0x30000)}\r\nnot a length\r\n`,
  )
  assert.equal((await readAnswer(chunks))[0], 400)
  await waitUntil('all bytes are given back', () => countOf(account) === 0)
  closeAll()
})

test('shares of network and process bound those of accounts; small bodies are not counted', () => {
  const limits = { maxOfAll: 400_000, maxOfNetwork: 300_000, maxOfAccount: 200_000 }
  const bodies = new BodiesInFlight(limits)
  const begin = (ownAddress: string, accountId?: number) => {
    const response = new EventEmitter() as unknown as ServerResponse
    return { response, grow: bodies.track({ request: { ownAddress }, accountId, response }) }
  }
  const busy = { code: 'unavailable', retryAfterMs: 2_000 }
  const small = begin('192.0.2.1', 1)
  small.grow(16 * 1024)
  assert.equal(bodies.count(), 0)
  small.grow(200_000)
  assert.equal(bodies.count(), 200_000)
  assert.throws(() => begin('192.0.2.9', 1).grow(20_000), busy)
  const neighbour = begin('192.0.2.1', 2)
  neighbour.grow(100_000)
  assert.throws(() => neighbour.grow(100_001), busy)
  assert.throws(() => begin('192.0.2.1').grow(20_000), busy)
  const elsewhere = begin('2001:db8::1')
  elsewhere.grow(100_000)
  assert.throws(() => begin('198.51.100.1').grow(20_000), busy)
  for (const { response } of [small, neighbour, elsewhere]) response.emit('close')
  neighbour.response.emit('finish')
  assert.equal(bodies.count(), 0)
})

test('permits are given in order, and a body that needs all of them runs alone', async () => {
  const semaphore = new Semaphore({ capacity: 10, maxWaiting: 2, maxWaitMs: 60_000 })
  const heavy = semaphore.tryAcquire(50)
  assert.ok(heavy)
  assert.equal(semaphore.tryAcquire(1), undefined)
  const order: string[] = []
  const wait = (name: string, weight: number) =>
    semaphore.acquire(weight).then(release => {
      order.push(release === undefined ? `${name} refused` : name)
      return release
    })
  const [a, b, c] = [wait('a', 8), wait('b', 4), wait('c', 1)]
  assert.equal(await c, undefined)
  heavy()
  heavy()
  const first = await a
  assert.deepEqual(order, ['c refused', 'a'])
  first?.()
  const second = await b
  assert.deepEqual(order, ['c refused', 'a', 'b'])
  second?.()
  assert.ok(semaphore.tryAcquire(10))
})
