/** Tests the pages of offers: adding, changing, deleting, what is refused and why, and the preview. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { createRecord, listRecords } from '../../src/passports/core/store-records.ts'
import { OFFER_STORE } from '../../src/passports/offers/store-offers.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { newProduct } from '../harness.ts'
import { type Browser, OWN, type Stand, startStand } from './stand.ts'

const OFFERS = '/console/settings/offers'

let stand: Stand
let ctx: AccountContext
let editor: Browser
let viewer: Browser
let product: string
before(async () => {
  stand = await startStand()
  const accountId = await stand.account()
  ctx = { ...stand.ctx, sql: stand.sql, accountId, actorId: 1 }
  editor = await stand.signedIn(accountId, 'editor')
  viewer = await stand.signedIn(accountId, 'viewer')
  const { passport } = await createPassport(ctx, { ...newProduct({}, 'textile'), strict: false })
  product = idFromUuid(passport.id)
})
after(() => stand.close())

const FORM = { kind: 'repair', language: 'de', title: 'Werkstatt', text: '', url: 'https://shop.example/r' }
const GERMAN = { headers: { ...OWN, 'accept-language': 'de' } }
const clear = () => stand.sql`delete from offer where account_id = ${ctx.accountId}`
const add = (more: object = {}) =>
  createRecord(ctx, OFFER_STORE, {
    kind: 'repair',
    title: { en: 'Repairs', de: 'Werkstatt' },
    url: 'https://shop.example',
    ...more,
  })

describe('the form of an offer', () => {
  test('adds one, with countries by code and name, and a product by its address', async () => {
    await clear()
    const form = {
      ...FORM,
      countries: 'at, Frankreich; DE',
      product_id: `https://carnet.example/p/${product}?lang=de`,
    }
    const saved = await editor.post(OFFERS, { form })
    assert.deepEqual([saved.status, saved.headers.location], [303, `${OFFERS}?saved=1`])
    const [offer] = await listRecords(ctx, OFFER_STORE)
    assert.deepEqual(offer?.countries, ['AT', 'DE', 'FR'])
    assert.deepEqual([offer?.title, offer?.text, offer?.category], [{ de: 'Werkstatt' }, null, null])
    assert.equal(idFromUuid(offer?.product_id ?? ''), product)
    const { text } = await viewer.get(`${OFFERS}?saved=1`, GERMAN)
    assert.match(text, /Reparatur.*Deutschland/s)
    assert.doesNotMatch(text, /\/edit"|\/new"/)
  })

  test('changes what is there, and keeps the other languages', async () => {
    await clear()
    const { id } = await add({ text: { de: 'Mit Termin.' }, category: 'textile' })
    const address = `${OFFERS}/${idFromUuid(id)}`
    const page = await editor.get(`${address}/edit`)
    assert.match(page.text, /value="Repairs".*value="Werkstatt".*value="Mit Termin\."/s)
    const rows = [
      ['language', 'en'],
      ['title', 'Mending'],
      ['text', ''],
      ['language', 'tr'],
      ['title', 'Tamir'],
      ['text', 'Randevu ile.'],
      ['language', ''],
      ['title', ''],
      ['text', ''],
    ] as const
    const body = new URLSearchParams(rows.map(([name, value]) => [name, value]))
    for (const [name, value] of Object.entries({
      kind: 'support',
      url: 'https://shop.example/2',
      position: '7',
    }))
      body.set(name, value)
    assert.equal((await editor.post(address, { form: body.toString() })).status, 303)
    const [offer] = await listRecords(ctx, OFFER_STORE)
    assert.deepEqual(offer?.title, { en: 'Mending', tr: 'Tamir' })
    assert.deepEqual(
      [offer?.text, offer?.kind, offer?.position, offer?.category],
      [{ tr: 'Randevu ile.' }, 'support', 7, null],
    )
  })

  test('adds rows for another language without saving', async () => {
    await clear()
    const page = await editor.post(OFFERS, {
      form: { ...FORM, more: '1', title: '"><script>alert(1)</script>' },
    })
    assert.equal(page.status, 200)
    assert.equal(page.text.split('<fieldset>').length, 4)
    assert.doesNotMatch(page.text, /<script>alert/)
    assert.equal((await listRecords(ctx, OFFER_STORE)).length, 0)
  })

  test('names each mistake at its field, in both languages, and keeps what was typed', async () => {
    await clear()
    for (const [wrong, field, english] of [
      [{ kind: 'rent' }, 'kind', 'Choose one from the list.'],
      [{ title: '' }, 'title-0', 'Fill this in.'],
      [{ title: 'x'.repeat(101) }, 'title-0', 'At most 100 characters.'],
      [{ text: 'x'.repeat(301) }, 'text-0', 'At most 300 characters.'],
      [{ title: 'a\u202eb' }, 'title-0', 'Contains characters that cannot be displayed.'],
      [{ language: '' }, 'language-0', 'Choose one from the list.'],
      [{ url: '' }, 'url', 'Fill this in.'],
      [{ url: 'http://shop.example' }, 'url', 'Enter an address that begins with https://.'],
      [{ countries: 'AT, Atlantis' }, 'countries', 'Not a country: Atlantis.'],
      [{ category: 'textile', product_id: product }, 'category', 'Choose a category or a product, not both.'],
      [{ product_id: '01m7ywhcr7fxwrqq1xd4m28c2t' }, 'product_id', 'You have no product with this address.'],
      [{ position: 'first' }, 'position', 'Enter a whole number from 0 to 9,999.'],
    ] as const) {
      const form = { ...FORM, ...wrong }
      const page = await editor.post(OFFERS, { form })
      assert.equal(page.status, 422, field)
      assert.ok(page.text.includes(`id="${field}-error">${english}</p>`), `${field}: ${page.text}`)
      assert.match(page.text, /value="https?:\/\/shop\.example|value=""/)
      const german = await editor.post(OFFERS, { form, ...GERMAN })
      assert.ok(german.text.includes(`id="${field}-error">`) && !german.text.includes(english), field)
    }
    assert.equal((await listRecords(ctx, OFFER_STORE)).length, 0)
  })
})

describe('the list of offers', () => {
  test('deletes one after a question', async () => {
    await clear()
    const { id } = await add()
    const address = `${OFFERS}/${idFromUuid(id)}/delete`
    assert.match((await editor.get(address, GERMAN)).text, /„Werkstatt“ löschen\?/)
    assert.equal((await editor.post(address, { form: {} })).status, 303)
    assert.equal((await listRecords(ctx, OFFER_STORE)).length, 0)
    assert.equal((await editor.get(address)).status, 404)
  })

  test('previews what a reader in a country sees first, and what only on request', async () => {
    await clear()
    await add()
    await add({ title: { en: 'In Austria' }, countries: ['AT'] })
    await add({ title: { en: 'In Greece' }, countries: ['GR'] })
    const preview = async (query: string) => {
      const { text } = await viewer.get(`${OFFERS}${query}`)
      return (/<h2 id="preview">.*/s.exec(text)?.[0] ?? '').replaceAll(/<[^>]*>/g, ' ')
    }
    assert.match(
      await preview('?country=AT'),
      /Shown first.*Repairs.*In Austria.*Shown on request.*In Greece/s,
    )
    assert.match(
      await preview('?country=GR'),
      /Shown first.*Repairs.*In Greece.*Shown on request.*In Austria/s,
    )
    for (const query of ['', '?country=', '?country=DE', '?country=%3Cb%3E'])
      assert.doesNotMatch(await preview(query), /Shown on request/)
    const { text } = await viewer.get(`${OFFERS}?country=AT`)
    assert.ok(text.includes(`href="/p/${product}?country&#61;AT#actions"`))
  })

  test('offers no more than an account can have', async () => {
    await clear()
    await stand.sql`
      insert into offer (account_id, id, kind, countries, title, url, position, created_at, updated_at)
      select ${ctx.accountId}, gen_random_uuid(), 'repair', '{}', '{"en":"Repair"}', 'https://shop.example', n, now(), now()
      from generate_series(1, 100) n`
    assert.match((await editor.get(OFFERS)).text, /has 100 offers/)
    assert.equal((await editor.post(OFFERS, { form: FORM })).headers.location, OFFERS)
    assert.equal((await listRecords(ctx, OFFER_STORE)).length, 100)
  })
})
