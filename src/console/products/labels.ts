/** Codes to print: one as a picture, or labels for a product or all of its units, as sheets or as pictures in one archive. */
import { Readable } from 'node:stream'
import { Zip, ZipPassThrough } from 'fflate'
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/context.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { type Below, countBelow } from '../../passports/count-below.ts'
import { listPassports, type Summary } from '../../passports/list.ts'
import { type Addresses, gs1Url, type PassportRow, passportUrl } from '../../passports/record.ts'
import { readingOf, type State } from '../../passports/state.ts'
import { type Label, labelSheet, SHEETS, symbolMm } from '../../qr/label-sheet.ts'
import { LEAST_MODULE_MM, moduleMm, qrModules } from '../../qr/modules.ts'
import { DPI, type Dpi, qrPng } from '../../qr/png.ts'
import { qrSymbol } from '../../qr/svg.ts'
import { described, notes, notice, select, summary } from '../fields.ts'
import { isFine, type Problems } from '../form.ts'
import type { Outcome, SignedInVisit } from '../route.ts'
import { type Words, wordsOf } from '../texts.ts'
import { LABEL_TEXTS } from './label-texts.ts'
import {
  CONTENTS,
  type Content,
  FILES,
  formatOf,
  type Measure,
  type ReadWish,
  readPicture,
  readWish,
  type Wish,
} from './label-wish.ts'
import { PRODUCTS } from './list.ts'
import { contextAndState, nameOf, titleOf } from './subject.ts'

/** More in one file is a file that no program opens. */
const MOST_LABELS = 10_000
const A_LOOK_UP = 100
const addressOf = (addresses: Addresses, row: Omit<PassportRow, 'data'>, content: Content) =>
  (content === 'gs1' ? gs1Url(addresses, row) : null) ?? passportUrl(addresses, idFromUuid(row.id))

export async function showLabels(visit: SignedInVisit): Promise<Outcome> {
  const { words, query } = visit
  const { ctx, state } = await contextAndState(visit)
  const below = await countBelow(ctx, state.row, MOST_LABELS)
  return labelsPage(visit, { state, below, read: readWish(words, query, state, below) })
}

type Shown = { state: State; below: Below; read: ReadWish }

function labelsPage({ setup, words }: SignedInVisit, { state, below, read }: Shown): Outcome {
  const texts = wordsOf(words, LABEL_TEXTS)
  const { wish, problems } = read
  const at = `${PRODUCTS}/${idFromUuid(state.row.id)}`
  const address = addressOf(setup.addresses, state.row, wish.content)
  const wide = wish.file === 'pdf' ? symbolMm(formatOf(wish)) : wish.size
  const module = moduleMm(qrModules(address, 'M'), wide)
  const isFine_ = isFine(problems)
  const warning =
    module < LEAST_MODULE_MM ? notice(texts.tooFine(words.number(Math.round(module * 100) / 100))) : ''
  const isMore = Math.max(below.batches, below.items) > MOST_LABELS
  const many = isMore ? html`<p class="hint">${texts.labelsMost(words.number(MOST_LABELS))}</p>` : ''
  const size = html`<p class="quiet">${texts.labelsSize(words.number(Math.round(wide * 10) / 10), words.number(Math.round(module * 100) / 100))}</p>`
  const body = html`<p class="way"><a class="alone" href="${at}">${titleOf(words, state)}</a></p><h1>${texts.labels}</h1><p class="lead">${texts.labelsLead}</p>!${isFine_ ? warning : summary(words.texts, problems, fieldNames(words))}
<form method="get" action="${at}/labels" class="narrow" novalidate>!${choices(words, read, { below, hasGs1: state.row.gtin !== null })}
<div class="choices"><button class="second">${texts.labelsCheck}</button> <button formaction="${at}/labels/file">${texts.labelsMake}</button></div>!${many}</form>
!${isFine_ ? size : ''}`
  return { title: texts.labels, body, status: isFine_ ? 200 : 422 }
}

function fieldNames(words: Words): Record<string, string> {
  const texts = wordsOf(words, LABEL_TEXTS)
  const { labelsOf, labelsContent, labelsFile, sheet, width, height, skip, codeSize, copies, resolution } =
    texts
  return {
    ...{ of: labelsOf, content: labelsContent, file: labelsFile, dpi: resolution },
    ...{ sheet, width, height, skip, size: codeSize, copies },
  }
}

type Has = { below: Below; hasGs1: boolean }

function choices(words: Words, { wish, problems, typed }: ReadWish, { below, hasGs1 }: Has): string {
  const texts = wordsOf(words, LABEL_TEXTS)
  const names = fieldNames(words)
  const one = (name: string, value: string, options: readonly (readonly [string, string])[]) =>
    select({ name, label: names[name] ?? name, value, options }, problems)
  const number = (name: Measure) =>
    html`<div class="field"><label for="${name}">${names[name]}</label>!${notes({ name }, problems)}<input id="${name}" name="${name}" class="number" inputmode="decimal" value="${typed(name)}" autocomplete="off"!${described({ name }, problems).join('')}></div>`
  const sheets = Object.entries(SHEETS).map(
    ([name, { width, height, columns, rows }]) =>
      [name, texts.sheetOf(words.number(width), words.number(height), columns * rows)] as const,
  )
  const kind = (of: 'items' | 'batches') =>
    below[of] === 0 ? [] : [[of, countedAs(words, of, below[of])] as const]
  const of = [...kind('items'), ...kind('batches'), ['self', texts.ofSelf] as const]
  const contents = { passport: texts.address, gs1: texts.gs1Address }
  return [
    of.length === 1 ? '' : one('of', wish.of, of),
    hasGs1 || problems.content !== undefined
      ? one(
          'content',
          wish.content,
          CONTENTS.filter(kind => hasGs1 || kind === 'passport').map(kind => [kind, contents[kind]]),
        )
      : '',
    one(
      'file',
      wish.file,
      FILES.map(kind => [kind, texts.files[kind]] as const),
    ),
    html`<fieldset><legend>${texts.labelsSheet}</legend>!${one('sheet', wish.sheet, [...sheets, ['own', texts.sheetOwn]])}!${number('width')}!${number('height')}!${number('skip')}!${number('copies')}</fieldset>`,
    html`<fieldset><legend>${texts.labelsPicture}</legend>!${number('size')}</fieldset>`,
  ].join('')
}

function countedAs(words: Words, of: 'items' | 'batches', n: number): string {
  const { ofBelow, ofBelowMany } = wordsOf(words, LABEL_TEXTS)
  return n > MOST_LABELS ? ofBelowMany[of](words.number(MOST_LABELS)) : ofBelow[of](words.number(n))
}

/** The file itself, made while it is sent; what is wrong with the wish is told on the page instead. */
export async function sendLabels(visit: SignedInVisit): Promise<Outcome> {
  const { setup, words, query } = visit
  const { ctx, state } = await contextAndState(visit)
  const below = await countBelow(ctx, state.row, MOST_LABELS)
  const read = readWish(words, query, state, below)
  if (!isFine(read.problems)) return labelsPage(visit, { state, below, read })
  const { wish } = read
  const rows = wish.of === 'self' ? [selfOf(words, state)] : unitsOf(ctx, state, wish.of)
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

/** The batches of a model, or the items below a passport: its own first, then batch by batch. */
async function* unitsOf(ctx: AccountContext, { row }: State, of: 'items' | 'batches'): AsyncGenerator<Row> {
  let given = 0
  for await (const one of of === 'batches' ? under(ctx, row.id, 'b') : itemsBelow(ctx, row)) {
    if (given++ === MOST_LABELS) return
    yield one
  }
}

async function* itemsBelow(ctx: AccountContext, { id, level }: State['row']): AsyncGenerator<Row> {
  yield* under(ctx, id, 'i')
  if (level !== 'm') return
  for await (const batch of under(ctx, id, 'b')) yield* under(ctx, batch.id, 'i')
}

/** A hundred at a time, oldest last. */
async function* under(ctx: AccountContext, parentId: string, level: 'b' | 'i'): AsyncGenerator<Row> {
  let window: Parameters<typeof listPassports>[2] = { limit: A_LOOK_UP, page: 1 }
  for (;;) {
    const { rows } = await listPassports(ctx, { levels: [level], parentId }, window)
    yield* rows
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
  const texts = wordsOf(words, LABEL_TEXTS)
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
  const { setup, words, query } = visit
  const { state } = await contextAndState(visit)
  const { wish, problems } = readPicture(words, query, state)
  if (!isFine(problems)) return codePage(words, state, problems)
  const address = addressOf(setup.addresses, state.row, wish.content)
  const content = qrPng(address, { level: 'M', sizeMm: wish.size, dpi: wish.dpi })
  return { file: { name: `${idFromUuid(state.row.id)}-${wish.dpi}dpi.png`, type: 'image/png', content } }
}

/** What in the address is wrong; there is no form to mend it in. */
function codePage(words: Words, state: State, problems: Problems): Outcome {
  const names = fieldNames(words)
  const lines = Object.entries(problems).map(
    ([name, sentence]) => html`<li>${names[name] ?? name} (${name}): ${sentence}</li>`,
  )
  const { codeOf } = wordsOf(words, LABEL_TEXTS)
  const body = html`<p class="way"><a class="alone" href="${PRODUCTS}/${idFromUuid(state.row.id)}">${titleOf(words, state)}</a></p><h1>${codeOf}</h1>
<div class="summary" role="alert" tabindex="-1" autofocus><p>${words.texts.summary(lines.length)}</p><ul>!${lines}</ul></div>`
  return { title: codeOf, body, status: 422 }
}
