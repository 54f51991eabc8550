/** Splits a text where lines may end, and fills lines by the width of the glyphs. */

/** A part that is never split, with its font. */
export type Grapheme<F> = { text: string; font: F }

/** Written without spaces; lines may end between words, for Thai by the dictionary of ICU. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Extended_Pictographic}]/u
const LETTER_OR_OPENING = /^[\p{L}\p{N}\p{Ps}\p{Pi}\p{Extended_Pictographic}]/u

const words = new Intl.Segmenter('en', { granularity: 'word' })

/** Returns the parts between which a line may end. */
export function splitAtBreaks<F>(graphemes: readonly Grapheme<F>[]): Grapheme<F>[][] {
  const text = graphemes.map(one => one.text).join('')
  const starts = new Set<number>()
  let before = ''
  for (const { segment, index } of words.segment(text)) {
    if (canBreakBetween(before, segment)) starts.add(index)
    before = segment
  }
  const parts: Grapheme<F>[][] = []
  let at = 0
  for (const grapheme of graphemes) {
    const part = parts.at(-1)
    if (part === undefined || starts.has(at)) parts.push([grapheme])
    else part.push(grapheme)
    at += grapheme.text.length
  }
  return parts
}

function canBreakBetween(before: string, after: string): boolean {
  if (before === '' || after.trim() === '') return false
  if (/[\s\-/]$/.test(before)) return true
  return (
    (UNSPACED.test(before) || UNSPACED.test(after)) &&
    LETTER_OR_OPENING.test(after) &&
    !/[\p{Ps}\p{Pi}]$/u.test(before)
  )
}

export type LineRoom<F> = {
  width: number
  maxLines: number
  measure: (graphemes: readonly Grapheme<F>[]) => number
  /** Ends a text that was cut. */
  ellipsis: Grapheme<F>
}

/** A part that is wider than a line is split anywhere. What does not fit into the last line is cut. */
export function fillLines<F>(parts: readonly Grapheme<F>[][], room: LineRoom<F>): Grapheme<F>[][] {
  const { width, maxLines, measure } = room
  const lines: Grapheme<F>[][] = []
  let line: Grapheme<F>[] = []
  let lineWidth = 0
  for (const part of splitWideParts(parts, room)) {
    if (line.length > 0 && lineWidth + measure(trimEnd(part)) > width) {
      lines.push(line)
      line = []
      lineWidth = 0
      if (lines.length > maxLines) break
    }
    line = [...line, ...part]
    lineWidth += measure(part)
  }
  if (line.length > 0) lines.push(line)
  const shown = lines.slice(0, maxLines).map(trimEnd)
  return lines.length > maxLines ? cutLastLine(shown, room) : shown
}

function* splitWideParts<F>(
  parts: readonly Grapheme<F>[][],
  { width, measure }: LineRoom<F>,
): Generator<Grapheme<F>[]> {
  for (const part of parts) {
    if (measure(trimEnd(part)) <= width) yield part
    else for (const one of part) yield [one]
  }
}

function cutLastLine<F>(
  lines: readonly Grapheme<F>[][],
  { width, measure, ellipsis }: LineRoom<F>,
): Grapheme<F>[][] {
  let cut = lines.at(-1) ?? []
  while (cut.length > 1 && measure([...cut, ellipsis]) > width) cut = trimEnd(cut.slice(0, -1))
  return [...lines.slice(0, -1), [...cut, ellipsis]]
}

const trimEnd = <F>(graphemes: readonly Grapheme<F>[]): Grapheme<F>[] =>
  graphemes.slice(0, graphemes.findLastIndex(one => one.text.trim() !== '') + 1)
