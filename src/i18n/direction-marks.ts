/** Text direction: removes marks that make a name read as another; finds a language's direction. */

/** Left-to-right and right-to-left marks, embeddings, overrides and isolates. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** For users' texts where no element isolates direction marks: a title, an attribute, a list of names. */
export const stripDirectionMarks = (text: string) => text.replace(DIRECTION_MARKS, '')

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur', 'yi'])

/** The value of `dir` for a text in a language (BCP 47). */
export const getTextDirection = (language: string): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.has(language.split('-', 1)[0] ?? '') ? 'rtl' : 'ltr'
