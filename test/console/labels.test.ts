/** Labels as they are printed: every code on a sheet is decoded again, every picture in an archive too. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { unzipSync } from 'fflate'
import { idFromUuid } from '../../src/kernel/ids.ts'
import { createPassport } from '../../src/passports/create.ts'
import { createChildren } from '../../src/passports/create-children.ts'
import { labelSheet, SHEETS, type SheetFormat, symbolMm } from '../../src/qr/label-sheet.ts'
import { DPI, qrPng } from '../../src/qr/png.ts'
import { newProduct, nextGtin } from '../harness.ts'
import { decodePng } from '../qr/decode.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

const ADDRESS = 'https://carnet.example/01/09506000134352/10/LOT-7/21/SN0001'

describe('a symbol as PNG', () => {
  for (const dpi of DPI) {
    test(`${dpi} dpi: read again, says its resolution, no wider than asked`, async () => {
      const png = qrPng(ADDRESS, { level: 'M', sizeMm: 20, dpi })
      assert.equal(await decodePng(png), ADDRESS)
      assert.ok(png.readUInt32BE(16) / dpi <= 20 / 25.4)
      const at = png.indexOf('pHYs')
      assert.equal(png.readUInt32BE(at + 4), Math.round(dpi / 0.0254))
    })
  }
})

describe('formats of sheets', () => {
  for (const [name, format] of Object.entries(SHEETS) as [string, SheetFormat][]) {
    test(`${name} fits on its page`, () => {
      const right = format.left + format.columns * format.width + (format.columns - 1) * format.gap[0]
      const bottom = format.top + format.rows * format.height + (format.rows - 1) * format.gap[1]
      assert.ok(right <= format.page[0] + 0.01 && bottom <= format.page[1] + 0.01)
      assert.ok(symbolMm(format) <= Math.min(format.width, format.height))
    })
  }

  test('a sheet that is full goes on on the next; names in any alphabet and of any length', async () => {
    const labels = Array.from({ length: 25 }, (_, i) => ({
      address: `${ADDRESS}${i}`,
      title: 'Κουβέρτα из шерсти '.repeat(i + 1),
      lines: ['x'.repeat(400)],
    }))
    const chunks: Buffer[] = []
    for await (const chunk of labelSheet(labels, { format: SHEETS['64x38'], level: 'M', skip: 20 }))
      chunks.push(chunk as Buffer)
    const pdf = Buffer.concat(chunks).toString('latin1')
    assert.match(pdf, /^%PDF-1/)
    assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, 3)
  })
})

describe('the pages about labels', () => {
  let stand: Stand
  let owner: Browser
  let at: string
  const gtin = nextGtin()

  before(async () => {
    stand = await startStand()
    const account = await stand.account({ plan: 'enterprise' })
    owner = await stand.signedIn(account, 'viewer')
    const ctx = { ...stand.ctx, accountId: account, actorId: 1 }
    const { passport } = await createPassport(ctx, { ...newProduct({ gtin }), strict: false })
    const units = Array.from({ length: 130 }, (_, i) => ({ serial: `S/${i}` }))
    await createChildren(ctx, { parentUuid: passport.id, level: 'item', units, bulk: true, strict: false })
    at = `/console/products/${idFromUuid(passport.id)}`
  })
  after(() => stand.close())

  const file = async (query: string) => {
    const answer = await stand.app.inject({
      url: `${at}/labels/file?${query}`,
      headers: { cookie: owner.cookie ?? '' },
    })
    assert.equal(answer.statusCode, 200)
    assert.match(String(answer.headers['content-disposition']), /^attachment; filename="/)
    return answer.rawPayload
  }

  test('an archive has a picture for each unit, each with the address of its own', async () => {
    const entries = Object.entries(unzipSync(await file('of=units&file=png300&content=gs1')))
    assert.equal(entries.length, 130)
    for (const [name, png] of entries.slice(0, 5)) {
      const serial = /^S_(\d+)-/.exec(name)?.[1]
      assert.match((await decodePng(Buffer.from(png))) ?? '', new RegExp(`/21/S%2F${serial}$`))
    }
    const svgs = Object.values(unzipSync(await file('of=self&file=svg&size=30')))
    assert.match(Buffer.from(svgs[0] ?? []).toString(), /width="30mm"/)
  })

  test('a PDF for all units, with copies; one code as PNG', async () => {
    const pdf = (await file('of=units&file=pdf&sheet=70x37&copies=2')).toString('latin1')
    assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, Math.ceil(260 / 24))
    const answer = await stand.app.inject({
      url: `${at}/code.png?dpi=600`,
      headers: { cookie: owner.cookie ?? '' },
    })
    assert.match((await decodePng(answer.rawPayload)) ?? '', /\/p\/[0-9a-z]{26}$/)
  })

  test('too fine a code is told before it is printed; nonsense in the address falls back', async () => {
    assert.match((await owner.get(`${at}/labels?file=png300&size=10`)).text, /many phones cannot read them/)
    assert.doesNotMatch((await owner.get(`${at}/labels?file=png300&size=40`)).text, /cannot read/)
    for (const query of [
      'sheet=__proto__',
      'width=-1&height=9999&sheet=own',
      'copies=1e9',
      'skip=x',
      'file=exe',
    ]) {
      assert.equal((await owner.get(`${at}/labels?${query}`)).status, 200, query)
    }
  })
})
