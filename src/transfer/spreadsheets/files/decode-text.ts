/**
 * Detects the encoding of a text file from its bytes. Text is hardly ever valid UTF-8 by chance; other text
 * without a byte order mark is the Windows-1252 of old Excel.
 */
import { isUtf8 } from 'node:buffer'
import { yieldBetweenRows } from '../../../kernel/concurrency/yield-to-event-loop.ts'
import { SpreadsheetError } from './spreadsheet-error.ts'

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
export type EncodedText = {
  encoding: TextEncoding
  /** Decodes in pieces of 16 kB, without the byte order mark. */
  decode: () => Generator<string, void>
}

const PIECE_BYTES = 16 * 1024

/** Checks the whole text, with pauses for other requests. Throws `SpreadsheetError`. */
export async function readText(bytes: Uint8Array): Promise<EncodedText> {
  if (bytes.length === 0) throw new SpreadsheetError('empty')
  const encoding = findMark(bytes) ?? findWideWithoutMark(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
  const decode = () => decodePieces(bytes, encoding)
  const pauseIfDue = yieldBetweenRows()
  let isBlank = true
  for (const piece of decode()) {
    if (NO_TEXT.test(piece)) throw new SpreadsheetError('not_text')
    isBlank &&= piece.trim() === ''
    await pauseIfDue()
  }
  if (isBlank) throw new SpreadsheetError('empty')
  return { encoding, decode }
}

function* decodePieces(bytes: Uint8Array, encoding: TextEncoding): Generator<string, void> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      yield decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: at + PIECE_BYTES < bytes.length })
    }
  } catch (error) {
    throw error instanceof TypeError ? new SpreadsheetError('encoding') : error
  }
}

function findMark([a, b, c]: Uint8Array): TextEncoding | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined
}

/** Western text in UTF-16 has a zero in every second byte. */
function findWideWithoutMark(bytes: Uint8Array): TextEncoding | undefined {
  const sample = bytes.subarray(0, 1000)
  let [even, odd] = [0, 0]
  for (const [place, byte] of sample.entries()) {
    if (byte !== 0) continue
    if (place % 2 === 0) even++
    else odd++
  }
  const most = sample.length / 2
  if (odd > most * 0.4 && even === 0) return 'utf-16le'
  return even > most * 0.4 && odd === 0 ? 'utf-16be' : undefined
}

/**
 * Control characters that no text has: C0 except tab, LF, VT, FF and CR; DEL; and those that Windows-1252
 * leaves undefined.
 */
const NO_TEXT = /[\0-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]/
