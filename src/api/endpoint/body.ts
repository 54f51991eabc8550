/** The top level of a request body: an object with the members the call takes, and no others. */
import { isLongerThan } from '../../kernel/characters.ts'
import { type Detail, type DetailCode, invalid } from '../../kernel/errors.ts'

/** Members of a record that a client may have sent back: it can read them, not set them. */
const RECORD_MEMBERS = new Set([
  ...[
    'id',
    'level',
    'status',
    'gtin',
    'lot',
    'serial',
    'version_no',
    'updated_at',
    'created_at',
    'passport_url',
  ],
  ...['gs1_url', 'qr_url', 'parent_id', 'outdated', 'category'],
])

/** The body's members. Throws `validation` for anything but an object, and for members the call does not take. */
export function readBody<const K extends string>(
  body: unknown,
  members: readonly K[],
): Partial<Record<K, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid([
      {
        field: '',
        pointer: '',
        code: 'type',
        message: `The body must be a JSON object with ${members.join(', ')}.`,
      },
    ])
  }
  const strangers = Object.keys(body).filter(name => !(members as readonly string[]).includes(name))
  if (strangers.length > 0) throw invalid(strangers.map(name => stranger(name, members)))
  return body
}

function stranger(sent: string, members: readonly string[]): Detail {
  const name = sent.toWellFormed().slice(0, 100)
  if (RECORD_MEMBERS.has(name))
    return bodyDetail(name, 'immutable', `${name} cannot be set by this call; leave it out.`)
  return bodyDetail(
    name,
    'unknown_field',
    `${name} is not a member of this body; it takes ${members.join(', ')}.`,
  )
}

export const bodyDetail = (name: string, code: DetailCode, message: string): Detail => ({
  field: name,
  pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  code,
  message,
})

/** One of the allowed values, or undefined when not sent. Throws `validation`. */
export function optionalChoice<const T extends string>(
  name: string,
  value: unknown,
  allowed: readonly T[],
): T | undefined {
  if (value === undefined) return undefined
  const found = allowed.find(one => one === value)
  if (found !== undefined) return found
  throw invalid([bodyDetail(name, 'enum', `${name} must be one of ${allowed.join(', ')}.`)])
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/

/** A text of at most `most` characters, or undefined when not sent or null. Throws `validation`. */
export function optionalText(name: string, value: unknown, most: number): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid([bodyDetail(name, 'type', `${name} must be a text.`)])
  const text = value.replaceAll('\r\n', '\n')
  if (text.trim() === '' || isLongerThan(text, most)) {
    throw invalid([bodyDetail(name, 'length', `${name} must have 1 to ${most} characters.`)])
  }
  if (!text.isWellFormed() || CONTROL.test(text)) {
    throw invalid([
      bodyDetail(name, 'format', `${name} has a character that cannot be kept; send plain text.`),
    ])
  }
  return text
}

/** The members as they were sent, unchecked; nothing of what is no object. */
export const sentMembers = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {}
