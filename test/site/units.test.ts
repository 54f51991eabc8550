/** Tests pages of batches and items: level, origin of each field, and corrections. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { renderQrSvg } from '../../src/qr/svg.ts'
import { findMostCommonOrigin } from '../../src/site/page/origin.ts'
import {
  ADDRESSES,
  CORES,
  type Harness,
  newProduct,
  nextGtin,
  startHarness,
  type TestAccount,
} from '../harness.ts'
import { decodeQr } from '../qr/decode.ts'
import { FULL, read, renderPage, rowOf } from './passport-views.ts'

let harness: Harness
let account: TestAccount
before(async () => {
  harness = await startHarness()
  account = await harness.account({ plan: 'enterprise' })
})
after(() => harness.close())

type Unit = { uuid: string; id: string; path: string }
const named = (uuid: string): Unit => ({ uuid, id: idFromUuid(uuid), path: `/p/${idFromUuid(uuid)}` })

const makeModel = async (data: Record<string, unknown> = { gtin: nextGtin() }) => {
  const body = newProduct(data, 'battery')
  return named((await createPassport(account.ctx, { ...body, strict: false })).passport.id)
}
const issue = async (parent: Unit, unit: { lot?: string; serial?: string; data?: object }) => {
  const { created, errors } = await issueUnits(account.ctx, {
    parentUuid: parent.uuid,
    level: unit.serial === undefined ? 'batch' : 'item',
    units: [unit],
    bulk: false,
    strict: true,
  })
  const [issued] = created
  assert.ok(issued, String(errors[0]?.error))
  return named(issued.passport.id)
}
const family = async () => {
  const model = await makeModel({ gtin: nextGtin(), safetyInformation: { en: 'Never open it.' } })
  const batch = await issue(model, { lot: 'L-7', data: { manufacturingDate: '2026-07' } })
  const item = await issue(batch, { serial: 'S-1', data: { stateOfHealth: 97.123, weightKg: 3.1 } })
  return { model, batch, item }
}
const correct = (unit: Unit, data: object) => change(unit, data, 'correction')
const change = async (unit: Unit, data: object, change_type = 'change') => {
  const body = { data, change_type }
  const answer = await harness.ask('PATCH', `/api/v1/products/${unit.id}`, { key: account.key, body })
  assert.equal(answer.status, 200, answer.text)
}

const section = (html: string, anchor: string) =>
  html.split(`<div id="${anchor}">`)[1]?.split('</details>')[0] ?? ''
/** Returns the part before the sections. */
const head = (html: string) => /<header>.*?<details(?! class)/s.exec(html)?.[0] ?? ''

describe('the page of a unit', () => {
  test('an item names its level, and links to its batch and its model', async () => {
    const { model, batch, item } = await family()
    const answer = await harness.ask('GET', item.path)
    assert.equal(answer.status, 200)
    const top = head(answer.text)
    assert.match(
      top,
      /<p class="data">Single item · Batch number <bdi>L-7<\/bdi> · Serial number <bdi>S-1<\/bdi> · Active · Version 1 · Last updated: /,
    )
    assert.ok(top.includes(`<a href="${batch.id}">Passport of the batch</a>`))
    assert.ok(top.includes(`<a href="${model.id}">Passport of the model</a>`))
    assert.doesNotMatch(top, /has since been corrected/)
    assert.equal(answer.headers['x-robots-tag'], 'noindex')
    assert.match(answer.text, /<meta name="robots" content="noindex">/)
  })

  test('a batch links to its model, an item without a batch does too, and a model links to nothing', async () => {
    const { model, batch } = await family()
    const ofBatch = head((await harness.ask('GET', batch.path)).text)
    assert.match(ofBatch, />Batch · Batch number <bdi>L-7<\/bdi> · Active/)
    assert.ok(ofBatch.includes(`<a href="${model.id}">`))
    assert.doesNotMatch(ofBatch, /Passport of the batch|Serial number/)
    const single = await issue(model, { serial: 'S-9' })
    const ofItem = head((await harness.ask('GET', single.path)).text)
    assert.ok(ofItem.includes(`<a href="${model.id}">`))
    assert.doesNotMatch(ofItem, /Passport of the batch|Batch number/)
    assert.doesNotMatch(head((await harness.ask('GET', model.path)).text), /Passport of the/)
  })

  test('an item shows which fields it inherits from its model and batch', async () => {
    const { item } = await family()
    const { text } = await harness.ask('GET', item.path)
    assert.match(section(text, 'safety'), /Never open it.*<p class="from of">Inherited from the model<\/p>/)
    const performance = section(text, 'performance')
    assert.match(performance, /July 2026(?:<\/[a-z]+>)*<small class="from">inherited from the batch<\/small>/)
    assert.match(performance, /3\.1[^<]*(?:<\/[a-z]+>)*<small class="from">recorded for this unit<\/small>/)
    assert.equal(performance.match(/class="from"/g)?.length, 2)
    assert.match(performance, /<p class="from of">Inherited from the model<\/p>/)
  })

  test('a batch marks its own fields; the model page mentions no origin', async () => {
    const { model, batch } = await family()
    const performance = section((await harness.ask('GET', batch.path)).text, 'performance')
    assert.match(performance, /July 2026(?:<\/[a-z]+>)*<small class="from">recorded for this batch<\/small>/)
    assert.doesNotMatch(performance, /from the batch|this unit/)
    assert.doesNotMatch((await harness.ask('GET', model.path)).text, /class="from|inherited/)
  })

  test('a field that a batch removed is inherited from the model again', async () => {
    const { batch } = await family()
    const body = { data: { manufacturingDate: null } }
    await harness.ask('PATCH', `/api/v1/products/${batch.id}`, { key: account.key, body })
    const item = await issue(batch, { serial: 'S-2' })
    for (const { path } of [batch, item]) {
      const performance = section((await harness.ask('GET', path)).text, 'performance')
      assert.match(performance, /May 2026/)
      assert.doesNotMatch(performance, /class="from"/)
    }
  })

  test('state of health is shown to authorities only; an access link to the model opens its items too', async () => {
    const { model, item } = await family()
    const { token } = await createAccessLink(account.ctx, {
      passportId: model.id,
      audience: 'authority',
      label: 'Inspectorate',
      expiresAt: new Date(harness.clock.now().getTime() + 3_600_000),
      addresses: ADDRESSES,
    })
    for (const format of ['html', 'jsonld']) {
      const open = await harness.ask('GET', `${item.path}?format=${format}`)
      assert.doesNotMatch(open.text, /97[.,]123|stateOfHealth|State of health/)
      const headers = { authorization: `Bearer ${token}` }
      const inspected = await harness.ask('GET', `${item.path}?format=${format}`, { headers })
      assert.match(inspected.text, /97\.123/)
    }
  })

  test('the usual origin is the most common one, and the highest level in a tie', () => {
    assert.equal(findMostCommonOrigin(['own', 'model']), 'model')
    assert.equal(findMostCommonOrigin(['own', 'batch']), 'batch')
    assert.equal(findMostCommonOrigin(['own', 'model', 'own']), 'own')
    assert.equal(findMostCommonOrigin(['own']), 'own')
  })

  test('stays within 30 kB, 8 kB compressed, in every language, wherever the fields come from', () => {
    const address = 'https://passports.example/p/01m8098nvvfabad3bxkst66w16'
    const { svg } = renderQrSvg(address, { level: 'M', isInline: true })
    for (const category of ['textile', 'battery', 'furniture'] as const) {
      const names = Object.keys({ ...CORES[category], ...FULL[category] })
      const row = rowOf(category, FULL[category], {
        level: 'i',
        lot: 'L'.repeat(20),
        serial: 'S'.repeat(20),
        outdated: true,
        parent_id: newUuid(1),
        unit_fields: names.filter((_, i) => i % 3 === 0),
        batch_fields: names.filter((_, i) => i % 3 === 1),
      })
      for (const { code } of LANGUAGES) {
        const html = renderPage(read(row, 'authority'), code, { qr: svg })
        assert.ok(Buffer.byteLength(html) <= 30_000, `${category} ${code}: ${Buffer.byteLength(html)}`)
        assert.ok(gzipSync(html).length <= 8_000, `${category} ${code}: ${gzipSync(html).length} compressed`)
      }
    }
  })
})

describe('a published correction', () => {
  test('of the model shows a notice on unit pages within a second, with another entity tag, until a refresh', async () => {
    harness.clock.set('2026-11-21T10:00:00Z')
    const { model, batch, item } = await family()
    const before = new Map<Unit, string>()
    for (const unit of [batch, item]) {
      const answer = await harness.ask('GET', unit.path)
      assert.doesNotMatch(answer.text, /correction has been published|has since been corrected/)
      before.set(unit, answer.headers.etag ?? '')
    }
    await correct(model, { ratedCapacity: 13.5 })
    harness.clock.advance(1_001)
    for (const [unit, etag] of before) {
      const answer = await harness.ask('GET', unit.path, { headers: { 'if-none-match': etag } })
      assert.equal(answer.status, 200)
      const told = /<p class="notice" role="note">(A correction .*?)<\/p>/.exec(head(answer.text))?.[1] ?? ''
      assert.equal(
        told.replaceAll(/<[^>]*>/g, ''),
        'A correction has been published that this passport does not show yet: Rated capacity 13.4\u00a0Ah → 13.5\u00a0Ah. See the corrected passport',
      )
      assert.match(told, new RegExp(`<a href="${model.id}\\?lang&#61;en">|<a href="${model.id}\\?lang=en">`))
      assert.match(answer.headers.etag ?? '', /\.outdated\./)
      assert.match(answer.text, /13\.4/)
      const document = await harness.ask('GET', `${unit.path}?format=jsonld`)
      assert.equal(document.json.subjectOf['dpp:outdated'], true)
    }
    assert.doesNotMatch(
      (await harness.ask('GET', model.path)).text,
      /correction has been published|has since been corrected/,
    )
    const refresh = await harness.ask('POST', `/api/v1/products/${model.id}/refresh`, { key: account.key })
    assert.equal(refresh.json.data.refreshed, 2)
    for (const { path } of before.keys()) {
      const { text } = await harness.ask('GET', path)
      assert.doesNotMatch(text, /correction has been published|has since been corrected/)
      assert.match(text, /13\.5/)
      assert.match(
        section(text, 'history'),
        /<th scope="row"><b aria-current="true">2<\/b><\/th>.*Correction/,
      )
    }
    harness.clock.release()
  })

  const noticeOf = async (unit: Unit, access?: string) => {
    const headers = access === undefined ? {} : { authorization: `Bearer ${access}` }
    const { text, headers: got } = await harness.ask('GET', `${unit.path}?lang=en`, { headers })
    const notice = /<p class="notice" role="note">(.*?)<\/p>/.exec(head(text))?.[1] ?? ''
    return { notice, told: notice.replaceAll(/<[^>]*>/g, ''), tag: got.etag }
  }

  test('is listed with both values, or without them for a text, and again after the next correction', async () => {
    harness.clock.set('2026-11-21T12:00:00Z')
    const { model, item } = await family()
    await correct(model, { safetyInformation: { en: 'Never open it. Call 112.' }, ratedCapacity: 13.5 })
    const first = await noticeOf(item)
    assert.match(first.told, /yet: Rated capacity 13\.4\sAh → 13\.5\sAh · Safety information\. See/)
    await correct(model, { ratedCapacity: 13.6, batteryCategory: 'ev' })
    harness.clock.advance(1_001)
    const second = await noticeOf(item)
    assert.match(second.told, /Rated capacity 13\.4\sAh → 13\.6\sAh/)
    assert.match(second.told, /Battery category Light means .* → Electric vehicle battery/)
    assert.notEqual(second.tag, first.tag)
    harness.clock.release()
  })

  test('of a field that the unit has itself shows no values, because nothing changes', async () => {
    const { model, batch, item } = await family()
    await correct(model, { weightKg: 3.9 })
    assert.match((await noticeOf(batch)).told, /Weight 2\.9\skg → 3\.9\skg/)
    assert.match((await noticeOf(item)).told, /has since been corrected/)
  })

  test('of a batch links to the batch', async () => {
    const { batch, item } = await family()
    await correct(batch, { manufacturingDate: '2026-08' })
    const { notice, told } = await noticeOf(item)
    assert.match(told, /Date of manufacture July 2026 → August 2026/)
    assert.match(notice, new RegExp(`href="${batch.id}\\?`))
  })

  test('of a protected field is not named to other readers, not even that a part of it was corrected', async () => {
    const { model, item } = await family()
    const operator = CORES.battery.economicOperator as object
    await correct(model, { economicOperator: { ...operator, eori: 'DE123456789012345' } })
    await correct(model, { dueDiligenceUrl: 'https://docs.example/secret-report' })
    const open = await noticeOf(item)
    assert.match(open.told, /has since been corrected/)
    assert.doesNotMatch(open.notice, /operator|diligence|secret|EORI|<b>/i)
    const versions = section((await harness.ask('GET', model.path)).text, 'history')
    assert.match(versions, /<td>Correction<\/td>/)
    assert.doesNotMatch(versions, /operator|diligence/i)
    const link = (audience: string) =>
      createAccessLink(account.ctx, {
        passportId: model.id,
        audience,
        label: 'Reader',
        expiresAt: new Date(harness.clock.now().getTime() + 60_000),
        addresses: ADDRESSES,
      })
    const partner = (await noticeOf(item, (await link('legitimate_interest')).token)).told
    assert.match(partner, /yet: Due diligence report\. See/)
    assert.doesNotMatch(partner, /operator/i)
    assert.match((await noticeOf(item, (await link('authority')).token)).told, /Economic operator/)
  })

  test('of more fields than fit on the page is announced without naming them', async () => {
    const { model, item } = await family()
    for (let n = 1; n <= 21; n++) await correct(model, { ratedCapacity: 20 + n })
    assert.match((await noticeOf(item)).told, /has since been corrected/)
  })

  test('of a field of the batch is still shown as inherited from the batch after a refresh', async () => {
    const { batch, item } = await family()
    await correct(batch, { manufacturingDate: '2026-08' })
    await harness.ask('POST', `/api/v1/products/${item.id}/refresh`, { key: account.key })
    const { text } = await harness.ask('GET', item.path)
    assert.match(
      section(text, 'performance'),
      /August 2026(?:<\/[a-z]+>)*<small class="from">inherited from the batch<\/small>/,
    )
  })
})

describe('JSON-LD of a unit', () => {
  test('a batch is some products of its model', async () => {
    const { model, batch } = await family()
    const of = async ({ path }: Unit) => (await harness.ask('GET', `${path}?format=jsonld`)).json
    const above = await of(model)
    const document = await of(batch)
    assert.deepEqual(document['@type'], ['Product', 'SomeProducts'])
    assert.equal(document['@id'], `${above['@id']}/10/L-7`)
    assert.deepEqual(document.model, { '@id': above['@id'] })
    assert.equal(document['dpp:batch'], undefined)
    assert.equal(document['gs1:hasBatchLotNumber'], 'L-7')
    assert.ok(document.subjectOf['dpp:inheritedFromModel'].includes('cellChemistry'))
    assert.ok(!document.subjectOf['dpp:inheritedFromModel'].includes('manufacturingDate'))
    assert.equal(document.subjectOf['dpp:inheritedFromBatch'], undefined)
    assert.equal(above.subjectOf['dpp:inheritedFromModel'], undefined)
    assert.equal(above.subjectOf['dpp:outdated'], undefined)
  })

  test('an item is one product of its model and its batch', async () => {
    const { model, batch, item } = await family()
    const of = async ({ path }: Unit) => (await harness.ask('GET', `${path}?format=jsonld`)).json
    const [above, between, document] = [await of(model), await of(batch), await of(item)]
    assert.deepEqual(document['@type'], ['Product', 'IndividualProduct'])
    assert.equal(document['@id'], `${between['@id']}/21/S-1`)
    assert.deepEqual(document.model, { '@id': above['@id'] })
    assert.deepEqual(document['dpp:batch'], { '@id': between['@id'] })
    assert.equal(document.serialNumber, 'S-1')
    assert.deepEqual(document.subjectOf['dpp:inheritedFromBatch'], ['manufacturingDate'])
    assert.equal(document.weight.value, 3.1)
    for (const name of ['weightKg', 'stateOfHealth']) {
      assert.ok(!JSON.stringify(document.subjectOf).includes(name), name)
    }
  })

  test('identifies model and batch like their own documents, also when the model’s GTIN changes later', async () => {
    harness.clock.set('2026-11-22T10:00:00Z')
    const of = async ({ path }: Unit) => (await harness.ask('GET', `${path}?format=jsonld`)).json
    const model = await makeModel({})
    const early = await issue(model, { lot: 'L-1' })
    const units = [early, await issue(early, { serial: 'S-1' }), await issue(model, { serial: 'S-2' })]
    const check = async () => {
      const above = (await of(model))['@id']
      for (const unit of units) assert.deepEqual((await of(unit)).model, { '@id': above })
      const below = await of(units[1] as Unit)
      assert.deepEqual(below['dpp:batch'], { '@id': (await of(early))['@id'] })
      return above
    }
    const names = [await check()]
    const [first, second] = [nextGtin(), nextGtin()]
    for (const gtin of [first, second, null]) {
      await correct(model, { gtin })
      harness.clock.advance(1_001)
      names.push(await check())
    }
    const { publicUrl } = ADDRESSES
    const page = `${publicUrl}${model.path}#product`
    assert.deepEqual(names, [page, `${publicUrl}/01/0${first}`, `${publicUrl}/01/0${second}`, page])
    // An item issued between two GTINs gets the current one, under a batch without a GTIN.
    await correct(model, { gtin: second })
    const late = await issue(early, { serial: 'S-3' })
    const document = await of(late)
    assert.deepEqual(document.model, { '@id': `${publicUrl}/01/0${second}` })
    assert.deepEqual(document['dpp:batch'], { '@id': (await of(early))['@id'] })
    await harness.ask('POST', `/api/v1/products/${model.id}/refresh`, { key: account.key })
    harness.clock.advance(1_001)
    units.push(late)
    assert.equal(await check(), `${publicUrl}/01/0${second}`)
    harness.clock.release()
  })

  test('follows a GTIN that its model gets by a change', async () => {
    harness.clock.set('2026-11-22T10:00:00Z')
    const { model, item } = await family()
    const read = async () => {
      harness.clock.advance(1_001)
      const { json } = await harness.ask('GET', `${item.path}?format=jsonld`)
      return [json.model['@id'], json['dpp:batch']['@id']]
    }
    const before = await read()
    const gtin = nextGtin()
    await change(model, { gtin })
    const after = [`${ADDRESSES.publicUrl}/01/0${gtin}`, before[1]]
    assert.notDeepEqual(before, after)
    assert.deepEqual(await read(), after)
    harness.clock.release()
  })

  test('without a GTIN, unit and model are identified by a part of their own pages', async () => {
    const model = await makeModel({})
    const item = await issue(model, { serial: 'S-1' })
    const { json } = await harness.ask('GET', `${item.path}?format=jsonld`)
    assert.equal(json['@id'], `${ADDRESSES.publicUrl}${item.path}#product`)
    assert.deepEqual(json.model, { '@id': `${ADDRESSES.publicUrl}${model.path}#product` })
  })
})

test('the QR code of a unit encodes its own page, or its own GS1 address', async () => {
  const { item } = await family()
  const page = await harness.ask('GET', `${item.path}/qr.svg`)
  assert.deepEqual(await decodeQr(page.text), [`${ADDRESSES.publicUrl}${item.path}`])
  const gs1 = await harness.ask('GET', `${item.path}/qr.svg?content=gs1`)
  assert.match((await decodeQr(gs1.text)).join(), /\/01\/\d{14}\/10\/L-7\/21\/S-1$/)
})
