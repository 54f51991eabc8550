/**
 * Maps columns to places in a passport's data. Their names are paths, with list entries counted from 1 and
 * languages of texts: `economicOperator.country`, `fiberComposition[2].percentage`, `careInstructions.de`.
 */
import type { CompleteCategory } from '../../../categories/catalogue.ts'
import { type Field, findScalarEntry } from '../../../categories/field.ts'
import { canonicalizeLanguage } from '../../../categories/language.ts'
import { getMaxEntries } from '../../../categories/schema/json-schema.ts'
import { BoundedMap } from '../../../kernel/values/bounded-map.ts'
import type { DecimalMark } from '../files/cell.ts'
import { listUnits } from './measurement-units.ts'

/** Member names, indexes from 0, and language codes, starting at the data. */
export type DataPath = readonly (string | number)[]

export type Column = {
  name: string
  path: DataPath
  /** The field of the column; the list itself if `isWhole`. */
  field: Field
  /** Names only, as in the labels: `fiberComposition.percentage`. */
  labelPath: string
  language?: string
  /** A localized text in the row's primary language. */
  isPrimary?: true
  /** A whole list in one cell: `en, de`, or `cotton 60 %; polyester 40 %`. */
  isWhole?: true
  /** The unit, if it differs from the field's: `kg`, or `@` and the title of the column that has the unit. */
  unit?: string
  /** The decimal mark that the column's own numbers show. */
  mark?: DecimalMark
}

/** In place of the primary language of a row, which may not be known yet. No language tag looks like this. */
export const PRIMARY_LANGUAGE = '*'

/** The column with all pictures of a product in one cell. */
export const isPicturesColumn = (column: Column | undefined): boolean =>
  column?.isWhole === true && column.field.shape === 'pictures'

/** The unit in a mapping until a person chooses one. */
export const UNIT_TO_CHOOSE = '?'

/** A column in a mapping: its name, and its unit after `|`. */
export const buildMappingName = ({ name, unit }: Pick<Column, 'name' | 'unit'>): string =>
  unit === undefined ? name : `${name}|${unit}`

/** The single value of a list that fits into one cell: codes, but not texts, which may have commas. */
export function findCompactEntry(list: Field): Field | undefined {
  const entry = findScalarEntry(list)
  return entry?.values === undefined && entry?.format === undefined ? undefined : entry
}

/** The two members of a list that fits into one cell, as in `cotton 60 %`. */
export function findCompactMembers(field: Field): readonly [name: Field, number: Field] | undefined {
  const [first, second, ...more] = field.of ?? []
  if (first?.type !== 'name' || second?.type !== 'number' || more.length > 0) return undefined
  return [first, second]
}

const PART = /^([A-Za-z_]\w*)(?:\[([1-9]\d{0,3})\])?$/

const columnCaches = new WeakMap<CompleteCategory, Map<string, Column>>()
/** A bound, because names come from requests. */
const MAX_CACHED_COLUMNS = 10_000

const MAX_NAME_LENGTH = 400

/** Finds a column of the category by its name, with or without a unit. */
export function findColumn(category: CompleteCategory, name: string): Column | undefined {
  const known = columnCaches.get(category) ?? new BoundedMap<string, Column>(MAX_CACHED_COLUMNS)
  columnCaches.set(category, known)
  const kept = known.get(name)
  if (kept !== undefined) return kept
  const column = name.length > MAX_NAME_LENGTH ? undefined : parseName(category, name)
  if (column === undefined) return undefined
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
    const isOne =
      field.shape === 'pictures' ||
      findCompactEntry(field) !== undefined ||
      findCompactMembers(field) !== undefined
    if (rest.length > 0 || !isOne) return undefined
    return { path: at, field, labelPath: names.join('.'), isWhole: true as const }
  }
  const entry = Number(index) - 1
  if (entry >= (getMaxEntries(field) ?? 0)) return undefined
  if (rest.length === 0) {
    const scalar = findScalarEntry(field)
    return scalar && { path: [...at, entry], field: scalar, labelPath: names.join('.') }
  }
  return findByPath(field.of ?? [], rest, [...at, entry], names)
}

/** Which columns exist: the number of entries of each list, and the languages of each text. */
export type ColumnLayout = {
  entries: ReadonlyMap<string, number>
  languages: ReadonlyMap<string, readonly string[]>
}

/**
 * In the order of the fields. A list of codes has one column, other lists one for each entry or member.
 * Pictures have one column, and those of the texts that the layout has.
 */
export function listColumns(category: CompleteCategory, layout: ColumnLayout): Column[] {
  const names: string[] = []
  const visitAll = (fields: readonly Field[], prefix: string, parent: string) => {
    for (const field of fields) visit(field, prefix, parent)
  }
  const visit = (field: Field, prefix: string, parent: string) => {
    const name = `${prefix}${field.name}`
    const path = `${parent}${field.name}`
    if (field.localized) {
      for (const language of layout.languages.get(path) ?? []) names.push(`${name}.${language}`)
    } else if (field.type === 'object') visitAll(field.fields ?? [], `${name}.`, `${path}.`)
    else if (field.type !== 'list' || findCompactEntry(field) !== undefined) names.push(name)
    else if (field.shape === 'pictures') visitPictures(field, name, path)
    else visitEntries(field, name, path)
  }
  const visitPictures = (field: Field, name: string, path: string) => {
    if (layout.entries.has(path)) names.push(name)
    visitEntries({ ...field, of: field.of?.filter(one => one.localized) ?? [] }, name, path)
  }
  const visitEntries = (list: Field, name: string, path: string) => {
    const isScalar = findScalarEntry(list) !== undefined
    const entries = layout.entries.get(path) ?? 0
    for (let n = 1; n <= entries; n++) {
      if (isScalar) names.push(`${name}[${n}]`)
      else visitAll(list.of ?? [], `${name}[${n}].`, `${path}.`)
    }
  }
  visitAll(category.fields, '', '')
  return names.flatMap(name => findColumn(category, name) ?? [])
}

/**
 * The layout of a template: three shares, one entry of other lists, and the given languages. Pictures have no
 * columns of texts.
 */
export function buildTemplateLayout(category: CompleteCategory, languages: readonly string[]): ColumnLayout {
  const entries = new Map<string, number>()
  const texts = new Map<string, readonly string[]>()
  const visit = (fields: readonly Field[], parent: string) => {
    for (const field of fields) {
      const path = `${parent}${field.name}`
      if (field.localized) texts.set(path, languages)
      if (field.type === 'list') entries.set(path, field.sumsTo100 === undefined ? 1 : 3)
      if (field.shape !== 'pictures') visit(field.fields ?? field.of ?? [], `${path}.`)
    }
  }
  visit(category.fields, '')
  return { entries, languages: texts }
}

/** The name of the column for a path. List entries count from 1 here, from 0 in the data. */
export function buildColumnName(path: DataPath): string {
  let name = ''
  for (const step of path) {
    if (typeof step === 'number') name += `[${step + 1}]`
    else name += name === '' ? step : `.${step}`
  }
  return name
}
