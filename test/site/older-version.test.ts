/** Tests GET /p/{id}?version=n: an earlier version for authorised readers, with a link to the current one. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { ADDRESSES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { assertKnown, expand } from './strict-json-ld.ts'

let harness: Harness
let account: TestAccount
before(async () => {
  harness = await startHarness()
  account = await harness.account({ plan: 'enterprise' })
  harness.clock.set('2026-10-03T10:00:00Z')
})
after(() => harness.close())

const patch = async (id: string, data: object, change_type = 'change') => {
  harness.clock.advance(86_400_000)
  const body = { data, change_type, note: 'SECRET NOTE' }
  const answer = await harness.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body })
  assert.equal(answer.status, 200, answer.text)
}
const make = async (data: Record<string, unknown> = {}) => {
  const { passport } = await createPassport(account.ctx, { ...newProduct(data), strict: false })
  return { uuid: passport.id, id: idFromUuid(passport.id), path: `/p/${idFromUuid(passport.id)}` }
}
const changed = async () => {
  harness.clock.set('2026-10-03T10:00:00Z')
  const one = await make({ productName: 'First name', gtin: nextGtin() })
  await patch(one.id, { productName: 'Second name' })
  await patch(one.id, { productName: 'Third name' }, 'correction')
  return one
}

describe('?version=n', () => {
  test('shows the passport as it was, says so and links to the current one', async () => {
    const { path } = await changed()
    const { status, text, headers } = await harness.ask('GET', `${path}?version=2&lang=de`)
    assert.equal(status, 200)
    assert.match(text, /<h1[^>]*>Second name<\/h1>/)
    assert.doesNotMatch(text, /Third name|SECRET/)
    assert.match(text, /Version 2.*4\. Oktober 2026.*<a href="\?lang=de">/)
    assert.match(text, new RegExp(`<link rel="canonical" href="${ADDRESSES.publicUrl}${path}">`))
    assert.equal(headers['x-robots-tag'], 'noindex')
    assert.match(text, /<meta name="robots" content="noindex">/)
    assert.doesNotMatch(text, /<link rel="alternate" hreflang/)
    assert.match(text, /<a href="\?version=2&amp;lang=fi"/)
    assert.match(headers.link ?? '', /\?version=2&format=jsonld>/)
    assert.match(headers.etag ?? '', /\.v2\.de\./)
    assert.match(headers['cache-control'] ?? '', /^public, max-age=60/)
  })

  test('the history links to each version, and is open on an earlier one', async () => {
    const { path } = await changed()
    const links = (html: string) =>
      Array.from(
        html.matchAll(/<a href="\?version=(\d+)&amp;lang=en" aria-label="Version \1"/g),
        ([, n]) => n,
      )
    const now = (await harness.ask('GET', path)).text
    assert.deepEqual(links(now), ['2', '1'])
    assert.match(now, /<b aria-current="true">3<\/b>.*<td>Change: <small>Product name<\/small><\/td>/)
    assert.match(now, /<details><summary><h2>Proof/)
    const then = (await harness.ask('GET', `${path}?version=2`)).text
    assert.deepEqual(links(then), ['1'])
    assert.match(then, /<b aria-current="true">2<\/b>/)
    assert.match(then, /<details open><summary><h2>Proof/)
  })

  test('of the current version is the current page', async () => {
    const { path } = await changed()
    const current = await harness.ask('GET', path)
    const named = await harness.ask('GET', `${path}?version=3`)
    assert.equal(named.text, current.text)
    assert.equal(named.headers.etag, current.headers.etag)
    assert.equal(named.headers['x-robots-tag'], undefined)
  })

  test('of an unknown version is 404', async () => {
    const { path } = await changed()
    for (const version of ['0', '4', '-1', '01', '1.0', 'x', '', '999999999999', '1e0', '%00']) {
      assert.equal((await harness.ask('GET', `${path}?version=${version}`)).status, 404, version)
    }
    assert.equal((await harness.ask('GET', `${path}?version=1&version=2`)).status, 200)
  })

  test('does not share a cache entry with the current page', async () => {
    const { path } = await changed()
    for (const [query, name] of [
      ['', 'Third'],
      ['?version=1', 'First'],
      ['', 'Third'],
      ['?version=2', 'Second'],
    ] as const) {
      assert.match((await harness.ask('GET', path + query)).text, new RegExp(`<h1>${name} name`))
    }
  })

  test('as JSON-LD is that version of the document', async () => {
    const { path } = await changed()
    const { json, headers } = await harness.ask('GET', `${path}?version=1&format=jsonld`)
    assert.equal(json.name, 'First name')
    assert.equal(json.subjectOf.version, 1)
    assert.equal(json.subjectOf.dateModified, '2026-10-03T10:00:00.000Z')
    assert.equal(headers['x-robots-tag'], 'noindex')
    assertKnown(await expand(json))
  })

  test('of an archived passport shows both notices', async () => {
    const { id, path } = await changed()
    await harness.ask('POST', `/api/v1/products/${id}/archive`, { key: account.key })
    const { text } = await harness.ask('GET', `${path}?version=1`)
    assert.match(text, /has been archived.*You are reading version 1/s)
  })

  test('a history of more than twenty versions links to the earlier ones', async () => {
    const { id, path } = await make()
    for (let i = 0; i < 24; i++) await patch(id, { weightGrams: i })
    const { text } = await harness.ask('GET', path)
    assert.match(text, /<th scope="row"><a href="\?version=5&amp;lang=en"[^>]*>5<\/a><\/th><td colspan="2">…/)
    const older = (await harness.ask('GET', `${path}?version=5`)).text
    assert.equal(older.match(/<time/g)?.length, 5)
    assert.doesNotMatch(older, /colspan="2">…/)
  })

  test('of a unit has the inherited and own fields of that time', async () => {
    const model = await make({ weightGrams: 100 })
    const { created } = await issueUnits(account.ctx, {
      parentUuid: model.uuid,
      level: 'item',
      units: [{ serial: 'S-1', data: { carbonFootprint: 4.5 } }],
      bulk: false,
      strict: true,
    })
    const id = idFromUuid(created[0]?.passport.id ?? '')
    await patch(id, { carbonFootprint: 7.5, waterFootprint: 55 })
    const then = (await harness.ask('GET', `/p/${id}?version=1`)).text
    assert.match(then, />4\.5\skg/)
    assert.doesNotMatch(then, />7\.5\skg|>55\sl/)
    assert.match(then, /Recorded for this unit/)
    assert.match((await harness.ask('GET', `/p/${id}`)).text, />7\.5\skg.*>55\sl/s)
  })

  test('shows the protected fields to a reader with an access link, and is not cached', async () => {
    const stages = (name: string) => ({
      supplyChainStages: [{ stage: 'spinning', country: 'TR', facilityName: name }],
    })
    const { id, path } = await make(stages('Old Mill'))
    await patch(id, stages('New Mill'))
    const { token } = await createAccessLink(account.ctx, {
      passportId: id,
      audience: 'legitimate_interest',
      label: 'Reader',
      expiresAt: new Date(harness.clock.now().getTime() + 3_600_000),
      addresses: ADDRESSES,
    })
    const headers = { authorization: `Bearer ${token}` }
    const answer = await harness.ask('GET', `${path}?version=1`, { headers })
    assert.match(answer.text, /Old Mill/)
    assert.doesNotMatch(answer.text, /New Mill/)
    assert.equal(answer.headers['cache-control'], 'private, no-store')
    assert.doesNotMatch((await harness.ask('GET', `${path}?version=1`)).text, /Mill/)
    const entered = await harness.ask('GET', `${path}?access=${token}&version=1`)
    assert.equal(entered.headers.location, `${path}?version=1`)
  })
})
