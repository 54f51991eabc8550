/**
 * The encoding of a text file, found from its bytes: nobody knows what their spreadsheet program wrote. UTF-8 is nearly
 * impossible to hit by chance, so what is valid UTF-8 is; what is not, and has no mark, is the Windows-1252 of old Excel.
 */
import { SheetFault } from './spreadsheet-error.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
export type Decoded = { text: string; encoding: Encoding }

/** Throws `SheetFault`. The byte order mark is not part of the text. */
export function decodeText(bytes: Uint8Array): Decoded {
  if (bytes.length === 0) throw new SheetFault('empty')
  const marked = markOf(bytes)
  if (marked !== undefined) return { text: decode(bytes, marked), encoding: marked }
  const wide = wideWithoutMark(bytes)
  if (wide !== undefined) return { text: decode(bytes, wide), encoding: wide }
  try {
    return checked({ text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' })
  } catch (error) {
    if (error instanceof SheetFault) throw error
    return checked({ text: decode(bytes, 'windows-1252'), encoding: 'windows-1252' })
  }
}

function markOf([a, b, c]: Uint8Array): Encoding | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined
}

/** Western text in UTF-16 has a zero in every second byte. */
function wideWithoutMark(bytes: Uint8Array): Encoding | undefined {
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

function decode(bytes: Uint8Array, encoding: Encoding): string {
  try {
    return checked({ text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding }).text
  } catch (error) {
    throw error instanceof SheetFault ? error : new SheetFault('encoding')
  }
}

/** C0 but tab, LF and CR, and the C1 that an unassigned byte of Windows-1252 becomes: no program writes these into a sheet. */
const NO_TEXT = /[\0-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]/

function checked(decoded: Decoded): Decoded {
  if (NO_TEXT.test(decoded.text)) throw new SheetFault('not_text')
  return decoded
}
