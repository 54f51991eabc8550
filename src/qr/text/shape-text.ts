/** Shapes a text in any script and draws it as outlines, with fall-back fonts and in its direction. */
import { createRequire } from 'node:module'
import type { Bidi } from 'bidi-js'
import { Direction, Buffer as ShapingBuffer, type SvgPathCommand, shape } from 'harfbuzzjs'
import { fillLines, type Grapheme, splitAtBreaks } from './break-lines.ts'
import { EAST_ASIAN, findFont, type LoadedFont, orderEastAsianFonts } from './fallback-fonts.ts'
import { SHAPED_LINE_HEIGHT, type Weight } from './line-height.ts'

/** `width` and `size` in points. `language` is that of the text, as far as it is known. */
export type TextRequest = {
  text: string
  language: string
  size: number
  weight: Weight
  width: number
  maxLines: number
}

/** `outlines` is content for a PDF whose origin is the lower left corner of the lines. */
export type ShapedText = { outlines: string; lines: number; unprintable: string[] }

/** A label has room for a tenth of it. */
const MAX_CHARACTERS = 600
/** A multiple of the font size, above the lower edge of a line. */
const BASELINE = 0.38
/** Stands for a character that no font has. */
const BOX = '□'

// Its types describe a default export, which this CommonJS package does not have.
const createBidi: () => Bidi = createRequire(import.meta.url)('bidi-js')
const bidi = createBidi()
const graphemeSegmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

export async function shapeText(request: TextRequest): Promise<ShapedText> {
  const { width, size, maxLines, weight } = request
  const { graphemes, unprintable } = await chooseFonts(request)
  const fonts = { eastAsian: [], weight }
  const ellipsis = { text: '…', font: await requireFont('…', fonts) }
  const measure = (line: readonly Grapheme<LoadedFont>[]) =>
    splitRuns(line, 0).reduce((sum, run) => sum + getRunWidth(run, size), 0)
  const lines = fillLines(splitAtBreaks(graphemes), { width, maxLines, measure, ellipsis })
  const text = graphemes.map(one => one.text).join('')
  const isRightToLeft = ((bidi.getEmbeddingLevels(text).paragraphs[0]?.level ?? 0) & 1) === 1
  const outlines = lines.map((line, i) => {
    const y = (lines.length - 1 - i + BASELINE / SHAPED_LINE_HEIGHT) * size * SHAPED_LINE_HEIGHT
    return drawLine(line, { y, size, width, isRightToLeft })
  })
  return { outlines: outlines.join(''), lines: lines.length, unprintable }
}

/** Returns the characters that would be printed as boxes. Those that nobody sees need no font. */
export async function findUnprintable(characters: string): Promise<string[]> {
  const unprintable: string[] = []
  for (const one of characters) {
    if (/[\p{Cc}\s]|\p{Default_Ignorable_Code_Point}/u.test(one)) continue
    if ((await findFont(one, { eastAsian: EAST_ASIAN, weight: 400 })) === undefined) unprintable.push(one)
  }
  return unprintable
}

async function chooseFonts({ text, language, weight }: Pick<TextRequest, 'text' | 'language' | 'weight'>) {
  const plain = [
    ...text
      .toWellFormed()
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim(),
  ]
    .slice(0, MAX_CHARACTERS)
    .join('')
  const fonts = { eastAsian: orderEastAsianFonts(plain, language), weight }
  const graphemes: Grapheme<LoadedFont>[] = []
  const unprintable = new Set<string>()
  const known = new Map<string, LoadedFont | undefined>()
  const find = async (one: string) => {
    if (!known.has(one)) known.set(one, await findFont(one, fonts))
    return known.get(one)
  }
  for (const { segment } of graphemeSegmenter.segment(plain)) {
    const font = await find(segment)
    if (font !== undefined) {
      graphemes.push({ text: segment, font })
      continue
    }
    // A family of several people, or a letter with a rare mark: each character by itself.
    for (const character of segment) {
      if (/\p{Default_Ignorable_Code_Point}/u.test(character)) continue
      const own = await find(character)
      if (own === undefined) unprintable.add(character)
      graphemes.push(
        own === undefined
          ? { text: BOX, font: await requireFont(BOX, fonts) }
          : { text: character, font: own },
      )
    }
  }
  return { graphemes, unprintable: [...unprintable] }
}

async function requireFont(text: string, fonts: Parameters<typeof findFont>[1]): Promise<LoadedFont> {
  const font = await findFont(text, fonts)
  if (font === undefined) throw new Error(`broken assumption: the basic font has ${text}`)
  return font
}

type Run = { text: string; font: LoadedFont; level: number }

/** Splits a line where font or direction change, in logical order. */
function splitRuns(line: readonly Grapheme<LoadedFont>[], base: 0 | 1): Run[] {
  const { levels } = bidi.getEmbeddingLevels(line.map(one => one.text).join(''), base === 1 ? 'rtl' : 'ltr')
  const runs: Run[] = []
  let at = 0
  for (const { text, font } of line) {
    const level = levels[at] ?? base
    const run = runs.at(-1)
    if (run !== undefined && run.font === font && run.level === level) run.text += text
    else runs.push({ text, font, level })
    at += text.length
  }
  return runs
}

/** Rule L2 of UAX #9: from the highest level down, reverses the runs that are at least on it. */
function orderVisually(runs: readonly Run[]): Run[] {
  const ordered = [...runs]
  for (let level = Math.max(0, ...runs.map(run => run.level)); level > 0; level--) {
    for (let start = 0; start < ordered.length; start++) {
      let end = start
      while (end < ordered.length && (ordered[end]?.level ?? 0) >= level) end++
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).reverse())
      start = end
    }
  }
  return ordered
}

function shapeRun({ text, font, level }: Run) {
  const buffer = new ShapingBuffer()
  buffer.addText(text)
  buffer.guessSegmentProperties()
  buffer.setDirection((level & 1) === 1 ? Direction.RTL : Direction.LTR)
  shape(font.font, buffer)
  const positions = buffer.getGlyphPositions()
  return buffer.getGlyphInfos().map((info, i) => ({
    glyph: info.codepoint,
    advance: positions[i]?.xAdvance ?? 0,
    x: positions[i]?.xOffset ?? 0,
    y: positions[i]?.yOffset ?? 0,
  }))
}

const getRunWidth = (run: Run, size: number) =>
  (shapeRun(run).reduce((sum, { advance }) => sum + advance, 0) * size) / run.font.unitsPerEm

type LinePlace = { y: number; size: number; width: number; isRightToLeft: boolean }

function drawLine(
  line: readonly Grapheme<LoadedFont>[],
  { y, size, width, isRightToLeft }: LinePlace,
): string {
  const runs = orderVisually(splitRuns(line, isRightToLeft ? 1 : 0))
  const total = runs.reduce((sum, run) => sum + getRunWidth(run, size), 0)
  let x = isRightToLeft ? Math.max(0, width - total) : 0
  let drawn = ''
  for (const run of runs) {
    const scale = size / run.font.unitsPerEm
    for (const { glyph, advance, ...offset } of shapeRun(run)) {
      const at = { x: x + offset.x * scale, y: y + offset.y * scale, scale }
      drawn += drawOutline(run.font.font.glyphToJson(glyph), at)
      x += advance * scale
    }
  }
  return drawn === '' ? '' : `${drawn}f\n`
}

/** PDF has cubic curves only. A hundredth of a point is 4 µm. */
function drawOutline(
  commands: readonly SvgPathCommand[],
  at: { x: number; y: number; scale: number },
): string {
  const place = (values: readonly number[]) =>
    values
      .map((value, i) => Math.round((value * at.scale + (i % 2 === 0 ? at.x : at.y)) * 100) / 100)
      .join(' ')
  let [fromX, fromY] = [0, 0]
  let drawn = ''
  for (const { type, values } of commands) {
    const [endX = fromX, endY = fromY] = values.slice(-2)
    if (type === 'M') drawn += `${place(values)} m\n`
    else if (type === 'L') drawn += `${place(values)} l\n`
    else if (type === 'C') drawn += `${place(values)} c\n`
    else if (type === 'Q') {
      const [x = 0, y = 0] = values
      const third = (end: number, control: number) => end + (2 / 3) * (control - end)
      drawn += `${place([third(fromX, x), third(fromY, y), third(endX, x), third(endY, y), endX, endY])} c\n`
    } else drawn += 'h\n'
    fromX = endX
    fromY = endY
  }
  return drawn
}
