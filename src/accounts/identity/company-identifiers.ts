/** The identifiers of a company that an operator approves: GLN, LEI, VAT number and EORI number. */
import { isGln } from '../../gs1/check-digit.ts'
import { isMod97, isVatNumber } from './vat-number.ts'

/** In the order in which documents name them. */
export const IDENTIFIER_SCHEMES = ['gln', 'lei', 'vat', 'eori'] as const
export type IdentifierScheme = (typeof IDENTIFIER_SCHEMES)[number]
export type CompanyIdentifier = { scheme: IdentifierScheme; value: string }

const isLei = (text: string): boolean => /^[0-9A-Z]{18}[0-9]{2}$/.test(text) && isMod97(text)

/** An EORI number has no check digit, but most countries make it of the VAT number or another. */
const isEori = (text: string): boolean => /^[A-Z]{2}[0-9A-Z]{1,15}$/.test(text)

const RULES: Readonly<Record<IdentifierScheme, { isValid: (text: string) => boolean; rule: string }>> = {
  gln: { isValid: isGln, rule: 'must be a GLN: 13 digits, the last one a correct check digit.' },
  lei: {
    isValid: isLei,
    rule: 'must be a LEI: 18 letters and digits, then two check digits that match them (ISO 17442).',
  },
  vat: {
    isValid: isVatNumber,
    rule: 'must be a VAT number of the European Union with its country, such as DE136695976, whose check digit matches.',
  },
  eori: {
    isValid: isEori,
    rule: 'must be an EORI number: two capital letters, then 1 to 15 letters and digits.',
  },
}

/** People write identifiers with spaces, dots and hyphens, and in lower case. */
export const cleanIdentifier = (text: string): string => text.replace(/[\s.-]/g, '').toUpperCase()

/** Returns what the cleaned identifier must be, as the end of a sentence; undefined if it is valid. */
export const findIdentifierError = ({ scheme, value }: CompanyIdentifier): string | undefined =>
  RULES[scheme].isValid(value) ? undefined : RULES[scheme].rule
