/** The one text of a JSON value that is hashed and signed: RFC 8785 (JCS). */
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { malformed } from './signature-error.ts'

const MAX_CANONICAL_DEPTH = 100

/**
 * Members are sorted by UTF-16 code units, numbers are written as ECMAScript does. Members whose value is
 * undefined are left out, as JSON.stringify does. Throws `malformed` for what is not JSON: numbers that are
 * not finite, strings with half a surrogate pair, other values, and more than 100 levels.
 */
export const canonicalize = (value: unknown): string => writeValue(value, 0)

function writeValue(value: unknown, depth: number): string {
  if (typeof value === 'string') return writeString(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  if (typeof value === 'boolean' || value === null) return String(value)
  if (depth === MAX_CANONICAL_DEPTH)
    throw malformed(`It is nested more than ${MAX_CANONICAL_DEPTH} levels deep.`)
  if (Array.isArray(value)) return `[${Array.from(value, entry => writeValue(entry, depth + 1)).join(',')}]`
  if (isObject(value) && isPlain(value)) return writeObject(value, depth)
  throw malformed('It holds a value that JSON cannot hold.')
}

const isPlain = (value: object) => [Object.prototype, null].includes(Object.getPrototypeOf(value))

function writeObject(value: DataObject, depth: number): string {
  const names = Object.keys(value).filter(name => value[name] !== undefined)
  const members = names.sort().map(name => `${writeString(name)}:${writeValue(value[name], depth + 1)}`)
  return `{${members.join(',')}}`
}

function writeString(text: string): string {
  if (!text.isWellFormed()) throw malformed('It holds a text that is not valid Unicode.')
  return JSON.stringify(text)
}
