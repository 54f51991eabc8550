/** Tests the console's main paths: from the set-up link to a working key, and the content of the pages. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { authenticate } from '../../src/accounts/keys/authenticate.ts'
import { MAX_ATTEMPTS_PER_SOURCE } from '../../src/accounts/people/attempt-limits.ts'
import { ATTEMPT_WINDOW_MS, MAX_ATTEMPTS_PER_NETWORK } from '../../src/accounts/people/network-attempts.ts'
import {
  buildSetPasswordUrl,
  buildSetUpUrl,
  createSetUpLink,
} from '../../src/accounts/people/one-time-links.ts'
import { createPerson, resetPassword } from '../../src/accounts/people/people.ts'
import { SESSION_LIFETIME_MS } from '../../src/accounts/people/sessions.ts'
import { type Answer, type Browser, PASSWORD, type Stand, startStand } from './stand.ts'

let stand: Stand
before(async () => {
  stand = await startStand()
})
after(() => stand.close())

const pathOf = (url: string) => url.replace(/^https:\/\/[^/]+/, '')
const hidden = (answer: Answer, name: string) =>
  new RegExp(`<input type="hidden" name="${name}" value="([^"]*)"`).exec(answer.text)?.[1] ?? ''
const shownKey = (answer: Answer) => /dpp_live_[0-9A-Za-z]{42}/.exec(answer.text)?.[0] ?? ''

describe('set-up', () => {
  test('the link leads to a working API key, with every possible mistake on the way', async () => {
    const token = await createSetUpLink(stand.ctx)
    assert.ok(token)
    const path = pathOf(buildSetUpUrl('https://carnet.example', token))
    const owner = stand.browser()
    const page = await owner.get(path)
    assert.equal(page.status, 200)
    assert.match(page.text, /12 to 128 characters/)
    assert.equal(hidden(page, 'token'), token)

    const wrong = await owner.post('/console/set-up', {
      form: { token, name: '', email: 'nobody', password: 'short' },
    })
    assert.equal(wrong.status, 422)
    for (const sentence of ['Fill this in.', 'That is not an e-mail address.', 'at least 12 characters']) {
      assert.ok(wrong.text.includes(sentence), sentence)
    }
    assert.match(wrong.text, /<div class="summary" role="alert" tabindex="-1" autofocus>/)
    assert.match(wrong.text, /<a [^>]*href="#email">E-mail: That is not/)
    assert.match(wrong.text, /id="email"[^>]*aria-describedby="email-error" aria-invalid="true"/)
    assert.doesNotMatch(wrong.text, /short"/)

    const form = { token, name: 'Moor & <Marsch>', email: 'Owner@Moor.example', password: PASSWORD }
    const made = await owner.post('/console/set-up', { form })
    assert.equal(made.status, 303)
    assert.equal(made.headers.location, '/console')
    assert.match(
      [made.headers['set-cookie']].flat()[0] ?? '',
      /^__Host-carnet=[0-9A-Za-z]{43}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax; Secure$/,
    )
    const home = await owner.get('/console')
    assert.equal(home.status, 200)
    assert.match(home.text, /<h1>Moor &#38; &#60;Marsch&#62;<\/h1>/)
    assert.match(home.text, /0 of 50,000/)
    assert.match(home.text, /There are no passports yet/)

    for (const again of [
      await stand.browser().get(path),
      await stand.browser().post('/console/set-up', { form }),
    ]) {
      assert.equal(again.status, 404)
      assert.match(again.text, /This link no longer works/)
    }

    const sent = await owner.post('/console/keys', { form: { name: 'Shop', scope: 'full', ends: '30' } })
    assert.deepEqual([sent.status, sent.headers.location], [303, '/console/keys/shown'])
    const shown = await owner.get('/console/keys/shown')
    assert.equal(shown.status, 200)
    const key = shownKey(shown)
    assert.ok(shown.text.includes(`Bearer ${key}`))
    assert.match(shown.text, /<dd>Read and change everything in this account that the API offers<\/dd>/)
    const holder = await authenticate(stand.sql, key, stand.clock.now())
    assert.equal(holder?.scope, 'full')
    const reloaded = await owner.get('/console/keys/shown')
    assert.deepEqual([reloaded.status, reloaded.headers.location], [303, '/console/keys'])
    const list = await owner.get('/console/keys')
    assert.equal(shownKey(list), '')
    assert.ok(list.text.includes(`dpp_live_…${key.slice(-4)}`))
    assert.match(list.text, /by owner@moor\.example/)
    assert.match(list.text, /21 Dec 2026/)

    const id = /\/console\/keys\/([0-9a-z]{26})\/revoke/.exec(list.text)?.[1] ?? ''
    const sure = await owner.get(`/console/keys/${id}/revoke`)
    assert.match(sure.text, /Revoke “Shop”\?/)
    for (const _ of [1, 2]) {
      const revoked = await owner.post(`/console/keys/${id}/revoke`)
      assert.equal(revoked.headers.location, '/console/keys')
    }
    assert.equal((await owner.get(`/console/keys/${id}/revoke`)).headers.location, '/console/keys')
    stand.clock.advance(2_000)
    assert.equal(await authenticate(stand.sql, key, stand.clock.now()), undefined)
    const ended = await owner.get('/console/keys')
    assert.match(ended.text, /No keys are in use/)
    assert.match(ended.text, /Revoked and expired keys \(1\)/)

    const entries = await stand.sql`
      select e.action, a.label from audit_entry e join actor a on a.account_id = e.account_id and a.id = e.actor order by e.id`
    assert.deepEqual(entries.map(entry => entry.action).sort(), [
      'account_set_up',
      'account_verified',
      'key_created',
      'key_revoked',
      'password_set',
      'signed_in',
    ])
    assert.ok(entries.every(entry => entry.label === 'owner@moor.example'))
  })

  test('two concurrent owners: only one creates an account', async () => {
    assert.equal(await createSetUpLink(stand.ctx), undefined)
  })
})

describe('set-password', () => {
  test('opening the link does not use it up, the e-mail is shown, a weak password is rejected, then the person is signed in', async () => {
    const accountId = await stand.account()
    const { token } = await createPerson(stand.ctx, {
      accountId,
      email: 'neu@testmarke.example',
      role: 'viewer',
    })
    const path = pathOf(buildSetPasswordUrl('https://carnet.example', token))
    const browser = stand.browser()
    for (const _ of [1, 2]) assert.match((await browser.get(path)).text, /value="neu@testmarke\.example"/)
    const weak = { token, password: 'password12345' }
    const refused = await browser.post('/console/set-password', { form: weak })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /one of the most common/)
    const set = await browser.post('/console/set-password', { form: { token, password: PASSWORD } })
    assert.equal(set.headers.location, '/console')
    assert.equal((await browser.get('/console')).status, 200)
    assert.equal((await browser.get(path)).status, 404)
    assert.equal(
      (await browser.post('/console/set-password', { form: { token, password: PASSWORD } })).status,
      404,
    )
  })
})

describe('sign-in', () => {
  test('starts a new session, ends the previous one, and sign-out ends it permanently', async () => {
    const accountId = await stand.account()
    const email = await stand.person(accountId, 'owner')
    const browser = stand.browser()
    browser.cookie = `__Host-carnet=${'a'.repeat(43)}`
    await browser.post('/console/sign-in', { form: { email, password: PASSWORD } })
    const first = browser.cookie
    assert.notEqual(first, `__Host-carnet=${'a'.repeat(43)}`)
    assert.equal((await browser.get('/console/sign-in')).headers.location, '/console')
    await browser.post('/console/sign-in', { form: { email, password: PASSWORD } })
    const second = browser.cookie
    assert.notEqual(second, first)
    assert.equal((await withCookie(first).get('/console')).status, 303)
    assert.equal((await withCookie(second).get('/console')).status, 200)
    const out = await browser.post('/console/sign-out')
    assert.equal(out.headers.location, '/console/sign-in?signed-out')
    assert.match(String(out.headers['set-cookie']), /^__Host-carnet=; .*Max-Age=0/)
    assert.equal((await withCookie(second).get('/console')).status, 303)
    const [stored] =
      await stand.sql`select count(*)::int as n from person_session where hash = ${String(second).split('=')[1] ?? ''}`
    assert.equal(stored?.n, 0)
  })

  test('redirects to the requested page, and never to another site', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const sent = await stand.browser().get('/console/keys?a=1')
    assert.equal(sent.headers.location, '/console/sign-in?next=%2Fconsole%2Fkeys%3Fa%3D1')
    assert.equal(
      hidden(await stand.browser().get(String(sent.headers.location)), 'next'),
      '/console/keys?a&#61;1',
    )
    const after = async (next: string) =>
      (await stand.browser().post('/console/sign-in', { form: { email, password: PASSWORD, next } })).headers
        .location
    assert.equal(await after('/console/keys?a=1'), '/console/keys?a=1')
    for (const next of [
      '//evil.example',
      'https://evil.example/console',
      '/\\evil.example',
      '/console/../p/x',
      '/consoles',
      'x',
    ]) {
      assert.equal(await after(next), '/console', next)
      const shown = await stand.browser().get(`/console/sign-in?${new URLSearchParams({ next })}`)
      assert.doesNotMatch(shown.text, /evil/)
    }
  })

  test('an unknown e-mail and a wrong password get the same page', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const ask = async (address: string) => {
      const answer = await stand
        .browser()
        .post('/console/sign-in', { form: { email: address, password: 'not the one at all' } })
      return [answer.status, answer.text.replaceAll(address, 'E')]
    }
    assert.deepEqual(await ask(email), await ask('nobody@testmarke.example'))
  })

  test('too many attempts for an e-mail from one network: 429 with the time to wait; then it works again', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const ask = (password: string, from: string) =>
      stand.browser().post('/console/sign-in', { form: { email, password }, from })
    for (let i = 0; i < MAX_ATTEMPTS_PER_SOURCE; i++)
      assert.equal((await ask('wrong', '192.0.2.99')).status, 422)
    stand.clock.advance(60_000)
    const late = await ask(PASSWORD, '192.0.2.99')
    assert.equal(late.status, 429)
    assert.match(late.text, /Try again in 14 minutes\./)
    assert.equal(late.headers['retry-after'], String(ATTEMPT_WINDOW_MS / 1000 - 60))
    stand.clock.advance(ATTEMPT_WINDOW_MS)
    assert.equal((await ask(PASSWORD, '192.0.2.99')).status, 303)
    const [left] = await stand.sql`select count(*)::int as n from sign_in_attempt`
    assert.equal(left?.n, 0)
  })

  test('concurrent attempts are all counted', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const all = await Promise.all(
      Array.from({ length: MAX_ATTEMPTS_PER_SOURCE + 5 }, () =>
        stand
          .browser()
          .post('/console/sign-in', { form: { email, password: 'wrong' }, from: '198.51.100.1' }),
      ),
    )
    assert.equal(all.filter(answer => answer.status === 429).length, 5)
  })

  test('a new password from a link signs in although attempts were blocked, and the browser is known from then on', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    const browser = stand.browser()
    const ask = (password: string) => browser.post('/console/sign-in', { form: { email, password } })
    for (let i = 0; i <= MAX_ATTEMPTS_PER_SOURCE; i++) await ask('wrong')
    assert.equal((await ask(PASSWORD)).status, 429)
    const { token } = await resetPassword(stand.ctx, { email })
    const password = 'twelve grey herons instead'
    assert.equal((await browser.post('/console/set-password', { form: { token, password } })).status, 303)
    await browser.post('/console/sign-out')
    assert.equal((await ask(password)).status, 303)
  })

  test('too many attempts from one network: 429 there, not elsewhere', async () => {
    const ask = (n: number, from: string) =>
      stand
        .browser()
        .post('/console/sign-in', { form: { email: `n${n}@testmarke.example`, password: 'x' }, from })
    let refused = 0
    for (let n = 0; n < MAX_ATTEMPTS_PER_NETWORK + 3; n++) {
      if ((await ask(n, `2001:db8:1:2::${n.toString(16)}`)).status === 429) refused++
    }
    assert.equal(refused, 3)
    assert.equal((await ask(999, '2001:db8:1:3::1')).status, 422)
  })
})

describe('a session', () => {
  test('lasts fourteen days from its last use, then ends', async () => {
    const browser = await stand.signedIn(await stand.account(), 'owner')
    assert.equal((await browser.get('/console')).headers['set-cookie'], undefined)
    stand.clock.advance(SESSION_LIFETIME_MS - 1_000)
    assert.match(String((await browser.get('/console')).headers['set-cookie']), /Max-Age=1209600/)
    stand.clock.advance(SESSION_LIFETIME_MS - 1_000)
    assert.equal((await browser.get('/console')).status, 200)
    stand.clock.advance(SESSION_LIFETIME_MS)
    assert.equal((await browser.get('/console')).status, 303)
  })

  test('ends with the membership, and follows a change of role', async () => {
    const accountId = await stand.account()
    const browser = await stand.signedIn(accountId, 'owner')
    await stand.sql`update membership set role = 'viewer' where account_id = ${accountId}`
    assert.equal(
      (await browser.post('/console/keys', { form: { name: 'x', scope: 'full', ends: 'never' } })).status,
      403,
    )
    assert.match((await browser.get('/console/keys')).text, /Only owners can create and revoke keys/)
    await stand.sql`delete from membership where account_id = ${accountId}`
    assert.equal((await browser.get('/console')).status, 303)
  })

  test('switches to another account of the same person', async () => {
    const one = await stand.account({ name: 'Eins' })
    const two = await stand.account({ name: 'Zwei', plan: 'free' })
    const email = await stand.person(one, 'owner')
    await createPerson(stand.ctx, { accountId: two, email, role: 'viewer' })
    const browser = stand.browser()
    await browser.post('/console/sign-in', { form: { email, password: PASSWORD } })
    assert.match((await browser.get('/console')).text, /<h1>Eins<\/h1>[\s\S]*Go to Zwei/)
    await browser.post('/console/account', { form: { account: String(two) } })
    const home = await browser.get('/console')
    assert.match(home.text, /<h1>Zwei<\/h1>/)
    assert.match(home.text, /The plan of this account does not include the API\./)
    assert.match(home.text, /0; not included in the plan/)
  })
})

describe('API keys', () => {
  test('errors are shown at their fields; a plan without the API cannot create keys', async () => {
    const owner = await stand.signedIn(await stand.account(), 'owner')
    for (const form of [
      { name: '', scope: 'full', ends: 'never' },
      { name: 'a\nb', scope: 'full', ends: 'never' },
      { name: 'Shop\u202eknil', scope: 'full', ends: 'never' },
      { name: 'x'.repeat(101), scope: 'full', ends: 'never' },
      { name: 'x', scope: 'all', ends: 'never' },
      { name: 'x', scope: '', ends: 'never' },
      { name: 'x', scope: 'read', ends: '' },
      { name: 'x', scope: 'full', ends: '31' },
      { name: 'x' },
    ]) {
      const answer = await owner.post('/console/keys', { form })
      assert.equal(answer.status, 422, JSON.stringify(form))
      assert.match(answer.text, /aria-invalid="true"/)
    }
    const free = await stand.signedIn(await stand.account({ plan: 'free' }), 'owner')
    assert.equal(
      (await free.post('/console/keys', { form: { name: 'x', scope: 'full', ends: 'never' } })).status,
      403,
    )
    assert.doesNotMatch((await free.get('/console/keys')).text, /Create the key/)
  })
})

describe('a new key on its way to the page that shows it', () => {
  const NEW = { form: { name: 'Shop', scope: 'read', ends: 'never' } }

  test('travels in a cookie for that page only, and is shown to its own account, once', async () => {
    const account = await stand.account()
    const owner = await stand.signedIn(account, 'owner')
    const made = await owner.post('/console/keys', NEW)
    assert.match(
      [made.headers['set-cookie'] ?? ''].flat().at(-1) ?? '',
      /^__Secure-carnet-key=[\w-]{100,}; Path=\/console\/keys\/shown; HttpOnly; SameSite=Strict; Secure$/,
    )
    const stranger = await stand.signedIn(await stand.account(), 'owner')
    const copied = owner.keyCookie
    // The cookie opens nothing in another account or in another session of the same account.
    const colleague = await stand.signedIn(account, 'owner')
    colleague.keyCookie = copied
    assert.equal((await colleague.get('/console/keys/shown')).headers.location, '/console/keys')
    stranger.keyCookie = copied
    assert.equal((await stranger.get('/console/keys/shown')).headers.location, '/console/keys')
    assert.match((await owner.get('/console/keys/shown')).text, /dpp_live_/)
    assert.equal(owner.keyCookie, undefined)
    for (const cookie of [
      undefined,
      '__Secure-carnet-key=',
      '__Secure-carnet-key=x.y',
      `__Secure-carnet-key=${'0'.repeat(90)}`,
      copied?.replace('__Secure-', ''),
    ]) {
      owner.keyCookie = cookie
      assert.equal((await owner.get('/console/keys/shown')).headers.location, '/console/keys')
    }
    const [row] = await stand.sql`select count(*)::int as n from api_key where account_id = ${account}`
    assert.equal(row?.n, 1)
  })

  test('replacing a key shows the new one, the old one ends in a day, and sending the form twice has no effect', async () => {
    const account = await stand.account()
    const owner = await stand.signedIn(account, 'owner')
    await owner.post('/console/keys', NEW)
    const old = shownKey(await owner.get('/console/keys/shown'))
    const list = await owner.get('/console/keys')
    const id = /\/console\/keys\/([0-9a-z]{26})\/rotate/.exec(list.text)?.[1] ?? ''
    assert.match((await owner.get(`/console/keys/${id}/rotate`)).text, /Replace “Shop”\?/)
    const sent = await owner.post(`/console/keys/${id}/rotate`)
    assert.deepEqual([sent.status, sent.headers.location], [303, '/console/keys/shown'])
    const made = shownKey(await owner.get('/console/keys/shown'))
    assert.notEqual(made, old)
    const isGood = async (key: string) =>
      (await authenticate(stand.sql, key, stand.clock.now())) !== undefined
    assert.deepEqual([await isGood(old), await isGood(made)], [true, true])
    stand.clock.advance(86_400_000)
    assert.deepEqual([await isGood(old), await isGood(made)], [false, true])
    const again = await owner.post(`/console/keys/${id}/rotate`, { form: { confirm_password: PASSWORD } })
    assert.equal(again.headers.location, '/console/keys')
    assert.equal((await owner.get(`/console/keys/${id}/rotate`)).headers.location, '/console/keys')
    const [row] = await stand.sql`select count(*)::int as n from api_key where account_id = ${account}`
    assert.equal(row?.n, 2)
  })
})

describe('pages of the console', () => {
  test('are in German if the browser prefers it', async () => {
    const german = await stand
      .browser()
      .get('/console/sign-in', { headers: { 'accept-language': 'fr, de-AT;q=0.8, en;q=0.5' } })
    assert.match(german.text, /<html lang="de" dir="ltr">/)
    assert.match(german.text, /Anmelden/)
    for (const header of ['', 'fr', 'en-GB,de;q=0.9', '*', ';;;', 'de;q=0']) {
      const answer = await stand.browser().get('/console/sign-in', { headers: { 'accept-language': header } })
      assert.match(answer.text, /<html lang="en" dir="ltr">/, header)
    }
  })

  test('the style sheet is cached by its URL and revalidated by its ETag', async () => {
    const href =
      /<link rel="stylesheet" href="([^"]+)"/.exec(
        (await stand.browser().get('/console/sign-in')).text,
      )?.[1] ?? ''
    const answer = await stand.browser().get(href.replaceAll('&#61;', '='))
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.match(String(answer.headers['content-type']), /text\/css/)
    const again = await stand
      .browser()
      .get('/console/console.css', { headers: { 'if-none-match': String(answer.headers.etag) } })
    assert.equal(again.status, 304)
    assert.equal(again.headers['cache-control'], 'public, no-cache')
  })

  test('over plain http the cookie works in a browser, and there is no HSTS', async () => {
    const plain = await startStand('http://localhost:3000')
    try {
      const browser = await plain.signedIn(await plain.account(), 'owner')
      assert.match(String(browser.cookie), /^carnet=/)
      const page = await browser.get('/console')
      assert.equal(page.headers['strict-transport-security'], undefined)
      const other = {
        origin: 'http://127.0.0.1:3000',
        host: '127.0.0.1:3000',
        'sec-fetch-site': 'same-origin',
      }
      assert.equal((await browser.post('/console/sign-out', { headers: other })).status, 303)
    } finally {
      await plain.close()
    }
  })

  test('an unavailable database is 503, a bug 500; neither page shows internals', async () => {
    const broken = await startStand()
    try {
      const browser = await broken.signedIn(await broken.account(), 'owner')
      await broken.sql`alter table account_usage rename to gone`
      const bug = await browser.get('/console')
      assert.equal(bug.status, 500)
      assert.doesNotMatch(bug.text, /account_usage|relation|\.ts/)
      await broken.sql.end({ timeout: 1 })
      assert.equal((await browser.get('/console')).status, 503)
    } finally {
      await broken.close()
    }
  })
})

const withCookie = (cookie: string | undefined): Browser => {
  const browser = stand.browser()
  browser.cookie = cookie
  return browser
}
