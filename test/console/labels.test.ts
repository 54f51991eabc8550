/** Labels as they are printed: every code on a sheet is decoded again, every picture in an archive too. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { unzipSync } from 'fflate'
import type { AccountContext } from '../../src/accounts/context.ts'
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
  let ctx: AccountContext
  const gtin = nextGtin()

  before(async () => {
    stand = await startStand()
    const account = await stand.account({ plan: 'enterprise' })
    owner = await stand.signedIn(account, 'viewer')
    ctx = { ...stand.ctx, accountId: account, actorId: 1 }
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
    const entries = Object.entries(unzipSync(await file('of=items&file=png300&content=gs1')))
    assert.equal(entries.length, 130)
    for (const [name, png] of entries.slice(0, 5)) {
      const serial = /^S_(\d+)-/.exec(name)?.[1]
      assert.match((await decodePng(Buffer.from(png))) ?? '', new RegExp(`/21/S%2F${serial}$`))
    }
    const svgs = Object.values(unzipSync(await file('of=self&file=svg&size=30')))
    assert.match(Buffer.from(svgs[0] ?? []).toString(), /width="30mm"/)
  })

  test('a PDF for all units, with copies; one code as PNG', async () => {
    const pdf = (await file('of=items&file=pdf&sheet=70x37&copies=2')).toString('latin1')
    assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, Math.ceil(260 / 24))
    const answer = await stand.app.inject({
      url: `${at}/code.png?dpi=600`,
      headers: { cookie: owner.cookie ?? '' },
    })
    assert.match((await decodePng(answer.rawPayload)) ?? '', /\/p\/[0-9a-z]{26}$/)
  })

  test('too fine a code is told before it is printed', async () => {
    assert.match((await owner.get(`${at}/labels?file=png300&size=10`)).text, /many phones cannot read them/)
    assert.doesNotMatch((await owner.get(`${at}/labels?file=png300&size=40`)).text, /cannot read/)
  })

  test('what cannot be is told at each field with what was typed, and there is no file', async () => {
    const wishes: [query: string, field: string, sentence: RegExp][] = [
      ['copies=1000', 'copies', /a whole number from 1 to 500/],
      ['copies=abc', 'copies', /a whole number from 1 to 500/],
      ['copies=1.5', 'copies', /a whole number from 1 to 500/],
      ['copies=', 'copies', /a whole number from 1 to 500/],
      ['copies=1e9', 'copies', /a whole number from 1 to 500/],
      ['sheet=own&width=5', 'width', /a number from 15 to 300/],
      ['sheet=own&height=5', 'height', /a number from 15 to 300/],
      ['skip=99', 'skip', /a whole number from 0 to 20/],
      ['sheet=70x37&skip=24', 'skip', /a whole number from 0 to 23/],
      ['file=svg&size=5', 'size', /a number from 10 to 100/],
      ['sheet=__proto__', 'sheet', /no such choice/],
      ['file=exe', 'file', /no such choice/],
      ['of=batches', 'of', /no such choice. There are: items, self/],
    ]
    for (const [query, field, sentence] of wishes) {
      for (const page of ['labels', 'labels/file']) {
        const answer = await owner.get(`${at}/${page}?${query}`)
        assert.equal(answer.status, 422, `${page}?${query}`)
        assert.match(answer.headers['content-type'] ?? '', /^text\/html/)
        const [, error = ''] =
          new RegExp(`<p class="error" id="${field}-error">(.*?)</p>`).exec(answer.text) ?? []
        assert.match(error, sentence, `${page}?${query}`)
        assert.match(answer.text, new RegExp(`<a class="alone" href="#${field}">`))
        const typed = new URLSearchParams(query).get(field)
        if (/<input/.test(new RegExp(`<(input|select) id="${field}"`).exec(answer.text)?.[0] ?? '')) {
          assert.ok(
            answer.text.includes(
              `id="${field}" name="${field}" class="number" inputmode="decimal" value="${typed}"`,
            ),
          )
        }
      }
    }
    const all = await owner.get(`${at}/labels/file?sheet=own&width=5&height=5&copies=abc`)
    assert.equal(all.text.match(/class="error"/g)?.length, 3)
    const german = { headers: { 'accept-language': 'de' } }
    assert.match(
      (await owner.get(`${at}/labels?copies=0`, german)).text,
      /Bitte eine ganze Zahl von 1 bis 500\./,
    )
    assert.equal((await owner.get(`${at}/labels?sheet=own&width=5&file=svg&skip=99`)).status, 200)
    assert.match((await file('copies=2&skip=20&sheet=own&width=50,5')).toString('latin1'), /^%PDF/)
  })

  test('one code as PNG is as asked or not at all', async () => {
    for (const [query, sentence] of [
      ['dpi=72&size=5', /There are: 300, 600\.[\s\S]*Give a number from 10 to 100/],
      ['size=abc', /Give a number from 10 to 100/],
      ['content=nonsense', /There are: passport, gs1/],
    ] as const) {
      const answer = await owner.get(`${at}/code.png?${query}`)
      assert.equal(answer.status, 422, query)
      assert.match(answer.text, sentence)
    }
    assert.equal(
      (await owner.get(`${at}/code.png?size=30,5&content=gs1`)).headers['content-type'],
      'image/png',
    )
  })

  test('items are all below, also those of batches; batches are for themselves', async () => {
    const { passport } = await createPassport(ctx, { ...newProduct(), strict: false })
    const issue = (parentUuid: string, level: 'batch' | 'item', names: readonly string[]) =>
      createChildren(ctx, {
        ...{ parentUuid, level, bulk: true, strict: false },
        units: names.map(name => ({ [level === 'batch' ? 'lot' : 'serial']: name })),
      })
    const { created } = await issue(passport.id, 'batch', ['L1', 'L2'])
    await issue(passport.id, 'item', ['own'])
    for (const [n, { id }] of created.map(one => one.passport).entries())
      await issue(id, 'item', [`i${n}`, `j${n}`])
    const of = `/console/products/${idFromUuid(passport.id)}`
    const page = await owner.get(`${of}/labels`)
    assert.match(
      page.text,
      /<option value="items">its items \(5\)<\/option>|<option value="items" selected>its items \(5\)/,
    )
    assert.match(page.text, /its batches \(2\)/)
    const names = async (query: string) => {
      const answer = await stand.app.inject({
        url: `${of}/labels/file?file=svg${query}`,
        headers: { cookie: owner.cookie ?? '' },
      })
      return Object.keys(unzipSync(answer.rawPayload))
        .map(name => name.split('-')[0])
        .sort()
    }
    assert.deepEqual(await names(''), ['i0', 'i1', 'j0', 'j1', 'own'])
    assert.deepEqual(await names('&of=items'), ['i0', 'i1', 'j0', 'j1', 'own'])
    assert.deepEqual(await names('&of=batches'), ['L1', 'L2'])
  })
})
