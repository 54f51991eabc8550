/**
 * A row of a sheet as data for a passport. A sheet seldom has every field, so what it does not speak of stays: a cell
 * is set into what is there, down to the member of an object or the language of a text. A list is one thing: if a row
 * has any of it, it has the whole.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Field, findScalarEntry } from '../../categories/field.ts'
import { normalizeName } from '../../categories/names/name-lookup.ts'
import { toCanonicalName } from '../../categories/names/recognise-names.ts'
import { type Data, isObject } from '../../categories/value.ts'
import { type Cell, type DecimalMark, isEmptyCell, parseCell, parseCellText, parseNumber } from './cell.ts'
import { type Column, type DataPath, findCompactMembers } from './columns.ts'
import { findStatedUnit, findUnit, listUnits, parseAmount } from './measurement-units.ts'
import type { NameListener } from './name-notes.ts'

/** `columns` by their place in the sheet; undefined for one that is left out. */
export type RowOptions = {
  columns: readonly (Column | undefined)[]
  mark: DecimalMark
  /** The place of each column that says the units of another, by `@` and its title. */
  units?: ReadonlyMap<string, number>
  /** Empty cells take away what is there, instead of leaving it. */
  clears: boolean
  /** What is the same for every row. */
  constants?: Constants
  /** Hears of every name that may be recognised, as it is written. */
  onName?: NameListener
}

export type Constants = {
  values: readonly Constant[]
  /** Products that are there get the values too; otherwise only where they have none. */
  overwrites: boolean
  /** A new product without a SKU takes its GTIN for one. */
  takesGtinAsSku: boolean
}
export type Constant = { column: Column; text: string }

type Tree = Record<string, unknown>

/** What the cells of a row say; `cells` again, for what the same for every row adds to them. */
export type ParsedRow = { data: Tree; empty: readonly Column[]; cells: readonly Cell[] }

export function parseRow(cells: readonly Cell[], reading: RowOptions): ParsedRow {
  const { columns } = reading
  const data: Tree = {}
  const empty: Column[] = []
  const later: { column: Column; text: string }[] = []
  for (const [place, column] of columns.entries()) {
    if (column === undefined) continue
    const cell = cells[place]
    if (cell === undefined || cell === null || isEmptyCell(cell)) empty.push(column)
    else if (column.isPrimary) later.push({ column, text: parseCellText(String(cell)) })
    else if (column.isWhole) put(data, column.path, wholeList(cell, column, reading))
    else if (column.field.type === 'number') put(data, column.path, amount(cell, column, cells, reading))
    else {
      if (isNamed(column.field)) reading.onName?.(column.labelPath, column.field, parseCellText(String(cell)))
      put(data, column.path, parseCell(cell, column.field, column.labelPath))
    }
  }
  for (const { column, text } of later) put(data, column.path, { [PRIMARY]: text })
  return { data: withoutHoles(data) as Tree, empty, cells }
}

/** The data of a row with constants as if they were cells of it; its own cells go first. */
function withConstants(row: ParsedRow, reading: RowOptions, values: readonly Constant[]): Tree {
  if (values.length === 0) return row.data
  const { columns } = reading
  const cells = columns.map((_, place) => row.cells[place] ?? null)
  const given = new Set(
    columns.flatMap((column, place) => (isEmptyCell(cells[place]) ? [] : (column?.name ?? []))),
  )
  const added = values.filter(({ column }) => !given.has(column.name))
  const all = { ...reading, columns: [...columns, ...added.map(({ column }) => column)] }
  return parseRow([...cells, ...added.map(({ text }) => text)], all).data
}

/** A number, in the unit of its column or of the cell that another column has for it. */
function amount(cell: Cell, { field, unit }: Column, cells: readonly Cell[], reading: RowOptions): unknown {
  if (typeof cell === 'boolean' || cell === null) return cell
  const { mark, units } = reading
  const isBeside = unit?.startsWith('@')
  const own = isBeside ? undefined : unit
  const plain = typeof cell === 'string' ? cell.trim() : cell
  if (!isBeside || (typeof plain === 'string' && findStatedUnit(plain, field) !== undefined)) {
    return parseAmount(plain, field, mark, own)
  }
  // Without a unit that is known the text stays one, which the validator refuses.
  const said = String(cells[units?.get(unit ?? '') ?? -1] ?? '').trim()
  const found = findUnit(said)
  if (found === undefined || !listUnits(field).includes(found)) return `${plain} ${said}`.trim()
  return parseAmount(plain, field, mark, found)
}

/** Stands for the primary language until that is known; no language tag has this form. */
const PRIMARY = '*'

/** Members of data are own properties whatever they are called; columns come from the field table alone. */
function put(data: Tree, steps: DataPath, value: unknown): void {
  let at: Tree | unknown[] = data
  for (const [depth, step] of steps.entries()) {
    const holder = at as Record<string | number, unknown>
    const isLast = depth === steps.length - 1
    if (isLast) {
      holder[step] = isObject(value) && isObject(holder[step]) ? { ...value, ...holder[step] } : value
    } else {
      const inner = holder[step]
      const next =
        typeof inner === 'object' && inner !== null ? inner : typeof steps[depth + 1] === 'number' ? [] : {}
      holder[step] = next
      at = next as Tree
    }
  }
}

/** Entries that a row leaves out between others close up. */
function withoutHoles(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(one => one !== undefined).map(withoutHoles)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutHoles(inner)]))
}

/** Fields whose names are read as others: fibres, and lists that grow. */
const isNamed = ({ dictionary, open }: Field) => dictionary !== undefined || open === true

function wholeList(cell: Cell, { field, labelPath }: Column, reading: RowOptions): unknown {
  const text = parseCellText(String(cell))
  if (findScalarEntry(field) !== undefined) {
    const bare = /^\[.*\]$/s.test(text) ? text.replaceAll(/[[\]"]/g, ' ') : text
    return bare.split(/[\s,;]+/).filter(one => one !== '')
  }
  const members = findCompactMembers(field)
  if (members === undefined) return text
  if (/^[[{]/.test(text)) return jsonShares(text, members, labelPath, reading) ?? text
  const parts = text
    .replaceAll(/[^\S\n]+/g, ' ')
    .split(/[;\n]|,(?=\s*[^\d\s])|,\s+/)
    .map(part => part.trim())
    .filter(part => part !== '')
  const entries = parts.map(part => shareOf(part, members, labelPath, reading))
  return entries.every(entry => entry !== undefined) ? entries : text
}

const NUMBER = String.raw`[\d.,'’\s]*\d`
const NAME_FIRST = new RegExp(`^(?<name>.*?\\S)\\s*[:=]?\\s+(?<number>${NUMBER})\\s*%?$`, 'su')
const NUMBER_FIRST = new RegExp(`^(?<number>${NUMBER})\\s*%?\\s+(?<name>\\S.*)$`, 'su')
/** Security bound: the expressions above are quadratic in the length. */
const LONGEST_SHARE = 600

/** "cotton 60 %" and "60 % cotton" alike. */
function shareOf(part: string, [name, number]: readonly [Field, Field], path: string, reading: RowOptions) {
  if (part.length > LONGEST_SHARE) return undefined
  const found = NUMBER_FIRST.exec(part)?.groups ?? NAME_FIRST.exec(part)?.groups
  if (found === undefined) return undefined
  const share = parseNumber((found.number ?? '').trim(), reading.mark)
  if (typeof share !== 'number') return undefined
  return {
    [name.name]: namedShare(parseCellText(found.name ?? ''), name, path, reading),
    [number.name]: share,
  }
}

function namedShare(called: string, name: Field, path: string, { onName }: RowOptions): string {
  const own = `${path}.${name.name}`
  if (isNamed(name)) onName?.(own, name, called)
  return toCanonicalName(own, name, called)
}

/** What programs call the members of `[{"fibre": "cotton", "pct": 95}]`, by `normalizeName`. */
const NAME_KEYS = new Set(
  'fibre fiber fibername fibrename material materialname name type component faser matière materiale'.split(
    ' ',
  ),
)
const SHARE_KEYS = new Set(
  'percentage percent pct share value proportion weightpercent anteil prozent pourcentage'.split(' '),
)

/** A composition as a program writes it: a list of objects, or names with their shares; undefined for anything else. */
function jsonShares(text: string, members: readonly [Field, Field], path: string, reading: RowOptions) {
  const parsed = parseJson(text)
  const pairs = Array.isArray(parsed) ? parsed.map(sharePair) : isObject(parsed) ? Object.entries(parsed) : []
  const [name, number] = members
  const entries = pairs.map(pair => {
    const [called, sent] = pair ?? []
    const share =
      typeof sent === 'string' ? parseNumber(sent.replace(/\s*%$/, '').trim(), reading.mark) : sent
    if (typeof called !== 'string' || called.trim() === '' || typeof share !== 'number') return undefined
    return { [name.name]: namedShare(called.trim(), name, path, reading), [number.name]: share }
  })
  return entries.length > 0 && entries.every(entry => entry !== undefined) ? entries : undefined
}

/** Of an entry with exactly one key for the name and one for the share; other keys say more about the same. */
function sharePair(entry: unknown): readonly [unknown, unknown] | undefined {
  if (!isObject(entry)) return undefined
  const find = (known: ReadonlySet<string>) =>
    Object.entries(entry).filter(([key, value]) => known.has(normalizeName(key)) && value !== null)
  const [names, shares] = [find(NAME_KEYS), find(SHARE_KEYS)]
  return names.length === 1 && shares.length === 1 ? [names[0]?.[1], shares[0]?.[1]] : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * What has to be sent so that `there`, the data of the model the row means, reads as the row says; without one, the
 * row's own data.
 */
export function buildChanges(row: ParsedRow, there: Data | undefined, reading: RowOptions): Tree {
  const { constants } = reading
  const values = constants?.values.filter(one => there === undefined || isApplied(one, row, there, constants))
  const data = withConstants(row, reading, values ?? [])
  const primary = primaryOf(data) ?? primaryOf(there) ?? 'en'
  const said = withPrimary(data, primary) as Tree
  if (
    constants?.takesGtinAsSku &&
    said.sku === undefined &&
    typeof said.gtin === 'string' &&
    there === undefined
  )
    said.sku = said.gtin
  if (there === undefined) return said
  const changes: Tree = {}
  for (const [name, value] of Object.entries(said)) {
    const current = own(there, name)
    changes[name] = isSameByNames(current, value, name, reading) ? current : overlaid(current, value)
  }
  if (reading.clears) for (const column of row.empty) clear(changes, there, said, stepsIn(column, primary))
  return changes
}

/** A product that is there keeps what it has; a list that the row speaks of is taken whole, with what is the same for all. */
function isApplied(
  { column }: Constant,
  { data }: ParsedRow,
  there: Data,
  { overwrites }: Constants,
): boolean {
  if (overwrites) return true
  const { path, field } = column
  const [first = ''] = path
  if (Array.isArray(there[first])) return Object.hasOwn(data, first) && !column.isWhole
  const at = field.localized && !column.isPrimary ? path.slice(0, -1) : path
  let value: unknown = there
  for (const step of at) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  return value === undefined || value === null
}

/** "Baumwolle" that is there and "cotton" that the row was understood as are the same. */
function isSameByNames(there: unknown, said: unknown, name: string, { columns }: RowOptions): boolean {
  if (!Array.isArray(there) || !Array.isArray(said)) return false
  const known = columns.flatMap(column => {
    if (column?.path[0] !== name) return []
    const { field, labelPath, isWhole } = column
    const members = isWhole
      ? (field.of ?? []).map(one => [`${labelPath}.${one.name}`, one] as const)
      : [[labelPath, field] as const]
    return members.filter(([, one]) => one.dictionary !== undefined)
  })
  if (known.length === 0) return false
  const named = there.map(entry => {
    if (!isObject(entry)) return entry
    const changed = known.flatMap(([path, field]) => {
      const text = entry[field.name]
      return typeof text === 'string' ? [[field.name, toCanonicalName(path, field, text)]] : []
    })
    return { ...entry, ...Object.fromEntries(changed) }
  })
  return isDeepStrictEqual(named, said)
}

const own = (data: Data, name: string): unknown => (Object.hasOwn(data, name) ? data[name] : undefined)

function primaryOf(data: Data | undefined): string | undefined {
  const languages = data === undefined ? undefined : own(data, 'languages')
  const first: unknown = Array.isArray(languages) ? languages[0] : undefined
  return typeof first === 'string' && first !== '' ? first : undefined
}

function withPrimary(value: unknown, primary: string): unknown {
  if (Array.isArray(value)) return value.map(one => withPrimary(one, primary))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, inner]) => [
    name === PRIMARY ? primary : name,
    withPrimary(inner, primary),
  ])
  return Object.fromEntries(members)
}

function overlaid(there: unknown, said: unknown): unknown {
  if (!isObject(there) || !isObject(said)) return said
  const merged: Tree = { ...there }
  for (const [name, value] of Object.entries(said)) merged[name] = overlaid(own(there, name), value)
  return merged
}

const stepsIn = ({ path, isPrimary }: Column, primary: string): DataPath =>
  isPrimary ? [...path, primary] : path

/** Takes an empty cell's value away: a field with null, a member by leaving it out; lists that the row has stay. */
function clear(changes: Tree, there: Data, said: Tree, steps: DataPath): void {
  const [first] = steps
  if (typeof first !== 'string' || !Object.hasOwn(there, first)) return
  const isList = Array.isArray(there[first])
  if (isList || steps.length === 1) {
    if (!Object.hasOwn(said, first)) changes[first] = null
    return
  }
  const current = Object.hasOwn(changes, first) ? changes[first] : there[first]
  const rest = without(current, steps.slice(1))
  changes[first] = isObject(rest) && Object.keys(rest).length === 0 ? null : rest
}

function without(value: unknown, [step, ...more]: DataPath): unknown {
  if (typeof step !== 'string' || !isObject(value) || !Object.hasOwn(value, step)) return value
  const { [step]: inner, ...others } = value
  if (more.length === 0) return others
  const rest = without(inner, more)
  return isObject(rest) && Object.keys(rest).length === 0 ? others : { ...others, [step]: rest }
}

/** Whether a column holds this place of the data, something in it, or all of the list or texts that it is in. */
export function isColumnAt(
  cells: readonly Cell[],
  { columns }: RowOptions,
  place: number,
  steps: DataPath,
): boolean {
  const column = columns[place]
  if (column === undefined) return false
  const asked = unclosed(cells, columns, steps)
  return agreement(column.path, asked) === Math.min(column.path.length, asked.length)
}

/** The column that a place in a row's data came from, or the nearest above it; undefined for a field without one. */
export function findColumnIndex(
  cells: readonly Cell[],
  { columns }: RowOptions,
  steps: DataPath,
): number | undefined {
  const asked = unclosed(cells, columns, steps)
  let best: { place: number; depth: number } | undefined
  for (const [place, column] of columns.entries()) {
    if (column === undefined) continue
    const depth = agreement(column.path, asked)
    const isCloser = depth > (best?.depth ?? 0)
    const isNear = depth === asked.length || depth === column.path.length || depth > 0
    if (isNear && isCloser) best = { place, depth }
  }
  return best?.place
}

function agreement(a: DataPath, b: DataPath): number {
  let depth = 0
  while (depth < a.length && depth < b.length && a[depth] === b[depth]) depth++
  return depth
}

/** Indexes as the sheet has them, before entries closed up. */
function unclosed(
  cells: readonly Cell[],
  columns: readonly (Column | undefined)[],
  steps: DataPath,
): DataPath {
  const depth = steps.findIndex(step => typeof step === 'number')
  if (depth < 0) return steps
  const used = new Set<number>()
  for (const [place, column] of columns.entries()) {
    const entry = column?.path[depth]
    if (column === undefined || typeof entry !== 'number' || isEmptyCell(cells[place])) continue
    if (agreement(column.path, steps) >= depth) used.add(entry)
  }
  const entry = [...used].sort((a, b) => a - b)[Number(steps[depth])]
  return entry === undefined ? steps : steps.with(depth, entry)
}
