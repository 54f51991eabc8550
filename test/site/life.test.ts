/** Tests the section “Life of this product” and `/p/{id}/events`: who sees which events, in which language, and how soon. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { ADDRESSES, type Ask } from '../harness.ts'

let s: UnitStand
let item: string
const tokens: Record<string, string> = {}
before(async () => {
  s = await startUnitStand('enterprise')
  item = await s.item(await s.model(), 'L-1')
  const expiresAt = new Date(s.t.clock.now().getTime() + 86_400_000)
  for (const audience of ['legitimate_interest', 'authority'] as const) {
    const link = { passportId: undefined, audience, label: audience, expiresAt, addresses: ADDRESSES }
    tokens[audience] = (await createAccessLink(s.account.ctx, link)).token
  }
  await add({ kind: 'put_into_service', at: '2026-01-02', note: { en: 'PLANTED-first' } })
  await add({
    kind: 'repair',
    at: '2026-01-03',
    note: { de: 'Modul <b>getauscht</b>', fr: 'Module remplacé' },
    reference: 'PLANTED-order',
    parts: [{ name: 'Module 4', serial: '8841', passportUrl: 'https://parts.example/p/4' }],
    by: { name: 'Werkstatt', country: 'DE' },
  })
  await add({ kind: 'accident', at: '2026-01-04', note: { en: 'PLANTED-accident' } })
  await add({ kind: 'repair', at: '2026-01-05', note: { en: 'PLANTED-hidden' }, public: false })
})
after(() => s.close())

const add = (body: object, id = item) => s.call('POST', `/${id}/events`, body)

const as = (audience: string): Ask =>
  audience === 'public' ? {} : { headers: { authorization: `Bearer ${tokens[audience]}` } }
const page = async (audience = 'public', query = '?lang=de') =>
  (await s.t.ask('GET', `/p/${item}${query}`, as(audience))).text
const events = async (audience = 'public', query = '') => {
  const { status, json, text } = await s.t.ask('GET', `/p/${item}/events${query}`, as(audience))
  assert.equal(status, 200, text)
  return json
}
const section = (text: string) => /<div id="life">.*?<\/details>/s.exec(text)?.[0] ?? ''
const planted = (text: string) => [...new Set(text.match(/PLANTED-\w+/g))].sort()

describe('the life of a unit', () => {
  test('is shown to each audience as far as it may see it, in every format', async () => {
    const seen = {
      public: [],
      authority: ['PLANTED-hidden'],
      legitimate_interest: ['PLANTED-accident', 'PLANTED-first', 'PLANTED-hidden'],
    }
    for (const [audience, expected] of Object.entries(seen)) {
      assert.deepEqual(planted(await page(audience, '?lang=en')), expected, audience)
      const list = await s.t.ask('GET', `/p/${item}/events`, as(audience))
      const kept = audience === 'public' ? [] : expected
      assert.deepEqual(planted(list.text), kept, audience)
      for (const format of ['jsonld', 'en', 'en-full', 'aas', 'untp'])
        assert.deepEqual(
          planted((await s.t.ask('GET', `/p/${item}?format=${format}`, as(audience))).text),
          [],
          format,
        )
    }
  })

  test('names kind, day, note, parts and workshop in the language of the page', async () => {
    const text = section(await page())
    for (const part of [
      'Reparatur',
      '3. Januar 2026',
      'Modul &#60;b&#62;getauscht&#60;/b&#62;',
      'Module 4 (8841)',
      'Werkstatt',
      'Deutschland',
    ])
      assert.ok(text.includes(part), `${part} in ${text}`)
    assert.match(text, /href="https:\/\/parts\.example\/p\/4"/)
    assert.match(section(await page('public', '?lang=fr')), /Réparation.*Module remplacé/s)
    assert.match(section(await page('legitimate_interest')), /Zustand.*In Gebrauch/s)
    assert.doesNotMatch(text, /Zustand|In Gebrauch/)
    for (const { code } of LANGUAGES) {
      const own = section(await page('legitimate_interest', `?lang=${code}`))
      assert.doesNotMatch(own, /put_into_service|\{date\}|undefined/, code)
    }
  })

  test('has neither numbers nor hashes for readers, which would tell of hidden events', async () => {
    const { data, meta } = await events()
    assert.deepEqual(
      data.map((one: object) => Object.keys(one).sort()),
      [['at', 'by', 'corrected', 'kind', 'negative', 'note', 'parts', 'replaces_next', 'stored_at']],
    )
    assert.deepEqual(meta, { life: 'new', limit: 25, has_more: false, next_cursor: null })
  })

  test('appears at once, struck through with its reason once corrected, and what stands in its place', async () => {
    const before = await s.t.ask('GET', `/p/${item}?lang=en`)
    await add({ kind: 'inspection', at: '2026-01-06' })
    const unchanged = await s.t.ask('GET', `/p/${item}?lang=en`)
    assert.equal(unchanged.headers.etag, before.headers.etag, 'a hidden event changes nothing for the public')
    const event = { kind: 'recycled', at: '2026-01-07', note: { en: 'All of it.' } }
    await add({ kind: 'correction', corrects: 2, note: { en: 'PLANTED-reason' }, event })
    const text = section(await page('public', '?lang=en'))
    assert.match(text, /Recycled.*All of it\..*<del>.*Repair.*<\/del>.*Corrected on.*PLANTED-reason/s)
    assert.match(text, /State.*Recycled/s)
    assert.equal((await events()).meta.life, 'recycled')
    await add({ kind: 'correction', corrects: 3, note: { en: 'PLANTED-secret' } })
    assert.deepEqual(planted(await page('public', '?lang=en')), ['PLANTED-reason'])
    assert.ok(planted(await page('legitimate_interest', '?lang=en')).includes('PLANTED-secret'))
  })

  test('is in pages, of which each entry stands on one', async () => {
    const id = await s.item(await s.model(), 'L-2')
    for (let n = 1; n <= 23; n++)
      await add({ kind: n % 2 ? 'repair' : 'accident', at: `2026-01-${10 + (n % 7)}` }, id)
    const get = async (query: string) => (await s.t.ask('GET', `/p/${id}/events${query}`)).json
    const all = (await get('?limit=100')).data
    assert.equal(all.length, 12)
    const paged: unknown[] = []
    for (let cursor = ''; ; ) {
      const { data, meta } = await get(`?limit=5${cursor}`)
      paged.push(...data)
      if (!meta.has_more) break
      cursor = `&cursor=${meta.next_cursor}`
    }
    assert.deepEqual(paged, all)
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?cursor=1'])
      assert.equal((await s.t.ask('GET', `/p/${id}/events${query}`)).status, 422, query)
    const whole = (await s.t.ask('GET', `/p/${id}?lang=en`, as('legitimate_interest'))).text
    assert.equal(section(whole).match(/<li>/g)?.length, 20)
    assert.match(section(whole), /All entries as data/)
  })

  test('is no page for a wrong id or token, and empty for a model', async () => {
    const model = await s.model()
    assert.deepEqual((await s.t.ask('GET', `/p/${model}/events`)).json.data, [])
    assert.equal(section((await s.t.ask('GET', `/p/${model}`)).text), '')
    assert.equal((await s.t.ask('GET', '/p/01m7ywhcr7fxwrqq1xd4m28c2t/events')).status, 404)
    assert.equal((await s.t.ask('GET', '/p/x/events')).status, 404)
    const wrong = {
      headers: {
        authorization: `Bearer ${tokens.authority?.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))}`,
      },
    }
    assert.equal((await s.t.ask('GET', `/p/${item}/events`, wrong)).status, 401)
    const moved = await s.t.ask('GET', `/p/${item}/events?limit=3&access=${tokens.authority}`)
    assert.deepEqual([moved.status, moved.headers.location], [303, `/p/${item}/events?limit=3`])
  })
})
