/** Tests “What you can do”: whose offers a page shows, in which order, language and country, and how long. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { findRequestedRegion } from '../../src/i18n/negotiate.ts'
import { OFFER_KINDS } from '../../src/passports/offers/offer.ts'
import { startUnitStand, type UnitStand } from '../api/unit-stand.ts'
import { CORES, type Harness, newProduct, nextGtin, type TestAccount } from '../harness.ts'
import { FULL } from './passport-views.ts'

let s: UnitStand
let t: Harness
let networks = 0
before(async () => {
  s = await startUnitStand('enterprise')
  t = s.t
})
after(() => s.close())

type Page = { text: string; html: string; headers: Record<string, string> }

/** `text`: the section without tags; empty if the page has none. */
async function open(id: string, accepts = 'en', query = ''): Promise<Page> {
  // A network of its own, because of the limit of uncached pages.
  const from = `10.1.${networks >> 8}.${networks++ & 255}`
  const headers = { 'accept-language': accepts }
  const page = await t.ask('GET', `/p/${id}${query}`, { headers, from })
  assert.equal(page.status, 200)
  const [, html = ''] = /<div id="actions">(.*?)<\/div><\/details>(?=<details)/s.exec(page.text) ?? []
  return { html, text: textOf(html), headers: page.headers }
}

const textOf = (html: string) =>
  html
    .replace(/<br>|<\/(?:p|dt|dd|h3|summary)>/g, '\n')
    .replace(/<[^>]+>/g, '')
    .replace(/ shop\.example \(.*?\)/g, '')
    .trim()
    .split('\n')
    .filter(line => line !== '')
    .join(' | ')

const fresh = async () => {
  const account = await t.account({ plan: 'enterprise' })
  const created = await t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct() })
  return { account, id: created.json.data.id as string }
}

const offer = async ({ key }: Pick<TestAccount, 'key'>, body: object) => {
  const all = { kind: 'repair', title: { en: 'Repairs' }, url: 'https://shop.example/', ...body }
  const answer = await t.ask('POST', '/api/v1/offers', { key, body: all })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.data.id as string
}

const countryOffers = async (account: TestAccount) => {
  await offer(account, { title: { en: 'Everywhere' } })
  await offer(account, { title: { en: 'In Austria' }, countries: ['AT'] })
  await offer(account, { title: { en: 'In both' }, kind: 'take_back', countries: ['AT', 'DE'] })
  await offer(account, { title: { en: 'In Greece' }, countries: ['GR'] })
}

/** Words that compress as texts of people do, not as one sentence a hundred times. */
const write = (i: number, length: number) => {
  const words =
    'repair spare part close by send return week free price ask shop town hand sew patch zip old new'
  const all = words.split(' ')
  return Array.from({ length }, (_, k) => all[(i * 7 + k * k + 3 * k) % all.length]).join(' ')
}

describe('a page of an account with as many offers as it can have', () => {
  test('has three of each kind, the nearest first, and fits into 14 kB, 60 kB unpacked, in every language', async () => {
    const account = await t.account({ plan: 'enterprise' })
    const body = { category: 'battery', data: { ...CORES.battery, ...FULL.battery, gtin: nextGtin() } }
    const created = await t.ask('POST', '/api/v1/products', { key: account.key, body })
    assert.equal(created.status, 201, created.text)
    const { id } = created.json.data
    const many = Array.from({ length: 97 }, (_, i) => ({
      kind: OFFER_KINDS[i % OFFER_KINDS.length],
      title: { en: `${i} ${write(i, 4)}` },
      text: { en: write(i + 1, 24) },
      url: `https://shop.example/${i}/${write(i, 2).replace(' ', '-')}`,
      countries: i < 90 ? [] : ['FR'],
    }))
    for (const one of many) await offer(account, one)
    await offer(account, { title: { en: 'For batteries' }, category: 'battery' })
    await offer(account, { title: { en: 'For this one' }, product_id: id })
    const { text } = await open(id)
    const repairs = /Repair \| (.*?) \| Spare/.exec(text)?.[1] ?? ''
    assert.match(repairs, /^For this one \| For batteries \| 0 repair/)
    assert.doesNotMatch(repairs, /\b8 /)
    const shown = (await open(id)).html.match(/href="https:\/\/shop/g)?.length ?? 0
    assert.ok(shown <= 3 * OFFER_KINDS.length * 2, String(shown))
    for (const { code } of LANGUAGES) {
      const from = `10.2.0.${networks++ & 255}`
      const headers = { 'accept-encoding': 'gzip' }
      const { rawPayload } = await t.app.inject({
        url: `/p/${id}?lang=${code}`,
        headers,
        remoteAddress: from,
      })
      assert.ok(rawPayload.length <= 14_000, `${code}: ${rawPayload.length} bytes`)
      const whole = gunzipSync(rawPayload).length
      assert.ok(whole <= 60_000, `${code}: ${whole} bytes without compression`)
    }
  })
})

describe('a page without offers', () => {
  test('has no such section, and is the same before the first offer and after the last', async () => {
    const { account, id } = await fresh()
    const ask = () => t.ask('GET', `/p/${id}`, { headers: { 'accept-language': 'de-AT' } })
    const before = await ask()
    assert.doesNotMatch(before.text, /id="actions"/)
    const first = await offer(account, {})
    assert.match((await ask()).text, /id="actions"/)
    await t.ask('DELETE', `/api/v1/offers/${first}`, { key: account.key })
    const after = await ask()
    assert.equal(after.text, before.text)
    assert.equal(after.headers.etag, before.headers.etag)
  })
})

describe('the section', () => {
  test('stands after the key facts and has kinds in the order of the account', async () => {
    const { account, id } = await fresh()
    await offer(account, { title: { en: 'Send it in' }, text: { en: 'Free of charge.' } })
    await offer(account, { kind: 'spare_parts', title: { en: 'Order parts' }, position: 0 })
    await offer(account, { title: { en: 'Find a workshop' }, position: 9 })
    const page = await open(id)
    assert.equal(
      page.text,
      'Repair | Send it in | Free of charge. | Find a workshop | Spare parts | Order parts',
    )
    const { text } = await t.ask('GET', `/p/${id}`)
    assert.match(text, /<section class="facts".*<h2>What you can do<\/h2>.*<h2>Fibre composition<\/h2>/s)
    assert.match(
      page.html,
      /<a href="https:\/\/shop\.example\/" rel="noopener nofollow"><bdi>Send it in<\/bdi>/,
    )
  })

  test('has the heading and kinds in all 24 languages, and the texts in the best one, with its language', async () => {
    const { account, id } = await fresh()
    const titles = { de: 'Werkstatt', tr: 'Tamir', en: 'Workshop' }
    for (const kind of ['repair', 'spare_parts', 'resale', 'take_back', 'recycling'])
      await offer(account, { kind, title: titles })
    for (const kind of ['instructions', 'support', 'registration'])
      await offer(account, { kind, title: titles })
    const seen = new Set<string>()
    for (const { code } of LANGUAGES) {
      const { html } = await open(id, code)
      const kinds = Array.from(html.matchAll(/<dt>(.*?)<\/dt>/g), ([, kind]) => kind)
      assert.equal(new Set(kinds).size, 8, code)
      seen.add(kinds.join())
      const expected = ['de', 'en'].includes(code)
        ? `<bdi>${titles[code as 'de']}</bdi>`
        : '<bdi lang="en">Workshop</bdi>'
      assert.equal(html.split(expected).length, 9, code)
    }
    assert.equal(seen.size, 24)
    assert.match((await open(id, 'tr, de;q=0.5')).html, /<bdi lang="tr">Tamir<\/bdi>/)
    assert.match((await open(id, 'de-CH')).html, /<bdi>Werkstatt<\/bdi>/)
  })

  test('says below an offer in another language than the page in which languages it is', async () => {
    const { account, id } = await fresh()
    await offer(account, { title: { de: 'Werkstatt' }, text: { de: 'Kostenlos.', fr: 'Gratuit.' } })
    await offer(account, { title: { el: 'Επισκευή' } })
    const [german, greek] = await Promise.all([open(id, 'de'), open(id, 'el')])
    const links = '<a href="?lang=de">γερμανικά</a>, <a href="?lang=fr">γαλλικά</a>'
    assert.ok(
      greek.html
        .toLowerCase()
        .includes(`kostenlos.</bdi><small class="from">μόνο στα: ${links}</small></dd>`),
      greek.html,
    )
    assert.equal(greek.html.split('class="from"').length, 2)
    assert.match(german.html, /Kostenlos\.<\/bdi><\/dd>/)
    assert.equal(german.html.split('class="from"').length, 2)
  })

  test('has what is for the category, the product, its batch or its model, and of no other account', async () => {
    const model = await s.model()
    const other = await s.model()
    const batch = await s.batch(model, 'L1')
    const [item = '', sibling = ''] = await s.items(batch, 'x', 2)
    await offer(s.account, { category: 'battery', title: { en: 'category' } })
    await offer(s.account, { category: 'textile', title: { en: 'textile' } })
    await offer(s.account, { product_id: model, title: { en: 'model' } })
    await offer(s.account, { product_id: batch, title: { en: 'batch' } })
    await offer(s.account, { product_id: item, title: { en: 'item' } })
    const stranger = await t.account()
    await offer(stranger, { title: { en: 'stranger' } })
    for (const [id, expected] of [
      [other, 'category'],
      [model, 'model | category'],
      [batch, 'batch | model | category'],
      [sibling, 'batch | model | category'],
      [item, 'item | batch | model'],
    ] as const)
      assert.equal((await open(id)).text, `Repair | ${expected}`)
  })

  test('writes hostile words and addresses as text', async () => {
    const { account, id } = await fresh()
    const script = '"><script>alert(1)</script>&lt;b&gt;'
    const url = `https://shop.example/?q="><script>&x='`
    await offer(account, { title: { en: script }, text: { en: script }, url })
    const { html } = await open(id)
    assert.equal(html.split('&#34;&#62;&#60;script&#62;alert(1)').length, 3)
    assert.match(html, /\?q&#61;%22%3E%3Cscript%3E&#38;x&#61;%27" rel=/)
    const { text } = await t.ask('GET', `/p/${id}`)
    assert.doesNotMatch(text, /<script/i)
  })
})

describe('the reader’s country', () => {
  const HERE = 'Repair | Everywhere'
  const ALL =
    'Your country: Austria · Germany · Greece | Repair | Everywhere | Austria | Repair | In Austria | ' +
    'Austria, Germany | Take-back | In both | Greece | Repair | In Greece'

  test('is the region of the preferred language: its offers come first, others behind a line', async () => {
    const { account, id } = await fresh()
    await countryOffers(account)
    const { html, text } = await open(id, 'en-AT, en;q=0.9, el-GR;q=0.5')
    assert.equal(
      text,
      `Your country: Austria · Germany · Greece | ${HERE} | In Austria | Take-back | In both | ` +
        'In other countries | Greece | Repair | In Greece',
    )
    assert.match(html, /<details><summary><h3>In other countries<\/h3><\/summary>.*In Greece/s)
    assert.match(html, /country=AT#actions" aria-current="true">Austria</)
  })

  test('without one, or with one that has no offers, all are shown by country', async () => {
    const { account, id } = await fresh()
    await countryOffers(account)
    for (const accepts of ['en', 'en-IE', 'en, de-AT;q=0.9', 'en-XX', '*', 'en-001'])
      assert.equal((await open(id, accepts)).text, ALL, accepts)
    assert.doesNotMatch((await open(id)).html, /<details/)
  })

  test('is chosen by a link, which keeps the language and wins; nonsense asks for all', async () => {
    const { account, id } = await fresh()
    await countryOffers(account)
    const { html } = await open(id, 'de')
    assert.match(html, /<a href="\?lang=de&amp;country=GR#actions">Griechenland<\/a>/)
    const greek = await open(id, 'de-AT', '?lang=de&country=gr')
    assert.match(greek.text, /^Ihr Land: Deutschland · Griechenland · Österreich \| Reparatur \| Everywhere/)
    assert.match(greek.html, /country=GR#actions" aria-current="true">/)
    const page = await t.ask('GET', `/p/${id}?lang=de&country=gr`)
    assert.match(page.text, /<a href="\?country=GR&amp;lang=fr" hreflang="fr"/)
    for (const query of ['?lang=en&country=', '?lang=en&country=XX', '?lang=en&country=%3Cscript%3E'])
      assert.equal((await open(id, 'de-AT', query)).text, ALL, query)
  })

  test('changes only pages with offers for it, and is named in Vary', async () => {
    const { account, id } = await fresh()
    await offer(account, { title: { en: 'Everywhere' } })
    const [none, austrian] = await Promise.all([open(id, 'en'), open(id, 'en-AT')])
    assert.equal(none.headers.etag, austrian.headers.etag)
    assert.equal(none.text, HERE)
    assert.match(none.headers.vary ?? '', /Accept-Language/)
    await countryOffers(account)
    const tags = await Promise.all(['en', 'en-IE', 'en-US', 'en-AT', 'en-DE'].map(one => open(id, one)))
    assert.equal(new Set(tags.map(({ headers }) => headers.etag)).size, 3)
  })

  test('is found in each form of the header', () => {
    for (const [header, region] of [
      ['de-AT', 'AT'],
      ['de,de-CH;q=0.9,en-US;q=0.8', 'CH'],
      ['sr-Latn-RS', 'RS'],
      ['en-US;q=0.1, pt-br', 'BR'],
      ['de, en-US;q=0.7', undefined],
      ['de-1996', undefined],
      ['es-419', undefined],
      ['zh-Hant', undefined],
      ['de-AT;q=0', undefined],
      ['', undefined],
      [undefined, undefined],
    ] as const)
      assert.equal(findRequestedRegion(header), region, String(header))
  })
})

describe('a change of an offer', () => {
  test('is on the page of this process at once, and of another after a second', async () => {
    const { account, id } = await fresh()
    const beside = await t.beside()
    const see = async (server: Harness) =>
      /Repairs|Mending/.exec((await server.ask('GET', `/p/${id}`)).text)?.[0]
    const first = await offer(account, {})
    assert.deepEqual([await see(t), await see(beside)], ['Repairs', 'Repairs'])
    const body = { title: { en: 'Mending' } }
    await t.ask('PATCH', `/api/v1/offers/${first}`, { key: account.key, body })
    assert.equal(await see(t), 'Mending')
    beside.clock.advance(1_100)
    assert.equal(await see(beside), 'Mending')
    beside.clock.release()
    await beside.close()
  })

  test('reaches readers with an access link and earlier versions, too', async () => {
    const { account, id } = await fresh()
    await t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body: { data: { sku: 'S-2' } } })
    await offer(account, { title: { en: 'Mending' } })
    assert.match((await t.ask('GET', `/p/${id}?version=1`)).text, /Mending/)
  })
})
