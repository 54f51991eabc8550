/**
 * Tests that each action of the operator on the command line is in the account's audit log, under the
 * operator's name, once.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { actAsOperator, createAccountByOperator, setPlan } from '../../src/accounts/account/accounts.ts'
import { setAudienceProfile } from '../../src/accounts/account/audience-profile.ts'
import { listAuditEntries } from '../../src/accounts/account/audit.ts'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { setIndexing } from '../../src/accounts/account/indexing.ts'
import { createOwnKey, revokeKeyByOperator } from '../../src/accounts/keys/own-keys.ts'
import { createBrowserLinkByOperator } from '../../src/accounts/people/browser-links.ts'
import { createPerson, resetPassword } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { createAccessLink, revokeAccessLink } from '../../src/passports/access/access-links.ts'
import { setStatus } from '../../src/passports/write/archive.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { releaseGtin } from '../../src/passports/write/release-gtin.ts'
import { ADDRESSES, type Harness, newProduct, nextGtin, startHarness } from '../harness.ts'

let harness: Harness
before(async () => {
  harness = await startHarness()
})
after(() => harness.close())

test('each action of the operator is in the audit log, in order', async () => {
  const operator = { sql: harness.setup.sql, clock: harness.clock }
  const accountId = Number((await createAccountByOperator(operator, { name: 'Moor', plan: 'beta' })).id)
  const ctx = await actAsOperator(operator, accountId)
  await setPlan(operator, { accountId, plan: 'pro', quota: { model: 3 } })
  for (const indexable of [false, false, true]) await setIndexing(operator, { accountId, indexable })
  for (const profile of ['law', 'law', 'contract'] as const) {
    await setAudienceProfile(operator, { accountId, profile })
  }
  await createPerson(operator, { accountId, email: 'ada@moor.example', role: 'owner' })
  const { token } = await resetPassword(operator, { email: 'ada@moor.example' })
  await setPassword(operator, { token, password: 'seven grey herons stand' })
  await createBrowserLinkByOperator(operator, { email: 'ada@moor.example' })
  const key = await createOwnKey(ctx, {
    name: 'Shop',
    scope: 'full',
    expiresAt: undefined,
    createdBy: 'Operator',
  })
  for (const _ of [1, 2]) await revokeKeyByOperator(operator, key.id)
  const expiresAt = new Date(harness.clock.now().getTime() + 86_400_000)
  const access = {
    passportId: undefined,
    audience: 'authority',
    label: 'Customs',
    expiresAt,
    addresses: ADDRESSES,
  }
  const link = await createAccessLink(ctx, access)
  for (const _ of [1, 2]) await revokeAccessLink(operator, link.id)
  const gtin = nextGtin()
  const { passport } = await createPassport(ctx, { ...newProduct({ gtin }), strict: false })
  for (const _ of [1, 2]) await setStatus(ctx, { uuid: passport.id, status: 'x', expects: () => true })
  await releaseGtin(operator, gtin)
  await setStatus(ctx, { uuid: passport.id, status: 'a', expects: () => true })
  for (const _ of [1, 2]) await closeAccount(operator, accountId)
  for (const _ of [1, 2]) await reopenAccount(operator, accountId)

  const { entries, next } = await listAuditEntries(ctx, { before: '', limit: 50 })
  assert.equal(next, undefined)
  const [byAda, ...others] = entries.filter(entry => entry.kind !== 'operator')
  assert.deepEqual([byAda?.action, others], ['password_set', []])
  assert.deepEqual(
    entries.reverse().map(({ action, subject }) => `${action} ${subject}`.replace(/[0-9a-z]{26}/, 'ID')),
    [
      'account_created Moor',
      'plan_changed pro, model 3',
      'indexing_changed no',
      'indexing_changed yes',
      'audience_profile_changed law',
      'audience_profile_changed contract',
      'person_added ada@moor.example',
      'password_link_made ada@moor.example',
      'password_set ada@moor.example',
      'browser_link_made ada@moor.example',
      `key_created Shop (…${key.last4})`,
      `key_revoked Shop (…${key.last4})`,
      'access_link_created Customs',
      'access_link_revoked Customs',
      'product_archived ID',
      `gtin_released 0${gtin}`,
      'product_restored ID',
      'account_closed Moor',
      'account_reopened Moor',
    ],
  )
})

test('a GTIN that is released to another account is in the audit log of both, with the number alone', async () => {
  const operator = { sql: harness.setup.sql, clock: harness.clock }
  const [holder, claimant] = [await harness.account(), await harness.account()]
  const gtin = nextGtin()
  const { passport } = await createPassport(holder.ctx, { ...newProduct({ gtin }), strict: false })
  await setStatus(holder.ctx, { uuid: passport.id, status: 'x', expects: () => true })
  await releaseGtin(operator, gtin, { claimableBy: claimant.id })
  for (const { ctx } of [holder, claimant]) {
    const { entries } = await listAuditEntries(ctx, { before: '', limit: 50 })
    const released = entries.filter(({ action }) => action === 'gtin_released')
    assert.deepEqual(
      released.map(({ kind, subject }) => `${kind} ${subject}`),
      [`operator 0${gtin}`],
    )
  }
})
