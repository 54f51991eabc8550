/** Tests turns for calls that cost more than most: one client makes nobody else wait, and does not lose calls. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { MAX_WAITING_PER_NETWORK } from '../../src/accounts/limits/turns.ts'
import { MIN_LARGE_BODY_BYTES } from '../../src/kernel/http/read-body.ts'
import { type Harness, newProduct, startHarness } from '../harness.ts'

type Account = Awaited<ReturnType<Harness['account']>>

/** More than may run and wait. */
const CALLS = 120
const BUSY = '198.51.100.1'
const OTHER = '203.0.113.1'

let t: Harness
let busy: Account
let other: Account
before(async () => {
  t = await startHarness()
  busy = await t.account({ plan: 'enterprise' })
  other = await t.account({ plan: 'enterprise' })
})
after(() => t.close())

const read = (path: string, account: Account, address: string) =>
  t.ask('GET', `/api/v1${path}`, { key: account.key, from: address })
const post = (path: string, body: object, account: Account, address: string) =>
  t.ask('POST', `/api/v1${path}`, { key: account.key, from: address, body })
const makeMany = <T>(make: (n: number) => T) => Array.from({ length: CALLS }, (_, n) => make(n))

/**
 * Makes the calls at once while another client is active, then one of that client. Returns the statuses of the
 * first client's calls, and how many of them were served before the other's.
 */
async function crowd(name: string, makeCall: MakeCall): Promise<{ statuses: number[]; before: number }> {
  const statuses: number[] = []
  const countServed = () => statuses.filter(one => one !== 503).length
  const ask = async (call: Promise<Sent>) => {
    const { status, headers, json } = await call
    statuses.push(status)
    if (status !== 503) return
    assert.equal(json.code, 'unavailable')
    assert.ok(Number(headers['retry-after']) >= 1, `${name} has no Retry-After`)
  }
  let isDone = false
  const stayActive = async () => {
    while (!isDone) {
      for (const address of [OTHER, BUSY]) await t.ask('GET', '/healthz', { from: address })
      await pause(20)
    }
  }
  const active = stayActive()
  try {
    const asked = makeMany(n => ask(makeCall(n, busy, BUSY)))
    const { status } = await makeCall(CALLS, other, OTHER)
    assert.ok(status < 300, `${name}: the other account got ${status}`)
    const before = countServed()
    await Promise.all(asked)
    return { statuses, before }
  } finally {
    isDone = true
    await active
  }
}

type MakeCall = (n: number, account: Account, address: string) => Promise<Sent>
type Sent = Awaited<ReturnType<typeof read>>

describe('calls that cost more than most', () => {
  const costly: Record<string, MakeCall> = {
    searches: (n, account, address) => read(`/products?q=word${n}`, account, address),
    'lists of outdated units': (_n, account, address) => read('/products?outdated=true', account, address),
    'reports of the account': (_n, account, address) => read('/readiness', account, address),
    'sums of scans': (_n, account, address) => read('/scans', account, address),
    'bulk calls': (n, account, address) =>
      post('/products/bulk', { items: [newProduct({ sku: `B${n}` })] }, account, address),
    'large bodies': (n, account, address) =>
      post(
        '/products',
        newProduct({ sku: `L${n}`, own: Array(9).fill('x'.repeat(8_000)) }),
        account,
        address,
      ),
  }
  for (const [name, makeCall] of Object.entries(costly))
    test(`${name}: those beyond the queue are 503, and another account is served beside them`, async () => {
      const { statuses, before } = await crowd(name, makeCall)
      const done = statuses.filter(status => status < 300).length
      const refused = statuses.filter(status => status === 503).length
      assert.equal(done + refused, CALLS, String(statuses))
      assert.ok(refused > 0 && done >= MAX_WAITING_PER_NETWORK, `${done} done, ${refused} refused`)
      assert.ok(
        done - before > MAX_WAITING_PER_NETWORK / 2,
        `${before} of ${done} were served before the other`,
      )
    })

  test('a call that was refused or failed ends its turn', async () => {
    for (let n = 0; n < 20; n++) {
      const broken = { ...newProduct({ own: 'x'.repeat(MIN_LARGE_BODY_BYTES) }), category: 'none' }
      assert.equal((await post('/products', broken, busy, BUSY)).status, 422)
      assert.equal((await read('/products?q=x&limit=0', busy, BUSY)).status, 422)
    }
    assert.equal((await read('/products?q=x', busy, BUSY)).status, 200)
  })

  test('lists without a search and single products take no turns', async () => {
    const answers = await Promise.all(
      makeMany(n => read(n % 2 ? '/products?limit=5' : '/offers', busy, BUSY)),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  })
})
