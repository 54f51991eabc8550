/**
 * A passport's data as the fields of a form and back: both walk the category's field table, so that a new field has
 * its input by itself. Names are paths: `d.fiberComposition.0.percentage`, `d.careInstructions.de`. What a form shows is
 * less than what is stored, so an input that comes back as it was shown leaves its value as it was stored.
 */
import type { Field } from '../../categories/field.ts'
import { type Data, isObject } from '../../categories/value.ts'
import type { Detail } from '../../kernel/errors.ts'
import { type Form, type Problems, readForm } from '../page/form.ts'
import type { Words } from '../page/words.ts'
import { ORIGIN, originOf, rowsIn } from './list-rows.ts'
import { readTyped, textOf, unbroken } from './parse-value.ts'

export const PREFIX = 'd'

/** The form as it shows data, before anybody has typed. */
export function shownForm(words: Words, fields: readonly Field[], data: Data): Form {
  const entries: [string, string][] = []
  const showMembers = (members: readonly Field[], at: string, of: Data) => {
    for (const field of members) show(field, `${at}.${field.name}`, own(of, field.name))
  }
  const show = (field: Field, at: string, value: unknown) => {
    if (field.localized) {
      if (!isObject(value)) return
      for (const [tag, text] of Object.entries(value))
        entries.push([`${at}.${tag}`, textOf(words, field, text)])
    } else if (field.type === 'object') showMembers(field.fields ?? [], at, isObject(value) ? value : {})
    else if (field.type === 'list') showRows(field, at, Array.isArray(value) ? value : [])
    else entries.push([at, textOf(words, field, value)])
  }
  const showRows = (field: Field, at: string, list: readonly unknown[]) => {
    const only = scalarOf(field)
    for (const [place, entry] of list.entries()) {
      entries.push([`${at}.${place}.${ORIGIN}`, String(place)])
      if (only !== undefined) show(only, `${at}.${place}`, entry)
      else showMembers(field.of ?? [], `${at}.${place}`, isObject(entry) ? entry : {})
    }
  }
  showMembers(fields, PREFIX, data)
  return readForm(entries)
}

const own = (data: Data | undefined, name: string): unknown =>
  data !== undefined && Object.hasOwn(data, name) ? data[name] : undefined

/** Of a list without members: what each entry is. */
export const scalarOf = (list: Field): Field | undefined => list.of?.find(({ name }) => name === '')

/** `was` is the data that the form was drawn from; `problems` by the names of inputs. */
export type Reading = { words: Words; was: Data }
export type Read = { data: Data; problems: Problems }

/** What a form says: empty inputs are left out, and so are the rows of a list that have nothing in them. */
export function readData(fields: readonly Field[], form: Form, { words, was }: Reading): Read {
  const problems: Record<string, string> = {}
  const reader = new Reader(form, words, problems)
  const data = reader.members(fields, PREFIX, was)
  return { data: isObject(data) ? data : {}, problems }
}

/** Each method gives the very value that was there where nothing says otherwise. */
class Reader {
  private readonly form: Form
  private readonly words: Words
  private readonly problems: Record<string, string>

  constructor(form: Form, words: Words, problems: Record<string, string>) {
    this.form = form
    this.words = words
    this.problems = problems
  }

  members(fields: readonly Field[], at: string, was: unknown): unknown {
    const before = isObject(was) ? was : undefined
    const after: Record<string, unknown> = { ...before }
    for (const field of fields) {
      const value = this.value(field, `${at}.${field.name}`, own(before, field.name))
      if (value === undefined) delete after[field.name]
      else after[field.name] = value
    }
    return fields.some(({ name }) => Object.hasOwn(after, name)) ? kept(was, after) : gone(was)
  }

  private value(field: Field, at: string, was: unknown): unknown {
    if (field.localized) return this.translations(field, at, was)
    if (field.type === 'object') return this.members(field.fields ?? [], at, was)
    return field.type === 'list' ? this.list(field, at, was) : this.scalar(field, at, was)
  }

  private scalar(field: Field, at: string, was: unknown): unknown {
    const typed = this.form.raw(at)
    if (this.isAsShown(field, typed, was)) return was
    if (typed.trim() === '') return undefined
    const { value, problem } = readTyped(this.words, field, typed)
    if (problem !== undefined) this.problems[at] = problem
    return value
  }

  private isAsShown = (field: Field, typed: string, was: unknown) =>
    unbroken(typed) === unbroken(textOf(this.words, field, was))

  private translations(field: Field, at: string, was: unknown): unknown {
    const before = isObject(was) ? was : undefined
    const after: Record<string, unknown> = {}
    for (const tag of new Set([...Object.keys(before ?? {}), ...this.form.under(at)])) {
      const [typed, stored] = [this.form.raw(`${at}.${tag}`), own(before, tag)]
      if (stored !== undefined && this.isAsShown(field, typed, stored)) after[tag] = stored
      else if (typed.trim() !== '') after[tag] = unbroken(typed)
    }
    return Object.keys(after).length > 0 ? kept(was, after) : gone(was)
  }

  private list(field: Field, at: string, was: unknown): unknown {
    const before: readonly unknown[] = Array.isArray(was) ? was : []
    const only = scalarOf(field)
    const after = rowsIn(this.form, at)
      .map(place => {
        const row = `${at}.${place}`
        if (only !== undefined) return this.scalar(only, row, before[originOf(this.form, row) ?? -1])
        return this.members(field.of ?? [], row, before[originOf(this.form, row) ?? -1])
      })
      .filter(entry => entry !== undefined)
    return after.length > 0 ? kept(was, after) : gone(was)
  }
}

/** The value that was there, if nothing differs. */
const kept = (was: unknown, after: object): unknown => (isSame(was, after) ? was : after)

/** Where the form has nothing: what it could not show stays, what it could is taken away. */
function gone(was: unknown): unknown {
  const isShown = typeof was === 'object' && was !== null && Object.keys(was).length > 0
  return isShown ? undefined : was
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
