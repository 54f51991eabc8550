/** A GTIN has four lengths and one identity: what was entered is kept, what is compared and addressed has 14 digits. */
import { hasMod10CheckDigit } from './check-digit.ts'

const GTIN = /^(?:[0-9]{8}|[0-9]{12,14})$/
const ALL_ZERO = /^0+$/

/** `format`: not 8, 12, 13 or 14 ASCII digits. `all_zero` passes the arithmetic and is nobody's number. */
export type GtinFault = 'format' | 'check_digit' | 'all_zero'

/** What is wrong with a GTIN as entered, or undefined. */
export function findGtinFault(text: string): GtinFault | undefined {
  if (!GTIN.test(text)) return 'format'
  if (ALL_ZERO.test(text)) return 'all_zero'
  return hasMod10CheckDigit(text) ? undefined : 'check_digit'
}

export const isGtin = (text: string) => findGtinFault(text) === undefined

/** The 14 digits a valid GTIN of any length stands for. */
export const toGtin14 = (gtin: string) => gtin.padStart(14, '0')

/** The 14 digits behind a text, or what is wrong with it. */
export function parseGtin(text: string): { gtin14: string } | { fault: GtinFault } {
  const fault = findGtinFault(text)
  return fault === undefined ? { gtin14: toGtin14(text) } : { fault }
}
