/** Finds in the bytes of a JSON text what no body may have, and where the rows of a list are. */
import { formatField, shorten } from '../errors/detail-json.ts'
import { type Detail, type DetailCode, MAX_DETAILS } from '../errors/errors.ts'
import { isExactNumber } from './exact-number.ts'
import { tryParseJson } from './try-parse-json.ts'
import { areLongerThan } from './utf8.ts'

export const MAX_JSON_DEPTH = 32
const MAX_JSON_MEMBERS = 2_000
const MAX_JSON_ENTRIES = 1_000
/**
 * Objects, lists and their entries, in a body or in each of its rows. Later steps visit each, and 1 MiB can
 * hold half a million.
 */
const MAX_JSON_VALUES = 20_000
const MAX_NUMBER_LENGTH = 40

/** A list whose rows have their own errors. `maxBytesWithoutRows` also bounds each row. */
export type RowList = { member: string; maxRows: number; maxBytesWithoutRows: number }

export const formatMaxBytes = ({ maxBytesWithoutRows }: RowList) => `${maxBytesWithoutRows / 1024 / 1024} MiB`

type Frame = { keys: Set<string> | undefined; index: number; key: string }

/** Shared by all objects without a key yet, because a body can hold millions of `{}`. Never add to it. */
const NO_KEYS = new Set<string>()

/** The bytes of consecutive rows, without the commas around them. */
export type Piece = { start: number; end: number; isTooLarge: boolean }

/** Consecutive rows are parsed together up to this length. */
const PIECE_BYTES = 64 * 1024

/** Limits what is parsed of a longer key, so that equal keys are not found: no body may have one. */
const MAX_KEY_BYTES = 1024 ** 2
const NOT_ASCII = /[^\0-\x7f]/
/** More than any message repeats. */
const SHOWN_KEY_BYTES = 16 * 1024
/** More than any message repeats of a number. */
const SHOWN_NUMBER_BYTES = 1_000

/**
 * Scans a text in steps, in linear time for any text. It recognizes only strings, numbers and brackets, so
 * its results are valid only up to the place at which JSON.parse finds the text invalid. `isExcessive` also
 * bounds the work of a parser that stops there. It reads bytes, because all that it looks for is ASCII:
 * making a text of 8 MiB would take longer than scanning it.
 */
export class JsonScan {
  /** Errors of the whole body, and errors of rows by index. */
  readonly details: Detail[] = []
  readonly rowDetails = new Map<number, Detail[]>()
  /** The first list of rows, from its opening to its closing bracket, or to the end of the bytes. */
  list: { start: number; end: number; pieces: Piece[] } | undefined
  /** Set if the body has too many values outside its rows. The scan has stopped, and has reported it. */
  isExcessive = false
  private readonly bytes: Buffer
  /** The same as text of which each character is a byte: parts of it are cheaper. */
  private readonly latin1: string | undefined
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
  private expectsKey = false
  /** Where the current step ends, and the string that goes on in the next step begins. */
  private end = 0
  private openString: number | undefined
  /** How many brackets are open that are nested too deep; what is in them is only counted. */
  private skipped = 0

  /** `text`: the same as the bytes, if it exists already. */
  constructor(bytes: Buffer, rows: RowList | undefined, text?: string) {
    this.bytes = bytes
    this.rows = rows
    this.latin1 = text === undefined || text.length === bytes.length ? text : bytes.toString('latin1')
  }

  /** Scans to the byte `until`. Returns whether there is more. */
  advance(until: number): boolean {
    const { bytes } = this
    this.end = Math.min(until, bytes.length)
    if (this.openString !== undefined) {
      this.scanString(this.openString, this.at)
      this.at++
    }
    for (; this.at < this.end && !this.isExcessive; this.at++) this.step(bytes[this.at])
    return this.at < bytes.length && !this.isExcessive
  }

  /** Returns true if the body has too many values outside its rows, or in the current row. */
  get hasTooManyValues(): boolean {
    return this.values > MAX_JSON_VALUES
  }

  private step(code: number | undefined) {
    if (code === undefined) return
    if (code === 0x22) this.scanString(this.at, this.at + 1)
    else if (code === 0x7b || code === 0x5b) this.openBracket(code === 0x7b)
    else if (code === 0x7d || code === 0x5d) this.closeBracket()
    else if (code === 0x2c) this.nextEntry()
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) this.scanNumber()
  }

  private openBracket(isObject: boolean) {
    if (this.skipped > 0) {
      this.skipped++
      this.countValue()
      return
    }
    if (this.frames.length === MAX_JSON_DEPTH) {
      this.report('max', `is nested more than ${MAX_JSON_DEPTH} levels deep; flatten it.`)
      this.skipped = 1
      return
    }
    this.countValue()
    this.frames.push({ keys: isObject ? NO_KEYS : undefined, index: 0, key: '' })
    this.expectsKey = isObject
    if (!this.isInList()) return
    if (this.list === undefined) {
      this.pieceStart = this.at + 1
      this.list = { start: this.at, end: this.bytes.length, pieces: [] }
      this.isInFirstList = true
    }
    this.beginRow()
  }

  private closeBracket() {
    if (this.skipped > 0) {
      this.skipped--
      return
    }
    if (this.isInList()) {
      this.endRow(true)
      this.values = 0
      if (this.list !== undefined && this.isInFirstList) this.list.end = this.at
      this.isInFirstList = false
    }
    this.frames.pop()
  }

  private nextEntry() {
    const frame = this.frames.at(-1)
    if (frame === undefined) return
    this.countValue()
    if (this.skipped > 0) return
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

  /** Returns true if the innermost bracket belongs to the list of rows, which has its own limits. */
  private isInList(): boolean {
    return this.frames.length === 2 && this.findRowIndex() !== undefined
  }

  private beginRow() {
    this.values = 0
    this.rowStart = this.at
  }

  private endRow(isLast: boolean) {
    if (this.rows === undefined) return
    const isTooLong = areLongerThan(this.bytes, [[this.rowStart, this.at]], this.rows.maxBytesWithoutRows)
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
    } else if (isLast || this.at - this.pieceStart >= PIECE_BYTES) add(this.at)
  }

  private countValue() {
    this.places += 2
    if (++this.values !== MAX_JSON_VALUES + 1) return
    this.isExcessive = this.findRowIndex() === undefined
    this.report('max', `has more than ${MAX_JSON_VALUES} values; send fewer.`, this.isExcessive ? 0 : 2)
  }

  /** Set while keys and numbers are checked: not in a text that is certainly not valid JSON. */
  private countScalar(): boolean {
    return ++this.scalars <= this.places
  }

  /** Looks from `from` on for the end of the string that begins at `start`. */
  private scanString(start: number, from: number) {
    const { bytes, end } = this
    let at = from
    while (at < end && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1
    const isClosed = at < end
    // `advance` goes on after the closing quote, or in the next step.
    this.at = isClosed ? at : at - 1
    this.openString = isClosed ? undefined : start
    if (isClosed && this.skipped === 0) this.endString(start)
  }

  private endString(start: number) {
    if (!this.countScalar() || !this.expectsKey) return
    this.expectsKey = false
    const frame = this.frames.at(-1)
    // An object with too many members is rejected anyway.
    if (!frame?.keys || frame.keys.size > MAX_JSON_MEMBERS) return
    frame.key = this.readKey(start + 1, this.at)
    if (this.at - start > MAX_KEY_BYTES) return
    if (frame.key === '__proto__') this.report('unknown_field', 'is not allowed as a key; leave it out.')
    else if (frame.keys.has(frame.key))
      this.report('duplicate', 'is given twice in the same object; send it once.')
    if (frame.keys === NO_KEYS) frame.keys = new Set()
    frame.keys.add(frame.key)
    if (frame.keys.size === MAX_JSON_MEMBERS + 1) {
      this.report('max', `has more than ${MAX_JSON_MEMBERS} members; send fewer.`, this.frames.length - 1)
    }
  }

  private readKey(start: number, end: number): string {
    const key = this.latin1?.slice(start, end)
    if (key !== undefined && !NOT_ASCII.test(key)) return this.parseKey(key)
    if (end - start > MAX_KEY_BYTES) return this.bytes.toString('utf8', start, start + SHOWN_KEY_BYTES)
    return this.parseKey(this.bytes.toString('utf8', start, end))
  }

  /** A key without its escapes. Invalid ones stay, and the text is certainly not valid JSON. */
  private parseKey(raw: string): string {
    if (!raw.includes('\\')) return raw
    const key: unknown = tryParseJson(`"${raw}"`)
    if (typeof key === 'string') return key
    this.scalars = Number.POSITIVE_INFINITY
    return raw
  }

  private scanNumber() {
    const { bytes } = this
    const start = this.at
    let at = start + 1
    while (at < bytes.length && isPartOfNumber(bytes[at])) at++
    this.at = at - 1
    if (this.skipped > 0 || !this.countScalar()) return
    const length = at - start
    if (length <= 15 && !hasExponent(bytes, start, at)) return
    const literal = bytes.toString('latin1', start, Math.min(at, start + SHOWN_NUMBER_BYTES))
    // Longer numbers are rejected unchecked, because the check would take too long.
    if (length > MAX_NUMBER_LENGTH || !isExactNumber(literal)) {
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

/** Digits, a sign, a dot or an exponent. */
const isPartOfNumber = (code: number | undefined): boolean =>
  code !== undefined &&
  ((code >= 0x30 && code <= 0x39) ||
    code === 0x2e ||
    (code | 0x20) === 0x65 ||
    code === 0x2d ||
    code === 0x2b)

function hasExponent(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (((bytes[at] ?? 0) | 0x20) === 0x65) return true
  return false
}
