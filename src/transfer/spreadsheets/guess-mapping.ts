/**
 * Guesses which field a column of somebody's sheet is. A wrong guess becomes public data, so only what is certain
 * counts: the path of a field, its label in any of the 24 languages, or a title that exports of shops are known to have.
 */
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { canonicalizeLanguage } from '../../categories/language.ts'
import { getFieldNames, includesParentName, normalizeName } from '../../categories/names/name-lookup.ts'
import { type ColumnTraits, NO_TRAITS } from './column-traits.ts'
import { buildMappingName, type Column, findColumn, UNIT_TO_CHOOSE } from './columns.ts'
import {
  COMMON_HEADERS,
  type HeaderTable,
  KNOWN_SOURCES,
  type KnownSource,
  MEANINGS,
  type TitleMeaning,
} from './known-headers.ts'
import { type ColumnMapping, EXTRA_COLUMNS, isOwnExport, normalizeTitle } from './mapping.ts'
import { FRACTION, findUnit, isUnitRequired, listUnits } from './measurement-units.ts'

/** Guesses every column; a field is given to the first column that seems to be it. */
export function guessMapping(
  category: CompleteCategory,
  header: readonly string[],
  remembered: ReadonlyMap<string, string | null> = new Map(),
  traits: ColumnTraits = NO_TRAITS,
): ColumnMapping {
  const source = findSource(header)
  const taken = new Set<string>()
  const take = (column: Column | undefined) => {
    if (column === undefined || taken.has(column.name)) return undefined
    taken.add(column.name)
    return column
  }
  const isOurs = (title: string) => EXTRA_COLUMNS.some(one => one === title.trim())
  const known = (title: string) => remembered.get(normalizeTitle(title))
  const findKnown = (title: string) => findColumn(category, known(title) ?? '')
  const findExact = (title: string) => findColumn(category, title.trim())
  // The surest goes first, so that a synonym cannot take the field of a column that bears its name.
  const passes: ((title: string) => Column | undefined)[] = [
    isOwnExport(header)
      ? title => findExact(title) ?? findKnown(title)
      : title => findKnown(title) ?? findExact(title),
    title => findByLabel(category, title),
    title =>
      known(title) === null
        ? undefined
        : (findByParts(category, title) ?? findByKnownHeader(category, title, source)),
  ]
  let columns: readonly (Column | undefined)[] = header.map(() => undefined)
  for (const find of passes) {
    columns = header.map((title, place) => columns[place] ?? (isOurs(title) ? undefined : take(find(title))))
  }
  return resolveUnits(columns, header, traits).map(column => (column ? buildMappingName(column) : null))
}

/** The columns with their units: chosen before, said by the title or another column, or open for a person to choose. */
export function resolveUnits(
  columns: readonly (Column | undefined)[],
  header: readonly string[],
  traits: ColumnTraits,
): (Column | undefined)[] {
  // Shares of one list are written alike: 0.5 beside 99.5 is half a percent.
  const percents = new Set(traits.others.map(place => columns[place]?.labelPath))
  const isOurs = isOwnExport(header)
  return columns.map((column, place) => {
    if (column === undefined || listUnits(column.field).length === 0) return column
    if (column.unit !== undefined && column.unit !== UNIT_TO_CHOOSE && !column.unit.startsWith('@'))
      return column
    if (isOurs && header[place]?.trim() === column.name) return withoutUnit(column)
    if (column.field.unit !== '%') return withUnit(column, header, place, traits)
    const isOpen = traits.fractions.includes(place) && !percents.has(column.labelPath)
    return isOpen ? { ...column, unit: UNIT_TO_CHOOSE } : withoutUnit(column)
  })
}

function withoutUnit({ unit: _, ...column }: Column): Column {
  return column
}

function withUnit(sent: Column, header: readonly string[], place: number, traits: ColumnTraits): Column {
  const column = withoutUnit(sent)
  const { field } = column
  const title = header[place] ?? ''
  if (title.trim() === column.name || namesItsUnit(title, column)) return column
  const stated = splitUnit(title)?.unit
  if (stated !== undefined && listUnits(field).includes(stated)) return { ...column, unit: stated }
  const beside = header.find(one => unitTitles(title).includes(normalizeName(one)))
  if (beside !== undefined) return { ...column, unit: `@${beside}` }
  const isOpen = isUnitRequired(field) && !traits.withUnits.includes(place)
  return isOpen ? { ...column, unit: UNIT_TO_CHOOSE } : column
}

/** "weight_kg" for `weightKg`: spelled otherwise, but the name says the unit. */
const namesItsUnit = (title: string, { name, field }: Column) =>
  normalizeName(title) === normalizeName(name) && splitUnit(field.name) !== undefined

/** "weight-unit" and "Net Weight UOM" say in what "weight" and "Net Weight" are. */
const unitTitles = (title: string) =>
  ['unit', 'uom', 'unit code', 'unit of measure', 'einheit'].map(word => normalizeName(`${title} ${word}`))

/** A label in full: that of a field at the top, or of a member together with its parent's, or alone where it is clear. */
function findByLabel(category: CompleteCategory, title: string): Column | undefined {
  return pick(category, labelledPaths(category, normalizeName(title)))
}

/** A label with its unit, its language or the number of an entry: "Gewicht (kg)", "Pflegehinweise DE", "Faser 2". */
function findByParts(category: CompleteCategory, title: string): Column | undefined {
  for (const { text, entry, language, unit } of readTitle(title)) {
    const paths = labelledPaths(category, normalizeName(text), entry)
    const found = pick(category, paths, { entry, language, unit })
    if (found !== undefined) return found
  }
  return undefined
}

/** A title says that shares are percentages also where its cells are fractions. */
const inUnit = (column: Column, unit: string): Column => (unit === '%' ? column : { ...column, unit })

type Ending = { entry?: number | undefined; language?: string | undefined; unit?: string | undefined }
type TitleReading = Ending & { text: string }

/** The one column that the paths lead to; a field at the top goes before a member of the same name. */
function pick(
  category: CompleteCategory,
  paths: readonly string[],
  { entry, language, unit }: Ending = {},
): Column | undefined {
  const found = paths.flatMap(path => {
    const column = findColumn(category, nameOf(path, entry, language))
    if (column === undefined) return []
    if (unit === undefined) return [column]
    return listUnits(column.field).includes(unit) ? [inUnit(column, unit)] : []
  })
  const [first, ...others] = found
  return others.length === 0 || first?.path.length === 1 ? first : undefined
}

function nameOf(path: string, entry: number | undefined, language: string | undefined): string {
  const [list = '', ...rest] = path.split('.')
  const name = entry === undefined ? path : [`${list}[${entry}]`, ...rest].join('.')
  return language === undefined ? name : `${name}.${language}`
}

/**
 * Paths whose label a title is. A member's label alone counts only in a group, and only where it says what it is of: a
 * "Country" or a "Link" can be anything's. Entries of lists need the name of their list, or their number.
 */
function labelledPaths(category: CompleteCategory, key: string, entry?: number): readonly string[] {
  if (key === '') return []
  return (getFieldNames(category).get(key) ?? []).filter(path => {
    const parts = path.split('.')
    if (parts.length === 1) return entry === undefined
    const parent = category.fields.find(({ name }) => name === parts[0])
    const isList = parent?.type === 'list'
    if (entry !== undefined && !isList) return false
    if (includesParentName(path, key)) return !isList || entry !== undefined
    if (isList) return entry !== undefined && parent.sumsTo100 !== undefined
    return isClearAlone(parts.at(-1) ?? '', key)
  })
}

/** Members whose label is that of many other things. */
const UNCLEAR = new Set(['role', 'address', 'country', 'sparePartsUrl'])

/** A name of one plain word ("role", "address") says nothing by itself; one of several ("legalName") does. */
const isClearAlone = (name: string, key: string) =>
  !UNCLEAR.has(name) && (key !== normalizeName(name) || /[A-Z]/.test(name))

function findSource(header: readonly string[]): KnownSource | undefined {
  const keys = new Set(header.map(normalizeName))
  const counts = KNOWN_SOURCES.map(source => ({
    source,
    marks: source.marks.filter(mark => keys.has(normalizeName(mark))).length,
  }))
  const [best] = counts.toSorted((a, b) => b.marks - a.marks)
  return best !== undefined && best.marks >= 2 ? best.source : undefined
}

/** A title that exports are known to have; the tables of the sheet's own source go first. */
function findByKnownHeader(
  category: CompleteCategory,
  title: string,
  source: KnownSource | undefined,
): Column | undefined {
  const own = source === undefined ? [] : [source.onlyHere, source.headers]
  const tables = [...own, COMMON_HEADERS, ...KNOWN_SOURCES.map(({ headers }) => headers)]
  const readings: readonly TitleReading[] = [{ text: title }, ...readTitle(title)]
  for (const { text, entry, language, unit } of readings) {
    const known = entry === undefined ? knownTitle(tables, normalizeName(text)) : undefined
    if (known === undefined) continue
    const [meaning = '', ownUnit] = known.split('|')
    const found = pickMeant(category, meaning as TitleMeaning, { language, unit: ownUnit ?? unit })
    if (found !== undefined) return found
  }
  return undefined
}

/** The first field of a meaning that the category has and that is kept in a unit of this kind. */
function pickMeant(
  category: CompleteCategory,
  meaning: TitleMeaning,
  { language, unit }: Ending,
): Column | undefined {
  for (const path of MEANINGS[meaning]) {
    const column = findColumn(category, path)
    if (column === undefined) continue
    if (unit !== undefined && listUnits(column.field).includes(unit)) return inUnit(column, unit)
    if (unit !== undefined) continue
    return column.isPrimary && language !== undefined ? findColumn(category, `${path}.${language}`) : column
  }
  return undefined
}

const keyed = new WeakMap<HeaderTable, ReadonlyMap<string, string>>()

function knownTitle(tables: readonly HeaderTable[], key: string): string | undefined {
  if (key === '') return undefined
  for (const table of tables) {
    const keys =
      keyed.get(table) ??
      new Map(
        Object.entries(table).flatMap(([known, titles]) =>
          titles.split(';').map(title => [normalizeName(title), known] as const),
        ),
      )
    keyed.set(table, keys)
    const found = keys.get(key)
    if (found !== undefined) return found
  }
  return undefined
}

/** Security bound: the expressions below are quadratic in the length. */
const MAX_TITLE_LENGTH = 200

/** What a title may say besides its name: a unit, a language, the number of an entry. */
function readTitle(title: string): TitleReading[] {
  const text = title.slice(0, MAX_TITLE_LENGTH).trim()
  const all: TitleReading[] = []
  const measured = splitUnit(text)
  if (measured !== undefined) all.push(measured)
  // Akeneo and others put locale and channel behind the name: `description-de_DE-ecommerce`.
  const [, localized = '', locale = ''] = /^(.*\S)-([a-z]{2,3})_[A-Z]{2}(?:-[\w-]+)?$/s.exec(text) ?? []
  if (locale !== '') all.push({ text: localized, language: canonicalizeLanguage(locale) })
  const [, before = '', tag = ''] =
    /^(.*\S)[\s._:([-]+([A-Za-z]{2,3}(?:-[A-Za-z\d]{2,8})?)[)\]]?$/su.exec(text) ?? []
  const language = tag === '' ? undefined : canonicalizeLanguage(tag)
  if (language !== undefined) all.push({ text: before, language })
  const [, name = '', number = ''] = /^(.*?[^\s\d([_-])[\s([_-]*(\d{1,3})[)\]]?$/su.exec(text) ?? []
  if (number !== '' && number !== '0') all.push({ text: name, entry: Number(number) })
  const [, list = '', at = '', member = ''] =
    /^(.*\S)[\s([_]*(\d{1,3})[)\]]?[\s._:-]+(\p{L}\D*)$/su.exec(text) ?? []
  if (at !== '' && at !== '0') all.push({ text: `${list} ${member}`, entry: Number(at) })
  return all
}

const IN_BRACKETS = /^(?<text>.*\S)\s*[([{]\s*(?:in\s+)?(?<unit>[^()[\]{}]{1,20}?)\s*[)\]}]$/su
const BEHIND = /^(?<text>.*?[^\s_,/-])(?:\s+in\s+|\s*[\s_,/-]\s*)(?<unit>[\p{L}%³]{1,20})$/su
const IN_CAMEL_CASE = /^(?<text>.*[a-z\d])(?<unit>[A-Z][A-Za-z]{1,10})$/s

/** "Weight (kg)", "weight_kg", "Gewicht in kg" and "weightKg" are a weight in kg. */
export function splitUnit(title: string): { text: string; unit: string } | undefined {
  if (title.length > MAX_TITLE_LENGTH) return undefined
  for (const pattern of [IN_BRACKETS, BEHIND, IN_CAMEL_CASE]) {
    const { text = '', unit: word = '' } = pattern.exec(title.trim())?.groups ?? {}
    const unit = word === '' ? undefined : findUnit(word)
    if (unit !== undefined && unit !== FRACTION) return { text, unit }
  }
  return undefined
}
