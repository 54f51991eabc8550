/**
 * Tests that large bulk bodies take turns, and that the next one is rejected at once with a retry time when
 * too many wait.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { MAX_WAITING_BODIES } from '../../src/api/bulk-permits.ts'
import { Semaphore } from '../../src/kernel/semaphore.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

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

/** Announces a large body but sends nothing of it. */
const announce = () => sendPart(account.key, `Content-Length: ${LARGE}`, '')

/** Starts a bulk call and never finishes it. */
async function sendPart(key: string, length: string, part: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  socket.write(
    `POST /api/v1/products/bulk HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${length}\r\n\r\n${part}`,
  )
  return socket
}

const CHUNKED = 'Transfer-Encoding: chunked'
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Sends a whole body in chunks, without Content-Length. Returns the status. */
async function sendChunked(key: string, body: unknown): Promise<number> {
  const socket = await sendPart(key, CHUNKED, `${chunk(JSON.stringify(body))}0\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1'))?.[1])
}

test('503 with Retry-After when too many large bodies wait; small calls continue', async () => {
  const large = { items: [newProduct({ notes: 'x'.repeat(300_000) })] }
  const bulk = (body: unknown, key = account.key) =>
    t.ask('POST', '/api/v1/products/bulk?dry_run=true', { key, body })
  assert.notEqual((await bulk(large)).status, 503)
  for (let i = 0; i < MAX_WAITING_BODIES + 2; i++) await announce()
  let refused = await bulk(large)
  while (refused.status !== 503) refused = await bulk(large)
  assert.equal(refused.json.code, 'unavailable')
  assert.equal(refused.headers['retry-after'], '2')
  assert.equal((await bulk({ items: [newProduct()] })).status, 200)
  // A body that one account announces but does not send must not block other accounts.
  assert.equal((await bulk(large, (await t.account()).key)).status, 200)
  for (const socket of sockets) socket.destroy()
  while (refused.status === 503) refused = await bulk(large)
})

test('a body of unknown length needs a permit once it is large; a small one that never ends blocks nobody', async () => {
  const { key } = await t.account()
  for (let i = 0; i < 4; i++) await sendPart(key, CHUNKED, chunk('{"items":['))
  assert.equal(await sendChunked(key, { items: [newProduct()] }), 200)
  assert.equal(await sendChunked(key, { items: [newProduct({ notes: 'x'.repeat(300_000) })] }), 200)
  for (let i = 0; i < MAX_WAITING_BODIES / 2 + 2; i++) {
    await sendPart(key, CHUNKED, chunk(`{"items":[{"a":"${'x'.repeat(300_000)}`))
  }
  let status = 200
  while (status !== 503)
    status = await sendChunked(key, { items: [newProduct({ notes: 'x'.repeat(300_000) })] })
  assert.equal(await sendChunked(key, { items: [newProduct()] }), 200)
  for (const socket of sockets) socket.destroy()
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
