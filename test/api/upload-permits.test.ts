/** Tests that uploads take turns, and that one account or network leaves room for the others. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { MAX_WAITING_FILES } from '../../src/accounts/limits/turns.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'
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

/** Announces a file but sends nothing of it. `onContinue`: it may come now. */
async function announce({
  key = account.key,
  localAddress = '127.0.0.1',
  onContinue = () => {},
}: {
  key?: string
  localAddress?: string
  onContinue?: () => void
} = {}): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => undefined)
  sockets.push(socket)
  await once(socket, 'connect')
  socket.once('data', answer => {
    if (String(answer).startsWith('HTTP/1.1 100 ')) onContinue()
  })
  socket.write(
    `POST /api/v1/media HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: image/png\r\nContent-Length: 20000000\r\nExpect: 100-continue\r\n\r\n`,
  )
}

const sendPicture = async (key: string) =>
  t.ask('POST', '/api/v1/media', {
    key,
    text: await makePng({ width: 40, height: 30 }),
    headers: { 'content-type': 'image/png' },
  })

test('503 with Retry-After when too many files of an account wait; other calls and accounts continue', async () => {
  const upload = (key = account.key) => sendPicture(key)
  assert.equal((await upload()).status, 201)
  for (let i = 0; i < MAX_WAITING_FILES + 4; i++) await announce()
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

test('slow files of several accounts in one network leave permits for other networks', async () => {
  let admitted = 0
  for (const { key } of [await t.account(), await t.account()]) {
    for (let i = 0; i < 6; i++)
      await announce({ key, localAddress: '127.0.0.2', onContinue: () => admitted++ })
  }
  await waitUntil('five files are admitted', () => admitted === 5)
  assert.equal((await sendPicture((await t.account()).key)).status, 201)
  assert.equal(admitted, 5)
})
