/** Tests recalls in the console: the question before they go live, who may set them, changes meanwhile, lists. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { findRecall } from '../../src/passports/recalls/read-recall.ts'
import { setRecall } from '../../src/passports/recalls/set-recall.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { newProduct } from '../harness.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

let stand: Stand
let ctx: Parameters<typeof createPassport>[0]
let editor: Browser
let viewer: Browser
before(async () => {
  stand = await startStand()
  const account = await stand.account({ plan: 'enterprise' })
  ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
  editor = await stand.signedIn(account, 'editor')
  viewer = await stand.signedIn(account, 'viewer')
})
after(() => stand.close())

let made = 0
const create = async () => {
  const body = newProduct({ sku: `R-${++made}`, productName: `Jumper ${made}`, languages: ['en', 'de'] })
  return (await createPassport(ctx, { ...body, strict: false })).passport.id
}
const issue = async (parentUuid: string, serials: readonly string[]) => {
  const units = serials.map(serial => ({ serial }))
  const { created } = await issueUnits(ctx, { parentUuid, level: 'item', units, bulk: true, strict: true })
  return created.map(({ passport }) => passport.id)
}
const at = (uuid: string) => `/console/products/${idFromUuid(uuid)}/recall`
const read = (html: string) => html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
const show = async (path: string, browser = editor, ask = {}) => read((await browser.get(path, ask)).text)
const send = async (path: string, form: Record<string, string>, ask = {}) => {
  const { status, headers, text } = await editor.post(path, { form, ...ask })
  return { status, location: headers.location, text: read(text) }
}

const FORM = { base: '0', 'hazard.en': 'It can <b>break</b>.', 'action.en': 'Stop.\nBring it back.' }

describe('the recall of a product', () => {
  test('goes live after a question that shows it and how many it reaches, and is then on every page', async () => {
    const model = await create()
    const [item = ''] = await issue(model, ['S-1', 'S-2'])
    const form = await show(at(model))
    assert.match(form, /It also reaches 2 items\./)
    assert.match(form, /<legend>English<\/legend>/)
    assert.match(form, /<textarea id="hazard\.de" name="hazard\.de" lang="de"/)
    const question = await send(at(model), { ...FORM, step: 'check', 'hazard.de': 'Es kann brechen.' })
    assert.equal(question.status, 200)
    assert.match(question.text, /<h1>Publish this recall\?<\/h1>/)
    assert.match(question.text, /It also reaches 2 items\./)
    assert.match(question.text, /lang="en" dir="auto">It can <b>break<\/b>\./)
    assert.match(question.text, /Not in this language/)
    assert.equal(await findRecall(ctx, model), undefined)
    const edited = await send(at(model), { ...FORM, step: 'edit' })
    assert.match(edited.text, /Stop\.\nBring it back\.<\/textarea>/)
    const done = await send(at(model), { ...FORM, step: 'publish', contact: '+49 1' })
    assert.equal(done.location, `${at(model)}?done=set`)
    assert.deepEqual((await findRecall(ctx, model))?.notice.action, { en: 'Stop.\nBring it back.' })
    const after = await show(`${at(model)}?done=set`)
    assert.match(after, /The recall is published\./)
    assert.match(after, /A recall has been in force since/)
    assert.match(await show(`/console/products/${idFromUuid(model)}`), /This product was recalled on/)
    assert.match(await show(`/console/products/${idFromUuid(item)}`), /Its model was recalled on/)
    const list = await show('/console/products?level=all')
    assert.match(list, new RegExp(`Jumper ${made}</a> <span class="badge alarm">Recalled</span>`))
    assert.match(list, /Jumper \d+ · S-1<\/a> <span class="badge alarm">/)
    assert.match(await show('/console/settings/audit'), /Recalled a product/)
    const german = await show(at(model), editor, { headers: { 'accept-language': 'de' } })
    assert.match(german, /Hinweis ändern/)
  })

  test('is refused with a sentence at each field that is wrong, and the text is kept', async () => {
    const model = await create()
    const wrong = { 'hazard.en': 'Kept text', 'action.en': '', url: 'brand.example', from: '9999-01-01' }
    const refused = await send(at(model), { base: '0', step: 'publish', ...wrong })
    assert.equal(refused.status, 422)
    for (const [id, sentence] of [
      ['action.en', 'Enter something'],
      ['url', 'Is not a full address'],
      ['from', 'This day is in the future'],
    ] as const) {
      const [, said = ''] =
        new RegExp(`id="${id.replace('.', '\\.')}-error">([^<]+)`).exec(refused.text) ?? []
      assert.ok(said.length > 0 && (id === 'action.en' || said.startsWith(sentence)), `${id}: ${said}`)
    }
    assert.match(refused.text, /Kept text<\/textarea>/)
    assert.match(refused.text, /value="brand\.example"/)
    assert.equal(await findRecall(ctx, model), undefined)
  })

  test('that somebody else changed meanwhile is not overwritten', async () => {
    const model = await create()
    const notice = { hazard: { en: 'Other' }, action: { en: 'Other' } }
    const sent = { ...notice, url: undefined, contact: undefined, from: undefined }
    await setRecall(ctx, { uuid: model, notice: sent, expects: () => true })
    for (const step of ['check', 'publish']) {
      const refused = await send(at(model), { ...FORM, step })
      assert.equal(refused.status, 422)
      assert.match(refused.text, /Somebody else has changed the recall meanwhile/)
    }
    assert.equal((await findRecall(ctx, model))?.number, 1)
    const changed = await send(at(model), { ...FORM, base: '1', step: 'publish' })
    assert.equal(changed.location, `${at(model)}?done=changed`)
  })

  test('ends after a question, and its changes stay; a viewer sees all and changes nothing', async () => {
    const model = await create()
    await send(at(model), { ...FORM, step: 'publish' })
    assert.match(await show(`${at(model)}/end`), /<h1>End this recall\?<\/h1>/)
    const seen = await show(at(model), viewer)
    assert.match(seen, /A recall has been in force since/)
    assert.doesNotMatch(seen, /<textarea/)
    assert.equal((await viewer.post(at(model), { form: { ...FORM, step: 'publish' } })).status, 403)
    const ended = await send(`${at(model)}/end`, {})
    assert.equal(ended.location, `${at(model)}?done=ended`)
    assert.equal((await findRecall(ctx, model))?.kind, 'e')
    const after = await show(at(model), viewer)
    assert.match(after, /The last recall of this product ended on/)
    assert.match(after, /<strong>Ended<\/strong>[\s\S]*<strong>Recalled<\/strong>/)
    assert.equal((await send(`${at(model)}/end`, {})).location, at(model))
    assert.doesNotMatch(await show(`/console/products/${idFromUuid(model)}`), /was recalled on/)
  })
})
