/**
 * Guesses the field of each column. A wrong guess would become public data, so only certain matches count:
 * the path of a field, its label in one of the 24 languages, or a known title of another program's exports.
 */
import titles from '../../../../assets/spreadsheets/column-titles.json' with { type: 'json' }
import type { CompleteCategory } from '../../../categories/catalogue.ts'
import { canonicalizeLanguage } from '../../../categories/language.ts'
import { getFieldNames, includesParentName, normalizeName } from '../../../categories/names/name-lookup.ts'
import { type ColumnTraits, NO_TRAITS } from './column-traits.ts'
import { buildMappingName, type Column, findColumn, isPicturesColumn, UNIT_TO_CHOOSE } from './columns.ts'
import { type ColumnMapping, EXTRA_COLUMNS, isOwnExport, normalizeTitle } from './mapping.ts'
import { FRACTION, findUnit, isUnitRequired, listUnits } from './measurement-units.ts'

type FindColumn = (title: string, place: number) => Column | undefined

/** Guesses every column. Of several columns that match a field, the first gets it. */
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
  // The handle served as SKU last time; a column with SKUs goes before it.
  const known = (title: string) =>
    source?.instead.has(normalizeName(title)) ? undefined : remembered.get(normalizeTitle(title))
  const findKnown = (title: string) => findColumn(category, known(title) ?? '')
  const findExact = (title: string) => findColumn(category, title.trim())
  // The most certain match goes first, so that a synonym cannot take the field of a column with the exact
  // name.
  const passes: FindColumn[] = [
    isOwnExport(header)
      ? title => findExact(title) ?? findKnown(title)
      : title => findKnown(title) ?? findExact(title),
    title => findOnly(category, listPathsByLabel(category, normalizeName(title))),
    (title, place) => {
      if (known(title) === null) return undefined
      const found = findByParts(category, title) ?? findByKnownHeader(category, title, source)
      // Many programs write names of files into such a column.
      return isPicturesColumn(found) && !traits.addresses.includes(place) ? undefined : found
    },
  ]
  let columns: readonly (Column | undefined)[] = header.map(() => undefined)
  const isFilled = (place: number) => traits.filled?.includes(place) ?? true
  const fill = (find: FindColumn, isMeant: (place: number) => boolean) => {
    columns = header.map(
      (title, place) =>
        columns[place] ?? (isOurs(title) || !isMeant(place) ? undefined : take(find(title, place))),
    )
  }
  for (const find of passes) fill(find, isFilled)
  fill(title => findInstead(category, title, source), isFilled)
  // A column without any value takes no field from one that has values.
  for (const find of passes) fill(find, place => !isFilled(place))
  return resolveUnits(columns, header, traits).map(column => (column ? buildMappingName(column) : null))
}

/** Adds units to columns: remembered, named by a title or another column, or left to a person. */
export function resolveUnits(
  columns: readonly (Column | undefined)[],
  header: readonly string[],
  traits: ColumnTraits,
): (Column | undefined)[] {
  // All shares of a list have the same format: 0.5 beside 99.5 is half a percent.
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

/** "weight_kg" for `weightKg`: another spelling of a name that includes the unit. */
const namesItsUnit = (title: string, { name, field }: Column) =>
  normalizeName(title) === normalizeName(name) && splitUnit(field.name) !== undefined

/** The columns "weight-unit" or "Net Weight UOM" name the unit of "weight" or "Net Weight". */
const unitTitles = (title: string) =>
  ['unit', 'uom', 'unit code', 'unit of measure', 'einheit'].map(word => normalizeName(`${title} ${word}`))

/** Matches a label with a unit, language or entry number: "Gewicht (kg)", "Pflegehinweise DE". */
function findByParts(category: CompleteCategory, title: string): Column | undefined {
  for (const { text, entry, language, unit } of parseTitle(title)) {
    const paths = listPathsByLabel(category, normalizeName(text), entry)
    const found = findOnly(category, paths, { entry, language, unit })
    if (found !== undefined) return found
  }
  return undefined
}

/** A % in a title does not decide whether the cells are percentages or fractions. */
const inUnit = (column: Column, unit: string): Column => (unit === '%' ? column : { ...column, unit })

type Ending = { entry?: number | undefined; language?: string | undefined; unit?: string | undefined }
type TitleReading = Ending & { text: string }

/** The only column for these paths. A top-level field takes precedence over a member of the same name. */
function findOnly(
  category: CompleteCategory,
  paths: readonly string[],
  { entry, language, unit }: Ending = {},
): Column | undefined {
  const found = paths.flatMap(path => {
    const [list = '', ...rest] = path.split('.')
    const name = entry === undefined ? path : [`${list}[${entry}]`, ...rest].join('.')
    const column = findColumn(category, language === undefined ? name : `${name}.${language}`)
    if (column === undefined) return []
    if (unit === undefined) return [column]
    return listUnits(column.field).includes(unit) ? [inUnit(column, unit)] : []
  })
  const [first, ...others] = found
  return others.length === 0 || first?.path.length === 1 ? first : undefined
}

/**
 * Lists the paths with this label. A member's label alone counts only in a group, and only if it is
 * unambiguous ("Link" is not). Entries of lists need the name of their list or their number.
 */
function listPathsByLabel(category: CompleteCategory, key: string, entry?: number): readonly string[] {
  if (key === '') return []
  return (getFieldNames(category).get(key) ?? []).filter(path => {
    const parts = path.split('.')
    if (parts.length === 1) return entry === undefined
    const parent = category.fields.find(({ name }) => name === parts[0])
    const isList = parent?.type === 'list'
    if (entry !== undefined && !isList) return false
    if (includesParentName(path, key)) return !isList || entry !== undefined
    if (isList) return entry !== undefined && parent.sumsTo100 !== undefined
    return isUnambiguous(parts.at(-1) ?? '', key)
  })
}

const AMBIGUOUS_NAMES = new Set(['role', 'address', 'country', 'sparePartsUrl'])

/** One plain word ("role", "address") alone is ambiguous; a name of several words ("legalName") is not. */
const isUnambiguous = (name: string, key: string) =>
  !AMBIGUOUS_NAMES.has(name) && (key !== normalizeName(name) || /[A-Z]/.test(name))

type TitleTable = Readonly<Record<string, readonly string[] | undefined>>

/**
 * The fields of each meaning. The first field that the category has and that fits the title's unit counts.
 */
const MEANINGS: TitleTable = titles.meanings

/** From a title to its meaning, with `|` and the program's fixed unit if the title names none. */
const indexTitles = (table: TitleTable) =>
  new Map(
    Object.entries(table).flatMap(([meaning, all = []]) =>
      all.map(one => [normalizeName(one), meaning] as const),
    ),
  )

const COMMON = indexTitles(titles.common)
/** Titles of columns that tell which rows belong to one product. */
export const GROUP_TITLES: ReadonlySet<string> = new Set(titles.groups.map(normalizeName))

const SOURCES = titles.sources.map(({ marks, headers, onlyHere, instead = {} }) => ({
  marks: marks.map(normalizeName),
  headers: indexTitles(headers),
  /** Titles that have this meaning only in this source's exports. */
  onlyHere: indexTitles(onlyHere),
  /** Titles that serve if no column with values has the meaning. */
  instead: indexTitles(instead),
}))
type Source = (typeof SOURCES)[number]

/** Two titles that identify a source are enough. */
function findSource(header: readonly string[]): Source | undefined {
  const keys = new Set(header.map(normalizeName))
  const countMarks = ({ marks }: Source) => marks.filter(mark => keys.has(mark)).length
  const [best] = SOURCES.toSorted((a, b) => countMarks(b) - countMarks(a))
  return best !== undefined && countMarks(best) >= 2 ? best : undefined
}

/** Looks up a known title, first in the detected source. */
function findByKnownHeader(
  category: CompleteCategory,
  title: string,
  source: Source | undefined,
): Column | undefined {
  const own = source === undefined ? [] : [source.onlyHere, source.headers]
  const tables = [...own, COMMON, ...SOURCES.map(({ headers }) => headers)]
  const readings: readonly TitleReading[] = [{ text: title }, ...parseTitle(title)]
  for (const { text, entry, language, unit } of readings) {
    const key = normalizeName(text)
    const known =
      entry === undefined && key !== '' ? tables.find(table => table.has(key))?.get(key) : undefined
    const [meaning = '', ownUnit] = known?.split('|') ?? []
    const found = findByMeaning(category, meaning, { language, unit: ownUnit ?? unit })
    if (found !== undefined) return found
  }
  return undefined
}

/** A column that serves for a field that no other column has, such as Shopify's Handle for the SKU. */
function findInstead(
  category: CompleteCategory,
  title: string,
  source: Source | undefined,
): Column | undefined {
  const meaning = source?.instead.get(normalizeName(title))
  return meaning === undefined ? undefined : findByMeaning(category, meaning, {})
}

/** The first field of a meaning that the category has and that accepts the unit. */
function findByMeaning(
  category: CompleteCategory,
  meaning: string,
  { language, unit }: Ending,
): Column | undefined {
  for (const path of MEANINGS[meaning] ?? []) {
    const column = findColumn(category, path)
    if (column === undefined) continue
    if (unit !== undefined && listUnits(column.field).includes(unit)) return inUnit(column, unit)
    if (unit !== undefined) continue
    return column.isPrimary && language !== undefined ? findColumn(category, `${path}.${language}`) : column
  }
  return undefined
}

/** Security bound: the expressions below are quadratic in the length. */
const MAX_TITLE_LENGTH = 200

function parseTitle(title: string): TitleReading[] {
  const text = title.slice(0, MAX_TITLE_LENGTH).trim()
  const all: TitleReading[] = []
  const measured = splitUnit(text)
  if (measured !== undefined) all.push(measured)
  for (const pattern of TITLE_PATTERNS) {
    const { before = '', tag = '', entry = '0', member } = pattern.exec(text)?.groups ?? {}
    const language = tag === '' ? undefined : canonicalizeLanguage(tag)
    if (language !== undefined) all.push({ text: before, language })
    if (entry !== '0') all.push({ text: member ? `${before} ${member}` : before, entry: Number(entry) })
  }
  return all
}

const TITLE_PATTERNS = [
  // Akeneo and others append locale and channel: `description-de_DE-ecommerce`.
  /^(?<before>.*\S)-(?<tag>[a-z]{2,3})_[A-Z]{2}(?:-[\w-]+)?$/s,
  /^(?<before>.*\S)[\s._:([-]+(?<tag>[A-Za-z]{2,3}(?:-[A-Za-z\d]{2,8})?)[)\]]?$/su,
  /^(?<before>.*?[^\s\d([_-])[\s([_-]*(?<entry>\d{1,3})[)\]]?$/su,
  /^(?<before>.*\S)[\s([_]*(?<entry>\d{1,3})[)\]]?[\s._:-]+(?<member>\p{L}\D*)$/su,
]

const UNIT_IN_BRACKETS = /^(?<text>.*\S)\s*[([{]\s*(?:in\s+)?(?<unit>[^()[\]{}]{1,20}?)\s*[)\]}]$/su
const UNIT_AT_END = /^(?<text>.*?[^\s_,/-])(?:\s+in\s+|\s*[\s_,/-]\s*)(?<unit>[\p{L}%³]{1,20})$/su
const UNIT_IN_CAMEL_CASE = /^(?<text>.*[a-z\d])(?<unit>[A-Z][A-Za-z]{1,10})$/s

/** Splits a title with a unit: "Weight (kg)", "weight_kg", "Gewicht in kg" or "weightKg". */
function splitUnit(title: string): { text: string; unit: string } | undefined {
  if (title.length > MAX_TITLE_LENGTH) return undefined
  for (const pattern of [UNIT_IN_BRACKETS, UNIT_AT_END, UNIT_IN_CAMEL_CASE]) {
    const { text = '', unit: word = '' } = pattern.exec(title.trim())?.groups ?? {}
    const unit = word === '' ? undefined : findUnit(word)
    if (unit !== undefined && unit !== FRACTION) return { text, unit }
  }
  return undefined
}
