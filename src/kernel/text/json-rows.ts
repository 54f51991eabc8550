/** Reads JSON that may be large in steps, so that other requests are answered in between. */
import { yieldBetweenRows } from '../concurrency/yield-to-event-loop.ts'
import { JsonScan, type Piece, type RowList } from './json-scan.ts'
import { type Part, parseParts, takePart } from './parse-parts.ts'
import { shortenStrings } from './shorten-strings.ts'
import { requireList, tooLargeWithoutRows, withErrors } from './strict-json.ts'
import { tryParseJson } from './try-parse-json.ts'
import { areLongerThan, requireUtf8 } from './utf8.ts'

/** The bytes that are scanned before other work may run. */
const STEP_BYTES = 64 * 1024

type PauseIfDue = () => Promise<void>

/** Like `readJson`, but others work between its steps. For bodies of up to a megabyte. */
export async function readJsonInSteps(sent: Buffer): Promise<unknown> {
  const pauseIfDue = yieldBetweenRows()
  const bytes = requireUtf8(sent)
  const scan = await scanInSteps(new JsonScan(bytes, undefined), pauseIfDue)
  if (scan.isExcessive) return withErrors(undefined, scan)
  const whole = takePart(bytes)
  await pauseIfDue()
  const value = withErrors(parseParts(bytes, [whole]), scan)
  await pauseIfDue()
  return value
}

async function scanInSteps(scan: JsonScan, pauseIfDue: PauseIfDue): Promise<JsonScan> {
  for (let until = STEP_BYTES; scan.advance(until); until += STEP_BYTES) await pauseIfDue()
  await pauseIfDue()
  return scan
}

/**
 * Like `readJson`; a row with violations is replaced by its error. Parts that are too large are not parsed:
 * rows with more than 1 MiB or too many values, and a body with too much outside its rows, which is
 * `payload_too_large`.
 */
export async function readJsonRows(sent: Buffer, rows: RowList): Promise<unknown> {
  const pauseIfDue = yieldBetweenRows()
  const bytes = requireUtf8(sent)
  const scan = await scanInSteps(new JsonScan(bytes, rows), pauseIfDue)
  const isLarge = sent.length > rows.maxBytesWithoutRows
  if (scan.isExcessive) {
    if (isLarge) throw tooLargeWithoutRows(rows, `without its ${rows.member}`)
    return withErrors(undefined, scan, rows)
  }
  if (scan.list === undefined) {
    const value = parseParts(bytes, await takeShort(bytes, 0, { rows, pauseIfDue }))
    if (isLarge) requireList(value, rows)
    return withErrors(value, scan, rows)
  }
  const value = await readList(bytes, scan.list, { rows, scan, pauseIfDue })
  return withErrors(value, scan, rows)
}

type Context = { rows: RowList; scan: JsonScan; pauseIfDue: PauseIfDue }

async function readList(
  bytes: Buffer,
  { start, end, pieces }: NonNullable<JsonScan['list']>,
  { rows, scan, pauseIfDue }: Context,
): Promise<unknown> {
  const outside = [
    [0, start + 1],
    [end, bytes.length],
  ] as const
  if (areLongerThan(bytes, outside, rows.maxBytesWithoutRows))
    throw tooLargeWithoutRows(rows, `without its ${rows.member}`)
  const head = takePart(bytes, 0, start + 1)
  // The text before the rows comes first, so that the first of several errors is reported.
  parseParts(bytes, [head, { text: ']}', from: start }])
  const values = await readPieces(bytes, { head, pieces, maxRows: rows.maxRows, pauseIfDue })
  if (end === bytes.length) {
    await pauseIfDue()
    await parseUnclosed(bytes, head, { rows, scan, pauseIfDue })
  }
  const before = values.length === 0 ? [head] : [head, { text: '0', from: end }]
  await pauseIfDue()
  const value = parseParts(bytes, [...before, takePart(bytes, end)]) as Record<string, unknown>
  value[rows.member] = values
  return value
}

type Pieces = { head: Part; pieces: readonly Piece[]; maxRows: number; pauseIfDue: PauseIfDue }

/** The rows; null for a row that is too large. */
async function readPieces(bytes: Buffer, { head, pieces, maxRows, pauseIfDue }: Pieces): Promise<unknown[]> {
  const values: unknown[] = []
  let count = 0
  for (const [i, { start, end, isTooLarge }] of pieces.entries()) {
    await pauseIfDue()
    const parsed = isTooLarge ? [null] : await tryParsePiece(bytes.toString('utf8', start, end), pauseIfDue)
    // A comma without a row after it is an error of the whole text, not of the piece.
    if (!Array.isArray(parsed) || (parsed.length === 0 && i > 0)) {
      // The error is in the piece, or at the comma or bracket after it.
      const before = i === 0 ? [head] : [head, { text: '0,', from: start }]
      parseParts(bytes, [...before, takePart(bytes, start, end + 1)])
      throw new Error('broken assumption: a text is invalid if one of its pieces is')
    }
    count += parsed.length
    // A list with too many rows is rejected for their number, so further rows are only counted.
    for (const row of parsed) if (values.length <= maxRows) values.push(row)
  }
  // Setting the length would reserve memory for millions of rows.
  if (count > values.length) values[count - 1] = null
  return values
}

/** A longer piece ends with a large row, and is mostly that row alone. */
const MIN_LARGE_PIECE_LENGTH = 128 * 1024

/** Putting brackets around a large row would copy it. */
async function tryParsePiece(text: string, pauseIfDue: PauseIfDue): Promise<unknown> {
  if (text.length >= MIN_LARGE_PIECE_LENGTH) {
    await pauseIfDue()
    const row: unknown = tryParseJson(text)
    if (row !== undefined) return [row]
  }
  return tryParseJson(`[${text}]`)
}

/** Throws the error of the last rows in a list without an end, or else reports the missing end. */
async function parseUnclosed(
  bytes: Buffer,
  head: Part,
  { rows, scan: { list, hasTooManyValues }, pauseIfDue }: Context,
): Promise<void> {
  const last = list?.pieces.at(-1)
  if (hasTooManyValues) parseParts(bytes, [head])
  else if (last === undefined)
    parseParts(bytes, [head, ...(await takeShort(bytes, (list?.start ?? 0) + 1, { rows, pauseIfDue }))])
  else {
    const rest = await takeShort(bytes, last.end + 1, { rows, pauseIfDue })
    parseParts(bytes, [head, { text: '0,', from: last.end }, ...rest])
  }
}

/** The text from a place on. A long one is shortened, because it is parsed for its errors alone. */
async function takeShort(
  bytes: Buffer,
  from: number,
  { rows, pauseIfDue }: Pick<Context, 'rows' | 'pauseIfDue'>,
): Promise<readonly Part[]> {
  if (bytes.length - from <= rows.maxBytesWithoutRows) return [takePart(bytes, from)]
  return shortenStrings(bytes, [from, bytes.length], pauseIfDue)
}
