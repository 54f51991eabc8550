/** What a test of the console stands on: the door on a bare server over a database of its own, and browsers with a cookie. */
import assert from 'node:assert/strict'
import Fastify, { type FastifyInstance } from 'fastify'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createPerson, type Role } from '../../src/accounts/people.ts'
import { setPassword } from '../../src/accounts/set-password.ts'
import { registerConsole } from '../../src/console/door.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { type DatabaseTarget, openPool, type Sql } from '../../src/kernel/db.ts'
import { cloneDatabase } from '../database.ts'

export const PUBLIC_URL = 'https://carnet.example'
export const ADDRESSES = { publicUrl: PUBLIC_URL, apiUrl: `${PUBLIC_URL}/api/v1` }
export const PASSWORD = 'eleven herons over the lake'
export const OWN = { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' }

/** Stands still until it is moved. */
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
  headers?: Record<string, string>
  /** Sent from another address. */
  from?: string
}

export type Browser = {
  cookie: string | undefined
  /** The cookie of a new key, for the page that shows it. */
  keyCookie: string | undefined
  get: (path: string, ask?: Ask) => Promise<Answer>
  /** From a page of our own unless `headers` says otherwise. */
  post: (path: string, ask?: Ask) => Promise<Answer>
}

export type Stand = {
  app: FastifyInstance
  sql: Sql
  /** For another process's pool. */
  target: DatabaseTarget
  clock: StandClock
  /** What the operator's verbs are told. */
  ctx: { sql: Sql; clock: StandClock }
  browser: () => Browser
  account: (settings?: { plan?: string; name?: string }) => Promise<number>
  person: (accountId: number, role: Role) => Promise<string>
  /** A browser in which a new person of the account is signed in. */
  signedIn: (accountId: number, role: Role) => Promise<Browser>
  close: () => Promise<void>
}

let people = 0

export async function startStand(publicUrl = PUBLIC_URL): Promise<Stand> {
  const database = await cloneDatabase()
  const sql = openPool(database.target, { max: 4 })
  const clock = new StandClock()
  const app = Fastify()
  registerConsole(app, { sql, clock, addresses: { publicUrl, apiUrl: `${publicUrl}/api/v1` } })
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
    sql,
    target: database.target,
    clock,
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
    async close() {
      await app.close()
      await sql.end({ timeout: 5 })
      await database.drop()
    },
  }
}

/** Takes the cookies of an answer. */
function keep(browser: Browser, lines: readonly string[]): void {
  for (const line of lines) {
    const value = line.includes('Max-Age=0') ? undefined : line.split(';')[0]
    if (line.startsWith('carnet-key=')) browser.keyCookie = value
    else browser.cookie = value
  }
}

function cookieHeader(cookies: readonly (string | undefined)[]): { cookie?: string } {
  const cookie = cookies.filter(one => one !== undefined).join('; ')
  return cookie === '' ? {} : { cookie }
}

function newBrowser(app: FastifyInstance, publicUrl: string): Browser {
  const one: Browser = {
    cookie: undefined,
    keyCookie: undefined,
    get: (path, ask = {}) => send('GET', path, ask),
    post: (path, ask = {}) =>
      send('POST', path, { ...ask, headers: ask.headers ?? { ...OWN, origin: publicUrl } }),
  }
  const send = async (method: 'GET' | 'POST', path: string, { form, headers = {}, from }: Ask) => {
    const body = method === 'GET' ? undefined : new URLSearchParams(form ?? '').toString()
    const answer = await app.inject({
      method,
      url: path,
      ...(from === undefined ? {} : { remoteAddress: from }),
      headers: {
        ...cookieHeader(path.startsWith('/console/keys/shown') ? [one.cookie, one.keyCookie] : [one.cookie]),
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
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
