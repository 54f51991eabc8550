/** Tests WORKERS processes: one dies, all are replaced, and no client notices. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { IS_FULL } from '../full.ts'
import { newProduct } from '../harness.ts'
import { assertWithin, waitUntil } from '../waiting.ts'
import { postmasterPid } from './postmaster.ts'
import { folderWithStore } from './prepared-store.ts'
import { carnetJson, endAll, type Served, type Settings, serve } from './processes.ts'

const TOKEN = 'a-token-for-prometheus'
const CONNECTIONS = 8
const THINK_MS = 10
const STOPPED_WITHIN_MS = 5_000
const TURNS = IS_FULL ? 5 : 1

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let key: string

before(async () => {
  folder = await folderWithStore()
  const env = { DATA_DIR: folder.path, PORT: '0', WORKERS: '2', METRICS_TOKEN: TOKEN, LOG_LEVEL: 'info' }
  settings = { cwd: folder.path, env }
  server = await serve(settings)
  const account = await carnetJson<{ id: string }>(
    ['accounts', 'create', '--name', 'Load', '--plan', 'enterprise'],
    settings,
  )
  const plan = ['accounts', 'set-plan', account.id, '--plan', 'enterprise', '--requests-per-minute', '900000']
  await carnetJson(plan, settings)
  const made = await carnetJson<{ key: string }>(
    ['keys', 'create', '--account', account.id, '--scope', 'full'],
    settings,
  )
  key = made.key
})
after(async () => {
  await endAll()
  await folder.remove()
})

type Asked = { status: number; body: string }

function ask(agent: Agent, method: string, path: string, body?: unknown): Promise<Asked> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    request(`${server.url}${path}`, { method, agent, headers }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', chunk => chunks.push(chunk))
      answer.once('end', () =>
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      )
      answer.once('error', reject)
    })
      .once('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Logged lines with this message. */
const lines = (message: string) =>
  server.said.stderr
    .split('\n')
    .filter(line => line.includes(`"msg":"${message}"`))
    .map(line => JSON.parse(line) as { processes: Record<string, number> })

const until = (what: string, isSo: () => boolean | Promise<boolean>) =>
  waitUntil(what, isSo, { explain: () => server.said.stderr })

async function metric(name: string): Promise<number> {
  const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const values = (await answer.text())
    .split('\n')
    .filter(line => line.startsWith(name))
    .map(line => Number(line.split(' ').at(-1)))
  return values.reduce((sum, value) => sum + value, 0)
}

const pidsNow = () => lines('all processes are replaced').at(-1) ?? lines('all processes are up').at(-1)

/**
 * Reads and writes over open and new connections until `isOver`. Returns what was created, the number of
 * calls, and the errors.
 */
async function load(isOver: () => boolean): Promise<{ created: string[]; count: number; wrong: string[] }> {
  const kept = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const fresh = new Agent({ keepAlive: false })
  const created: string[] = []
  const wrong: string[] = []
  let count = 0
  const one = async (n: number) => {
    const agent = n % 4 === 0 ? fresh : kept
    for (let turn = 0; !isOver(); turn++) {
      count++
      // Pauses, so that new processes get CPU time to start.
      await pause(THINK_MS)
      try {
        const isWrite = (n + turn) % 3 === 0
        const answer = isWrite
          ? await ask(agent, 'POST', '/api/v1/products', newProduct())
          : await ask(agent, 'GET', '/api/v1/products?limit=1')
        if (answer.status !== (isWrite ? 201 : 200)) wrong.push(`${answer.status} ${answer.body}`)
        else if (isWrite) created.push((JSON.parse(answer.body) as { data: { id: string } }).data.id)
      } catch (error) {
        wrong.push(String(error))
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => one(n)))
  kept.destroy()
  return { created, count, wrong }
}

test('a rolling restart under load: every request is answered, every product is stored', async () => {
  const before = pidsNow()
  let isOver = false
  const loading = load(() => isOver)
  try {
    for (let turn = 1; turn <= TURNS; turn++) {
      server.child.kill('SIGHUP')
      await until('replaced', () => lines('all processes are replaced').length === turn)
    }
  } finally {
    isOver = true
  }
  const { created, count, wrong } = await loading
  assert.deepEqual(wrong, [])
  assert.ok(count > 100 && created.length > 20, `${count} requests, ${created.length} products`)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const found = await Promise.all(created.map(id => ask(agent, 'GET', `/api/v1/products/${id}`)))
  agent.destroy()
  assert.ok(found.every(({ status }) => status === 200))
  const pids = [...Object.values(before?.processes ?? {}), ...Object.values(pidsNow()?.processes ?? {})]
  assert.equal(new Set(pids).size, 6, 'every process is another one')
})

test('a killed process is restarted, and the counters of /metrics do not fall', async () => {
  const answered = await metric('carnet_http_requests_total')
  assert.ok(answered > 100)
  const pid = pidsNow()?.processes['web 1'] ?? 0
  process.kill(pid, 'SIGKILL')
  await until('told', () => server.said.stderr.includes('a process has died; restarting it'))
  for (let i = 0; i < 10; i++) assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  await until('three again', async () => (await metric('carnet_processes ')) === 3)
  assert.ok((await metric('carnet_http_requests_total')) > answered)
})

test('/metrics requires its token', async () => {
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Bearer ${key}` }]) {
    assert.equal((await fetch(`${server.url}/metrics`, { headers })).status, 401)
  }
})

test('the server stops in time, with the database, although a connection is still open', async () => {
  const agent = new Agent({ keepAlive: true })
  await ask(agent, 'GET', '/api/v1/categories')
  await assertWithin(STOPPED_WITHIN_MS, () => server.stop('SIGTERM'))
  await assert.rejects(postmasterPid(folder.path))
  agent.destroy()
})
