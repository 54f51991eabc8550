/** Tests API keys: format, start and end of validity, and how soon every process knows of a change. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { authenticate } from '../../src/accounts/keys/authenticate.ts'
import { flushKeyUse, recordKeyUse } from '../../src/accounts/keys/key-use.ts'
import { createKey, isWellFormedKey, listKeys, revokeKey } from '../../src/accounts/keys/keys.ts'
import { rotateOwnKey } from '../../src/accounts/keys/own-keys.ts'
import { KEY_OVERLAP_MS, rotateKey } from '../../src/accounts/keys/rotate-key.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { endPools } from '../database.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const DAY_MS = 86_400_000

/** CRC-32 as six base-62 digits, computed differently from the tested code. */
const checksum = (text: string) => {
  let digits = ''
  for (let rest = BigInt(crc32(text)), i = 0; i < 6; rest /= 62n, i++)
    digits = BASE62[Number(rest % 62n)] + digits
  return digits
}

describe('keys', () => {
  let t: Harness
  let account: TestAccount
  before(async () => {
    t = await startHarness()
    account = await t.account()
    t.clock.set('2026-11-21T10:00:00Z')
  })
  after(() => t.close())
  const operator = () => ({ sql: t.sql, clock: t.clock })
  const make = (expiresAt?: Date, name = 'shop') =>
    createKey(operator(), { accountId: account.id, name, scope: 'read', expiresAt, createdBy: 'test' })
  const isGood = async (key: string) => (await authenticate(t.sql, key, t.clock.now())) !== undefined

  test('a key is dpp_live_, 36 random characters and a checksum of both', async () => {
    const { key, prefix, last4, ...rest } = await make()
    assert.match(key, /^dpp_live_[0-9A-Za-z]{42}$/)
    assert.equal(key.slice(-6), checksum(key.slice(0, -6)))
    assert.deepEqual([prefix, last4], ['dpp_live_', key.slice(-4)])
    assert.deepEqual(Object.keys(rest).sort(), [
      'created_at',
      'created_by',
      'expires_at',
      'id',
      'last_used_at',
      'name',
      'revoked_at',
      'scope',
    ])
    const stored = await t.sql`select to_jsonb(k)::text as row from api_key k`
    assert.ok(stored.every(row => !row.row.includes(key.slice(9, 45))))
  })

  test('a key with one wrong character is rejected without a database look-up', async () => {
    const { key } = await make()
    let asked = 0
    const watched = new Proxy(t.sql, {
      apply(target, self, given) {
        asked++
        return Reflect.apply(target, self, given)
      },
    }) as Sql
    assert.ok(await authenticate(watched, key, t.clock.now()))
    assert.ok(asked > 0)
    asked = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(key.length - 1), fc.constantFrom(...BASE62), async (at, letter) => {
        fc.pre(key[at] !== letter)
        const wrong = key.slice(0, at) + letter + key.slice(at + 1)
        assert.ok(!isWellFormedKey(wrong))
        assert.equal(await authenticate(watched, wrong, t.clock.now()), undefined)
      }),
    )
    for (const odd of [
      '',
      key.slice(0, -1),
      `${key}0`,
      key.toUpperCase(),
      ` ${key}`,
      `${key}\n`,
      'x'.repeat(1e5),
    ])
      assert.equal(await authenticate(watched, odd, t.clock.now()), undefined)
    assert.equal(asked, 0)
  })

  test('a key expires at its expiry time, to the millisecond', async () => {
    const { key } = await make(new Date(t.clock.now().getTime() + 500))
    assert.ok(await isGood(key))
    t.clock.advance(499)
    assert.ok(await isGood(key))
    t.clock.advance(1)
    assert.ok(!(await isGood(key)))
  })

  describe('rotation', () => {
    test('both keys work during the overlap, then only the new one', async () => {
      const old = await make()
      assert.ok(await isGood(old.key))
      const made = await rotateKey(operator(), {
        id: old.id,
        overlapMs: KEY_OVERLAP_MS,
        createdBy: 'Operator',
      })
      assert.notEqual(made.key, old.key)
      assert.deepEqual([made.name, made.scope, made.created_by], ['shop', 'read', 'Operator'])
      assert.equal(made.expires_at, null)
      assert.equal(made.replaced.expires_at, new Date(t.clock.now().getTime() + DAY_MS).toISOString())
      t.clock.advance(DAY_MS - 1)
      assert.deepEqual([await isGood(old.key), await isGood(made.key)], [true, true])
      t.clock.advance(1)
      assert.deepEqual([await isGood(old.key), await isGood(made.key)], [false, true])
    })

    test('without an overlap the old key stops working within two seconds', async () => {
      const old = await make()
      assert.ok(await isGood(old.key))
      await rotateKey(operator(), { id: old.id, overlapMs: 0, createdBy: 'Operator' })
      t.clock.advance(2_000)
      assert.ok(!(await isGood(old.key)))
    })

    test('an expiring key keeps its expiry time, and the new one has the same lifetime', async () => {
      const old = await make(new Date(t.clock.now().getTime() + 30 * DAY_MS))
      t.clock.advance(29.5 * DAY_MS)
      const made = await rotateKey(operator(), { id: old.id, overlapMs: DAY_MS, createdBy: 'Operator' })
      assert.equal(made.replaced.expires_at, old.expires_at)
      assert.equal(made.expires_at, new Date(t.clock.now().getTime() + 30 * DAY_MS).toISOString())
    })

    test('an expired, revoked or unknown key cannot be rotated', async () => {
      const rotate = (id: string) => rotateKey(operator(), { id, overlapMs: 0, createdBy: 'Operator' })
      const over = await make(new Date(t.clock.now().getTime() + 1))
      t.clock.advance(1)
      await assert.rejects(rotate(over.id), { code: 'archived', message: /"shop" has expired/ })
      const revoked = await make()
      await revokeKey(operator(), revoked.id)
      await assert.rejects(rotate(revoked.id), { code: 'archived', message: /is revoked/ })
      for (const id of ['', 'x', '01m7ywhcr7fxwrqq1xd4m28c2t'])
        await assert.rejects(rotate(id), { code: 'not_found' })
    })

    test('two concurrent rotations make at most two new keys, and lose none', async () => {
      const old = await make()
      const rotate = () => rotateKey(operator(), { id: old.id, overlapMs: 0, createdBy: 'Operator' })
      const all = await Promise.allSettled([rotate(), rotate(), rotate()])
      assert.equal(all.filter(one => one.status === 'fulfilled').length, 1)
    })

    test('members of an account can rotate the keys of that account, with an audit entry', async () => {
      const old = await make()
      const stranger = await t.account()
      const input = { id: old.id, overlapMs: DAY_MS, createdBy: 'owner@moor.example' }
      await assert.rejects(rotateOwnKey(stranger.ctx, input), { code: 'not_found' })
      const made = await rotateOwnKey(account.ctx, input)
      assert.ok(await isGood(made.key))
      const entries = await t.sql`
        select action, subject from audit_entry where account_id = ${account.id} and action like 'key%' order by action`
      assert.deepEqual(
        entries.map(entry => [entry.action, entry.subject]),
        [
          ['key_created', `shop (…${made.key.slice(-4)})`],
          ['key_rotated', `shop (…${old.key.slice(-4)})`],
        ],
      )
    })
  })

  test('the last use is stored to the minute, and written once however often a key is used', async () => {
    const { id } = await make()
    const keyId = parseId(id) ?? ''
    const version = async () => {
      const [row] = await t.sql<{ xmin: string }[]>`
        select xmin::text from api_key where account_id = ${account.id} and id = ${keyId}`
      return row?.xmin
    }
    const untouched = await version()
    t.clock.set('2026-11-22T12:34:10Z')
    for (let i = 0; i < 1_000; i++) {
      recordKeyUse(t.sql, { keyId, accountId: account.id }, t.clock.now())
      t.clock.advance(10)
    }
    assert.equal(await version(), untouched)
    await flushKeyUse(t.sql)
    const written = await version()
    assert.notEqual(written, untouched)
    await flushKeyUse(t.sql)
    assert.equal(await version(), written)
    const record = (await listKeys(operator(), account.id)).find(one => one.id === id)
    assert.equal(record?.last_used_at, '2026-11-22T12:34:00.000Z')
  })
})

test('every process rejects a revoked key within two seconds', async () => {
  const one = await startHarness()
  const account = await one.account()
  // Another process: with its own pool and its own cache.
  const other = await one.openPools()
  try {
    const now = () => one.clock.now()
    one.clock.set('2026-11-21T10:00:00Z')
    for (const sql of [one.sql, other]) assert.ok(await authenticate(sql, account.key, now()))
    const [key] = await listKeys({ sql: one.sql, clock: one.clock }, account.id)
    await revokeKey({ sql: one.sql, clock: one.clock }, key?.id ?? '')
    one.clock.advance(2_000)
    for (const sql of [one.sql, other]) assert.equal(await authenticate(sql, account.key, now()), undefined)
  } finally {
    await endPools(other)
    await one.close()
  }
})
