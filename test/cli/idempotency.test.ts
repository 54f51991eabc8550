/**
 * Tests kill -9 between commit and response and at any other moment: a retry with the same key creates
 * nothing twice.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { countRepetitions } from '../full.ts'
import { newProduct } from '../harness.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnetJson, endAll, type Served, type Settings, serve } from './processes.ts'

const KILLS = countRepetitions(import.meta.url, { few: 1, near: 3, full: 12 })
const AT_ONCE = 12
const MOST_ATTEMPTS = 100
/** The client's pause before a retry. */
const BACK_OFF_MS = 20

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let key: string

before(async () => {
  folder = await folderWithStore()
  settings = { cwd: folder.path, env: { DATA_DIR: folder.path, PORT: '0' } }
  server = await serve(settings)
  settings = { ...settings, env: { ...settings.env, PORT: new URL(server.url).port } }
  const account = await carnetJson<{ id: string }>(
    ['accounts', 'create', '--name', 'Twice', '--plan', 'enterprise'],
    settings,
  )
  key = (
    await carnetJson<{ key: string }>(
      ['keys', 'create', '--account', account.id, '--scope', 'full'],
      settings,
    )
  ).key
})

after(async () => {
  await endAll()
  await folder.remove()
})

type Call = { method: string; path: string; body?: object; idempotencyKey?: string }

async function send({ method, path, body, idempotencyKey }: Call, url = server.url) {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, replayed: answer.headers.get('idempotency-replayed') === 'true' }
}

const total = async (path: string) => {
  const { text } = await send({ method: 'GET', path })
  return (JSON.parse(text) as { meta: { total: number } }).meta.total
}

/** Forwards a request and kills the server when it responds, so the client never gets the response. */
async function swallowAnswer(call: Call): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const swallowed = Promise.withResolvers<string>()
  const proxy = createServer(client => {
    const upstream = connect(Number(port), hostname)
    client.pipe(upstream)
    upstream.once('data', bytes => {
      server.child.kill('SIGKILL')
      swallowed.resolve(bytes.toString())
      client.destroy()
      upstream.destroy()
    })
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy())
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  assert.ok(typeof address === 'object' && address !== null)
  await assert.rejects(send(call, `http://127.0.0.1:${address.port}`))
  const bytes = await swallowed.promise
  await server.ended
  proxy.close()
  server = await serve(settings)
  return bytes
}

test('killed between commit and response: a repetition gets that response, and nothing is created twice', async () => {
  const create: Call = { method: 'POST', path: '/products', body: newProduct(), idempotencyKey: randomUUID() }
  assert.match(await swallowAnswer(create), /^HTTP\/1\.1 201 /)
  const made = await send(create)
  assert.deepEqual([made.status, made.replayed], [201, true])
  assert.equal(await total('/products'), 1)

  const { id } = (JSON.parse(made.text) as { data: { id: string } }).data
  const items = Array.from({ length: 20 }, (_, i) => ({ serial: `K${i}` }))
  const issue: Call = {
    method: 'POST',
    path: `/products/${id}/children`,
    body: { level: 'item', items },
    idempotencyKey: randomUUID(),
  }
  const lost = await swallowAnswer(issue)
  assert.match(lost, /^HTTP\/1\.1 201 /)
  const issued = await send(issue)
  assert.deepEqual([issued.status, issued.replayed], [201, true])
  const [, body = ''] = lost.split('\r\n\r\n')
  assert.ok(body !== '' && issued.text.startsWith(body))
  assert.equal(await total(`/products/${id}/children`), 20)
})

test(`${KILLS} kills while ${AT_ONCE} clients create and change, repeating until they are answered: everything happens once`, async () => {
  const before = await total('/products')
  const { id } = (
    JSON.parse((await send({ method: 'POST', path: '/products', body: newProduct() })).text) as {
      data: { id: string }
    }
  ).data
  for (let kill = 0; kill < KILLS; kill++) {
    const clients = Array.from({ length: AT_ONCE }, (_, i) =>
      untilAnswered(
        i % 2 === 0
          ? { method: 'POST', path: '/products', body: newProduct(), idempotencyKey: randomUUID() }
          : { method: 'PATCH', path: `/products/${id}`, body: { data: {} }, idempotencyKey: randomUUID() },
      ),
    )
    await pause(Math.random() * 25)
    await server.stop('SIGKILL')
    server = await serve(settings)
    await Promise.all(clients)
  }
  assert.equal(await total('/products'), before + 1 + (KILLS * AT_ONCE) / 2)
  const { text } = await send({ method: 'GET', path: `/products/${id}` })
  const { version_no: version } = (JSON.parse(text) as { data: { version_no: number } }).data
  assert.equal(version, 1 + (KILLS * AT_ONCE) / 2)
})

async function untilAnswered(call: Call): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const answer = await send(call).catch(() => undefined)
    if (answer !== undefined && answer.status < 300) return
    assert.ok(answer === undefined || answer.status === 503 || answer.status === 409, answer?.text ?? '')
    await pause(BACK_OFF_MS * (1 + attempt))
  }
  assert.fail('never answered')
}
