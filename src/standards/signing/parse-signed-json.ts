/** Parses JSON that somebody signed. */
import { tryParseJson } from '../../kernel/text/try-parse-json.ts'
import { malformed } from './signature-error.ts'

const MAX_SIGNED_DEPTH = 100

/**
 * Throws `malformed` for a member that an object has twice, because one reader would take the first and
 * another the last, and for more than 100 levels.
 */
export function parseSignedJson(text: string): unknown {
  const value: unknown = tryParseJson(text)
  if (value === undefined) throw malformed('It is not JSON.')
  checkMembers(text)
  return value
}

/** Strings, with the colon after them if they are names, and brackets. Only for valid JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g

function checkMembers(text: string): void {
  const levels: Set<unknown>[] = []
  for (const [token, colon] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') levels.push(new Set())
    else if (token === '}' || token === ']') levels.pop()
    else if (colon !== undefined) addName(levels.at(-1), token.slice(0, -colon.length))
    if (levels.length > MAX_SIGNED_DEPTH)
      throw malformed(`It is nested more than ${MAX_SIGNED_DEPTH} levels deep.`)
  }
}

function addName(names: Set<unknown> | undefined, quoted: string): void {
  const name: unknown = quoted.includes('\\') ? tryParseJson(quoted) : quoted.slice(1, -1)
  if (names?.has(name)) throw malformed(`It has the member ${quoted} twice in the same object.`)
  names?.add(name)
}
