/** Access links at the door: token to cookie to clean address, Bearer for machines, nothing kept by caches. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { idFromUuid } from '../../src/kernel/ids.ts'
import { createAccessLink, listAccessLinks, revokeAccessLink } from '../../src/passports/access-links.ts'
import { flushAccessUses } from '../../src/passports/access-use.ts'
import { createPassport } from '../../src/passports/create.ts'
import { ADDRESSES, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'

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
const view = (id: string, cookie: string | undefined) =>
  harness.ask('GET', `/p/${id}`, { headers: cookie === undefined ? {} : { cookie } })

describe('?access=TOKEN', () => {
  test('becomes a cookie for this passport and a clean address', async () => {
    const id = await make()
    const { token, url } = await link(id)
    assert.equal(url, `${ADDRESSES.publicUrl}/p/${id}?access=${token}`)
    const answer = await enter(id, token, '&lang=de&x=1')
    assert.equal(answer.status, 303)
    assert.equal(answer.headers.location, `/p/${id}?lang=de&x=1`)
    const cookie = String(answer.headers['set-cookie'])
    assert.match(cookie, new RegExp(`; Path=/p/${id}; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$`))
    assert.ok(!cookie.includes(token))
    assert.equal(answer.headers['cache-control'], 'private, no-store')
    assert.equal(answer.headers['referrer-policy'], 'no-referrer')
    assert.ok(answer.headers['x-request-id'])
  })

  test('the page then shows more, says to whom and until when, and is kept by nobody', async () => {
    const id = await make()
    const { token } = await link(id)
    const open = await view(id, undefined)
    assert.ok(!open.text.includes(SECRET))
    const answer = await view(id, cookieOf(await enter(id, token)))
    assert.equal(answer.status, 200)
    assert.ok(answer.text.includes(SECRET))
    assert.match(
      answer.text,
      /View for readers with a legitimate interest.*Repair café &#60;Nord&#62;, until 23 November 2026/s,
    )
    assert.match(answer.text, /sets one cookie/)
    assert.equal(answer.headers['cache-control'], 'private, no-store')
    assert.equal(answer.headers['x-robots-tag'], 'noindex')
    assert.equal(answer.headers['referrer-policy'], 'no-referrer')
    assert.equal(answer.headers.etag, undefined)
    assert.ok(answer.headers['content-security-policy'])
    const after = await view(id, undefined)
    assert.ok(!after.text.includes(SECRET))
    assert.equal(after.headers.etag, open.headers.etag)
  })

  test('a cookie of a link that ends soon ends with it', async () => {
    const id = await make()
    const { token } = await link(id, 0.5)
    assert.match(String((await enter(id, token)).headers['set-cookie']), /Max-Age=1800/)
  })

  test('one that opens nothing leads to the same address, without a cookie', async () => {
    const id = await make()
    const other = await make()
    const { token: ofOther } = await link(other)
    const expired = await link(id, 1)
    const revoked = await link(id)
    await revokeAccessLink(account.ctx, revoked.id)
    harness.clock.advance(3_600_000)
    const wrong = [
      ofOther,
      expired.token,
      revoked.token,
      'x',
      '',
      'dpa_'.padEnd(46, 'A'),
      `${ofOther}&access=y`,
    ]
    for (const token of wrong) {
      const answer = await enter(id, token)
      assert.equal(answer.status, 303, token)
      assert.equal(answer.headers.location, `/p/${id}`)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  test('an ended or revoked link shows the public page, at once', async () => {
    const id = await make()
    const { token, id: linkId } = await link(id)
    const cookie = cookieOf(await enter(id, token))
    assert.ok((await view(id, cookie)).text.includes(SECRET))
    await revokeAccessLink(account.ctx, linkId)
    const answer = await view(id, cookie)
    assert.equal(answer.status, 200)
    assert.ok(!answer.text.includes(SECRET))
    assert.match(answer.headers['cache-control'] ?? '', /^public/)
    const short = await link(id)
    const until = cookieOf(await enter(id, short.token))
    harness.clock.advance(3_600_000)
    assert.ok(!(await view(id, until)).text.includes(SECRET))
  })

  test('a cookie of one passport opens no other, a forged one none', async () => {
    const id = await make()
    const other = await make()
    const { token } = await link(undefined)
    const cookie = cookieOf(await enter(id, token))
    assert.ok((await view(id, cookie)).text.includes(SECRET))
    assert.ok(!(await view(other, cookie)).text.includes(SECRET))
    for (const forged of ['carnet_access=', `carnet_access=${token}`, 'carnet_access=AAAA', `${cookie}A`]) {
      assert.ok(!(await view(id, forged)).text.includes(SECRET))
    }
  })

  test('of no passport is 404', async () => {
    assert.equal((await enter('nonsense', 'x')).status, 404)
  })
})

describe('Authorization: Bearer TOKEN', () => {
  test('opens HTML and JSON-LD, counted with its time', async () => {
    const id = await make()
    const { token, id: linkId } = await link(id, 48, 'authority')
    const headers = { authorization: `Bearer ${token}` }
    for (const accept of ['application/ld+json', 'text/html']) {
      const answer = await harness.ask('GET', `/p/${id}`, { headers: { ...headers, accept } })
      assert.ok(answer.text.includes(SECRET))
      assert.match(answer.headers['content-type'] ?? '', new RegExp(`^${accept.replace('+', '\\+')}`))
      assert.equal(answer.headers['cache-control'], 'private, no-store')
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
    }
    await harness.ask('HEAD', `/p/${id}`, { headers })
    await flushAccessUses(harness.sql)
    const listed = (await listAccessLinks(account.ctx)).find(one => one.id === linkId)
    assert.equal(listed?.uses, 2)
    assert.equal(listed?.last_used_at, harness.clock.now().toISOString())
  })

  test('an invalid one sees what everyone sees', async () => {
    const id = await make()
    for (const authorization of ['Bearer x', 'Basic abc', `Bearer ${account.key}`, 'Bearer']) {
      const answer = await harness.ask('GET', `/p/${id}`, { headers: { authorization } })
      assert.equal(answer.status, 200)
      assert.ok(!answer.text.includes(SECRET))
    }
  })
})
