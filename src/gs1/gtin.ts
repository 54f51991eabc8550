/** Checks GTINs. They are stored as entered; comparisons and addresses use the form with 14 digits. */
import { hasMod10CheckDigit } from './check-digit.ts'

const GTIN = /^(?:[0-9]{8}|[0-9]{12,14})$/
const ALL_ZERO = /^0+$/

/**
 * `format`: not 8, 12, 13 or 14 ASCII digits. `all_zero`: its check digit is right, but GS1 never assigns it.
 */
export type GtinError = 'format' | 'check_digit' | 'all_zero'

export function findGtinError(text: string): GtinError | undefined {
  if (!GTIN.test(text)) return 'format'
  if (ALL_ZERO.test(text)) return 'all_zero'
  return hasMod10CheckDigit(text) ? undefined : 'check_digit'
}

export const isGtin = (text: string) => findGtinError(text) === undefined

export const toGtin14 = (gtin: string) => gtin.padStart(14, '0')

/** A cluster distributes GTINs by these: all with one company prefix of 7 or more digits have the same. */
export const getPrefixDigits = (gtin14: string): string => gtin14.slice(4, 8)
