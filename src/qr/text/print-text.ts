/** Prints the texts of a document: with its own fonts where they suffice, otherwise as shaped outlines. */
import type PDFDocument from 'pdfkit'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'
import { SHAPED_LINE_HEIGHT, type Weight } from './line-height.ts'
import { isPlainText, requestShapedText } from './text.ts'

type Pdf = InstanceType<typeof PDFDocument>
/** In points, from the upper left corner of the page. */
export type PlacedText = {
  text: string
  language: string
  size: number
  weight: Weight
  x: number
  y: number
  width: number
  height: number
}

/** Returns where the next text begins. */
export type TextPrinter = (text: PlacedText) => Promise<number>

/** Drawn once in the file, and shown by every label that has the same text. */
type Drawing = { name: string; reference: unknown; height: number }

const MAX_KEPT = 200
/** A multiple of the font size: marks above the first line and below the last. */
const OVERHANG = 0.2
/** Between two texts, in points. */
const GAP = 1

export function createTextPrinter(pdf: Pdf): TextPrinter {
  const drawings = new BoundedMap<string, Promise<Drawing>>(MAX_KEPT)
  let count = 0
  return async text => {
    if (isPlainText(text.text)) return printPlain(pdf, text)
    const { x, y, width, size, weight, language, height } = text
    const maxLines = Math.max(1, Math.floor(height / (size * SHAPED_LINE_HEIGHT)))
    const key = JSON.stringify([text.text, language, size, weight, width, maxLines])
    const drawing = await drawings.getOrMake(key, async () => {
      const shaped = await requestShapedText({ text: text.text, language, size, weight, width, maxLines })
      const drawn = shaped.lines * size * SHAPED_LINE_HEIGHT
      const over = size * OVERHANG
      const reference = pdf.ref({
        Type: 'XObject',
        Subtype: 'Form',
        BBox: [0, -over, width, drawn + over],
        Resources: {},
      })
      reference.end(Buffer.from(shaped.outlines))
      return { name: `T${++count}`, reference, height: drawn }
    })
    show(pdf, drawing, x, y)
    return y + drawing.height + GAP
  }
}

function printPlain(pdf: Pdf, { text, size, weight, x, y, width, height }: PlacedText): number {
  pdf.font(weight === 700 ? 'title' : 'text').fontSize(size)
  pdf.text(text, x, y, { width, height, lineGap: 0, ellipsis: true })
  return pdf.y + GAP
}

/** A form XObject, which PDFKit offers for pictures only. PDF's vertical axis points up. */
function show(pdf: Pdf, { name, reference, height }: Drawing, x: number, y: number): void {
  const xobjects: Record<string, unknown> = Reflect.get(pdf.page, 'xobjects')
  xobjects[name] = reference
  pdf.save().transform(1, 0, 0, -1, x, y + height)
  pdf.addContent(`/${name} Do`)
  pdf.restore()
}
