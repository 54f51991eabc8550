/** Tests the form of the block “From the brand”: what is stored, and errors at their fields. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { type BrandStory, findStory } from '../../src/accounts/brand/story.ts'
import { storeFileRows } from '../media/stored-files.ts'
import { type Browser, OWN, type Stand, startStand } from './stand.ts'

const BRAND = '/console/settings/brand'
const STORY = `${BRAND}/story`
const MEDIA = 'b'.repeat(64)
const GERMAN = { headers: { ...OWN, 'accept-language': 'de' } }

let stand: Stand
let ctx: AccountContext
let editor: Browser
let viewer: Browser
before(async () => {
  stand = await startStand()
  const accountId = await stand.account()
  ctx = { ...stand.ctx, sql: stand.sql, accountId, actorId: 1 }
  editor = await stand.signedIn(accountId, 'editor')
  viewer = await stand.signedIn(accountId, 'viewer')
  await storeFileRows(ctx, { kind: 'picture', ids: [MEDIA] })
})
after(() => stand.close())

/** The limit of one language. */
const ROW = { language: 'de', text: 'Wir weben.', alt: '', 'label-0': '', 'label-1': '', 'label-2': '' }
const LINKS = { 'url-0': '', 'url-1': '', 'url-2': '' }
const send = (fields: Record<string, string>, more: RequestOptions = {}) =>
  editor.post(STORY, { form: { ...ROW, ...LINKS, media: '', ...fields }, ...more })
type RequestOptions = { headers?: Record<string, string> }
const read = (): Promise<BrandStory | undefined> => findStory(ctx)

describe('the form of the block', () => {
  test('stores texts, links and a picture, shows them again, and removes all of it when it is empty', async () => {
    const saved = await send({
      'url-1': 'https://shop.example',
      'label-1': 'Zum Laden',
      media: MEDIA,
      alt: 'Ein Webstuhl',
    })
    assert.deepEqual([saved.status, saved.headers.location], [303, `${BRAND}?saved=1`])
    assert.deepEqual(await read(), {
      text: { de: 'Wir weben.' },
      links: [{ url: 'https://shop.example', label: { de: 'Zum Laden' } }],
      picture: { media: MEDIA, alt: { de: 'Ein Webstuhl' } },
    })
    const { text } = await editor.get(STORY)
    assert.match(text, /<textarea id="text-0" name="text"[^>]* lang="de"[^>]*>\s*Wir weben\.<\/textarea>/)
    assert.match(text, /id="label-0-0" name="label-0"[^>]* value="Zum Laden"/)
    assert.match(text, new RegExp(`value="${MEDIA}" checked`))
    for (const browser of [editor, viewer]) {
      const page = (await browser.get(BRAND, GERMAN)).text
      assert.match(page, /Von der Marke.*Texte auf.*Deutsch.*https:\/\/shop\.example/s)
      assert.equal(page.includes(`href="${STORY}"`), browser === editor)
    }
    assert.equal((await send({ text: '' })).status, 303)
    assert.equal(await read(), undefined)
  })

  test('has an empty row for another language, and stores nothing before it is saved', async () => {
    const { status, text } = await send({ more: '1' })
    assert.equal(status, 200)
    assert.match(text, /id="text-1"/)
    assert.match(text, /Wir weben\./)
    assert.equal(await read(), undefined)
  })

  test('offers older pictures, too, and keeps what was typed and chosen', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => 'd'.repeat(60) + String(n).padStart(4, '0'))
    await storeFileRows(ctx, { kind: 'picture', ids })
    const chosen = { media: ids[29] ?? '', alt: 'Ein Webstuhl' }
    const findButton = (text: string, name: string) =>
      new RegExp(`name="show" value="([^"]+)"[^>]*>${name}<`).exec(text)?.[1] ?? ''
    const first = (await editor.get(STORY)).text
    assert.ok(!first.includes(`value="${MEDIA}"`))
    const { status, text } = await send({ ...chosen, show: findButton(first, 'Older files') })
    assert.equal(status, 200)
    assert.match(text, new RegExp(`value="${MEDIA}"`))
    assert.match(text, new RegExp(`value="${ids[29]}" checked`))
    assert.match(text, /value="Ein Webstuhl"/)
    assert.equal(findButton(text, 'Newest'), 'newest')
    assert.equal(await read(), undefined)
    await stand.sql`delete from media where encode(id, 'hex') = any(${ids}::text[])`
  })

  test('names each error at its field, keeps what was typed, and stores nothing', async () => {
    const wrong: [Record<string, string>, string, RegExp, RegExp][] = [
      [{ text: 'x'.repeat(2_001) }, 'text-0', /At most 2,000/, /Höchstens 2\.000/],
      [{ language: '' }, 'language-0', /Choose|choose/, /aus der Liste/],
      [{ language: 'xx' }, 'language-0', /Choose|choose/, /aus der Liste/],
      [{ 'url-0': 'http://shop.example', 'label-0': 'Laden' }, 'url-0', /https:\/\//, /https:\/\//],
      [{ 'url-2': 'https://shop.example' }, 'label-2-0', /text of the link/, /Text des Links/],
      [{ 'label-2': 'Laden' }, 'url-2', /./, /ausfüllen/],
      [{ media: MEDIA }, 'alt-0', /Describe the picture/, /Beschreiben Sie das Bild/],
      [{ media: 'c'.repeat(64), alt: 'Ein Webstuhl' }, 'picture', /no longer there/, /gibt es nicht mehr/],
    ]
    for (const [fields, id, en, de] of wrong) {
      const answer = await send(fields)
      assert.equal(answer.status, 422, id)
      assert.match(answer.text, new RegExp(`<a class="alone" href="#${id}">`), id)
      const message = new RegExp(`id="${id}-error">([^<]*)`).exec(answer.text)?.[1] ?? ''
      assert.match(message, en)
      const german = await send(fields, GERMAN)
      assert.match(new RegExp(`id="${id}-error">([^<]*)`).exec(german.text)?.[1] ?? '', de)
      if (fields.text === undefined) assert.match(answer.text, /Wir weben\./)
    }
    assert.equal(await read(), undefined)
    assert.equal((await viewer.post(STORY, { form: { ...ROW, ...LINKS } })).status, 403)
  })

  test('its picture is named in the library, and cannot be deleted there', async () => {
    await send({ media: MEDIA, alt: 'Ein Webstuhl' })
    assert.match((await editor.get('/console/media')).text, /In the block “From the brand”/)
    const file = (await editor.get(`/console/media/${MEDIA}`)).text
    assert.match(file, new RegExp(`Shown in the block.*href="${STORY}"`, 's'))
    assert.ok(!file.includes(`/console/media/${MEDIA}/delete`))
    const refused = await editor.post(`/console/media/${MEDIA}/delete`, { form: {} })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /Choose another picture there/)
  })
})
