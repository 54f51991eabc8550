/** Check digits of GTIN, GLN, SSCC, CAS and EC numbers. */

/**
 * Returns true if the last digit is the modulo-10 check digit of those before it: GTIN-8/12/13/14, GLN, SSCC.
 * `digits` must be ASCII digits only. Source: GS1 General Specifications 7.9.1.
 */
export function hasMod10CheckDigit(digits: string): boolean {
  const last = digits.length - 1
  return computeMod10CheckDigit(digits.slice(0, last)) === digits.charCodeAt(last) - 48
}

/** Returns the check digit (0 to 9) of a number of ASCII digits. */
export function computeMod10CheckDigit(digits: string): number {
  let total = 0
  for (let i = digits.length - 1, weight = 3; i >= 0; i--, weight = 4 - weight) {
    total += weight * (digits.charCodeAt(i) - 48)
  }
  return (10 - (total % 10)) % 10
}

const GLN = /^[0-9]{13}$/

/** A Global Location Number: 13 ASCII digits with a check digit. The number is not necessarily assigned. */
export const isGln = (text: string) => GLN.test(text) && hasMod10CheckDigit(text)

const CAS = /^[1-9][0-9]{1,6}-[0-9]{2}-[0-9]$/

/** A CAS number (`50-00-0`). Check digit: sum of each digit times its place from the right, modulo 10. */
export function isCasNumber(text: string): boolean {
  if (!CAS.test(text)) return false
  const digits = text.replaceAll('-', '')
  const last = digits.length - 1
  let total = 0
  for (let i = last - 1, place = 1; i >= 0; i--, place++) total += place * (digits.charCodeAt(i) - 48)
  return total % 10 === digits.charCodeAt(last) - 48
}

const EC = /^[0-9]{3}-[0-9]{3}-[0-9]$/

/** An EC number (`231-111-4`). Check digit: sum of each digit times its place from the left, modulo 11. */
export function isEcNumber(text: string): boolean {
  if (!EC.test(text)) return false
  const digits = text.replaceAll('-', '')
  let total = 0
  for (let i = 0; i < 6; i++) total += (i + 1) * (digits.charCodeAt(i) - 48)
  return total % 11 === digits.charCodeAt(6) - 48
}
