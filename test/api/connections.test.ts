/**
 * Tests that connections which never read or send are cut or rejected and logged, while other clients are
 * served.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { createApp } from '../../src/cli/server/app.ts'
import {
  type ConnectionLimits,
  type ConnectionNumbers,
  computeConnectionLimits,
} from '../../src/kernel/http/connection-guard.ts'
import { type Harness, startHarness } from '../harness.ts'

const REQUEST = 'GET /docs HTTP/1.1\r\nHost: carnet.example\r\nAccept-Encoding: identity\r\n\r\n'
/** About 260 kB each: together more than the system buffers for one connection. */
const MANY_DOCS = 60

let t: Harness
const apps: FastifyInstance[] = []
const sockets: Socket[] = []
before(async () => {
  t = await startHarness()
})
after(async () => {
  for (const socket of sockets) socket.destroy()
  for (const app of apps) await app.close()
  await t.close()
})

type Line = { level: number; msg: string } & Record<string, unknown>

async function start(limits: Partial<ConnectionLimits>, trustedProxies: readonly string[] = []) {
  const lines: Line[] = []
  let numbers = (): ConnectionNumbers | undefined => undefined
  const app = createApp({
    ...t.setup,
    trustedProxies,
    connectionLimits: {
      ...computeConnectionLimits(),
      pipelined: MANY_DOCS,
      sweepEveryMs: 20,
      stalledMs: 1_000,
      ...limits,
    },
    log: pino({ level: 'warn' }, { write: line => void lines.push(JSON.parse(line)) }) as never,
    metrics: {
      token: 'a-token-for-prometheus',
      text: async () => '',
      countRequest: () => undefined,
      countError: () => undefined,
      watchConnections: read => {
        numbers = read
      },
    },
  })
  apps.push(app)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const open = async (localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  return { port, open, lines, numbers: () => numbers() }
}

const isClosed = (socket: Socket) => (socket.closed ? Promise.resolve() : once(socket, 'close'))

/** The status of one request, or undefined if the server closes the connection without a response. */
function ask(socket: Socket): Promise<string | undefined> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  return new Promise(resolve => {
    const told = (data?: Buffer) => {
      socket.off('data', told).off('close', ended)
      resolve(/^HTTP\/1.1 (\d+)/.exec(String(data))?.[1])
    }
    const ended = () => told()
    socket.on('data', told).on('close', ended)
  })
}

describe('connections', () => {
  test('a client that sends requests but never reads is disconnected and logged, and others are served', async () => {
    const { open, lines, numbers } = await start({})
    const unread = await Promise.all(Array.from({ length: 12 }, () => open()))
    for (const socket of unread) {
      socket.write(REQUEST.repeat(MANY_DOCS))
      socket.once('data', () => socket.pause())
    }
    const other = await open()
    let answered = 0
    const closed = Promise.all(unread.map(socket => seenClosed(socket)))
    const isOver = closed.then(() => true)
    while (!(await Promise.race([isOver, ask(other).then(() => false)]))) answered++
    assert.ok(answered > 0)
    assert.equal(await ask(other), '200')
    assert.equal(numbers()?.ended.stalled, 12)
    assert.equal(numbers()?.open, 1)
    const line = lines.find(({ msg }) => msg === 'connections were refused or cut')
    assert.equal(line?.level, 40)
    assert.ok(Number(line?.cut_unread) > 0)
    assert.ok(!JSON.stringify(lines).includes('127.0.0'), 'no address of anybody')
  })

  test('a client that reads slowly is not disconnected', async () => {
    const { open, numbers } = await start({ stalledMs: 400 })
    const socket = await open()
    socket.pause()
    socket.write(REQUEST.repeat(MANY_DOCS))
    let bytes = 0
    // About 10 MB per second: takes four times as long as a connection may stall.
    while (bytes < MANY_DOCS * 250_000) {
      const piece = socket.read(Math.min(100_000, socket.readableLength || 1)) as Buffer | null
      bytes += piece?.length ?? 0
      assert.ok(!socket.destroyed)
      await new Promise(resolve => setTimeout(resolve, piece === null ? 1 : 5))
    }
    assert.equal(numbers()?.ended.stalled, 0)
  })

  test('one network may use a share of the connections, a trusted proxy all of them', async () => {
    const { open, numbers } = await start({ perNetwork: 3 }, ['127.0.0.9'])
    const first = [await open(), await open(), await open()]
    for (const socket of first) assert.equal(await ask(socket), '200')
    await isClosed((await open()).resume())
    assert.equal(numbers()?.ended.network, 1)
    assert.equal(await ask(await open('127.0.0.2')), '200')
    for (let i = 0; i < 6; i++) assert.equal(await ask(await open('127.0.0.9')), '200')
    first[0]?.destroy()
    while ((numbers()?.open ?? 0) > 9) await new Promise(resolve => setImmediate(resolve))
    assert.equal(await ask(await open()), '200')
  })

  test('at the total limit new connections are refused and idle ones are closed', async () => {
    const { open, numbers } = await start({ total: 4, perNetwork: 10 })
    const idle = [await open(), await open(), await open(), await open()]
    for (const socket of idle) assert.equal(await ask(socket), '200')
    const refused = (await open()).resume()
    await Promise.all([refused, ...idle].map(isClosed))
    assert.equal(numbers()?.ended.total, 1)
    assert.equal(await ask(await open()), '200')
  })

  test('pipelined requests are answered in order up to a limit; more end the connection', async () => {
    const { open, numbers } = await start({ pipelined: 10 })
    const read = async (count: number) => {
      const socket = await open()
      let text = ''
      socket.on('data', data => {
        text += data
      })
      socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count))
      socket.write('GET /robots.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      await isClosed(socket)
      return text.match(/HTTP\/1\.1 200/g)?.length ?? 0
    }
    assert.equal(await read(10), 11)
    assert.ok((await read(500)) < 500)
    assert.equal(numbers()?.ended.pipelined, 1)
  })

  test('the limits follow the number of files that the process may open', () => {
    assert.deepEqual(
      [computeConnectionLimits(1_024).total, computeConnectionLimits(1_024).perNetwork],
      [768, 96],
    )
    assert.equal(computeConnectionLimits(65_536).total, 16_384)
    assert.ok(computeConnectionLimits().total > 0)
  })
})

/** A paused client notices the closed connection only when a write fails. */
async function seenClosed(socket: Socket): Promise<void> {
  while (!socket.destroyed) {
    socket.write('\r\n')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
