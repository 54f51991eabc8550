/**
 * Says what a valid GTIN stands for. A right check digit makes no number unique: GS1 keeps ranges for the use
 * inside a shop or company, for coupons, and for later (GS1 General Specifications 1.4.2 and 1.4.3).
 */
import { computeMod10CheckDigit } from './check-digit.ts'
import { toGtin14 } from './gtin.ts'

/**
 * Several companies use these numbers at once, or nobody does: they name a product inside one account only.
 * `restricted`: a shop, a company or a region gives them, also with a weight or price inside. `coupon`: also
 * refund receipts. `reserved`: given to nobody.
 *
 * The prefixes follow the indicator digit of a GTIN-14. Five zeros begin a GTIN-8: GS1 gives nobody the
 * prefixes 0000001 to 0000099, which would look the same.
 */
const LOCAL_PREFIXES = {
  restricted: '00000[02]|0[24]|2',
  coupon: '98[0-4]|99',
  reserved: '00000(?:97[7-9]|9[89])|05|951',
} as const

/** GS1's list of prefixes as of 2026 does not have these. Of a GTIN-8, its first three digits count. */
const UNLISTED_PREFIXES =
  '(?:00000)?(?:1[4-9]|38[12468]|39[1-9]|44[1-9]|47[23]|51|52[2-7]|53[2-46-8]|55|56[1-8]|58|59[1-35-8]|' +
  '602|61[04]|63[3-9]|6[567]|68[2-9]|71|72[0-8]|74[7-9]|75[1-36-8]|77[246]|78[1-3578]|79[1-9]|85[1-7]|' +
  '86[1-46]|88[269]|89[12578]|92|95[34679]|97[0-6]|98[5-9])'

/**
 * `publication`: ISSN, ISBN and ISMN. `unlisted`: GS1 names no organisation for the prefix, but may itself
 * give numbers of it to companies. `package`: it holds several pieces of the product. `variable`: the pieces
 * differ in weight or length.
 */
const PREFIXES = {
  ...LOCAL_PREFIXES,
  publication: '97[7-9]',
  unlisted: UNLISTED_PREFIXES,
} as const

export type GtinKind = keyof typeof PREFIXES | 'package' | 'variable'

const matchAny = (prefixes: string) => `^[0-9](?:${prefixes})`
const isPrefixKind = (kind: string): kind is keyof typeof PREFIXES => Object.hasOwn(PREFIXES, kind)
const PATTERNS = Object.keys(PREFIXES)
  .filter(isPrefixKind)
  .map(kind => ({ kind, pattern: new RegExp(matchAny(PREFIXES[kind])) }))

/** Matches GTIN-14s. The function `carnet_claim_key` of the database has the same. */
export const LOCAL_GTIN_PATTERN = matchAny(Object.values(LOCAL_PREFIXES).join('|'))
const LOCAL_GTIN = new RegExp(LOCAL_GTIN_PATTERN)

/** False for a number that names a product inside one account only. `gtin` must be valid. */
export const isWorldwideGtin = (gtin: string): boolean => !LOCAL_GTIN.test(toGtin14(gtin))

/** Undefined for the usual number of a product. `prefix` has the digits that decide. `gtin` must be valid. */
export function classifyGtin(gtin: string): { kind: GtinKind; prefix: string } | undefined {
  const gtin14 = toGtin14(gtin)
  for (const { kind, pattern } of PATTERNS) {
    const found = pattern.exec(gtin14)?.[0]
    if (found !== undefined) return { kind, prefix: found.slice(1).replace(/^0{5}/, '') }
  }
  const prefix = gtin14.slice(0, 1)
  return prefix === '0' ? undefined : { kind: prefix === '9' ? 'variable' : 'package', prefix }
}

/** The GTIN that one piece in a package has, if it was formed from the package's as usual. */
export function derivePieceGtin(packageGtin14: string): string {
  const digits = packageGtin14.slice(1, -1)
  return `${digits}${computeMod10CheckDigit(digits)}`.replace(/^0{5}/, '')
}
