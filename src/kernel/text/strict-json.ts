/**
 * Parses JSON strictly, so that exactly what was sent is stored: rejects duplicate keys, `__proto__`, numbers
 * that a double cannot represent, deep nesting, and more values than any passport has.
 */
import { AppError, invalid } from '../errors/errors.ts'
import { formatMaxBytes, JsonScan, type RowList } from './json-scan.ts'
import { parseParts, takePart } from './parse-parts.ts'
import { requireUtf8 } from './utf8.ts'

/**
 * Parses a JSON text in UTF-8. Throws `bad_request` for invalid JSON, and `validation` with the place of each
 * violation. The scan comes first: a text with too many values is not parsed, which could take tenths of a
 * second. Bodies that may be large are read by `readJsonInSteps`.
 */
export function readJson(sent: Buffer): unknown {
  const bytes = requireUtf8(sent)
  const whole = takePart(bytes)
  const scan = new JsonScan(bytes, undefined, whole.text)
  scan.advance(bytes.length)
  return withErrors(scan.isExcessive ? undefined : parseParts(bytes, [whole]), scan)
}

/** The same for JSON in a field, a cell or a file, where any error means that there is no usable value. */
export function tryReadJson(text: string): unknown {
  try {
    return readJson(Buffer.from(text))
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Puts errors of rows in the place of those rows. Throws if there are errors of the whole body. */
export function withErrors(value: unknown, { details, rowDetails }: JsonScan, rows?: RowList): unknown {
  if (details.length > 0) {
    const inRows = Array.from(rowDetails, ([index, found]) => found.map(detail => ({ ...detail, index })))
    throw invalid([...details, ...inRows.flat()])
  }
  if (rows !== undefined && rowDetails.size > 0) {
    const list = (value as Record<string, unknown[]>)[rows.member] ?? []
    for (const [index, found] of rowDetails) list[index] = invalid(found)
  }
  return value
}

export function requireList(value: unknown, rows: RowList): void {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, rows.member)) return
  throw tooLargeWithoutRows(rows)
}

export const tooLargeWithoutRows = (rows: RowList, when = `when it has no ${rows.member}`) =>
  new AppError('payload_too_large', `The body is too large: at most ${formatMaxBytes(rows)} ${when}.`)
