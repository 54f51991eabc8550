/**
 * Tests the link by e-mail that makes a browser known: it lets the right password pass while others guess,
 * signs nobody in, and reveals nothing.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MAX_ATTEMPTS_PER_SOURCE, MAX_LINKS_PER_EMAIL } from '../../src/accounts/people/attempt-limits.ts'
import {
  BROWSER_LINK_LIFETIME_MS,
  createBrowserLink,
  createBrowserLinkByOperator,
} from '../../src/accounts/people/browser-links.ts'
import {
  ATTEMPT_WINDOW_MS,
  MAX_ATTEMPTS_PER_NETWORK,
  MAX_LINK_REQUESTS_PER_NETWORK,
} from '../../src/accounts/people/network-attempts.ts'
import { type Browser, OWN, PASSWORD, type Stand, startStand } from './stand.ts'

const NETWORKS = 30
const REQUEST = '/console/sign-in/link'
const USE = '/console/known-browser'
let stand: Stand
before(async () => {
  stand = await startStand()
})
after(() => stand.close())

let nextNetwork = 1
const newNetwork = () => `203.0.113.${nextNetwork++}`
const newOwner = async (on = stand) => on.person(await on.account(), 'owner')
const signIn = (browser: Browser, email: string, from: string, password = PASSWORD) =>
  browser.post('/console/sign-in', { form: { email, password }, from })
const ask = (email: string, from = newNetwork(), headers: Record<string, string> = OWN) =>
  stand.browser().post(REQUEST, { form: { email }, from, headers })
const tokenIn = (text: string | undefined) =>
  /https:\/\/carnet\.example\/console\/known-browser\?token=([0-9A-Za-z]{43})\n/.exec(text ?? '')?.[1] ?? ''
const use = (browser: Browser, token: string) => browser.post(USE, { form: { token } })
const withLink = async () => {
  const email = await newOwner()
  await ask(email)
  const [letter] = await stand.letters()
  assert.equal(letter?.to, email)
  return { email, letter, token: tokenIn(letter?.text) }
}
const plain = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
/** Until the requests have been answered, further attempts for the e-mail wait behind them. */
const guessFromAll = (email: string) =>
  Array.from({ length: NETWORKS }, (_, n) =>
    Promise.all(Array.from({ length: 3 }, () => signIn(stand.browser(), email, `198.51.100.${n}`, 'wrong'))),
  )

describe('while thirty networks guess', () => {
  test('the sign-in is held back with an offer; the link then lets only the right password pass, and only there', async () => {
    const email = await newOwner()
    const browser = stand.browser()
    const guesses = guessFromAll(email)
    const heldBack = await signIn(browser, email, newNetwork())
    assert.equal(heldBack.status, 503)
    assert.match(heldBack.text, /<form method="post" action="\/console\/sign-in\/link"/)
    assert.ok(plain(heldBack.text).includes(`name="email" value="${email}"`))
    assert.ok(!heldBack.text.includes(PASSWORD))
    assert.equal((await ask(email)).status, 200)
    const token = tokenIn((await stand.letters())[0]?.text)
    const made = await use(browser, token)
    assert.deepEqual([made.status, made.headers.location], [303, '/console/sign-in?known'])
    assert.equal(browser.cookie, undefined, 'nobody is signed in')
    assert.equal((await browser.get('/console')).status, 303)
    assert.match((await browser.get('/console/sign-in?known')).text, /This browser is known now/)
    await Promise.all(guesses)
    const more = guessFromAll(email)
    const network = '198.51.100.1'
    assert.equal((await signIn(browser, email, network, 'wrong')).status, 422)
    const elsewhere = signIn(stand.browser(), email, newNetwork())
    assert.equal((await signIn(browser, email, network)).status, 303)
    await Promise.all([elsewhere, ...more])
  })

  test('an unknown e-mail gets the same offer', async () => {
    const pages = []
    for (const email of [await newOwner(), 'nobody@testmarke.example']) {
      const from = newNetwork()
      for (let n = 0; n < MAX_ATTEMPTS_PER_SOURCE; n++) await signIn(stand.browser(), email, from, 'wrong')
      const { status, text } = await signIn(stand.browser(), email, from)
      assert.match(text, /action="\/console\/sign-in\/link"/)
      pages.push([status, plain(text).replaceAll(email, 'E')])
    }
    assert.deepEqual(pages[0], pages[1])
  })

  test('a known browser at its own limit gets no offer, nor a text that is no e-mail', async () => {
    const email = await newOwner()
    const browser = stand.browser()
    const from = newNetwork()
    assert.equal((await signIn(browser, email, from)).status, 303)
    await browser.post('/console/sign-out')
    for (const [typed, by] of [
      [email, browser],
      ['nobody', stand.browser()],
    ] as const) {
      for (let n = 0; n < MAX_ATTEMPTS_PER_SOURCE; n++) await signIn(by, typed, from, 'wrong')
      const answer = await signIn(by, typed, from)
      assert.equal(answer.status, 429)
      assert.ok(!answer.text.includes(REQUEST))
    }
  })

  test('somebody who guesses in the same network holds back neither the request nor the known browser', async () => {
    const email = await newOwner()
    const from = newNetwork()
    const guess = (n: number) => signIn(stand.browser(), `n${n}@guess.example`, from, 'wrong')
    for (let n = 0; n < MAX_ATTEMPTS_PER_NETWORK; n++) assert.equal((await guess(n)).status, 422)
    const browser = stand.browser()
    const refused = await signIn(browser, email, from)
    assert.equal(refused.status, 429)
    assert.ok(refused.text.includes(REQUEST))
    assert.equal((await ask(email, from)).status, 200)
    assert.equal((await use(browser, tokenIn((await stand.letters())[0]?.text))).status, 303)
    assert.equal((await signIn(browser, email, from)).status, 303)
  })
})

describe('the link', () => {
  test('works once, in one browser; opening it does not use it up and moves the token out of the address', async () => {
    const { email, token } = await withLink()
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const [first, second] = [stand.browser(), stand.browser()]
    for (const browser of [first, second]) {
      const moved = await browser.get(`${USE}?token=${token}`, { headers })
      assert.deepEqual([moved.status, moved.headers.location], [303, USE])
      const page = await browser.get(USE, { headers })
      assert.ok(plain(page.text).includes(email))
      assert.equal(page.headers['cache-control'], 'no-store')
      assert.ok(!browser.others.has('carnet-device'), 'opening changes nothing')
    }
    assert.equal((await use(first, token)).status, 303)
    assert.ok(first.others.get('carnet-device')?.value?.startsWith('__Host-carnet-device='))
    const again = await use(second, token)
    assert.equal(again.status, 404)
    assert.match(again.text, /<h1>This link no longer works<\/h1>/)
    assert.ok(!second.others.has('carnet-device'))
    assert.equal((await second.get(USE, { headers })).status, 404)
    // The second browser's attempts still count with those of its network.
    const from = newNetwork()
    for (let n = 0; n < MAX_ATTEMPTS_PER_SOURCE; n++) await signIn(stand.browser(), email, from, 'wrong')
    assert.equal((await signIn(second, email, from)).status, 429)
    assert.equal((await signIn(first, email, from)).status, 303)
  })

  test('ends after half an hour, and its row goes with the next one', async () => {
    const { email, token } = await withLink()
    stand.clock.advance(BROWSER_LINK_LIFETIME_MS - 1)
    assert.equal((await stand.browser().get(`${USE}?token=${token}`)).status, 200)
    stand.clock.advance(1)
    assert.equal((await stand.browser().get(`${USE}?token=${token}`)).status, 404)
    assert.equal((await use(stand.browser(), token)).status, 404)
    const next = await createBrowserLink(stand.ctx, email)
    const rows = await stand.sql<{ hash: string }[]>`select hash from browser_link`
    assert.equal(rows.length, 1)
    assert.ok(next !== undefined && !rows[0]?.hash.includes(next.token), 'only a hash is stored')
  })

  test('sets no password, and a link for a password makes no browser known', async () => {
    const { email, token } = await withLink()
    const set = await stand
      .browser()
      .post('/console/set-password', { form: { token, password: 'twelve grey herons instead' } })
    assert.equal(set.status, 404)
    await stand.browser().post('/console/forgotten-password', { form: { email }, from: newNetwork() })
    const reset = /set-password\?token=(\w{43})/.exec((await stand.letters())[0]?.text ?? '')?.[1] ?? ''
    assert.equal((await use(stand.browser(), reset)).status, 404)
    assert.equal((await use(stand.browser(), token)).status, 303)
  })

  test('that is malformed is an ordinary ended link', async () => {
    for (const token of ['', 'x', 'x\0', '%', '\ud800', 'a'.repeat(9_000), "' or 1=1 --"]) {
      assert.equal((await use(stand.browser(), token)).status, 404)
    }
    for (const query of ['token=x%00', 'token=%ff', 'token=%ED%A0%80', 'token=x%4', 'token', 'known']) {
      assert.equal((await stand.browser().get(`${USE}?${query}`)).status, 404)
    }
  })

  test('is in the audit log when it is asked for and when it is used, in the language of who asked', async () => {
    const accountId = await stand.account()
    const email = await stand.person(accountId, 'viewer')
    await ask(email, newNetwork(), { ...OWN, 'accept-language': 'de' })
    const [letter] = await stand.letters()
    assert.equal(letter?.subject, 'Ihre Anmeldung bei Carnet wird aufgehalten')
    assert.match(String(letter?.head), /Auto-Submitted: auto-generated/i)
    await use(stand.browser(), tokenIn(letter?.text))
    const rows = await stand.sql<{ action: string }[]>`
      select action from audit_entry where account_id = ${accountId} and action like 'browser%' order by id`
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['browser_link_asked', 'browser_made_known'],
    )
  })
})

describe('asking for a link', () => {
  test('gets the same answer for every e-mail, before anything is looked up', async () => {
    const email = await newOwner()
    const gone = await newOwner()
    await stand.sql`delete from membership where person_id = (select id from person where email = ${gone})`
    // While this lock is held, no look-up of a person ends. So no answer waits for one.
    const pages = await stand.sql.begin(async sql => {
      await sql`lock table person in access exclusive mode`
      const answers = []
      for (const address of [email, gone, 'nobody@testmarke.example']) {
        const { status, text, headers } = await ask(address)
        answers.push([status, plain(text).replaceAll(address, 'E'), Object.keys(headers).sort()])
      }
      return answers
    })
    assert.deepEqual(pages[0], pages[1])
    assert.deepEqual(pages[0], pages[2])
    assert.deepEqual(
      (await stand.letters()).map(({ to }) => to),
      [email],
    )
  })

  test('is limited by e-mail in a network, and e-mails are limited in all; strangers end no link', async () => {
    const email = await newOwner()
    for (const address of [email, 'stranger@testmarke.example']) {
      const from = newNetwork()
      for (let n = 0; n < MAX_LINKS_PER_EMAIL; n++) assert.equal((await ask(address, from)).status, 200)
      const late = await ask(address, from)
      assert.equal(late.status, 429)
      assert.equal(late.headers['retry-after'], String(ATTEMPT_WINDOW_MS / 1000))
      assert.match(late.text, /Each link of the last 30 minutes still works/)
    }
    assert.equal((await ask(email)).status, 200, 'a person elsewhere gets the usual answer')
    const letters = await stand.letters()
    assert.equal(letters.length, MAX_LINKS_PER_EMAIL)
    for (const { text } of letters) assert.equal((await use(stand.browser(), tokenIn(text))).status, 303)
  })

  test('is limited by network', async () => {
    const from = newNetwork()
    for (let n = 0; n < MAX_LINK_REQUESTS_PER_NETWORK; n++) await ask(`n${n}@testmarke.example`, from)
    assert.equal((await ask(await newOwner(), from)).status, 429)
  })

  test('shows an invalid e-mail at its field', async () => {
    for (const email of ['', 'nobody', 'a\0@b.example', 'a@b\r\nBcc: c@d.example', '<script>@b.example']) {
      const answer = await ask(email)
      assert.equal(answer.status, 422)
      assert.match(answer.text, /aria-invalid="true"/)
      assert.doesNotMatch(answer.text, /<script>@/)
    }
    assert.deepEqual(await stand.letters(), [])
  })
})

test('without a mail server, a link of the operator lets the right password pass while others guess', async () => {
  const bare = await startStand(undefined, { hasMail: false })
  try {
    const email = await newOwner(bare)
    const browser = bare.browser()
    const from = newNetwork()
    for (let n = 0; n < MAX_ATTEMPTS_PER_SOURCE; n++) await signIn(bare.browser(), email, from, 'wrong')
    assert.equal((await signIn(browser, email, from)).status, 429)
    const { token } = await createBrowserLinkByOperator(bare.ctx, { email })
    assert.equal((await use(browser, token)).status, 303)
    assert.equal((await use(bare.browser(), token)).status, 404)
    assert.equal(browser.cookie, undefined, 'nobody is signed in')
    assert.equal((await signIn(browser, email, from, 'wrong')).status, 422)
    assert.equal((await signIn(browser, email, from)).status, 303)
  } finally {
    await bare.close()
  }
})

test('without a mail server, the page says what else works, and creates no link', async () => {
  const bare = await startStand(undefined, { hasMail: false })
  try {
    const email = await newOwner(bare)
    for (const [language, words] of [
      ['en', [/Passkeys are not held back/, /carnet users browser-link --email/]],
      ['de', [/Passkeys werden nicht aufgehalten/, /carnet users browser-link --email/]],
    ] as const) {
      const headers = { ...OWN, 'accept-language': language }
      const from = newNetwork()
      for (let n = 0; n < MAX_ATTEMPTS_PER_SOURCE; n++) await signIn(bare.browser(), email, from, 'wrong')
      const refused = await bare
        .browser()
        .post('/console/sign-in', { form: { email, password: PASSWORD }, from, headers })
      const asked = await bare.browser().post(REQUEST, { form: { email }, headers })
      assert.deepEqual([refused.status, asked.status], [429, 200])
      for (const { text } of [refused, asked]) {
        for (const word of words) assert.match(text, word)
        assert.ok(!text.includes(`action="${REQUEST}"`))
      }
    }
    const [links] = await bare.sql`select count(*)::int as n from browser_link`
    assert.equal(links?.n, 0)
  } finally {
    await bare.close()
  }
})
