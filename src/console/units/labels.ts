/** QR codes to print: one picture, or labels of a product or its units as PDF sheets or a ZIP of pictures. */

import { Readable } from 'node:stream'
import { Zip, ZipPassThrough } from 'fflate'
import { html } from 'ghtml'
import { yieldBetweenRows } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { asObject, type DataObject, getOwn } from '../../kernel/values/data-object.ts'
import { requireMediaId, variantKey } from '../../media/files/media-file.ts'
import { WIDTHS } from '../../media/files/prepared-file.ts'
import {
  type Addresses,
  gs1Url,
  hasGs1Address,
  type PassportRow,
  passportUrl,
} from '../../passports/core/record.ts'
import { effectiveData, type PassportState } from '../../passports/core/state.ts'
import type { PassportSummary } from '../../passports/read/list.ts'
import {
  countUnitsInRange,
  countUnitsUnder,
  findUnitPosition,
  isUnitBefore,
  listUnitsInRange,
  type UnitRange,
  type UnitTotals,
} from '../../passports/read/list-units.ts'
import { getSymbolMm, LABEL_SHEETS, type Label, renderLabelSheet } from '../../qr/label-sheet.ts'
import { buildQrModules, getModuleMm, MIN_MODULE_MM } from '../../qr/modules.ts'
import { DPI, type Dpi, getPngSide } from '../../qr/png.ts'
import { renderQrSvg } from '../../qr/svg.ts'
import { isFine, type Problems } from '../page/form.ts'
import { alertBox, described, input, notes, notice, select, summary } from '../page/parts.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import { backToProduct, getProductName, getProductUrl, getRequestedProduct } from '../product-data/product.ts'
import { drawPng } from './draw-png.ts'
import {
  getSheetFormat,
  LABEL_CONTENTS,
  LABEL_FILES,
  type LabelContent,
  type LabelNumber,
  type LabelOptions,
  type ParsedLabelOptions,
  parseLabelOptions,
  parsePictureOptions,
} from './label-options.ts'
import { findUnprintableLabels } from './unprintable-labels.ts'

/** Many programs cannot open files with more. */
const MAX_UNITS = 10_000
const MAX_LABELS = 20_000
/** In all pictures of a file: 10,000 of 42 mm at 600 dpi. */
const MAX_PIXELS = 10_000_000_000
const getLabelAddress = (addresses: Addresses, row: Omit<PassportRow, 'data'>, content: LabelContent) =>
  (content === 'gs1' ? gs1Url(addresses, row) : null) ?? passportUrl(addresses, idFromUuid(row.id))

export async function showLabels(visit: Visit): Promise<Outcome> {
  const request = await parseLabelRequest(visit)
  const { state, read } = request
  if (read.options.file !== 'pdf' || read.options.boxes) return renderLabelsPage(visit, request)
  const own = buildLabels(visit.words, visit.setup.addresses, [toLabelRow(visit.words, state)], read.options)
  const found = await findUnprintableLabels(own)
  return renderLabelsPage(visit, request, found && notice(visit.words.texts.labels.unprintable(found)))
}

type LabelRequest = {
  state: PassportState
  below: UnitTotals
  read: ParsedLabelOptions
  range: UnitRange
  count: number
}

async function parseLabelRequest(visit: Visit): Promise<LabelRequest> {
  const { ctx, words, query, setup } = visit
  const state = await getRequestedProduct(visit)
  const below = await countUnitsUnder(ctx, state.row, MAX_UNITS)
  const read = parseLabelOptions(words, query, state, below)
  const { options, problems } = read
  const { of, from, to } = options
  if (of === 'self') return { state, below, read, range: WHOLE_RANGE, count: 1 }
  const texts = words.texts.labels
  const wrong: Record<string, string> = {}
  const find = async (name: 'from' | 'to', number: string) => {
    const place = number === '' ? undefined : await findUnitPosition(ctx, state.row, of, number)
    if (number !== '' && place === undefined) wrong[name] = texts.noSuchUnit[of]({ name: number })
    return place
  }
  const [first, last] = [await find('from', from), await find('to', to)]
  const isBackwards = first !== undefined && last !== undefined && isUnitBefore(state.row.id, last, first)
  const range = isBackwards ? { from: last, to: first } : { from: first, to: last }
  const inRange = await countUnitsInRange(ctx, state.row, { kind: of, range, maxCounted: MAX_UNITS })
  const count = Math.min(inRange, MAX_UNITS)
  const labels = count * options.copies
  if (options.file === 'pdf' && labels > MAX_LABELS)
    wrong.copies = texts.tooManyLabels({ most: MAX_LABELS, count: labels })
  const address = getLabelAddress(setup.addresses, state.row, options.content)
  if (count * countPixels(address, options) > MAX_PIXELS) wrong.size = texts.tooManyPixels
  return { state, below, read: { ...read, problems: { ...problems, ...wrong } }, range, count }
}

const WHOLE_RANGE: UnitRange = { from: undefined, to: undefined }

const countPixels = (address: string, { file, size }: LabelOptions): number =>
  file === 'png300' || file === 'png600'
    ? getPngSide(buildQrModules(address, 'M'), { sizeMm: size, dpi: DPI_OF[file] }) ** 2
    : 0

/** `unprintable` is HTML, and undefined if everything can be printed as far as it is known. */
function renderLabelsPage(
  { setup, words }: Visit,
  { state, below, read, count }: LabelRequest,
  unprintable?: string,
): Outcome {
  const texts = words.texts.labels
  const { options, problems } = read
  const at = getProductUrl(state.row)
  const address = getLabelAddress(setup.addresses, state.row, options.content)
  const wide = options.file === 'pdf' ? getSymbolMm(getSheetFormat(options)) : options.size
  const module = getModuleMm(buildQrModules(address, 'M'), wide)
  const isValid = isFine(problems)
  const warning =
    module < MIN_MODULE_MM ? notice(texts.tooFine({ module: Math.round(module * 100) / 100 })) : ''
  const isMore = Math.max(below.batches, below.items) > MAX_UNITS
  const many = isMore ? html`<p class="hint">${texts.labelsMost({ most: MAX_UNITS })}</p>` : ''
  const labels = count * options.copies
  const { columns, rows } = getSheetFormat(options)
  const sheets = options.file === 'pdf' ? Math.ceil((labels + options.skip) / (columns * rows)) : undefined
  const amount = sheets === undefined ? texts.pictureCount({ labels }) : texts.labelCount({ labels, sheets })
  const says = module < MIN_MODULE_MM ? texts.labelsSizeFine : texts.labelsSize
  const size = html`<p class="quiet" role="status">${amount} ${says({ wide: Math.round(wide * 10) / 10 })}</p>`
  const choices = {
    below,
    hasGs1: hasGs1Address(state.row),
    hasPicture: findFirstPicture(effectiveData(state)) !== undefined,
    asksForBoxes: options.boxes || unprintable !== undefined || problems.boxes !== undefined,
  }
  const body = html`!${backToProduct(words, state)}<h1>${words.texts.products.labels}</h1><p class="lead">${texts.labelsLead}</p>!${isValid ? `${warning}${unprintable ?? ''}` : summary(words.texts, problems, listFieldNames(words))}
<form method="get" action="${at}/labels" class="narrow labels" novalidate>!${renderChoices(words, read, choices)}
<div class="choices"><button class="second">${texts.labelsCheck}</button> <button formaction="${at}/labels/file">${texts.labelsMake}</button></div>!${many}</form>
!${isValid ? size : ''}`
  return { title: words.texts.products.labels, body, status: isValid ? 200 : 422 }
}

function listFieldNames({ texts: { labels: texts } }: Words): Record<string, string> {
  const { sheet, width, height, skip, copies } = texts
  return {
    sheet,
    width,
    height,
    skip,
    copies,
    picture: texts.productPicture,
    boxes: texts.unprintableCharacters,
    of: texts.labelsOf,
    content: texts.labelsContent,
    file: texts.labelsFile,
    dpi: texts.resolution,
    size: texts.codeSize,
    from: texts.labelsFrom,
    to: texts.labelsTo,
  }
}

type LabelChoices = { below: UnitTotals; hasGs1: boolean; hasPicture: boolean; asksForBoxes: boolean }

function renderChoices(
  words: Words,
  { options, problems, typed }: ParsedLabelOptions,
  { below, hasGs1, hasPicture, asksForBoxes }: LabelChoices,
): string {
  const texts = words.texts.labels
  const names = listFieldNames(words)
  const one = (name: string, value: string, all: readonly (readonly [string, string])[]) =>
    select({ name, label: names[name] ?? name, value, options: all }, problems)
  const text = (name: 'from' | 'to') =>
    input({ name, label: names[name] ?? name, value: typed(name) }, problems)
  const number = (name: LabelNumber) =>
    html`<div class="field only-${name}"><label for="${name}">${names[name]}</label>!${notes({ name }, problems)}<input id="${name}" name="${name}" class="number" inputmode="decimal" value="${typed(name)}" autocomplete="off"!${described({ name }, problems)}></div>`
  const sheets = Object.entries(LABEL_SHEETS).map(
    ([name, { width, height, columns, rows }]) =>
      [name, texts.sheetOf({ width, height, n: columns * rows })] as const,
  )
  const kind = (of: 'items' | 'batches') =>
    below[of] === 0 ? [] : [[of, formatUnitCount(words, of, below[of])] as const]
  const of = [...kind('items'), ...kind('batches'), ['self', texts.ofSelf] as const]
  const contents = { passport: words.texts.products.address, gs1: words.texts.products.gs1Address }
  return [
    of.length === 1 ? '' : one('of', options.of, of),
    of.length === 1
      ? ''
      : html`<fieldset class="only-units"><legend>${texts.labelsRange}</legend><p class="hint">${texts.labelsRangeHint}</p>!${text('from')}!${text('to')}</fieldset>`,
    hasGs1 || problems.content !== undefined
      ? one(
          'content',
          options.content,
          LABEL_CONTENTS.filter(kind => hasGs1 || kind === 'passport').map(kind => [kind, contents[kind]]),
        )
      : '',
    one(
      'file',
      options.file,
      LABEL_FILES.map(kind => [kind, texts.files[kind]] as const),
    ),
    html`<fieldset class="only-pdf"><legend>${texts.labelsSheet}</legend>!${one('sheet', options.sheet, [...sheets, ['own', texts.sheetOwn]])}!${number('width')}!${number('height')}!${number('skip')}!${number('copies')}!${
      hasPicture
        ? one('picture', options.picture ? 'yes' : 'no', [
            ['no', texts.withoutPicture],
            ['yes', texts.withPicture],
          ])
        : ''
    }!${
      asksForBoxes
        ? one('boxes', options.boxes ? 'yes' : 'no', [
            ['no', texts.withoutBoxes],
            ['yes', texts.withBoxes],
          ])
        : ''
    }</fieldset>`,
    html`<fieldset class="only-pictures"><legend>${texts.labelsPicture}</legend>!${number('size')}</fieldset>`,
  ].join('')
}

function formatUnitCount(words: Words, of: 'items' | 'batches', n: number): string {
  const { ofBelow, ofBelowMany } = words.texts.labels
  return n > MAX_UNITS ? ofBelowMany[of]({ count: MAX_UNITS }) : ofBelow[of]({ count: n })
}

/** Streams the file while it is made. Invalid options show the page instead. */
export async function sendLabels(visit: Visit): Promise<Outcome> {
  const { ctx, setup, words } = visit
  const request = await parseLabelRequest(visit)
  const { state, read, range } = request
  if (!isFine(read.problems)) return renderLabelsPage(visit, request)
  const { options } = read
  const { of } = options
  const build = () => {
    const rows =
      of === 'self'
        ? [toLabelRow(words, state)]
        : takeFirst(listUnitsInRange(ctx, state.row, { kind: of, range }))
    return buildLabels(words, setup.addresses, rows, options, getFirstLanguage(effectiveData(state)))
  }
  if (options.file === 'pdf' && !options.boxes) {
    const found = await findUnprintableLabels(build())
    if (found !== undefined) {
      const problems = { ...read.problems, boxes: words.texts.labels.unprintable(found) }
      return renderLabelsPage(visit, { ...request, read: { ...read, problems } })
    }
  }
  const labels = build()
  const name = `${idFromUuid(state.row.id)}-${of}`
  if (options.file === 'pdf') {
    const format = getSheetFormat(options)
    const picture = options.picture ? await readFirstPicture(visit, effectiveData(state)) : undefined
    const content = renderLabelSheet(labels, { format, level: 'M', skip: options.skip, picture })
    return { file: { name: `${name}.pdf`, type: 'application/pdf', content } }
  }
  const type = 'application/zip'
  return { file: { name: `${name}.zip`, type, content: Readable.from(zipPictures(labels, options)) } }
}

/** The id of the file; undefined without pictures. */
function findFirstPicture(data: DataObject): string | undefined {
  const pictures = getOwn(data, 'pictures')
  const id = Array.isArray(pictures) ? getOwn(asObject(pictures[0]), 'media') : undefined
  return typeof id === 'string' ? id : undefined
}

/** As a JPEG of 320 pixels, which is sharp at the size of a label. */
async function readFirstPicture({ ctx, setup }: Visit, data: DataObject): Promise<Buffer | undefined> {
  const id = findFirstPicture(data)
  return id === undefined
    ? undefined
    : setup.media.mediaStore.read(variantKey(ctx.accountId, requireMediaId(id), WIDTHS[0], 'jpg'))
}

type LabelRow = Omit<PassportSummary, 'brand_name' | 'picture'>

const toLabelRow = (words: Words, state: PassportState): LabelRow => ({
  ...state.row,
  product_name: getProductName(words, state),
  sku: String(effectiveData(state).sku ?? ''),
})

async function* takeFirst(rows: AsyncIterable<LabelRow>): AsyncGenerator<LabelRow> {
  let given = 0
  for await (const row of rows) {
    if (given++ === MAX_UNITS) return
    yield row
  }
}

/** Ideographs are printed as this language writes them. */
function getFirstLanguage(data: DataObject): string {
  const languages = getOwn(data, 'languages')
  return Array.isArray(languages) ? String(languages[0]) : 'und'
}

type NamedLabel = Label & { file: string }

async function* buildLabels(
  words: Words,
  addresses: Addresses,
  rows: AsyncIterable<LabelRow> | Iterable<LabelRow>,
  { content, file, copies }: LabelOptions,
  language = 'und',
): AsyncGenerator<NamedLabel> {
  const texts = words.texts.products
  const pauseIfDue = yieldBetweenRows()
  for await (const row of rows) {
    const address = getLabelAddress(addresses, row, content)
    const label = {
      address,
      title: row.product_name ?? words.texts.page.unnamed,
      language,
      lines: [
        row.lot === null ? [] : `${texts.lot} ${row.lot}`,
        row.serial === null ? [] : `${texts.serial} ${row.serial}`,
        row.serial === null && row.lot === null && row.sku ? `${texts.sku} ${row.sku}` : [],
      ].flat(),
      whole: address.replace(/^https?:\/\//, ''),
      file: `${row.serial ?? row.lot ?? 'product'}-${idFromUuid(row.id)}`.replace(/[^\w.-]/g, '_'),
    }
    for (let i = 0; i < (file === 'pdf' ? copies : 1); i++) {
      yield label
      await pauseIfDue()
    }
  }
}

/** A ZIP without compression: PNG is compressed already, and the SVG of a code is small. */
async function* zipPictures(
  labels: AsyncIterable<NamedLabel>,
  options: LabelOptions,
): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  let failure: Error | null = null
  const zip = new Zip((error, chunk) => {
    if (error) failure = error
    else ready.push(chunk)
  })
  for await (const { address, file } of labels) {
    const entry = new ZipPassThrough(`${file}.${options.file === 'svg' ? 'svg' : 'png'}`)
    zip.add(entry)
    entry.push(await drawPicture(address, options), true)
    if (failure !== null) throw failure
    yield* ready
    ready = []
  }
  zip.end()
  yield* ready
}

const DPI_OF = { png300: DPI[0], png600: DPI[1] } as const satisfies Record<string, Dpi>

async function drawPicture(address: string, { file, size }: LabelOptions): Promise<Uint8Array> {
  if (file === 'png300' || file === 'png600')
    return drawPng({ text: address, level: 'M', sizeMm: size, dpi: DPI_OF[file] })
  return Buffer.from(renderQrSvg(address, { level: 'M', sizeMm: size }).svg)
}

export async function sendCode(visit: Visit): Promise<Outcome> {
  const { setup, words, query } = visit
  const state = await getRequestedProduct(visit)
  const { options, problems } = parsePictureOptions(words, query, state)
  if (!isFine(problems)) return renderCodeErrors(words, state, problems)
  const address = getLabelAddress(setup.addresses, state.row, options.content)
  const { size: sizeMm, dpi } = options
  const content = Buffer.from(await drawPng({ text: address, level: 'M', sizeMm, dpi }))
  return { file: { name: `${idFromUuid(state.row.id)}-${options.dpi}dpi.png`, type: 'image/png', content } }
}

/** Lists the problems of the query; this URL has no form to show them in. */
function renderCodeErrors(words: Words, state: PassportState, problems: Problems): Outcome {
  const names = listFieldNames(words)
  const lines = Object.entries(problems).map(
    ([name, sentence]) => html`<li>${names[name] ?? name} (${name}): ${sentence}</li>`,
  )
  const { codeOf } = words.texts.products
  const body = html`!${backToProduct(words, state)}<h1>${codeOf}</h1>
!${alertBox(html`<p>${words.texts.page.problemCount({ count: lines.length })}</p><ul>!${lines}</ul>`)}`
  return { title: codeOf, body, status: 422 }
}
