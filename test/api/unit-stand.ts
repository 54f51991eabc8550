/**
 * The setup for tests of units: a server, an account, and short functions to issue, change and read units.
 */
import assert from 'node:assert/strict'
import type { TestDatabase } from '../database.ts'
import {
  type Answer,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
type Json = any

export type UnitStand = {
  t: Harness
  account: TestAccount
  /** Any call under `/api/v1/products`, with any outcome. */
  ask: (
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    more?: More,
  ) => Promise<Answer>
  /** A call that must succeed. Returns the response's `data`. */
  call: (
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    more?: More,
  ) => Promise<Json>
  /** Creates a battery model and returns its id. Each has a new GTIN unless `data` has one. */
  model: (data?: object, key?: string) => Promise<string>
  item: (parent: string, serial: string, data?: object) => Promise<string>
  batch: (parent: string, lot: string, data?: object) => Promise<string>
  /** Issues items with the serials `${prefix}0` and up, a hundred per call. */
  items: (parent: string, prefix: string, count: number) => Promise<string[]>
  correct: (id: string, data: object) => Promise<Json>
  /**
   * Creates another account with a model and a quota of batches and items. `usage` returns its current usage.
   */
  narrow: (
    batches: number,
    items: number,
  ) => Promise<{ key: string; model: string; usage: (level: 'b' | 'i') => Promise<number> }>
  close: () => Promise<void>
}
type More = { key?: string; headers?: Record<string, string> }

export async function startUnitStand(
  plan = 'beta',
  database?: TestDatabase,
  settings: Parameters<typeof startHarness>[0] = {},
): Promise<UnitStand> {
  const t = await startHarness(database === undefined ? settings : { ...settings, database })
  const account = await t.account({ plan })
  const ask: UnitStand['ask'] = (method, path, body, { key = account.key, headers = {} } = {}) =>
    t.ask(method, `/api/v1/products${path}`, { key, headers, ...(body === undefined ? {} : { body }) })
  const call: UnitStand['call'] = async (method, path, body, more) => {
    const answer = await ask(method, path, body, more)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json.data
  }
  const issue = async (parent: string, unit: object) =>
    (await call('POST', `/${parent}/children`, unit)).id as string
  const model = async (data = {}, key = account.key) =>
    (await call('POST', '', newProduct({ gtin: nextGtin(), ...data }, 'battery'), { key })).id
  return {
    t,
    account,
    ask,
    call,
    model,
    item: (parent, serial, data) => issue(parent, { level: 'item', serial, ...(data ? { data } : {}) }),
    batch: (parent, lot, data) => issue(parent, { level: 'batch', lot, ...(data ? { data } : {}) }),
    async items(parent, prefix, count) {
      const ids: string[] = []
      for (let from = 0; from < count; from += 500) {
        const size = Math.min(500, count - from)
        const rows = Array.from({ length: size }, (_, i) => ({ serial: `${prefix}${from + i}` }))
        const { created } = await call('POST', `/${parent}/children`, { level: 'item', items: rows })
        assert.equal(created.length, size)
        ids.push(...created.map((one: { id: string }) => one.id))
      }
      return ids
    },
    correct: (id, data) => call('PATCH', `/${id}`, { change_type: 'correction', data }),
    async narrow(batches, items) {
      const { id, key } = await t.account()
      await t.sql`update account set batch_quota = ${batches}, item_quota = ${items} where id = ${id}`
      const usage = async (level: 'b' | 'i') => {
        const [row] = await t.sql<{ used: number }[]>`
          select used from account_usage where account_id = ${id} and level = ${level}::text::"char"`
        return row?.used ?? -1
      }
      return { key, model: await model({}, key), usage }
    },
    close: () => t.close(),
  }
}
