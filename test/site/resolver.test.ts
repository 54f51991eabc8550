/** Tests the GS1 resolver: each line of the conformance checklist, and the choices it leaves open. */
import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setBackupUrl } from '../../src/accounts/account/registry-settings.ts'
import { buildGs1Path } from '../../src/gs1/digital-link.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { releaseGtin } from '../../src/passports/write/release-gtin.ts'
import { getLinkedFormats } from '../../src/site/passport/formats.ts'
import { renderLinkset } from '../../src/site/resolver/linkset.ts'
import {
  ADDRESSES,
  type Ask,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { FULL, rowOf } from './passport-views.ts'
import { descriptionFaults, linksetFaults } from './resolver-schemas.ts'

const BASE = ADDRESSES.publicUrl
const VOC = 'https://ref.gs1.org/voc/'
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let t: Harness
let account: TestAccount
let family: Awaited<ReturnType<typeof makeFamily>>
before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
  family = await makeFamily()
})
after(() => t.close())

type Unit = { uuid: string; id: string; page: string }
const unitOf = (uuid: string): Unit => ({ uuid, id: idFromUuid(uuid), page: `${BASE}/p/${idFromUuid(uuid)}` })

const makeModel = async (data: Record<string, unknown> = {}) =>
  unitOf((await createPassport(account.ctx, { ...newProduct(data), strict: false })).passport.id)

const issue = async (parent: Unit, unit: { lot?: string; serial?: string }) => {
  const { created, errors } = await issueUnits(account.ctx, {
    parentUuid: parent.uuid,
    level: unit.serial === undefined ? 'batch' : 'item',
    units: [unit],
    bulk: false,
    strict: true,
  })
  const [issued] = created
  assert.ok(issued, String(errors[0]?.error))
  return unitOf(issued.passport.id)
}

/** A model with a batch and two items, one under the batch and one beside it, and their paths. */
async function makeFamily(data: Record<string, unknown> = {}) {
  const gtin = `0${nextGtin()}`
  const model = await makeModel({ gtin, productName: 'Crew neck', ...data })
  const batch = await issue(model, { lot: 'LOT-7' })
  const item = await issue(batch, { serial: 'SN/1' })
  const loose = await issue(model, { serial: 'SN 2'.replace(' ', '+') })
  const path = buildGs1Path(gtin)
  return {
    gtin,
    path,
    model,
    batch,
    item,
    loose,
    itemPath: `${path}/10/LOT-7/21/SN%2F1`,
    batchPath: `${path}/10/LOT-7`,
  }
}

const get = (path: string, headers: Record<string, string> = {}) => t.ask('GET', path, { headers })
const linksetOf = async (path: string) => {
  const answer = await get(path, { accept: 'application/linkset+json' })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.linkset as Record<string, { href: string; title: string; type?: string }[]>[]
}
const change = async (unit: Unit, data: object, changeType = 'change') => {
  const body = { data, change_type: changeType }
  const answer = await t.ask('PATCH', `/api/v1/products/${unit.id}`, { key: account.key, body })
  assert.equal(answer.status, 200, answer.text)
}

describe('GET /01/…', () => {
  test('each of the four forms redirects to its passport with a 307 that is not cached', async () => {
    const { path, model, batch, item, loose, batchPath, itemPath } = family
    for (const [address, unit] of [
      [path, model],
      [batchPath, batch],
      [itemPath, item],
      [`${path}/21/SN%2B2`, loose],
      [`${path}/21/SN+2`, loose],
    ] as const) {
      const { status, headers, text } = await get(address)
      assert.equal(status, 307, address)
      assert.equal(headers.location, unit.page)
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers.vary, 'Accept, Accept-Language')
      assert.match(headers['x-request-id'] ?? '', /^[0-9a-z]{26}$/)
      assert.equal(text, '')
    }
  })

  test('a record’s GS1 address is one of them', async () => {
    for (const unit of [family.model, family.batch, family.item, family.loose]) {
      const { json } = await t.ask('GET', `/api/v1/products/${unit.id}`, { key: account.key })
      const { headers } = await get(json.data.gs1_url.slice(BASE.length))
      assert.equal(headers.location, json.data.passport_url)
    }
  })

  test('both forms of an item’s address reach it, and so does one with the wrong lot', async () => {
    const { path, item, loose } = family
    for (const lot of ['', '/10/LOT-7', '/10/WRONG', '/22/V1', '/22/V1/10/LOT-7']) {
      assert.equal((await get(`${path}${lot}/21/SN%2F1`)).headers.location, item.page, lot)
    }
    assert.equal((await get(`${path}/10/LOT-7/21/SN+2`)).headers.location, loose.page)
  })

  test('an unknown unit immediately resolves to the nearest known level', async () => {
    const { path, model, batch, batchPath } = family
    for (const [address, unit] of [
      [`${path}/10/KL8G`, model],
      [`${path}/21/KL8G`, model],
      [`${path}/10/KL8G/21/X`, model],
      [`${batchPath}/21/X`, batch],
      [`${path}/22/V`, model],
      [`${path}/10/lot-7`, model],
    ] as const) {
      const { status, headers } = await get(address)
      assert.equal(status, 307, address)
      assert.equal(headers.location, unit.page, address)
    }
  })

  test('a unit resolves as soon as it is issued, although its address was requested before', async () => {
    const { path, model } = await makeFamily()
    assert.equal((await get(`${path}/21/SOON`)).headers.location, model.page)
    const unit = await issue(model, { serial: 'SOON' })
    assert.equal((await get(`${path}/21/SOON`)).headers.location, unit.page)
  })

  test('each of the 82 characters can be in a lot, as it is or escaped', async () => {
    const { model, path } = await makeFamily()
    const lots = ['!"%&\'()*+,-./0:;<=>', '?AZ_az..', '01', '10', '/', '//', '%2F', '...']
    for (const lot of lots) {
      const unit = await issue(model, { lot })
      const address = buildGs1Path(path.slice(4), { lot })
      assert.equal((await get(address)).headers.location, unit.page, address)
      assert.equal(
        (await get(address.replace(/%[0-9A-F]{2}/g, part => part.toLowerCase()))).headers.location,
        unit.page,
      )
    }
  })

  test('an archived product still resolves', async () => {
    const { path, model, item } = await makeFamily()
    for (const unit of [model, item]) {
      await t.ask('POST', `/api/v1/products/${unit.id}/archive`, { key: account.key })
    }
    assert.equal((await get(path)).headers.location, model.page)
    assert.equal((await get(`${path}/21/SN%2F1`)).headers.location, item.page)
  })

  test('old addresses still resolve when the GTIN changes, and when it is released', async () => {
    const { gtin, path, model, batch, item } = await makeFamily()
    const next = `0${nextGtin()}`
    await change(model, { gtin: next })
    const late = await issue(batch, { serial: 'LATE' })
    const record = async (unit: Unit) =>
      (await t.ask('GET', `/api/v1/products/${unit.id}`, { key: account.key })).json.data
    assert.equal((await record(model)).gs1_url, BASE + buildGs1Path(next))
    assert.equal((await record(item)).gs1_url, `${BASE}${path}/10/LOT-7/21/SN%2F1`, 'as it was issued')
    for (const [unit, rest] of [
      [model, ''],
      [batch, '/10/LOT-7'],
      [item, '/21/SN%2F1'],
      [late, '/21/LATE'],
    ] as const) {
      assert.equal((await get(path + rest)).headers.location, unit.page, rest)
      assert.equal((await get(buildGs1Path(next) + rest)).headers.location, unit.page, rest)
    }
    await change(model, { gtin: null })
    assert.equal((await get(buildGs1Path(next))).headers.location, model.page)
    await releaseGtin(account.ctx, gtin, { force: true })
    t.clock.advance(1_000)
    assert.equal((await get(path)).headers.location, model.page)
    assert.equal((await get(`${path}/21/LATE`)).headers.location, late.page)
    assert.equal((await get(buildGs1Path(next))).headers.location, model.page)
    t.clock.release()
  })

  test('a GTIN of 8, 12 or 13 digits has 14 digits in its address', async () => {
    const gtin = '96385074'
    const model = await makeModel({ gtin })
    assert.equal((await get('/01/00000096385074')).headers.location, model.page)
    for (const short of ['96385074', '000096385074', '0000096385074']) {
      assert.equal((await get(`/01/${short}`)).status, 400, short)
    }
  })
})

describe('the checklist of conformant resolvers', () => {
  test('1. a plain request redirects to exactly the default link', async () => {
    for (const address of [family.path, family.batchPath, family.itemPath]) {
      const { headers } = await get(address, { accept: '*/*' })
      const [first] = await linksetOf(address)
      assert.deepEqual(
        [headers.location],
        first?.[`${VOC}defaultLink`]?.map(link => link.href),
      )
    }
  })

  test('2. the query is passed on exactly as typed', async () => {
    for (const query of [
      'foo=bar',
      'a;b=c;&&flag',
      '17=261231&x=%zz',
      'q=a+b%20c',
      '?',
      'access=dpa_x&lang=fi',
    ]) {
      const { status, headers } = await get(`${family.itemPath}?${query}`)
      assert.equal(status, 307, query)
      assert.equal(headers.location, `${family.item.page}?${query}`)
    }
    assert.equal((await get(`${family.path}?`)).headers.location, family.model.page)
  })

  test('3. a link type redirects to that link, in every spelling', async () => {
    for (const type of [
      'gs1:dpp',
      'gs1%3Adpp',
      'gs1:pip',
      'gs1%3apip',
      `${VOC}dpp`,
      encodeURIComponent(`${VOC}pip`),
      'https://www.gs1.org/voc/dpp',
      'gs1:defaultLink',
    ]) {
      const { status, headers } = await get(`${family.path}?linkType=${type}`)
      assert.equal(status, 307)
      assert.equal(headers.location, `${family.model.page}?linkType=${type}`)
    }
  })

  test('3. the Accept header selects one of two links of a type', async () => {
    const at = async (accept: string, query = 'linkType=gs1:dpp') =>
      (await get(`${family.path}?${query}`, { accept })).headers.location
    const page = family.model.page
    assert.equal(await at('text/html'), `${page}?linkType=gs1:dpp`)
    assert.equal(await at(HTML), `${page}?linkType=gs1:dpp`)
    assert.equal(await at('application/ld+json'), `${page}?format=jsonld&linkType=gs1:dpp`)
    assert.equal(await at('application/ld json'), `${page}?format=jsonld&linkType=gs1:dpp`)
    assert.equal(await at('text/html;q=0.5, application/ld+json'), `${page}?format=jsonld&linkType=gs1:dpp`)
    assert.equal(await at('application/ld+json', 'linkType=gs1:pip'), `${page}?linkType=gs1:pip`)
    assert.equal(await at('application/json'), `${page}?format=en&linkType=gs1:dpp`)
    assert.equal(await at('application/aas+json'), `${page}?format=aas&linkType=gs1:dpp`)
    assert.equal(await at('application/json', ''), page)
    assert.equal(await at('*/*'), `${page}?linkType=gs1:dpp`)
    assert.equal(
      await at('*/*', 'format=en-full&linkType=gs1:dpp'),
      `${page}?format=en-full&linkType=gs1:dpp`,
    )
    const own = 'linkType=gs1:dpp&format=jsonld'
    assert.equal(await at('application/ld+json', own), `${page}?${own}`)
    for (const accept of ['text/html', 'application/ld+json', 'application/json']) {
      const { status, headers } = await get(((await at(accept)) ?? '').slice(BASE.length), { accept })
      assert.equal(status, 200)
      assert.ok(headers['content-type']?.startsWith(accept))
    }
  })

  test('4. an unknown link type is 404', async () => {
    for (const type of [
      'gs1:nosuchlt',
      'dpp',
      'gs1:',
      'https://gs1.org.example/voc/dpp',
      '%zz',
      '%00',
      'gs1:__proto__',
    ]) {
      const { status, json } = await get(`${family.path}?linkType=${type}`)
      assert.equal(status, 404, type)
      assert.match(json.error, /no link of this type/)
    }
  })

  test('5, 6, 7. the linkset, by parameter, by header or by both, without a redirect', async () => {
    const { path } = family
    const accept = { accept: 'application/linkset+json' }
    const answers = [
      await get(`${path}?linkType=linkset`),
      await get(`${path}?linkType=linkset`, { accept: HTML }),
      await get(`${path}?linkType=all`),
      await get(path, accept),
      await get(`${path}?linkType=all`, accept),
      await get(path, { accept: 'application/json;q=0.5, application/linkset+json' }),
    ]
    for (const { status, headers, text } of answers) {
      assert.equal(status, 200)
      assert.equal(headers['content-type'], 'application/linkset+json')
      assert.equal(headers.location, undefined)
      assert.equal(text, answers[0]?.text)
    }
    assert.equal((await get(path, { accept: 'text/html, application/linkset+json;q=0.5' })).status, 307)
  })

  test('8. the linkset is valid, with an object for each level up to the GTIN', async () => {
    const { path, model, batch, item, batchPath, itemPath } = family
    for (const [address, anchors, pages] of [
      [path, [path], [model]],
      [batchPath, [batchPath, path], [batch, model]],
      [itemPath, [itemPath, batchPath, path], [item, batch, model]],
      [`${path}/21/SN%2F1`, [`${path}/21/SN%2F1`, batchPath, path], [item, batch, model]],
      [`${path}/21/SN%2F1/`, [`${path}/21/SN%2F1`, batchPath, path], [item, batch, model]],
      [
        `${path}/10/%4cOT-7/21/SN%2f1`,
        [`${path}/10/%4cOT-7/21/SN%2f1`, `${path}/10/%4cOT-7`, path],
        [item, batch, model],
      ],
      [`${path}/10/KL8G`, [path], [model]],
      [`${batchPath}/21/KL8G`, [batchPath, path], [batch, model]],
      [`${path}/21/SN+2`, [`${path}/21/SN+2`, path], [family.loose, model]],
    ] as const) {
      const linkset = await linksetOf(address)
      assert.deepEqual(linksetFaults({ linkset }), [])
      assert.deepEqual(
        linkset.map(one => one.anchor),
        anchors.map(one => BASE + one),
        address,
      )
      assert.deepEqual(
        linkset.map(one => one[`${VOC}pip`]?.[0]?.href),
        pages.map(one => one.page),
        address,
      )
    }
    const [own] = await linksetOf(itemPath)
    assert.deepEqual(own, {
      anchor: BASE + itemPath,
      itemDescription: 'Crew neck, batch LOT-7, serial SN/1',
      [`${VOC}defaultLink`]: [{ href: item.page, title: 'Crew neck, batch LOT-7, serial SN/1' }],
      [`${VOC}pip`]: [{ href: item.page, title: 'Crew neck', type: 'text/html', hreflang: ['en', 'de'] }],
      [`${VOC}dpp`]: [
        { href: item.page, title: 'Digital product passport', type: 'text/html', hreflang: ['en', 'de'] },
        {
          href: `${item.page}?format=jsonld`,
          title: 'Digital product passport (JSON-LD)',
          type: 'application/ld+json',
        },
        {
          href: `${item.page}?format=en`,
          title: 'Digital product passport (EN 18223)',
          type: 'application/json',
        },
      ],
    })
  })

  test('8. it names the back-up copy of each level, if copies are published', async () => {
    await setBackupUrl(account.ctx, 'https://copies.example/dpp')
    t.clock.advance(2_000)
    const linkset = await linksetOf(family.itemPath)
    await setBackupUrl(account.ctx, null)
    assert.deepEqual(linksetFaults({ linkset }), [])
    assert.deepEqual(
      linkset.map(one => one.alternate),
      [family.item, family.batch, family.model].map(({ id }) => [
        {
          href: `https://copies.example/dpp/p/${id}`,
          title: 'Back-up copy of the digital product passport',
          type: 'text/html',
        },
      ]),
    )
    t.clock.advance(2_000)
  })

  test('8. it stays valid with languages and names that its schema does not foresee', async () => {
    const words = (text: string) => ({ 'zh-Hant': text, hsb: text })
    const gtin = `0${nextGtin()}`
    await makeModel({
      gtin,
      productName: '<b>"Mütze"</b>\u202e',
      languages: ['zh-Hant', 'hsb', 'pt-BR', 'pt', 'zh-Hans'],
      careInstructions: words('a'),
      endOfLife: { recyclingInstructions: words('b'), disposalInstructions: words('c') },
    })
    const linkset = await linksetOf(buildGs1Path(gtin))
    assert.deepEqual(linksetFaults({ linkset }), [])
    const [model] = linkset as unknown as { [name: string]: { hreflang: string[] }[] }[]
    assert.deepEqual(model?.[`${VOC}pip`]?.[0]?.hreflang, ['zh', 'pt-BR', 'pt'])
  })

  test('our copy of the schema rejects what GS1’s schema rejects', () => {
    const link = { href: 'https://a.example', title: 'A' }
    const valid = {
      linkset: [
        { anchor: 'https://a.example/01/1', itemDescription: 'A', [`${VOC}pip`]: [link], dpp: [link] },
      ],
    }
    assert.deepEqual(linksetFaults(valid), [])
    const [object] = valid.linkset
    for (const wrong of [
      { ...object, 'gs1:dpp': [link] },
      { ...object, dpp: [{ ...link, hreflang: 'en' }] },
      { ...object, dpp: [{ ...link, hreflang: ['zh-Hant'] }] },
      { ...object, dpp: [{ href: 'https://a.example' }] },
      { ...object, dpp: [{ ...link, 'title*': [] }] },
      { ...object, anchor: '/01/1' },
      { anchor: 'https://a.example/01/1', dpp: [link] },
      { ...object, description: 'A' },
      { ...object, defaultLink: [link] },
    ]) {
      assert.notDeepEqual(linksetFaults({ linkset: [wrong] }), [], JSON.stringify(wrong))
    }
  })

  test('9. the linkset names its JSON-LD context', async () => {
    const { headers } = await get(family.path, { accept: 'application/linkset+json' })
    const entries = String(headers.link).split(/, (?=<)/)
    assert.ok(
      entries.includes(
        '<https://ref.gs1.org/standards/resolver/linkset-context>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"',
      ),
    )
  })

  test('10. OPTIONS lists the allowed methods and links to the linkset', async () => {
    const { status, headers, text } = await t.ask('OPTIONS', family.itemPath, {
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET,HEAD,OPTIONS' },
    })
    assert.equal(status, 204)
    assert.equal(text, '')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['access-control-allow-methods'], 'GET, HEAD, OPTIONS')
    assert.equal(
      headers.link,
      `<${BASE}${family.itemPath}?linkType=linkset>; rel="linkset"; type="application/linkset+json"`,
    )
    assert.equal((await t.ask('OPTIONS', `${family.path}/foo`)).status, 400)
  })

  test('11. a redirect links to the linkset, and to no link of a GS1 type', async () => {
    const { headers } = await get(`${family.path}/10/%4cOT-7/?foo=bar`)
    assert.equal(
      headers.link,
      `<${BASE}${family.batchPath}?linkType=linkset>; rel="linkset"; type="application/linkset+json"`,
    )
    assert.doesNotMatch(String(headers.link), /rel="gs1:/)
    const linkset = await get('/' + (/<https:\/\/[^/]+\/(.*?)>/.exec(String(headers.link))?.[1] ?? ''))
    assert.equal(linkset.json.linkset[0].anchor, BASE + family.batchPath)
  })

  test('12. an invalid GS1 address is 400', async () => {
    const { path, gtin } = family
    for (const address of [
      '/01',
      '/01/',
      '/01//',
      '/01/x',
      `${path}/foo`,
      `${path}//`,
      `${path}/10`,
      `${path}/10/`,
      `${path}/10//21/S`,
      `${path}/21/S/10/L`,
      `${path}/10/L/22/V`,
      `${path}/10/L/10/L`,
      `${path}/21/S/foo`,
      `${path}/17/261231`,
      `${path}/235/X`,
      `${path}/lot/L`,
      `${path}/10/%5B`,
      `${path}/10/a%20b`,
      `${path}/10/%C3%A4`,
      `${path}/10/${'L'.repeat(21)}`,
      `${path}/21/${'9'.repeat(5_000)}`,
      `${path}/10/%`,
      `${path}/10/%zz`,
      `${path}/21/%00`,
      `${path}/10/a%0d%0ab`,
      `${path}/21/%ff`,
      `/01/${gtin.slice(1)}`,
      `/01/0${gtin}`,
      `/01/${gtin.slice(0, 13)}${(Number(gtin[13]) + 1) % 10}`,
      '/01/00000000000000',
      '/01/٠٩٥٠٦٠٠٠١٣٤٣٥٢',
      `/01/${gtin}%20`,
      `/01/${'0'.repeat(4_000)}`,
      `/gtin/${gtin}`,
      `/gtin/${gtin}/lot/L`,
      `/gtin/x/01/${gtin}`,
      `${path}?10=L`,
      `${path}?a=b&21=S`,
      `${path}?01=${gtin}`,
      `${path}?99999=1`,
    ]) {
      const { status, json } = await get(encodeURI(address).replaceAll('%25', '%'))
      assert.equal(status, 400, address)
      assert.equal(json.code, 'bad_request', address)
      assert.ok(json.error.length > 20 && json.request_id)
    }
  })

  test('12. path and query are parsed undecoded', async () => {
    await t.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = t.app.server.address() as AddressInfo
    const wired = (path: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        request({ port, path, agent: false }, answer => resolve(answer.resume()))
          .on('error', reject)
          .end()
      })
    const { path, model, item } = family
    for (const rest of [
      '/10/..',
      '/10/../21/S',
      '/10/%2E%2E/21/S',
      '/21/.',
      '/21/%2e',
      '/10/é',
      '/10/a#b/../21/S',
    ]) {
      assert.equal((await wired(path + rest)).statusCode, rest.includes('#') ? 307 : 400, rest)
    }
    assert.equal((await wired(`${path}/10/x#/foo`)).headers.location, model.page)
    for (const query of ['<">', 'a;b&&c=%zz']) {
      assert.equal((await wired(`${path}/21/SN%2F1?${query}#part`)).headers.location, `${item.page}?${query}`)
    }
    assert.equal((await wired(`${path}/21/SN/1`)).statusCode, 400)
    assert.equal(
      (await wired(`${path}/10/<">/21/SN%2F1`)).headers.link,
      `<${BASE}${path}/10/%3C%22%3E/21/SN%2F1?linkType=linkset>; rel="linkset"; type="application/linkset+json"`,
    )
  })

  test('13. an unknown lot is not 404', async () => {
    assert.equal((await get(`${family.path}/10/KL8G`)).status, 307)
  })

  test('14. a valid but unknown address is 404; so is one for another resolver', async () => {
    for (const address of [
      `/01/0${nextGtin()}`,
      `/01/0${nextGtin()}/10/L/21/S`,
      '/00/395206000134352015',
      '/414/9521000010000',
      '/8006/0952',
      '/235/x',
      '/eh/AAAA',
      '/ex1F',
      '/AQnYUc1gmiCNV4JGLk',
    ]) {
      assert.equal((await get(address)).status, 404, address)
    }
    assert.equal((await get(`/01/0${nextGtin()}`, { accept: 'application/linkset+json' })).status, 404)
    assert.equal((await get(`/01/${'1'.repeat(9_000)}`)).status, 414)
  })

  test('15. a slash at the end changes nothing', async () => {
    for (const address of [
      family.path,
      family.batchPath,
      family.itemPath,
      `${family.path}/10/KL8G`,
      `${family.path}/foo`,
    ]) {
      const [without, with_] = [await get(address), await get(`${address}/`)]
      assert.deepEqual(
        [with_.status, with_.headers.location],
        [without.status, without.headers.location],
        address,
      )
    }
  })

  test('16. /.well-known/gs1resolver describes the resolver', async () => {
    const { status, headers, json } = await get('/.well-known/gs1resolver', { origin: 'https://a.example' })
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.deepEqual(descriptionFaults(json), [])
    assert.equal(json.resolverRoot, BASE)
    assert.deepEqual(json.supportedPrimaryKeys, ['01'])
    assert.notDeepEqual(descriptionFaults({ ...json, supportedPrimaryKeys: ['10'] }), [])
    assert.equal(
      (await t.ask('OPTIONS', '/.well-known/gs1resolver')).headers['access-control-allow-origin'],
      '*',
    )
  })

  test('17. an unknown language changes nothing; a known one is the page’s', async () => {
    for (const wish of ['xx', 'zh, ja;q=0.5', '*', 'pt-BR', '', ';;;', 'de;q=0', 'x'.repeat(2_000)]) {
      const { status, headers } = await get(family.path, { 'accept-language': wish })
      assert.equal(status, 307)
      assert.equal(headers.location, family.model.page)
    }
    const spoken = async (wish: string) => {
      const { headers } = await get(family.path, { 'accept-language': wish })
      const path = (headers.location ?? '').slice(BASE.length)
      return (await get(path, { 'accept-language': wish })).headers['content-language']
    }
    assert.equal(await spoken('pt-BR'), 'pt')
    assert.equal(await spoken('fi;q=0.2, sv;q=0.8'), 'sv')
  })

  test('19. HEAD answers as GET, without a body', async () => {
    for (const [address, headers] of [
      [family.itemPath, {}],
      [`${family.path}?linkType=linkset`, {}],
      [family.path, { accept: 'application/linkset+json' }],
      [`${family.path}/foo`, {}],
      [`/01/0${nextGtin()}`, { accept: HTML }],
      ['/.well-known/gs1resolver', {}],
    ] as [string, Record<string, string>][]) {
      const get_ = await get(address, headers)
      const head = await t.ask('HEAD', address, { headers })
      assert.equal(head.status, get_.status, address)
      assert.equal(head.text, '')
      const same = ({
        'x-request-id': _,
        date: __,
        connection: ___,
        'content-length': ____,
        ...rest
      }: Record<string, string>) => rest
      assert.deepEqual(same(head.headers), same(get_.headers), address)
    }
  })
})

describe('beyond the checklist', () => {
  test('a linkset contains nothing that the public may not see', () => {
    for (const category of ['textile', 'battery', 'furniture'] as const) {
      const row = rowOf(category, { ...FULL[category], freeForm: 'CANARY' })
      assert.ok(row.data.includes('CANARY'))
      const asked = { link: { gtin14: '09521001200370' }, rawPath: '/01/09521001200370' }
      const text = renderLinkset(ADDRESSES, asked, [row], {
        formats: getLinkedFormats(true),
        offers: [],
        backupBaseUrl: null,
      })
      assert.deepEqual(linksetFaults(JSON.parse(text)), [])
      assert.ok(!text.includes('CANARY'))
    }
  })

  test('scripts on other sites may read every response', async () => {
    const asked: [string, Ask][] = [
      [family.path, {}],
      [`${family.path}?linkType=linkset`, {}],
      [`${family.path}/foo`, {}],
      [`${family.path}/foo`, { headers: { accept: HTML } }],
      [`/01/0${nextGtin()}`, {}],
    ]
    for (const [address, ask] of asked) {
      const { headers } = await t.ask('GET', address, ask)
      assert.equal(headers['access-control-allow-origin'], '*', address)
      assert.equal(headers['access-control-allow-methods'], 'GET, HEAD, OPTIONS')
      assert.match(headers.vary ?? '', /Accept, Accept-Language/)
    }
  })

  test('other methods are 405', async () => {
    for (const address of [family.path, '/01', '/.well-known/gs1resolver']) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const) {
        const { status, headers, json } = await t.ask(method, address)
        assert.equal(status, 405)
        assert.equal(headers.allow, 'GET, HEAD, OPTIONS')
        assert.equal(json.code, 'method_not_allowed')
      }
    }
  })

  test('an error page is in the person’s language, without what they typed', async () => {
    for (const [address, status] of [
      [`/01/0${nextGtin()}`, 404],
      [`${family.path}/10/%3Cscript%3E%20`, 400],
      [`${family.path}?linkType=%3Cscript%3E`, 404],
    ] as const) {
      const answer = await get(address, { accept: HTML, 'accept-language': 'de-AT' })
      assert.equal(answer.status, status, address)
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(answer.headers['content-language'], 'de')
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.match(answer.headers['content-security-policy'] ?? '', /default-src 'none'/)
      assert.match(answer.text, /<html lang="de" dir="ltr">.*Kein|<html lang="de" dir="ltr">.*nicht/s)
      assert.doesNotMatch(answer.text, /script/)
    }
  })

  test('an unknown link type links people to the passport, if it exists', async () => {
    const headers = { accept: HTML, 'accept-language': 'de-AT' }
    for (const [address, page] of [
      [family.path, family.model.page],
      [`${family.path}/10/LOT-7`, family.batch.page],
      [`${family.path}/10/NO-SUCH-LOT`, family.model.page],
    ] as const) {
      const { status, headers: sent, text } = await get(`${address}?linkType=gs1:nosuchlt`, headers)
      assert.equal(status, 404, address)
      assert.match(text, /<h1>Diese Seite gibt es nicht<\/h1>/)
      assert.deepEqual(text.match(/<a href="[^"]*"/g), [`<a href="${page}"`], address)
      assert.equal(sent['cache-control'], 'no-store')
      assert.equal(sent['access-control-allow-origin'], '*')
    }
    const unknown = await get(`/01/0${nextGtin()}?linkType=gs1:nosuchlt`, headers)
    assert.equal(unknown.status, 404)
    assert.match(unknown.text, /<h1>Pass nicht gefunden<\/h1>/)
    const machine = await get(`${family.path}?linkType=gs1:nosuchlt`, { accept: '*/*' })
    assert.deepEqual([machine.status, machine.json.code], [404, 'not_found'])
  })

  test('an access link opens the passport through its GS1 address', async () => {
    const { token } = await createAccessLink(account.ctx, {
      passportId: family.model.id,
      audience: 'authority',
      label: 'Customs',
      expiresAt: new Date(t.clock.now().getTime() + 60_000),
      addresses: ADDRESSES,
    })
    const led = await get(`${family.itemPath}?access=${token}`)
    assert.equal(led.headers.location, `${family.item.page}?access=${token}`)
    const entered = await get((led.headers.location ?? '').slice(BASE.length))
    assert.equal(entered.status, 303)
    assert.match(String(entered.headers['set-cookie']), /HttpOnly/)
    for (const name of ['access', '%61ccess', 'acces%73']) {
      const linkset = await get(`${family.itemPath}?linkType=linkset&${name}=${token}`)
      assert.equal(linkset.headers['cache-control'], 'private, no-store', name)
      assert.ok(!linkset.text.includes(token) && !String(linkset.headers.link).includes(token))
    }
  })

  test('concurrent addresses share statements, each with its own response', async () => {
    const { path, model, batch, item, loose } = family
    const asked = Array.from(
      { length: 200 },
      (_one, i) =>
        [
          [`${path}/10/A${i}`, model],
          [`${path}/10/LOT-7/21/B${i}`, batch],
          [`${path}/10/C${i}/21/SN%2F1`, item],
          [`${path}/10/D${i}/21/SN+2`, loose],
          [`/01/0${nextGtin()}`, undefined],
        ] as const,
    ).flat()
    const answers = await Promise.all(asked.map(([address]) => get(address)))
    for (const [i, [address, unit]] of asked.entries()) {
      assert.equal(answers[i]?.headers.location, unit?.page, address)
    }
  })
})
