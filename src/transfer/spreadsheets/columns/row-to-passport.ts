/**
 * Turns a row into passport data. Fields without a column stay unchanged, also members of objects and
 * languages of texts. A list is replaced as a whole if a row has any part of it.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Field, findScalarEntry } from '../../../categories/field.ts'
import { normalizeName } from '../../../categories/names/name-lookup.ts'
import { toCanonicalName } from '../../../categories/names/recognise-names.ts'
import { tryReadJson } from '../../../kernel/text/strict-json.ts'
import { type DataObject, getOwn, isObject } from '../../../kernel/values/data-object.ts'
import {
  type Cell,
  type DecimalMark,
  isEmptyCell,
  parseCell,
  parseCellText,
  parseNumber,
} from '../files/cell.ts'
import {
  type Column,
  type DataPath,
  findCompactMembers,
  isPicturesColumn,
  PRIMARY_LANGUAGE,
} from './columns.ts'
import { findStatedUnit, findUnit, listUnits, parseAmount } from './measurement-units.ts'
import type { NameListener } from './name-notes.ts'
import { completePictures, type PictureIds, readPictures } from './pictures.ts'
import { toPlainCell } from './plain-cell.ts'

/** How rows are read. `columns` are in the spreadsheet's order; undefined for an ignored column. */
export type RowOptions = {
  columns: readonly (Column | undefined)[]
  mark: DecimalMark
  /** Index of each column with another column's units, by `@` and its title. */
  units?: ReadonlyMap<string, number>
  /** Empty cells delete existing values instead of leaving them. */
  clears: boolean
  constants?: Constants
  pictures?: PictureIds
  onName?: NameListener
  /** Texts with HTML are turned into plain text. */
  plainTexts?: boolean
}

export type Constants = {
  values: readonly Constant[]
  /** Constants replace values of existing products; otherwise they only fill missing ones. */
  overwrites: boolean
  /** A new product without a SKU gets its GTIN as SKU. */
  takesGtinAsSku: boolean
}
export type Constant = { column: Column; text: string }

type Tree = Record<string, unknown>

/** The data of a row, its empty columns, and its cells, to which constants are added later. */
export type ParsedRow = { data: Tree; empty: readonly Column[]; cells: readonly Cell[] }

export function parseRow(cells: readonly Cell[], options: RowOptions): ParsedRow {
  const { columns } = options
  const data: Tree = {}
  const empty: Column[] = []
  const later: Constant[] = []
  const hasPictures = columns.some(isPicturesColumn)
  for (const [place, column] of columns.entries()) {
    if (column === undefined) continue
    const cell = options.plainTexts ? toPlainCell(cells[place] ?? null, column) : (cells[place] ?? null)
    if (isEmptyCell(cell)) empty.push(column)
    else if (hasPictures && column.path[0] === 'pictures') continue
    else if (column.isPrimary) later.push({ column, text: parseCellText(String(cell)) })
    else setAtPath(data, column.path, parseColumnCell(cell, column, cells, options))
  }
  for (const { column, text } of later) setAtPath(data, column.path, { [PRIMARY_LANGUAGE]: text })
  const pictures = hasPictures ? readPictures(cells, columns) : undefined
  const whole = closeGaps(data) as Tree
  return { data: pictures === undefined ? whole : { ...whole, pictures }, empty, cells }
}

function parseColumnCell(cell: Cell, column: Column, cells: readonly Cell[], options: RowOptions): unknown {
  if (column.isWhole) return parseWholeList(cell, column, options)
  if (column.field.type === 'number') return parseNumberCell(cell, column, cells, options)
  if (hasKnownNames(column.field))
    options.onName?.(column.labelPath, column.field, parseCellText(String(cell)))
  return parseCell(cell, column.field, column.labelPath)
}

/** Parses a row with constants as additional cells. The row's own cells take precedence. */
function withConstants(row: ParsedRow, options: RowOptions, values: readonly Constant[]): Tree {
  if (values.length === 0) return row.data
  const { columns } = options
  const cells = columns.map((_, place) => row.cells[place] ?? null)
  const given = new Set(
    columns.flatMap((column, place) => (isEmptyCell(cells[place]) ? [] : (column?.name ?? []))),
  )
  const parse = (added: readonly Constant[]) => {
    const all = { ...options, columns: [...columns, ...added.map(({ column }) => column)] }
    return parseRow([...cells, ...added.map(({ text }) => text)], all).data
  }
  const added = values.filter(({ column }) => !given.has(column.name))
  const data = parse(added)
  // A text of a column without a language is in the primary one.
  const suffix = `.${findPrimaryLanguage(data)}`
  const others = added.filter(
    ({ column: { name } }) => !(name.endsWith(suffix) && given.has(name.slice(0, -suffix.length))),
  )
  return others.length === added.length ? data : parse(others)
}

function parseNumberCell(
  cell: Cell,
  column: Column,
  cells: readonly Cell[],
  { mark: usual, units }: RowOptions,
): unknown {
  if (typeof cell === 'boolean' || cell === null) return cell
  const { field, unit, mark = usual } = column
  const isBeside = unit?.startsWith('@')
  const own = isBeside ? undefined : unit
  const plain = typeof cell === 'string' ? cell.trim() : cell
  if (!isBeside || (typeof plain === 'string' && findStatedUnit(plain, field) !== undefined)) {
    return parseAmount(plain, field, mark, own)
  }
  // With an unknown unit the value stays a text, which the validator rejects.
  const said = String(cells[units?.get(unit ?? '') ?? -1] ?? '').trim()
  const found = findUnit(said)
  if (found === undefined || !listUnits(field).includes(found)) return `${plain} ${said}`.trim()
  return parseAmount(plain, field, mark, found)
}

/** Sets a value at a path. The path's names are safe, because they come only from the field table. */
function setAtPath(data: Tree, steps: DataPath, value: unknown): void {
  let at: Tree | unknown[] = data
  for (const [depth, step] of steps.entries()) {
    const holder = at
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

/** Removes the gaps of list entries that a row left out. */
function closeGaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(one => one !== undefined).map(closeGaps)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closeGaps(inner)]))
}

const hasKnownNames = ({ dictionary, open }: Field) => dictionary !== undefined || open === true

function parseScalarList(text: string, entry: Field, labelPath: string): string[] {
  const bare = /^\[.*\]$/s.test(text) ? text.replaceAll(/[[\]"]/g, ' ') : text
  const separator = entry.format === 'language' ? /[\s,;]+/ : /[\n,;]+/
  const names = bare.split(separator).map(one => one.trim())
  return names.filter(one => one !== '').map(one => toCanonicalName(labelPath, entry, one))
}

function parseWholeList(cell: Cell, { field, labelPath }: Column, options: RowOptions): unknown {
  const text = parseCellText(String(cell))
  const scalar = findScalarEntry(field)
  if (scalar !== undefined) return parseScalarList(text, scalar, labelPath)
  const members = findCompactMembers(field)
  if (members === undefined) return text
  const [name, number] = members
  const path = `${labelPath}.${name.name}`
  const isJson = /^[[{]/.test(text)
  const entries = (isJson ? listJsonShares(text) : splitShares(text)).map(pair => {
    const [called, sent] = pair ?? []
    const share =
      typeof sent === 'string' ? parseNumber(sent.replace(/\s*%$/, '').trim(), options.mark) : sent
    if (typeof called !== 'string' || called.trim() === '' || typeof share !== 'number') return undefined
    const known = isJson ? called.trim() : called
    if (hasKnownNames(name)) options.onName?.(path, name, known)
    return { [name.name]: toCanonicalName(path, name, known), [number.name]: share }
  })
  const isValid = entries.every(entry => entry !== undefined) && !(isJson && entries.length === 0)
  return isValid ? entries : text
}

type SharePair = readonly [name: unknown, share: unknown] | undefined

const NUMBER = String.raw`[\d.,'’\s]*\d`
const NAME_FIRST = new RegExp(`^(?<name>.*?\\S)\\s*[:=]?\\s+(?<number>${NUMBER})\\s*%?$`, 'su')
const NUMBER_FIRST = new RegExp(`^(?<number>${NUMBER})\\s*%?\\s+(?<name>\\S.*)$`, 'su')
/** Security bound: the expressions above are quadratic in the length. */
const MAX_SHARE_LENGTH = 600

/** Splits "cotton 60 %; 40 % polyester". */
const splitShares = (text: string): SharePair[] =>
  text
    .replaceAll(/[^\S\n]+/g, ' ')
    .split(/[;\n]|,(?=\s*[^\d\s])|,\s+/)
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => {
      if (part.length > MAX_SHARE_LENGTH) return undefined
      const found = NUMBER_FIRST.exec(part)?.groups ?? NAME_FIRST.exec(part)?.groups
      return found && [parseCellText(found.name ?? ''), found.number]
    })

/** Names that programs use for the members of `[{"fibre": "cotton", "pct": 95}]`, by `normalizeName`. */
const NAME_KEYS = new Set(
  'fibre fiber fibername fibrename material materialname name type component faser matière materiale'.split(
    ' ',
  ),
)
const SHARE_KEYS = new Set(
  'percentage percent pct share value proportion weightpercent anteil prozent pourcentage'.split(' '),
)

/** Lists a composition in JSON: a list of objects, or an object of names and shares. */
function listJsonShares(text: string): SharePair[] {
  const parsed: unknown = tryReadJson(text)
  if (Array.isArray(parsed)) return parsed.map(findSharePair)
  return isObject(parsed) ? Object.entries(parsed) : []
}

/** Returns the name and share of an entry with exactly one key for each; other keys are ignored. */
function findSharePair(entry: unknown): SharePair {
  if (!isObject(entry)) return undefined
  const find = (known: ReadonlySet<string>) =>
    Object.entries(entry).filter(([key, value]) => known.has(normalizeName(key)) && value !== null)
  const [names, shares] = [find(NAME_KEYS), find(SHARE_KEYS)]
  return names.length === 1 && shares.length === 1 ? [names[0]?.[1], shares[0]?.[1]] : undefined
}

/**
 * Builds the changes that make `existing`, the row's model, match the row; without it, the data of a new
 * model.
 */
export function buildChanges(row: ParsedRow, existing: DataObject | undefined, options: RowOptions): Tree {
  const { constants } = options
  const values = constants?.values.filter(
    one => existing === undefined || isApplied(one, row, existing, constants),
  )
  const data = withConstants(row, options, values ?? [])
  const primary = findPrimaryLanguage(data) ?? findPrimaryLanguage(existing) ?? 'en'
  const sent = resolvePrimary(data, primary) as Tree
  if (options.columns.some(isPicturesColumn) && sent.pictures !== undefined) {
    const name = [sent.productName, existing?.productName, sent.sku].find(one => typeof one === 'string')
    const defaults = { existing: existing?.pictures, name, primary, files: options.pictures }
    const pictures = completePictures(sent.pictures, defaults)
    if (pictures === undefined) delete sent.pictures
    else sent.pictures = pictures
  }
  if (existing === undefined) {
    const { sku, gtin } = sent
    return constants?.takesGtinAsSku && sku === undefined && typeof gtin === 'string'
      ? { ...sent, sku: gtin }
      : sent
  }
  const changes: Tree = {}
  for (const [name, value] of Object.entries(sent)) {
    const current = getOwn(existing, name)
    changes[name] = isSameByNames(current, value, name, options) ? current : mergeDeep(current, value)
  }
  if (options.clears)
    for (const { path, isPrimary } of row.empty)
      clearAtPath(changes, existing, sent, isPrimary ? [...path, primary] : path)
  return changes
}

/**
 * True if a constant applies to an existing product: the product lacks the value, or the row supplies the
 * list that the value belongs to.
 */
function isApplied(
  { column }: Constant,
  { data }: ParsedRow,
  existing: DataObject,
  { overwrites }: Constants,
): boolean {
  if (overwrites) return true
  const { path, field } = column
  const [first = ''] = path
  if (Array.isArray(existing[first])) return Object.hasOwn(data, first) && !column.isWhole
  const at = field.localized && !column.isPrimary ? path.slice(0, -1) : path
  let value: unknown = existing
  for (const step of at) value = isObject(value) ? getOwn(value, step) : undefined
  return value === undefined || value === null
}

/** Returns true if a list changes only in the spelling of known names, such as "Baumwolle" for "cotton". */
function isSameByNames(existing: unknown, sent: unknown, name: string, { columns }: RowOptions): boolean {
  if (!Array.isArray(existing) || !Array.isArray(sent)) return false
  const known = columns.flatMap(column => {
    if (column?.path[0] !== name) return []
    const { field, labelPath, isWhole } = column
    const members = isWhole
      ? (field.of ?? []).map(one => [`${labelPath}.${one.name}`, one] as const)
      : [[labelPath, field] as const]
    return members.filter(([, one]) => one.dictionary !== undefined)
  })
  if (known.length === 0) return false
  const named = existing.map(entry => {
    if (!isObject(entry)) return entry
    const changed = known.flatMap(([path, field]) => {
      const text = entry[field.name]
      return typeof text === 'string' ? [[field.name, toCanonicalName(path, field, text)]] : []
    })
    return { ...entry, ...Object.fromEntries(changed) }
  })
  return isDeepStrictEqual(named, sent)
}

function findPrimaryLanguage(data: DataObject | undefined): string | undefined {
  const languages = getOwn(data, 'languages')
  const first: unknown = Array.isArray(languages) ? languages[0] : undefined
  return typeof first === 'string' && first !== '' ? first : undefined
}

function resolvePrimary(value: unknown, primary: string): unknown {
  if (Array.isArray(value)) return value.map(one => resolvePrimary(one, primary))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, inner]) => [
    name === PRIMARY_LANGUAGE ? primary : name,
    resolvePrimary(inner, primary),
  ])
  return Object.fromEntries(members)
}

function mergeDeep(existing: unknown, sent: unknown): unknown {
  if (!isObject(existing) || !isObject(sent)) return sent
  const merged: Tree = { ...existing }
  for (const [name, value] of Object.entries(sent)) merged[name] = mergeDeep(getOwn(existing, name), value)
  return merged
}

/** Deletes the value of an empty cell: a field becomes null, a member is left out; lists stay. */
function clearAtPath(changes: Tree, existing: DataObject, sent: Tree, steps: DataPath): void {
  const [first] = steps
  if (typeof first !== 'string' || !Object.hasOwn(existing, first)) return
  const isList = Array.isArray(existing[first])
  if (isList || steps.length === 1) {
    if (!Object.hasOwn(sent, first)) changes[first] = null
    return
  }
  const rest = removeAtPath(Object.hasOwn(changes, first) ? changes[first] : existing[first], steps.slice(1))
  changes[first] = isObject(rest) && Object.keys(rest).length === 0 ? null : rest
}

function removeAtPath(value: unknown, [step, ...more]: DataPath): unknown {
  if (typeof step !== 'string' || !isObject(value) || !Object.hasOwn(value, step)) return value
  const { [step]: inner, ...others } = value
  if (more.length === 0) return others
  const rest = removeAtPath(inner, more)
  return isObject(rest) && Object.keys(rest).length === 0 ? others : { ...others, [step]: rest }
}

/** Finds the column at a path of a row's data, or the nearest one above or below it. */
export function findColumnIndex(
  cells: readonly Cell[],
  { columns }: RowOptions,
  steps: DataPath,
): number | undefined {
  const asked = restoreGaps(cells, columns, steps)
  const depths = columns.map(column => (column === undefined ? 0 : countEqualSteps(column.path, asked)))
  const depth = Math.max(...depths)
  const place = depths.indexOf(depth)
  // The nearest column may belong to a sibling.
  const isAt = depth > 0 && depth === Math.min(columns[place]?.path.length ?? 0, asked.length)
  return isAt ? place : undefined
}

function countEqualSteps(a: DataPath, b: DataPath): number {
  let depth = 0
  while (depth < a.length && depth < b.length && a[depth] === b[depth]) depth++
  return depth
}

/** Converts list indexes of the data to those of the spreadsheet, which may have gaps. */
function restoreGaps(
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
    if (countEqualSteps(column.path, steps) >= depth) used.add(entry)
  }
  const entry = [...used].sort((a, b) => a - b)[Number(steps[depth])]
  return entry === undefined ? steps : steps.with(depth, entry)
}
