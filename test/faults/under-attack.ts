/**
 * A hundred thousand hostile requests, sockets that never read, and expensive calls, beside twenty honest
 * clients. The server must keep its memory limit, and honest clients must hardly notice.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import project from '../../package.json' with { type: 'json' }
import { carnetJson, emptyFolder, type Served, type Settings, serve } from '../cli/processes.ts'
import { newProduct } from '../harness.ts'
import { HonestClients, type Measured } from './honest.ts'
import type { Counts, Plan } from './hostile.ts'
import { say } from './look-through.ts'
import { freePort, untilReady } from './stand.ts'

const MAX_RSS_BYTES = 512 * 2 ** 20
/** Honest requests may take this many times as long as without the attack. */
const MAX_SLOWDOWN = 3
/**
 * Real attackers have their own machines; here they share two cores with the server, PostgreSQL and the
 * honest clients.
 */
const STRANGERS_PER_SECOND = 500
const WARM_UP_MS = 8_000
const BASELINE_MS = 20_000
const WATCH_MS = 200
const TELL_MS = 15_000
/** Enough for a hundred thousand requests. After this time, a server that stopped responding is killed. */
const ATTACK_TIMEOUT_MS = 900_000
const PASSWORD = 'eleven herons over the lake'
const LANGUAGES = 'de fr it es pt nl pl sv da fi cs sk sl hr hu'.split(' ')
const SPOKEN_CARE = Object.fromEntries(
  ['en', ...LANGUAGES].map(language => [language, `Wash at 30 °C (${language})`]),
)
/** Log messages about cut, refused or limited clients. */
const CUT = /"msg":"[^"]*(?:cut|refused|limited)/

/** Returns the number of broken promises. */
export async function underAttack(count: number): Promise<number> {
  const folder = await emptyFolder()
  const port = await freePort()
  const settings: Settings = {
    cwd: folder.path,
    env: {
      PORT: String(port),
      DATA_DIR: folder.path,
      LOG_LEVEL: 'info',
      SLOW_QUERY_MS: '0',
      TRUSTED_PROXIES: '127.0.0.1',
      // The same settings as `npm start`.
      MALLOC_ARENA_MAX: '2',
      NODE_OPTIONS: project.config.nodeFlags,
    },
  }
  const server = await serve(settings)
  try {
    await untilReady(server)
    const plan = await prepare(server, settings, port, count)
    const own = await openAccount(server, settings, 'Honest')
    const ids = [await own.create(), await own.create({ sku: 'SPOKEN', careInstructions: SPOKEN_CARE })]
    const honest = new HonestClients({ port, apiKey: own.apiKey, ids })
    honest.start()
    await pause(WARM_UP_MS)
    honest.take()
    await pause(BASELINE_MS)
    const before = honest.take()
    const { counts, peak } = await attack(server, plan)
    const during = honest.take()
    await honest.stop()
    return judge({ server, counts, peak, before, during })
  } finally {
    await server.stop('SIGTERM')
    await folder.remove()
  }
}

type Account = {
  id: string
  apiKey: string
  /** Makes a call and returns the response's `data`. */
  call: (path: string, body: unknown) => Promise<Record<string, unknown>>
  /** Creates a product with these extra data. Returns its id. */
  create: (data?: Record<string, unknown>) => Promise<string>
}

async function openAccount({ url }: Served, settings: Settings, name: string): Promise<Account> {
  const json = (...words: string[]) => carnetJson<Record<string, string>>(words, settings)
  const { id = '' } = await json('accounts', 'create', '--name', name, '--plan', 'enterprise')
  await json('accounts', 'set-plan', id, '--plan', 'enterprise', '--requests-per-minute', '100000')
  const { key = '' } = await json('keys', 'create', '--account', id, '--scope', 'full')
  const call = async (path: string, body: unknown) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { data: Record<string, unknown> }).data
  }
  const create = async (data: Record<string, unknown> = {}) =>
    (await call('/products', newProduct(data))).id as string
  return { id, apiKey: key, call, create }
}

/** An account with a key, a signed-in person, and passports that are expensive to show. */
async function prepare(server: Served, settings: Settings, port: number, count: number): Promise<Plan> {
  const { id, apiKey, call, create } = await openAccount(server, settings, 'Attacked')
  const issue = async (parent: string, prefix: string, units: number) => {
    const items = Array.from({ length: units }, (_, n) => ({ serial: `${prefix}${n}` }))
    const { created } = await call(`/products/${parent}/children`, { level: 'item', items })
    return (created as { id: string }[]).map(({ id }) => id)
  }
  // A single character outside Latin-1 doubles the text's size in memory.
  const heavy = await create({ sku: 'HEAVY', note: `${'n'.repeat(900_000)}€` })
  const labelled = await create({ sku: 'LABELLED' })
  for (const part of ['A', 'B', 'C', 'D']) await issue(labelled, part, 500)
  return {
    port,
    count,
    perSecond: STRANGERS_PER_SECOND,
    heavyItems: await issue(heavy, 'H', 500),
    ordinary: await create({ sku: 'ORDINARY' }),
    spoken: { id: await create({ sku: 'SPOKEN', careInstructions: SPOKEN_CARE }), languages: LANGUAGES },
    apiKey,
    cookie: await signIn(server.url, settings, id),
    origin: server.url,
    labelled,
  }
}

/** Signs in like a person: with the link they were sent, then with the form. Returns the session's cookie. */
async function signIn(url: string, settings: Settings, account: string): Promise<string> {
  const email = 'owner@attacked.example'
  const words = ['users', 'create', '--account', account, '--email', email, '--role', 'owner']
  const { set_password_url: link = '' } = await carnetJson<Record<string, string>>(words, settings)
  const jar = new Map<string, string>()
  const send = async (path: string, form?: Record<string, string>) => {
    const answer = await fetch(new URL(path, url), {
      redirect: 'manual',
      headers: {
        origin: url,
        'sec-fetch-site': 'same-origin',
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    return { location: answer.headers.get('location'), text: await answer.text(), status: answer.status }
  }
  let page = await send(link)
  if (page.location !== null) page = await send(page.location)
  const token = /name="token" value="([^"]*)"/.exec(page.text)?.[1]
  await send('/console/set-password', { ...(token && { token }), password: PASSWORD })
  const signedIn = await send('/console/sign-in', { email, password: PASSWORD })
  if (signedIn.status !== 303) throw new Error(`the sign-in was answered ${signedIn.status}`)
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
}

async function attack(server: Served, plan: Plan): Promise<{ counts: Counts; peak: number }> {
  const attackers = fork(join(import.meta.dirname, 'hostile.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  let counts: Counts | undefined
  let peak = 0
  attackers.on('message', message => {
    counts = message as Counts
  })
  const watching = setInterval(() => {
    peak = Math.max(peak, rssOf(server.child.pid))
  }, WATCH_MS)
  const telling = setInterval(() => say(`  ${JSON.stringify(counts?.strangers)}`), TELL_MS)
  attackers.send(plan)
  try {
    const done = once(attackers, 'exit')
    await Promise.race([done, server.ended, pause(ATTACK_TIMEOUT_MS, undefined, { ref: false })])
    attackers.kill()
    await done
  } finally {
    clearInterval(watching)
    clearInterval(telling)
  }
  if (counts === undefined) throw new Error('the attackers told nothing')
  return { counts, peak }
}

function rssOf(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}

type Found = { server: Served; counts: Counts; peak: number; before: Measured; during: Measured }

/** Prints the result. Returns the number of broken promises. */
function judge({ server, counts, peak, before, during }: Found): number {
  const lines = server.said.stderr.split('\n').filter(line => CUT.test(line))
  const slowdown = during.p99 / before.p99
  const honest = ({ requests, p50, p99, max }: Measured) =>
    `${requests} requests, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(0)} ms`
  say(`strangers: ${JSON.stringify(counts.strangers)}`)
  say(`signed in: ${JSON.stringify(counts.insiders)}`)
  say(`sockets that never read: ${JSON.stringify(counts.idleSockets)}`)
  say(`honest before: ${honest(before)}`)
  say(`honest during: ${honest(during)}; p99 ${slowdown.toFixed(2)} times as long`)
  say(`memory at most: ${(peak / 2 ** 20).toFixed(0)} MiB`)
  say(`log lines of what was cut: ${lines.length}${lines[0] ? `, the first: ${lines[0]}` : ''}`)
  const broken = [
    server.child.exitCode !== null && `the server ended: ${server.said.stderr.slice(-500)}`,
    peak > MAX_RSS_BYTES && 'it took more memory than 512 MiB',
    slowdown > MAX_SLOWDOWN && `honest requests took more than ${MAX_SLOWDOWN} times as long`,
    during.failed.length > 0 && `${during.failed.length} honest requests failed: ${during.failed[0]}`,
    lines.length === 0 && 'no log line says what was cut',
  ].filter(sentence => sentence !== false)
  for (const sentence of broken) say(`  ${sentence}`)
  return broken.length
}
