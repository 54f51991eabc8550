/**
 * A passport's data as the fields of a form and back: both walk the category's field table, so that a new field has
 * its input by itself. Names are paths: `d.fiberComposition.0.percentage`, `d.careInstructions.de`.
 */
import type { Field } from '../categories/field.ts'
import { type Data, isObject } from '../categories/value.ts'
import type { Detail } from '../kernel/errors.ts'
import type { Form } from './form.ts'

export const PREFIX = 'd'

/** What was typed, as data: empty inputs are left out, and so are the rows of a list that have nothing in them. */
export function readData(fields: readonly Field[], form: Form): Data {
  return readMembers(fields, PREFIX, form, languagesOf(form.raw(`${PREFIX}.languages`))) ?? {}
}

/** "en, de" as a list. */
export const languagesOf = (text: string): string[] => text.split(/[\s,;]+/).filter(tag => tag !== '')

function readMembers(
  fields: readonly Field[],
  at: string,
  form: Form,
  languages: readonly string[],
): Data | undefined {
  const members: Record<string, unknown> = {}
  for (const field of fields) {
    const value = readValue(field, `${at}.${field.name}`, form, languages)
    if (value !== undefined) members[field.name] = value
  }
  return Object.keys(members).length === 0 ? undefined : members
}

function readValue(field: Field, at: string, form: Form, languages: readonly string[]): unknown {
  if (field.localized) return readTranslations(at, form, languages)
  if (field.type === 'object') return readMembers(field.fields ?? [], at, form, languages)
  if (field.type === 'list') return readList(field, at, form, languages)
  const typed = field.type === 'text' ? form.raw(at).replaceAll('\r\n', '\n') : form.text(at)
  if (typed.trim() === '') return undefined
  if (field.type === 'number') return numberOf(typed)
  if (field.type === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : typed
  return typed.replaceAll('\r\n', '\n')
}

/** "12,5" and "12.5" are numbers; anything else stays a text, which the validator refuses by name. */
export function numberOf(typed: string): number | string {
  const plain = typed.replaceAll(/[\s\u00a0\u202f]/g, '').replace(',', '.')
  return /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/.test(plain) ? Number(plain) : typed
}

function readTranslations(at: string, form: Form, languages: readonly string[]): Data | undefined {
  const texts: Record<string, string> = {}
  for (const tag of new Set([...languages, ...form.under(at)])) {
    const text = form.raw(`${at}.${tag}`).replaceAll('\r\n', '\n')
    if (text.trim() !== '') texts[tag] = text
  }
  return Object.keys(texts).length === 0 ? undefined : texts
}

function readList(field: Field, at: string, form: Form, languages: readonly string[]): unknown[] | undefined {
  const [only] = field.of ?? []
  if (only?.name === '') {
    const all = languagesOf(form.raw(at))
    return all.length === 0 ? undefined : all
  }
  const rows = form
    .under(at)
    .filter(index => /^\d{1,3}$/.test(index))
    .sort((a, b) => Number(a) - Number(b))
    .map(index => readMembers(field.of ?? [], `${at}.${index}`, form, languages))
    .filter(row => row !== undefined)
  return rows.length === 0 ? undefined : rows
}

/** The changes that make `before` read as `after` among the known fields: null removes one. Others are not touched. */
export function changesBetween(fields: readonly Field[], before: Data, after: Data): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const { name } of fields) {
    const [was, is] = [before[name], after[name]]
    if (!isSame(was, is)) changes[name] = is ?? null
  }
  return changes
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, index) => isSame(one, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every(name => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  )
}

/** The name of the input that a detail of a refusal is about; '' for one that is about none. */
export function inputName({ pointer }: Detail): string {
  const parts = pointer.split('/').slice(1)
  if (parts[0] !== 'data' || parts.length < 2) return ''
  const names = parts.slice(1).map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return [PREFIX, ...names].join('.')
}
