/**
 * Tests the settings pages: people, passwords, sessions, access links, the audit log, and closing an account.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { actAsOperator, renameAccount } from '../../src/accounts/account/accounts.ts'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { authenticate } from '../../src/accounts/keys/authenticate.ts'
import { createKey } from '../../src/accounts/keys/keys.ts'
import { MAX_ATTEMPTS_PER_SOURCE, MAX_LINKS_PER_EMAIL } from '../../src/accounts/people/attempt-limits.ts'
import {
  changeRole,
  inviteMember,
  listMembers,
  MAX_INVITATIONS_PER_DAY,
  removeMember,
} from '../../src/accounts/people/members.ts'
import { ATTEMPT_WINDOW_MS } from '../../src/accounts/people/network-attempts.ts'
import { LINK_LIFETIMES_MS } from '../../src/accounts/people/one-time-links.ts'
import { createPerson } from '../../src/accounts/people/people.ts'
import { SESSION_LIFETIME_MS } from '../../src/accounts/people/sessions.ts'
import { CONSOLE_ROUTES } from '../../src/console/routes.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { newProduct, nextGtin } from '../harness.ts'
import { type Browser, PASSWORD, type Stand, startStand } from './stand.ts'

const SETTINGS = '/console/settings'
const NEW_PASSWORD = 'twelve grey herons instead'
const DAY_MS = 86_400_000
let stand: Stand
before(async () => {
  stand = await startStand()
})
after(() => stand.close())

const linkIn = (text: string) => /https:\/\/carnet\.example(\/console\S*)/.exec(text)?.[1] ?? ''
const tokenIn = (text: string) => linkIn(text).split('token=')[1] ?? ''
const signIn = (browser: Browser, email: string, password = PASSWORD) =>
  browser.post('/console/sign-in', { form: { email, password } })
const inGerman = { headers: { 'accept-language': 'de' } }
const actions = async (accountId: number) => {
  const rows = await stand.sql<{ action: string; subject: string }[]>`
    select action, subject from audit_entry where account_id = ${accountId} order by id`
  return rows.map(row => row.action)
}

describe('forgotten password', () => {
  const ask = (email: string, headers: Record<string, string> = {}) =>
    stand.browser().post('/console/forgotten-password', {
      form: { email },
      headers: { origin: 'https://carnet.example', ...headers },
      from: `198.51.100.${email.length}`,
    })

  test('sends a link that works once within two hours; using it ends all sessions', async () => {
    const accountId = await stand.account()
    const email = await stand.person(accountId, 'editor')
    const before = stand.browser()
    await signIn(before, email)
    assert.match((await stand.browser().get('/console/sign-in')).text, /href="\/console\/forgotten-password"/)
    const said = await ask(` ${email.toUpperCase()}`)
    assert.equal(said.status, 200)
    const [letter, ...more] = await stand.letters()
    assert.equal(more.length, 0)
    assert.equal(letter?.to, email)
    assert.equal(letter?.from, 'carnet@mail.example')
    assert.equal(letter?.subject, 'A new password for Carnet')
    assert.match(String(letter?.head), /Auto-Submitted: auto-generated/i)
    assert.equal((await before.get('/console')).status, 200, 'asking changes nothing')
    const token = tokenIn(String(letter?.text))
    const browser = stand.browser()
    assert.equal((await browser.get(linkIn(String(letter?.text)))).status, 200)
    const set = await browser.post('/console/set-password', { form: { token, password: NEW_PASSWORD } })
    assert.equal(set.headers.location, '/console')
    assert.equal((await before.get('/console')).status, 303)
    assert.equal((await signIn(stand.browser(), email)).status, 422)
    assert.equal((await signIn(stand.browser(), email, NEW_PASSWORD)).status, 303)
    assert.ok((await actions(accountId)).includes('password_link_asked'))

    await ask(email)
    const late = tokenIn(String((await stand.letters())[0]?.text))
    stand.clock.advance(LINK_LIFETIMES_MS.reset)
    const form = { token: late, password: PASSWORD }
    assert.equal((await stand.browser().post('/console/set-password', { form })).status, 404)
  })

  test('an unknown e-mail, or one without an account, gets the same page and no e-mail', async () => {
    const accountId = await stand.account()
    const email = await stand.person(accountId, 'editor')
    const gone = await stand.person(accountId, 'viewer')
    await stand.sql`delete from membership where person_id = (select id from person where email = ${gone})`
    const pages = []
    for (const address of [email, gone, 'nobody@testmarke.example']) {
      const { status, text, headers } = await ask(address)
      pages.push([status, text.replaceAll(address, 'E'), Object.keys(headers).sort()])
    }
    assert.deepEqual(pages[0], pages[1])
    assert.deepEqual(pages[0], pages[2])
    assert.deepEqual(
      (await stand.letters()).map(letter => letter.to),
      [email],
    )
  })

  test('requests are limited, for known and unknown e-mails; signing in still works', async () => {
    const email = await stand.person(await stand.account(), 'owner')
    for (const address of [email, 'stranger@testmarke.example']) {
      for (let i = 0; i < MAX_LINKS_PER_EMAIL; i++) assert.equal((await ask(address)).status, 200)
      const late = await ask(address)
      assert.equal(late.status, 429)
      assert.equal(late.headers['retry-after'], String(ATTEMPT_WINDOW_MS / 1000))
    }
    assert.equal((await stand.letters()).length, MAX_LINKS_PER_EMAIL)
    assert.equal((await signIn(stand.browser(), email)).status, 303)
  })

  test('a missing or invalid e-mail is reported at the field; in German too', async () => {
    for (const email of ['', 'nobody', 'a@b\r\nBcc: c@d.example']) {
      const answer = await ask(email, { 'accept-language': 'de' })
      assert.equal(answer.status, 422)
      assert.match(answer.text, /aria-invalid="true"/)
      assert.match(answer.text, /Passwort vergessen\?/)
    }
    const email = await stand.person(await stand.account(), 'owner')
    await ask(email, { 'accept-language': 'de' })
    const [letter] = await stand.letters()
    assert.equal(letter?.subject, 'Ein neues Passwort für Carnet')
    assert.match(
      String(letter?.text),
      /innerhalb von zwei Stunden fest\. Er gilt einmal:\n\nhttps:\/\/carnet/,
    )
  })
})

describe('members', () => {
  test('an invitation e-mail shortens the account’s name, and does not turn it into a link', async () => {
    const accountId = await stand.account({
      name: `Locked: http://phish.example/login www.phish.example ask@phish。example \u202e${'x'.repeat(90)}`,
    })
    const owner = await stand.signedIn(accountId, 'owner')
    for (const language of ['en', 'de']) {
      const headers = { 'accept-language': language, 'sec-fetch-site': 'same-origin' }
      const form = { email: `${language}@testmarke.example`, role: 'viewer' }
      assert.equal((await owner.post(`${SETTINGS}/people`, { form, headers })).status, 303)
      const [letter] = await stand.letters()
      assert.doesNotMatch(String(letter?.subject), /phish|Locked/)
      const text = String(letter?.text)
      const name = /[“„](Locked[^”“]*)[”“]/.exec(text)?.[1] ?? ''
      assert.equal(name, 'Locked http phish. example login www. phish. example ask ph…')
      assert.doesNotMatch(text, /phish[.。]\S|x{5}|\u202e/)
    }
  })

  test('a person is invited by e-mail, joins with the link, is promoted and removed; each step is in the audit log', async () => {
    const accountId = await stand.account({ name: 'Moor "&" Marsch' })
    const owner = await stand.signedIn(accountId, 'owner')
    const form = { email: 'Neu@Testmarke.example', role: 'viewer' }
    const invited = await owner.post(`${SETTINGS}/people`, { form })
    assert.equal(invited.headers.location, `${SETTINGS}/people?invited=neu%40testmarke.example`)
    const list = await owner.get(String(invited.headers.location))
    assert.match(list.text, /neu@testmarke\.example now belongs to this account as viewer/)
    assert.match(list.text, /<select id="role"[^>]*><option value="" selected>Choose<option/)
    assert.match(list.text, /has not set a password yet/)
    const [letter] = await stand.letters()
    assert.equal(letter?.to, 'neu@testmarke.example')
    assert.equal(letter?.subject, 'You have been invited to an account on Carnet')
    assert.match(
      String(letter?.text),
      /owner\d+@testmarke\.example has invited you to the account “Moor "&" Marsch” at/,
    )
    const guest = stand.browser()
    const token = tokenIn(String(letter?.text))
    assert.doesNotMatch(list.text, new RegExp(token))
    const set = await guest.post('/console/set-password', { form: { token, password: PASSWORD } })
    assert.equal(set.headers.location, '/console')
    assert.doesNotMatch((await guest.get(`${SETTINGS}/people`)).text, /Invite somebody/)

    const id = await idOf('neu@testmarke.example')
    assert.equal((await owner.get(`${SETTINGS}/people/${id}`)).status, 200)
    await owner.post(`${SETTINGS}/people/${id}`, { form: { role: 'owner' } })
    assert.match((await guest.get(`${SETTINGS}/people`)).text, /Invite somebody/)
    assert.equal((await owner.post(`${SETTINGS}/people/${id}`, { form: { role: 'king' } })).status, 422)
    assert.match((await owner.get(`${SETTINGS}/people/${id}/remove`)).text, /Remove neu@testmarke\.example\?/)
    await owner.post(`${SETTINGS}/people/${id}/remove`)
    assert.equal((await guest.get('/console')).status, 303)
    const [left] =
      await stand.sql`select count(*)::int as n from person where email = 'neu@testmarke.example'`
    assert.equal(left?.n, 0, 'who belongs nowhere is forgotten')
    const told = await actions(accountId)
    for (const action of ['person_added', 'role_changed', 'person_removed'])
      assert.ok(told.includes(action), action)
  })

  test('an invitation can be sent again with a new link until a password is set, within a limit of e-mails', async () => {
    const accountId = await stand.account()
    const owner = await stand.signedIn(accountId, 'owner')
    const editor = await stand.signedIn(accountId, 'editor')
    await owner.post(`${SETTINGS}/people`, { form: { email: 'late@testmarke.example', role: 'viewer' } })
    const at = `${SETTINGS}/people/${await idOf('late@testmarke.example')}`
    assert.match((await owner.get(at)).text, /<button[^>]*>Send the invitation again</)
    assert.equal((await editor.post(`${at}/invite`)).status, 403)
    const sent = await owner.post(`${at}/invite`)
    assert.equal(sent.headers.location, `${at}?invited=again`)
    assert.match(
      (await owner.get(String(sent.headers.location))).text,
      /An e-mail with a new link is on its way/,
    )
    const [first, second, ...more] = (await stand.letters()).map(letter => tokenIn(String(letter.text)))
    assert.deepEqual(more, [])
    const use = (token = '') =>
      stand.browser().post('/console/set-password', { form: { token, password: PASSWORD } })
    assert.notEqual((await use(first)).status, 303, 'the one before has ended')
    const stranger = await stand.signedIn(await stand.account(), 'owner')
    assert.equal((await stranger.post(`${at}/invite`)).status, 404)
    assert.equal((await use(second)).status, 303)
    const late = await owner.post(`${at}/invite`)
    assert.equal(late.status, 422)
    assert.match(late.text, /They have set a password in the meantime/)
    assert.doesNotMatch(late.text, /Send the invitation again/)
    assert.deepEqual(await stand.letters(), [])
    assert.ok((await actions(accountId)).includes('person_invited_again'))

    await owner.post(`${SETTINGS}/people`, { form: { email: 'lost@testmarke.example', role: 'viewer' } })
    const other = `${SETTINGS}/people/${await idOf('lost@testmarke.example')}`
    const statuses = new Map<number, number>()
    for (let n = 0; n < 50; n++) {
      const { status } = await owner.post(`${other}/invite`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    assert.deepEqual(
      [...statuses],
      [
        [303, 45],
        [429, 5],
      ],
    )
    assert.equal((await stand.letters()).length, 46)
  })

  test('the audit log links to products and webhooks, and shows deleted ones by their id', async () => {
    const accountId = await stand.account()
    const owner = await stand.signedIn(accountId, 'owner')
    const ctx = { ...(await actAsOperator(stand.ctx, accountId)), accountId }
    const data = { productName: 'Named <one>' }
    const { passport } = await createPassport(ctx, { ...newProduct(data), strict: false })
    const id = idFromUuid(passport.id)
    const unit = { parentUuid: passport.id, level: 'item', units: [{ serial: 'N-1' }] } as const
    const { created } = await issueUnits(ctx, { ...unit, bulk: true, strict: false })
    const item = idFromUuid(created[0]?.passport.id ?? '')
    for (const one of [item, id]) {
      await owner.post(`/console/products/${one}/status`, { form: { to: 'archive' } })
    }
    const hook = { url: 'https://hooks.testmarke.example/in', description: 'Shop & stock', filter: 'all' }
    for (const description of [hook.description, '']) {
      await owner.post('/console/webhooks', { form: { ...hook, description } })
    }
    const hooks = await stand.sql<{ id: string; description: string }[]>`
      select id, description from webhook_endpoint where account_id = ${accountId} order by id`
    const [named, bare] = hooks.map(one => idFromUuid(one.id))
    const log = async () => (await owner.get(`${SETTINGS}/audit`)).text
    const before = await log()
    for (const link of [
      `<a href="/console/products/${id}">Named &#60;one&#62;</a>`,
      `<a href="/console/products/${item}">Named &#60;one&#62; · Item N-1</a>`,
      `<a href="/console/webhooks/${named}">Shop &#38; stock</a>`,
      `<a href="/console/webhooks/${bare}">https://hooks.testmarke.example/in</a>`,
    ]) {
      assert.ok(before.includes(link), link)
    }
    await owner.post(`/console/webhooks/${named}/remove`)
    const after = await log()
    assert.ok(!after.includes(`href="/console/webhooks/${named}"`) && after.includes(`</strong> ${named}`))
  })

  test('a person with a password gets no password link, so an inviter cannot get into their other accounts', async () => {
    const email = await stand.person(await stand.account({ name: 'Eins' }), 'owner')
    const other = await stand.signedIn(await stand.account({ name: 'Zwei' }), 'owner')
    await other.post(`${SETTINGS}/people`, { form: { email, role: 'viewer' } })
    const [letter] = await stand.letters()
    assert.equal(linkIn(String(letter?.text)), '/console/sign-in')
    const browser = stand.browser()
    await signIn(browser, email)
    assert.match((await browser.get('/console')).text, /<h1>Eins<\/h1>[\s\S]*Go to Zwei/)
  })

  test('an existing member, an invalid e-mail and no role are reported at the field, and no e-mail is sent', async () => {
    const accountId = await stand.account()
    const owner = await stand.signedIn(accountId, 'owner')
    const email = await stand.person(accountId, 'viewer')
    for (const form of [
      { email, role: 'editor' },
      { email: 'nobody', role: 'editor' },
      { email: '', role: 'editor' },
      { email: 'x@y.example', role: 'king' },
      { email: 'x@y.example' },
    ]) {
      const answer = await owner.post(`${SETTINGS}/people`, { form: form as Record<string, string> })
      assert.equal(answer.status, 422, JSON.stringify(form))
      assert.match(answer.text, /aria-invalid="true"/)
    }
    assert.deepEqual(await stand.letters(), [])
    const said = await owner.get(`${SETTINGS}/people?invited=evil%20words`)
    assert.doesNotMatch(said.text, /evil/)
  })

  test('the last owner cannot be removed, also if two owners remove each other at once', async () => {
    const accountId = await stand.account()
    const [one, two] = [await stand.signedIn(accountId, 'owner'), await stand.signedIn(accountId, 'owner')]
    const ctx = await actAsOperator(stand.ctx, accountId)
    const members = await listMembers(ctx)
    const both = await Promise.all(members.map(member => removeMember(ctx, member.id)))
    assert.deepEqual(both.sort(), [false, true])
    const left = await listMembers(ctx)
    assert.equal(left.length, 1)
    const last = left[0]?.id ?? ''
    const browser = (await one.get('/console')).status === 200 ? one : two
    const kept = await browser.post(`${SETTINGS}/people/${last}`, { form: { role: 'viewer' } })
    assert.equal(kept.status, 422)
    assert.match(kept.text, /An account needs an owner/)
    assert.match((await browser.post(`${SETTINGS}/people/${last}/remove`)).text, /An account needs an owner/)
    assert.match((await browser.get(`${SETTINGS}/people/${last}/remove`)).text, /Leave “Testmarke”\?/)
  })

  test('every member may leave the account', async () => {
    const accountId = await stand.account()
    await stand.signedIn(accountId, 'owner')
    const viewer = await stand.signedIn(accountId, 'viewer')
    const path = /\/console\/settings\/people\/[0-9a-z]{26}\/remove/.exec(
      (await viewer.get(`${SETTINGS}/people`)).text,
    )?.[0]
    assert.match((await viewer.get(String(path))).text, /Leave “Testmarke”\?/)
    assert.equal((await viewer.post(String(path))).headers.location, '/console/sign-in')
    assert.equal((await viewer.get('/console')).status, 303)
  })

  test('at most fifty people can be invited in a day', async () => {
    const accountId = await stand.account()
    const ctx = await actAsOperator(stand.ctx, accountId)
    const invite = (n: number) =>
      inviteMember(ctx, { email: `guest${n}@mass.example`, role: 'viewer', reader: 'person' })
    for (let n = 0; n < MAX_INVITATIONS_PER_DAY; n++) await invite(n)
    await assert.rejects(invite(99), { code: 'rate_limited' })
    const owner = await stand.signedIn(accountId, 'owner')
    const form = { email: 'one@more.example', role: 'viewer' }
    assert.match((await owner.post(`${SETTINGS}/people`, { form })).text, /today’s limit of invitations/)
    stand.clock.advance(DAY_MS + 1_000)
    assert.ok(await invite(99))
  })

  test('a person in several accounts has a role in each', async () => {
    const [one, two] = [await stand.account({ name: 'Eins' }), await stand.account({ name: 'Zwei' })]
    const email = await stand.person(one, 'owner')
    await stand.person(two, 'owner')
    await createPerson(stand.ctx, { accountId: two, email, role: 'viewer' })
    const browser = stand.browser()
    await signIn(browser, email)
    assert.equal((await browser.get(`${SETTINGS}/close`)).status, 200)
    await browser.post('/console/account', { form: { account: String(two) } })
    assert.equal((await browser.get(`${SETTINGS}/close`)).status, 403)
    await changeRole(await actAsOperator(stand.ctx, two), { id: await idOf(email), role: 'owner' })
    assert.equal((await browser.get(`${SETTINGS}/close`)).status, 200)
  })
})

const idOf = async (email: string) => {
  const [row] = await stand.sql<{ id: string }[]>`select id from person where email = ${email}`
  return idFromUuid(row?.id ?? '')
}

describe('changing one’s own password', () => {
  test('requires the old one; other sessions and links end, this session continues', async () => {
    const accountId = await stand.account()
    const email = await stand.person(accountId, 'viewer')
    const [here, there] = [stand.browser(), stand.browser()]
    await signIn(here, email)
    await signIn(there, email)
    const post = (current: string, password: string) =>
      here.post(`${SETTINGS}/password`, { form: { current, password } })
    assert.match((await post('not it', NEW_PASSWORD)).text, /That is not your password/)
    assert.match((await post(PASSWORD, 'short')).text, /at least 12 characters/)
    assert.equal((await post('', '')).text.match(/aria-invalid/g)?.length, 2)
    assert.equal((await there.get('/console')).status, 200)
    const done = await post(PASSWORD, NEW_PASSWORD)
    assert.equal(done.headers.location, `${SETTINGS}/password?done=yes`)
    assert.match((await here.get(String(done.headers.location))).text, /Your new password is set/)
    assert.equal((await there.get('/console')).status, 303)
    assert.equal((await signIn(stand.browser(), email, NEW_PASSWORD)).status, 303)
    assert.ok((await actions(accountId)).includes('password_changed'))
  })

  test('attempts are counted in this session', async () => {
    const browser = await stand.signedIn(await stand.account(), 'viewer')
    const post = (current: string) =>
      browser.post(`${SETTINGS}/password`, { form: { current, password: NEW_PASSWORD } })
    for (let i = 0; i < MAX_ATTEMPTS_PER_SOURCE; i++) assert.equal((await post('wrong')).status, 422)
    assert.equal((await post(PASSWORD)).status, 429)
  })
})

describe('sessions', () => {
  test('are listed by their times, with this one marked; one or all others can be ended', async () => {
    const email = await stand.person(await stand.account(), 'viewer')
    const [one, two, three] = [stand.browser(), stand.browser(), stand.browser()]
    for (const browser of [one, two, three]) {
      await signIn(browser, email)
      stand.clock.advance(2 * 3_600_000)
    }
    await one.get('/console')
    const page = await one.get(`${SETTINGS}/sessions`)
    assert.equal(page.text.match(/This one/g)?.length, 1)
    const ids = [...page.text.matchAll(/sessions\/([0-9a-z]{26})\/end/g)].map(([, id]) => id)
    assert.equal(ids.length, 2)
    assert.doesNotMatch(page.text, /127\.0\.0\.1|light-my-request/)
    const proof = { form: { confirm_password: PASSWORD } }
    await one.post(`${SETTINGS}/sessions/${ids[0]}/end`, proof)
    assert.deepEqual(
      [(await two.get('/console')).status, (await three.get('/console')).status].sort(),
      [200, 303],
    )
    assert.equal((await one.post(`${SETTINGS}/sessions/${ids[0]}/end`)).status, 404)
    await one.post(`${SETTINGS}/sessions/end-others`)
    assert.equal((await two.get('/console')).status, 303)
    assert.equal((await three.get('/console')).status, 303)
    assert.equal((await one.get('/console')).status, 200)
    stand.clock.advance(SESSION_LIFETIME_MS)
    assert.equal((await one.get(`${SETTINGS}/sessions`)).status, 303)
  })
})

describe('access links', () => {
  test('can be created for a product or for all, are shown once, listed with their use, and revoked', async () => {
    const accountId = await stand.account()
    const ctx = await actAsOperator(stand.ctx, accountId)
    const { passport } = await createPassport(ctx, { ...newProduct({}, 'battery'), strict: false })
    const id = idFromUuid(passport.id)
    const editor = await stand.signedIn(accountId, 'editor')
    const path = `${SETTINGS}/access-links`
    assert.match((await editor.get(`${path}?product=${id}`)).text, new RegExp(`value="${id}"`))
    const form = {
      label: 'Werkstatt <1>',
      audience: 'authority',
      opens: 'product',
      product: `https://carnet.example/p/${id}?x`,
      ends: '2027-06-30',
    }
    const fresh = (await editor.get(path)).text
    for (const name of ['audience', 'opens'])
      assert.match(fresh, new RegExp(`<select id="${name}"[^>]*><option value="" selected>Choose<option`))
    assert.match(fresh, /All products of the account \(one today\), with batches and items/)
    const made = await editor.post(path, { form })
    assert.equal(made.status, 200)
    assert.match(
      made.text,
      /<dd>Test product, with 0 batches and 0 items today, and those created later<\/dd>/,
    )
    assert.match(
      made.text,
      new RegExp(`https://carnet\\.example/p/${id}\\?access(=|&#61;)dpa_[0-9A-Za-z]{42}`),
    )
    assert.match(made.text, /1 Jul 2027, 00:00 UTC/)
    const all = await editor.post(path, { form: { ...form, opens: 'all', product: '' } })
    assert.match(all.text, /<dd>all products: one product today, and those added later<\/dd>/)
    assert.match(all.text, /Append \?access/)
    const list = await editor.get(path)
    assert.doesNotMatch(list.text, /dpa_/)
    assert.match(list.text, /Werkstatt &#60;1&#62;/)
    assert.match(list.text, /Test product/)
    assert.match(list.text, /all products/)
    assert.match(list.text, /not yet/)
    const link = /access-links\/([0-9a-z]{26})\/revoke/.exec(list.text)?.[1]
    assert.match((await editor.get(`${path}/${link}/revoke`)).text, /Revoke the link for/)
    assert.equal((await editor.post(`${path}/${link}/revoke`)).headers.location, path)
    assert.equal((await editor.get(`${path}/${link}/revoke`)).headers.location, path)
    assert.match((await editor.get(path)).text, /Revoked and expired links \(1\)/)
    const told = await actions(accountId)
    assert.equal(told.filter(action => action === 'access_link_created').length, 2)
    assert.equal(told.filter(action => action === 'access_link_revoked').length, 1)
    assert.doesNotMatch((await (await stand.signedIn(accountId, 'viewer')).get(path)).text, /Create the link/)
  })

  test('errors are shown at their fields; a product of another account is not found', async () => {
    const [own, other] = [await stand.account(), await stand.account()]
    const strange = await createPassport(await actAsOperator(stand.ctx, other), {
      ...newProduct(),
      strict: false,
    })
    const editor = await stand.signedIn(own, 'editor')
    const good = { label: 'x', audience: 'authority', opens: 'all', product: '', ends: '2027-06-30' }
    for (const bad of [
      { label: '' },
      { label: 'a\nb' },
      { label: 'x'.repeat(201) },
      { audience: 'public' },
      { audience: '' },
      { opens: '' },
      { opens: 'product' },
      { opens: 'all', product: idFromUuid(strange.passport.id) },
      { opens: 'product', product: 'nonsense' },
      { opens: 'product', product: idFromUuid(strange.passport.id) },
      { ends: '' },
      { ends: '2026-11-20' },
      { ends: '2027-02-30' },
      { ends: '2099-01-01' },
      { ends: '0' },
    ]) {
      const answer = await editor.post(`${SETTINGS}/access-links`, { form: { ...good, ...bad } })
      assert.equal(answer.status, 422, JSON.stringify(bad))
      assert.equal(answer.text.match(/aria-invalid/g)?.length, 1, JSON.stringify(bad))
    }
  })
})

describe('the account', () => {
  test('can be renamed, hidden from search engines and shown again, each with an audit entry', async () => {
    const accountId = await stand.account()
    const owner = await stand.signedIn(accountId, 'owner')
    assert.match((await owner.get(SETTINGS)).text, /0 of 50,000/)
    for (const name of ['', 'x'.repeat(201), 'a\tb']) {
      assert.equal((await owner.post(`${SETTINGS}/name`, { form: { name } })).status, 422)
    }
    await owner.post(`${SETTINGS}/name`, { form: { name: 'Nordlicht & Söhne' } })
    assert.match((await owner.get('/console')).text, /<h1>Nordlicht &#38; Söhne<\/h1>/)
    await owner.post(`${SETTINGS}/indexing`, { form: { to: 'no' } })
    await owner.post(`${SETTINGS}/indexing`, { form: { to: 'no' } })
    assert.match((await owner.get(SETTINGS)).text, /Search engines are asked not to list/)
    await owner.post(`${SETTINGS}/indexing`, { form: { to: 'yes' } })
    const told = await actions(accountId)
    assert.equal(told.filter(action => action === 'indexing_changed').length, 2)
    assert.match((await owner.get(`${SETTINGS}/audit`)).text, /Testmarke → Nordlicht &#38; Söhne/)
  })

  test('switches the audiences of protected fields after a preview with counts', async () => {
    const accountId = await stand.account({ plan: 'enterprise' })
    const [owner, editor] = [
      await stand.signedIn(accountId, 'owner'),
      await stand.signedIn(accountId, 'editor'),
    ]
    const ctx = await actAsOperator(stand.ctx, accountId)
    const create = async (data: Record<string, unknown>) =>
      (await createPassport(ctx, { ...newProduct({ gtin: nextGtin(), ...data }, 'battery'), strict: true }))
        .passport
    await create({ stateOfHealth: 90, dueDiligenceUrl: 'https://planted.example' })
    const model = await create({ dueDiligenceUrl: 'https://planted.example' })
    await issueUnits(ctx, {
      parentUuid: model.id,
      level: 'item',
      units: [{ serial: 'S1', data: { stateOfHealth: 80 } }, { serial: 'S2' }],
      bulk: false,
      strict: true,
    })
    const path = `${SETTINGS}/audience`
    const cells = (text: string) =>
      [
        ...text.matchAll(
          /<tr><th scope="row">([^<]*)<\/th><td>([^<]*)<\/td><td>([^<]*)<\/td><td>([^<]*)<\/td>/g,
        ),
      ].map(([, ...row]) => row)
    const preview = await owner.get(path)
    assert.deepEqual(cells(preview.text).toSorted(), [
      ['Due diligence report (Battery)', 'everyone', 'nobody', '4'],
      ['State of health (Battery)', 'readers with a legitimate interest', 'authorities', '2'],
    ])
    assert.match((await owner.get(path, inGerman)).text, /Behörden<\/td><td>2</)
    assert.equal((await editor.get(path)).status, 403)
    assert.equal((await editor.post(path, { form: { to: 'law' } })).status, 403)
    assert.equal((await owner.post(path, { form: { to: 'all' } })).headers.location, path)
    assert.match((await owner.get(path)).text, /documentation\. This is the default/)
    assert.equal((await owner.post(path, { form: { to: 'law' } })).headers.location, `${path}?done=yes`)
    const back = await owner.get(`${path}?done=yes`)
    assert.match(back.text, /The audiences have been changed/)
    assert.deepEqual(cells(back.text).toSorted(), [
      ['Due diligence report (Battery)', 'nobody', 'everyone', '4'],
      ['State of health (Battery)', 'authorities', 'readers with a legitimate interest', '2'],
    ])
    const form = await owner.get(`/console/products/new?category=battery`)
    assert.match(
      form.text,
      /id="d\.stateOfHealth-hint">[^<]*Only readers with a legitimate interest see this\./,
    )
    assert.match(
      (await owner.get(`${SETTINGS}/audit`)).text,
      /Changed who sees protected fields<\/strong> law/,
    )
    assert.equal((await actions(accountId)).filter(action => action === 'audience_profile_changed').length, 1)
  })

  test('is closed only by typing its name: keys end, nobody can change it, and the operator can reopen it', async () => {
    const accountId = await stand.account({ name: 'Nordlicht' })
    const owner = await stand.signedIn(accountId, 'owner')
    const ctx = { sql: stand.sql, clock: stand.clock }
    const key = { accountId, name: 'Shop', scope: 'full', expiresAt: undefined, createdBy: 'test' } as const
    const { key: secret } = await createKey(ctx, key)
    const holder = () => authenticate(stand.sql, secret, stand.clock.now())
    for (const name of ['', 'nordlicht', 'Nord']) {
      assert.equal((await owner.post(`${SETTINGS}/close`, { form: { name } })).status, 422)
    }
    assert.ok(await holder())
    assert.equal(
      (await owner.post(`${SETTINGS}/close`, { form: { name: ' Nordlicht ' } })).headers.location,
      '/console',
    )
    stand.clock.advance(2_000)
    assert.equal(await holder(), undefined)
    assert.match((await owner.get('/console')).text, /This account is closed/)
    assert.equal((await owner.get(`${SETTINGS}/audit`)).status, 200)
    const refused = await owner.post(`${SETTINGS}/name`, { form: { name: 'Neu' } })
    assert.equal(refused.status, 403)
    const closed = await closeAccount(ctx, accountId)
    assert.equal((await closeAccount(ctx, accountId)).closed_at, closed.closed_at)
    await reopenAccount(ctx, accountId)
    stand.clock.advance(2_000)
    assert.ok(await holder())
    assert.equal((await owner.post(`${SETTINGS}/name`, { form: { name: 'Neu' } })).status, 303)
    assert.deepEqual(
      (await actions(accountId)).filter(action => /closed|reopened/.test(action)),
      ['account_closed', 'account_reopened'],
    )
    await assert.rejects(closeAccount(ctx, 999_999), { code: 'not_found' })
  })
})

describe('the audit log', () => {
  test('is paged, newest first, each entry once; never shows another account’s', async () => {
    const accountId = await stand.account()
    const ctx = await actAsOperator(stand.ctx, accountId)
    const owner = await stand.signedIn(accountId, 'owner')
    for (let n = 0; n < 60; n++) await changeName(ctx, `Name ${n}`)
    const first = await owner.get(`${SETTINGS}/audit`)
    const next = /href="(\/console\/settings\/audit\?before(?:=|&#61;)[0-9a-z]{26})"/.exec(first.text)?.[1]
    const second = await owner.get(String(next).replace('&#61;', '='))
    const all = [first, second].flatMap(page =>
      [...page.text.matchAll(/→ Name (\d+)/g)].map(([, n]) => Number(n)),
    )
    assert.deepEqual(
      all,
      Array.from({ length: 60 }, (_, n) => 59 - n),
    )
    assert.match(first.text, /Operator/)
    const stranger = await stand.signedIn(await stand.account(), 'owner')
    assert.doesNotMatch((await stranger.get(`${SETTINGS}/audit`)).text, /Name \d/)
    assert.equal((await owner.get(`${SETTINGS}/audit?before=nonsense`)).status, 200)
  })

  test('it records who archived and restored a product', async () => {
    const accountId = await stand.account()
    const { passport } = await createPassport(await actAsOperator(stand.ctx, accountId), {
      ...newProduct(),
      strict: false,
    })
    const editor = await stand.signedIn(accountId, 'editor')
    const path = `/console/products/${idFromUuid(passport.id)}/status`
    for (const to of ['archive', 'archive', 'restore']) await editor.post(path, { form: { to } })
    const log = (await editor.get(`${SETTINGS}/audit`)).text
    assert.equal(log.match(/Archived a product/g)?.length, 1)
    assert.equal(log.match(/Restored a product/g)?.length, 1)
    assert.match(log, /editor\d+@testmarke\.example/)
  })
})

const changeName = renameAccount

describe('in German', () => {
  test('every settings page has a German title and none has an English one', async () => {
    const account = await stand.account()
    const owner = await stand.signedIn(account, 'owner')
    // The page that makes a new key exists for an account that signs.
    const { ctx, secretCipher } = stand
    await setSigning({ ...ctx, secretCipher, accountId: account, actorId: 1 }, true)
    const paths = CONSOLE_ROUTES.filter(
      ({ method, path }) => method === 'GET' && path.startsWith(SETTINGS) && !/:|\/shown$/.test(path),
    )
    assert.ok(paths.length >= 8)
    for (const { path } of paths) {
      const [german, english] = [await owner.get(path, inGerman), await owner.get(path)]
      assert.match(german.text, /<html lang="de" dir="ltr">/)
      const title = (text: string) => /<title>([^<]*) · /.exec(text)?.[1]
      if (title(german.text) !== 'Passkeys') assert.notEqual(title(german.text), title(english.text), path)
    }
  })
})
