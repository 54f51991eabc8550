/**
 * Attackers in their own process: uncacheable requests of strangers, sockets that never read, and expensive
 * requests of a signed-in person. The plan arrives as the first message; counts are sent back. Loopback only.
 */
import { Agent, type ClientRequest, request } from 'node:http'
import { connect } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'undici'
import { newProduct } from '../harness.ts'

export type Plan = {
  port: number
  /** The total of strangers' requests, shared equally by all kinds. */
  count: number
  /** Requests per second, as long as the server keeps up. */
  perSecond: number
  /** Ids of items whose model has a text of almost 1 MiB. */
  heavyItems: readonly string[]
  /** A passport with texts in many languages, and those languages. */
  spoken: { id: string; languages: readonly string[] }
  ordinary: string
  apiKey: string
  /** The cookie of a signed-in person, and the model whose labels they request. */
  cookie: string
  origin: string
  labelled: string
}

export type Counts = {
  /** Counts by status; `lost` are connections that were cut or rejected. */
  strangers: Record<string, number>
  insiders: Record<string, number>
  idleSockets: { opened: number; closed: number }
  isDone: boolean
}

/** The strangers' addresses, as the trusted proxy reports them. Sockets that never read connect directly. */
const ADDRESSES = Array.from({ length: 16 }, (_, n) => `203.0.113.${n + 1}`)
const DIRECT = [1, 2, 3, 4].flatMap(network => [1, 2, 3, 4].map(host => `127.66.${network}.${host}`))
const STRANGERS = 48
const IDLE_SOCKETS = 300
const PIPELINED = 20
const REQUEST_TIMEOUT_MS = 20_000
/**
 * Low priority: a real attacker has its own machines, so the server and its honest clients must get the CPU
 * first.
 */
const POLITE = 15

const counts: Counts = {
  strangers: {},
  insiders: {},
  idleSockets: { opened: 0, closed: 0 },
  isDone: false,
}
let turn = 0
let beganAt = 0

process.once('disconnect', () => process.exit())
process.once('message', plan => void attack(plan as Plan))

async function attack(plan: Plan): Promise<void> {
  setPriority(POLITE)
  beganAt = performance.now()
  const reporting = setInterval(() => process.send?.(counts), 500)
  const insiders = [labels(plan), labels(plan), sheets(plan), bulk(plan, 1), bulk(plan, 2)]
  const idle = idleSockets(plan)
  await Promise.all(Array.from({ length: STRANGERS }, (_, n) => strangers(plan, n)))
  counts.isDone = true
  await Promise.all([...insiders, idle])
  clearInterval(reporting)
  process.send?.(counts)
  process.disconnect?.()
}

type Ask = { path: string; headers?: Record<string, string> }

/** The kinds alternate, so that all run at the same time. */
const KINDS: readonly ((plan: Plan, n: number) => Ask)[] = [
  ({ heavyItems }, n) => ({ path: `/p/${heavyItems[n % heavyItems.length]}` }),
  ({ ordinary }, n) => ({ path: `/p/${ordinary}?access=junk${n}` }),
  ({ ordinary }, n) => ({ path: `/p/${ordinary}?access=dpa_${String(n).padStart(43, '0')}` }),
  ({ spoken }, n) => ({
    path: `/p/${spoken.id}`,
    headers: { 'accept-language': shuffled(spoken.languages, n).join(',') },
  }),
  ({ ordinary }, n) => ({ path: `/p/${ordinary}?version=${n % 1_000}` }),
  ({ ordinary }, n) => ({ path: `/p/${ordinary}/qr.svg?size_mm=${20 + (n % 200)}` }),
  ({ ordinary }, n) => ({ path: `/p/${ordinary}`, headers: { 'user-agent': `Mozilla/5.0 (Phone ${n})` } }),
  ({ spoken }, n) => ({ path: `/p/${spoken.id}?format=jsonld&n=${n}` }),
]

async function strangers(plan: Plan, n: number): Promise<void> {
  const client = new Client(`http://127.0.0.1:${plan.port}`, { headersTimeout: REQUEST_TIMEOUT_MS })
  const from = { 'x-forwarded-for': ADDRESSES[n % ADDRESSES.length] ?? '', 'accept-encoding': 'gzip' }
  let cookie = ''
  while (turn < plan.count) {
    const mine = turn++
    await pause(Math.max(0, beganAt + (mine / plan.perSecond) * 1_000 - performance.now()))
    const { path, headers } = KINDS[mine % KINDS.length]?.(plan, mine) ?? { path: '/' }
    const answer = await send(client, path, { ...from, ...headers, ...(cookie && { cookie }) })
    cookie = answer.cookie === '' ? cookie : answer.cookie
    count(counts.strangers, answer.status)
  }
  await client.destroy()
}

/** Discards the body as it arrives, because the server needs this machine's resources. */
function send(client: Client, path: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise(resolve => {
    const answer = { status: 'lost', cookie: '' }
    client.dispatch(
      { path, method: 'GET', headers },
      {
        onRequestStart() {},
        onResponseStart(_controller, status, received) {
          answer.status = String(status)
          answer.cookie = String(received['set-cookie'] ?? '').split(';')[0] ?? ''
        },
        onResponseData() {},
        onResponseEnd: () => resolve(answer),
        onResponseError: () => resolve({ status: 'lost', cookie: '' }),
      },
    )
  })
}

/** A different order for each `n`, the same in every run. */
function shuffled(words: readonly string[], n: number): string[] {
  const left = [...words]
  const out: string[] = []
  for (let rest = n; left.length > 0; rest = Math.floor(rest / 7) + 1) {
    out.push(...left.splice(rest % left.length, 1))
  }
  return out
}

/** Sockets that request much and read nothing. A socket that was cut is reopened after a pause. */
async function idleSockets(plan: Plan): Promise<void> {
  const one = async (n: number) => {
    while (!counts.isDone) {
      const socket = connect({ port: plan.port, host: '127.0.0.1', localAddress: DIRECT[n % DIRECT.length] })
      socket.on('error', () => {})
      socket.pause()
      counts.idleSockets.opened++
      socket.write('GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(PIPELINED))
      // A socket that does not read cannot notice its end, so it writes a byte now and then.
      const poking = setInterval(() => socket.write('\r\n'), 2_000)
      await Promise.race([new Promise(resolve => socket.once('close', resolve)), untilDone()])
      clearInterval(poking)
      socket.destroy()
      counts.idleSockets.closed++
      await pause(500)
    }
  }
  await Promise.all(Array.from({ length: IDLE_SOCKETS }, (_, n) => one(n)))
}

async function untilDone(): Promise<void> {
  while (!counts.isDone) await pause(500)
}

async function labels(plan: Plan): Promise<void> {
  const query = 'of=items&content=passport&file=png600&size=90'
  await insider(plan, () => ({
    method: 'GET',
    path: `/console/products/${plan.labelled}/labels/file?${query}`,
  }))
}

/** A spreadsheet of 24 MB: a single line of commas. */
async function sheets(plan: Plan): Promise<void> {
  const boundary = 'carnet-faults'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="category"\r\n\r\ntextile\r\n--${boundary}\r\nContent-Disposition: form-data; name="sheet"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n`
  const body = Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(24_000_000, ','),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const type = `multipart/form-data; boundary=${boundary}`
  await insider(plan, () => ({ method: 'POST', path: '/console/import', type, body }))
}

/** Calls with 500 rows of 16 kB. */
async function bulk(plan: Plan, lane: number): Promise<void> {
  const text = 'x'.repeat(16_000)
  await insider(plan, n => {
    const items = Array.from({ length: 500 }, (_, i) =>
      newProduct({ sku: `B-${process.pid}-${lane}-${n}-${i}`, note: text }),
    )
    const body = Buffer.from(JSON.stringify({ items }))
    return { method: 'POST', path: '/api/v1/products/bulk', type: 'application/json', body }
  })
}

type Insider = { method: string; path: string; type?: string; body?: Buffer }

/** Sends requests one after another until the strangers are done. */
async function insider(plan: Plan, next: (n: number) => Insider): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let n = 0; !counts.isDone; n++) {
    const { method, path, type, body } = next(n)
    const headers = {
      'x-forwarded-for': '192.0.2.9',
      cookie: plan.cookie,
      origin: plan.origin,
      'sec-fetch-site': 'same-origin',
      ...(path.startsWith('/api') && { authorization: `Bearer ${plan.apiKey}` }),
      ...(type !== undefined && { 'content-type': type }),
    }
    const { status } = await ask(plan, agent, { path, headers }, method, body)
    count(counts.insiders, `${path.split('?')[0]?.split('/').slice(-2).join('/')} ${status}`)
    // A client that is told to wait pauses briefly and retries.
    if (status !== '200' && status !== '303') await pause(250)
  }
  agent.destroy()
}

const count = (into: Record<string, number>, name: string) => {
  into[name] = (into[name] ?? 0) + 1
}

type Answer = { status: string; cookie: string }

function ask(
  plan: Plan,
  agent: Agent,
  { path, headers }: Ask,
  method = 'GET',
  body?: Buffer,
): Promise<Answer> {
  return new Promise(resolve => {
    const lost = () => resolve({ status: 'lost', cookie: '' })
    const sent: ClientRequest = request(
      { agent, host: '127.0.0.1', port: plan.port, path, method, ...(headers && { headers }) },
      answer => {
        const cookie = String(answer.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? ''
        answer.resume()
        answer.once('close', () => resolve({ status: String(answer.statusCode), cookie }))
        answer.once('error', lost)
      },
    )
    sent.setTimeout(REQUEST_TIMEOUT_MS, () => sent.destroy())
    sent.once('error', lost)
    sent.end(body)
  })
}
