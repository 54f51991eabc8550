/**
 * Reports oversized lists and objects and cuts them before validation: a body of 1 MiB can hold half a
 * million wrong entries, and reporting each of them would block the process.
 */

import { MAX_DETAILS } from '../../kernel/errors/errors.ts'
import { type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import type { CompleteCategory } from '../catalogue.ts'
import { type Field, findScalarEntry } from '../field.ts'
import { problem } from '../problems.ts'
import { getMaxEntries } from '../schema/json-schema.ts'
import type { Findings } from './findings.ts'

/** Returns the data itself if nothing is too large. The body limit bounds free-form keys. */
export function limitSizes(category: CompleteCategory, data: DataObject, findings: Findings): DataObject {
  return new SizeLimiter(findings).members(category.fields, data)
}

class SizeLimiter {
  private readonly findings: Findings
  private readonly path: (string | number)[] = []

  constructor(findings: Findings) {
    this.findings = findings
  }

  members(fields: readonly Field[], object: DataObject): DataObject {
    let copy: Record<string, unknown> | undefined
    for (const field of fields) {
      const value = getOwn(object, field.name)
      if (typeof value !== 'object' || value === null) continue
      this.path.push(field.name)
      const bounded = this.value(field, value)
      this.path.pop()
      if (bounded === value) continue
      copy ??= { ...object }
      copy[field.name] = bounded
    }
    return copy ?? object
  }

  private value(field: Field, value: object): object {
    if (Array.isArray(value)) return field.type === 'list' ? this.list(field, value) : value
    if (!isObject(value)) return value
    if (field.localized) return this.translations(field, value)
    return field.type === 'object' ? this.object(field.fields ?? [], value) : value
  }

  private list(field: Field, entries: readonly unknown[]): readonly unknown[] {
    const kept = this.isTooLong(field, entries.length, 'entries')
      ? entries.slice(0, getMaxEntries(field))
      : entries
    if (findScalarEntry(field) !== undefined) return kept
    let changed = kept !== entries
    const bounded = kept.map((entry, index) => {
      if (!isObject(entry)) return entry
      this.path.push(index)
      const after = this.object(field.of ?? [], entry)
      this.path.pop()
      changed ||= after !== entry
      return after
    })
    return changed ? bounded : entries
  }

  private translations(field: Field, texts: DataObject): DataObject {
    const tags = Object.keys(texts)
    if (!this.isTooLong(field, tags.length, 'languages')) return texts
    return Object.fromEntries(tags.slice(0, getMaxEntries(field)).map(tag => [tag, texts[tag]]))
  }

  /** Keeps as many unknown keys as can be reported. */
  private object(fields: readonly Field[], object: DataObject): DataObject {
    const keys = Object.keys(object)
    const maxKeys = fields.length + MAX_DETAILS + 1
    if (keys.length <= maxKeys) return this.members(fields, object)
    const known = fields.map(field => field.name).filter(name => Object.hasOwn(object, name))
    const kept = new Set([...known, ...keys.slice(0, maxKeys)])
    return this.members(fields, Object.fromEntries(Array.from(kept, key => [key, object[key]])))
  }

  private isTooLong(field: Field, count: number, what: 'entries' | 'languages'): boolean {
    const most = getMaxEntries(field) ?? 0
    if (count <= most) return false
    this.findings.add(this.path, 'length', problem(`many_${what}`, { count, most }))
    return true
  }
}
