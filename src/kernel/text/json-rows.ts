/** Reads a large body with a list of rows in pieces, so that other requests are served in between. */
import { AppError } from '../errors.ts'
import { yieldBetweenRows } from '../yield-to-event-loop.ts'
import {
  decodeUtf8,
  JsonScan,
  type Piece,
  parseText,
  type RowList,
  requireList,
  tooLargeWithout,
  withErrors,
} from './strict-json.ts'
import { tryParseJson } from './try-parse-json.ts'

/** Characters scanned at a time. */
const STEP_LENGTH = 128 * 1024

/**
 * Returns or throws the same as `readJson`. Parts that are refused for their size are not parsed: rows with
 * more than 1 MiB or too many values, and the rest of the body if it is larger than a body without rows may
 * be.
 */
export async function readJsonRows(bytes: Uint8Array, rows: RowList): Promise<unknown> {
  const breathe = yieldBetweenRows()
  const text = decodeUtf8(bytes)
  await breathe()
  const scan = new JsonScan(text, rows)
  for (let until = STEP_LENGTH; scan.advance(until); until += STEP_LENGTH) await breathe()
  const { list } = scan
  if (list === undefined) {
    const isLarge = bytes.length > rows.maxBytesWithoutRows
    if (isLarge && scan.hasTooManyValues) throw tooLargeWithout(rows)
    const value = parseText(text)
    if (isLarge) requireList(value, rows)
    return withErrors(value, scan, rows)
  }
  const head = text.slice(0, list.start + 1)
  if (head.length + text.length - list.end > rows.maxBytesWithoutRows) {
    const most = `${rows.maxBytesWithoutRows / 1024 / 1024} MiB`
    throw new AppError(
      'payload_too_large',
      `The body is too large: at most ${most} without its ${rows.member}.`,
    )
  }
  // The text before the rows comes first, so that the first of several errors is reported.
  if (tryParseJson(`${head}]}`) === undefined) parseText(text)
  const values = await readPieces(text, { head, pieces: list.pieces, most: rows.maxRows, breathe })
  if (list.end === text.length) parseUnclosed(text, head, scan)
  const rest = { prefix: values.length === 0 ? head : `${head}0`, from: list.end }
  const value = parseText(text, rest) as Record<string, unknown>
  value[rows.member] = values
  return withErrors(value, scan, rows)
}

type Pieces = { head: string; pieces: readonly Piece[]; most: number; breathe: () => Promise<void> }

/** The rows; null for those refused for their size. */
async function readPieces(text: string, { head, pieces, most, breathe }: Pieces): Promise<unknown[]> {
  const values: unknown[] = []
  let count = 0
  for (const [i, { start, end, isRefused }] of pieces.entries()) {
    await breathe()
    const found = isRefused ? [null] : tryParseJson(`[${text.slice(start, end)}]`)
    // A comma without a row after it is an error of the whole text, not of the piece.
    if (!Array.isArray(found) || (found.length === 0 && i > 0)) {
      parseText(text, { prefix: i === 0 ? head : `${head}0,`, from: start })
      throw new Error('rows that cannot be read are part of a text that can')
    }
    count += found.length
    // A list that is too long is refused for its length, so its rows are only counted.
    if (values.length <= most) for (const row of found) values.push(row)
  }
  values.length = count
  return values
}

/** Throws the error of the last rows in an unclosed list, or else the missing end. */
function parseUnclosed(text: string, head: string, { list, hasTooManyValues }: JsonScan): void {
  const last = list?.pieces.at(-1)
  if (hasTooManyValues || last === undefined)
    parseText(text, { prefix: head, from: hasTooManyValues ? text.length : head.length })
  else parseText(text, { prefix: `${head}0,`, from: last.end + 1 })
}
