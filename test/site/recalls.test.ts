/** Tests recall notices on public pages: first, for everybody, on every level beneath, and in link sets. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { endRecall, setRecall } from '../../src/passports/recalls/set-recall.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { ADDRESSES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { read, renderPage, rowOf } from './passport-views.ts'
import { linksetFaults } from './resolver-schemas.ts'

const VOC = 'https://ref.gs1.org/voc/'
const EMPTY = { url: undefined, contact: undefined, from: undefined }
const NOTICE = {
  ...EMPTY,
  hazard: { en: 'It can catch fire.' },
  action: { en: 'Stop using it.\nBring it back.' },
}

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
  t.clock.set('2026-11-24T10:00:00Z')
})
after(() => t.close())

type Unit = { uuid: string; id: string }
const named = (uuid: string): Unit => ({ uuid, id: idFromUuid(uuid) })

async function issue(parent: Unit, unit: { lot?: string; serial?: string }): Promise<Unit> {
  const level = unit.serial === undefined ? 'batch' : 'item'
  const { created } = await issueUnits(account.ctx, {
    parentUuid: parent.uuid,
    level,
    units: [unit],
    bulk: false,
    strict: true,
  })
  const [issued] = created
  assert.ok(issued)
  return named(issued.passport.id)
}

async function makeFamily(data: object = {}) {
  const gtin = `0${nextGtin()}`
  const body = newProduct({ gtin, languages: ['en', 'de'], ...data })
  const model = named((await createPassport(account.ctx, { ...body, strict: false })).passport.id)
  const batch = await issue(model, { lot: 'L-1' })
  const other = await issue(model, { lot: 'L-2' })
  const item = await issue(batch, { serial: 'S-1' })
  return { gtin, model, batch, other, item }
}

const set = (unit: Unit, notice: object = {}) =>
  setRecall(account.ctx, { uuid: unit.uuid, notice: { ...NOTICE, ...notice }, expects: () => true })
const end = (unit: Unit) => endRecall(account.ctx, { uuid: unit.uuid, expects: () => true })
const page = async ({ id }: Unit, query = '', headers = {}) =>
  (await t.ask('GET', `/p/${id}${query}`, { headers: { accept: 'text/html', ...headers } })).text

const RECALL = /<section class="recall" aria-labelledby="recall"><h2 id="recall">/

describe('the page of a recalled product', () => {
  test('shows the notice first, on all levels beneath it and on no other, within a second', async () => {
    const { model, batch, other, item } = await makeFamily()
    const all = [model, batch, other, item]
    const plain = await Promise.all(all.map(one => page(one)))
    for (const html of plain) assert.doesNotMatch(html, /recall/i)
    await set(batch)
    t.clock.advance(1_000)
    const [ofModel, ofBatch, ofOther, ofItem] = await Promise.all(all.map(one => page(one)))
    assert.deepEqual([ofModel, ofOther], [plain[0], plain[2]])
    for (const html of [ofBatch, ofItem]) {
      assert.match(html ?? '', /<body><a class="skip"[^>]*>[^<]*<\/a>\n<section class="recall" /)
      assert.match(html ?? '', /<title>Recall: /)
      assert.match(html ?? '', /every product of this batch/)
      assert.match(html ?? '', /<p>Stop using it\.<\/p><p>Bring it back\.<\/p>/)
      assert.match(html ?? '', /Since <time datetime="2026-11-24">24 November 2026<\/time>/)
    }
    await set(model, { hazard: { en: 'The paint is poisonous.' } })
    await set(item, { hazard: { en: 'It was dropped.' } })
    t.clock.advance(1_000)
    const three = await page(item)
    const places = ['It was dropped.', 'It can catch fire.', 'The paint is poisonous.'].map(text =>
      three.indexOf(text),
    )
    assert.ok(places[0] !== undefined && places[0] > 0)
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    )
    for (const one of [model, batch, item]) await end(one)
    t.clock.advance(1_000)
    assert.deepEqual(await Promise.all(all.map(one => page(one))), plain)
  })

  test('is in 24 languages; a text in another language says so and leads to its languages', async () => {
    const { model } = await makeFamily()
    await set(model, {
      hazard: { en: 'It can catch fire.', fr: 'Il peut prendre feu.', tr: 'Alev alabilir.' },
      contact: '+49 1',
    })
    t.clock.advance(1_000)
    const titles = new Set<string>()
    for (const { code } of LANGUAGES) {
      const html = await page(model, `?lang=${code}`)
      titles.add(/<h2 id="recall">([^<]+)</.exec(html)?.[1] ?? '')
      if (code !== 'en') assert.match(html, /<p lang="en" dir="auto">Stop using it\.<\/p>/, code)
    }
    assert.ok(titles.size >= 20)
    const german = await page(model, '?lang=de')
    assert.match(german, /Nur auf: <a href="\?lang=en">Englisch<\/a>, <a href="\?lang=fr">Franz/)
    assert.match(german, /<p lang="en" dir="auto">It can catch fire\.<\/p>/)
    assert.match(await page(model, '?lang=fr'), /<p>Il peut prendre feu\.<\/p>/)
    const turkish = await page(model, '', { 'accept-language': 'tr' })
    assert.match(turkish, /<p lang="tr" dir="auto">Alev alabilir\.<\/p>/)
  })

  test('shows it on an archived passport, an earlier version, and with an access link', async () => {
    const { model } = await makeFamily()
    const at = `/api/v1/products/${model.id}`
    await t.ask('PATCH', at, { key: account.key, body: { data: { productName: 'Second' } } })
    await t.ask('POST', `${at}/archive`, { key: account.key })
    await set(model)
    t.clock.advance(1_000)
    assert.match(await page(model), RECALL)
    assert.match(await page(model, '?version=1'), RECALL)
    const { token } = await createAccessLink(account.ctx, {
      audience: 'authority',
      passportId: model.id,
      label: 'Customs',
      addresses: ADDRESSES,
      expiresAt: new Date(t.clock.now().getTime() + 86_400_000),
    })
    const opened = await t.ask('GET', `/p/${model.id}?access=${token}`)
    const cookie = String(opened.headers['set-cookie']).split(';', 1)[0] ?? ''
    const seen = await page(model, '', { cookie })
    assert.match(seen, /View for authorities/)
    assert.match(seen, RECALL)
  })

  test('has no markup, address or script of those who write it', async () => {
    const { model } = await makeFamily()
    const evil = '</p></section><script>alert(1)</script><img src=x onerror=alert(1)>"\u202e'
    await set(model, {
      hazard: { en: evil, 'x-evil': evil },
      action: { en: 'javascript:alert(1)' },
      contact: evil,
      url: 'https://brand.example/"><script>alert(2)</script>',
    }).catch(() => undefined)
    await set(model, {
      hazard: { en: evil },
      action: { en: 'javascript:alert(1)' },
      contact: evil,
      url: 'https://brand.example/"><script>alert(2)</script>',
    })
    t.clock.advance(1_000)
    const html = await page(model)
    assert.match(html, RECALL)
    assert.doesNotMatch(html, /<script|<img src=x|href="javascript/)
    assert.match(html, /href="https:\/\/brand\.example\/%22%3E%3Cscript/)
  })

  test('without a recall has the same bytes as before there were any', () => {
    const row = rowOf('textile')
    const html = renderPage(read(row), 'en')
    assert.match(html, /<body><a class="skip" href="#content">/)
    assert.doesNotMatch(html, /recall|alarm/)
  })
})

describe('a link set', () => {
  const ask = (path: string, accept = '*/*') => t.ask('GET', path, { headers: { accept } })

  test('has gs1:recallStatus where a recall holds, and the link type leads to the page or is 404', async () => {
    const { gtin, model, batch, item } = await makeFamily()
    const [ofModel, ofLot, ofOther, ofItem] = ['', '/10/L-1', '/10/L-2', '/10/L-1/21/S-1'].map(
      rest => `/01/${gtin}${rest}`,
    ) as [string, string, string, string]
    for (const type of ['gs1:recallStatus', `${encodeURIComponent(VOC)}recallStatus`])
      assert.equal((await ask(`${ofLot}?linkType=${type}`)).status, 404)
    await set(batch)
    t.clock.advance(1_000)
    const { json } = await ask(`${ofItem}?linkType=linkset`)
    assert.deepEqual(linksetFaults(json), [])
    const link = { title: 'Recall notice', type: 'text/html', hreflang: ['en', 'de'] }
    assert.deepEqual(
      json.linkset.map((one: Record<string, unknown>) => one[`${VOC}recallStatus`]),
      [
        [{ ...link, href: `https://carnet.example/p/${item.id}` }],
        [{ ...link, href: `https://carnet.example/p/${batch.id}` }],
        undefined,
      ],
    )
    const at = '?linkType=gs1:recallStatus'
    for (const [path, id] of [
      [ofLot, batch.id],
      [ofItem, item.id],
    ] as const) {
      const { status, headers } = await ask(`${path}${at}`)
      assert.deepEqual([status, headers.location], [307, `https://carnet.example/p/${id}${at}`])
    }
    for (const path of [ofModel, ofOther]) {
      const { status, json: error } = await ask(`${path}${at}`)
      assert.deepEqual([status, error.code], [404, 'not_found'])
      const forPeople = await ask(`${path}${at}`, 'text/html')
      assert.deepEqual([forPeople.status, /\/p\//.test(forPeople.text)], [404, true])
    }
    await set(model)
    t.clock.advance(1_000)
    for (const path of [ofModel, ofOther]) assert.equal((await ask(`${path}${at}`)).status, 307)
  })
})
