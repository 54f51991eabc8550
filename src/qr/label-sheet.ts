/** Renders labels as PDF sheets: a QR symbol, and beside it the name, the lot or serial, and the address. */
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import PDFDocument from 'pdfkit'
import { buildQrModules, forEachDarkRun, type QrLevel, QUIET_ZONE } from './modules.ts'
import { createTextPrinter, type TextPrinter } from './text/print-text.ts'

/** Millimetres; the first label's upper left corner is at `left`, `top`. */
export type LabelFormat = {
  page: readonly [width: number, height: number]
  columns: number
  rows: number
  width: number
  height: number
  left: number
  top: number
  /** Between two labels of a row. */
  gap: number
}

const onA4 = (sheet: Omit<LabelFormat, 'page'>): LabelFormat => ({ page: [210, 297], ...sheet })

/** Common label sheets, named by the size of a label. */
export const LABEL_SHEETS = {
  '38x21': onA4({ columns: 5, rows: 13, width: 38.1, height: 21.2, left: 4.75, top: 10.7, gap: 2.5 }),
  '48x25': onA4({ columns: 4, rows: 10, width: 48.5, height: 25.4, left: 8, top: 21.5, gap: 0 }),
  '64x38': onA4({ columns: 3, rows: 7, width: 63.5, height: 38.1, left: 7.25, top: 15.15, gap: 2.5 }),
  '70x37': onA4({ columns: 3, rows: 8, width: 70, height: 37, left: 0, top: 0.5, gap: 0 }),
  '99x38': onA4({ columns: 2, rows: 7, width: 99.1, height: 38.1, left: 4.65, top: 15.15, gap: 2.5 }),
  '105x74': onA4({ columns: 2, rows: 4, width: 105, height: 74, left: 0, top: 0.5, gap: 0 }),
} as const

/** One label per page, for label printers. */
export const singleLabel = (width: number, height: number): LabelFormat => ({
  page: [width, height],
  columns: 1,
  rows: 1,
  width,
  height,
  left: 0,
  top: 0,
  gap: 0,
})

/**
 * `address` is the symbol's content. `lines` are printed while there is room, then `whole`, completely or not
 * at all.
 */
export type Label = {
  address: string
  title: string
  /** The title's language, if it is known: ideographs differ by language. */
  language?: string
  lines: readonly string[]
  whole: string
}

type Pdf = InstanceType<typeof PDFDocument>
/** `picture`: a JPEG that every label shows if it has room. */
type SheetOptions = { format: LabelFormat; level: QrLevel; skip?: number; picture?: Buffer | undefined }

/** Millimetres in points. */
const mm = (value: number) => value * (72 / 25.4)
const PADDING_MM = 1.5
const MAX_SYMBOL_MM = 40
/** Beside the symbol; what is left for the text must stay legible. */
const PICTURE_MM = 22
const TEXT_MM = 24
/** Font sizes of `whole` in points; the largest that fits is used. */
const WHOLE_SIZES = [7, 6, 5.5, 5, 4.5, 4] as const
const LINE_HEIGHT = 1.2

const { resolve } = createRequire(import.meta.url)
const FONT = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')
const BOLD = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')

/** Returns the printed width of the symbol on a label, including the quiet zone. */
export const getSymbolMm = ({ width, height }: Pick<LabelFormat, 'width' | 'height'>) =>
  Math.min(height, width, MAX_SYMBOL_MM)

/**
 * Returns a PDF stream of the labels, from position `skip` of the first sheet on. Drawing one takes about a
 * millisecond; they are only drawn as fast as the stream is read. An error of `labels` ends the stream with
 * an error.
 */
export function renderLabelSheet(labels: AsyncIterable<Label> | Iterable<Label>, options: SheetOptions): Pdf {
  const pdf = new PDFDocument({
    size: options.format.page.map(mm),
    margin: 0,
    autoFirstPage: false,
    info: { Producer: 'Carnet', Creator: 'Carnet' },
  })
  pdf.registerFont('text', FONT)
  pdf.registerFont('title', BOLD)
  drawLabels(pdf, labels, options).then(
    () => pdf.end(),
    error => pdf.destroy(error),
  )
  return pdf
}

async function drawLabels(
  pdf: Pdf,
  labels: AsyncIterable<Label> | Iterable<Label>,
  { format, level, skip = 0, picture }: SheetOptions,
): Promise<void> {
  // PDFKit knows a text again, but not a buffer: so the file contains the picture once.
  const pictureUri = picture && `data:image/jpeg;base64,${picture.toString('base64')}`
  const waitForReader = createBackpressure(pdf)
  const printText = createTextPrinter(pdf)
  const onSheet = format.columns * format.rows
  let place = skip
  for await (const label of labels) {
    if (place === skip || place % onSheet === 0) pdf.addPage()
    await drawLabel(pdf, label, { format, level, at: place % onSheet, pictureUri, printText })
    if (pdf.destroyed) return
    place++
    await waitForReader()
    if (pdf.destroyed) return
  }
  if (place === skip) pdf.addPage()
}

/**
 * PDFKit buffers everything that is drawn. The returned function waits until the stream's buffer was read.
 */
function createBackpressure(pdf: Pdf): () => Promise<void> {
  if (!(pdf instanceof Readable)) throw new TypeError('a PDFKit document is a readable stream')
  const stream: Readable = pdf
  let reader = Promise.withResolvers<void>()
  stream._read = () => reader.resolve()
  stream.once('close', () => reader.resolve())
  return async () => {
    while (!stream.destroyed && stream.readableLength >= stream.readableHighWaterMark) {
      reader = Promise.withResolvers()
      await reader.promise
    }
  }
}

type LabelPlace = {
  format: LabelFormat
  level: QrLevel
  at: number
  pictureUri: string | undefined
  printText: TextPrinter
}

async function drawLabel(
  pdf: Pdf,
  label: Label,
  { format, level, at, pictureUri, printText }: LabelPlace,
): Promise<void> {
  const column = at % format.columns
  const row = Math.floor(at / format.columns)
  const left = format.left + column * (format.width + format.gap)
  const top = format.top + row * format.height
  const side = getSymbolMm(format)
  const modules = buildQrModules(label.address, level)
  const module = mm(side) / (modules.size + 2 * QUIET_ZONE)
  const up = mm(top + (format.height - side) / 2)
  forEachDarkRun(modules, (x, y, length) =>
    pdf.rect(mm(left) + x * module, up + y * module, length * module, module),
  )
  pdf.fill('#000')
  const beside = format.width - side - PADDING_MM
  const pictured = drawPicture(pdf, pictureUri, { format, left, top, side })
  const space = beside - pictured
  if (space < 8) return
  await drawTexts(pdf, label, {
    box: { x: mm(left + side), y: mm(top), width: mm(space), height: mm(format.height) },
    small: format.height < 30 ? 5.5 : 7,
    printText,
  })
}

type Box = { x: number; y: number; width: number; height: number }

/** Nothing is printed outside of the box, so that no text can cover a symbol. */
async function drawTexts(
  pdf: Pdf,
  { title, language = 'und', lines, whole }: Label,
  { box, small, printText }: { box: Box; small: number; printText: TextPrinter },
): Promise<void> {
  const { x, width } = box
  const padding = mm(PADDING_MM)
  const bottom = box.y + box.height - padding
  const texts = [
    { text: title, size: small + 1, weight: 700 as const, height: (box.height - 2 * padding) * 0.4 },
    ...lines.map(text => ({ text, size: small, weight: 400 as const, height: Number.POSITIVE_INFINITY })),
  ]
  clipTo(pdf, box)
  let y = box.y + padding
  for (const { height, ...text } of texts) {
    const room = Math.min(height, bottom - y)
    if (room < text.size * LINE_HEIGHT) continue
    y = await printText({ ...text, language, x, y, width, height: room })
  }
  drawWhole(pdf, whole, { x, y, width, bottom, maxSize: small })
  pdf.restore()
}

const clipTo = (pdf: Pdf, { x, y, width, height }: Box) =>
  pdf
    .save()
    .moveTo(x, y)
    .lineTo(x + width, y)
    .lineTo(x + width, y + height)
    .lineTo(x, y + height)
    .closePath()
    .clip()

/** In the upper right corner. Returns the width that it takes, in millimetres; 0 if there is no room. */
function drawPicture(
  pdf: Pdf,
  uri: string | undefined,
  { format, left, top, side }: { format: LabelFormat; left: number; top: number; side: number },
): number {
  const sideMm = Math.min(PICTURE_MM, format.height - 2 * PADDING_MM)
  const wide = sideMm + PADDING_MM
  if (uri === undefined || format.width - side - PADDING_MM - wide < TEXT_MM) return 0
  const x = mm(left + format.width - wide)
  pdf.image(uri, x, mm(top + PADDING_MM), { fit: [mm(sideMm), mm(sideMm)], align: 'right', valign: 'center' })
  return wide
}

/** A cut address is useless, so it is printed smaller, or left out if it does not fit. */
function drawWhole(
  pdf: Pdf,
  text: string,
  { x, y, width, bottom, maxSize }: { x: number; y: number; width: number; bottom: number; maxSize: number },
): void {
  const top = y
  pdf.font('text')
  for (const size of WHOLE_SIZES) {
    if (size > maxSize) continue
    const lines = breakAnywhere(pdf, text, size, width)
    if (top + lines.length * size * LINE_HEIGHT > bottom) continue
    pdf.fontSize(size)
    for (const [i, line] of lines.entries())
      pdf.text(line, x, top + i * size * LINE_HEIGHT, { lineBreak: false })
    return
  }
}

/** Widths of characters at size 1, cached: measuring whole lines would lay out each prefix again. */
const widths = new Map<string, number>()

function breakAnywhere(pdf: Pdf, text: string, size: number, width: number) {
  const lines: string[] = []
  let line = ''
  let lineWidth = 0
  for (const character of text) {
    const one = widths.get(character) ?? pdf.fontSize(1).widthOfString(character)
    widths.set(character, one)
    if (line !== '' && lineWidth + one * size > width) {
      lines.push(line)
      line = ''
      lineWidth = 0
    }
    line += character
    lineWidth += one * size
  }
  return [...lines, line]
}
