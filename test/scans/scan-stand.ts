/** The setup for scan tests: a server with a passport of each level, and readers with their own addresses. */
import assert from 'node:assert/strict'
import { createPerson, type Role } from '../../src/accounts/people/people.ts'
import { createSession } from '../../src/accounts/people/sessions.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { addressOf } from './plan.ts'

export const PHONE =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36'
export const COMPUTER = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0'
export const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

/** One page view, each from a new address by default. */
export type Look = {
  from?: string
  agent?: string
  headers?: Record<string, string>
  method?: 'GET' | 'HEAD'
  query?: string
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
type Json = any

export type ScanStand = {
  t: Harness
  account: TestAccount
  model: string
  batch: string
  /** An item under the batch. */
  item: string
  newItem: () => Promise<string>
  newModel: (category?: 'textile' | 'battery' | 'furniture') => Promise<string>
  /** Opens the page and returns the status. */
  look: (id: string, look?: Look) => Promise<number>
  scansOf: (id: string, query?: string) => Promise<Json>
  scans: (query?: string) => Promise<Json>
  /** The data of the account's events of this type, oldest first. */
  events: (type: string) => Promise<Json[]>
  /** The cookie of a person signed in to an account. */
  signIn: (accountId: number, role?: Role) => Promise<string>
}

let readers = 0
let serials = 0

/** An address in a new network at each call. */
export const anotherAddress = () => addressOf(++readers)

export async function startScanStand(settings: Parameters<typeof startHarness>[0] = {}): Promise<ScanStand> {
  const t = await startHarness(settings)
  const account = await t.account({ plan: 'enterprise' })
  const call = async (path: string, body: object) => {
    const answer = await t.ask('POST', `/api/v1/products${path}`, { key: account.key, body })
    assert.equal(answer.status, 201, answer.text)
    return answer.json.data.id as string
  }
  const newModel: ScanStand['newModel'] = (category = 'textile') => call('', newProduct({}, category))
  const model = await newModel()
  const batch = await call(`/${model}/children`, { level: 'batch', lot: 'L1' })
  const newItem = () => call(`/${batch}/children`, { level: 'item', serial: `S${++serials}` })
  const ask = async (path: string) => {
    const answer = await t.ask('GET', `/api/v1${path}`, { key: account.key })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data
  }
  return {
    t,
    account,
    model,
    batch,
    item: await newItem(),
    newItem,
    newModel,
    async look(
      id,
      { from = anotherAddress(), agent = PHONE, headers = {}, method = 'GET', query = '' } = {},
    ) {
      const answer = await t.app.inject({
        method,
        url: `/p/${id}${query}`,
        remoteAddress: from,
        headers: { 'user-agent': agent, accept: 'text/html', ...headers },
      })
      return answer.statusCode
    },
    scansOf: (id, query = '') => ask(`/products/${id}/scans${query}`),
    scans: (query = '') => ask(`/scans${query}`),
    async events(type) {
      const rows = await t.sql`select data from event where type = ${type} order by id`
      return rows.map(row => row.data)
    },
    async signIn(accountId, role = 'viewer') {
      const ctx = { sql: t.sql, clock: t.clock }
      const email = `reader${++readers}@testmarke.example`
      const { token } = await createPerson(ctx, { accountId, email, role })
      const person = await setPassword(ctx, { token, password: 'eleven herons over the lake' })
      const session = await createSession(ctx, { ...person, replaces: undefined })
      return `__Host-carnet=${session?.token}`
    },
  }
}
