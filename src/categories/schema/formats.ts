/** The formats of fields: JSON Schema keywords for each, and a check for the rest. */
import { isCasNumber, isEcNumber, isGln } from '../../gs1/check-digit.ts'
import { findGtinError, type GtinError } from '../../gs1/gtin.ts'
import { findMeantGtin } from '../../gs1/meant-gtin.ts'
import type { DetailCode } from '../../kernel/errors/errors.ts'
import { isLongerThan } from '../../kernel/values/characters.ts'
import { COUNTRIES, isCountry } from '../../kernel/values/countries.ts'
import type { Format } from '../field.ts'
import { canonicalizeLanguage, MAX_LANGUAGE_TAG_LENGTH, repairLanguage } from '../language.ts'
import { findCountryByName, namesKosovo } from '../names/country-names.ts'
import { type Problem, type ProblemKey, problem, suggest } from '../problems.ts'

export type Violation = { code: DetailCode; problem: Problem }

type FormatRule = {
  /** Keywords for a string of this format. Patterns are ECMA-262 with the `u` flag and run in linear time. */
  schema: {
    minLength: number
    maxLength: number
    pattern?: string
    enum?: readonly string[]
    /** JSON Schema's name of the format, if it has one. */
    format?: string
  }
  /** At least as strict as `schema`. */
  findViolation: (text: string) => Violation | undefined
}

const MAX_URL_LENGTH = 2048
const MAX_EMAIL_LENGTH = 254
const CARBON_CLASSES = ['A', 'B', 'C', 'D', 'E', 'F', 'G']

/**
 * No display name, list or link. The ASCII characters of domain labels are letters, digits and hyphens only.
 */
const EMAIL_PATTERN =
  '^[^\\s@<>()\\[\\],;:"\\\\?]{1,64}@[^\\s\\u0000-,./:-@\\[-`{-\\u007f]{1,63}(?:\\.[^\\s\\u0000-,./:-@\\[-`{-\\u007f]{1,63})+$'
const EMAIL_LABEL = /^(?!-)[\p{L}\p{M}\p{N}-]+(?<!-)$/u
const PARTIAL_DATE_PATTERN = '^[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?$'

const EMAIL = new RegExp(EMAIL_PATTERN, 'u')
const PARTIAL_DATE = new RegExp(PARTIAL_DATE_PATTERN, 'u')
/** No user name, white space or `\`, which browsers read as `/`. */
const HTTP_URL = /^https?:\/\/[^\s/?#@\\]+(?:[/?#][^\s\\]*)?$/iu

const violation = (code: DetailCode, what: Problem): Violation => ({ code, problem: what })
const check = (code: DetailCode, key: ProblemKey, passes: (text: string) => boolean) => (text: string) =>
  passes(text) ? undefined : violation(code, problem(key))

/** A format that its pattern defines completely. */
const byPattern = (key: ProblemKey, schema: FormatRule['schema'] & { pattern: string }): FormatRule => {
  const pattern = new RegExp(schema.pattern, 'u')
  return { schema, findViolation: check('format', key, text => pattern.test(text)) }
}

export const FORMAT_RULES: Readonly<Record<Format, FormatRule>> = {
  gtin: {
    schema: { minLength: 8, maxLength: 14, pattern: '^(?:[0-9]{8}|[0-9]{12,14})$' },
    findViolation: text => {
      const error = findGtinError(text)
      if (error === undefined) return undefined
      const meant = findMeantGtin(text)
      const found = GTIN_VIOLATIONS[error]
      return meant === undefined ? found : violation(found.code, suggest('gtin', meant))
    },
  },
  gln: {
    schema: { minLength: 13, maxLength: 13, pattern: '^[0-9]{13}$' },
    findViolation: check('format', 'gln', isGln),
  },
  eori: byPattern('eori', { minLength: 3, maxLength: 17, pattern: '^[A-Z]{2}[!-~]{1,15}$' }),
  cas: {
    schema: { minLength: 7, maxLength: 12, pattern: '^[1-9][0-9]{1,6}-[0-9]{2}-[0-9]$' },
    findViolation: check('format', 'cas', isCasNumber),
  },
  ec_number: {
    schema: { minLength: 9, maxLength: 9, pattern: '^[0-9]{3}-[0-9]{3}-[0-9]$' },
    findViolation: check('format', 'ec_number', isEcNumber),
  },
  sha256: byPattern('sha256', { minLength: 64, maxLength: 64, pattern: '^[0-9a-f]{64}$' }),
  picture_id: byPattern('media_id', { minLength: 64, maxLength: 64, pattern: '^[0-9a-f]{64}$' }),
  document_id: byPattern('media_id', { minLength: 64, maxLength: 64, pattern: '^[0-9a-f]{64}$' }),
  cn_or_hs: byPattern('cn_or_hs', { minLength: 6, maxLength: 8, pattern: '^(?:[0-9]{6}|[0-9]{8})$' }),
  country: {
    schema: { minLength: 2, maxLength: 2, pattern: buildCountryPattern() },
    findViolation: text => (isCountry(text) ? undefined : violation('country_code', explainCountry(text))),
  },
  language: {
    schema: {
      minLength: 2,
      maxLength: MAX_LANGUAGE_TAG_LENGTH,
      pattern: '^(?:[Ii]-)?[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$',
    },
    findViolation: text =>
      canonicalizeLanguage(text) === undefined
        ? violation('language_code', explainLanguage(text))
        : undefined,
  },
  url: {
    schema: { minLength: 8, maxLength: MAX_URL_LENGTH, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://', format: 'iri' },
    findViolation: text => {
      if (isLongerThan(text, MAX_URL_LENGTH)) {
        return violation('length', problem('url_long', { most: MAX_URL_LENGTH }))
      }
      return HTTP_URL.test(text) && URL.canParse(text) ? undefined : violation('format', problem('url'))
    },
  },
  email: {
    schema: { minLength: 5, maxLength: MAX_EMAIL_LENGTH, pattern: EMAIL_PATTERN, format: 'idn-email' },
    findViolation: check('format', 'email', isEmail),
  },
  partial_date: {
    schema: { minLength: 4, maxLength: 10, pattern: PARTIAL_DATE_PATTERN },
    findViolation: check('format', 'date', isPartialDate),
  },
  carbon_class: {
    schema: { minLength: 1, maxLength: 1, enum: CARBON_CLASSES },
    findViolation: check('enum', 'carbon_class', text => CARBON_CLASSES.includes(text)),
  },
}

const GTIN_VIOLATIONS: Readonly<Record<GtinError, Violation>> = {
  format: violation('format', problem('gtin')),
  check_digit: violation('gtin_check_digit', problem('gtin_digit')),
  all_zero: violation('format', problem('gtin_zeros')),
}

/** One alternative per first letter: matches exactly the assigned codes. */
function buildCountryPattern(): string {
  const parts = Array.from(
    Map.groupBy(COUNTRIES, code => code.slice(0, 1)),
    ([first, codes]) => `${first}[${codes.map(code => code.slice(1)).join('')}]`,
  )
  return `^(?:${parts.join('|')})$`
}

/** Suggests a code for the country's name in any language, and for `UK`. */
const explainCountry = (text: string): Problem =>
  namesKosovo(text) ? problem('country_kosovo') : suggest('country', findCountryByName(text))

export const explainLanguage = (text: string): Problem => suggest('language', repairLanguage(text))

function isEmail(text: string): boolean {
  if (isLongerThan(text, MAX_EMAIL_LENGTH) || !EMAIL.test(text)) return false
  const [local = '', domain = ''] = text.split('@')
  if (local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false
  return domain.split('.').every(label => EMAIL_LABEL.test(label))
}

/** The pattern allows the year 0 and days after the end of a month; both are invalid. */
function isPartialDate(text: string): boolean {
  if (!PARTIAL_DATE.test(text) || text.startsWith('0000')) return false
  // The engine turns 30 February into 1 March.
  return text.length < 10 || new Date(text).getUTCDate() === Number(text.slice(8))
}
