/** Checks VAT numbers of the European Union and of Northern Ireland: the form of each, and check digits. */

type Rule = { form: RegExp; isValid?: (number: string) => boolean }

const digitsOf = (text: string): number[] => Array.from(text, Number)

/** The sum of each digit times its weight; digits without a weight do not count. */
const weigh = (text: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, i) => sum + weight * (digitsOf(text)[i] ?? 0), 0)

const lastDigit = (text: string): number => Number(text.at(-1))

/** Every second digit from the right is doubled (ISO/IEC 7812-1, Luhn). */
function hasLuhnDigit(text: string): boolean {
  const sum = digitsOf(text)
    .toReversed()
    .reduce((total, digit, i) => {
      const part = i % 2 === 0 ? digit : 2 * digit
      return total + (part > 9 ? part - 9 : part)
    }, 0)
  return sum % 10 === 0
}

/** ISO/IEC 7064, MOD 11,10. */
function hasMod1110Digit(text: string): boolean {
  const product = digitsOf(text.slice(0, -1)).reduce((before, digit) => {
    const sum = (digit + before) % 10 || 10
    return (2 * sum) % 11
  }, 10)
  return (11 - product) % 10 === lastDigit(text)
}

/** Letters count from A = 10 (ISO/IEC 7064, MOD 97-10): the remainder must be 1. */
export function isMod97(text: string): boolean {
  let rest = 0
  for (const character of text) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

function isAustrian(text: string): boolean {
  const digits = digitsOf(text.slice(1))
  const sum = digits.slice(0, 7).reduce((total, digit, i) => {
    const part = i % 2 === 0 ? digit : Math.floor(digit / 5) + ((2 * digit) % 10)
    return total + part
  }, 0)
  return (10 - ((sum + 4) % 10)) % 10 === lastDigit(text)
}

const isFrench = (text: string): boolean =>
  !/^[0-9]{2}/.test(text) || Number(text.slice(0, 2)) === (12 + 3 * (Number(text.slice(2)) % 97)) % 97

/** Numbers of companies have a digit modulo 11, those of persons follow MOD 97-10. */
const isDutch = (text: string): boolean =>
  weigh(text, [9, 8, 7, 6, 5, 4, 3, 2]) % 11 === Number(text[8]) || isMod97(`NL${text}`)

const PLAIN = (digits: number | string) => new RegExp(`^[0-9]{${digits}}$`)

/** Without the two letters of the country. Where `isValid` is missing, only the form is checked. */
const RULES: Readonly<Record<string, Rule>> = {
  AT: { form: /^U[0-9]{8}$/, isValid: isAustrian },
  BE: {
    form: /^[01][0-9]{9}$/,
    isValid: text => 97 - (Number(text.slice(0, 8)) % 97) === Number(text.slice(8)),
  },
  BG: { form: PLAIN('9,10') },
  CY: { form: /^[0-9]{8}[A-Z]$/ },
  CZ: { form: PLAIN('8,10') },
  DE: { form: /^[1-9][0-9]{8}$/, isValid: hasMod1110Digit },
  DK: { form: PLAIN(8), isValid: text => weigh(text, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0 },
  EE: {
    form: PLAIN(9),
    isValid: text => (10 - (weigh(text, [3, 7, 1, 3, 7, 1, 3, 7]) % 10)) % 10 === lastDigit(text),
  },
  EL: {
    form: PLAIN(9),
    isValid: text => (weigh(text, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === lastDigit(text),
  },
  ES: { form: /^(?:[A-Z][0-9]{7}[0-9A-Z]|[0-9]{8}[A-Z])$/ },
  FI: {
    form: PLAIN(8),
    isValid: text => (11 - (weigh(text, [7, 9, 10, 5, 8, 4, 2]) % 11)) % 11 === lastDigit(text),
  },
  FR: { form: /^[0-9A-HJ-NP-Z]{2}[0-9]{9}$/, isValid: isFrench },
  HR: { form: PLAIN(11), isValid: hasMod1110Digit },
  HU: {
    form: PLAIN(8),
    isValid: text => (10 - (weigh(text, [9, 7, 3, 1, 9, 7, 3]) % 10)) % 10 === lastDigit(text),
  },
  IE: { form: /^[0-9][0-9A-Z+*][0-9]{5}[A-Z]{1,2}$/ },
  IT: { form: PLAIN(11), isValid: hasLuhnDigit },
  LT: { form: /^(?:[0-9]{9}|[0-9]{12})$/ },
  LU: { form: PLAIN(8), isValid: text => Number(text.slice(0, 6)) % 89 === Number(text.slice(6)) },
  LV: { form: PLAIN(11) },
  MT: { form: PLAIN(8) },
  NL: { form: /^[0-9]{9}B[0-9]{2}$/, isValid: isDutch },
  PL: {
    form: PLAIN(10),
    isValid: text => weigh(text, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === lastDigit(text),
  },
  PT: {
    form: PLAIN(9),
    isValid: text => ((11 - (weigh(text, [9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11) % 10 === lastDigit(text),
  },
  RO: { form: PLAIN('2,10') },
  SE: { form: /^[0-9]{10}01$/, isValid: text => hasLuhnDigit(text.slice(0, 10)) },
  SI: {
    form: /^[1-9][0-9]{7}$/,
    isValid: text => (11 - (weigh(text, [8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === lastDigit(text),
  },
  SK: { form: PLAIN(10), isValid: text => Number(text) % 11 === 0 },
  XI: { form: /^(?:[0-9]{9}|[0-9]{12})$/ },
}

/** With the two letters of the country, without spaces. Whether the number is in use, only VIES knows. */
export function isVatNumber(text: string): boolean {
  const rule = RULES[text.slice(0, 2)]
  const number = text.slice(2)
  return rule?.form.test(number) === true && (rule.isValid?.(number) ?? true)
}
