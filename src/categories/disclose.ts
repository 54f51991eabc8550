/** Selects what a reader may see of the data. Everything that shows data to others uses this. */

import type { Path } from '../kernel/errors/errors.ts'
import { type DataObject, getOwn, isObject } from '../kernel/values/data-object.ts'
import { perObject } from '../kernel/values/memo.ts'
import type { CompleteCategory } from './catalogue.ts'
import { AUDIENCES, type Audience, ENTRY_AUDIENCES, type Field, findScalarEntry } from './field.ts'

/** `withheld`: another audience would see more. Free-form keys do not count. */
type Disclosed = { data: Record<string, unknown>; withheld: boolean }

/**
 * Returns the known fields that this audience may see, in the category's order. Leaves out values whose shape
 * differs from the field table, so that nothing undeclared is shown inside them, and objects and lists that
 * become empty.
 */
export function disclose(category: CompleteCategory, data: DataObject, audience: Audience): Disclosed {
  const state = { audience, withheld: false }
  return { data: discloseMembers(category.fields, data, state), withheld: state.withheld }
}

/** All known fields, for the account that owns the passport. Free-form keys are left out. */
export const discloseAll = (category: CompleteCategory, data: DataObject): Record<string, unknown> =>
  discloseMembers(category.fields, data, { audience: 'owner', withheld: false })

type Disclosure = { readonly audience: Audience | 'owner'; withheld: boolean }

const maySee = (audience: Disclosure['audience'], field: Field): boolean =>
  audience === 'owner' || field.audience === undefined || field.audience.includes(audience)

function discloseMembers(
  fields: readonly Field[],
  object: DataObject,
  state: Disclosure,
): Record<string, unknown> {
  const visible: Record<string, unknown> = {}
  for (const field of fields) {
    const value = getOwn(object, field.name)
    if (value === undefined || value === null) continue
    if (!maySee(state.audience, field)) {
      state.withheld = true
      continue
    }
    const shown = discloseValue(field, value, state)
    if (shown !== undefined) visible[field.name] = shown
  }
  return visible
}

/** Undefined if nothing may be seen. */
function discloseValue(field: Field, value: unknown, state: Disclosure): unknown {
  if (field.localized) return isObject(value) ? discloseTexts(value) : undefined
  switch (field.type) {
    case 'name':
    case 'text':
      return typeof value === 'string' ? value : undefined
    case 'number':
    case 'boolean':
      return typeof value === field.type ? value : undefined
    case 'object':
      return isObject(value)
        ? unlessEmptied(value, discloseMembers(field.fields ?? [], value, state))
        : undefined
    case 'list':
      return Array.isArray(value) ? discloseEntries(field, value, state) : undefined
  }
}

const discloseTexts = (texts: DataObject) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === 'string'))

const unlessEmptied = (before: DataObject, after: Record<string, unknown>) =>
  Object.keys(after).length === 0 && Object.keys(before).length > 0 ? undefined : after

function discloseEntries(list: Field, entries: readonly unknown[], state: Disclosure): unknown[] | undefined {
  const scalar = findScalarEntry(list)
  const entry: Field = scalar ?? { name: '', type: 'object', description: '', fields: list.of ?? [] }
  const visible = entries
    .filter(one => maySeeEntry(list, one, state))
    .map(one => discloseValue(entry, one, state))
    .filter(one => one !== undefined)
  return visible.length === 0 && entries.length > 0 ? undefined : visible
}

const AUDIENCES_OF_ENTRY: ReadonlyMap<unknown, readonly Audience[]> = new Map(Object.entries(ENTRY_AUDIENCES))

/** An entry with an unknown value is shown to nobody but the account. */
function maySeeEntry({ audienceMember }: Field, entry: unknown, state: Disclosure): boolean {
  if (audienceMember === undefined || state.audience === 'owner' || !isObject(entry)) return true
  const mayBeSeen = getEntryAudience(entry, audienceMember).includes(state.audience)
  if (!mayBeSeen) state.withheld = true
  return mayBeSeen
}

const getEntryAudience = (entry: DataObject, audienceMember: string): readonly Audience[] =>
  AUDIENCES_OF_ENTRY.get(getOwn(entry, audienceMember) ?? 'public') ?? []

/** Those of `outer`, the readers of the list, who may see this entry. */
export const narrowToEntry = (
  { audienceMember }: Field,
  entry: unknown,
  outer: readonly Audience[],
): readonly Audience[] =>
  audienceMember === undefined || !isObject(entry)
    ? outer
    : outer.filter(one => getEntryAudience(entry, audienceMember).includes(one))

/** A file that data refers to. `path` begins at the data. */
export type FileReference = {
  path: Path
  id: string
  kind: 'picture' | 'document'
  /** The widest one that may see the entry; `owner`: only the account. */
  audience: Audience | 'owner'
}

/** In the order of the fields. Values of another shape are left out. */
export function listFiles(category: CompleteCategory, data: DataObject): FileReference[] {
  const files: FileReference[] = []
  for (const { list, member, kind } of getFileLists(category)) {
    const entries = getOwn(data, list.name)
    if (!Array.isArray(entries)) continue
    for (const [i, entry] of entries.entries()) {
      const id = isObject(entry) ? getOwn(entry, member.name) : undefined
      if (typeof id !== 'string') continue
      const maySeeFile = (audience: Audience) =>
        [list, member].every(field => maySee(audience, field)) &&
        maySeeEntry(list, entry, { audience, withheld: false })
      const audience = AUDIENCES.find(maySeeFile) ?? 'owner'
      files.push({ path: [list.name, i, member.name], id, kind, audience })
    }
  }
  return files
}

/** The lists whose entries have a file. */
const getFileLists = perObject(({ fields }: CompleteCategory) =>
  fields.flatMap(list => {
    const member = list.of?.find(({ format }) => format === 'picture_id' || format === 'document_id')
    if (member === undefined) return []
    return [{ list, member, kind: member.format === 'picture_id' ? 'picture' : 'document' } as const]
  }),
)
