/** Reads the value of a member, by its type. */
import { canonicalizeLanguage } from '../categories/language.ts'
import { toEnglish } from '../categories/problems.ts'
import { FORMAT_RULES } from '../categories/schema/formats.ts'
import { parseId } from '../kernel/crypto/ids.ts'
import { type AppError, type Detail, type DetailCode, invalid, type Path } from '../kernel/errors/errors.ts'
import { isSafeLink, SAFE_LINK_RULE } from '../kernel/http/public-link.ts'
import { isLongerThan, isOneLine } from '../kernel/values/characters.ts'
import { isObject } from '../kernel/values/data-object.ts'
import {
  type LocalizedTexts,
  MAX_POSITION,
  MAX_TEXT_LANGUAGES,
  type MemberOfRecord,
  type MemberType,
  type RecordType,
} from './record.ts'

type Place = { name: string; value: unknown; type: RecordType }
type OfType<T extends MemberType> = Extract<MemberOfRecord, { type: T }>

export const isNothing = (value: unknown): value is null | undefined => value === undefined || value === null

/** `message` continues after the name of the member. */
const describe = (path: Path, code: DetailCode, message: string): Detail => ({
  path,
  code,
  message: `${path.join('.')} ${message}`,
})

const error = (...args: Parameters<typeof describe>): AppError => invalid([describe(...args)])

/** The value of a member without one. Throws `validation` if it needs one. `send`: what to do. */
function readNothing(member: MemberOfRecord, { name }: Place, send: string): null {
  if (member.required) throw error([name], 'required', send)
  return null
}

/** The checked value of a member. Throws `validation`. */
export function readMember(member: MemberOfRecord, place: Place): unknown {
  switch (member.type) {
    case 'line':
      return readLine(member, place, false)
    case 'text':
      return readLine(member, place, true)
    case 'texts':
      return readTexts(member, place)
    case 'choice':
      return readChoice(member, place)
    case 'link':
      return readLink(member, place)
    case 'countries':
      return readCountries(member, place)
    case 'whole':
      return readWhole(member, place)
    case 'position':
      return readWhole({ ...member, type: 'whole', min: 0, max: MAX_POSITION }, place)
    case 'flag':
      return readFlag(member, place)
    case 'day':
      return readDay(member, place)
    case 'product':
      return readProduct(member, place)
  }
}

function readFlag(member: OfType<'flag'>, place: Place): boolean | null {
  const { name, value } = place
  if (isNothing(value)) return readNothing(member, place, 'is missing: send true or false.')
  if (typeof value === 'boolean') return value
  throw error([name], 'type', 'must be true or false.')
}

function readProduct(member: OfType<'product'>, place: Place): string | null {
  const { name, value } = place
  const wanted = 'must be the id of a model, batch or item'
  if (isNothing(value)) return readNothing(member, place, `${wanted}.`)
  const uuid = typeof value === 'string' ? parseId(value) : undefined
  if (uuid !== undefined) return uuid
  throw error([name], 'format', `${wanted}${member.required ? '' : ', or null for all'}.`)
}

function readLine(member: OfType<'line' | 'text'>, place: Place, hasLines: boolean): string | null {
  const { name, value } = place
  if (isNothing(value)) return readNothing(member, place, 'is missing: send a text.')
  if (typeof value !== 'string') throw error([name], 'type', 'must be a text.')
  const text = value.replace(/\r\n?/g, '\n').trim()
  const wrong = findTextError([name], text, { max: member.max, hasLines })
  if (wrong !== undefined) throw invalid([wrong])
  return text
}

function findTextError(
  path: Path,
  text: string,
  { max, hasLines }: { max: number; hasLines: boolean },
): Detail | undefined {
  if (text === '' || isLongerThan(text, max))
    return describe(path, 'length', `must have 1 to ${max} characters.`)
  if (isOneLine(hasLines ? text.replace(/[\n\t]/g, ' ') : text)) return undefined
  return describe(
    path,
    'format',
    hasLines ? 'has characters that pages cannot show.' : 'must be one line of text.',
  )
}

function readTexts(member: OfType<'texts'>, place: Place): LocalizedTexts | null {
  const { name, value, type } = place
  const example = JSON.stringify(Object.fromEntries(Object.entries(type.example[name] ?? {}).slice(0, 1)))
  if (isNothing(value))
    return readNothing(member, place, `is missing: send a text for each language, as in ${example}.`)
  if (!isObject(value)) throw error([name], 'type', `must have a text for each language: ${example}.`)
  const entries = Object.entries(value)
  if (entries.length === 0 || entries.length > MAX_TEXT_LANGUAGES)
    throw error([name], 'length', `must have texts in 1 to ${MAX_TEXT_LANGUAGES} languages.`)
  const checked = new Map<string, string>()
  const wrong = entries.flatMap(([tag, text]) => {
    const path = [name, tag.toWellFormed().slice(0, 100)]
    const language = canonicalizeLanguage(tag)
    if (language === undefined)
      return describe(path, 'language_code', 'must be under a language such as "de".')
    if (checked.has(language)) return describe(path, 'duplicate', `is another text in ${language}.`)
    if (typeof text !== 'string') return describe(path, 'type', 'must be a text.')
    const trimmed = text.trim()
    checked.set(language, trimmed)
    return findTextError(path, trimmed, { max: member.max, hasLines: false }) ?? []
  })
  if (wrong.length > 0) throw invalid(wrong)
  return Object.fromEntries(checked)
}

function readChoice(member: OfType<'choice'>, place: Place): string | null {
  const { name, value } = place
  const wanted = `must be ${member.meaning ?? `one of ${member.values.join(', ')}`}.`
  if (isNothing(value)) return readNothing(member, place, wanted)
  const found = member.values.find(one => one === value)
  if (found !== undefined) return found
  throw error([name], 'enum', wanted)
}

function readLink(member: OfType<'link'>, place: Place): string | null {
  const { name, value } = place
  if (isNothing(value))
    return readNothing(member, place, 'is missing: send an address that begins with https://.')
  if (typeof value !== 'string') throw error([name], 'type', 'must be a text.')
  const address = value.trim()
  const wrong = FORMAT_RULES.url.findViolation(address)
  if (wrong !== undefined) throw error([name], wrong.code, toEnglish(wrong.problem))
  if (isSafeLink(address)) return address
  throw error([name], 'format', SAFE_LINK_RULE)
}

const NO_COUNTRY = FORMAT_RULES.country.findViolation('')

/** Sorted, because the order of countries means nothing. */
function readCountries(member: OfType<'countries'>, place: Place): string[] {
  const { name, value } = place
  if (value === undefined) {
    readNothing(member, place, 'is missing: send an array of country codes.')
    return []
  }
  if (!Array.isArray(value))
    throw error([name], 'type', 'must be an array of country codes; an empty one means everywhere.')
  const wrong = value.flatMap((code, i) => {
    const violation = typeof code === 'string' ? FORMAT_RULES.country.findViolation(code) : NO_COUNTRY
    if (violation !== undefined) return describe([name, i], violation.code, toEnglish(violation.problem))
    return value.indexOf(code) < i ? describe([name, i], 'duplicate', 'is in the list twice.') : []
  })
  if (wrong.length > 0) throw invalid(wrong)
  return value.map(String).sort()
}

function readWhole(member: OfType<'whole'>, place: Place): number | null {
  const { name, value } = place
  const { min, max } = member
  const wanted = `must be a whole number from ${min} to ${max}.`
  if (isNothing(value)) return readNothing(member, place, wanted)
  if (typeof value !== 'number' || !Number.isInteger(value)) throw error([name], 'type', wanted)
  if (value < min) throw error([name], 'min', wanted)
  if (value > max) throw error([name], 'max', wanted)
  return value
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

function readDay(member: OfType<'day'>, place: Place): string | null {
  const { name, value } = place
  const wanted = 'must be a day that exists, as YYYY-MM-DD.'
  if (isNothing(value)) return readNothing(member, place, wanted)
  const time = typeof value === 'string' && DAY.test(value) ? Date.parse(`${value}T00:00:00Z`) : Number.NaN
  if (typeof value === 'string' && !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === value)
    return value
  throw error([name], 'format', wanted)
}
