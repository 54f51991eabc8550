/** Tests the webhook commands with a server and a worker in their own processes on one embedded database. */
import assert from 'node:assert/strict'
import { rename, stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runCommandLine } from '../../src/cli/run.ts'
import { probePort } from '../../src/cli/server/ports.ts'
import { openStore } from '../../src/cli/store/store.ts'
import { readConfig } from '../../src/kernel/config/config.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import { CORES } from '../harness.ts'
import { waitUntil } from '../waiting.ts'
import { folderWithStore } from './prepared-store.ts'
import { endAll, type Served, type Settings, serve } from './processes.ts'

const TOKEN = 'only-tests-know-this-token'

type Webhook = { id: string; url: string; secret: string; status: string; events: string[] }
type Attempt = {
  id: string
  event: string
  status: number
  outcome: string
  duration_ms: number
  next_attempt_at: string | null
}

let folder: Awaited<ReturnType<typeof folderWithStore>>
let settings: Settings
let server: Served
let worker: Served
let account: string
let key: string
let receiver: Server
let url: string
let workerPort: number | undefined
let status = 204
const received: { event: string; id: string }[] = []

before(async () => {
  receiver = createServer((request, response) => {
    request.resume()
    received.push({
      event: String(request.headers['x-service-event']),
      id: String(request.headers['webhook-id']),
    })
    response.writeHead(status).end()
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', () => resolve()))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  folder = await folderWithStore('data')
  const env = { DATA_DIR: join(folder.path, 'data'), PORT: '0', ALLOW_INSECURE_WEBHOOKS: 'true' }
  settings = { cwd: folder.path, env }
  account = (await json<{ id: string }>('accounts create --name Nordlicht --plan pro')).id
  key = (await json<{ key: string }>(`keys create --account ${account} --scope full`)).key
  server = await serve({ ...settings, env: { ...env, ROLE: 'web' } })
})

after(async () => {
  await endAll()
  await new Promise(resolve => receiver.close(resolve))
  await folder.remove()
})

/** Runs a command inside this process: forty new processes would take most of a minute. */
async function carnet(words: readonly string[], { env = {} }: Settings) {
  const said = { stdout: '', stderr: '' }
  const io = { out: (text: string) => (said.stdout += text), err: (text: string) => (said.stderr += text) }
  return { code: await runCommandLine(words, env, io), ...said }
}

async function json<T>(line: string): Promise<T> {
  const { code, stdout, stderr } = await carnet([...line.split(' '), '--json'], settings)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as T
}

async function inDatabase(work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const config = readConfig({ ...settings.env })
  const store = await openStore(config, createLog(config), { name: 'test', migrate: false })
  await work(store.sql)
  await store.stop()
}

/** Moves the due times of waiting deliveries, as if six minutes had passed. */
const sixMinutesLater = () =>
  inDatabase(sql => sql`update webhook_delivery set due_at = due_at - interval '6 minutes'`)

/** The rows of a server whose clock was a year ahead, and which was killed before the clock was set back. */
const aYearAhead = () =>
  inDatabase(async sql => {
    await sql`update webhook_delivery set due_at = now() + interval '1 year'`
    await sql`insert into webhook_lease values (${Number(account)}, gen_random_uuid(), now() + interval '1 year')`
  })

const create = () =>
  fetch(`${server.url}/api/v1/products`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ category: 'textile', data: CORES.textile }),
  })

let webhook: Webhook

describe('webhooks', () => {
  test('add prints the secret once; test sends at once, without a worker', async () => {
    webhook = await json<Webhook>(`webhooks add --account ${account} --url ${url} --events product.created`)
    assert.match(webhook.secret, /^whsec_/)
    assert.deepEqual(webhook.events, ['product.created'])
    const tested = await json<Attempt>(`webhooks test ${webhook.id}`)
    assert.deepEqual([tested.outcome, tested.status], ['delivered', 204])
    assert.equal(received.splice(0)[0]?.event, 'webhook.test')
    const listed = await json<Partial<Webhook>[]>(`webhooks list --account ${account}`)
    assert.deepEqual(
      listed.map(one => [one.id, one.secret]),
      [[webhook.id, undefined]],
    )
  })

  test('ROLE=web delivers nothing; a ROLE=worker process beside it does', async () => {
    assert.equal((await create()).status, 201)
    assert.equal(received.length, 0)
    assert.match((await carnet(['doctor'], settings)).stdout, /ok +deliveries +1 due, the oldest for \d+ s/)
    await aYearAhead()
    assert.match(
      (await carnet(['doctor'], settings)).stdout,
      /BAD +deliveries +0 due, .*: 1 accounts, 1 deliveries and 0 webhooks wait .* run "carnet webhooks unstick"/,
    )
    assert.deepEqual(await json('webhooks unstick'), { leases: 1, deliveries: 1, endpoints: 0 })
    assert.deepEqual(await json('webhooks unstick'), { leases: 0, deliveries: 0, endpoints: 0 })
    await sixMinutesLater()
    const late = await carnet(['doctor'], settings)
    assert.equal(late.code, 1)
    assert.match(late.stdout, /BAD +deliveries +1 due, .* a process with ROLE=all or ROLE=worker must be/)
    workerPort = await probePort('127.0.0.1', 0)
    const env = { ...settings.env, ROLE: 'worker', WORKER_PORT: String(workerPort), METRICS_TOKEN: TOKEN }
    worker = await serve({ ...settings, env })
    await waitUntil('it is delivered', () => received.length > 0)
    assert.equal(received[0]?.event, 'product.created')
    await waitUntil('it is in the log', async () => {
      const [newest] = await json<Attempt[]>(
        `webhooks deliveries --account ${account} --webhook ${webhook.id} --limit 1`,
      )
      return (
        newest?.event === 'product.created' &&
        newest.outcome === 'delivered' &&
        newest.next_attempt_at === null
      )
    })
  })

  test('WORKER_PORT: a worker reports its state, and serves nothing else', async () => {
    const ask = (path: string, headers = {}) => fetch(`http://127.0.0.1:${workerPort}${path}`, { headers })
    assert.equal((await ask('/healthz')).status, 200)
    assert.equal((await ask('/readyz')).status, 200)
    assert.equal((await ask('/metrics')).status, 401)
    const numbers = await (await ask('/metrics', { authorization: `Bearer ${TOKEN}` })).text()
    assert.match(numbers, /^carnet_webhook_attempts_total\{outcome="delivered"\} 1$/m)
    for (const path of ['/api/v1/health', '/console', '/docs']) assert.equal((await ask(path)).status, 404)
  })

  test('resend sends an event again with the same id', async () => {
    const [newest] = await json<Attempt[]>(`webhooks deliveries --account ${account} --limit 1`)
    await json(`webhooks resend --account ${account} ${newest?.id}`)
    await waitUntil('it came again', () => received.length === 2)
    assert.equal(received[0]?.id, received[1]?.id)
    await json(`webhooks pause ${webhook.id}`)
    const words = `webhooks resend --account ${account} ${newest?.id}`.split(' ')
    const { code, stdout } = await carnet(words, settings)
    assert.deepEqual([code, received.length], [0, 2])
    assert.match(stdout, /^Event \w{26} waits until the webhook is resumed: it is paused\.$/m)
    await json(`webhooks resume ${webhook.id}`)
    await waitUntil('it came, resumed', () => received.length === 3)
  })

  test('list shows when a failing webhook is tried next', async () => {
    const config = readConfig({ ...settings.env })
    const store = await openStore(config, createLog(config), { name: 'test', migrate: false })
    const until = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    const rest = (at: Date | null) => store.sql`
      update webhook_endpoint set wait_until = ${at}, failing_since = ${at && until(-5)}, failures = 20, revision = revision + 1`
    await rest(until(10))
    const { stdout } = await carnet(['webhooks', 'list', '--account', account], settings)
    assert.match(stdout, /failing since [\dT:-]{16}, no attempt until [\dT:-]{16} /)
    await rest(null)
    await store.stop()
  })

  test('rotate, activate, change, pause, resume, replay, remove', async () => {
    const rotated = await json<Webhook & { old_secret_until: string }>(
      `webhooks rotate --account ${account} --webhook ${webhook.id}`,
    )
    assert.notEqual(rotated.secret, webhook.secret)
    assert.ok(Date.parse(rotated.old_secret_until) > Date.now())
    assert.equal((await json<Webhook>(`webhooks activate ${webhook.id}`)).id, webhook.id)
    assert.deepEqual((await json<Webhook>(`webhooks change ${webhook.id} --events *`)).events, ['*'])
    assert.equal((await json<Webhook>(`webhooks pause ${webhook.id}`)).status, 'paused')
    assert.equal((await json<Webhook>(`webhooks resume ${webhook.id}`)).status, 'active')
    assert.deepEqual(await json(`webhooks replay --account ${account} --since 2d`), { replayed: 0, held: 0 })
    status = 500
    const failed = await carnet(['webhooks', 'test', webhook.id], settings)
    assert.deepEqual([failed.code, failed.stdout], [1, 'status_500\n'])
    assert.match(failed.stderr, /^The test event was not received. The endpoint answered 500/)
  })

  test('a new SECRET_KEY: doctor reports it, secrets reseal resolves it', async () => {
    const old = (await json<{ key: string }>('secrets reseal')).key
    const next = { SECRET_KEY: 'a quite different key, as long as it has to be' }
    const told = await carnet(['doctor'], { ...settings, env: { ...settings.env, ...next } })
    assert.match(told.stdout, /BAD +sealed secrets .*1 under another: set OLD_SECRET_KEY to that key/)
    const refused = await carnet(['secrets', 'reseal'], { ...settings, env: { ...settings.env, ...next } })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /neither SECRET_KEY nor OLD_SECRET_KEY can decrypt/)
    const there = await json<{ key: string; already_current: number }>('secrets reseal')
    assert.deepEqual([there.key, there.already_current], [old, 1])
  })

  test('a lost key is not silently replaced by a new one', async () => {
    const dataDir = settings.env?.DATA_DIR ?? ''
    const at = (name: string) => join(dataDir, name)
    await rename(at('secret-key'), at('elsewhere'))
    try {
      for (const words of [
        ['accounts', 'list'],
        ['backup', '--to', at('x.backup')],
      ]) {
        const { code, stderr } = await carnet(words, settings)
        assert.equal(code, 1)
        assert.match(stderr, /encrypted with a SECRET_KEY\. Neither that setting nor the file/)
        assert.doesNotMatch(stderr, /\n\s+at /)
      }
      await rename(at('elsewhere'), at('.secret-key-20057-e49338ee'))
      const unlinked = await carnet(['accounts', 'list'], settings)
      assert.match(unlinked.stderr, /\.secret-key-20057-e49338ee: rename that file to secret-key/)
      await rename(at('.secret-key-20057-e49338ee'), at('elsewhere'))
      const told = await carnet(['doctor'], settings)
      assert.match(
        told.stdout,
        /BAD +sealed secrets +webhook secrets are encrypted with a SECRET_KEY that is missing/,
      )
      await assert.rejects(stat(at('secret-key')))
    } finally {
      await rename(at('elsewhere'), at('secret-key'))
    }
  })

  test('a private address is rejected with the setting that allows it', async () => {
    for (const host of ['10.1.2.3', 'localhost']) {
      for (const words of [
        ['webhooks', 'add', '--account', account, '--url', `https://${host}/`],
        ['webhooks', 'change', webhook.id, '--url', `https://${host}/`],
      ]) {
        const { code, stderr } = await carnet(words, settings)
        assert.equal(code, 1)
        assert.match(
          stderr,
          /\. Carnet does not connect to it\. To allow it, set WEBHOOK_ALLOW_CIDRS to its .*\.\n$/,
        )
      }
    }
  })

  test('remove deletes a webhook; wrong arguments are explained', async () => {
    await json(`webhooks remove ${webhook.id}`)
    assert.deepEqual(await json(`webhooks list --account ${account}`), [])
    const cases: [string, number, RegExp][] = [
      [`webhooks test ${webhook.id}`, 1, /^There is no such webhook\.$/m],
      [`webhooks add --account ${account} --url https://10.0.0.1/`, 1, /10\.0\.0\.1 is a private address/],
      [
        `webhooks add --account ${account} --url ${url}x --events product.sold`,
        1,
        /There is no event "product\.sold"/,
      ],
      ['webhooks rotate', 2, /ID is missing/],
      [`webhooks rotate ${webhook.id} --webhook ${webhook.id}`, 2, /give one/],
      [`webhooks deliveries --account ${account} --before nope`, 1, /^There is no delivery "nope"/],
      [`webhooks deliveries --account ${account} --limit 0`, 2, /--limit is "0"/],
      [`webhooks replay --account ${account} --since 2999-01-01`, 2, /in the future/],
      [`webhooks replay --account ${account} --since 0000-01-01`, 2, /--since is "0000-01-01"/],
    ]
    for (const [line, code, sentence] of cases) {
      const answer = await carnet(line.split(' '), settings)
      assert.equal(answer.code, code, line)
      assert.match(answer.stderr, sentence)
    }
  })

  test('a worker and a server stop cleanly', async () => {
    assert.ok((await worker.stop('SIGTERM')) < 5_000)
    assert.ok((await server.stop('SIGTERM')) < 5_000)
    assert.deepEqual(
      (await Promise.all([worker.ended, server.ended])).map(([code]) => code),
      [0, 0],
    )
  })
})
