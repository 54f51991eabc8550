/** Reads the form of a record: as it was typed, and as the API takes it. */
import { findCountryByName } from '../../categories/names/country-names.ts'
import { isCountry } from '../../kernel/values/countries.ts'
import { asObject } from '../../kernel/values/data-object.ts'
import { listRecordMembers, type MemberType, type RecordValues } from '../../records/record.ts'
import { toSent } from '../../records/record-json.ts'
import type { PostedForm } from '../page/form.ts'
import { parseTypedProduct } from '../product-data/typed-product.ts'
import type { RecordPage } from './record-page.ts'

/** The texts of a record in one language, by member. */
export type TextRow = { language: string; texts: Readonly<Record<string, string>> }

export type TypedRecord = {
  /** By member, except texts. */
  fields: Readonly<Record<string, string>>
  rows: readonly TextRow[]
  /** How many empty rows follow. */
  blankRows: number
  /** As the API takes it. */
  sent: RecordValues
  unknownCountries: readonly string[]
}

const MAX_ROWS = 40

export const listTexts = ({ store }: RecordPage): string[] =>
  listRecordMembers(store.type.members).flatMap(([name, { type }]) => (type === 'texts' ? name : []))

/** The form of a new record, or of a stored one. `language`: of the first row, if there is no text yet. */
export function showTyped(page: RecordPage, language: string, stored?: RecordValues): TypedRecord {
  const { type } = page.store
  const values = stored === undefined ? page.initial : toSent(type, stored)
  const names = listTexts(page)
  const tags = [...new Set(names.flatMap(name => Object.keys(asObject(values[name]))))]
  const rows = tags.map(tag => ({
    language: tag,
    texts: Object.fromEntries(names.map(name => [name, String(asObject(values[name])[tag] ?? '')])),
  }))
  const fields = listRecordMembers(type.members).map(([name]) => [name, showValue(values[name])])
  return {
    fields: Object.fromEntries(fields),
    rows: rows.length === 0 && names.length > 0 ? [{ language, texts: {} }] : rows,
    blankRows: rows.length === 0 ? 0 : 1,
    sent: {},
    unknownCountries: [],
  }
}

const showValue = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value ?? ''))

export function readRecordForm(page: RecordPage, language: string, form: PostedForm): TypedRecord {
  const members = listRecordMembers(page.store.type.members)
  const plain = members.filter(([, { type }]) => type !== 'texts')
  const fields = Object.fromEntries(plain.map(([name]) => [name, form.text(name)]))
  const rows = readRows(page, form)
  const sent = members.map(([name, { type }]) => [
    name,
    type === 'texts' ? joinTexts(rows, name) : SENT_VALUES[type](fields[name] ?? ''),
  ])
  const typedCountries = plain.flatMap(([name, { type }]) =>
    type === 'countries' ? splitCountries(fields[name] ?? '') : [],
  )
  return {
    fields,
    rows: rows.length === 0 ? showTyped(page, language).rows : rows,
    blankRows: 0,
    sent: Object.fromEntries(sent),
    unknownCountries: typedCountries.filter(typed => findCountry(typed) === undefined),
  }
}

function readRows(page: RecordPage, form: PostedForm): TextRow[] {
  const names = listTexts(page)
  const columns = names.map(name => [name, form.all(name)] as const)
  return form
    .all('language')
    .slice(0, MAX_ROWS)
    .map((language, i) => ({
      language,
      texts: Object.fromEntries(columns.map(([name, typed]) => [name, typed[i]?.trim() ?? ''])),
    }))
    .filter(({ texts }) => Object.values(texts).some(text => text !== ''))
}

/** A required text that lacks in a row is an error, another one is left out. */
function joinTexts(rows: readonly TextRow[], name: string): Readonly<Record<string, string>> | null {
  const texts = rows.flatMap(({ language, texts }) => {
    const text = texts[name] ?? ''
    return text === '' ? [] : [[language, text] as const]
  })
  return texts.length === 0 ? null : Object.fromEntries(texts)
}

const orNull = (typed: string) => (typed === '' ? null : typed)
const toNumber = (typed: string) => (typed === '' ? null : Number(typed))

const SENT_VALUES: Readonly<Record<Exclude<MemberType, 'texts'>, (typed: string) => unknown>> = {
  line: orNull,
  text: orNull,
  choice: orNull,
  link: orNull,
  day: orNull,
  whole: toNumber,
  position: toNumber,
  flag: typed => typed !== '',
  product: typed => parseTypedProduct(typed) ?? null,
  countries: typed => [...new Set(splitCountries(typed).flatMap(one => findCountry(one) ?? []))],
}

/** Codes may stand beside each other without commas; names may have spaces. */
const splitCountries = (typed: string): string[] =>
  typed.split(/[,;\n]+|\s+(?=[A-Z]{2}\b)/).flatMap(one => one.trim() || [])

const findCountry = (typed: string): string | undefined =>
  isCountry(typed.toUpperCase()) ? typed.toUpperCase() : findCountryByName(typed)
