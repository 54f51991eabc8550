/** Tests that a long list of messages is read seldom, once for all readers, and one at a time. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { requireUuid } from '../../src/kernel/crypto/ids.ts'
import { endPools } from '../database.ts'
import { type Answer, type Harness, startHarness, type TestAccount } from '../harness.ts'
import { waitForLocks, waitUntil } from '../waiting.ts'

/** So long, and no longer, is a copy sent; from half of it on, it is read anew. */
const MINUTE_MS = 60_000
/** How many lists may wait for one that is being read. */
const MAX_WAITING = 10
const PLACES = 4_500

let t: Harness
let account: TestAccount
let issuer: string
before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
  issuer = (await setSigning({ ...account.ctx, secretCipher: t.setup.secretCipher }, true))?.name ?? ''
})
after(() => t.close())

async function create(): Promise<string> {
  const body = { category: 'battery', data: { ...CATEGORY_EXAMPLES.battery.value.data, gtin: undefined } }
  const { status, json, text } = await t.ask('POST', '/api/v1/products', { key: account.key, body })
  assert.equal(status, 201, text)
  return json.data.id
}

const archive = (id: string) => t.ask('POST', `/api/v1/products/${id}/archive`, { key: account.key })

let lists = 0

/** Returns the number of a new list in which the first version of the product has so many places. */
async function fillList(id: string, places = 1): Promise<number> {
  const listNo = ++lists
  await t.sql`
    insert into credential_status (account_id, passport_id, first_version, list_no, list_index, created_at)
    select ${account.id}, ${requireUuid(id, 'product')}, ${listNo * 200_000} + i, ${listNo}, 131071 - i, now()
    from generate_series(0, ${places - 1}::int) i`
  return listNo
}

const pathOf = (listNo: number) => `/issuers/${issuer}/messages/${listNo}`
const askList = (listNo: number, at: Harness = t) => at.ask('GET', pathOf(listNo))

const readBits = ({ json }: Answer) =>
  gunzipSync(Buffer.from(json.credentialSubject.encodedList.slice(1), 'base64url'))

const countBits = (answer: Answer) =>
  readBits(answer).reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0)

/** A server of its own, whose statements about places are counted. */
async function withCounter(
  work: (ask: (listNo: number) => Promise<number>, count: () => number) => Promise<void>,
): Promise<void> {
  let count = 0
  const onStatementEnd = ({ text }: { text: string }) => {
    if (/\bfrom credential_status\b.*\border by list_index\b/s.test(text)) count++
  }
  const sql = await t.openPools({ onStatementEnd })
  const app = createApp({ ...t.setup, sql })
  try {
    await work(
      async listNo => (await app.inject({ url: pathOf(listNo) })).statusCode,
      () => count,
    )
  } finally {
    await app.close()
    await endPools(sql)
  }
}

describe('a list of messages', () => {
  test('is read once for all who ask at the same time, in several statements', async () => {
    const listNo = await fillList(await create(), PLACES)
    await withCounter(async (ask, count) => {
      const statuses = await Promise.all(Array.from({ length: 20 }, () => ask(listNo)))
      assert.deepEqual([...new Set(statuses)], [200])
      assert.equal(count(), 3)
    })
  })

  test('has all of its places, also the first and the last', async () => {
    const id = await create()
    const listNo = await fillList(id, 131_072)
    assert.equal(countBits(await askList(listNo)), 0)
    await archive(id)
    t.clock.advance(MINUTE_MS)
    assert.equal(countBits(await askList(listNo)), 131_072)
  })

  test('is sent as it was while it is read anew', async () => {
    const id = await create()
    const listNo = await fillList(id, 5)
    const old = await askList(listNo)
    await archive(id)
    t.clock.advance(MINUTE_MS / 2 - 1)
    assert.equal((await askList(listNo)).text, old.text)
    await t.sql.begin(async held => {
      await held`lock table recall_change in access exclusive mode`
      t.clock.advance(1)
      assert.equal((await askList(listNo)).text, old.text)
      await waitForLocks(t.sql, 1)
      assert.equal((await askList(listNo)).text, old.text)
      await waitForLocks(t.sql, 1)
    })
    await waitUntil('the new copy is sent', async () => countBits(await askList(listNo)) === 5)
  })

  test('is not replaced by an older copy of another process', async () => {
    const beside = await t.beside()
    try {
      const id = await create()
      const listNo = await fillList(id, 5)
      t.clock.set(new Date())
      const start = t.clock.now().getTime()
      const setClocks = (ms: number) => {
        for (const at of [t, beside]) at.clock.set(new Date(start + ms))
      }
      setClocks(0)
      await askList(listNo)
      setClocks(MINUTE_MS / 2)
      await askList(listNo, beside)
      await archive(id)
      setClocks(MINUTE_MS)
      const newer = await askList(listNo)
      assert.equal(countBits(newer), 5)
      setClocks(MINUTE_MS + 1)
      assert.equal((await askList(listNo, beside)).text, newer.text)
      assert.equal((await askList(listNo)).text, newer.text)
    } finally {
      t.clock.release()
      await beside.close()
    }
  })

  test('waits while another one is read, and is refused if too many wait', async () => {
    const id = await create()
    const numbers: number[] = []
    for (let i = 0; i < MAX_WAITING + 2; i++) numbers.push(await fillList(id))
    const [first = 0, ...others] = numbers
    const asked: Promise<Answer>[] = []
    const refused: Answer[] = []
    await t.sql.begin(async held => {
      await held`lock table recall_change in access exclusive mode`
      asked.push(askList(first))
      await waitForLocks(t.sql, 1)
      for (const one of others) asked.push(askList(one))
      for (const one of asked) one.then(answer => refused.push(answer))
      await waitUntil('one of them is refused', async () => {
        await waitForLocks(t.sql, 1)
        return refused.length > 0
      })
      assert.deepEqual(
        refused.map(({ status }) => status),
        [503],
      )
      assert.ok(Number(refused[0]?.headers['retry-after']) > 0)
    })
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [...Array(MAX_WAITING + 1).fill(200), 503])
    for (const one of numbers) assert.equal((await askList(one)).status, 200)
  })
})
