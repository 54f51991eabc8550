/** Every sentence about wrong data, with `{names}` for facts. The console translates it by its key. */
import { fillPlaceholders } from '../i18n/catalogue.ts'

/** Each sentence continues after the field's name. */
export const PROBLEMS = {
  missing: 'is missing; every {category} passport needs it.',
  missing_in: 'is missing; {parent} needs it.',
  missing_one_of: 'is missing; {parent} needs one of {names}.',
  missing_soon: 'is missing; new passports of this category need it, so add it soon.',
  unknown_in: 'is not a member of {parent}; its members are {names}.',
  unknown_in_meant: 'is not a member of {parent}; did you mean {meant}? Otherwise leave it out.',
  unknown: 'is not a field of {category}; leave it out.',
  unknown_meant: 'is not a field of {category}. Did you mean {meant}?',
  unknown_kept: 'is not a field of {category}; it is stored, and only your account sees it.',
  unknown_kept_meant:
    'is not a field of {category}; it is stored, and only your account sees it. Did you mean {meant}?',
  now_known:
    'was stored before {category} had this field, so only your account sees it; send it again to make it the field.',
  key: 'is not allowed as a key; leave it out.',
  key_control:
    'is a key that has the control character {character} at position {position}; only tab and newline are allowed.',
  key_half:
    'is a key that has half of a surrogate pair, which is not a character; the text was probably cut in the middle of one.',
  deep: 'is nested more than {most} levels deep; flatten it.',
  control: 'has the control character {character} at position {position}; only tab and newline are allowed.',
  half: 'has half of a surrogate pair, which is not a character; the text was probably cut in the middle of one.',
  type: 'must be {wanted}, not {kind}.',
  type_quoted: 'must be {wanted}, not {kind}; send it without quotes.',
  null: 'is null; leave it out if there is none.',
  null_needed: 'is null; it needs a value.',
  infinite: 'is too large for a number.',
  blank: 'is blank; write something or leave it out.',
  blank_needed: 'is blank; write something.',
  long: 'has {count} characters; at most {most} are allowed.',
  one_of: 'must be one of {values}.',
  one_of_meant: 'must be one of {values}; did you mean {meant}?',
  below: 'is {found}; it must be at least {limit}{unit}.',
  above: 'is {found}; it must be at most {limit}{unit}.',
  no_entries: 'is empty; it needs at least one entry.',
  no_texts: 'is empty; it needs a text in the first entry of `languages`.',
  many_entries: 'has {count} entries; at most {most} are allowed.',
  many_languages: 'has {count} languages; at most {most} are allowed.',
  repeated: 'repeats {language}; list it once.',
  sum: 'adds up to {sum}; each {share} as written must make the sum exactly 100.',
  no_primary: 'needs a text in {language}, the first entry of `languages`.',
  gtin: 'must be a GTIN of 8, 12, 13 or 14 digits, without spaces or hyphens.',
  gtin_meant: 'must be a GTIN of 8, 12, 13 or 14 digits, without spaces or hyphens. Did you mean {meant}?',
  gtin_digit:
    'has a check digit (the last one) that does not match the digits before it; look for a typing mistake.',
  gtin_zeros: 'is all zeros, which is not a GTIN; leave it out if the product has none.',
  gtin_restricted:
    'has the GS1 prefix {prefix}, which is for use inside a shop, a company or a region: others have the same number. It names the product in your account only and gets no GS1 address. Send a GTIN with a company prefix of GS1, if the product has one.',
  gtin_upc_e:
    'has the GS1 prefix {prefix}, which is for use inside a shop or company: others have the same number. It names the product in your account only and gets no GS1 address. If it is the UPC-E of the product, send its 12 digits: {meant}.',
  gtin_coupon:
    'has the GS1 prefix {prefix}, which is for coupons and refund receipts. It names the product in your account only and gets no GS1 address. Send the GTIN of the product, or none.',
  gtin_unused:
    'has the GS1 prefix {prefix}, which GS1 gives to nobody. It names the product in your account only and gets no GS1 address. Look for a typing mistake.',
  gtin_publication:
    'has the GS1 prefix {prefix}, which is for books, sheet music and periodicals (ISBN, ISMN, ISSN). Send the GTIN of the product, if it is none.',
  gtin_unlisted:
    'has the GS1 prefix {prefix}, for which GS1 listed no organisation in 2026. Look for a typing mistake.',
  gtin_package:
    'is of a package with several pieces (first digit {prefix}). If the passport is about one piece, send the GTIN of the piece, usually {meant}.',
  gtin_variable:
    'is of a product whose pieces differ in weight or length (first digit 9). If all pieces are the same, send the GTIN of a piece.',
  gln: 'must be a GLN: 13 digits, the last one a correct check digit.',
  eori: 'must be an EORI number: two capital letters, then 1 to 15 characters without spaces.',
  cas: 'must be a CAS number such as 50-00-0, whose last digit is a correct check digit.',
  ec_number: 'must be an EC number such as 231-111-4, whose last digit is a correct check digit.',
  sha256: 'must be a SHA-256: 64 hexadecimal digits in lower case.',
  media_id: 'must be the id of a file, 64 hexadecimal digits as POST /media returns it.',
  cn_or_hs: 'must have 6 digits (HS) or 8 digits (CN), without spaces or dots.',
  country: 'must be a country as two capital letters of ISO 3166-1, such as DE.',
  country_meant: 'must be a country as two capital letters of ISO 3166-1, such as DE; write {meant}.',
  country_kosovo:
    'must be a country of ISO 3166-1, which has no code for Kosovo: XK is a code of EU customs and trade statistics (Regulation (EU) 2020/1470), and stays in their papers. Write RS, under which ISO 3166-2 lists Kosovo.',
  language: 'must be a language code of BCP 47, such as en or pt-BR.',
  language_meant: 'must be a language code of BCP 47, such as en or pt-BR; write {meant}.',
  url_long: 'is too long for an address; at most {most} characters are allowed.',
  url: 'must be a full address that begins with https:// or http://, without a user name.',
  link_private:
    'is an address that only this machine or a private network can open; other readers see it as text, without a link.',
  link_hidden: 'has invisible characters, a backslash or no host; readers see it as text, without a link.',
  email: 'must be an e-mail address such as service@example.com.',
  date: 'must be an existing date as YYYY, YYYY-MM or YYYY-MM-DD.',
  carbon_class: 'must be one capital letter from A to G.',
  fibre_synonym:
    'says “{found}”, which is recognised as {fibre} and shown in the language of each reader; send {fibre} to store that name.',
  fibre_qualified:
    'says “{found}”, which is more than the legal name {fibre} (Regulation (EU) No 1007/2011, Annex I); readers see both.',
  fibre_similar:
    'says “{found}”, which is not a fibre name of Regulation (EU) No 1007/2011, Annex I. Did you mean {fibre}?',
  fibre_unlisted:
    'says “{found}”, which is not a fibre name of Regulation (EU) No 1007/2011, Annex I; all readers see it untranslated.',
  language_unlisted:
    'says “{found}”, which no language has as its code; readers will hardly get the texts in it. Use a code such as en or pt-BR.',
  language_unlisted_meant:
    'says “{found}”, which no language has as its code; readers will hardly get the texts in it. Did you mean {meant}?',
  invisible: 'has no visible character; readers see nothing. Write something.',
  invisible_sku:
    'has an invisible character; it looks like another SKU without it, but is not the same. Remove the character.',
  markup: 'has HTML ({found}), which readers see as it is; send plain text.',
} as const

export type ProblemKey = keyof typeof PROBLEMS

/** Kinds of values, for the facts `wanted` and `kind`. */
export const KINDS = {
  text: 'text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  list: 'a list',
  texts: 'an object of language codes and texts, such as {"en": "…"}',
} as const

export type Kind = keyof typeof KINDS
export type Facts = Readonly<Record<string, string | number>>
export type Problem = { key: ProblemKey; facts: Facts }

export const problem = (key: ProblemKey, facts: Facts = {}): Problem => ({ key, facts })

type KeyWithSuggestion =
  | 'unknown'
  | 'unknown_kept'
  | 'one_of'
  | 'gtin'
  | 'country'
  | 'language'
  | 'language_unlisted'

/** The problem with its suggestion, if there is one. */
export const suggest = (key: KeyWithSuggestion, meant: string | undefined, facts: Facts = {}): Problem =>
  meant === undefined ? problem(key, facts) : problem(`${key}_meant`, { ...facts, meant })

const KIND_FACTS = new Set(['wanted', 'kind'])
const KIND_NAMES = new Map<string, string>(Object.entries(KINDS))

export function toEnglish({ key, facts }: Problem): string {
  const values = Object.entries(facts).map(([name, fact]) => [
    name,
    (KIND_FACTS.has(name) && KIND_NAMES.get(String(fact))) || String(fact),
  ])
  return fillPlaceholders(PROBLEMS[key], Object.fromEntries(values))
}
