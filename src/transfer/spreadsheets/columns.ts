/**
 * A passport is a tree and a sheet is flat: which column stands for which place. A column is called by the path of its
 * field; entries of a list are counted from 1, as rows of a sheet are, and a text has a column for each language:
 * `economicOperator.country`, `fiberComposition[2].percentage`, `careInstructions.de`.
 */
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { type Field, findScalarEntry } from '../../categories/field.ts'
import { canonicalizeLanguage } from '../../categories/language.ts'
import { getMaxEntries } from '../../categories/schema/json-schema.ts'
import { listUnits } from './measurement-units.ts'

/** Member names, indexes from 0 and language codes, from the data inward. */
export type DataPath = readonly (string | number)[]

export type Column = {
  name: string
  path: DataPath
  /** What stands there; of a list with `isWhole` the list. */
  field: Field
  /** Names alone, as the labels have them: `fiberComposition.percentage`. */
  labelPath: string
  language?: string
  /** A localized text whose language is the row's primary one. */
  isPrimary?: true
  /** A list in one cell: `en, de`, or `cotton 60 %; polyester 40 %`. */
  isWhole?: true
  /** In what its numbers are, where that is not the field's own unit: `kg`, or `@` and the title of the column that says it. */
  unit?: string
}

/** Stands in a mapping for a unit that a person has yet to choose. */
export const UNIT_TO_CHOOSE = '?'

/** How a mapping names a column: by its path, and behind `|` by its unit. */
export const buildMappingName = ({ name, unit }: Pick<Column, 'name' | 'unit'>): string =>
  unit === undefined ? name : `${name}|${unit}`

/** A list that can be written in one cell: of single values, or of a name with its number. */
export function findCompactMembers(field: Field): readonly [name: Field, number: Field] | undefined {
  const [first, second, ...more] = field.of ?? []
  if (first?.type !== 'name' || second?.type !== 'number' || more.length > 0) return undefined
  return [first, second]
}

const PART = /^([A-Za-z_]\w*)(?:\[([1-9]\d{0,3})\])?$/

const columnCaches = new WeakMap<CompleteCategory, Map<string, Column>>()
/** Names come from outside. */
const MAX_CACHED_COLUMNS = 10_000

const MAX_NAME_LENGTH = 400

/** The column of this name, with or without a unit; undefined when the category has none. */
export function findColumn(category: CompleteCategory, name: string): Column | undefined {
  const known = columnCaches.get(category) ?? new Map<string, Column>()
  columnCaches.set(category, known)
  const kept = known.get(name)
  if (kept !== undefined) return kept
  const column = name.length > MAX_NAME_LENGTH ? undefined : parseName(category, name)
  if (column === undefined) return undefined
  if (known.size >= MAX_CACHED_COLUMNS) known.clear()
  const made = { ...column, name: buildColumnName(column.path) }
  known.set(name, made)
  return made
}

function parseName(category: CompleteCategory, name: string): Omit<Column, 'name'> | undefined {
  const [, path = '', unit] = /^([^|]*)(?:\|(.+))?$/s.exec(name) ?? []
  const column = findByPath(category.fields, path.split('.'), [], [])
  if (column === undefined || unit === undefined) return column
  const isOne = unit === UNIT_TO_CHOOSE || unit.startsWith('@') || listUnits(column.field).includes(unit)
  return isOne && listUnits(column.field).length > 0 ? { ...column, unit } : undefined
}

function findByPath(
  fields: readonly Field[],
  [part = '', ...rest]: readonly string[],
  parentPath: DataPath,
  parentNames: readonly string[],
): Omit<Column, 'name'> | undefined {
  const [, member, index] = PART.exec(part) ?? []
  const field = fields.find(one => one.name === member)
  if (field === undefined) return undefined
  const path = [...parentPath, field.name]
  const names = [...parentNames, field.name]
  const base = { field, labelPath: names.join('.') }
  if (field.type === 'list') return findInList(field, index, rest, path, names)
  if (index !== undefined) return undefined
  if (field.localized) return findInText(base, rest, path)
  if (field.type === 'object')
    return rest.length === 0 ? undefined : findByPath(field.fields ?? [], rest, path, names)
  return rest.length === 0 ? { ...base, path } : undefined
}

function findInText(base: { field: Field; labelPath: string }, rest: readonly string[], at: DataPath) {
  const [tag, ...more] = rest
  if (tag === undefined) return { ...base, path: at, isPrimary: true as const }
  const language = canonicalizeLanguage(tag)
  if (more.length > 0 || language === undefined) return undefined
  return { ...base, path: [...at, language], language }
}

function findInList(
  field: Field,
  index: string | undefined,
  rest: readonly string[],
  at: DataPath,
  names: readonly string[],
) {
  if (index === undefined) {
    const isOne = findScalarEntry(field) !== undefined || findCompactMembers(field) !== undefined
    if (rest.length > 0 || !isOne) return undefined
    return { path: at, field, labelPath: names.join('.'), isWhole: true as const }
  }
  const entry = Number(index) - 1
  if (rest.length === 0 || entry >= (getMaxEntries(field) ?? 0)) return undefined
  return findByPath(field.of ?? [], rest, [...at, entry], names)
}

/** How many entries of each list a sheet has columns for, and in which languages its texts are. */
export type ColumnLayout = {
  entries: ReadonlyMap<string, number>
  languages: ReadonlyMap<string, readonly string[]>
}

/** Every column of a category in the order of its fields; lists by their entries, but for those of single values. */
export function listColumns(category: CompleteCategory, extent: ColumnLayout): Column[] {
  const names: string[] = []
  const visitAll = (fields: readonly Field[], prefix: string, parent: string) => {
    for (const field of fields) visit(field, prefix, parent)
  }
  const visit = (field: Field, prefix: string, parent: string) => {
    const name = `${prefix}${field.name}`
    const path = `${parent}${field.name}`
    if (field.localized) {
      for (const language of extent.languages.get(path) ?? []) names.push(`${name}.${language}`)
    } else if (field.type === 'object') visitAll(field.fields ?? [], `${name}.`, `${path}.`)
    else if (field.type !== 'list' || findScalarEntry(field) !== undefined) names.push(name)
    else {
      const entries = extent.entries.get(path) ?? 0
      for (let n = 1; n <= entries; n++) visitAll(field.of ?? [], `${name}[${n}].`, `${path}.`)
    }
  }
  visitAll(category.fields, '', '')
  return names.flatMap(name => findColumn(category, name) ?? [])
}

/** What a template has room for: three shares, one entry of other lists, the languages asked for. */
export function buildTemplateLayout(category: CompleteCategory, languages: readonly string[]): ColumnLayout {
  const entries = new Map<string, number>()
  const texts = new Map<string, readonly string[]>()
  const visit = (fields: readonly Field[], parent: string) => {
    for (const field of fields) {
      const path = `${parent}${field.name}`
      if (field.localized) texts.set(path, languages)
      if (field.type === 'list') entries.set(path, field.sumsTo100 === undefined ? 1 : 3)
      visit(field.fields ?? field.of ?? [], `${path}.`)
    }
  }
  visit(category.fields, '')
  return { entries, languages: texts }
}

/** The place of a fault as a column is called: `fiberComposition[0].fiber` of the data is the first entry here. */
export function buildColumnName(steps: DataPath): string {
  let name = ''
  for (const step of steps) {
    if (typeof step === 'number') name += `[${step + 1}]`
    else name += name === '' ? step : `.${step}`
  }
  return name
}
