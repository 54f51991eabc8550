/** Tests that people are created and signed in by the operator's links, and join an account only once. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createAccount } from '../../src/accounts/account/accounts.ts'
import {
  buildSetPasswordUrl,
  createSetUpLink,
  findPasswordLink,
  isSetUpLink,
} from '../../src/accounts/people/one-time-links.ts'
import { createPerson, resetPassword } from '../../src/accounts/people/people.ts'
import { createSession, findSession } from '../../src/accounts/people/sessions.ts'
import { setPassword, setUpOwner } from '../../src/accounts/people/set-password.ts'
import { signIn } from '../../src/accounts/people/sign-in.ts'
import { PASSWORD, type Stand, startStand } from '../console/stand.ts'
import { waitUntil } from '../waiting.ts'

const DAY_MS = 86_400_000
let stand: Stand
before(async () => {
  stand = await startStand()
})
after(() => stand.close())

const refused = (code: string, words: RegExp) => (error: Error) =>
  'code' in error && error.code === code && words.test(error.message)

const tryIn = (email: string, password: string) =>
  signIn(
    { ...stand.ctx, secretKey: 'a secret key that only tests know, long enough' },
    { email, password, network: '192.0.2.1', device: undefined, replaces: undefined },
  )

describe('createSetUpLink', () => {
  test('replaces the previous link until the first account exists, and is refused afterwards', async () => {
    const first = await createSetUpLink(stand.ctx)
    const second = await createSetUpLink(stand.ctx)
    assert.ok(first && second)
    assert.match(second, /^[0-9A-Za-z]{43}$/)
    assert.equal(await isSetUpLink(stand.ctx, first), false)
    assert.equal(await isSetUpLink(stand.ctx, second), true)
    const [row] = await stand.sql`select hash from one_time_link`
    assert.notEqual(row?.hash, second)

    const owner = { accountName: 'Erste', email: 'Owner@Testmarke.example', password: PASSWORD }
    await assert.rejects(
      setUpOwner(stand.ctx, { ...owner, token: first }),
      refused('not_found', /no such link/),
    )
    await assert.rejects(
      setUpOwner(stand.ctx, { ...owner, token: second, password: 'password1234' }),
      refused('validation', /most common/),
    )
    const both = await Promise.allSettled([
      setUpOwner(stand.ctx, { ...owner, token: second }),
      setUpOwner(stand.ctx, { ...owner, token: second }),
    ])
    assert.deepEqual(both.map(one => one.status).sort(), ['fulfilled', 'rejected'])
    const accounts = await stand.sql`select name, plan from account`
    assert.deepEqual([...accounts], [{ name: 'Erste', plan: 'beta' }])
    assert.equal(await createSetUpLink(stand.ctx), undefined)
    assert.ok('token' in (await tryIn('owner@testmarke.EXAMPLE ', PASSWORD)))
  })
})

describe('setUpOwner', () => {
  let bare: Stand
  before(async () => {
    bare = await startStand()
  })
  after(() => bare.close())
  const owner = { accountName: 'Zweite', email: 'late@testmarke.example', password: PASSWORD }

  test('a link is invalid as soon as the first account exists or is being created, and is deleted', async () => {
    const { ctx } = bare
    const { sql } = ctx
    const token = (await createSetUpLink(ctx)) ?? ''
    const sentence = Promise.withResolvers<void>()
    const making = sql.begin(async tx => {
      await createAccount({ ...ctx, sql: tx as unknown as typeof sql }, { name: 'Erste', plan: 'pro' })
      await sentence.promise
    })
    await waitUntil('it waits for the lock', async () => (await locksOn(bare, 'RowExclusiveLock')) === 1)
    assert.equal(await isSetUpLink(ctx, token), true)
    const late = setUpOwner(ctx, { ...owner, token })
    late.catch(() => undefined)
    await waitUntil('it waits for the lock', async () => (await locksOn(bare, 'ShareRowExclusiveLock')) === 1)
    sentence.resolve()
    await making
    await assert.rejects(late, refused('not_found', /no such link/))
    assert.equal(await isSetUpLink(ctx, token), false)
    await assert.rejects(setUpOwner(ctx, { ...owner, token }), refused('not_found', /no such link/))
    const made = await sql`select name from account`
    assert.deepEqual([...made], [{ name: 'Erste' }])
    assert.deepEqual([...(await sql`select email from person`)], [])
    assert.equal(await createSetUpLink(ctx), undefined)
    assert.deepEqual([...(await sql`select hash from one_time_link`)], [])
  })
})

async function locksOn({ ctx: { sql } }: Stand, mode: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from pg_locks
    where relation = 'account'::regclass and mode = ${mode}
      and database = (select oid from pg_database where datname = current_database())`
  return row?.count ?? 0
}

describe('createPerson', () => {
  test('stores one spelling of the e-mail, makes a link that works once, and stores no secret in plain text', async () => {
    const accountId = await stand.account()
    const made = await createPerson(stand.ctx, {
      accountId,
      email: ' Anna@Testmarke.Example',
      role: 'editor',
    })
    assert.equal(made.email, 'anna@testmarke.example')
    assert.equal(
      buildSetPasswordUrl('https://x.example', made.token),
      `https://x.example/console/set-password?token=${made.token}`,
    )
    assert.deepEqual(await findPasswordLink(stand.ctx, made.token), { email: made.email })
    assert.deepEqual(await tryIn(made.email, ''), { problem: 'wrong' })
    await setPassword(stand.ctx, { token: made.token, password: PASSWORD })
    assert.equal(await findPasswordLink(stand.ctx, made.token), undefined)
    await assert.rejects(
      setPassword(stand.ctx, { token: made.token, password: PASSWORD }),
      refused('not_found', /link/),
    )
    const [stored] = await stand.sql`select password_hash from person where email = ${made.email}`
    assert.match(String(stored?.password_hash), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.ok('token' in (await tryIn(made.email, PASSWORD)))
  })

  test('rejects an e-mail already in the account; in another account it is the same person', async () => {
    const [one, two] = [await stand.account(), await stand.account()]
    const email = 'both@testmarke.example'
    const first = await createPerson(stand.ctx, { accountId: one, email, role: 'owner' })
    await assert.rejects(
      createPerson(stand.ctx, { accountId: one, email: email.toUpperCase(), role: 'viewer' }),
      refused('validation', /both@testmarke\.example belongs to account \d+ already/),
    )
    assert.ok(await findPasswordLink(stand.ctx, first.token), 'the refusal leaves the link as it was')
    const second = await createPerson(stand.ctx, { accountId: two, email, role: 'viewer' })
    assert.equal(second.id, first.id)
  })

  test('two concurrent calls: one succeeds', async () => {
    const accountId = await stand.account()
    const input = { accountId, email: 'race@testmarke.example', role: 'owner' } as const
    const all = await Promise.allSettled([1, 2, 3].map(() => createPerson(stand.ctx, input)))
    assert.equal(all.filter(one => one.status === 'fulfilled').length, 1)
  })

  test('without an e-mail no account is created', async () => {
    const accountId = await stand.account()
    for (const email of [
      '',
      'anna',
      'a@b@c',
      'a b@c.example',
      `${'a'.repeat(250)}@b.example`,
      'a@b.example\0',
    ]) {
      await assert.rejects(
        createPerson(stand.ctx, { accountId, email, role: 'owner' }),
        refused('validation', /e-mail/),
      )
    }
    await assert.rejects(
      createPerson(stand.ctx, { accountId: 999_999, email: 'x@y.example', role: 'owner' }),
      refused('not_found', /account/),
    )
  })

  test('a link expires after seven days', async () => {
    const accountId = await stand.account()
    const { token } = await createPerson(stand.ctx, {
      accountId,
      email: 'late@testmarke.example',
      role: 'owner',
    })
    stand.clock.advance(7 * DAY_MS - 1_000)
    assert.ok(await findPasswordLink(stand.ctx, token))
    stand.clock.advance(1_000)
    await assert.rejects(setPassword(stand.ctx, { token, password: PASSWORD }), refused('not_found', /link/))
  })
})

describe('resetPassword', () => {
  test('the old password works until the link is used; then it stops working and every session ends', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const { token: link } = await resetPassword(stand.ctx, { email: email.toUpperCase() })
    const before = await tryIn(email, PASSWORD)
    assert.ok('token' in before)
    assert.ok(await findSession(stand.ctx, before.token))
    const known = await setPassword(stand.ctx, { token: link, password: 'twelve grey herons instead' })
    assert.equal(await findSession(stand.ctx, before.token), undefined)
    assert.deepEqual(await tryIn(email, PASSWORD), { problem: 'wrong' })
    assert.ok('token' in (await tryIn(email, 'twelve grey herons instead')))
    const stale = { ...known, passwordHash: 'the one before', replaces: undefined }
    assert.equal(await createSession(stand.ctx, stale), undefined)
  })

  test('a newer link replaces the older one; an unknown e-mail is rejected', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const { token: older } = await resetPassword(stand.ctx, { email })
    const { token: newer } = await resetPassword(stand.ctx, { email })
    assert.equal(await findPasswordLink(stand.ctx, older), undefined)
    assert.ok(await findPasswordLink(stand.ctx, newer))
    await assert.rejects(
      resetPassword(stand.ctx, { email: 'nobody@testmarke.example' }),
      refused('not_found', /nobody/),
    )
  })
})

describe('the audit log', () => {
  test('records who did what, and cannot be changed', async () => {
    const account = await createAccount(stand.ctx, { name: 'Log', plan: 'beta' })
    const email = await stand.person(Number(account.id), 'owner')
    await tryIn(email, PASSWORD)
    const entries = await stand.sql`
      select e.action, e.subject, a.kind from audit_entry e join actor a on a.account_id = e.account_id and a.id = e.actor
      where e.account_id = ${account.id} order by e.at, e.id`
    assert.deepEqual(entries.map(({ action, subject, kind }) => [action, subject === email, kind]).sort(), [
      ['password_set', true, 'person'],
      ['person_added', true, 'operator'],
      ['signed_in', true, 'person'],
    ])
    for (const change of [
      stand.sql`update audit_entry set action = 'x'`,
      stand.sql`delete from audit_entry`,
      stand.sql`truncate audit_entry`,
    ]) {
      await assert.rejects(change, /never changed and never deleted/)
    }
  })
})
