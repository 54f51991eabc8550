/**
 * Turns product data into a form and back. Input names are paths: `d.fiberComposition.0.percentage`. A form
 * shows less than is stored, so an input that comes back unchanged keeps its stored value.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Field } from '../../categories/field.ts'
import type { Detail } from '../../kernel/errors/errors.ts'
import { type DataObject, getOwn, isObject } from '../../kernel/values/data-object.ts'
import { type PostedForm, type Problems, readForm } from '../page/form.ts'
import type { Words } from '../page/route.ts'
import { findRowOrigin, listRowNumbers, NONE, ROW_ORIGIN } from './list-rows.ts'
import { formatInputValue, normalizeLineBreaks, parseTypedValue } from './parse-value.ts'

export const DATA_PREFIX = 'd'

/** The form that shows `data` before anybody has typed. */
export function buildDataForm(words: Words, fields: readonly Field[], data: DataObject): PostedForm {
  const entries: [string, string][] = []
  const showMembers = (members: readonly Field[], at: string, of: DataObject) => {
    for (const field of members) show(field, `${at}.${field.name}`, getOwn(of, field.name))
  }
  const show = (field: Field, at: string, value: unknown) => {
    if (field.localized) {
      if (!isObject(value)) return
      for (const [tag, text] of Object.entries(value))
        entries.push([`${at}.${tag}`, formatInputValue(words, field, text)])
    } else if (field.type === 'object') showMembers(field.fields ?? [], at, isObject(value) ? value : {})
    else if (field.type !== 'list') entries.push([at, formatInputValue(words, field, value)])
    else if (Array.isArray(value)) showRows(field, at, value)
  }
  const showRows = (field: Field, at: string, list: readonly unknown[]) => {
    const only = findEntryField(field)
    if (list.length === 0) entries.push([`${at}.${NONE}`, 'yes'])
    for (const [place, entry] of list.entries()) {
      entries.push([`${at}.${place}.${ROW_ORIGIN}`, String(place)])
      if (only !== undefined) show(only, `${at}.${place}`, entry)
      else showMembers(field.of ?? [], `${at}.${place}`, isObject(entry) ? entry : {})
    }
  }
  showMembers(fields, DATA_PREFIX, data)
  return readForm(entries)
}

/** The field of each entry of a list of single values; undefined for a list of objects. */
export const findEntryField = (list: Field): Field | undefined => list.of?.find(({ name }) => name === '')

type ParseOptions = { words: Words; was: DataObject }
/** `problems`: by input name. */
type ParsedData = { data: DataObject; problems: Problems }

/**
 * Parses a submitted form. Empty inputs and empty list rows are left out. Each function inside returns the
 * stored value itself if its inputs did not change.
 */
export function parseData(
  fields: readonly Field[],
  form: PostedForm,
  { words, was: stored }: ParseOptions,
): ParsedData {
  const problems: Record<string, string> = {}
  const parseMembers = (members: readonly Field[], at: string, was: unknown): unknown => {
    const before = isObject(was) ? was : undefined
    const after: Record<string, unknown> = { ...before }
    for (const field of members) {
      const value = parseValue(field, `${at}.${field.name}`, getOwn(before, field.name))
      if (value === undefined) delete after[field.name]
      else after[field.name] = value
    }
    const isThere = members.some(({ name }) => Object.hasOwn(after, name))
    return isThere ? keepIfEqual(was, after) : removeIfShown(was)
  }
  const parseValue = (field: Field, at: string, was: unknown): unknown => {
    if (field.localized) return parseTranslations(field, at, was)
    if (field.type === 'object') return parseMembers(field.fields ?? [], at, was)
    return field.type === 'list' ? parseList(field, at, was) : parseScalar(field, at, was)
  }
  const parseScalar = (field: Field, at: string, was: unknown): unknown => {
    const typed = form.raw(at)
    if (isAsShown(words, field, typed, was)) return was
    if (typed.trim() === '') return undefined
    const { value, problem } = parseTypedValue(words, field, typed)
    if (problem !== undefined) problems[at] = problem
    return value
  }
  const parseTranslations = (field: Field, at: string, was: unknown): unknown => {
    const before = isObject(was) ? was : undefined
    const after: Record<string, unknown> = {}
    for (const tag of new Set([...Object.keys(before ?? {}), ...form.under(at)])) {
      const [typed, kept] = [form.raw(`${at}.${tag}`), getOwn(before, tag)]
      if (kept !== undefined && isAsShown(words, field, typed, kept)) after[tag] = kept
      else if (typed.trim() !== '') after[tag] = normalizeLineBreaks(typed)
    }
    return Object.keys(after).length > 0 ? keepIfEqual(was, after) : removeIfShown(was)
  }
  const parseList = (field: Field, at: string, was: unknown): unknown => {
    const before: readonly unknown[] = Array.isArray(was) ? was : []
    const only = findEntryField(field)
    const after = listRowNumbers(form, at)
      .map(place => {
        const row = `${at}.${place}`
        const entry = before[findRowOrigin(form, row) ?? -1]
        return only === undefined ? parseMembers(field.of ?? [], row, entry) : parseScalar(only, row, entry)
      })
      .filter(entry => entry !== undefined)
    if (after.length > 0) return keepIfEqual(was, after)
    if (!form.under(at).includes(NONE)) return removeIfShown(was)
    return form.raw(`${at}.${NONE}`) === '' ? undefined : keepIfEqual(was, [])
  }
  const data = parseMembers(fields, DATA_PREFIX, stored)
  return { data: isObject(data) ? data : {}, problems }
}

const isAsShown = (words: Words, field: Field, typed: string, was: unknown): boolean =>
  normalizeLineBreaks(typed) === normalizeLineBreaks(formatInputValue(words, field, was))

const keepIfEqual = (was: unknown, after: object): unknown => (isDeepStrictEqual(was, after) ? was : after)

/** For a value without inputs: keeps what the form could not show, removes what it could. */
function removeIfShown(was: unknown): unknown {
  const isShown = typeof was === 'object' && was !== null && Object.keys(was).length > 0
  return isShown ? undefined : was
}

/** A merge patch from `before` to `after` for the given fields; null removes a field. */
export function diffData(
  fields: readonly Field[],
  before: DataObject,
  after: DataObject,
): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const { name } of fields) {
    const [was, is] = [before[name], after[name]]
    if (!isDeepStrictEqual(was, is)) changes[name] = is ?? null
  }
  return changes
}

/** The name of the input that an error detail refers to; '' if it refers to none. */
export const getInputName = ({ path: [root, ...names] }: Detail): string =>
  root === 'data' && names.length > 0 ? [DATA_PREFIX, ...names].join('.') : ''
