/**
 * Tests proof of identity: guessing by strangers, confirmation before critical actions, and a reset that
 * gives nobody else access.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  getPauseMs,
  MAX_ATTEMPTS_PER_SOURCE,
  MAX_UNDELAYED_ATTEMPTS_PER_EMAIL,
} from '../../src/accounts/people/attempt-limits.ts'
import { createPerson, resetPassword } from '../../src/accounts/people/people.ts'
import {
  MAX_SESSION_AGE_MS,
  MAX_SESSIONS_PER_PERSON,
  PROOF_LIFETIME_MS,
} from '../../src/accounts/people/sessions.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { type Browser, OWN, PASSWORD, type Stand, startStand } from './stand.ts'

const SETTINGS = '/console/settings'
let stand: Stand
/** A setup without a mail server. */
let bare: Stand
before(async () => {
  stand = await startStand()
  bare = await startStand(undefined, { hasMail: false })
})
after(async () => {
  await stand.close()
  await bare.close()
})

const signIn = (browser: Browser, email: string, password = PASSWORD, from?: string) =>
  browser.post('/console/sign-in', { form: { email, password }, ...(from === undefined ? {} : { from }) })
const CONFIRMED = { confirm_password: PASSWORD }
const LINK = /https:\/\/carnet\.example\/console\/set-password\?token(?:=|&#61;)([0-9A-Za-z]{43})/
const tokenIn = (text: string | undefined) => LINK.exec(text ?? '')?.[1] ?? ''
const use = (on: Stand, token: string, browser = on.browser()) =>
  browser.post('/console/set-password', { form: { token, password: PASSWORD } })
const entries = (on: Stand, accountId: number, action: string) => on.sql<{ subject: string }[]>`
  select subject from audit_entry where account_id = ${accountId} and action = ${action} order by id`
const idOf = async (on: Stand, email: string) => {
  const [row] = await on.sql<{ id: string }[]>`select id from person where email = ${email}`
  return idFromUuid(row?.id ?? '')
}

describe('failed sign-in attempts by others', () => {
  const guess = (email: string, from: string, times: number) =>
    Promise.all(Array.from({ length: times }, () => signIn(stand.browser(), email, 'wrong', from)))

  test('do not lock the person out: not elsewhere, in a known browser of the same network, or in their session', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const known = stand.browser()
    await signIn(known, email, PASSWORD, '192.0.2.1')
    const cookie = [...known.others.values()].find(one => one.value?.startsWith('__Host-carnet-device='))
    assert.equal(cookie?.path, '/')
    const late = await guess(email, '192.0.2.1', MAX_ATTEMPTS_PER_SOURCE + 2)
    assert.equal(late.filter(answer => answer.status === 429).length, 2)
    assert.equal((await signIn(stand.browser(), email, PASSWORD, '192.0.2.2')).status, 303)
    const form = { current: PASSWORD, password: 'twelve grey herons instead' }
    assert.equal((await known.post(`${SETTINGS}/password`, { form, from: '192.0.2.1' })).status, 303)
    await known.post('/console/sign-out')
    assert.equal((await signIn(known, email, form.password, '192.0.2.1')).status, 303)
    // The known-browser mark is for this person only, and a known browser has a limit of attempts too.
    const other = await stand.person(await stand.account(), 'owner')
    await guess(other, '192.0.2.1', MAX_ATTEMPTS_PER_SOURCE)
    assert.equal((await signIn(known, other, PASSWORD, '192.0.2.1')).status, 429)
    const tries = await Promise.all(
      Array.from({ length: MAX_ATTEMPTS_PER_SOURCE + 1 }, () => signIn(known, email, 'wrong', '192.0.2.9')),
    )
    assert.equal(tries.filter(answer => answer.status === 429).length, 1)
  })

  test('that fill the queue of an e-mail are an overload: nobody has reached a limit of their own', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const guesses = Array.from({ length: MAX_UNDELAYED_ATTEMPTS_PER_EMAIL + 20 }, (_, n) =>
      signIn(stand.browser(), email, 'wrong', `198.51.100.${n + 1}`),
    )
    const answers = await Promise.all(guesses)
    const busy = answers.filter(({ status }) => status !== 422)
    assert.ok(busy.length > 0)
    for (const { status, headers } of busy) {
      assert.equal(status, 503)
      assert.equal(headers['retry-after'], '10')
    }
  })

  test('from many networks are delayed one after another, and the right password still signs in', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const networks = ['198.51.100.1', '198.51.100.2']
    const all = await Promise.all(
      networks.map(from => guess(email, from, MAX_UNDELAYED_ATTEMPTS_PER_EMAIL / 2)),
    )
    assert.ok(all.flat().every(answer => answer.status === 422))
    assert.equal((await signIn(stand.browser(), email, PASSWORD, '198.51.100.9')).status, 303)
    assert.deepEqual([20, 21, 30, 40, 41, 500].map(getPauseMs), [0, 100, 1_000, 2_000, 2_000, 2_000])
  })

  test('write one audit entry an hour, without the input; none for an unknown e-mail', async () => {
    const accountId = await stand.account()
    const email = await stand.person(accountId, 'owner')
    await guess(email, '203.0.113.1', 4)
    await guess('nobody@testmarke.example', '203.0.113.1', 2)
    assert.deepEqual([...(await entries(stand, accountId, 'sign_in_failed'))], [{ subject: email }])
    stand.clock.advance(3_600_000)
    await guess(email, '203.0.113.2', 1)
    const subjects = (await entries(stand, accountId, 'sign_in_failed')).map(row => row.subject)
    assert.deepEqual(subjects, [email, `${email} (+3)`])
  })

  test('requests for password links leave earlier links valid, are limited, and do not block requests from elsewhere', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const { token } = await resetPassword(stand.ctx, { email })
    const ask = (from: string) =>
      stand.browser().post('/console/forgotten-password', { form: { email }, from })
    for (let i = 0; i < 3; i++) assert.equal((await ask('203.0.113.77')).status, 200)
    assert.equal((await ask('203.0.113.77')).status, 429)
    assert.equal((await ask('203.0.113.78')).status, 200)
    assert.equal((await stand.letters()).length, 3)
    assert.equal((await use(stand, token)).status, 303)
  })

  test('"Password forgotten?" leaves an invitation valid, and reveals nothing', async () => {
    const owner = await stand.signedIn(await stand.account(), 'owner')
    const email = 'pending@testmarke.example'
    await owner.post(`${SETTINGS}/people`, { form: { email, role: 'viewer' } })
    const [invitation] = await stand.letters()
    const pages = []
    for (const address of [email, 'nobody@testmarke.example']) {
      const { status, text } = await stand
        .browser()
        .post('/console/forgotten-password', { form: { email: address }, from: '203.0.113.80' })
      pages.push([status, text.replaceAll(address, 'E')])
    }
    assert.deepEqual(pages[0], pages[1])
    assert.deepEqual(await stand.letters(), [])
    // An invitation to a second account leaves the link of the first one valid.
    const second = await stand.signedIn(await stand.account(), 'owner')
    await second.post(`${SETTINGS}/people`, { form: { email, role: 'viewer' } })
    assert.equal((await use(stand, tokenIn(invitation?.text))).status, 303)
  })
})

describe('confirming the identity again', () => {
  test('is required after ten minutes; the form then continues with its input and a new token', async () => {
    const accountId = await stand.account()
    const owner = await stand.signedIn(accountId, 'owner')
    const form = { name: 'Shop <&"', scope: 'read', ends: 'never' }
    assert.equal((await owner.post('/console/keys', { form })).headers.location, '/console/keys/shown')
    stand.clock.advance(PROOF_LIFETIME_MS)
    const before = owner.cookie
    const asked = await owner.post('/console/keys', { form })
    assert.equal(asked.status, 403)
    assert.match(asked.text, /Confirm that it is you/)
    assert.match(
      asked.text,
      /<form method="post" action="\/console\/keys"[\s\S]*name="name" value="Shop &#60;&#38;&#34;"/,
    )
    assert.match(asked.text, /name="confirm_password"/)
    const wrong = await owner.post('/console/keys', { form: { ...form, confirm_password: 'wrong' } })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /That is not your password/)
    assert.doesNotMatch(wrong.text, /value="wrong"/)
    assert.equal((await owner.post('/console/keys', { form: { ...form, confirm_password: '' } })).status, 422)
    const [count] = await stand.sql`select count(*)::int as n from api_key where account_id = ${accountId}`
    assert.equal(count?.n, 1)
    const done = await owner.post('/console/keys', { form: { ...form, ...CONFIRMED } })
    assert.equal(done.headers.location, '/console/keys/shown')
    assert.match((await owner.get('/console/keys/shown')).text, /dpp_live_/)
    assert.notEqual(owner.cookie, before)
    const older = stand.browser()
    older.cookie = before
    assert.equal((await older.get('/console')).status, 303, 'the token of before has ended')
    assert.equal((await owner.post('/console/keys', { form })).headers.location, '/console/keys/shown')
    assert.equal((await entries(stand, accountId, 'sign_in_failed')).length, 1)
  })

  test('protects keys, webhooks, people, passkeys, sessions and the account, and nothing else', async () => {
    const accountId = await stand.account()
    const owner = await stand.signedIn(accountId, 'owner')
    const member = await idOf(stand, await stand.person(accountId, 'viewer'))
    const none = '0'.repeat(26)
    stand.clock.advance(PROOF_LIFETIME_MS)
    const guarded = [
      '/console/keys',
      `/console/keys/${none}/rotate`,
      ...['', `/${none}`, `/${none}/rotate`, `/${none}/remove`].map(path => `/console/webhooks${path}`),
      ...['', ...['', '/invite', '/remove', '/end-sessions'].map(path => `/${member}${path}`)].map(
        path => `${SETTINGS}/people${path}`,
      ),
      ...['/close', `/passkeys/${none}/remove`, '/sessions/end-others', `/sessions/${none}/end`].map(
        path => SETTINGS + path,
      ),
    ]
    for (const path of guarded) {
      const answer = await owner.post(path, { form: { name: 'x' } })
      assert.match(answer.text, /name="confirm_password"/, path)
    }
    for (const path of [`${SETTINGS}/name`, `/console/keys/${none}/revoke`, '/console/products']) {
      assert.doesNotMatch((await owner.post(path, { form: {} })).text, /confirm_password/, path)
    }
    const viewer = await stand.signedIn(accountId, 'viewer')
    stand.clock.advance(PROOF_LIFETIME_MS)
    const refused = await viewer.post('/console/keys', { form: CONFIRMED })
    assert.match(refused.text, /Only owners|owners/i)
    assert.doesNotMatch(refused.text, /confirm_password/)
  })

  test('every password entry renews the session token: before a passkey, an export, a new password', async () => {
    const owner = await stand.signedIn(await stand.account(), 'owner')
    const forms = [
      [`${SETTINGS}/passkeys`, { name: 'Phone', password: PASSWORD }],
      [`${SETTINGS}/data`, { password: PASSWORD }],
      [`${SETTINGS}/password`, { current: PASSWORD, password: 'twelve grey herons instead' }],
    ] as const
    for (const [path, form] of forms) {
      const before = owner.cookie
      await owner.post(path, { form })
      assert.notEqual(owner.cookie, before, path)
      assert.equal((await owner.get('/console')).status, 200, path)
    }
  })
})

describe('sessions', () => {
  test('end thirty days after the last sign-in or confirmation, however much they are used', async () => {
    const browser = await stand.signedIn(await stand.account(), 'viewer')
    const week = 7 * 86_400_000
    for (let past = week; past < MAX_SESSION_AGE_MS; past += week) {
      stand.clock.advance(week)
      assert.equal((await browser.get('/console')).status, 200)
    }
    stand.clock.advance(week)
    assert.equal((await browser.get('/console')).status, 303)
  })

  test('are limited to twenty a person: one more ends the least recently used', async () => {
    const email = await stand.person(await stand.account(), 'viewer')
    const browsers = []
    for (let i = 0; i <= MAX_SESSIONS_PER_PERSON; i++) {
      const browser = stand.browser()
      await signIn(browser, email)
      stand.clock.advance(1_000)
      browsers.push(browser)
    }
    assert.equal((await browsers[0]?.get('/console'))?.status, 303)
    assert.equal((await browsers[1]?.get('/console'))?.status, 200)
  })

  test('an owner can end a member’s sessions in this account only; confirming the identity reopens it', async () => {
    const [one, two] = [await stand.account({ name: 'Eins' }), await stand.account({ name: 'Zwei' })]
    const email = await stand.person(one, 'viewer')
    const { token } = await createPerson(stand.ctx, { accountId: two, email, role: 'viewer' })
    await use(stand, token)
    const [inOne, inTwo] = [stand.browser(), stand.browser()]
    for (const browser of [inOne, inTwo]) await signIn(browser, email)
    await inTwo.post('/console/account', { form: { account: String(two) } })
    stand.clock.advance(1_000)
    const owner = await stand.signedIn(two, 'owner')
    const at = `${SETTINGS}/people/${await idOf(stand, email)}`
    const ended = await owner.post(`${at}/end-sessions`)
    assert.match((await owner.get(String(ended.headers.location))).text, /is signed out of this account/)
    assert.equal((await inTwo.get('/console')).status, 303)
    assert.equal((await inOne.get('/console')).status, 200)
    const turn = { form: { account: String(two) } }
    assert.match((await inOne.post('/console/account', turn)).text, /Confirm that it is you/)
    assert.match((await inOne.get('/console')).text, /<h1>Eins<\/h1>/)
    const form = { ...turn.form, ...CONFIRMED }
    assert.equal((await inOne.post('/console/account', { form })).status, 303)
    assert.match((await inOne.get('/console')).text, /<h1>Zwei<\/h1>/)
    assert.equal((await entries(stand, two, 'sessions_ended_by_owner')).length, 1)
    const stranger = await stand.signedIn(await stand.account(), 'owner')
    assert.equal((await stranger.post(`${at}/end-sessions`)).status, 404)
  })
})

describe('the link in an e-mail', () => {
  test('disappears from the address bar at once; opening it does not use it up, and a program can read it there', async () => {
    const { token } = await createPerson(stand.ctx, {
      accountId: await stand.account(),
      email: 'fresh@testmarke.example',
      role: 'viewer',
    })
    const path = `/console/set-password?token=${token}`
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const browser = stand.browser()
    for (let i = 0; i < 2; i++) {
      const moved = await browser.get(path, { headers })
      assert.deepEqual([moved.status, moved.headers.location], [303, '/console/set-password'])
      assert.match(
        String(moved.headers['set-cookie']),
        /^__Secure-carnet-link=[0-9A-Za-z]{43}; Path=\/console\/set-password; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      )
      const page = await browser.get('/console/set-password', { headers })
      assert.match(page.text, /fresh@testmarke\.example/)
      assert.equal(page.headers['cache-control'], 'no-store')
    }
    assert.match((await stand.browser().get(path)).text, /fresh@testmarke\.example/)
    assert.equal((await stand.browser().get('/console/set-password', { headers })).status, 404)
    const set = await use(stand, token, browser)
    assert.match(
      String(set.headers['set-cookie']),
      /__Secure-carnet-link=; Path=\/console\/set-password; Max-Age=0/,
    )
    assert.equal((await browser.get('/console/set-password', { headers })).status, 404)
  })
})

describe('without a mail server', () => {
  test('entering an e-mail creates no link: the page says whom to ask, the same for everybody', async () => {
    const email = await bare.person(await bare.account(), 'owner')
    for (const [language, words] of [
      ['en', /Ask the person who runs it/],
      ['de', /Bitten Sie die Person, die es betreibt/],
    ] as const) {
      const headers = { ...OWN, 'accept-language': language }
      const page = await bare.browser().get('/console/forgotten-password', { headers })
      assert.match(page.text, words)
      assert.doesNotMatch(page.text, /<form/)
      for (const address of [email, 'nobody@testmarke.example']) {
        const asked = await bare
          .browser()
          .post('/console/forgotten-password', { form: { email: address }, headers })
        assert.deepEqual([asked.status, asked.text], [page.status, page.text])
      }
    }
    const [links] = await bare.sql`select count(*)::int as n from password_link where purpose = 'reset'`
    assert.equal(links?.n, 0)
  })

  test('an owner sees the link of an invitation once, and never that of a person in another account', async () => {
    const accountId = await bare.account({ name: 'Eins' })
    const owner = await bare.signedIn(accountId, 'owner')
    const email = 'guest@testmarke.example'
    const invite = (by: Browser, who: string) =>
      by.post(`${SETTINGS}/people`, { form: { email: who, role: 'editor' } })
    assert.equal((await invite(owner, email)).headers.location, `${SETTINGS}/people/shown`)
    const shown = await owner.get(`${SETTINGS}/people/shown`)
    const first = tokenIn(shown.text)
    assert.notEqual(first, '')
    assert.equal((await owner.get(`${SETTINGS}/people/shown`)).headers.location, `${SETTINGS}/people`)
    const again = await owner.post(`${SETTINGS}/people/${await idOf(bare, email)}/invite`)
    assert.equal(again.headers.location, `${SETTINGS}/people/shown`)
    const second = tokenIn((await owner.get(`${SETTINGS}/people/shown`)).text)
    assert.equal((await use(bare, first)).status, 404, 'the one before has ended')

    // The first owner may have used the link, so no other account can give this person a role before a link
    // was sent to them alone.
    const other = await bare.account({ name: 'Zwei' })
    const stranger = await bare.signedIn(other, 'owner')
    for (const isUsed of [false, true]) {
      if (isUsed) assert.equal((await use(bare, second)).status, 303)
      assert.match((await invite(stranger, email)).text, /gave this person their link/)
      const byOperator = createPerson(bare.ctx, { accountId: other, email, role: 'viewer' })
      await assert.rejects(byOperator, /users reset-password --email guest@testmarke\.example/)
    }
    const { token } = await resetPassword(bare.ctx, { email })
    assert.equal((await use(bare, token)).status, 303)
    assert.equal((await invite(stranger, email)).status, 303)

    const pending = 'pending@testmarke.example'
    await createPerson(bare.ctx, { accountId: other, email: pending, role: 'viewer' })
    const told = await invite(owner, pending)
    assert.match(String(told.headers.location), /invited=pending/)
    const at = `${SETTINGS}/people/${await idOf(bare, pending)}`
    assert.match((await owner.post(`${at}/invite`)).text, /got their link there/)
  })
})
