/** Parses the query of a GS1 Digital Link, which redirects pass on unchanged. */

export type LinkQueryError =
  /** AI 01, 10, 21, 22 or 235, which belong in the path when the key is a GTIN. */
  | 'path_key_in_query'
  /** All digits, but no application identifier. */
  | 'unknown_identifier'

const DIGITS = /^[0-9]+$/
const PATH_IDENTIFIERS = new Set(['01', '10', '21', '22', '235'])

/** Every application identifier of GS1 General Specifications, section 3.2. */
const IDENTIFIER = new RegExp(
  `^(?:${[
    '0[0-3]|1[0-35-7]|2[0-2]|235|24[0-3]|25[0-13-5]|30|37|9[0-9]',
    '31[0-6][0-9]|32[0-9]{2}|33[0-7][0-9]|34[0-9]{2}|35[0-7][0-9]|36[0-9]{2}|39[0-5][0-9]',
    '40[0-3]|41[0-7]|42[0-7]|43(?:[01][0-9]|2[0-6]|3[0-3])',
    '70(?:0[1-9]|1[01]|2[0-3]|3[0-9]|4[0-2])|71[0-7]|72(?:3[0-9]|4[0-2]|5[0-9])',
    '80(?:0[1-9]|1[0-37-9]|20|26|30)|811[0-2]|8200',
  ].join('|')})$`,
)

/**
 * Parses a raw query without `?`. `linkType` is the first one that is not empty, decoded if possible. Never
 * throws.
 */
export function parseLinkQuery(
  rawQuery: string,
): { linkType: string | undefined } | { error: LinkQueryError } {
  let linkType: string | undefined
  for (const part of rawQuery.split(/[&;]/)) {
    const equals = part.indexOf('=')
    const name = decodeOrKeep(equals < 0 ? part : part.slice(0, equals))
    if (PATH_IDENTIFIERS.has(name)) return { error: 'path_key_in_query' }
    if (DIGITS.test(name) && !IDENTIFIER.test(name)) return { error: 'unknown_identifier' }
    if (name === 'linkType' && equals >= 0) linkType ??= decodeOrKeep(part.slice(equals + 1)) || undefined
  }
  return { linkType }
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
