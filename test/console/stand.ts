/**
 * The setup for console tests: the console alone, on a Fastify server with its own database, and browsers
 * with cookies.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createAccount } from '../../src/accounts/account/accounts.ts'
import { createPerson, type Role } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { createOperatorApp } from '../../src/cli/server/app.ts'
import { registerConsole } from '../../src/console/door.ts'
import { createSecretCipher, type SecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { listShardTables } from '../../src/kernel/db/create-shard.ts'
import { openPool, type Sql } from '../../src/kernel/db/database.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { type Outbound, openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { openMailer } from '../../src/kernel/http-out/smtp.ts'
import { createSecurityLog } from '../../src/kernel/monitoring/security-events.ts'
import type { Clock } from '../../src/kernel/values/clock.ts'
import { type MediaServices, openMediaServices } from '../../src/media/upkeep/media-services.ts'
import {
  cloneDatabase,
  endPools,
  getTestShard,
  openPools,
  type PoolSettings,
  type Target,
} from '../database.ts'
import { type ReceivedLetter, startMailReceiver } from '../mail-receiver.ts'
import { watchForms } from '../statement-forms.ts'

export const PUBLIC_URL = 'https://carnet.example'
export const ADDRESSES = { publicUrl: PUBLIC_URL, apiUrl: `${PUBLIC_URL}/api/v1` }
export const PASSWORD = 'eleven herons over the lake'
export const OWN = { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' }

/** A clock that changes only by `advance`. */
class StandClock implements Clock {
  private time = Date.UTC(2026, 10, 21, 9)
  now(): Date {
    return new Date(this.time)
  }
  advance(ms: number): void {
    this.time += ms
  }
}

export type Answer = { status: number; headers: Record<string, string>; text: string }
export type Ask = {
  form?: Record<string, string> | string
  /** Sent as `multipart/form-data` instead of `form`. */
  parts?: FormData
  headers?: Record<string, string>
  /** The client's address, if not the default. */
  from?: string
}

export type Browser = {
  cookie: string | undefined
  /** Cookies that hold a new secret until its page shows it. */
  keyCookie: string | undefined
  webhookCookie: string | undefined
  /** All other cookies, by name without prefix. */
  others: Map<string, { value: string | undefined; path: string }>
  get: (path: string, ask?: Ask) => Promise<Answer>
  /** Sent from our own page unless `headers` says otherwise. */
  post: (path: string, ask?: Ask) => Promise<Answer>
}

export type Stand = {
  app: FastifyInstance
  sql: Sql
  clock: StandClock
  secretCipher: SecretCipher
  outbound: Outbound
  media: MediaServices
  /** Where another pool can connect to the same database. */
  target: Target
  /** Other pools on the same database, like another process. End them with `endPools`. */
  openPools: (options?: PoolSettings) => Promise<Sql>
  /** The context for the operator's functions. */
  ctx: { sql: Sql; clock: StandClock }
  browser: () => Browser
  account: (settings?: { plan?: string; name?: string }) => Promise<number>
  person: (accountId: number, role: Role) => Promise<string>
  /** A browser with a new signed-in person of the account. */
  signedIn: (accountId: number, role: Role) => Promise<Browser>
  /** The e-mails since the last call; waits for those being sent. */
  letters: () => Promise<ReceivedLetter[]>
  close: () => Promise<void>
}

let people = 0

export async function startStand(publicUrl = PUBLIC_URL, { hasMail = true } = {}): Promise<Stand> {
  const database = await cloneDatabase()
  let tables: readonly string[] = []
  const forms = watchForms(() => tables)
  const sql = await openPools(database, { max: 4, onStatementEnd: forms.onStatementEnd })
  tables = await listShardTables(sql)
  const clock = new StandClock()
  const log = createLog({ logLevel: 'silent', logFormat: 'json' })
  const receiver = await startMailReceiver()
  const mail = openMailer(hasMail ? receiver.server : undefined, log, [])
  const secretKey = 'a secret key that only tests know, long enough'
  const secretCipher = createSecretCipher(secretKey)
  const outbound = openOutbound({ allowInsecureLoopback: true, allowed: createAddressList([]) })
  const addresses = { publicUrl, apiUrl: `${publicUrl}/api/v1` }
  const security = createSecurityLog({ log, clock })
  const app = createOperatorApp({
    sql,
    clock,
    log,
    security,
    addresses,
    trustedProxies: [],
    findReadiness: async () => 'ready',
  })
  const { target, isDistributed } = database
  const openPoolOfOne = () => openPool(target, { max: 1, isDistributed: isDistributed === true })
  const version = '0.0.0-test'
  const mediaFolder = join(tmpdir(), `carnet-media-${randomUUID()}`)
  const media = openMediaServices({ folder: mediaFolder })
  registerConsole(app, {
    sql,
    media,
    openPoolOfOne,
    clock,
    addresses,
    nsUrl: `${publicUrl}/ns/dpp`,
    mail,
    operatorEmail: 'operator@mail.example',
    secretCipher,
    secretKey,
    security,
    outbound,
    version,
  })
  await app.ready()
  const ctx = { sql, clock }
  const browser = () => newBrowser(app, publicUrl)

  const person = async (accountId: number, role: Role) => {
    const email = `${role}${++people}@testmarke.example`
    const { token } = await createPerson(ctx, { accountId, email, role })
    await setPassword(ctx, { token, password: PASSWORD })
    return email
  }
  return {
    app,
    sql: getTestShard(sql),
    clock,
    secretCipher,
    outbound,
    media,
    target,
    openPools: options => openPools(database, options),
    ctx,
    browser,
    person,
    account: async ({ plan = 'beta', name = 'Testmarke' } = {}) =>
      Number((await createAccount(ctx, { name, plan })).id),
    async signedIn(accountId, role) {
      const one = browser()
      const answer = await one.post('/console/sign-in', {
        form: { email: await person(accountId, role), password: PASSWORD },
      })
      assert.equal(answer.status, 303)
      return one
    },
    async letters() {
      await mail.settled()
      return receiver.take()
    },
    async close() {
      await app.close()
      media.preparer.stop()
      await rm(mediaFolder, { recursive: true, force: true })
      await mail.settled()
      await receiver.close()
      await outbound.close()
      await endPools(sql)
      await database.drop()
      forms.requireNone()
    },
  }
}

/** Stores the cookies of a response. */
function keep(browser: Browser, lines: readonly string[]): void {
  for (const line of lines) {
    const value = line.includes('Max-Age=0') ? undefined : line.split(';')[0]
    const name = line.split('=', 1)[0]?.replace(/^__(?:Host|Secure)-/, '')
    if (name === 'carnet-key') browser.keyCookie = value
    else if (name === 'carnet-webhook') browser.webhookCookie = value
    else if (name === 'carnet') browser.cookie = value
    else browser.others.set(name ?? '', { value, path: /; Path=([^;]+)/.exec(line)?.[1] ?? '/' })
  }
}

/** The cookie that a browser would send to this path. */
function shownAt(path: string, { keyCookie, webhookCookie }: Browser): string | undefined {
  if (path.startsWith('/console/keys/shown')) return keyCookie
  return path.startsWith('/console/webhooks/shown') ? webhookCookie : undefined
}

const othersAt = (path: string, { others }: Browser) =>
  [...others.values()].filter(one => path.startsWith(one.path)).map(one => one.value)

function cookieHeader(cookies: readonly (string | undefined)[]): { cookie?: string } {
  const cookie = cookies.filter(one => one !== undefined).join('; ')
  return cookie === '' ? {} : { cookie }
}

function newBrowser(app: FastifyInstance, publicUrl: string): Browser {
  const one: Browser = {
    cookie: undefined,
    keyCookie: undefined,
    webhookCookie: undefined,
    others: new Map(),
    get: (path, ask = {}) => send('GET', path, ask),
    post: (path, ask = {}) =>
      send('POST', path, { ...ask, headers: ask.headers ?? { ...OWN, origin: publicUrl } }),
  }
  const send = async (method: 'GET' | 'POST', path: string, { form, parts, headers = {}, from }: Ask) => {
    const encoded = new Response(parts ?? new URLSearchParams(form ?? ''))
    const body = method === 'GET' ? undefined : Buffer.from(await encoded.arrayBuffer())
    const answer = await app.inject({
      method,
      url: path,
      ...(from === undefined ? {} : { remoteAddress: from }),
      headers: {
        ...cookieHeader([one.cookie, shownAt(path, one), ...othersAt(path, one)]),
        ...(body === undefined
          ? {}
          : { 'content-type': encoded.headers.get('content-type')?.replace(/;charset=.*$/i, '') }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: body }),
    })
    keep(one, [answer.headers['set-cookie'] ?? []].flat())
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      text: answer.body,
    }
  }
  return one
}
