/** Tests how long the body of a request may take, with time that the test controls. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { allowUpload, BODY_DEADLINES, limitBodyTimes } from '../../src/kernel/http/body-deadlines.ts'

const LENGTH = 20 * 1024 * 1024
const { ordinaryMs, uploadMs, uploadStallMs, minUploadBytes } = BODY_DEADLINES

describe('the time for a body', () => {
  let server: Server
  let time = 0
  let deadlines: ReturnType<typeof limitBodyTimes>
  let expired: Socket[] = []
  before(async () => {
    server = createServer((request, response) => {
      deadlines.watch(request)
      request.on('end', () => response.end())
    })
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      assert.equal(error.code, 'ERR_HTTP_REQUEST_TIMEOUT')
      expired.push(socket as Socket)
      socket.destroy()
    })
    deadlines = limitBodyTimes(server, () => time)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  /** A request whose body has not begun. `isRead`: the server reads what comes. */
  const begin = async ({ isUpload = true, isRead = true, length = LENGTH } = {}) => {
    expired = []
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => undefined)
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`)
    const [request] = (await once(server, 'request')) as [IncomingMessage]
    if (isUpload) allowUpload(request)
    if (isRead) request.resume()
    const send = async (bytes: number) => {
      const before = request.socket.bytesRead
      client.write(Buffer.alloc(bytes))
      while (request.socket.bytesRead - before < Math.min(bytes, 1)) await once(request.socket, 'data')
      while (isRead && request.socket.bytesRead - before < bytes) await once(request, 'data')
    }
    /** Returns true if the request goes on after this time. */
    const pass = (ms: number) => {
      time += ms
      deadlines.sweep()
      return expired.length === 0
    }
    return { client, request, send, pass }
  }

  test('an ordinary request has ten seconds, also if bytes keep coming', async () => {
    const { send, pass } = await begin({ isUpload: false })
    assert.ok(pass(ordinaryMs / 2))
    await send(minUploadBytes)
    assert.ok(pass(ordinaryMs / 2))
    assert.ok(!pass(1))
  })

  test('an upload goes on as long as bytes keep coming, and ends at the last limit', async () => {
    const { send, pass } = await begin()
    for (let passed = 0; passed + uploadStallMs <= uploadMs; passed += uploadStallMs) {
      await send(minUploadBytes)
      assert.ok(pass(uploadStallMs), `after ${passed} ms`)
    }
    await send(minUploadBytes)
    assert.ok(!pass(1))
  })

  test('an upload that stops, or only drips, is ended', async () => {
    const stopped = await begin()
    await stopped.send(minUploadBytes)
    assert.ok(stopped.pass(1))
    assert.ok(!stopped.pass(uploadStallMs + 1))
    const dripping = await begin()
    await dripping.send(minUploadBytes - 1)
    assert.ok(dripping.pass(uploadStallMs))
    assert.ok(!dripping.pass(1))
  })

  test('a body of one byte a second has ten seconds, and as an upload the time in which more must come', async () => {
    for (const [isUpload, limitMs] of [
      [false, ordinaryMs],
      [true, uploadStallMs],
    ] as const) {
      const { send, pass } = await begin({ isUpload })
      let passedMs = 0
      do {
        await send(1)
        passedMs += 1_000
      } while (pass(1_000))
      assert.equal(passedMs, limitMs + 1_000)
    }
  })

  test('bytes that this server has not read yet are not held against the client', async () => {
    const { send, pass, request } = await begin({ isRead: false })
    await send(1_000_000)
    assert.ok(pass(uploadStallMs + 1))
    assert.ok(pass(uploadStallMs + 1))
    request.resume()
    while (request.readableLength > 0) await once(request, 'data')
    assert.ok(pass(uploadStallMs))
  })

  test('a body that has arrived has no deadline any more', async () => {
    const { client, pass, request } = await begin({ isUpload: false, length: 3 })
    client.write('abc')
    await once(request, 'end')
    assert.ok(pass(ordinaryMs + 1))
  })
})
