/** How long a text is to whoever reads a limit: in characters (code points), as JSON Schema counts, not in UTF-16 units. */

/** Whether a text has more than `most` characters. A character is at most two units, so that a vast text need not be walked. */
export const isLongerThan = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most)

/** Controls (ESC among them), line and paragraph separators, and what turns the direction of the text behind it. */
const DECEPTIVE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/**
 * Whether a text can stand in one line of a page, a log or a terminal as what it is: a name that an account chooses
 * reaches its owners, its audit log and the operator's terminal.
 */
export const isOneLine = (text: string): boolean => !DECEPTIVE.test(text) && text.isWellFormed()

/** The same text for a terminal: what could move the cursor or turn the line is written as its code, `\u{202e}`. */
export const escapeForTerminal = (text: string): string =>
  text.replace(new RegExp(DECEPTIVE, 'gu'), one =>
    one === '\n' || one === '\t' ? one : `\\u{${one.codePointAt(0)?.toString(16)}}`,
  )

/** JSON that a terminal shows as it is: the same value, with such characters escaped as JSON does it. */
export const escapeJsonForTerminal = (json: string): string =>
  json.replace(new RegExp(DECEPTIVE, 'gu'), one =>
    one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
