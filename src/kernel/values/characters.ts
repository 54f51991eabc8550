/**
 * Counts characters as JSON Schema does, and finds those that deceive readers of a page, a log or a terminal.
 */

/** In code points, of which each has one or two UTF-16 units: very long texts need not be counted. */
export const isLongerThan = (text: string, maxLength: number): boolean =>
  text.length > maxLength && (text.length > 2 * maxLength || [...text].length > maxLength)

/** Controls (ESC among them), line and paragraph separators, and marks that change the direction of text. */
const DECEPTIVE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** For a name that an account chooses: it reaches its owners, its audit log and the operator's terminal. */
export const isOneLine = (text: string): boolean => !DECEPTIVE.test(text) && text.isWellFormed()

/**
 * For a terminal: characters that could move the cursor or reverse the line become their code, `\u{202e}`.
 */
export const escapeForTerminal = (text: string): string =>
  text.replace(new RegExp(DECEPTIVE, 'gu'), one =>
    one === '\n' || one === '\t' ? one : `\\u{${one.codePointAt(0)?.toString(16)}}`,
  )

/** Escapes such characters in a JSON text, which keeps its value. */
export const escapeJsonForTerminal = (json: string): string =>
  json.replace(new RegExp(DECEPTIVE, 'gu'), one =>
    one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
