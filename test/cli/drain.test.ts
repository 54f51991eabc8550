/**
 * Tests how a stopping server closes connections: a client about to send gets its response, an idle one is
 * disconnected.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { prepareDrain } from '../../src/cli/server/drain.ts'
import { assertWithin } from '../waiting.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

async function serve({ answerAfterMs = 0, idleMs = 1_200 } = {}) {
  const app = Fastify() as unknown as FastifyInstance
  app.get('/', async () => {
    await pause(answerAfterMs, undefined, { ref: false })
    return 'yes'
  })
  const way = prepareDrain(app, idleMs)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { ...way, port: (app.server.address() as AddressInfo).port }
}

/** A connection that has sent one request, or none if `asks` is false. */
async function client(port: number, asks = true): Promise<{ socket: Socket; heard: () => string }> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  await once(socket, 'connect')
  if (asks) {
    socket.write(REQUEST)
    await once(socket, 'data')
    assert.match(text, /^HTTP\/1.1 200 /)
    assert.doesNotMatch(text, /connection: close/i)
    text = ''
  }
  return { socket, heard: () => text }
}

describe('a server that stops', () => {
  test('answers requests on idle connections while it stops, with Connection: close', async () => {
    const { port, drain } = await serve({ idleMs: 60_000 })
    const [busy, other] = [await client(port), await client(port)]
    const drained = drain(90_000)
    await pause(200)
    busy.socket.write(REQUEST)
    await once(busy.socket, 'close')
    assert.match(busy.heard(), /^HTTP\/1.1 200 .*connection: close\r\n.*yes$/is)
    await pause(200)
    assert.equal(other.socket.closed, false)
    other.socket.write(REQUEST)
    await once(other.socket, 'close')
    assert.match(other.heard(), /^HTTP\/1.1 200 /)
    await drained
  })

  test('accepts no new connection', async () => {
    const { port, drain } = await serve()
    const idle = await client(port)
    const drained = drain(3_000)
    await assert.rejects(client(port), { code: 'ECONNREFUSED' })
    idle.socket.end()
    await drained
  })

  test('closes silent connections, also those without any request, without a response or an error', async () => {
    const { port, drain } = await serve()
    const silent = [await client(port), await client(port, false)]
    const ended = Promise.all(silent.map(one => once(one.socket, 'close')))
    await assertWithin(2_500, () => drain(3_000))
    assert.deepEqual(
      (await ended).map(([hadError]) => hadError),
      [false, false],
    )
    assert.deepEqual(
      silent.map(one => one.heard()),
      ['', ''],
    )
  })

  test('waits for a slow response up to its timeout, and no longer', async () => {
    for (const [answerAfterMs, isAnswered] of [
      [1_800, true],
      [60_000, false],
    ] as const) {
      const { port, drain } = await serve({ answerAfterMs })
      const slow = await client(port, false)
      slow.socket.write(REQUEST)
      await pause(50)
      const ended = once(slow.socket, 'close')
      await assertWithin(3_500, async () => {
        await drain(2_500)
        await ended
      })
      assert.equal(/^HTTP\/1.1 200 .*yes$/s.test(slow.heard()), isAnswered)
    }
  })
})
