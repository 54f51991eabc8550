/** What is wrong with a value, for people: the field's label stands before each, so that none begins with a name of the API. */
import type { Kind, ProblemKey } from '../../categories/problems.ts'
import type { RowProblemKey } from '../../passports/core/row-problems.ts'

export const PROBLEMS_EN: Readonly<Record<ProblemKey | RowProblemKey, string>> = {
  missing: 'Required.',
  missing_in: 'Required.',
  missing_soon: 'Is missing; new passports of this category need it, so add it soon.',
  unknown_in: 'Does not belong to {parent}; there are {names}.',
  unknown_in_meant: 'Does not belong to {parent}; was {meant} meant? Otherwise leave it out.',
  unknown: 'Is not a field of this category; leave it out.',
  unknown_meant: 'Is not a field of this category. Was {meant} meant?',
  unknown_kept: 'Is not a field of this category; it is kept, and only your account sees it.',
  unknown_kept_meant:
    'Is not a field of this category; it is kept, and only your account sees it. Was {meant} meant?',
  key: 'Is a name that is not possible; leave it out.',
  key_control:
    'The name has the control character {character} at position {position}; remove it. Only tab and line break are possible.',
  key_half: 'The name has half of a character, probably cut in the middle; type it again.',
  deep: 'Is nested more than {most} levels deep; make it flatter.',
  control:
    'Has the control character {character} at position {position}; remove it. Only tab and line break are possible.',
  half: 'Has half of a character, the text was probably cut in the middle; type it again.',
  type: 'Enter {wanted}; this is {kind}.',
  type_quoted: 'Enter {wanted}; this is {kind}. Leave the quotation marks out.',
  null: 'Is null; leave it out if there is no value.',
  null_needed: 'Is null; a value is needed here.',
  infinite: 'Is too large for a number; choose a smaller one.',
  blank: 'Is blank; write something or leave it out.',
  blank_needed: 'Is blank; write something.',
  long: 'Has {count} characters; shorten it to at most {most}.',
  one_of: 'Is none of the possible values: {values}.',
  one_of_meant: 'Is none of the possible values; was {meant} meant? There are: {values}.',
  below: 'Is {found}; it must be at least {limit}{unit}.',
  above: 'Is {found}; it must be at most {limit}{unit}.',
  no_entries: 'Is empty; at least one entry is needed.',
  no_texts: 'Is empty; a text in the first language of the product is needed.',
  many_entries: 'Has {count} entries; at most {most} are possible.',
  many_languages: 'Has {count} languages; at most {most} are possible.',
  repeated: 'Names {language} twice; once is enough.',
  sum: 'Adds up to {sum}; change the shares so that they make exactly 100.',
  no_primary: 'Has no text in {language}, the first language of the product; add it.',
  gtin: 'Is not a GTIN; give 8, 12, 13 or 14 digits without spaces and hyphens.',
  gtin_digit: 'The check digit (the last one) does not fit the digits before it; look for a typing mistake.',
  gtin_zeros: 'Is all zeros and no GTIN; leave it out if the product has none.',
  gln: 'Is not a GLN; give 13 digits, the last of them the right check digit.',
  eori: 'Is not an EORI number; give two capital letters, then 1 to 15 characters without spaces.',
  cas: 'Is not a CAS number; write it as 50-00-0, the last digit is the check digit.',
  cn_or_hs: 'Give 6 digits (HS) or 8 digits (CN), without spaces and dots.',
  country: 'Is not a country; give its name or the two capital letters of ISO 3166-1, such as DE.',
  country_meant: 'Is not a country code of ISO 3166-1; write {meant}.',
  language: 'Is not a language; give a code of BCP 47, such as en or pt-BR.',
  language_meant: 'Is not a language code of BCP 47; write {meant}.',
  url_long: 'Is too long for an address; at most {most} characters are possible.',
  url: 'Is not a whole address; begin with https:// or http://, without a user name.',
  email: 'Is not an e-mail address; write it as service@example.com.',
  date: 'Is not a date of the calendar; write YYYY, YYYY-MM or YYYY-MM-DD.',
  carbon_class: 'Give one capital letter from A to G.',
  fibre_synonym: 'Is recognised as {fibre} (“{found}”) and shown in the language of each reader.',
  fibre_qualified:
    'The legal name of the fibre is {fibre}; “{found}” says more than that. Readers see both names.',
  fibre_similar:
    'Did you mean {fibre}? “{found}” is not a legal fibre name, so readers of every language see it as it is.',
  fibre_unlisted:
    'Choose a name from the list: “{found}” is not a legal fibre name, so readers of every language see it as it is.',
  gtin_taken: 'This GTIN already belongs to another product; give another one, or none.',
  gtin_own: 'This GTIN already belongs to your product {id}; give another one, or none.',
  gtin_own_before:
    'This GTIN belongs to your product {id}, which bore it before: printed codes lead there. Give another one, or none.',
  gtin_borne:
    'The GTIN {gtin} belongs to the product {id}, which bears another one now: printed codes lead there. Change that product on its page.',
  sku_shared:
    'Several products bear the SKU {sku}: {ids}. Change the one you mean on its page, or match by GTIN.',
  row_twice: 'The same product stands in another row ({key}); once is enough.',
  other_category:
    'This product is in the category {category}, which cannot change. Import the sheet for that one.',
  unstorable: 'Has a text or a number that cannot be stored; type it again.',
}

/** For a field that is yes or no, whatever was found. */
export const CHOOSE_EN = 'Choose yes or no.'

export const KINDS_EN: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: 'a number (digits and a decimal sign alone)',
  boolean: 'yes or no',
  object: 'a group of fields',
  list: 'a list',
  texts: 'a text for each language',
}
