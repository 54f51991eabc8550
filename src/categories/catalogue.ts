/** The categories in force, each with the shared fields. */
import type { DataObject } from '../kernel/values/data-object.ts'
import { perObject } from '../kernel/values/memo.ts'
import { BUNDLED } from './bundled.ts'
import { SHARED_HEAD, SHARED_TAIL, toCategory } from './category-file.ts'
import {
  AUDIENCES,
  type Category,
  CLOSING_SECTIONS,
  END_OF_LIFE,
  type Field,
  type SectionHeading,
} from './field.ts'

/** A category with all the fields of its passports, in the order in which they are shown. */
export type CompleteCategory = Readonly<Category> & { readonly sections: readonly SectionHeading[] }

/** Adds the shared fields. Throws if two fields have the same name, or a field's section is unknown. */
export function completeCategory(category: Category): CompleteCategory {
  const fields = [...SHARED_HEAD, ...category.fields, ...SHARED_TAIL]
  const names = fields.map(field => field.name)
  const duplicate = names.find((name, i) => names.indexOf(name) !== i)
  if (duplicate !== undefined) throw new Error(`category ${category.id} has two fields named ${duplicate}`)
  const own = category.sections ?? []
  const hasEnd = own.some(({ anchor }) => anchor === END_OF_LIFE.anchor)
  const sections = hasEnd ? own : [...own, END_OF_LIFE]
  const anchors = ['head', ...[...sections, ...CLOSING_SECTIONS].map(({ anchor }) => anchor)]
  const misplaced = fields.find(({ section }) => section !== undefined && !anchors.includes(section))
  if (misplaced !== undefined) throw new Error(`category ${category.id} has no section ${misplaced.section}`)
  return { ...category, fields, sections }
}

const CATEGORIES: readonly CompleteCategory[] = BUNDLED.map(file => completeCategory(toCategory(file)))

export const allCategories = (): readonly CompleteCategory[] => CATEGORIES

/** As of `schemaVersion`; default: the newest. */
export function findCategory(id: string, schemaVersion?: number): CompleteCategory | undefined {
  const category = CATEGORIES.find(one => one.id === id)
  if (category === undefined || schemaVersion === undefined || schemaVersion >= category.schemaVersion)
    return category
  return getEarlier(category).get(schemaVersion)
}

/** By schema version. Members of a field are not left out: no older data has them, as they were refused. */
const getEarlier = perObject((category: CompleteCategory) => {
  const versions = Array.from({ length: category.schemaVersion - 1 }, (_, i) => i + 1)
  return new Map(
    versions.map(schemaVersion => [
      schemaVersion,
      {
        ...category,
        schemaVersion,
        fields: category.fields.filter(({ since = 1 }) => since <= schemaVersion),
      },
    ]),
  )
})

/** The category with the audiences that the law names. */
export const applyLaw = perObject(
  (category: CompleteCategory): CompleteCategory => ({
    ...category,
    fields: category.fields.map(applyLawToField),
  }),
)

function applyLawToField(field: Field): Field {
  const { lawAudience: audience, fields, of } = field
  return {
    ...field,
    ...(audience !== undefined && { audience }),
    ...(fields !== undefined && { fields: fields.map(applyLawToField) }),
    ...(of !== undefined && { of: of.map(applyLawToField) }),
  }
}

/** A field whose audience the law changes. `path`: names separated by dots. */
export type SwitchedField = Required<Pick<Field, 'audience' | 'lawAudience'>> & { path: string }

/** In one category, also members of objects and of entries. */
export const listSwitchedFields = ({ fields }: Pick<CompleteCategory, 'fields'>): SwitchedField[] =>
  fields.flatMap(({ name, audience = AUDIENCES, lawAudience, fields: members, of }) => [
    ...(lawAudience === undefined ? [] : [{ path: name, audience, lawAudience }]),
    ...listSwitchedFields({ fields: members ?? of ?? [] }).map(one => ({
      ...one,
      path: `${name}.${one.path}`,
    })),
  ])

/** Top-level keys, and the schema version by which they were understood when they were stored. */
export type StoredKeys = { keys: readonly string[]; schemaVersion: number }

/**
 * The category by which data from several sources is understood: the newest schema version in which no
 * free-form key of theirs is a field, because nobody but the account was to see it.
 */
export function findCommonCategory(
  newest: CompleteCategory,
  sources: readonly StoredKeys[],
): CompleteCategory {
  let common = newest.schemaVersion
  for (const { keys, schemaVersion } of sources) {
    if (schemaVersion >= newest.schemaVersion) continue
    for (const key of keys) {
      const since = getSince(newest).get(key) ?? 1
      if (since > schemaVersion) common = Math.min(common, since - 1)
    }
  }
  return findCategory(newest.id, common) ?? newest
}

/** The data without keys that are fields only in a schema version newer than the category’s. */
export function dropNewerKeys(category: CompleteCategory, data: DataObject): DataObject {
  const newest = findCategory(category.id)
  if (newest === undefined || newest === category) return data
  const isNewer = (key: string) => (getSince(newest).get(key) ?? 1) > category.schemaVersion
  return Object.fromEntries(Object.entries(data).filter(([key]) => !isNewer(key)))
}

/** For the fields that came after the first schema version. */
const getSince = perObject(
  ({ fields }: CompleteCategory) =>
    new Map(fields.flatMap(({ name, since }) => (since === undefined ? [] : [[name, since]]))),
)
