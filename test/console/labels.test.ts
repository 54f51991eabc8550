/** Tests printed labels: decodes every code on a sheet and every image in an archive. */
import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { unzipSync } from 'fflate'
import PDFDocument from 'pdfkit'
import type { AccountContext } from '../../src/accounts/account/context.ts'
import { drawPng } from '../../src/console/units/draw-png.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import {
  getSymbolMm,
  LABEL_SHEETS,
  type Label,
  type LabelFormat,
  renderLabelSheet,
  singleLabel,
} from '../../src/qr/label-sheet.ts'
import { DPI, renderQrPng } from '../../src/qr/png.ts'
import { newProduct, nextGtin } from '../harness.ts'
import { makeJpeg } from '../media/sample-files.ts'
import { decodePng } from '../qr/decode.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

const ADDRESS = 'https://carnet.example/01/09506000134352/10/LOT-7/21/SN0001'

describe('a symbol as PNG', () => {
  for (const dpi of DPI) {
    test(`${dpi} dpi: decodes to its address, has its resolution, and is no wider than requested`, async () => {
      const png = renderQrPng(ADDRESS, { level: 'M', sizeMm: 20, dpi })
      assert.equal(await decodePng(png), ADDRESS)
      assert.ok(png.readUInt32BE(16) / dpi <= 20 / 25.4)
      const at = png.indexOf('pHYs')
      assert.equal(png.readUInt32BE(at + 4), Math.round(dpi / 0.0254))
    })
  }
})

describe('label sheet formats', () => {
  for (const [name, format] of Object.entries(LABEL_SHEETS) as [string, LabelFormat][]) {
    test(`${name} fits on its page`, () => {
      const right = format.left + format.columns * format.width + (format.columns - 1) * format.gap
      const bottom = format.top + format.rows * format.height
      assert.ok(right <= format.page[0] + 0.01 && bottom <= format.page[1] + 0.01)
      assert.ok(getSymbolMm(format) <= Math.min(format.width, format.height))
    })
  }

  test('a full sheet continues on the next; names may have any alphabet and length', async () => {
    const labels = Array.from({ length: 25 }, (_, i) => ({
      address: `${ADDRESS}${i}`,
      title: 'Κουβέρτα из шерсти '.repeat(i + 1),
      lines: ['x'.repeat(400)],
      whole: 'carnet.example/01',
    }))
    const chunks: Buffer[] = []
    for await (const chunk of renderLabelSheet(labels, {
      format: LABEL_SHEETS['64x38'],
      level: 'M',
      skip: 20,
    }))
      chunks.push(chunk as Buffer)
    const pdf = Buffer.concat(chunks).toString('latin1')
    assert.match(pdf, /^%PDF-1/)
    assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, 3)
  })
})

describe('drawing labels', () => {
  const sheet = (labels: Iterable<Label> | AsyncIterable<Label>, width: number, height: number) =>
    renderLabelSheet(labels, { format: singleLabel(width, height), level: 'M' }) as unknown as Readable

  test('draws only as fast as the client reads, and stops when it disconnects', async () => {
    let drawn = 0
    let isEnded = false
    async function* endless(): AsyncGenerator<Label> {
      try {
        for (;;) {
          drawn++
          yield { address: `${ADDRESS}${drawn}`, title: 'Title', lines: [], whole: ADDRESS }
        }
      } finally {
        isEnded = true
      }
    }
    const pdf = sheet(endless(), 50, 30)
    const untilStill = async () => {
      for (let before = -1; before !== drawn; ) {
        before = drawn
        for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve))
        assert.ok(drawn < 1_000, 'it goes on without a reader')
      }
    }
    await untilStill()
    const unread = drawn
    while (pdf.readableLength > 0) pdf.read()
    await untilStill()
    assert.ok(drawn > unread)
    pdf.destroy()
    while (!isEnded) await new Promise(resolve => setImmediate(resolve))
  })

  for (const [width, height] of [
    [30, 20],
    [15, 15],
    [38.1, 21.2],
    [50, 30],
    [100, 60],
  ] as const) {
    test(`on ${width} × ${height} mm the address is printed in full or not at all`, async t => {
      const printed: string[] = []
      const { text } = PDFDocument.prototype
      t.mock.method(
        PDFDocument.prototype,
        'text',
        function (this: typeof PDFDocument.prototype, ...all: never[]) {
          printed.push(String(all[0]))
          return (text as (...all: never[]) => unknown).apply(this, all)
        },
      )
      const label = {
        address: ADDRESS,
        title: 'A title of some length',
        lines: ['Serial SN0001'],
        whole: ADDRESS,
      }
      for await (const _ of sheet([label], width, height)) assert.ok(_)
      const rest = printed.slice(printed.indexOf('Serial SN0001') + 1).join('')
      assert.ok(rest === ADDRESS || (rest === '' && width < 38), rest)
      if (width >= 38) assert.equal(rest, ADDRESS)
    })
  }

  test('a picture is in the file once for all labels, and only where it leaves room for the text', async () => {
    const picture = await makeJpeg({ width: 320, height: 240 })
    const labels = Array.from({ length: 20 }, (_, i) => ({
      address: `${ADDRESS}${i}`,
      title: 'A product',
      lines: [],
      whole: ADDRESS,
    }))
    const countPictures = async (format: LabelFormat) => {
      const chunks: Buffer[] = []
      for await (const chunk of renderLabelSheet(labels, { format, level: 'M', picture }))
        chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString('latin1').split('/Subtype /Image').length - 1
    }
    assert.equal(await countPictures(LABEL_SHEETS['99x38']), 1)
    assert.equal(await countPictures(LABEL_SHEETS['38x21']), 0)
  })

  test('large pictures are drawn without blocking the event loop, with the same result', async () => {
    const options = { level: 'M', sizeMm: 100, dpi: 600 } as const
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    const drawn = await Promise.all(
      Array.from({ length: 10 }, (_, n) => drawPng({ text: `${ADDRESS}${n}`, ...options })),
    )
    clearInterval(counting)
    // Drawing on this thread in one go would have blocked the event loop.
    assert.ok(turns > 10, `${turns} turns`)
    for (const [n, png] of drawn.entries())
      assert.deepEqual(Buffer.from(png), renderQrPng(`${ADDRESS}${n}`, options))
  })

  test('a picture that cannot be drawn reports why, and the next one is drawn', async () => {
    const options = { level: 'Q', sizeMm: 20, dpi: 300 } as const
    await assert.rejects(drawPng({ text: 'x'.repeat(5_000), ...options }), /.+/)
    assert.ok((await drawPng({ text: ADDRESS, ...options })).length > 100)
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
    ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
    const { passport } = await createPassport(ctx, { ...newProduct({ gtin }), strict: false })
    const units = Array.from({ length: 130 }, (_, i) => ({ serial: `S/${i}` }))
    await issueUnits(ctx, { parentUuid: passport.id, level: 'item', units, bulk: true, strict: false })
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

  test('an archive has a picture for each unit with its own address', async () => {
    const entries = Object.entries(unzipSync(await file('of=items&file=png300&content=gs1')))
    assert.equal(entries.length, 130)
    for (const [name, png] of entries.slice(0, 5)) {
      const serial = /^S_(\d+)-/.exec(name)?.[1]
      assert.match((await decodePng(Buffer.from(png))) ?? '', new RegExp(`/21/S%2F${serial}$`))
    }
    const svgs = Object.values(unzipSync(await file('of=self&file=svg&size=30')))
    assert.match(Buffer.from(svgs[0] ?? []).toString(), /width="30mm"/)
  })

  test('a PDF for all units, with copies; a single code as PNG', async () => {
    const pdf = (await file('of=items&file=pdf&sheet=70x37&copies=2')).toString('latin1')
    assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, Math.ceil(260 / 24))
    const answer = await stand.app.inject({
      url: `${at}/code.png?dpi=600`,
      headers: { cookie: owner.cookie ?? '' },
    })
    assert.match((await decodePng(answer.rawPayload)) ?? '', /\/p\/[0-9a-z]{26}$/)
  })

  test('units are in the order of their creation, all or a range', async () => {
    const serials = async (query: string) =>
      Object.keys(unzipSync(await file(`of=items&file=svg${query}`))).map(name =>
        Number(/^S_(\d+)-/.exec(name)?.[1]),
      )
    const numbers = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, i) => first + i)
    assert.deepEqual(await serials(''), numbers(0, 129))
    assert.deepEqual(await serials('&from=S/17&to=S/121'), numbers(17, 121))
    assert.deepEqual(await serials('&from=S/20&to=S/18'), numbers(18, 20))
    assert.deepEqual(await serials('&from=S/128'), [128, 129])
    assert.deepEqual(await serials('&to=S/0'), [0])
    const page = await owner.get(`${at}/labels?of=items&from=S/1&to=S/30&sheet=64x38`)
    assert.match(page.text, /Labels: 30, pages: 2\./)
    const none = await owner.get(`${at}/labels/file?of=items&from=S/1&to=nothing`)
    assert.equal(none.status, 422)
    assert.match(none.text, /no item with the serial number nothing here/)
    assert.match(none.text, /value="nothing"/)
  })

  test('a file has a limit of labels and of pixels', async () => {
    const many = await owner.get(`${at}/labels/file?of=items&copies=500`)
    assert.equal(many.status, 422)
    assert.match(many.text, /These would be 65,000 labels\. A file has at most 20,000/)
    assert.equal((await owner.get(`${at}/labels?of=items&copies=500&to=S/39`)).status, 200)
    assert.equal((await owner.get(`${at}/labels?of=items&file=png600&size=100`)).status, 200)
  })

  test('warns before printing if a code is too fine', async () => {
    assert.match((await owner.get(`${at}/labels?file=png300&size=10`)).text, /many phones cannot read them/)
    assert.doesNotMatch((await owner.get(`${at}/labels?file=png300&size=40`)).text, /cannot read/)
  })

  test('names with characters that no font has are named before a file is made', async () => {
    const product = newProduct({ productName: 'Wool தமிழ் blanket' })
    const { passport } = await createPassport(ctx, { ...product, strict: false })
    const of = `/console/products/${idFromUuid(passport.id)}/labels`
    const page = await owner.get(of)
    assert.equal(page.status, 200)
    assert.match(page.text, /Labels cannot print these characters: [^<]*த[^<]* \(in Wool தமிழ் blanket\)/)
    const refused = await owner.get(`${of}/file?of=self&file=pdf`)
    assert.equal(refused.status, 422)
    assert.match(refused.text, /<p class="error" id="boxes-error">Labels cannot print/)
    const boxes = await owner.get(`${of}?boxes=yes`)
    assert.doesNotMatch(boxes.text, /cannot print these/)
    assert.match(boxes.text, /<option value="yes" selected>Print a box instead/)
    for (const query of ['of=self&file=pdf&boxes=yes', 'of=self&file=svg']) {
      const answer = await stand.app.inject({
        url: `${of}/file?${query}`,
        headers: { cookie: owner.cookie ?? '' },
      })
      assert.equal(answer.statusCode, 200, query)
    }
    // Every other script is printed without a question.
    assert.doesNotMatch((await owner.get(`${at}/labels`)).text, /cannot print these/)
  })

  test('errors are shown at their fields with the input, and no file is created', async () => {
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
      ['sheet=__proto__', 'sheet', /not one of the choices/],
      ['file=exe', 'file', /not one of the choices/],
      ['of=batches', 'of', /not one of the choices. Choose one of: items, self/],
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

  test('a single code as PNG has exactly the requested settings, or is rejected', async () => {
    for (const [query, sentence] of [
      ['dpi=72&size=5', /Choose one of: 300, 600\.[\s\S]*Enter a number from 10 to 100/],
      ['size=abc', /Enter a number from 10 to 100/],
      ['content=nonsense', /Choose one of: passport, gs1/],
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

  test('"items" includes the items of batches; batches are a separate choice', async () => {
    const { passport } = await createPassport(ctx, { ...newProduct(), strict: false })
    const issue = (parentUuid: string, level: 'batch' | 'item', names: readonly string[]) =>
      issueUnits(ctx, {
        parentUuid,
        level,
        bulk: true,
        strict: false,
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
      /<option value="items">its items \(5\)<|<option value="items" selected>its items \(5\)/,
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
    const inOrder = async (query: string) => {
      const answer = await stand.app.inject({
        url: `${of}/labels/file?file=svg${query}`,
        headers: { cookie: owner.cookie ?? '' },
      })
      return Object.keys(unzipSync(answer.rawPayload)).map(name => name.split('-')[0])
    }
    const inBatches = await inOrder('&of=items')
    assert.deepEqual([inBatches[0], inBatches.slice(1).sort()], ['own', ['i0', 'i1', 'j0', 'j1']])
    assert.deepEqual(await inOrder('&of=items&from=own&to=own'), ['own'])
    for (const [from, to] of [
      [0, 2],
      [1, 3],
      [2, 4],
      [3, 4],
    ] as const) {
      const query = `&of=items&from=${inBatches[from]}&to=${inBatches[to]}`
      assert.deepEqual(await inOrder(query), inBatches.slice(from, to + 1), query)
    }
    assert.deepEqual(await inOrder('&of=batches&from=L2'), ['L2'])
    assert.deepEqual(await names(''), ['i0', 'i1', 'j0', 'j1', 'own'])
    assert.deepEqual(await names('&of=items'), ['i0', 'i1', 'j0', 'j1', 'own'])
    assert.deepEqual(await names('&of=batches'), ['L1', 'L2'])
  })
})
