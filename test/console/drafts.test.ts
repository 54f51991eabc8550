/** Tests drafts in the console: saving, the list, editing, what publishing refuses, publishing and discarding. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { storeReadinessSettings } from '../../src/accounts/account/readiness-settings.ts'
import { idFromUuid, parseId } from '../../src/kernel/crypto/ids.ts'
import { isObject } from '../../src/kernel/values/data-object.ts'
import { getState } from '../../src/passports/core/state.ts'
import { createDraft, getDraft } from '../../src/passports/drafts/store-drafts.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { newProduct, nextGtin } from '../harness.ts'
import examples from '../readiness/examples.json' with { type: 'json' }
import { type Browser, type Stand, startStand } from './stand.ts'

const AT = '/console/drafts'
const GERMAN = { headers: { 'accept-language': 'de' } }

let stand: Stand
let ctx: Parameters<typeof createPassport>[0]
let editor: Browser
let viewer: Browser
let made = 0

before(async () => {
  stand = await startStand()
  const account = await stand.account({ plan: 'enterprise' })
  ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
  editor = await stand.signedIn(account, 'editor')
  viewer = await stand.signedIn(account, 'viewer')
})
after(() => stand.close())

type New = Parameters<typeof createDraft>[1]
const make = async (input: New): Promise<string> => `${AT}/${idFromUuid((await createDraft(ctx, input)).id)}`
const readDraft = (at: string) => getDraft(ctx, parseId(at.split('/').at(-1) ?? '') ?? '')
const newBattery = (changes: Record<string, unknown> = {}): New => {
  const { data } = examples.examples.find(({ name }) => name === 'battery-model') ?? assert.fail()
  const own = { gtin: nextGtin(), sku: `D-${++made}`, ...changes }
  return { category: 'battery', data: { ...data, ...own }, note: undefined }
}
const newTextile = (changes: Record<string, unknown> = {}): New => ({
  category: 'textile',
  data: { productName: 'Jumper', ...changes },
  note: undefined,
})

const newComplete = (): New => {
  const { data } = newProduct({ sku: `P-${++made}` }, 'textile')
  assert.ok(isObject(data))
  return { category: 'textile', data, note: undefined }
}

async function show(path: string, ask = {}): Promise<string> {
  const { status, text } = await editor.get(path, ask)
  assert.equal(status, 200, path)
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
}

const findBase = (html: string): string => /name="base" value="(\d+)"/.exec(html)?.[1] ?? assert.fail()

describe('saving a new product as a draft', () => {
  test('needs no required field, makes no product, and leads to the draft', async () => {
    const page = await show('/console/products/new?category=textile')
    assert.match(page, /<button class="second" name="as" value="draft">Save as draft<\/button>/)
    const form = {
      category: 'textile',
      as: 'draft',
      'd.productName': 'Half a jumper',
      'd.weightGrams': '230',
    }
    const { headers } = await editor.post('/console/products', { form })
    const at =
      /^(\/console\/drafts\/\w{26})\?done=created$/.exec(headers.location ?? '')?.[1] ?? assert.fail()
    assert.deepEqual((await readDraft(at)).data, { productName: 'Half a jumper', weightGrams: 230 })
    const shown = await show(`${at}?done=created`)
    assert.match(shown, /<h1>Half a jumper<\/h1>/)
    assert.match(shown, /The draft is saved\. You can go on/)
    assert.match(shown, /data-draft-saved="[^"]*:new:textile" data-version="1"/)
    assert.match(shown, /It is deleted on 20 May 2027/)
    assert.match(shown, /Drafts/)
    const list = await editor.get('/console/products')
    assert.match(list.text, /href="\/console\/drafts">Drafts \(1\)</)
    assert.doesNotMatch(list.text, /Half a jumper/)
  })

  test('shows what is wrong at its field, and keeps nothing', async () => {
    const form = { category: 'textile', as: 'draft', 'd.productName': 'Odd', 'd.gtin': 'x' }
    const { status, text } = await editor.post('/console/products', { form })
    assert.equal(status, 422)
    assert.match(text, /id="d\.gtin-error"/)
    assert.doesNotMatch(text, /id="d\.brandName-error"/)
    assert.doesNotMatch((await editor.get(`${AT}?q=Odd`)).text, /class="row-link"/)
  })
})

describe('the list', () => {
  test('shows what each draft is, what it needs and how ready it is; viewers see it too', async () => {
    await make(newBattery({ productName: 'Listed battery' }))
    const text = await show(AT)
    const entry = /<a class="row-link"[^>]*>Listed battery<\/a>.*?<\/li>/s.exec(text)?.[0] ?? ''
    assert.match(entry, /D-\d+ · Battery · New product · 21 Nov 2026/)
    assert.match(entry, /Can be published · Battery passport: 13 of 32, 40%/)
    const seen = await viewer.get(AT)
    assert.match(seen.text, /Listed battery/)
    assert.doesNotMatch(seen.text, /products\/new/)
    assert.match(await show(AT, GERMAN), /Kann veröffentlicht werden · Batteriepass: 13 von 32/)
  })

  test('finds drafts by name, SKU, GTIN or note, and changes by their product', async () => {
    const gtin = nextGtin()
    await make({ ...newTextile({ productName: 'Blue Sock', sku: 'SOCK-1', gtin }), note: 'Ask the mill' })
    const product = { ...newProduct({ productName: 'Green Mitten' }, 'textile'), strict: false }
    const { passport } = await createPassport(ctx, product)
    await make({ product: passport.id, changeType: 'change', data: { weightGrams: 5 }, note: undefined })
    const list = async (q: string) =>
      Array.from((await show(`${AT}?q=${q}`)).matchAll(/class="row-link"[^>]*>([^<]+)</g), ([, name]) => name)
    for (const q of ['blue', 'sock-1', gtin, 'mill']) assert.deepEqual(await list(q), ['Blue Sock'], q)
    assert.deepEqual(await list('mitten'), ['Green Mitten'])
    assert.deepEqual(await list('no such'), [])
  })

  test('has pages', async () => {
    for (let n = 0; n < 26; n++) await make(newTextile({ productName: `Paged ${n}` }))
    const first = await show(`${AT}?q=Paged`)
    assert.match(first, /26 drafts/)
    assert.match(first, /rel="next" href="\/console\/drafts\?q=Paged&page=2"/)
    assert.equal(Array.from(first.matchAll(/class="row-link"/g)).length, 25)
    assert.match(await show(`${AT}?q=Paged&page=2`), />Paged 0</)
    assert.match(await show(`${AT}?page=2`), /Page 2 of 2/)
  })
})

describe('editing', () => {
  test('fills in and removes fields; the form opens at a field', async () => {
    const at = await make(newTextile({ sku: 'E-1', weightGrams: 200 }))
    const page = await show(`${at}/edit?field=commodityCode`)
    assert.match(page, /<details class="fold" open><summary>[^<]*Commodity code/i)
    const form = { base: findBase(page), 'd.productName': 'Jumper', 'd.sku': '', 'd.weightGrams': '210' }
    const { headers } = await editor.post(at, { form })
    assert.match(headers.location ?? '', new RegExp(`^${at}\\?done=saved&n=\\d+$`))
    assert.deepEqual((await readDraft(at)).data, { productName: 'Jumper', weightGrams: 210 })
  })

  test('fills in what an act wants in a form with only that', async () => {
    const at = await make(newBattery())
    assert.match(await show(at), /edit\?act=eu\.battery\.passport">Fill in 19 gaps on one page/)
    const page = await show(`${at}/edit?act=eu.battery.passport`)
    assert.match(page, /With what may a fire of it be put out\?/)
    assert.doesNotMatch(page, /name="d\.productName"/)
    const before = (await readDraft(at)).data
    const form = { base: findBase(page), rules: 'batt.26 batt.28', 'd.minimumVoltage': '44.8' }
    await editor.post(at, { form })
    assert.deepEqual((await readDraft(at)).data, { ...before, minimumVoltage: 44.8 })
  })

  test('adds rows, shows errors, and keeps the entries', async () => {
    const at = await make(newTextile())
    const base = findBase(await show(`${at}/edit`))
    const typed = { base, 'd.productName': 'Jumper', 'd.gtin': '123' }
    const added = await editor.post(at, { form: { ...typed, add: 'd.fiberComposition' } })
    assert.match(added.text, /name="d\.fiberComposition\.0\.fiber"/)
    const wrong = await editor.post(at, { form: typed })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /id="d\.gtin-error"/)
    assert.match(wrong.text, /name="d\.gtin" value="123"/)
  })

  test('says if somebody else changed it meanwhile, and then replaces only what was typed', async () => {
    const at = await make(newTextile())
    const base = findBase(await show(`${at}/edit`))
    stand.clock.advance(1_000)
    await editor.post(at, { form: { base, 'd.productName': 'Theirs' } })
    const form = { base, 'd.productName': 'Mine' }
    const { status, text } = await editor.post(at, { form })
    assert.equal(status, 422)
    assert.match(text, /Somebody else changed this draft/)
    assert.equal((await readDraft(at)).data.productName, 'Theirs')
    await editor.post(at, { form: { ...form, base: findBase(text) } })
    assert.equal((await readDraft(at)).data.productName, 'Mine')
  })

  test('of a change shows the product as it would be, and stores only what differs', async () => {
    const product = { ...newProduct({ weightGrams: 300 }, 'textile'), strict: false }
    const { passport } = await createPassport(ctx, product)
    const at = await make({
      product: passport.id,
      changeType: 'change',
      data: { sku: 'NEW' },
      note: undefined,
    })
    const page = await show(`${at}/edit`)
    assert.match(page, /name="d\.sku" value="NEW"/)
    assert.match(page, /name="d\.weightGrams" value="300"/)
    assert.match(await show(at), new RegExp(`href="/console/products/${idFromUuid(passport.id)}"`))
    const form = { base: findBase(page), rules: 'tex.4', 'd.nonTextileAnimalParts': 'false' }
    await editor.post(at, { form })
    assert.deepEqual((await readDraft(at)).data, { sku: 'NEW', nonTextileAnimalParts: false })
    await editor.post(`${at}/publish`)
    const data = JSON.parse((await getState(ctx, passport.id)).row.data)
    assert.deepEqual([data.sku, data.weightGrams, data.nonTextileAnimalParts], ['NEW', 300, false])
  })
})

describe('publishing', () => {
  test('makes the product with the id of the draft, once', async () => {
    const at = await make(newComplete())
    assert.match(await show(at), /Nothing stands in the way of publishing/)
    const { headers } = await editor.post(`${at}/publish`)
    const to = at.replace('drafts', 'products')
    assert.equal(headers.location, `${to}?done=published`)
    assert.match(await show(`${to}?done=published`), /The draft is published/)
    assert.equal((await editor.post(`${at}/publish`)).status, 404)
    assert.equal((await editor.get(at)).status, 404)
  })

  test('is refused without required fields, each with a link to its field', async () => {
    const at = await make(newTextile())
    const { status, text } = await editor.post(`${at}/publish`)
    assert.equal(status, 422)
    assert.match(text, /The draft is not published: \d+ things are needed first/)
    assert.match(
      text,
      /<strong>Brand<\/strong>[^<]*<\/p><div class="rule-actions"><a[^>]*edit\?field&#61;brandName#brandName/,
    )
    assert.equal((await editor.get(at)).status, 200)
  })

  test('is refused by the gate, which names what is missing, until it is filled in', async () => {
    await storeReadinessSettings(ctx, {
      acts: [],
      parameters: {},
      gate: { acts: ['eu.battery.passport'], on: 'drafts' },
    })
    try {
      const at = await make(newBattery())
      const refused = await editor.post(`${at}/publish`)
      assert.equal(refused.status, 422)
      assert.match(refused.text, /Needed before publishing \(17\)/)
      assert.match(
        refused.text,
        /With what may a fire of it be put out\?.*?edit\?field&#61;extinguishingAgents/s,
      )
      const german = await editor.post(`${at}/publish`, {
        headers: { ...GERMAN.headers, 'sec-fetch-site': 'same-origin' },
      })
      assert.match(german.text, /Der Entwurf ist nicht veröffentlicht/)
      assert.doesNotMatch(german.text, /With what may/)
    } finally {
      await storeReadinessSettings(ctx, { acts: [], parameters: {}, gate: { acts: [], on: 'off' } })
    }
  })
})

describe('discarding', () => {
  test('asks first, and then the draft is gone', async () => {
    const at = await make(newTextile({ productName: 'Unwanted' }))
    assert.match(await show(`${at}/discard`), /Discard the draft of Unwanted\?/)
    assert.equal((await editor.post(`${at}/discard`)).headers.location, `${AT}?discarded=yes`)
    assert.match(await show(`${AT}?discarded=yes`), /The draft is discarded/)
    assert.equal((await editor.get(at)).status, 404)
  })

  test('and everything else that changes is not for viewers', async () => {
    const at = await make(newTextile())
    const page = await viewer.get(at)
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /\/publish|\/discard|\/edit/)
    for (const path of [at, `${at}/publish`, `${at}/discard`])
      assert.equal((await viewer.post(path, { form: {} })).status, 403)
  })
})
