/**
 * Parses JSON strictly, so that exactly what was sent is stored: rejects duplicate keys, `__proto__`, numbers
 * that a double cannot represent, deep nesting, and more values than any passport has.
 */
import { formatField, shorten } from '../detail-json.ts'
import { AppError, type Detail, type DetailCode, invalid, MAX_DETAILS, toError } from '../errors.ts'
import { tryParseJson } from './try-parse-json.ts'

export const MAX_JSON_DEPTH = 32
const MAX_JSON_MEMBERS = 2_000
const MAX_JSON_ENTRIES = 1_000
/**
 * Objects, lists and their entries, in a body or in each of its rows. Later steps visit each, and 1 MiB can
 * hold half a million.
 */
const MAX_JSON_VALUES = 20_000
const MAX_NUMBER_LENGTH = 40

/** Skips a byte order mark, as RFC 8259 §8.1 allows. */
const decoder = new TextDecoder('utf-8', { fatal: true })

/** A list whose rows have their own errors. `maxBytesWithoutRows` also bounds each row. */
export type RowList = { member: string; maxRows: number; maxBytesWithoutRows: number }

/**
 * Parses a JSON text in UTF-8. Throws `bad_request` for invalid JSON, and `validation` with the place of each
 * violation. The scan comes first: a text with too many values is not parsed, which could take tenths of a
 * second.
 */
export const readJson = (bytes: Uint8Array): unknown => readJsonText(decodeUtf8(bytes))

/** The same for JSON in a field, a cell or a file, where any error means that there is no usable value. */
export function tryReadJson(text: string): unknown {
  try {
    return readJsonText(text)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

function readJsonText(text: string): unknown {
  const scan = new JsonScan(text, undefined)
  scan.advance(text.length)
  return withErrors(scan.isExcessive ? undefined : parseText(text), scan)
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new AppError('bad_request', 'The body is not valid UTF-8. Send JSON encoded as UTF-8.')
  }
}

/** Parses `text`, or `prefix` and the text after `from`. Errors give their place in the whole text. */
export function parseText(text: string, part = { prefix: '', from: 0 }): unknown {
  try {
    return JSON.parse(part.prefix + text.slice(part.from))
  } catch (error) {
    const offset = part.from - part.prefix.length
    throw new AppError('bad_request', `The body is not valid JSON: ${explain(error, text, offset)}`)
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

const formatMaxBytes = ({ maxBytesWithoutRows }: RowList) => `${maxBytesWithoutRows / 1024 / 1024} MiB`

function explain(error: unknown, text: string, offset: number): string {
  if (text.trim() === '') return 'it is empty.'
  const { message } = toError(error)
  if (message.startsWith('Unexpected end')) return `it ends too early; see ${placeOf(text, text.length)}.`
  const position = /position (\d+)/.exec(message)?.[1]
  if (position === undefined) return 'it has an unexpected character.'
  return `see ${placeOf(text, Number(position) + offset)}.`
}

function placeOf(text: string, position: number): string {
  let line = 1
  let start = 0
  // Splitting a megabyte of empty lines would take as long as parsing them.
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', start)) {
    line++
    start = at + 1
  }
  return `line ${line}, column ${position - start + 1}`
}

type Frame = { keys: Set<string> | undefined; index: number; key: string }

/** Shared by all objects without a key yet, because a body can hold millions of `{}`. Never add to it. */
const NO_KEYS = new Set<string>()

/** The position of consecutive rows in the text, without the commas around them. */
export type Piece = { start: number; end: number; isTooLarge: boolean }

/** Consecutive rows are parsed together up to this length. */
const PIECE_LENGTH = 64 * 1024

/**
 * Scans a text in steps, in linear time for any text. It recognizes only strings, numbers and brackets, so
 * its results are valid only up to the place at which JSON.parse finds the text invalid. `isExcessive` also
 * bounds the work of a parser that stops there.
 */
export class JsonScan {
  /** Errors of the whole body, and errors of rows by index. */
  readonly details: Detail[] = []
  readonly rowDetails = new Map<number, Detail[]>()
  /** The first list of rows, from its opening to its closing bracket, or to the end of the text. */
  list: { start: number; end: number; pieces: Piece[] } | undefined
  /** Whether the body has too many values outside its rows. The scan has stopped, and has reported it. */
  isExcessive = false
  private readonly text: string
  private readonly frames: Frame[] = []
  private readonly rows: RowList | undefined
  private at = 0
  private values = 0
  /** Keys, texts and numbers, and places for them. With too few places the text is not valid JSON. */
  private scalars = 0
  private places = 1
  private rowStart = 0
  private pieceStart = 0
  private isInFirstList = false

  constructor(text: string, rows: RowList | undefined) {
    this.text = text
    this.rows = rows
  }

  /** Scans at least to the position `until`. Returns whether there is more text. */
  advance(until: number): boolean {
    const end = Math.min(until, this.text.length)
    for (; this.at < end && !this.isExcessive; this.at++) this.step(this.text.charCodeAt(this.at))
    return this.at < this.text.length && !this.isExcessive
  }

  /** Whether the body has too many values outside its rows, or in the current row. */
  get hasTooManyValues(): boolean {
    return this.values > MAX_JSON_VALUES
  }

  private step(code: number) {
    if (code === 0x22) this.scanString()
    else if (code === 0x7b || code === 0x5b) this.openBracket(code === 0x7b)
    else if (code === 0x7d || code === 0x5d) this.closeBracket()
    else if (code === 0x2c) this.nextEntry()
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) this.scanNumber()
  }

  private openBracket(isObject: boolean) {
    if (this.frames.length === MAX_JSON_DEPTH) {
      this.report('max', `is nested more than ${MAX_JSON_DEPTH} levels deep; flatten it.`)
      this.skipToClosingBracket()
      return
    }
    this.countValue()
    this.frames.push({ keys: isObject ? NO_KEYS : undefined, index: 0, key: '' })
    this.expectsKey = isObject
    if (!this.isInList()) return
    if (this.list === undefined) {
      this.pieceStart = this.at + 1
      this.list = { start: this.at, end: this.text.length, pieces: [] }
      this.isInFirstList = true
    }
    this.beginRow()
  }

  private closeBracket() {
    if (this.isInList()) {
      this.endRow(true)
      this.values = 0
      if (this.list !== undefined && this.isInFirstList) this.list.end = this.at
      this.isInFirstList = false
    }
    this.frames.pop()
  }

  private skipToClosingBracket() {
    for (let depth = 1; depth > 0 && this.at < this.text.length && !this.isExcessive; ) {
      const code = this.text.charCodeAt(++this.at)
      if (code === 0x22) this.toEndOfString()
      else if (code === 0x7d || code === 0x5d) depth--
      else if (code === 0x2c) this.countValue()
      else if (code === 0x7b || code === 0x5b) {
        depth++
        this.countValue()
      }
    }
  }

  private expectsKey = false

  private nextEntry() {
    const frame = this.frames.at(-1)
    if (frame === undefined) return
    this.countValue()
    if (frame.keys) {
      this.expectsKey = true
      return
    }
    if (this.isInList()) {
      this.endRow(false)
      frame.index++
      this.beginRow()
    } else if (++frame.index === MAX_JSON_ENTRIES) {
      this.report('max', `has more than ${MAX_JSON_ENTRIES} entries; send fewer.`, this.frames.length - 1)
    }
  }

  /** Whether the innermost bracket belongs to the list of rows, which has its own limits. */
  private isInList(): boolean {
    return this.frames.length === 2 && this.findRowIndex() !== undefined
  }

  private beginRow() {
    this.values = 0
    this.rowStart = this.at
  }

  private endRow(isLast: boolean) {
    if (this.rows === undefined) return
    const isTooLong = this.at - this.rowStart > this.rows.maxBytesWithoutRows
    if (isTooLong) {
      this.report('max', `is longer than ${formatMaxBytes(this.rows)}; shorten it.`, 2)
    }
    if (this.isInFirstList) this.endPiece(isTooLong || this.hasTooManyValues, isLast)
  }

  /** A row that is too large becomes a separate piece, which is not parsed. */
  private endPiece(isTooLarge: boolean, isLast: boolean) {
    const pieces = this.list?.pieces ?? []
    const add = (end: number) => {
      pieces.push({ start: this.pieceStart, end, isTooLarge: false })
      this.pieceStart = end + 1
    }
    if (isTooLarge) {
      if (this.pieceStart <= this.rowStart) add(this.rowStart)
      pieces.push({ start: this.pieceStart, end: this.at, isTooLarge })
      this.pieceStart = this.at + 1
    } else if (isLast || this.at - this.pieceStart >= PIECE_LENGTH) add(this.at)
  }

  private countValue() {
    this.places += 2
    if (++this.values !== MAX_JSON_VALUES + 1) return
    this.isExcessive = this.findRowIndex() === undefined
    this.report('max', `has more than ${MAX_JSON_VALUES} values; send fewer.`, this.isExcessive ? 0 : 2)
  }

  /** Whether keys and numbers are still checked: not in a text that is certainly not valid JSON. */
  private countScalar(): boolean {
    return ++this.scalars <= this.places
  }

  private toEndOfString() {
    do {
      const quote = this.text.indexOf('"', this.at + 1)
      this.at = quote === -1 ? this.text.length : quote
    } while (this.isEscaped())
  }

  /** Whether an odd number of backslashes precedes the quote. */
  private isEscaped(): boolean {
    let before = this.at - 1
    while (this.text.charCodeAt(before) === 0x5c) before--
    return (this.at - before) % 2 === 0 && this.at < this.text.length
  }

  private scanString() {
    const start = this.at
    this.toEndOfString()
    if (!this.countScalar() || !this.expectsKey) return
    this.expectsKey = false
    const frame = this.frames.at(-1)
    // An object with too many members is rejected anyway.
    if (!frame?.keys || frame.keys.size > MAX_JSON_MEMBERS) return
    const raw = this.text.slice(start, this.at + 1)
    const key = parseKey(raw)
    if (key === undefined) this.scalars = Number.POSITIVE_INFINITY
    frame.key = key ?? raw
    if (frame.key === '__proto__') this.report('unknown_field', 'is not allowed as a key; leave it out.')
    else if (frame.keys.has(frame.key))
      this.report('duplicate', 'is given twice in the same object; send it once.')
    if (frame.keys === NO_KEYS) frame.keys = new Set()
    frame.keys.add(frame.key)
    if (frame.keys.size === MAX_JSON_MEMBERS + 1) {
      this.report('max', `has more than ${MAX_JSON_MEMBERS} members; send fewer.`, this.frames.length - 1)
    }
  }

  private scanNumber() {
    const start = this.at
    NUMBER_PART.lastIndex = this.at
    NUMBER_PART.test(this.text)
    this.at = Math.max(this.at, NUMBER_PART.lastIndex - 1)
    if (!this.countScalar()) return
    const literal = this.text.slice(start, this.at + 1)
    if (literal.length <= 15 && !/[eE]/.test(literal)) return
    // Longer numbers are rejected unchecked, because the check would take too long.
    if (literal.length > MAX_NUMBER_LENGTH || !isExactNumber(literal)) {
      this.report(
        'format',
        `is ${shorten(literal, 200)}, which cannot be stored exactly; send at most 15 digits, or send it as text.`,
      )
    }
  }

  /** Adds a violation at the current place, or at the place of the bracket at `depth`. */
  private report(code: DetailCode, what: string, depth = this.frames.length) {
    const row = this.findRowIndex()
    // A list with too many rows is rejected for their number.
    if (row !== undefined && row >= (this.rows?.maxRows ?? 0)) return
    const details = row === undefined ? this.details : (this.rowDetails.get(row) ?? [])
    if (details.length > MAX_DETAILS) return
    if (row !== undefined) this.rowDetails.set(row, details)
    const frames = this.frames.slice(row === undefined ? 0 : 2, depth)
    const path = frames.map(({ keys, key, index }) => (keys ? key : index))
    const name = formatField(path) || (row === undefined ? 'The body' : 'The row')
    details.push({ path, code, message: `${name} ${what}` })
  }

  /** The index of the current row; undefined outside the rows. */
  private findRowIndex(): number | undefined {
    const [body, list] = this.frames
    if (this.rows === undefined || list === undefined || list.keys) return undefined
    return body?.keys && body.key === this.rows.member ? list.index : undefined
  }
}

const NUMBER_PART = /[0-9.eE+-]+/y

/** A key without its escapes; undefined if they are not valid. */
const parseKey = (raw: string): string | undefined =>
  raw.includes('\\') ? tryParseJson(raw) : raw.slice(1, -1)

/** Whether the nearest double prints as the same decimal number. */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal)
  if (!Number.isFinite(value)) return false
  return plainDecimal(literal) === plainDecimal(String(value))
}

/** `-12.50e3` → `-125e2`: sign, digits without outer zeros, power of ten. */
function plainDecimal(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (!match) return literal
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  const bare = digits.replace(/0+$/, '')
  if (bare === '') return '0'
  return `${sign}${bare}e${Number(exponent) - fraction.length + (digits.length - bare.length)}`
}
