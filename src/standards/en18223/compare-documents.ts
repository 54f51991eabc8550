/** Compares two documents of one passport in the compressed form: what a change of the document changes. */
import { isDeepStrictEqual } from 'node:util'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { type Detail, invalidField } from '../../kernel/errors/errors.ts'
import { type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { mergePatch } from '../../kernel/values/merge-patch.ts'
import { ELEMENT_MEMBER, HEADER_MEMBER, OTHER_SPELLINGS, PASSPORT_RECORD } from './names.ts'
import { fromEn } from './read-document.ts'

/** The top-level fields whose data differs, with their new values; null: removed. */
export function findChangedData(
  before: DataObject,
  after: DataObject,
  category: Pick<CompleteCategory, 'fields'>,
): Record<string, unknown> {
  const [old, now] = [fromEn(before, category), fromEn(after, category)]
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  return Object.fromEntries(
    names.flatMap(name => {
      const value = getOwn(now, name)
      return isDeepStrictEqual(getOwn(old, name), value) ? [] : [[name, value ?? null]]
    }),
  )
}

/** Members that say how things are, not what somebody wants; both spellings, the status aside. */
const READ_ONLY: readonly string[] = [
  ...Object.values(HEADER_MEMBER).filter(name => name !== HEADER_MEMBER.status),
  ...OTHER_SPELLINGS,
  PASSPORT_RECORD,
]

/** The members of a merge patch that would change what is read-only, one violation each. */
export function findReadOnlyChanges(document: DataObject, patch: DataObject): Detail[] {
  const details: Detail[] = READ_ONLY.filter(
    name => Object.hasOwn(patch, name) && !isSame(name, document, patch),
  ).map(name => ({
    path: [name],
    code: 'immutable',
    message: `${name} cannot be changed: leave it out, or send its present value.`,
  }))
  if (!Object.hasOwn(patch, ELEMENT_MEMBER.elements)) return details
  const message = `${ELEMENT_MEMBER.elements} belongs to the full form: send the compressed form.`
  return [...details, { path: [ELEMENT_MEMBER.elements], code: 'unknown_field', message }]
}

function isSame(name: string, document: DataObject, patch: DataObject): boolean {
  const present = getOwn(document, OTHER_SPELLINGS.includes(name) ? HEADER_MEMBER.lastUpdated : name)
  const sent = getOwn(patch, name)
  if (name === PASSPORT_RECORD) return isDeepStrictEqual(mergePatch(present, sent), present)
  if (name === HEADER_MEMBER.granularity) return equalsInAnyCase(sent, present)
  return isDeepStrictEqual(sent, present)
}

const equalsInAnyCase = (a: unknown, b: unknown) =>
  typeof a === 'string' && typeof b === 'string' && a.toLowerCase() === b.toLowerCase()

/**
 * The document with the members of its sections at the top: some systems put them into an object under a
 * content specification. Sections of others than `nsUrl` stay. Throws `validation` for a member that
 * stands in two places.
 */
export function unwrapSections(document: DataObject, nsUrl: string): DataObject {
  const members = new Map<string, unknown>()
  for (const [name, value] of Object.entries(document)) {
    const isSection = isObject(value) && findSpecifiedCategory(name, nsUrl) !== undefined
    for (const [member, inner] of isSection ? Object.entries(value) : [[name, value] as const]) {
      if (members.has(member))
        throw invalidField([name, member], 'duplicate', `${member} stands in two places. Send it once.`)
      members.set(member, inner)
    }
  }
  return Object.fromEntries(members)
}

/** The category that one of this server's content specifications names; undefined for any other text. */
export const findSpecifiedCategory = (text: string, nsUrl: string): string | undefined =>
  text.startsWith(`${nsUrl}/`) ? /^([a-z]+)\/v[1-9]\d*$/.exec(text.slice(nsUrl.length + 1))?.[1] : undefined
