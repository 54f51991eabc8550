/**
 * Tests passkeys against a dishonest device: what is accepted, what is rejected, and that a rejection stores
 * nothing.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MAX_ATTEMPTS_PER_SOURCE } from '../../src/accounts/people/attempt-limits.ts'
import {
  ATTEMPT_WINDOW_MS,
  MAX_ATTEMPTS_PER_NETWORK,
  MAX_ATTEMPTS_PER_PASSKEY,
  MAX_CHALLENGES_PER_NETWORK,
  MAX_UNKNOWN_PASSKEYS_PER_NETWORK,
} from '../../src/accounts/people/network-attempts.ts'
import {
  CHALLENGE_LIFETIME_MS,
  findRelyingParty,
  preloadWebAuthn,
} from '../../src/accounts/people/passkey-challenges.ts'
import { MAX_PASSKEYS_PER_PERSON } from '../../src/accounts/people/passkeys.ts'
import { PROOF_LIFETIME_MS } from '../../src/accounts/people/sessions.ts'
import { type Authenticator, type Lies, newAuthenticator } from './authenticator.ts'
import { type Answer, type Browser, PASSWORD, PUBLIC_URL, type Stand, startStand } from './stand.ts'

const PASSKEYS = '/console/settings/passkeys'
let stand: Stand
let account: number
let nextAddress = 1
before(async () => {
  stand = await startStand()
  account = await stand.account()
})
after(() => stand.close())

const unescaped = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
const optionsOf = (answer: Answer) => unescaped(/data-options="([^"]*)"/.exec(answer.text)?.[1] ?? '')
const rows = async () => {
  const tables = ['passkey', 'audit_entry']
  const all = await Promise.all(
    tables.map(name => stand.sql`select t::text from ${stand.sql(name)} t order by 1`),
  )
  // Without the session tokens, which change with each proof.
  const sessions =
    await stand.sql`select id, person_id, account_id, created_at from person_session order by 1`
  return JSON.stringify([...all, sessions])
}

const begin = async (browser: Browser, name = 'Phone') => {
  const page = await browser.post(PASSKEYS, { form: { name, password: PASSWORD } })
  assert.equal(page.status, 200)
  return optionsOf(page)
}

const add = async (browser: Browser, device: Authenticator, lies: Lies = {}, name = 'Phone') => {
  const answer = device.create(await begin(browser, name), lies)
  return browser.post(`${PASSKEYS}/made`, { form: { name, answer } })
}

/** From a new network each time, so that only the intended limits apply. */
const challenge = async (browser: Browser, from = `198.51.100.${nextAddress++ % 250}`) =>
  (await browser.post('/console/sign-in/passkey/options', { from })).text

const use = async (browser: Browser, answer: string, from = `203.0.113.${nextAddress++ % 250}`) =>
  browser.post('/console/sign-in/passkey', { form: { answer, next: '/console/keys' }, from })

const withPasskey = async () => {
  const browser = await stand.signedIn(account, 'owner')
  const device = newAuthenticator(PUBLIC_URL)
  assert.equal((await add(browser, device)).headers.location, PASSKEYS)
  return { browser, device }
}

describe('adding a passkey', () => {
  test('asks for the password, then the device; the passkey is listed by name and in the audit log', async () => {
    const browser = await stand.signedIn(account, 'viewer')
    const device = newAuthenticator(PUBLIC_URL)
    const options = JSON.parse(await begin(browser, 'Office <1>'))
    assert.equal(options.rp.id, 'carnet.example')
    assert.equal(options.authenticatorSelection.residentKey, 'required')
    assert.equal(options.authenticatorSelection.userVerification, 'required')
    assert.equal(Buffer.from(options.user.id, 'base64url').length, 16)
    assert.equal((await add(browser, device, {}, 'Office <1>')).status, 303)
    const page = await browser.get(PASSKEYS)
    assert.match(page.text, /Office &#60;1&#62;/)
    assert.match(page.text, /never used/)
    assert.match((await browser.get('/console/settings/audit')).text, /Added a passkey/)
    const [kept] = await stand.sql`select transports from passkey where credential_id = ${device.id}`
    assert.deepEqual(kept?.transports, ['internal'])
  })

  test('a wrong or missing password and an invalid name are shown at their fields; attempts are counted', async () => {
    const browser = await stand.signedIn(account, 'owner')
    const post = (form: Record<string, string>) => browser.post(PASSKEYS, { form })
    const empty = await post({ name: '', password: '' })
    assert.equal(empty.status, 422)
    assert.equal(empty.text.match(/aria-invalid/g)?.length, 2)
    assert.equal((await post({ name: 'x'.repeat(101), password: PASSWORD })).status, 422)
    for (let i = 0; i < MAX_ATTEMPTS_PER_SOURCE; i++) {
      const wrong = await post({ name: 'Phone', password: 'not it' })
      assert.equal(wrong.status, 422)
      assert.match(wrong.text, /That is not your password/)
    }
    const late = await post({ name: 'Phone', password: PASSWORD })
    assert.equal(late.status, 429)
    assert.equal(optionsOf(late), '')
  })

  const lies: Record<string, Lies> = {
    'another origin': { origin: 'https://evil.example' },
    'the same host by http': { origin: 'http://carnet.example' },
    'another host': { rpId: 'evil.example' },
    'another challenge': { challenge: Buffer.from('made up').toString('base64url') },
    'nobody there': { flags: 0b100 },
    'a person not verified': { flags: 0b001 },
    'another ceremony': { type: 'webauthn.get' },
  }
  for (const [name, lie] of Object.entries(lies)) {
    test(`${name}: rejected, nothing stored`, async () => {
      const browser = await stand.signedIn(account, 'owner')
      const before = await rows()
      const answer = await add(browser, newAuthenticator(PUBLIC_URL), lie)
      assert.equal(answer.status, 422)
      assert.match(answer.text, /The passkey was rejected/)
      assert.equal(await rows(), before)
    })
  }

  test('a challenge works once, for ten minutes, for the person who requested it', async () => {
    const [one, two] = [await stand.signedIn(account, 'owner'), await stand.signedIn(account, 'owner')]
    const made = (browser: Browser, answer: string) =>
      browser.post(`${PASSKEYS}/made`, { form: { name: 'Phone', answer } })
    const device = newAuthenticator(PUBLIC_URL)
    const mine = device.create(await begin(one))
    assert.equal((await made(two, mine)).status, 422)
    const again = device.create(await begin(one))
    assert.equal((await made(one, again)).status, 303)
    assert.equal((await made(one, again)).status, 422)
    const late = newAuthenticator(PUBLIC_URL).create(await begin(one))
    stand.clock.advance(CHALLENGE_LIFETIME_MS)
    assert.equal((await made(one, late)).status, 422)
    const signIn = await challenge(stand.browser())
    const user = { rp: { id: 'carnet.example' }, user: { id: 'AAAA' }, ...JSON.parse(signIn) }
    const other = newAuthenticator(PUBLIC_URL).create(JSON.stringify(user))
    assert.equal((await made(one, other)).status, 422)
  })

  test('a malformed response is rejected without a server error', async () => {
    const browser = await stand.signedIn(account, 'owner')
    for (const answer of ['', '{', 'null', '[]', '"x"', '{"id":1}', '{"response":{"clientDataJSON":"x"}}']) {
      const refused = await browser.post(`${PASSKEYS}/made`, { form: { name: 'Phone', answer } })
      assert.equal(refused.status, 422, answer)
    }
  })

  test('a person has at most twenty passkeys', async () => {
    const { browser } = await withPasskey()
    await stand.sql`
      insert into passkey (id, person_id, credential_id, public_key, counter, transports, name, created_at)
      select gen_random_uuid(), person_id, 'x' || n, '', 0, '{}', 'n', created_at
      from (select person_id, created_at from passkey order by id desc limit 1) p, generate_series(2, ${MAX_PASSKEYS_PER_PERSON}) n`
    const answer = await add(browser, newAuthenticator(PUBLIC_URL))
    assert.match(answer.text, /at most 20 passkeys/)
  })
})

test('a server loads the library before it serves anybody once somebody has a passkey', async () => {
  const isLoaded = () => preloadWebAuthn(stand)
  await stand.sql`delete from passkey`
  assert.equal(await isLoaded(), false)
  await withPasskey()
  assert.equal(await isLoaded(), true)
})

describe('signing in with a passkey', () => {
  test('starts a new session and redirects to the requested page; the use is recorded', async () => {
    const { device } = await withPasskey()
    const browser = stand.browser()
    const answer = await use(browser, device.get(await challenge(browser)))
    assert.equal(answer.status, 303)
    assert.equal(answer.headers.location, '/console/keys')
    assert.match(String(answer.headers['set-cookie']), /^__Host-carnet=[0-9A-Za-z]{43}; /)
    assert.equal((await browser.get('/console')).status, 200)
    assert.match((await browser.get(PASSKEYS)).text, /last used/)
  })

  const lies: Record<string, Lies> = {
    'another origin': { origin: 'https://evil.example' },
    'another host': { rpId: 'evil.example' },
    'a challenge of its own': { challenge: Buffer.from('made up').toString('base64url') },
    'another key': { forged: true },
    'a person not verified': { flags: 0b001 },
    'another person': { userHandle: Buffer.alloc(16).toString('base64url') },
    'another ceremony': { type: 'webauthn.create' },
  }
  for (const [name, lie] of Object.entries(lies)) {
    test(`${name}: rejected`, async () => {
      const { device } = await withPasskey()
      const before = await rows()
      const browser = stand.browser()
      const answer = await use(browser, device.get(await challenge(browser), lie))
      assert.equal(answer.status, 422)
      assert.match(answer.text, /This passkey is not registered here/)
      assert.equal(browser.cookie, undefined)
      assert.equal(await rows(), before)
    })
  }

  test('confirms a person’s identity only with their own passkey and a challenge for that purpose', async () => {
    const { browser, device } = await withPasskey()
    const { browser: other, device: foreign } = await withPasskey()
    stand.clock.advance(PROOF_LIFETIME_MS)
    const form = { name: 'Shop', scope: 'read', ends: 'never' }
    const asked = await browser.post('/console/keys', { form })
    assert.match(asked.text, /data-passkey="use"[^>]*data-options="\/console\/confirm\/passkey"/)
    const options = async (by = browser) => (await by.post('/console/confirm/passkey')).text
    assert.deepEqual(
      JSON.parse(await options()).allowCredentials.map((one: { id: string }) => one.id),
      [device.id],
    )
    const confirm = (answer: string) => browser.post('/console/keys', { form: { ...form, answer } })
    assert.equal((await confirm(device.get(await challenge(browser)))).status, 422, 'of a sign-in')
    assert.equal((await confirm(foreign.get(await options()))).status, 422, 'of another person')
    assert.equal((await confirm(device.get(await options(other)))).status, 422, 'asked for by another person')
    const before = browser.cookie
    assert.equal((await confirm(device.get(await options()))).headers.location, '/console/keys/shown')
    assert.notEqual(browser.cookie, before)
  })

  test('a repeated response, an old challenge and a counter that decreases are rejected', async () => {
    const { device } = await withPasskey()
    const browser = stand.browser()
    const answer = device.get(await challenge(browser))
    assert.equal((await use(browser, answer)).status, 303)
    assert.equal((await use(stand.browser(), answer)).status, 422)
    const old = await challenge(browser)
    stand.clock.advance(CHALLENGE_LIFETIME_MS)
    assert.equal((await use(stand.browser(), device.get(old))).status, 422)
    const copy = device.get(await challenge(browser), { counter: 1 })
    assert.equal((await use(stand.browser(), copy)).status, 422)
    assert.equal(
      (await use(stand.browser(), device.get(await challenge(browser), { counter: 9 }))).status,
      303,
    )
  })

  test('a removed or unknown passkey and a malformed response get the same page', async () => {
    const { browser, device } = await withPasskey()
    const id = /passkeys\/([0-9a-z]{26})"/.exec((await browser.get(PASSKEYS)).text)?.[1]
    assert.match((await browser.get(`${PASSKEYS}/${id}/remove`)).text, /Remove the passkey “Phone”\?/)
    assert.equal((await browser.post(`${PASSKEYS}/${id}/remove`)).status, 303)
    const stranger = newAuthenticator(PUBLIC_URL)
    const pages = [
      await use(stand.browser(), device.get(await challenge(browser))),
      await use(stand.browser(), stranger.get(await challenge(browser))),
      await use(stand.browser(), '{"id":"../../x"}'),
      await use(stand.browser(), 'nonsense'),
    ]
    for (const page of pages) assert.equal(page.text, pages[0]?.text)
    assert.equal(pages[0]?.status, 422)
  })

  test('works while the password is blocked by failed attempts, and not for people who left the account', async () => {
    const { device } = await withPasskey()
    const browser = stand.browser()
    const [person] = await stand.sql`
      select p.email, p.id from person p join passkey k on k.person_id = p.id where k.credential_id = ${device.id}`
    const form = { email: String(person?.email), password: 'wrong' }
    for (let i = 0; i <= MAX_ATTEMPTS_PER_SOURCE; i++) await browser.post('/console/sign-in', { form })
    assert.equal(
      (await browser.post('/console/sign-in', { form: { ...form, password: PASSWORD } })).status,
      429,
    )
    assert.equal((await use(browser, device.get(await challenge(browser)))).status, 303)
    await stand.sql`delete from membership where person_id = ${person?.id ?? ''}`
    assert.equal((await use(stand.browser(), device.get(await challenge(browser)))).status, 422)
  })

  test('works in a network that has used up its passwords, and unknown passkeys', async () => {
    const { device } = await withPasskey()
    const { device: foreign } = await withPasskey()
    const from = '192.0.2.210'
    const guess = (n: number) =>
      stand
        .browser()
        .post('/console/sign-in', { form: { email: `n${n}@guess.example`, password: 'x' }, from })
    for (let n = 0; n < MAX_ATTEMPTS_PER_NETWORK; n++) assert.equal((await guess(n)).status, 422)
    assert.equal((await guess(MAX_ATTEMPTS_PER_NETWORK)).status, 429)
    for (let i = 0; i < MAX_UNKNOWN_PASSKEYS_PER_NETWORK; i++)
      assert.equal(
        (await use(stand.browser(), JSON.stringify({ id: `nobody-${i}`, response: {} }), from)).status,
        422,
      )
    assert.equal((await use(stand.browser(), 'x', from)).status, 429)
    // Failed attempts with a registered passkey count for that passkey alone.
    const forged = foreign.get(await challenge(stand.browser()), { forged: true })
    for (let i = 0; i < MAX_ATTEMPTS_PER_PASSKEY; i++)
      assert.equal((await use(stand.browser(), forged, from)).status, 422)
    assert.equal(
      (await use(stand.browser(), foreign.get(await challenge(stand.browser())), from)).status,
      429,
    )
    assert.equal((await use(stand.browser(), foreign.get(await challenge(stand.browser())))).status, 303)
    assert.equal((await use(stand.browser(), device.get(await challenge(stand.browser())), from)).status, 303)
  })

  test('attempts and challenges are limited per network', async () => {
    const browser = stand.browser()
    const from = '192.0.2.200'
    for (let i = 0; i < MAX_UNKNOWN_PASSKEYS_PER_NETWORK; i++)
      assert.equal((await use(browser, 'x', from)).status, 422)
    const late = await use(browser, 'x', from)
    assert.equal(late.status, 429)
    assert.ok(Number(late.headers['retry-after']) <= ATTEMPT_WINDOW_MS / 1000)
    const ask = () => browser.post('/console/sign-in/passkey/options', { from: '192.0.2.201' })
    for (let i = 0; i < MAX_CHALLENGES_PER_NETWORK; i++) assert.equal((await ask()).status, 200)
    assert.equal((await ask()).status, 429)
    stand.clock.advance(ATTEMPT_WINDOW_MS)
    assert.equal((await ask()).status, 200)
    const [left] = await stand.sql`select count(*)::int as n from passkey_challenge`
    assert.ok(Number(left?.n) <= MAX_CHALLENGES_PER_NETWORK - 90, 'old ones go with each new one')
  })
})

describe('where passkeys work', () => {
  test('only on localhost, and on a host name with https', () => {
    assert.deepEqual(findRelyingParty('https://carnet.example/base'), {
      rpId: 'carnet.example',
      origin: 'https://carnet.example',
    })
    assert.deepEqual(findRelyingParty('http://localhost:3000'), {
      rpId: 'localhost',
      origin: 'http://localhost:3000',
    })
    assert.equal(findRelyingParty('https://localhost')?.rpId, 'localhost')
    for (const url of [
      'http://carnet.example',
      'http://192.168.1.9:3000',
      'https://192.0.2.1',
      'https://[::1]',
    ]) {
      assert.equal(findRelyingParty(url), undefined, url)
    }
  })

  test('at another host the page says so and offers no passkeys', async () => {
    const plain = await startStand('http://192.168.1.9:3000')
    try {
      const browser = await plain.signedIn(await plain.account(), 'owner')
      assert.match((await browser.get(PASSKEYS)).text, /Passkeys need a host name and https/)
      assert.equal((await browser.post(PASSKEYS, { form: { name: 'x', password: PASSWORD } })).status, 404)
      assert.doesNotMatch((await plain.browser().get('/console/sign-in')).text, /passkey/i)
      assert.equal((await plain.browser().post('/console/sign-in/passkey/options')).status, 404)
    } finally {
      await plain.close()
    }
  })
})
