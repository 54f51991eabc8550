/** Tests that uploads take turns, and that one account leaves room for the others. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { MAX_WAITING_UPLOADS } from '../../src/api/media/upload-permits.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'

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

/** Announces a file but sends nothing of it. */
async function announce(): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  socket.write(
    `POST /api/v1/media HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${account.key}\r\nContent-Type: image/png\r\nContent-Length: 20000000\r\n\r\n`,
  )
}

test('503 with Retry-After when too many files of an account wait; other calls and accounts continue', async () => {
  const picture = await makePng({ width: 40, height: 30 })
  const upload = (key = account.key) =>
    t.ask('POST', '/api/v1/media', { key, text: picture, headers: { 'content-type': 'image/png' } })
  assert.equal((await upload()).status, 201)
  for (let i = 0; i < MAX_WAITING_UPLOADS / 2 + 4; i++) await announce()
  let refused = await upload()
  while (refused.status !== 503) refused = await upload()
  assert.equal(refused.json.code, 'unavailable')
  assert.match(refused.json.error, /Too many files are being uploaded/)
  assert.equal(refused.headers['retry-after'], '5')
  const body = { source_url: 'https://pictures.example/a.png' }
  assert.equal((await t.ask('POST', '/api/v1/media', { key: account.key, body })).status, 202)
  assert.equal((await upload((await t.account()).key)).status, 201)
  for (const socket of sockets) socket.destroy()
  while (refused.status === 503) refused = await upload()
  assert.equal(refused.status, 200)
})
