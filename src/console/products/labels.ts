/** Codes to print: one as a picture, or labels for a product or all of its units, as sheets or as pictures in one archive. */
import { Readable } from 'node:stream'
import { Zip, ZipPassThrough } from 'fflate'
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/context.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { listPassports, type Summary } from '../../passports/list.ts'
import { type Addresses, gs1Url, type PassportRow, passportUrl } from '../../passports/record.ts'
import { readingOf, type State } from '../../passports/state.ts'
import {
  type Label,
  labelSheet,
  SHEETS,
  type SheetFormat,
  singleLabel,
  symbolMm,
} from '../../qr/label-sheet.ts'
import { LEAST_MODULE_MM, moduleMm, qrModules } from '../../qr/modules.ts'
import { DPI, type Dpi, qrPng } from '../../qr/png.ts'
import { qrSymbol } from '../../qr/svg.ts'
import { notice, select } from '../fields.ts'
import type { Outcome, SignedInVisit } from '../route.ts'
import { type Words, wordsOf } from '../texts.ts'
import { PRODUCTS } from './list.ts'
import { contextAndState, nameOf } from './subject.ts'
import { PRODUCT_TEXTS } from './texts.ts'

/** More in one file is a file that no program opens. */
const MOST_LABELS = 10_000
const MOST_COPIES = 500
const A_LOOK_UP = 100
const LABEL_MM = [15, 300] as const
const CODE_MM = [10, 100] as const

const FILES = ['pdf', 'svg', 'png300', 'png600'] as const
type FileKind = (typeof FILES)[number]

/** What is to be printed, as the address says; what is out of range falls back, and the page shows what it fell back on. */
type Wish = {
  of: 'self' | 'units'
  content: 'passport' | 'gs1'
  file: FileKind
  sheet: string
  width: number
  height: number
  size: number
  copies: number
  skip: number
}

function readWish(query: URLSearchParams, { row }: State): Wish {
  const choice = <const T extends string>(name: string, all: readonly T[], usual: T): T =>
    all.find(one => one === query.get(name)) ?? usual
  const number = (name: string, [least, most]: readonly [number, number], usual: number) => {
    const sent = Number((query.get(name) ?? '').replace(',', '.') || Number.NaN)
    return sent >= least && sent <= most ? sent : usual
  }
  return {
    of: row.level === 'i' ? 'self' : choice('of', ['self', 'units'], 'self'),
    content: row.gtin === null ? 'passport' : choice('content', ['passport', 'gs1'], 'passport'),
    file: choice('file', FILES, 'pdf'),
    sheet: choice('sheet', [...Object.keys(SHEETS), 'own'], '64x38'),
    width: number('width', LABEL_MM, 50),
    height: number('height', LABEL_MM, 30),
    size: number('size', CODE_MM, 20),
    copies: Math.floor(number('copies', [1, MOST_COPIES], 1)),
    skip: Math.floor(number('skip', [0, 100], 0)),
  }
}

const formatOf = ({ sheet, width, height }: Wish): SheetFormat =>
  Object.hasOwn(SHEETS, sheet) ? SHEETS[sheet as keyof typeof SHEETS] : singleLabel(width, height)

const addressOf = (addresses: Addresses, row: Omit<PassportRow, 'data'>, content: Wish['content']) =>
  (content === 'gs1' ? gs1Url(addresses, row) : null) ?? passportUrl(addresses, idFromUuid(row.id))

export async function showLabels(visit: SignedInVisit): Promise<Outcome> {
  const { setup, words, query } = visit
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const { ctx, state } = await contextAndState(visit)
  const wish = readWish(query, state)
  const at = `${PRODUCTS}/${idFromUuid(state.row.id)}`
  const { total: units, totalCapped: isMore } =
    state.row.level === 'i' ? { total: 0, totalCapped: false } : await countUnits(ctx, state)
  const address = addressOf(setup.addresses, state.row, wish.content)
  const wide = wish.file === 'pdf' ? symbolMm(formatOf(wish)) : wish.size
  const module = moduleMm(qrModules(address, 'M'), wide)
  const warning =
    module < LEAST_MODULE_MM ? notice(texts.tooFine(words.number(Math.round(module * 100) / 100))) : ''
  const many = isMore ? html`<p class="hint">${texts.labelsMost(words.number(MOST_LABELS))}</p>` : ''
  const body = html`<p class="way"><a class="alone" href="${at}">${nameOf(words, state)}</a></p><h1>${texts.labels}</h1><p class="lead">${texts.labelsLead}</p>!${warning}
<form method="get" action="${at}/labels" class="narrow">!${choices(words, wish, { units, isMore, hasGs1: state.row.gtin !== null })}
<div class="choices"><button class="second">${texts.labelsCheck}</button> <button formaction="${at}/labels/file">${texts.labelsMake}</button></div>!${many}</form>
<p class="quiet">${texts.labelsSize(words.number(Math.round(wide * 10) / 10), words.number(Math.round(module * 100) / 100))}</p>`
  return { title: texts.labels, body }
}

/** No further than there are labels in a file. */
const countUnits = (ctx: AccountContext, { row }: State) =>
  listPassports(ctx, { levels: ['b', 'i'], parentId: row.id }, { limit: 1, page: 1 }, MOST_LABELS)

type Has = { units: number; isMore: boolean; hasGs1: boolean }

function choices(words: Words, wish: Wish, { units, isMore, hasGs1 }: Has): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const one = (name: string, label: string, value: string, options: readonly (readonly [string, string])[]) =>
    select({ name, label, value, options }, {})
  const number = (name: string, label: string, value: number) =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" class="number" inputmode="decimal" value="${String(value)}" autocomplete="off"></div>`
  const sheets = Object.entries(SHEETS).map(
    ([name, { width, height, columns, rows }]) =>
      [name, texts.sheetOf(words.number(width), words.number(height), columns * rows)] as const,
  )
  return [
    units === 0
      ? ''
      : one('of', texts.labelsOf, wish.of, [
          ['self', texts.ofSelf],
          ['units', (isMore ? texts.ofUnitsMany : texts.ofUnits)(words.number(units))],
        ]),
    hasGs1
      ? one('content', texts.labelsContent, wish.content, [
          ['passport', texts.address],
          ['gs1', texts.gs1Address],
        ])
      : '',
    one(
      'file',
      texts.labelsFile,
      wish.file,
      FILES.map(kind => [kind, texts.files[kind]] as const),
    ),
    html`<fieldset><legend>${texts.labelsSheet}</legend>!${one('sheet', texts.sheet, wish.sheet, [...sheets, ['own', texts.sheetOwn]])}!${number('width', texts.width, wish.width)}!${number('height', texts.height, wish.height)}!${number('skip', texts.skip, wish.skip)}</fieldset>`,
    html`<fieldset><legend>${texts.labelsPicture}</legend>!${number('size', texts.codeSize, wish.size)}</fieldset>`,
    number('copies', texts.copies, wish.copies),
  ].join('')
}

/** The file itself, made while it is sent. */
export async function sendLabels(visit: SignedInVisit): Promise<Outcome> {
  const { setup, words, query } = visit
  const { ctx, state } = await contextAndState(visit)
  const wish = readWish(query, state)
  const rows = wish.of === 'units' ? unitsOf(ctx, state) : [selfOf(words, state)]
  const labels = labelsOf(words, setup.addresses, rows, wish)
  const name = `${idFromUuid(state.row.id)}-${wish.of}`
  if (wish.file === 'pdf') {
    const content = labelSheet(labels, { format: formatOf(wish), level: 'M', skip: wish.skip })
    return { file: { name: `${name}.pdf`, type: 'application/pdf', content: content as unknown as Readable } }
  }
  const type = 'application/zip'
  return { file: { name: `${name}.zip`, type, content: Readable.from(pictures(labels, wish)) } }
}

type Row = Omit<Summary, 'brand_name'>

const selfOf = (words: Words, state: State): Row => ({
  ...state.row,
  product_name: nameOf(words, state),
  sku: String(readingOf(state).sku ?? ''),
})

/** All units directly under a product, a hundred at a time, oldest last. */
async function* unitsOf(ctx: AccountContext, { row }: State): AsyncGenerator<Row> {
  const filter = { levels: row.level === 'm' ? (['b', 'i'] as const) : (['i'] as const), parentId: row.id }
  let window: Parameters<typeof listPassports>[2] = { limit: A_LOOK_UP, page: 1 }
  for (let given = 0; given < MOST_LABELS; ) {
    const { rows } = await listPassports(ctx, filter, window)
    yield* rows
    given += rows.length
    const last = rows.at(-1)
    if (last === undefined || rows.length < A_LOOK_UP) return
    window = { limit: A_LOOK_UP, after: last.id }
  }
}

type Named = Label & { file: string }

async function* labelsOf(
  words: Words,
  addresses: Addresses,
  rows: AsyncIterable<Row> | Iterable<Row>,
  wish: Wish,
): AsyncGenerator<Named> {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  for await (const row of rows) {
    const address = addressOf(addresses, row, wish.content)
    const label = {
      address,
      title: row.product_name ?? words.texts.unnamed,
      lines: [
        row.lot === null ? [] : `${texts.lot} ${row.lot}`,
        row.serial === null ? [] : `${texts.serial} ${row.serial}`,
        row.serial === null && row.lot === null && row.sku ? `${texts.sku} ${row.sku}` : [],
        address.replace(/^https?:\/\//, ''),
      ].flat(),
      file: `${row.serial ?? row.lot ?? 'product'}-${idFromUuid(row.id)}`.replace(/[^\w.-]/g, '_'),
    }
    const copies = wish.file === 'pdf' ? wish.copies : 1
    for (let i = 0; i < copies; i++) yield label
  }
}

/** A ZIP without compressing: PNG is compressed already, and an SVG of a symbol is small. */
async function* pictures(labels: AsyncIterable<Named>, wish: Wish): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  let failure: Error | null = null
  const zip = new Zip((error, chunk) => {
    if (error) failure = error
    else ready.push(chunk)
  })
  for await (const { address, file } of labels) {
    const entry = new ZipPassThrough(`${file}.${wish.file === 'svg' ? 'svg' : 'png'}`)
    zip.add(entry)
    entry.push(picture(address, wish), true)
    if (failure !== null) throw failure
    yield* ready
    ready = []
  }
  zip.end()
  yield* ready
}

const DPI_OF = { png300: DPI[0], png600: DPI[1] } as const satisfies Record<string, Dpi>

function picture(address: string, { file, size }: Wish): Uint8Array {
  if (file === 'png300' || file === 'png600')
    return qrPng(address, { level: 'M', sizeMm: size, dpi: DPI_OF[file] })
  return Buffer.from(qrSymbol(address, { level: 'M', sizeMm: size }).svg)
}

/** One code as PNG, for the product's page. */
export async function sendCode(visit: SignedInVisit): Promise<Outcome> {
  const { setup, query } = visit
  const { state } = await contextAndState(visit)
  const dpi = DPI.find(one => String(one) === query.get('dpi')) ?? 300
  const wish = readWish(query, state)
  const address = addressOf(setup.addresses, state.row, wish.content)
  const content = qrPng(address, { level: 'M', sizeMm: wish.size, dpi })
  return { file: { name: `${idFromUuid(state.row.id)}-${dpi}dpi.png`, type: 'image/png', content } }
}
