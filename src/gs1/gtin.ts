/** GTINs: one number in four lengths; in addresses and as a key always fourteen digits. */
import { hasGs1CheckDigit } from './check-digit.ts'

const GTIN = /^(?:[0-9]{8}|[0-9]{12,14})$/

/** A GTIN-8, -12, -13 or -14 in ASCII digits with a right check digit, not all zero. */
export const isGtin = (text: string): boolean => GTIN.test(text) && hasGs1CheckDigit(text) && /[1-9]/.test(text)

/** Whether a text has a GTIN's length and digits, whatever its check digit. */
export const hasGtinShape = (text: string): boolean => GTIN.test(text)

/** The fourteen digits of a GTIN of any length. */
export const toGtin14 = (gtin: string): string => gtin.padStart(14, '0')

const GLN = /^[0-9]{13}$/

/** A GLN: thirteen digits with a right check digit. */
export const isGln = (text: string): boolean => GLN.test(text) && hasGs1CheckDigit(text)
