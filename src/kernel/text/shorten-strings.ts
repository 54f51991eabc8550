/**
 * Shortens JSON that is parsed only to find its first error, because its values are not used: parsing
 * 8 MiB at once takes a tenth of a second.
 */
import { type Part, takePart } from './parse-parts.ts'
import { tryParseJson } from './try-parse-json.ts'
import { alignToCharacter } from './utf8.ts'

/** Longer than any text that a message repeats, and than any text that is valid outside of rows. */
const MAX_KEPT_BYTES = 2_000
/** Keeps so much of each string once. */
const MAX_TOTAL_BYTES = 1024 ** 2
const MAX_KEPT_LATER_BYTES = 200
const STEP_BYTES = 64 * 1024

/**
 * Parts of the text between `from` and `until`, without the ends of long strings and without the middle of
 * long numbers and white space. They are valid if the text is. If not, the first error has the same place.
 */
export async function shortenStrings(
  bytes: Buffer,
  [from, until]: readonly [number, number],
  pauseIfDue: () => Promise<void>,
): Promise<Part[]> {
  const parts: Part[] = []
  let total = 0
  const keep = (start: number, end: number) => {
    if (start < end) parts.push(takePart(bytes, start, end))
    total += end - start
  }
  for (let at = from; at < until; ) {
    await pauseIfDue()
    const quote = findQuote(bytes, at, until)
    keepWithoutRuns(bytes, [at, quote], keep)
    const longest = total < MAX_TOTAL_BYTES ? MAX_KEPT_BYTES : MAX_KEPT_LATER_BYTES
    const limit = Math.min(quote + 1 + longest, until)
    const end = findEndOfString(bytes, quote + 1, limit)
    if (end < limit || end >= until) {
      keep(quote, Math.min(end, until))
      at = end
      if (end < limit) {
        keep(end, end + 1)
        at++
      }
      continue
    }
    const middle = alignToCharacter(bytes, end)
    keep(quote, middle)
    const rest = await skipString(bytes, [middle, until], pauseIfDue)
    // Equal beginnings of two keys must not make them one.
    parts.push({ text: String(parts.length), from: middle })
    if (rest.invalidFrom !== undefined) {
      keep(rest.invalidFrom, rest.end)
      return parts
    }
    keep(rest.end, Math.min(rest.end + 1, until))
    at = rest.end + 1
  }
  return parts
}

function findQuote(bytes: Buffer, at: number, until: number): number {
  const quote = bytes.indexOf(0x22, at)
  return quote < 0 || quote > until ? until : quote
}

/** The place of the closing quote, or a place from `until` on that is not inside of an escape. */
function findEndOfString(bytes: Buffer, from: number, until: number): number {
  let at = from
  for (; at < until; at++) {
    const byte = bytes[at]
    if (byte === 0x22) return at
    if (byte === 0x5c) at += bytes[at + 1] === 0x75 ? 5 : 1
  }
  return at
}

/** Goes on to the closing quote, checking what is left out. Stops at a piece that no string may have. */
async function skipString(
  bytes: Buffer,
  [from, until]: readonly [number, number],
  pauseIfDue: () => Promise<void>,
): Promise<{ end: number; invalidFrom?: number }> {
  for (let at = from; at < until; ) {
    await pauseIfDue()
    const limit = Math.min(at + STEP_BYTES, until)
    const found = findEndOfString(bytes, at, limit)
    const end = Math.min(found < limit ? found : alignToCharacter(bytes, found), until)
    if (tryParseJson(`"${bytes.toString('utf8', at, end)}"`) === undefined) return { end, invalidFrom: at }
    at = end
    if (found < limit) return { end }
  }
  return { end: until }
}

/** Longer white space and numbers are valid whatever their middle is. */
const MAX_RUN_BYTES = 128

function keepWithoutRuns(
  bytes: Buffer,
  [from, until]: readonly [number, number],
  keep: (start: number, end: number) => void,
): void {
  let start = from
  for (let at = from; at < until; ) {
    const end = findEndOfRun(bytes, at, until)
    if (end - at > MAX_RUN_BYTES) {
      keep(start, at + MAX_RUN_BYTES / 2)
      start = end - MAX_RUN_BYTES / 2
    }
    at = end
  }
  keep(start, until)
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39
const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

function findEndOfRun(bytes: Buffer, from: number, until: number): number {
  const isSame = isDigit(bytes[from]) ? isDigit : isSpace
  let at = from + 1
  while (at < until && isSame(bytes[at])) at++
  return at
}
