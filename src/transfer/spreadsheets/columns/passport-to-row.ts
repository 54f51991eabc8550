/** Turns a passport into a row, and finds the columns that a set of passports needs. */
import type { CompleteCategory } from '../../../categories/catalogue.ts'
import type { Field } from '../../../categories/field.ts'
import { type DataObject, getOwn, isObject } from '../../../kernel/values/data-object.ts'
import { type Cell, toCell } from '../files/cell.ts'
import {
  type Column,
  type ColumnLayout,
  type DataPath,
  findCompactEntry,
  isPicturesColumn,
} from './columns.ts'
import { hasDefaultTexts } from './pictures.ts'

/** Collects the layout that fits many passports: the longest lists and all languages. */
export function collectLayout({ fields }: CompleteCategory) {
  const entries = new Map<string, number>()
  const languages = new Map<string, Set<string>>()
  const visitAll = (some: readonly Field[], data: DataObject, parent: string) => {
    for (const field of some) {
      const value = getOwn(data, field.name)
      if (field.shape === 'pictures' && Array.isArray(value)) visitPictures(field, value, data)
      else visit(field, value, `${parent}${field.name}`)
    }
  }
  /** Texts need columns only if somebody has written them. */
  const visitPictures = (field: Field, pictures: readonly unknown[], data: DataObject) => {
    if (pictures.length > 0) entries.set(field.name, Math.max(entries.get(field.name) ?? 0, pictures.length))
    for (const one of pictures)
      if (isObject(one) && !hasDefaultTexts(one, data)) visitAll(field.of ?? [], one, `${field.name}.`)
  }
  const visit = (field: Field, value: unknown, path: string) => {
    if (isObject(value)) {
      if (field.localized) {
        const known = languages.get(path) ?? new Set()
        for (const tag of Object.keys(value)) known.add(tag)
        languages.set(path, known)
      } else visitAll(field.fields ?? [], value, `${path}.`)
    }
    if (!Array.isArray(value) || findCompactEntry(field) !== undefined) return
    entries.set(path, Math.max(entries.get(path) ?? 0, value.length))
    for (const entry of value) if (isObject(entry)) visitAll(field.of ?? [], entry, `${path}.`)
  }
  return {
    add: (data: DataObject) => visitAll(fields, data, ''),
    layout: (): ColumnLayout => ({
      entries,
      languages: new Map(Array.from(languages, ([path, tags]) => [path, [...tags].sort()])),
    }),
  }
}

/**
 * A list with more entries than columns is left out, because a later import would take a part for the whole
 * list. `buildPictureAddress` returns the address of a picture by its id, or the id.
 */
export function buildRow(
  data: DataObject,
  columns: readonly Column[],
  buildPictureAddress: (id: string) => string = id => id,
): Cell[] {
  const width = new Map<string, number>()
  for (const { path } of columns) {
    const depth = path.findIndex(step => typeof step === 'number')
    if (depth < 0) continue
    const list = path.slice(0, depth).join('.')
    width.set(list, Math.max(width.get(list) ?? 0, Number(path[depth]) + 1))
  }
  return columns.map(column => {
    const { path, isWhole } = column
    const value = at(data, path, width)
    if (isPicturesColumn(column) && Array.isArray(value)) {
      return (
        value
          .flatMap(one => (isObject(one) && typeof one.media === 'string' ? [one.media] : []))
          .map(buildPictureAddress)
          .join('; ') || null
      )
    }
    return isWhole && Array.isArray(value) ? value.join(', ') : toCell(value)
  })
}

function at(data: DataObject, steps: DataPath, width: ReadonlyMap<string, number>): unknown {
  let value: unknown = data
  for (const [depth, step] of steps.entries()) {
    if (typeof step === 'number') {
      if (!Array.isArray(value)) return undefined
      if (value.length > (width.get(steps.slice(0, depth).join('.')) ?? 0)) return undefined
      value = value[step]
    } else value = isObject(value) ? getOwn(value, step) : undefined
  }
  return value
}
