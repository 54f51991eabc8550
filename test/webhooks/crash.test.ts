/** Tests kill -9 of workers during deliveries: nothing is lost, and repeated deliveries have the same id. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { getQueueSize } from '../../src/webhooks/queue-size.ts'
import { countRepetitions } from '../full.ts'
import { waitUntil } from '../waiting.ts'
import { type Receiver, SECRET_KEY, type Stand, startReceiver, startStand } from './stand.ts'

const KILLS = countRepetitions(import.meta.url, { few: 2, near: 4, full: 20 })
const EVENTS = 300
/** Short, so that the next worker need not wait long. */
const LEASE_MS = 400

let stand: Stand
let receiver: Receiver
let child: ChildProcess | undefined

before(async () => {
  stand = await startStand()
  // Slow enough that a kill interrupts deliveries.
  receiver = await startReceiver((_, response) => setTimeout(() => response.writeHead(204).end(), 5))
})

after(async () => {
  child?.kill('SIGKILL')
  await receiver.close()
  await stand.close()
})

function start(): ChildProcess {
  const words = [
    join(import.meta.dirname, 'worker-process.ts'),
    JSON.stringify(stand.database),
    SECRET_KEY,
    String(LEASE_MS),
  ]
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], { stdio: 'inherit' })
}

test(`${KILLS} kills lose nothing`, async () => {
  const account = await stand.account()
  await stand.endpoint(account, { url: receiver.url })
  const announced: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    announced.push(...(await stand.announce(account, EVENTS)))
    child = start()
    const had = receiver.received.length
    const enough = had + 1 + Math.floor(Math.random() * EVENTS)
    await waitUntil('the worker is in the middle of it', () => receiver.received.length >= enough)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  child = start()
  await waitUntil('all is delivered', async () => (await getQueueSize(stand)).due === 0)
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  const came = receiver.received.map(one => one.headers['webhook-id'])
  assert.deepEqual([...new Set(came)].sort(), announced.map(idFromUuid).sort())
  // Deliveries that were in flight or not yet stored at a kill: at most the buffer of one endpoint.
  assert.ok(came.length - announced.length < KILLS * 400, `${came.length - announced.length} came again`)
  const [leases] = await stand.sql<{ n: number }[]>`select count(*)::int as n from webhook_lease`
  assert.equal(leases?.n, 0, 'a worker that ends in order gives its leases back')
})
