/** Parses a large body with a list of rows in pieces, so that other requests are answered in between. */
import { yieldBetweenRows } from '../yield-to-event-loop.ts'
import {
  decodeUtf8,
  JsonScan,
  type Piece,
  parseText,
  type RowList,
  requireList,
  tooLargeWithoutRows,
  withErrors,
} from './strict-json.ts'
import { tryParseJson } from './try-parse-json.ts'

/** The length of text that is scanned before other work may run. */
const STEP_LENGTH = 128 * 1024

/**
 * Like `readJson`; a row with violations is replaced by its error. Parts that are too large are not parsed:
 * rows with more than 1 MiB or too many values, and a body with too much outside its rows, which is
 * `payload_too_large`.
 */
export async function readJsonRows(bytes: Uint8Array, rows: RowList): Promise<unknown> {
  const pauseIfDue = yieldBetweenRows()
  const text = decodeUtf8(bytes)
  await pauseIfDue()
  const scan = new JsonScan(text, rows)
  for (let until = STEP_LENGTH; scan.advance(until); until += STEP_LENGTH) await pauseIfDue()
  const { list } = scan
  const isLarge = bytes.length > rows.maxBytesWithoutRows
  if (scan.isExcessive) {
    if (isLarge) throw tooLargeWithoutRows(rows, `without its ${rows.member}`)
    return withErrors(undefined, scan, rows)
  }
  if (list === undefined) {
    const value = parseText(text)
    if (isLarge) requireList(value, rows)
    return withErrors(value, scan, rows)
  }
  const head = text.slice(0, list.start + 1)
  if (head.length + text.length - list.end > rows.maxBytesWithoutRows)
    throw tooLargeWithoutRows(rows, `without its ${rows.member}`)
  // The text before the rows comes first, so that the first of several errors is reported.
  if (tryParseJson(`${head}]}`) === undefined) parseText(text)
  const values = await readPieces(text, { head, pieces: list.pieces, maxRows: rows.maxRows, pauseIfDue })
  if (list.end === text.length) parseUnclosed(text, head, scan)
  const rest = { prefix: values.length === 0 ? head : `${head}0`, from: list.end }
  const value = parseText(text, rest) as Record<string, unknown>
  value[rows.member] = values
  return withErrors(value, scan, rows)
}

type Pieces = { head: string; pieces: readonly Piece[]; maxRows: number; pauseIfDue: () => Promise<void> }

/** The rows; null for a row that is too large. */
async function readPieces(text: string, { head, pieces, maxRows, pauseIfDue }: Pieces): Promise<unknown[]> {
  const values: unknown[] = []
  let count = 0
  for (const [i, { start, end, isTooLarge }] of pieces.entries()) {
    await pauseIfDue()
    const parsed = isTooLarge ? [null] : tryParseJson(`[${text.slice(start, end)}]`)
    // A comma without a row after it is an error of the whole text, not of the piece.
    if (!Array.isArray(parsed) || (parsed.length === 0 && i > 0)) {
      parseText(text, { prefix: i === 0 ? head : `${head}0,`, from: start })
      throw new Error('broken assumption: a text is invalid if one of its pieces is')
    }
    count += parsed.length
    // A list with too many rows is rejected for their number, so further rows are only counted.
    if (values.length <= maxRows) for (const row of parsed) values.push(row)
  }
  values.length = count
  return values
}

/** Throws the error of the last rows in a list without an end, or else reports the missing end. */
function parseUnclosed(text: string, head: string, { list, hasTooManyValues }: JsonScan): void {
  const last = list?.pieces.at(-1)
  if (hasTooManyValues || last === undefined)
    parseText(text, { prefix: head, from: hasTooManyValues ? text.length : head.length })
  else parseText(text, { prefix: `${head}0,`, from: last.end + 1 })
}
