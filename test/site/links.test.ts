/** Tests the one rule for addresses of accounts in every place where readers could get a link. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createApp } from '../../src/cli/server/app.ts'
import { findLinkProblem, type LinkProblem } from '../../src/kernel/http/public-link.ts'
import { checkStory } from '../../src/passports/story/check-story.ts'
import { ADDRESSES, type Harness, newProduct, nextGtin, startHarness, type TestAccount } from '../harness.ts'

/** Address, problem, and whether the contract accepts it in the data of a product. */
const CASES: readonly (readonly [address: string, problem: LinkProblem | undefined, isAccepted: boolean])[] =
  [
    ['https://shop.example/manual.pdf', undefined, true],
    ['http://shop.example/manual.pdf', undefined, true],
    ['https://münchen.example/ä', undefined, true],
    ['https://93.184.216.34/', undefined, true],
    ['javascript:alert(1)', 'scheme', false],
    ['ftp://shop.example/', 'scheme', false],
    ['//shop.example/', 'scheme', false],
    ['https://shop.example/\u202efdp.exe', 'characters', true],
    ['https://shop.example/a\u200bb', 'characters', true],
    ['https://shop.example/a\u00adb', 'characters', true],
    ['https://shop.example/\u2066x', 'characters', true],
    ['https://shop.example/a b', 'characters', false],
    ['https://shop.example\\@other.example/', 'characters', false],
    ['https://user:word@shop.example/', 'credentials', false],
    ['https://@shop.example/', 'credentials', false],
    ['https:///shop.example', 'host', false],
    ['http://localhost/', 'private', true],
    ['http://localhost:3000/d/x', 'private', true],
    ['https://LOCALHOST./', 'private', true],
    ['https://printer.local/', 'private', true],
    ['https://wiki/manual.pdf', 'private', true],
    ['http://carnet:3000/d/x', 'private', true],
    ['https://WIKI./', 'private', true],
    ['https://wiki.internal/manual', 'private', true],
    ['https://127.0.0.1/', 'private', true],
    ['https://2130706433/', 'private', true],
    ['https://10.1.2.3/', 'private', true],
    ['https://192.168.0.7/', 'private', true],
    ['https://169.254.169.254/', 'private', true],
    ['https://[::1]/', 'private', true],
    ['https://[fd00::1]/', 'private', true],
    ['https://[::ffff:10.0.0.1]/', 'private', true],
  ]

let t: Harness
let account: TestAccount
before(async () => {
  t = await startHarness()
  account = await t.account()
})
after(() => t.close())

const create = (data: Record<string, unknown>) =>
  t.ask('POST', '/api/v1/products', { key: account.key, body: newProduct(data) })

describe('the rule', () => {
  for (const [address, problem] of CASES)
    test(JSON.stringify(address), () => assert.equal(findLinkProblem(address), problem))

  test('lets through the addresses of this server itself, and of no other on its machine', () => {
    assert.equal(findLinkProblem('http://localhost:3000/d/x', 'localhost:3000'), undefined)
    assert.equal(findLinkProblem('http://localhost:3001/d/x', 'localhost:3000'), 'private')
    assert.equal(findLinkProblem('http://localhost:3000/\u202ex', 'localhost:3000'), 'characters')
  })
})

describe('an address in the data of a product', () => {
  for (const [address, problem, isAccepted] of CASES) {
    const what = !isAccepted ? 'is refused' : problem === undefined ? 'is a link' : 'is stored and no link'
    test(`${JSON.stringify(address)} ${what}`, async () => {
      const complianceDocuments = [{ type: 'test_report', url: address }]
      const documents = [{ title: { en: 'Manual', de: 'Anleitung' }, url: address }]
      const made = await create({ complianceDocuments, documents })
      assert.equal(made.status, isAccepted ? 201 : 422, made.text)
      if (!isAccepted) return
      const warned: { path?: string; code: string }[] = (made.json.warnings ?? []).filter(
        ({ code }: { code: string }) => code === 'no_link',
      )
      assert.equal(warned.length, problem === undefined ? 0 : 2)
      const { id, data } = made.json.data
      assert.equal(data.documents[0].url, address)
      const page = await t.ask('GET', `/p/${id}`)
      const href = new URL(address).href.replaceAll('&', '&amp;')
      assert.equal(page.text.includes(`href="${href}"`), problem === undefined)
      const jsonLd = JSON.parse((await t.ask('GET', `/p/${id}?format=jsonld`)).text)
      const text = JSON.stringify(jsonLd)
      assert.equal(text.includes(`{"@id":${JSON.stringify(href)}`), problem === undefined)
      if (problem !== undefined) assert.ok(text.includes(JSON.stringify(address)))
    })
  }

  test('of this server itself has no warning in any write, wherever the server runs', async () => {
    const publicUrl = 'http://localhost:3000'
    const app = createApp({ ...t.setup, addresses: { publicUrl, apiUrl: `${publicUrl}/api/v1` } })
    const send = async (method: 'POST' | 'PATCH' | 'PUT', path: string, payload: object) => {
      const headers = { authorization: `Bearer ${account.key}` }
      const answer = await app.inject({ method, url: `/api/v1${path}`, headers, payload })
      assert.ok(answer.statusCode < 300, answer.body)
      return answer.json()
    }
    const isWarned = (answer: unknown) => JSON.stringify(answer).includes('"code":"no_link"')
    const link = (url: string) => ({ documents: [{ title: { en: 'Manual', de: 'Anleitung' }, url }] })
    const writeAll = async (url: string) => {
      const made = await send('POST', '/products', newProduct({ ...link(url), gtin: nextGtin() }))
      const { id } = made.data
      const row = { category: 'textile', data: { ...newProduct({}, 'textile').data, ...link(url) } }
      const item = { serial: 'A1', data: link(url) }
      return [
        made,
        await send('PATCH', `/products/${id}`, { data: { ...link(url), note: url } }),
        await send('POST', `/products/${id}/children`, { level: 'item', items: [item] }),
        await send('POST', '/products/bulk', {
          match_by: 'sku',
          items: [{ ...row, data: { ...row.data, sku: url } }],
        }),
      ].map(isWarned)
    }
    try {
      assert.deepEqual(await writeAll(`${publicUrl}/d/x`), [false, false, false, false])
      assert.deepEqual(await writeAll('http://localhost:3001/d/x'), [true, true, true, true])
    } finally {
      await app.close()
    }
  })

  test('in a text is a link by the same rule', async () => {
    for (const [address, problem] of CASES.filter(([, , isAccepted]) => isAccepted)) {
      const made = await create({ repair: { instructions: { en: address, de: address } } })
      if (made.status !== 201) continue
      const page = await t.ask('GET', `/p/${made.json.data.id}`)
      const href = new URL(address).href.replaceAll('&', '&amp;')
      assert.equal(page.text.includes(`href="${href}"`), problem === undefined, address)
    }
  })

  test('of this server is a link, wherever it runs', async () => {
    const url = `${ADDRESSES.publicUrl}/d/${'f'.repeat(64)}`
    const made = await create({ complianceDocuments: [{ type: 'test_report', url }] })
    assert.equal(made.json.warnings, undefined)
    assert.ok((await t.ask('GET', `/p/${made.json.data.id}`)).text.includes(`href="${url}"`))
  })
})

describe('an address in an offer', () => {
  for (const [address, problem] of CASES) {
    const isHttp = /^http:/i.test(address)
    const isAccepted = problem === undefined && !isHttp
    test(`${JSON.stringify(address)} is ${isAccepted ? 'accepted' : 'refused'}`, async () => {
      const body = { kind: 'repair', title: { en: 'Repair' }, url: address }
      const { status, text } = await t.ask('POST', '/api/v1/offers', { key: account.key, body })
      assert.equal(status, isAccepted ? 201 : 422, text)
    })
  }
})

describe('an address in a recall', () => {
  test('is a link by the same rule, on the page and in JSON-LD', async () => {
    const { id } = (await create({})).json.data
    for (const [address, problem] of CASES) {
      const body = { hazard: { en: 'Fire' }, action: { en: 'Stop.' }, url: address }
      const path = `/api/v1/products/${id}/recall`
      const { status } = await t.ask('PUT', path, { key: account.key, body })
      if (problem === undefined) assert.ok(status < 300, address)
      if (status >= 300) continue
      t.clock.advance(2_000)
      const href = new URL(address).href
      const page = await t.ask('GET', `/p/${id}`)
      assert.equal(
        page.text.includes(`href="${href.replaceAll('&', '&amp;')}"`),
        problem === undefined,
        address,
      )
      const jsonLd = await t.ask('GET', `/p/${id}?format=jsonld`)
      const text = JSON.stringify(JSON.parse(jsonLd.text))
      assert.equal(text.includes(`"@id":${JSON.stringify(href)}`), problem === undefined, address)
    }
  })
})

describe('the address of copies', () => {
  test('is a link by the same rule, on the page and in link sets', async () => {
    const gtin = nextGtin()
    const { id } = (await create({ gtin })).json.data
    for (const [address, problem] of CASES.filter(([, , isAccepted]) => isAccepted)) {
      const base = address.replace(/\/+$/, '')
      await t.setup.sql`update account set backup_base_url = ${base} where id = ${account.id}`
      t.clock.advance(2_000)
      const copy = `${base}/p/${id}`
      const page = await t.ask('GET', `/p/${id}`)
      const href = new URL(copy).href.replaceAll('&', '&amp;')
      assert.equal(page.text.includes(`href="${href}"`), problem === undefined, address)
      const { json } = await t.ask('GET', `/01/0${gtin}?linkType=linkset`)
      const [{ alternate }] = json.linkset
      assert.deepEqual(
        alternate?.map((one: { href: string }) => one.href),
        problem ? undefined : [copy],
        address,
      )
    }
    await t.setup.sql`update account set backup_base_url = null where id = ${account.id}`
  })
})

describe('a link of the block From the brand', () => {
  for (const [address, problem] of CASES) {
    const isAccepted = problem === undefined && /^https:/i.test(address)
    test(`${JSON.stringify(address)} is ${isAccepted ? 'accepted' : 'refused'}`, () => {
      const check = () => checkStory({ links: [{ url: address, label: { en: 'Shop' } }] })
      if (isAccepted) check()
      else assert.throws(check, { code: 'validation' })
    })
  }
})
