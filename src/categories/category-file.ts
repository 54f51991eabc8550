/**
 * A category as a file of the format `carnet-category/1`, see `assets/schemas/category-v1.json`, and how it
 * becomes a list of fields.
 */
import { readFileSync } from 'node:fs'
import type { DataObject } from '../kernel/values/data-object.ts'
import type { Category, Field, SectionHeading } from './field.ts'

/** By language code; `en` is always there. */
type Texts = { en: string } & Readonly<Record<string, string>>

/** Attributes that a file may give a part. Its type, members, unit, format and audience stay. */
type PartOptions = Partial<
  Pick<
    Field,
    'description' | 'required' | 'since' | 'requiredSince' | 'section' | 'sectionOrder' | 'fact' | 'source'
  >
>
/** A field that is the same in several categories: its name in `categories/parts.json`. */
export type UsedPart = { use: string } & PartOptions
export type FieldInFile = Field | UsedPart

export type CategoryFile = {
  format: 'carnet-category/1'
  id: string
  /** `draft`: not the data model of an act. */
  status: 'stable' | 'draft'
  version: number
  label: Texts
  description: string
  note?: string
  versions: readonly { version: number; date: string; note: string }[]
  sources: readonly { key: string; title: string; url: string; read?: string }[]
  sections?: readonly SectionHeading[]
  fields: readonly FieldInFile[]
  examples: readonly { title: Texts; level: 'model' | 'batch' | 'item'; data: DataObject }[]
}

/** Reads a file of the folder `categories/`, whose files `test/categories/category-file.test.ts` checks. */
export function readBundledFile<T>(name: string): T {
  const file: T = JSON.parse(readFileSync(new URL(`../../categories/${name}.json`, import.meta.url), 'utf8'))
  return file
}

const { head, tail, parts } = readBundledFile<Record<'head' | 'tail' | 'parts', readonly Field[]>>('parts')

/** The fields that every category has, before and after its own. */
export const SHARED_HEAD = head
export const SHARED_TAIL = tail
export const SHARED_FIELDS: readonly Field[] = [...head, ...tail]

const PART_BY_NAME: ReadonlyMap<string, Field> = new Map(parts.map(part => [part.name, part]))

export const listPartNames = (): string[] => [...PART_BY_NAME.keys()]

export const isUsedPart = (field: FieldInFile): field is UsedPart => 'use' in field

/** In a file, values may have labels: `{"boot": {"en": "Boot"}}`. */
function toField(field: Field): Field {
  const { values, fields, of } = field
  return {
    ...field,
    ...(values !== undefined && !Array.isArray(values) && { values: Object.keys(values) }),
    ...(fields !== undefined && { fields: fields.map(toField) }),
    ...(of !== undefined && { of: of.map(toField) }),
  }
}

/** Undefined for a part that does not exist. A part without options is one object in all categories. */
export function findField(field: FieldInFile): Field | undefined {
  if (!isUsedPart(field)) return toField(field)
  const { use, ...options } = field
  const part = PART_BY_NAME.get(use)
  return part === undefined || Object.keys(options).length === 0 ? part : { ...part, ...options }
}

/** Throws for an unknown part. */
export const toCategory = ({ id, label, version, sections = [], fields }: CategoryFile): Category => ({
  id,
  title: label.en,
  schemaVersion: version,
  sections,
  fields: fields.map(field => {
    const found = findField(field)
    if (found === undefined) throw new Error(`category ${id} uses an unknown part: ${JSON.stringify(field)}`)
    return found
  }),
})
