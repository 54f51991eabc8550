/**
 * Tests every console route with everyone who has no right to it: nothing changes. New routes are included
 * automatically.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { closeAccount, reopenAccount } from '../../src/accounts/account/close-account.ts'
import { nameOnly } from '../../src/accounts/identity/identity.ts'
import {
  askForVerification,
  findVerificationRequest,
} from '../../src/accounts/identity/verification-request.ts'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { createOwnKey } from '../../src/accounts/keys/own-keys.ts'
import { createPerson } from '../../src/accounts/people/people.ts'
import { CONSOLE_ROUTES } from '../../src/console/routes.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { addMedia } from '../../src/media/upkeep/add-media.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { createRecord } from '../../src/passports/core/store-records.ts'
import { createDraft } from '../../src/passports/drafts/store-drafts.ts'
import { OFFER_STORE } from '../../src/passports/offers/store-offers.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { addWebhook } from '../../src/webhooks/manage-webhooks.ts'
import { newProduct } from '../harness.ts'
import { makePng } from '../media/sample-files.ts'
import { ADDRESSES, type Browser, OWN, PASSWORD, PUBLIC_URL, type Stand, startStand } from './stand.ts'

let stand: Stand
let account: number
let otherAccount: number
let link: string
let tables: string[]
/** Ids for addresses, by path prefix: the owner's own and another account's. */
let subjects: readonly { place: string; own: string; other: string }[]
const browsers: Record<string, Browser> = {}

before(async () => {
  stand = await startStand()
  account = await stand.account()
  otherAccount = await stand.account({ name: 'Anderswo' })
  await stand.person(otherAccount, 'owner')
  browsers.owner = await stand.signedIn(account, 'owner')
  browsers.editor = await stand.signedIn(account, 'editor')
  browsers.viewer = await stand.signedIn(account, 'viewer')
  browsers['signed-out'] = stand.browser()
  const person = { accountId: account, email: 'link@testmarke.example', role: 'viewer' } as const
  link = (await createPerson(stand.ctx, person)).token
  const all = await stand.sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('sign_in_attempt', 'readiness_facts') order by 1`
  tables = all.map(({ name }) => name)
  const [own, other] = [await whatIsOf(account), await whatIsOf(otherAccount)]
  subjects = Object.keys(own).map(place => ({ place, own: own[place] ?? '', other: other[place] ?? '' }))
})
after(() => stand.close())

const OFFER = { kind: 'repair', title: { en: 'Repair' }, url: 'https://shop.example/repair' }
const NO_RESPONSE = { status: 201, headers: {}, body: '' }

/** Creates one thing of each kind for an account and its first owner. Returns the ids by path prefix. */
async function whatIsOf(accountId: number): Promise<Record<string, string>> {
  const ctx = { ...stand.ctx, sql: stand.sql, accountId, actorId: 1 }
  const [owner] = await stand.sql<{ id: string; session: string | null }[]>`
    select m.person_id as id, s.id as session from membership m left join person_session s on s.person_id = m.person_id
    where m.account_id = ${accountId} and m.role = 'owner' order by m.created_at limit 1`
  assert.ok(owner)
  const [passkey] = await stand.sql<{ id: string }[]>`
    insert into passkey (id, person_id, credential_id, public_key, counter, transports, name, created_at)
    values (gen_random_uuid(), ${owner.id}, ${`credential of ${accountId}`}, '', 0, '{}', 'Phone', now()) returning id`
  const expiresAt = new Date(stand.clock.now().getTime() + 86_400_000)
  const access = { passportId: undefined, audience: 'authority', label: 'x', expiresAt, addresses: ADDRESSES }
  const key = { name: 'Shop', scope: 'full', expiresAt: undefined, createdBy: 'test' } as const
  const { passport } = await createPassport(ctx, { ...newProduct({}, 'textile'), strict: false })
  const draft = await createDraft(ctx, { category: 'textile', data: {}, note: undefined })
  await setSigning({ ...ctx, secretCipher: stand.secretCipher }, true)
  const bytes = await makePng({ width: 8, height: 8 + accountId })
  const { file } = await addMedia({ ...ctx, ...stand.media }, { bytes }, () => NO_RESPONSE)
  await askForVerification(ctx, { identity: nameOnly('Testmarke GmbH'), note: '' })
  return {
    '/console/settings/verification-requests/': (await findVerificationRequest(ctx))?.id ?? '',
    '/console/settings/people/': idFromUuid(owner.id),
    '/console/settings/sessions/': owner.session === null ? '01'.repeat(13) : idFromUuid(owner.session),
    '/console/settings/passkeys/': idFromUuid(passkey?.id ?? ''),
    '/console/settings/access-links/': (await createAccessLink(ctx, access)).id,
    '/console/settings/offers/': idFromUuid((await createRecord(ctx, OFFER_STORE, OFFER)).id),
    '/console/products/': idFromUuid(passport.id),
    '/console/drafts/': idFromUuid(draft.id),
    '/console/media/': file.id,
    '/console/keys/': (await createOwnKey(ctx, key)).id,
    '/console/webhooks/': await webhookOf(accountId),
  }
}

const webhookOf = async (accountId: number) => {
  const { secretCipher, outbound } = stand
  const setup = { secretCipher, policy: outbound.policy }
  const input = { url: 'https://erp.example/carnet', events: ['product.created'] }
  return (await addWebhook({ ...stand.ctx, sql: stand.sql, accountId, actorId: 1 }, setup, input)).id
}

/** Every row that a request could change, except counted attempts, and facts of data, which are derived. */
const everything = async () => {
  const contents = tables.map(name => stand.sql`select t::text as row from ${stand.sql(name)} t order by 1`)
  return JSON.stringify(await Promise.all(contents))
}

/** The rows after the last test, if that was one that changes nothing: reading them takes most of the time. */
let lastRows: string | undefined
let isUnchanged = false

/** For a whole test. One that also changes something itself checks a part of it with `unchangedWithin`. */
async function unchanged(work: () => Promise<void>): Promise<void> {
  const before = lastRows ?? (await everything())
  await work()
  lastRows = await everything()
  assert.equal(lastRows, before)
  isUnchanged = true
}

async function unchangedWithin(work: () => Promise<void>): Promise<void> {
  const before = await everything()
  await work()
  assert.equal(await everything(), before)
}

afterEach(() => {
  if (!isUnchanged) lastRows = undefined
  isUnchanged = false
})

/** A form that the route would accept from an authorised person. */
const form = (path = '') => ({
  email: path.endsWith('/people') ? 'new@testmarke.example' : 'owner1@testmarke.example',
  password: PASSWORD,
  token: link,
  account: String(otherAccount),
  name: path.endsWith('/close') ? 'Testmarke' : 'Neu',
  scope: 'full',
  ends: path.includes('access-links') ? '2027-01-31' : 'never',
  current: PASSWORD,
  role: 'viewer',
  to: path.includes('webhooks') ? 'pause' : path.endsWith('/signatures') ? 'off' : 'no',
  label: 'Somebody',
  audience: 'authority',
  product: '',
  url: 'https://erp.example/other',
  since: '2026-11-20T00:00',
  accent: '#aa3300',
  frames: 'https://shop.example',
  remove_logo: 'yes',
  kind: 'repair',
  language: 'en',
  title: 'Repair',
})

/** The tests of this file make more requests than a person may make in a minute. */
async function whenAdmitted<A extends { status: number; headers: Record<string, unknown> }>(
  send: () => Promise<A>,
): Promise<A> {
  for (;;) {
    const answer = await send()
    if (answer.status !== 429) return answer
    await pause(Number(answer.headers['retry-after']) * 1_000)
  }
}

const subjectOf = (path: string) => subjects.find(({ place }) => path.startsWith(place))
const at = (path: string, id = subjectOf(path)?.own ?? '01'.repeat(13)) =>
  path.replace(':id', id).replace(':n', '1')
const posts = CONSOLE_ROUTES.filter(route => route.method === 'POST')

describe('a cross-site request changes nothing', () => {
  const foreign: Record<string, Record<string, string>> = {
    'without Origin and Sec-Fetch-Site': {},
    'from another origin': { origin: 'https://evil.example' },
    'from another port': { origin: `${PUBLIC_URL}:8443` },
    'from http': { origin: PUBLIC_URL.replace('https', 'http') },
    'from an opaque origin': { origin: 'null' },
    'cross-site': { origin: PUBLIC_URL, 'sec-fetch-site': 'cross-site' },
    'same-site': { 'sec-fetch-site': 'same-site' },
    'from nowhere': { 'sec-fetch-site': 'none' },
    'from another origin that says same-origin': {
      origin: 'https://evil.example',
      'sec-fetch-site': 'same-origin',
    },
  }
  for (const { path } of posts) {
    for (const [name, headers] of Object.entries(foreign)) {
      test(`POST ${path} ${name}: 403`, () =>
        unchanged(async () => {
          const answer = await browsers.owner?.post(at(path), { form: form(path), headers })
          assert.equal(answer?.status, 403)
          assert.match(String(answer?.text), /not come from a page of this console/)
        }))
    }
  }

  test('either header is enough if the other is not sent', async () => {
    for (const headers of [{ origin: PUBLIC_URL }, { 'sec-fetch-site': 'same-origin' }, OWN]) {
      const answer = await stand.browser().post('/console/sign-in', { form: {}, headers })
      assert.equal(answer.status, 422)
    }
  })
})

/** Who may not use a route, and what they get. The account of these people is not the operator's. */
const REFUSED = {
  anyone: { status: 403, roles: [] },
  signed_in: { status: 403, roles: [] },
  editor: { status: 403, roles: ['viewer'] },
  owner: { status: 403, roles: ['viewer', 'editor'] },
  operator: { status: 404, roles: ['viewer', 'editor', 'owner'] },
} as const

describe('a request without permission changes nothing', () => {
  for (const { method, path, access } of CONSOLE_ROUTES.filter(route => route.access !== 'anyone')) {
    test(`${method} ${path} signed out: redirects to the sign-in; the input is kept, except passwords`, () =>
      unchanged(async () => {
        const answer = await ask('signed-out', method, at(path))
        if (method === 'GET') {
          assert.equal(answer.status, 303)
          assert.match(String(answer.headers.location), /^\/console\/sign-in(\?next=%2Fconsole|$)/)
          return
        }
        assert.equal(answer.status, 403)
        assert.match(answer.text, /<h1>You are signed out<\/h1>/)
        assert.match(
          answer.text,
          /<a class="button" href="\/console\/sign-in" target="_blank" rel="noopener">/,
        )
        assert.ok(answer.text.includes(`<form method="post" action="${at(path)}">`))
        assert.match(answer.text, /name="label" value="Somebody"/)
        assert.ok(!answer.text.includes(PASSWORD))
      }))

    const { status, roles } = REFUSED[access]
    for (const who of roles) {
      test(`${method} ${path} as ${who}: ${status}`, () =>
        unchanged(async () => assert.equal((await ask(who, method, at(path))).status, status)))
    }

    if (path.includes(':id')) {
      for (const id of ['', 'x', '0'.repeat(26), 'zz']) {
        test(`${method} ${path} with the id "${id}": 404`, () =>
          unchanged(async () => assert.equal((await ask('owner', method, at(path, id))).status, 404)))
      }
      test(`${method} ${path} of another account: 404, the same page as for an unknown id`, () =>
        unchanged(async () => {
          const other = await ask('owner', method, at(path, subjectOf(path)?.other))
          const none = await ask('owner', method, at(path, '01'.repeat(13)))
          assert.equal(other.status, 404)
          assert.equal(other.text, none.text)
        }))
    }
  }

  test('a form without a session changes nothing, is shown again unchanged, and links back to its page', () =>
    unchanged(async () => {
      const browser = stand.browser()
      const typed = [
        ['d.productName', '"><script>alert(1)</script>'],
        ['d.economicOperator.address', ' Weg 1\r\n89073 Ulm '],
        ['id', 'one'],
        ['id', 'two'],
        ['password', PASSWORD],
        ['current', PASSWORD],
        ['answer', 'secret of a passkey'],
      ]
      const from = (referer: string) =>
        browser.post('/console/products?x="', {
          form: new URLSearchParams(typed).toString(),
          headers: { ...OWN, referer },
        })
      const { status, text, headers } = await from(`${PUBLIC_URL}/console/products/new?category=furniture`)
      assert.equal(status, 403)
      assert.equal(headers['cache-control'], 'no-store')
      const plain = (value: string) =>
        value.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
      const kept = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
        ([, name = '', value = '']) => [plain(name), plain(value)],
      )
      assert.deepEqual(kept, typed.slice(0, 4))
      assert.ok(
        !text.includes(PASSWORD) && !text.includes('secret of a passkey') && !text.includes('<script>a'),
      )
      assert.match(text, /not saved\. You will be asked for it again/)
      assert.match(
        plain(text),
        /href="\/console\/sign-in\?next=%2Fconsole%2Fproducts%2Fnew%3Fcategory%3Dfurniture"/,
      )
      for (const elsewhere of ['https://evil.example/', `${PUBLIC_URL}/p/x`, 'javascript:alert(1)', 'x']) {
        assert.match((await from(elsewhere)).text, /href="\/console\/sign-in" target/, elsewhere)
      }
    }))

  test('every password field has a name whose value is never sent back', () => {
    const folder = new URL('../../src/console/', import.meta.url)
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .flatMap(name => readFileSync(new URL(name, folder), 'utf8').split(/\n\}|\n\)/))
      .flatMap(part => [...part.matchAll(/name: '(\w+)',[^}]*?type: 'password'/g)].map(([, name]) => name))
    assert.ok(names.length >= 5, names.join(', '))
    assert.deepEqual([...new Set(names)].sort(), ['current', 'password'])
  })

  test('a form with a file asks to choose the file again', () =>
    unchanged(async () => {
      const parts = new FormData()
      parts.append('logo', new Blob(['<svg/>']), 'logo.svg')
      const { status, text } = await stand.browser().post('/console/settings/brand/logos', { parts })
      assert.equal(status, 403)
      assert.match(text, /choose the file once more/)
      assert.doesNotMatch(text, /<form/)
    }))

  test('the sign-in page says why it is shown, and to new visitors what it opens', async () => {
    const browser = await stand.signedIn(account, 'viewer')
    const to = '/console/sign-in?next=%2Fconsole%2Fproducts'
    assert.equal((await browser.get(to)).status, 303)
    const { cookie } = browser
    await browser.post('/console/sign-out')
    browser.cookie = cookie
    const again = await browser.get(to)
    assert.match(again.text, /Your session has ended\. Sign in/)
    assert.match((await stand.browser().get(to)).text, /Sign in to open the page/)
    assert.doesNotMatch((await stand.browser().get('/console/sign-in')).text, /class="lead"/)
  })

  test('only owners can remove others, and nobody can change another person’s passkeys and sessions', () =>
    unchanged(async () => {
      const id = subjects.find(({ place }) => place.includes('people'))?.own
      for (const who of ['viewer', 'editor']) {
        assert.equal((await ask(who, 'GET', `/console/settings/people/${id}/remove`)).status, 403)
        assert.equal((await ask(who, 'POST', `/console/settings/people/${id}/remove`)).status, 403)
        for (const { method, path } of CONSOLE_ROUTES) {
          if (!path.includes(':id') || !/\/(?:passkeys|sessions)\//.test(path)) continue
          assert.equal((await ask(who, method, at(path))).status, 404, path)
        }
      }
    }))

  test('nobody can change a closed account; it can still be viewed', async () => {
    await closeAccount(stand.ctx, account)
    await unchangedWithin(async () => {
      for (const { method, path, access } of CONSOLE_ROUTES) {
        if (access === 'anyone' || access === 'signed_in') continue
        const answer = await ask('owner', method, at(path))
        assert.equal(answer.status, access === 'operator' ? 404 : 403, path)
        assert.match(answer.text, /This account is closed/)
      }
    })
    assert.match(String((await browsers.owner?.get('/console'))?.text), /This account is closed/)
    await reopenAccount(stand.ctx, account)
    assert.doesNotMatch(String((await browsers.owner?.get('/console'))?.text), /This account is closed/)
  })

  test('POST /console/account of an account without a membership: 404', () =>
    unchanged(async () => {
      for (const account of [String(otherAccount), '0', '-1', '1e3', '99999999999', 'x', '']) {
        const { owner } = browsers
        assert.ok(owner)
        const answer = await whenAdmitted(() => owner.post('/console/account', { form: { account } }))
        assert.equal(answer.status, 404)
      }
    }))

  const ask = (who: string, method: 'GET' | 'POST', path: string) => {
    const browser = browsers[who]
    assert.ok(browser)
    return whenAdmitted(() =>
      method === 'GET' ? browser.get(path) : browser.post(path, { form: form(path) }),
    )
  }
})

describe('GET changes nothing', () => {
  for (const { path, cost } of CONSOLE_ROUTES.filter(route => route.method === 'GET')) {
    test(`${path} has the safety headers on every page, and only pictures are cached, by the browser`, () =>
      unchanged(async () => {
        for (const browser of Object.values(browsers)) {
          const { headers, status, text } = await browser.get(`${at(path)}?token=${link}`)
          assert.ok(status < 500)
          const isPicture = cost === 'picture' && status === 200
          const cached = isPicture ? 'private, max-age=3600, immutable' : 'no-store'
          assert.equal(headers['cache-control'], cached)
          assert.equal(headers['x-content-type-options'], 'nosniff')
          assert.equal(headers['referrer-policy'], 'same-origin')
          assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
          assert.match(String(headers['strict-transport-security']), /max-age/)
          assert.match(
            String(headers['content-security-policy']),
            /^default-src 'none'; .*frame-ancestors 'none'$/,
          )
          assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|http/)
          const own = text.replaceAll(
            /<script type="module" src="\/console\/[a-z-]+\.js\?v(?:=|&#61;)[\w-]+"><\/script>/g,
            '',
          )
          assert.doesNotMatch(own, /<script|<style|\sstyle=|\son\w+=/)
        }
      }))
  }
})

describe('error pages', () => {
  test('other methods are 405 with Allow, unknown URLs are 404, both as pages', async () => {
    for (const { path } of CONSOLE_ROUTES) {
      const answer = await stand.app.inject({ method: 'DELETE', url: at(path), headers: OWN })
      assert.equal(answer.statusCode, 405, path)
      assert.match(String(answer.headers.allow), /GET|POST/)
      assert.match(String(answer.headers['content-type']), /text\/html/)
    }
    for (const path of ['/console/nothing', '/console/keys/', '/console/keys/a/b/c', '/console/Keys']) {
      const answer = await stand.browser().get(path)
      assert.equal(answer.status, 404, path)
      assert.match(answer.text, /<h1>Not found<\/h1>/)
    }
    assert.equal((await stand.browser().get('/console/')).headers.location, '/console')
  })

  test('a form that is too large is 413, another type 415; unknown fields are ignored', async () => {
    const send = (payload: string, type: string) =>
      stand.app.inject({
        method: 'POST',
        url: '/console/sign-in',
        headers: { ...OWN, 'content-type': type },
        payload,
      })
    const urlencoded = 'application/x-www-form-urlencoded'
    assert.equal((await send(`email=${'a'.repeat(17_000)}`, urlencoded)).statusCode, 413)
    assert.equal((await send('{"email":"a"}', 'application/json')).statusCode, 415)
    assert.equal((await send('a', 'multipart/form-data; boundary=x')).statusCode, 415)
    for (const body of [
      '',
      '%',
      '%ff%fe',
      '=&=&&',
      '__proto__=1&constructor=2',
      'email=&email=a%40b.example',
      'email[]=x',
    ]) {
      assert.equal((await send(body, urlencoded)).statusCode, 422, body)
    }
    for (const email of ['a\0b', "'; drop table person --", '<script>', 'x'.repeat(9_000), '\ud800']) {
      const answer = await stand.browser().post('/console/sign-in', { form: { email, password: 'x' } })
      assert.equal(answer.status, 422, JSON.stringify(email.slice(0, 20)))
      assert.doesNotMatch(answer.text, /<script>/)
    }
  })
})
