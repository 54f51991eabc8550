/** Check digits: the last figure of a number tells whether the others were written down right. */

/** Modulo 10 with weights 3 and 1 from the right (GS1 General Specifications 7.9): GTIN-8/12/13/14, GLN. ASCII digits only. */
export function hasGs1CheckDigit(digits: string): boolean {
  let total = 0
  for (let i = digits.length - 2, weight = 3; i >= 0; i--, weight = 4 - weight) total += weight * digit(digits, i)
  return (10 - (total % 10)) % 10 === digit(digits, digits.length - 1)
}

/** The check digit of a CAS registry number: digits weighted 1, 2, 3 … from the right, modulo 10. */
export function hasCasCheckDigit(cas: string): boolean {
  const digits = cas.replaceAll('-', '')
  let total = 0
  for (let i = digits.length - 2, weight = 1; i >= 0; i--, weight++) total += weight * digit(digits, i)
  return total % 10 === digit(digits, digits.length - 1)
}

const digit = (digits: string, i: number) => digits.charCodeAt(i) - 48
