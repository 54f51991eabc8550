/**
 * Tests turns by account, access link and network at all doors: however many expensive answers one of them
 * asks for at once, another reader is answered after few of them, and an overload is nobody's fault.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createKey } from '../../src/accounts/keys/keys.ts'
import { MAX_PAGES_AT_ONCE } from '../../src/accounts/limits/page-limit.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { checksum62, randomBase62 } from '../../src/kernel/crypto/crypto.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { endPools } from '../database.ts'
import { ADDRESSES, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { waitUntil } from '../waiting.ts'

/** The number that one attacker had open when honest readers waited for ten seconds. */
const AT_ONCE = 32
/** Answers that one reader may get while another waits: those in progress, one turn each, and one more. */
const MAX_OVERTAKING = 6

let t: Harness
let account: TestAccount
let app: ReturnType<typeof createApp>
let sql: Sql
let id: string
let readKey: string
let token: string

before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
  sql = await t.openPools()
  app = createApp({ ...t.setup, sql })
  const text = 'A long sentence about care, washing and drying. '.repeat(80)
  const body = newProduct({
    careInstructions: { en: text, de: text, fr: text },
    languages: ['en', 'de', 'fr'],
  })
  const { json, text: answered } = await t.ask('POST', '/api/v1/products', { key: account.key, body })
  assert.ok(json.data, answered)
  id = json.data.id
  ;({ key: readKey } = await createKey(account.ctx, {
    accountId: account.id,
    name: 'reader',
    scope: 'read',
    createdBy: 'test',
    expiresAt: undefined,
  }))
  const link = { passportId: id, audience: 'authority', label: 'Test', addresses: ADDRESSES } as const
  ;({ token } = await createAccessLink(account.ctx, { ...link, expiresAt: new Date('2999-01-01') }))
})
// Full buckets for all networks.
beforeEach(() => t.clock.set(new Date(t.clock.now().getTime() + 60_000)))
after(async () => {
  await app.close()
  await endPools(sql)
  await t.close()
})

let networks = 0
const newNetwork = () => `2a0${(++networks % 10).toString()}:${(networks + 16).toString(16)}::1`

type Sent = { url: string; from: string; headers?: Record<string, string> }
const get = ({ url, from, headers = {} }: Sent) =>
  app.inject({ method: 'GET', url, remoteAddress: from, headers })

/** How many answers of the attacker come before the one to an honest reader who asks last. */
async function countOvertaking(attack: () => Sent, honest = `/p/${id}/qr.svg?size_mm=33`) {
  let answered = 0
  const statuses: number[] = []
  const attacks = Array.from({ length: AT_ONCE }, async () => {
    statuses.push((await get(attack())).statusCode)
    answered++
  })
  // All are admitted by their own limits and wait for their turn.
  for (let n = 0; n < 30; n++) await turn()
  const before = answered
  const { statusCode } = await get({ url: honest, from: newNetwork() })
  const overtaking = answered - before
  await Promise.all(attacks)
  assert.equal(statusCode, 200)
  return { overtaking, statuses }
}

describe('many expensive answers at once', () => {
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

  for (const format of ['aasx', 'aas', 'en-full']) {
    test(`${format} with a read key delays another reader by few of them`, async () => {
      const from = newNetwork()
      const attack = () => ({ url: `/p/${id}?format=${format}`, from, headers: bearer(readKey) })
      const { overtaking, statuses } = await countOvertaking(attack)
      assert.deepEqual([...new Set(statuses)], [200])
      assert.ok(overtaking <= MAX_OVERTAKING, `${overtaking} came first`)
    })
  }

  test('with a read key from many networks, the account has one share', async () => {
    const attack = () => ({ url: `/p/${id}?format=aasx`, from: newNetwork(), headers: bearer(readKey) })
    const { overtaking } = await countOvertaking(attack)
    assert.ok(overtaking <= MAX_OVERTAKING, `${overtaking} came first`)
  })

  test('pages with the cookie of an access link take turns and are counted', async () => {
    const from = newNetwork()
    const entered = await get({ url: `/p/${id}?access=${token}`, from })
    const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
    const attack = () => ({ url: `/p/${id}`, from, headers: { cookie } })
    const { overtaking, statuses } = await countOvertaking(attack)
    assert.deepEqual([...new Set(statuses)], [200])
    assert.ok(overtaking <= MAX_OVERTAKING, `${overtaking} came first`)
    const codes = []
    for (let n = 0; n < MAX_PAGES_AT_ONCE; n++) codes.push((await get(attack())).statusCode)
    assert.equal(codes.at(-1), 429)
    // The network's other readers have a limit of their own.
    assert.equal((await get({ url: `/p/${id}/qr.svg`, from })).statusCode, 200)
  })

  for (const [who, secret] of [
    ['nobody', () => undefined],
    ['a read key', () => readKey],
    ['an access link', () => token],
  ] as const) {
    test(`/dpp/v1 read by ${who} delays another reader by few of them`, async () => {
      const from = newNetwork()
      const sent = secret()
      const headers = sent === undefined ? {} : bearer(sent)
      const dppId = encodeURIComponent(`${ADDRESSES.publicUrl}/p/${id}`)
      const attack = () => ({ url: `/dpp/v1/dpps/${dppId}?representation=full`, from, headers })
      const { overtaking, statuses } = await countOvertaking(attack)
      assert.deepEqual([...new Set(statuses)], [200])
      assert.ok(overtaking <= MAX_OVERTAKING, `${overtaking} came first`)
    })
  }

  test('writes to /dpp/v1 delay a writer of another account by few of them', async () => {
    const other = await t.account({ plan: 'enterprise' })
    const made = await t.ask('POST', '/api/v1/products', { key: other.key, body: newProduct({}) })
    const write = (owner: TestAccount, passport: string) =>
      app.inject({
        method: 'PATCH',
        url: `/dpp/v1/dpps/${encodeURIComponent(`${ADDRESSES.publicUrl}/p/${passport}`)}`,
        remoteAddress: newNetwork(),
        payload: '{}',
        headers: { ...bearer(owner.key), 'content-type': 'application/merge-patch+json' },
      })
    // Both keys are known: a look-up in a busy database would be a wait before the turn.
    for (const [owner, passport] of [
      [account, id],
      [other, made.json.data.id],
    ] as const)
      assert.ok((await write(owner, passport)).statusCode < 300)
    let answered = 0
    const attacks = Array.from({ length: AT_ONCE }, async () => {
      await write(account, id)
      answered++
    })
    await waitUntil('the first write is answered', () => answered > 0, { everyMs: 1 })
    const before = answered
    const { statusCode, body } = await write(other, made.json.data.id)
    const overtaking = answered - before
    await Promise.all(attacks)
    assert.ok(statusCode < 300, `${statusCode}: ${body}`)
    // Eight in progress, and one turn.
    assert.ok(overtaking <= 10, `${overtaking} came first`)
  })

  test('the networks of one provider leave a permit for others', async () => {
    let network = 0
    const attack = () => ({ url: `/p/${id}?version=1`, from: `2a0f:beef:${(++network).toString(16)}::1` })
    const { overtaking, statuses } = await countOvertaking(attack)
    assert.deepEqual([...new Set(statuses)], [200])
    assert.ok(overtaking <= MAX_OVERTAKING, `${overtaking} came first`)
  })
})

describe('tokens that are not verified', () => {
  const newToken = () => {
    const start = `dpa_${randomBase62(36)}`
    return start + checksum62(start)
  }
  for (const [where, build] of [
    ['in the query', (sent: string) => ({ url: `/p/${id}?access=${sent}` })],
    [
      'as Bearer',
      (sent: string) => ({ url: `/p/${id}?format=aas`, headers: { authorization: `Bearer ${sent}` } }),
    ],
  ] as const) {
    test(`give a network no more places to wait (${where})`, async () => {
      const from = newNetwork()
      const answers = await Promise.all(
        Array.from({ length: MAX_PAGES_AT_ONCE }, () => get({ ...build(newToken()), from })),
      )
      assert.ok(answers.some(({ statusCode }) => statusCode === 503))
    })
  }
})

describe('an overload', () => {
  test('is answered with 503 and Retry-After, and costs the network nothing of its own limit', async () => {
    const from = newNetwork()
    const answers = await Promise.all(
      Array.from({ length: MAX_PAGES_AT_ONCE }, () => get({ url: `/p/${id}?version=1`, from })),
    )
    const busy = answers.filter(({ statusCode }) => statusCode === 503)
    assert.ok(busy.length > 0)
    for (const { headers } of busy) assert.equal(headers['retry-after'], '2')
    assert.deepEqual(
      answers.filter(({ statusCode }) => statusCode !== 503 && statusCode !== 200),
      [],
    )
    for (let n = 0; n < busy.length; n++)
      assert.equal((await get({ url: `/p/${id}?version=1`, from })).statusCode, 200)
    assert.equal((await get({ url: `/p/${id}?version=1`, from })).statusCode, 429)
  })

  test('of a provider is not told as the fault of one of its networks', async () => {
    const statuses = new Set<number>()
    const path = '/p/01jdq0000000000000000000zz'
    let answer = await get({ url: path, from: newNetwork() })
    for (let n = 0; n < 2_000 && answer.statusCode !== 503; n++) {
      answer = await get({ url: path, from: `2a0e:beef:${n.toString(16)}::1` })
      statuses.add(answer.statusCode)
    }
    assert.deepEqual([...statuses], [404, 503])
    assert.ok(Number(answer.headers['retry-after']) > 0)
    assert.equal((await get({ url: path, from: newNetwork() })).statusCode, 404)
  })
})
