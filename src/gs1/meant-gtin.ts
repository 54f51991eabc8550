/** Finds the GTIN in what a scanner, a spreadsheet or a person gives in its place. */
import { hasMod10CheckDigit } from './check-digit.ts'
import { parseDigitalLink } from './digital-link.ts'
import { isGtin } from './gtin.ts'

const MAX_SCANNED_LENGTH = 500
/** AIM symbology identifiers, such as `]C1` of GS1-128 and `]d2` of a GS1 DataMatrix. */
const SYMBOLOGY = /^\][A-Za-z][0-9A-Za-z]/
/** Scanners send FNC1 as the control character GS, or leave it out. */
const ELEMENT_STRING = /^\u001d?(?:\(01\)|01)([0-9]{14})/

/**
 * Undefined if the text is a GTIN already, or has none. Understands `(01)…(10)…`, element strings with and
 * without FNC1, and GS1 Digital Links.
 */
export function readScannedGtin(text: string): string | undefined {
  if (text.length > MAX_SCANNED_LENGTH || isGtin(text)) return undefined
  return [findInLink(text), findInElements(text)].find(isValid)
}

/** Also what is only likely: digits with spaces and hyphens, and the 8 digits of a UPC-E. */
export const findMeantGtin = (text: string): string | undefined =>
  readScannedGtin(text) ??
  (text.length > MAX_SCANNED_LENGTH || isGtin(text)
    ? undefined
    : [text.replace(/[\s-]/g, ''), expandUpcE(text)].find(isValid))

const isValid = (candidate: string | undefined) => candidate !== undefined && isGtin(candidate)

function findInLink(text: string): string | undefined {
  const link = /^https?:\/\/[^/\s]+(\/[^\s]*)$/i.exec(text.trim())
  const parsed = parseDigitalLink(link?.[1] ?? '')
  return 'error' in parsed ? undefined : parsed.gtin14
}

const findInElements = (text: string): string | undefined =>
  ELEMENT_STRING.exec(text.trim().replace(SYMBOLOGY, '').replaceAll(' ', ''))?.[1]

/** The GTIN-12 of a UPC-E, which leaves out zeros of it (GS1 General Specifications 5.2.2.4.2). */
export function expandUpcE(text: string): string | undefined {
  const [, system, a, b, c, d, e, last, check] = /^([01])(\d)(\d)(\d)(\d)(\d)(\d)(\d)$/.exec(text) ?? []
  if (last === undefined) return undefined
  const digits =
    last <= '2'
      ? `${a}${b}${last}0000${c}${d}${e}`
      : last === '3'
        ? `${a}${b}${c}00000${d}${e}`
        : last === '4'
          ? `${a}${b}${c}${d}00000${e}`
          : `${a}${b}${c}${d}${e}0000${last}`
  const gtin = `${system}${digits}${check}`
  return hasMod10CheckDigit(gtin) ? gtin : undefined
}
