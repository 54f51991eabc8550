/**
 * Tests access links: the token in the address becomes a cookie, programs use Bearer tokens, and nothing is
 * cached.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createPerson } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { signIn } from '../../src/accounts/people/sign-in.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import {
  createAccessLink,
  listAccessLinks,
  revokeAccessLink,
} from '../../src/passports/access/access-links.ts'
import { flushAccessUses } from '../../src/passports/access/count-uses.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import {
  ADDRESSES,
  type Answer,
  type Harness,
  newProduct,
  startHarness,
  type TestAccount,
} from '../harness.ts'

let harness: Harness
let account: TestAccount
before(async () => {
  harness = await startHarness()
  account = await harness.account()
  harness.clock.set('2026-11-21T10:00:00Z')
})
after(() => harness.close())

const SECRET = 'Hidden Mill Ltd'
const make = async () => {
  const supplyChainStages = [{ stage: 'spinning', country: 'TR', facilityName: SECRET }]
  const { passport } = await createPassport(account.ctx, {
    ...newProduct({ supplyChainStages }),
    strict: false,
  })
  return idFromUuid(passport.id)
}
const link = (passportId: string | undefined, hours = 48, audience = 'legitimate_interest') =>
  createAccessLink(account.ctx, {
    passportId,
    audience,
    label: 'Repair café <Nord>',
    expiresAt: new Date(harness.clock.now().getTime() + hours * 3_600_000),
    addresses: ADDRESSES,
  })
const cookieOf = (answer: { headers: Record<string, string> }) => {
  const header = answer.headers['set-cookie']
  return header === undefined ? undefined : String(header).split(';')[0]
}
const enter = (id: string, token: string, query = '') =>
  harness.ask('GET', `/p/${id}?access=${token}${query}`)
const view = (id: string, cookie: string | undefined, query = '') =>
  harness.ask('GET', `/p/${id}${query}`, { headers: cookie === undefined ? {} : { cookie } })
const ENDED = 'This access link is no longer valid'

describe('?access=TOKEN', () => {
  test('becomes a cookie for this passport and redirects to the address without it', async () => {
    const id = await make()
    const { token, url } = await link(id)
    assert.equal(url, `${ADDRESSES.publicUrl}/p/${id}?access=${token}`)
    const answer = await enter(id, token, '&lang=de&x=1')
    assert.equal(answer.status, 303)
    assert.equal(answer.headers.location, `/p/${id}?lang=de&x=1`)
    const [cookie = '', ofFiles = ''] = [answer.headers['set-cookie'] ?? []].flat()
    assert.match(cookie, new RegExp(`; Path=/p/${id}; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$`))
    assert.match(
      ofFiles,
      /^__Secure-carnet_access_\d=\S+; Path=\/d\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
    )
    assert.ok(!(cookie + ofFiles).includes(token))
    assert.equal(answer.headers['cache-control'], 'private, no-store')
    assert.equal(answer.headers['referrer-policy'], 'no-referrer')
    assert.ok(answer.headers['x-request-id'])
  })

  test('the cookie shows more of the page, the audience and the expiry time, and the page is not cached', async () => {
    const id = await make()
    const { token } = await link(id)
    const open = await view(id, undefined)
    assert.ok(!open.text.includes(SECRET))
    const answer = await view(id, cookieOf(await enter(id, token)))
    assert.equal(answer.status, 200)
    assert.ok(answer.text.includes(SECRET))
    assert.match(
      answer.text,
      /View for readers with a legitimate interest.*Repair café &#60;Nord&#62;, until 23 November 2026 at \d\d:\d\d\u00a0UTC</s,
    )
    assert.match(answer.text, /sets one cookie/)
    assert.equal(answer.headers['cache-control'], 'private, no-store')
    assert.equal(answer.headers['x-robots-tag'], 'noindex')
    assert.equal(answer.headers['referrer-policy'], 'no-referrer')
    assert.equal(answer.headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(answer.headers.etag, undefined)
    assert.ok(answer.headers['content-security-policy'])
    const after = await view(id, undefined)
    assert.ok(!after.text.includes(SECRET))
    assert.equal(after.headers.etag, open.headers.etag)
  })

  test('an invalid token sets no cookie', async () => {
    const id = await make()
    const { token: ofOther } = await link(await make())
    for (const wrong of ['x', '', 'dpa_'.padEnd(46, 'A'), 'y'.repeat(5_000), 'é', 'x&access=y', ofOther]) {
      const { status, headers } = await enter(id, wrong)
      assert.deepEqual([status, headers['set-cookie']], [200, undefined], wrong)
    }
  })

  test('a cookie opens only its own passport, and a forged one opens none', async () => {
    const id = await make()
    const other = await make()
    const { token } = await link(undefined)
    const cookie = cookieOf(await enter(id, token))
    assert.ok((await view(id, cookie)).text.includes(SECRET))
    assert.ok(!(await view(other, cookie)).text.includes(SECRET))
    for (const forged of [
      'carnet_access=',
      `carnet_access=${token}`,
      '__Secure-carnet_access=AAAA',
      `${cookie}A`,
      cookie?.replace('__Secure-', ''),
    ]) {
      assert.ok(!(await view(id, forged)).text.includes(SECRET))
    }
  })

  test('is 404 for a passport that does not exist', async () => {
    assert.equal((await enter('nonsense', 'x')).status, 404)
  })
})

describe('an ended or unknown link', () => {
  const assertEnded = ({ status, text, headers }: Answer, why: string) => {
    assert.equal(status, 200, why)
    assert.ok(text.includes(ENDED), why)
    assert.ok(!text.includes(SECRET), why)
    assert.equal(headers['cache-control'], 'private, no-store')
    assert.equal(headers['x-robots-tag'], 'noindex')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers.etag, undefined)
  }
  /** The cookie of a link that opened the passport and then expired. */
  const endedCookie = async (id: string) => {
    const { token, id: linkId } = await link(id)
    const cookie = cookieOf(await enter(id, token)) ?? assert.fail('it opened')
    await revokeAccessLink(account.ctx, linkId)
    return cookie
  }
  const isPlain = async (id: string) => {
    const answer = await view(id, undefined)
    assert.ok(!answer.text.includes(ENDED))
    assert.match(answer.headers['cache-control'] ?? '', /^public/)
    return answer.headers.etag
  }

  test('shows a banner on the public page, whatever the reason, and is not cached', async () => {
    const id = await make()
    const tag = await isPlain(id)
    const { token: ofOther } = await link(await make())
    const expired = await link(id, 1)
    const revoked = await link(id)
    await revokeAccessLink(account.ctx, revoked.id)
    harness.clock.advance(3_600_000)
    const unknown = ['x', '', 'dpa_'.padEnd(46, 'A'), 'y'.repeat(5_000), 'a%20b', 'é', `${ofOther}&access=y`]
    const pages = new Set<string>()
    for (const token of [ofOther, expired.token, revoked.token, ...unknown]) {
      const answer = await enter(id, token)
      assertEnded(answer, token)
      pages.add(answer.text)
    }
    const cookie = await endedCookie(id)
    const answer = await view(id, cookie)
    assertEnded(answer, 'by cookie')
    assert.equal(
      answer.headers['set-cookie'],
      `__Secure-carnet_access=; Path=/p/${id}; Max-Age=0; HttpOnly; SameSite=Lax; Secure`,
    )
    pages.add(answer.text)
    assert.equal(pages.size, 1)
    assert.doesNotMatch([...pages].join(), /hreflang="x-default"|sets one cookie/)
    assert.equal(await isPlain(id), tag)
  })

  test('is rendered only once', async () => {
    const outcomes: string[] = []
    const pageMetrics = { countPage: (from: string) => outcomes.push(from), watchPageCacheSize: () => {} }
    const app = createApp({ ...harness.setup, pageMetrics })
    try {
      const id = await make()
      const { token: ofOther } = await link(await make())
      const cookie = await endedCookie(id)
      const get = async (query: string, headers = {}) => {
        const { statusCode } = await app.inject({ method: 'GET', url: `/p/${id}${query}`, headers })
        assert.equal(statusCode, 200)
      }
      await get('?access=junk')
      assert.deepEqual(outcomes.splice(0), ['rendered'])
      for (let turn = 0; turn < 3; turn++) {
        await get(`?access=junk${turn}`)
        await get(`?access=${ofOther}`)
        await get('', { cookie })
      }
      assert.deepEqual(new Set(outcomes), new Set(['cached']))
    } finally {
      await app.close()
    }
  })

  test('changes nothing in JSON-LD', async () => {
    const id = await make()
    const [open, junk] = [await view(id, undefined, '?format=jsonld'), await enter(id, 'x', '&format=jsonld')]
    assert.equal(junk.text, open.text)
    assert.equal(junk.headers['cache-control'], 'private, no-store')
  })

  test('shows the banner at once to readers whose link was revoked or expired', async () => {
    const id = await make()
    const ends: [string, string, () => unknown][] = []
    const [revoked, expired] = [await link(id), await link(id, 0.5)]
    ends.push(['revoked', revoked.token, () => revokeAccessLink(account.ctx, revoked.id)])
    ends.push(['expired', expired.token, () => harness.clock.advance(1_800_000)])
    for (const [why, token, end] of ends) {
      const cookie = cookieOf(await enter(id, token))
      assert.ok((await view(id, cookie)).text.includes(SECRET), why)
      await end()
      const { text, headers } = await view(id, cookie)
      assert.ok(text.includes(ENDED) && !text.includes(SECRET), why)
      assert.match(String(headers['set-cookie']), /^__Secure-carnet_access=; .*Max-Age=0/, why)
    }
  })

  test('shows the banner in the reader’s language, also for earlier versions and archived passports', async () => {
    const id = await make()
    await harness.ask('PATCH', `/api/v1/products/${id}`, {
      key: account.key,
      body: { data: { productName: 'Second' }, change_type: 'correction' },
    })
    const cookie = await endedCookie(id)
    assert.match((await view(id, cookie, '?lang=de')).text, /Dieser Zugangslink ist nicht mehr gültig/)
    assert.match((await view(id, cookie, '?lang=el')).text, /Αυτός ο σύνδεσμος πρόσβασης δεν ισχύει πλέον/)
    const { text } = await view(id, cookie, '?version=1')
    assert.match(text, /This access link is no longer valid.*You are reading version 1/s)
    await harness.ask('POST', `/api/v1/products/${id}/archive`, { key: account.key })
    const archived = await view(id, cookie)
    assert.match(archived.text, /This access link is no longer valid.*This passport has been archived/s)
  })

  test('HEAD, JSON-LD and a forged cookie get the public response, and delete no cookie', async () => {
    const id = await make()
    const tag = await isPlain(id)
    const cookie = await endedCookie(id)
    const head = await harness.ask('HEAD', `/p/${id}`, { headers: { cookie } })
    assert.equal(head.headers['cache-control'], 'private, no-store')
    assert.equal(head.headers['set-cookie'], undefined)
    const asked = (headers: Record<string, string>) => harness.ask('GET', `/p/${id}`, { headers })
    const accept = 'application/ld+json'
    const machine = await asked({ cookie, accept })
    const open = await asked({ accept })
    assert.deepEqual([machine.text, machine.headers.etag], [open.text, open.headers.etag])
    assert.equal(machine.headers['set-cookie'], undefined)
    const { token } = await link(id)
    for (const headers of [
      { cookie: '__Secure-carnet_access=AAAA' },
      { cookie: `__Secure-carnet_access=${token}` },
      { cookie, authorization: 'Bearer x' },
    ]) {
      const answer = await asked(headers)
      assert.equal(answer.headers.etag, tag)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  test('another link followed afterwards opens the page', async () => {
    const id = await make()
    assertEnded(await enter(id, 'x'), 'x')
    const { token } = await link(id)
    assert.ok((await view(id, cookieOf(await enter(id, token)))).text.includes(SECRET))
  })
})

describe('Authorization: Bearer TOKEN', () => {
  test('opens HTML and JSON-LD, and each use is counted with its time', async () => {
    const id = await make()
    const { token, id: linkId } = await link(id, 48, 'authority')
    const headers = { authorization: `Bearer ${token}` }
    const { headers: forPublic } = await harness.ask('GET', `/p/${id}`)
    assert.ok(forPublic.link)
    for (const accept of ['application/ld+json', 'text/html']) {
      const answer = await harness.ask('GET', `/p/${id}`, { headers: { ...headers, accept } })
      assert.ok(answer.text.includes(SECRET))
      assert.match(answer.headers['content-type'] ?? '', new RegExp(`^${accept.replace('+', '\\+')}`))
      assert.equal(answer.headers['cache-control'], 'private, no-store')
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
      assert.equal(answer.headers.link, accept === 'text/html' ? forPublic.link : undefined)
    }
    await harness.ask('HEAD', `/p/${id}`, { headers })
    await flushAccessUses(harness.setup.sql)
    const listed = (await listAccessLinks(account.ctx)).find(one => one.id === linkId)
    assert.equal(listed?.uses, 2)
    assert.equal(listed?.last_used_at, harness.clock.now().toISOString())
  })

  test('an invalid token gets the public page', async () => {
    const id = await make()
    for (const authorization of ['Bearer x', 'Basic abc', `Bearer ${account.key}`, 'Bearer']) {
      const answer = await harness.ask('GET', `/p/${id}`, { headers: { authorization } })
      assert.equal(answer.status, 200)
      assert.ok(!answer.text.includes(SECRET))
    }
  })
})

describe('an ended link', () => {
  test('names the contact for a new link, in the page’s language', async () => {
    const id = await make()
    const { token } = await link(id, 1)
    const cookie = cookieOf(await enter(id, token))
    await revokeAccessLink(account.ctx, (await listAccessLinks(account.ctx))[0]?.id ?? '')
    const { text } = await view(id, cookie, '?lang=en')
    assert.match(
      text,
      /For a new link, ask Testmarke GmbH: <a href="mailto:passport@testmarke\.example">passport@testmarke\.example<\/a>\./,
    )
    assert.match((await view(id, cookie, '?lang=el')).text, /Για νέο σύνδεσμο[^<]*Testmarke GmbH/)
    assert.doesNotMatch((await view(id, undefined)).text, /For a new link/)
  })
})

describe('?preview=AUDIENCE', () => {
  const signedIn = async (accountId: number) => {
    const email = `member${accountId}@testmarke.example`
    const { token } = await createPerson(account.ctx, { accountId, email, role: 'viewer' })
    await setPassword(account.ctx, { token, password: 'eleven herons over the lake' })
    const answer = await signIn(
      { ...account.ctx, secretKey: 'a secret key that only tests know, long enough' },
      {
        email,
        password: 'eleven herons over the lake',
        network: '192.0.2.1',
        device: undefined,
        replaces: undefined,
      },
    )
    assert.ok('token' in answer)
    return `__Host-carnet=${answer.token}`
  }

  test('shows a member what the audience sees, creates no link and sets no cookie', async () => {
    const id = await make()
    const before = await listAccessLinks(account.ctx)
    const cookie = await signedIn(account.id)
    const answer = await view(id, cookie, '?preview=legitimate_interest&lang=en')
    assert.ok(answer.text.includes(SECRET))
    assert.match(
      answer.text,
      /View for readers with a legitimate interest<\/b> Preview for members of this account/,
    )
    assert.match(answer.text, /href="\?preview=legitimate_interest&amp;lang=de"/)
    assert.match(answer.text, /This page sets no cookies/)
    assert.equal(answer.headers['cache-control'], 'private, no-store')
    assert.equal(answer.headers['set-cookie'], undefined)
    assert.deepEqual(await listAccessLinks(account.ctx), before)
    assert.ok(!(await view(id, cookie)).text.includes(SECRET), 'without ?preview the public page')
    assert.ok(!(await view(id, cookie, '?preview=everything')).text.includes(SECRET))
  })

  test('shows everybody else the public page', async () => {
    const id = await make()
    const other = await harness.account()
    const cookies = [undefined, `__Host-carnet=${'a'.repeat(43)}`, await signedIn(other.id)]
    for (const cookie of cookies) {
      const answer = await view(id, cookie, '?preview=authority')
      assert.equal(answer.status, 200)
      assert.ok(!answer.text.includes(SECRET))
      assert.doesNotMatch(answer.text, /View for authorities/)
    }
  })
})
