/** Request bodies: objects whose members are described, read and checked by one definition each. */
import { collectErrors } from '../../kernel/errors/collect-errors.ts'
import { AppError, type DetailCode, invalid } from '../../kernel/errors/errors.ts'
import { isLongerThan } from '../../kernel/values/characters.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { type PassportData, requireCategory, requireData } from '../../passports/core/check-data.ts'
import { listUnknownMembers } from '../../records/unknown-members.ts'

export type BodyMember<T> = {
  schema: object
  isRequired?: true
  /** Throws `validation`. */
  read: (value: unknown, name: string) => T
}
type Members = Readonly<Record<string, BodyMember<unknown>>>
type MemberValues<M extends Members> = { [K in keyof M]: ReturnType<M[K]['read']> }

/** An object with these members and no others: its schema and its parser. */
export function objectBody<M extends Members>(members: M) {
  const entries = Object.entries(members)
  const names = Object.keys(members)
  const required = names.filter(name => members[name]?.isRequired)
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    /** Throws one `validation` with everything that is wrong with the members. */
    read(body: unknown): MemberValues<M> {
      if (!isObject(body)) {
        const message = `The body must be a JSON object with ${names.join(', ')}.`
        throw invalid([{ path: [], code: 'type', message }])
      }
      const readers = entries.map(([name, { read }]) => [name, () => read(body[name], name)] as const)
      const { values } = collectErrors({
        unknown: () => {
          const unknown = listUnknownMembers(body, names)
          if (unknown.length > 0) throw invalid(unknown)
        },
        values: () => collectErrors(Object.fromEntries(readers)),
      })
      return values as MemberValues<M>
    },
  }
}

/** The error of one member; `message` continues after its name. */
export const invalidMember = (name: string, code: DetailCode, message: string) =>
  invalid([{ path: [name], code, message: `${name} ${message}` }])

/**
 * Members that the operation checks by the same `definition`, because it needs what is stored: the level of a
 * parent, the languages of a product.
 */
export const membersReadLater = <Name extends string>(
  definition: Readonly<Record<Name, { schema: object; isRequired?: true }>>,
): Record<Name, BodyMember<unknown>> => {
  const later = Object.entries<{ schema: object; isRequired?: true }>(definition).map(([name, member]) => {
    const { schema, isRequired } = member
    return [name, { schema, ...(isRequired && { isRequired }), read: (value: unknown) => value }]
  })
  return Object.fromEntries(later)
}

/** The id of a known category. */
export const categoryMember = (schema: object): BodyMember<string> => ({
  schema,
  isRequired: true,
  read: value => requireCategory(value).id,
})

/** The id of a category; undefined when not sent. */
export const optionalCategoryMember = (schema: object): BodyMember<string | undefined> => ({
  schema,
  read: value => (value === undefined ? undefined : requireCategory(value).id),
})

/** `data` of a product, as an object; the operation checks its fields. */
export const dataMember = (schema: object): BodyMember<PassportData> => ({
  schema,
  isRequired: true,
  read: requireData,
})

/** One of the allowed values; undefined when not sent. */
export const choiceMember = <const T extends string>(
  description: string,
  allowed: readonly T[],
): BodyMember<T | undefined> => ({
  schema: { type: 'string', enum: allowed, description },
  read(value, name) {
    if (value === undefined) return undefined
    const found = allowed.find(choice => choice === value)
    if (found !== undefined) return found
    throw invalidMember(name, 'enum', `must be one of ${allowed.join(', ')}.`)
  },
})

export function memberWithDefault<T>(member: BodyMember<T | undefined>, fallback: NoInfer<T>): BodyMember<T> {
  return { schema: member.schema, read: (value, name) => member.read(value, name) ?? fallback }
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/

/** A text; undefined when null or not sent. */
export const textMember = (description: string, maxLength: number): BodyMember<string | undefined> => ({
  schema: { type: ['string', 'null'], minLength: 1, maxLength, description },
  read(value, name) {
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'string') throw invalidMember(name, 'type', 'must be a string.')
    const text = value.replaceAll('\r\n', '\n')
    if (text.trim() === '' || isLongerThan(text, maxLength)) {
      throw invalidMember(name, 'length', `must have 1 to ${maxLength} characters.`)
    }
    if (!text.isWellFormed() || CONTROL.test(text)) {
      throw invalidMember(name, 'format', 'has a character that cannot be stored; send plain text.')
    }
    return text
  },
})

export const MAX_ITEMS = 500

/** 1 to 500 rows, which messages call `plural`. The operation checks each row. */
export const rowsMember = (plural: string, rowSchema: object): BodyMember<readonly unknown[]> => ({
  schema: { type: 'array', minItems: 1, maxItems: MAX_ITEMS, items: rowSchema },
  isRequired: true,
  read(items, name) {
    if (items === undefined) throw invalidMember(name, 'required', `is missing: send an array of ${plural}.`)
    if (!Array.isArray(items)) throw invalidMember(name, 'type', `must be an array of ${plural}.`)
    if (items.length >= 1 && items.length <= MAX_ITEMS) return items
    const message = `must have 1 to ${MAX_ITEMS} ${plural}; this one has ${items.length}.`
    throw invalidMember(name, 'length', message)
  },
})

/** Returns the `validation` that `check` throws. Other errors are thrown. */
export function findValidationError(check: () => unknown): AppError | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation') return error
    throw error
  }
}
