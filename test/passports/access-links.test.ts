import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sha256Hex } from '../../src/kernel/crypto/crypto.ts'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import type { AppError } from '../../src/kernel/errors/errors.ts'
import {
  createAccessLink,
  findAccess,
  listAccessLinks,
  type NewAccessLink,
  revokeAccessLink,
} from '../../src/passports/access/access-links.ts'
import { countAccessUse, flushAccessUses } from '../../src/passports/access/count-uses.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { ADDRESSES, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

let harness: Harness
let account: TestAccount
let stranger: TestAccount
before(async () => {
  harness = await startHarness()
  harness.clock.set('2026-11-21T10:00:00Z')
  account = await harness.account()
  stranger = await harness.account()
})
after(() => harness.close())

const make = async (owner = account) =>
  (await createPassport(owner.ctx, { ...newProduct(), strict: false })).passport
const input = (more: Partial<NewAccessLink> = {}): NewAccessLink => ({
  passportId: undefined,
  audience: 'authority',
  label: 'Customs',
  expiresAt: new Date('2026-12-01T00:00:00Z'),
  addresses: ADDRESSES,
  ...more,
})
const now = () => harness.clock.now()

describe('createAccessLink', () => {
  test('shows the token once and stores only its hash', async () => {
    const passport = await make()
    const { token, ...link } = await createAccessLink(
      account.ctx,
      input({ passportId: idFromUuid(passport.id) }),
    )
    assert.match(token, /^dpa_[0-9A-Za-z]{42}$/)
    assert.equal(link.url, `${ADDRESSES.publicUrl}/p/${idFromUuid(passport.id)}?access=${token}`)
    const [row] =
      await harness.sql`select * from access_link where account_id = ${account.id} order by id desc limit 1`
    assert.equal(row?.hash, sha256Hex(token))
    assert.ok(!JSON.stringify(row).includes(token))
    assert.ok(!JSON.stringify(await listAccessLinks(account.ctx)).includes(token))
  })

  test('a label is one line of text, stored as typed', async () => {
    for (const label of ['Customs\u202etxt.exe', 'Customs\u2066', 'Customs\u0085', 'Customs\u001b[2J']) {
      const refused = createAccessLink(account.ctx, input({ label }))
      await assert.rejects(refused, (error: AppError) => error.details?.[0]?.path[0] === 'label')
    }
    assert.equal((await createAccessLink(account.ctx, input({ label: 'מכס 7' }))).label, 'מכס 7')
  })

  test('a link to the whole account has no URL', async () => {
    const link = await createAccessLink(account.ctx, input())
    assert.equal(link.url, null)
    assert.equal(link.passport_id, null)
  })

  test('reports every problem', async () => {
    const wrong = input({ audience: 'public', label: ' ', expiresAt: new Date('2026-11-21T10:00:00Z') })
    await assert.rejects(createAccessLink(account.ctx, wrong), (error: AppError) => {
      assert.deepEqual(
        error.details?.map(({ path, code }) => [path[0], code]),
        [
          ['audience', 'enum'],
          ['label', 'length'],
          ['expires_at', 'min'],
        ],
      )
      return true
    })
    const never = input({ expiresAt: new Date(Number.NaN) })
    await assert.rejects(createAccessLink(account.ctx, never), { code: 'validation' })
    const lines = input({ label: 'two\nlines' })
    await assert.rejects(createAccessLink(account.ctx, lines), { code: 'validation' })
    const long = input({ label: '🪑'.repeat(201) })
    await assert.rejects(createAccessLink(account.ctx, long), { code: 'validation' })
    assert.equal((await createAccessLink(account.ctx, input({ label: '🪑'.repeat(200) }))).url, null)
  })

  test('throws not_found for a passport of another account', async () => {
    const foreign = await make(stranger)
    for (const passportId of [idFromUuid(foreign.id), 'nonsense']) {
      await assert.rejects(createAccessLink(account.ctx, input({ passportId })), { code: 'not_found' })
    }
  })
})

describe('findAccess', () => {
  test('opens a passport and its units', async () => {
    const passport = await make()
    const other = await make()
    const { token } = await createAccessLink(account.ctx, input({ passportId: idFromUuid(passport.id) }))
    const find = (row: Parameters<typeof findAccess>[2]) => findAccess(harness.sql, token, row, now())
    assert.equal((await find(passport))?.audience, 'authority')
    const unit = { id: newUuid(0), account_id: account.id, parent_id: passport.id, model_id: passport.id }
    assert.ok(await find(unit))
    assert.ok(await find({ ...unit, parent_id: newUuid(0) }))
    assert.ok(await find({ ...unit, model_id: newUuid(0) }))
    assert.equal(await find(other), undefined)
    assert.equal(await find({ ...unit, parent_id: other.id, model_id: other.id }), undefined)
    assert.equal(await find({ ...passport, account_id: stranger.id }), undefined)
  })

  test('opens the whole account, and no other', async () => {
    const { token } = await createAccessLink(account.ctx, input())
    assert.ok(await findAccess(harness.sql, token, await make(), now()))
    assert.equal(await findAccess(harness.sql, token, await make(stranger), now()), undefined)
  })

  test('ends when the link expires', async () => {
    const passport = await make()
    const { token } = await createAccessLink(account.ctx, input())
    const at = (time: string) => findAccess(harness.sql, token, passport, new Date(time))
    assert.ok(await at('2026-11-30T23:59:59.999Z'))
    assert.equal(await at('2026-12-01T00:00:00Z'), undefined)
  })

  test('finds nothing for text that is not a token', async () => {
    const passport = await make()
    const { token } = await createAccessLink(account.ctx, input())
    for (const text of ['', 'dpa_', token.slice(0, -1), `${token}0`, token.replace(/.$/, '-'), "' or 1=1"]) {
      assert.equal(await findAccess(harness.sql, text, passport, now()), undefined)
    }
  })
})

describe('revokeAccessLink', () => {
  test('ends a link at once and for good, for its account or the operator', async () => {
    const passport = await make()
    const { token, id } = await createAccessLink(account.ctx, input())
    await assert.rejects(revokeAccessLink(stranger.ctx, id), { code: 'not_found' })
    assert.ok(await findAccess(harness.sql, token, passport, now()))
    const revoked = await revokeAccessLink(account.ctx, id)
    assert.equal(await findAccess(harness.sql, token, passport, now()), undefined)
    const again = await revokeAccessLink({ sql: harness.sql, clock: harness.clock }, id)
    assert.equal(again.revoked_at, revoked.revoked_at)
    await assert.rejects(revokeAccessLink(account.ctx, 'nonsense'), { code: 'not_found' })
  })
})

test('counts all uses, many of them with one statement', async () => {
  const passport = await make()
  const { token, id } = await createAccessLink(account.ctx, input())
  const access = await findAccess(harness.sql, token, passport, now())
  assert.ok(access)
  const lost: unknown[] = []
  for (let i = 0; i < 200; i++) countAccessUse(harness.sql, access, now(), reason => lost.push(reason))
  await flushAccessUses(harness.sql)
  assert.deepEqual(lost, [])
  const link = (await listAccessLinks(account.ctx)).find(one => one.id === id)
  assert.equal(link?.uses, 200)
  assert.equal(link?.last_used_at, now().toISOString())
  assert.equal(link?.created_by, 'Operator')
})
