/** Checks a sent event by the kinds of its category, and its texts by the rules for data of passports. */
import { countCharacters } from '../../categories/check/text-checks.ts'
import { normaliseData, validateData } from '../../categories/check/validate.ts'
import type { Field } from '../../categories/field.ts'
import { withLanguages } from '../../categories/fields-with-texts.ts'
import type { EventKind, InUseTable } from '../../categories/in-use/table.ts'
import { canonicalizeLanguage } from '../../categories/language.ts'
import { findNearestName } from '../../categories/names/nearest-name.ts'
import { problem, toEnglish } from '../../categories/problems.ts'
import { formatField } from '../../kernel/errors/detail-json.ts'
import {
  AppError,
  type Detail,
  type DetailCode,
  invalid,
  type Path,
  TRANSLATION,
} from '../../kernel/errors/errors.ts'
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import { asObject, type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { CORRECTION, type EventContent, type EventData, type NewEvent } from './event.ts'

export const MAX_EVENT_NOTE_LENGTH = 2_000
export const MAX_REFERENCE_LENGTH = 100
export const MAX_PARTS = 20
/** Clocks of machines differ by this much. */
const MAX_AHEAD_MS = 5 * 60_000
/** A day that has begun somewhere on earth. */
const EARLIEST_ZONE_MS = 14 * 3_600_000
const FIRST_YEAR = 1900

export const EVENT_TEXTS: readonly Field[] = [
  { name: 'note', type: 'text', localized: true, description: 'What was done or found.' },
]
const EVENT_FIELDS: readonly Field[] = [
  ...EVENT_TEXTS,
  { name: 'reference', type: 'name', description: 'An order number.' },
  {
    name: 'parts',
    type: 'list',
    maxItems: MAX_PARTS,
    description: 'The parts that it is about.',
    of: [
      { name: 'name', type: 'name', required: true, description: 'Of the part.' },
      { name: 'partNumber', type: 'name', description: 'Of its manufacturer.' },
      { name: 'serial', type: 'name', description: 'Of this part.' },
      { name: 'passportUrl', type: 'name', format: 'url', description: 'Its passport.' },
    ],
  },
  {
    name: 'by',
    type: 'object',
    description: 'Who did the work.',
    fields: [
      { name: 'name', type: 'name', required: true, description: 'Of the workshop or company.' },
      { name: 'country', type: 'name', format: 'country', description: 'Where it is.' },
    ],
  },
]

const EVENT = withLanguages('event', 'Event', EVENT_FIELDS)

const MEMBERS = ['kind', 'at', 'note', 'reference', 'parts', 'by', 'public']
const CORRECTION_MEMBERS = ['kind', 'at', 'note', 'corrects', 'event']

type CheckOptions = { table: InUseTable; now: Date }

/** Throws `validation` with everything that is wrong. */
export function requireEvent(sent: unknown, { table, now }: CheckOptions): NewEvent {
  if (!isObject(sent))
    throw invalid([{ path: [], code: 'type', message: 'An event must be an object with its kind and at.' }])
  return sent.kind === CORRECTION
    ? requireCorrection(sent, { table, now })
    : requirePlainEvent(sent, { table, now })
}

function requirePlainEvent(sent: DataObject, options: CheckOptions): NewEvent {
  const { content, kind } = readContent(sent, options, [])
  const { kind: name, at, public: isShown, ...data } = content
  const isPublic = kind.audience.includes('public') && isShown !== false
  return {
    kind: name,
    at,
    isPublic,
    ends: kind.ends,
    moves: kind.ends || kind.state !== undefined,
    corrects: null,
    data,
  }
}

/** The event in place of the corrected one is checked like any, and stands in the correction's data. */
function requireCorrection(sent: DataObject, { table, now }: CheckOptions): NewEvent {
  const details = listUnknown(sent, CORRECTION_MEMBERS, [])
  const { corrects, event } = sent
  if (typeof corrects !== 'number' || !Number.isInteger(corrects) || corrects < 1) {
    const isMissing = corrects === undefined || corrects === null
    const message = 'corrects must be the number of an event of this product.'
    details.push({ path: ['corrects'], code: isMissing ? 'required' : 'type', message })
  }
  const at = sent.at === undefined || sent.at === null ? now.toISOString() : readTime(sent.at, now, [])
  if (typeof at !== 'string') details.push(at)
  const texts = checkTexts({ note: sent.note }, [])
  details.push(...texts.details)
  if (sent.note === undefined || sent.note === null || Object.keys(asObject(texts.data.note)).length === 0) {
    const message = 'note is missing; a correction needs its reason, in one language at least.'
    if (texts.details.length === 0) details.push({ path: ['note'], code: 'required', message })
  }
  const replacement =
    event === undefined || event === null ? undefined : tryRead(event, { table, now }, details)
  if (details.length > 0 || typeof at !== 'string' || typeof corrects !== 'number') throw invalid(details)
  const isPublic =
    replacement?.kind.audience.includes('public') === true && replacement.content.public !== false
  const data = { corrects, ...texts.data, ...(replacement && { event: replacement.content }) }
  return { kind: CORRECTION, at, isPublic, ends: false, moves: true, corrects, data }
}

function tryRead(
  event: unknown,
  options: CheckOptions,
  details: Detail[],
): ReturnType<typeof readContent> | undefined {
  try {
    if (!isObject(event))
      throw invalid([{ path: ['event'], code: 'type', message: 'event must be an object.' }])
    return readContent(event, options, ['event'])
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    details.push(...(error.details ?? []))
    return undefined
  }
}

/** `path`: where the event stands in what was sent. */
function readContent(
  sent: DataObject,
  { table, now }: CheckOptions,
  path: Path,
): { content: EventContent; kind: EventKind } {
  const details = listUnknown(sent, MEMBERS, path)
  const kind = findKind(sent.kind, table, path)
  if ('code' in kind) details.push(kind)
  const at = readTime(sent.at, now, path)
  if (typeof at !== 'string') details.push(at)
  const { note, reference, parts, by } = sent
  const { data, details: wrong } = checkTexts({ note, reference, parts, by }, path)
  details.push(...wrong)
  if (!('code' in kind) && data.parts !== undefined && !kind.fields.includes('parts'))
    details.push(
      describe(
        [...path, 'parts'],
        'unknown_field',
        `is not a member of an event of the kind ${kind.kind}; leave it out.`,
      ),
    )
  const shown = readPublic(sent.public, kind, path)
  if (typeof shown === 'object') details.push(shown)
  if (details.length > 0 || 'code' in kind || typeof at !== 'string') throw invalid(details)
  return {
    kind,
    content: { kind: kind.kind, at, ...data, ...(shown === false ? { public: false as const } : {}) },
  }
}

const describe = (path: Path, code: DetailCode, message: string): Detail => ({
  path,
  code,
  message: `${formatField(path)} ${message}`,
})

const listUnknown = (sent: DataObject, known: readonly string[], path: Path): Detail[] =>
  Object.keys(sent)
    .filter(name => !known.includes(name))
    .map(name =>
      describe(
        [...path, name.toWellFormed().slice(0, 100)],
        'unknown_field',
        `is not a member of an event. Its members are ${known.join(', ')}.`,
      ),
    )

/** A correction is checked by itself, and never stands in the place of an event. */
const isByWriter = ({ kind, isByServer }: EventKind) => !isByServer && kind !== CORRECTION

function findKind(sent: unknown, { events }: InUseTable, path: Path): EventKind | Detail {
  const place = [...path, 'kind']
  const kinds = [...events.values()].filter(isByWriter).map(({ kind }) => kind)
  if (sent === undefined || sent === null)
    return describe(place, 'required', `is missing; send one of ${kinds.join(', ')}.`)
  const kind = typeof sent === 'string' ? events.get(sent) : undefined
  if (kind !== undefined && isByWriter(kind)) return kind
  const meant = typeof sent === 'string' && kind === undefined ? findNearestName(sent, kinds) : undefined
  const more = meant === undefined ? '' : ` Did you mean ${meant}?`
  return describe(place, 'enum', `must be one of ${kinds.join(', ')}.${more}`)
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** A day as YYYY-MM-DD, or a time in UTC with milliseconds. */
function readTime(sent: unknown, now: Date, path: Path): string | Detail {
  const place = [...path, 'at']
  const wanted = 'a day such as 2029-05-04, or a time with its offset such as 2029-05-04T16:00:00+02:00'
  if (sent === undefined || sent === null) return describe(place, 'required', `is missing; send ${wanted}.`)
  const isDay = typeof sent === 'string' && DAY.test(sent)
  const time = typeof sent === 'string' && (isDay || DATE_TIME.test(sent)) ? parseDateTime(sent) : undefined
  if (time === undefined)
    return describe(place, typeof sent === 'string' ? 'format' : 'type', `must be ${wanted}.`)
  if (time.getUTCFullYear() < FIRST_YEAR)
    return describe(place, 'min', `is before ${FIRST_YEAR}; look for a typing mistake.`)
  if (time.getTime() > now.getTime() + (isDay ? EARLIEST_ZONE_MS : MAX_AHEAD_MS))
    return describe(place, 'max', 'is in the future; an event is stored once it has happened.')
  return isDay ? time.toISOString().slice(0, 10) : time.toISOString()
}

/** Undefined: as the kind says. */
function readPublic(sent: unknown, kind: EventKind | Detail, path: Path): false | undefined | Detail {
  if (sent === undefined || sent === null) return undefined
  const place = [...path, 'public']
  if (sent !== false)
    return describe(place, 'enum', 'can only be false: it narrows who sees the event, and never widens it.')
  if (!('code' in kind) && kind.ends)
    return describe(place, 'enum', 'cannot be set: everybody sees the event that ends a passport.')
  return false
}

/** Checks the members with texts by the rules for data, and returns those with a value. */
function checkTexts(
  members: Readonly<Record<string, unknown>>,
  path: Path,
): { data: EventData; details: Detail[] } {
  const given = Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== undefined && value !== null && !isEmptyObject(value),
    ),
  )
  const tags = Object.keys(asObject(given.note)).map(canonicalizeLanguage)
  const languages = [tags.find(tag => tag !== undefined) ?? 'en']
  const data = normaliseData({ languages, ...given }, EVENT)
  const { errors } = validateData(EVENT, data, { strict: true })
  const wrong = errors.length > 0 ? errors : findLongTexts(data)
  const { languages: _, ...rest } = data
  return { data: rest, details: wrong.map(detail => explainInEvent(detail, path)) }
}

const isEmptyObject = (value: unknown) => isObject(value) && Object.keys(value).length === 0

/** The path begins at the event. */
function explainInEvent(detail: Detail, path: Path): Detail {
  const inner = detail.path.slice(1)
  const isMissing = detail.code === 'required'
  const message = isMissing
    ? `${formatField([...path, ...inner])} is missing; an event needs it there.`
    : detail.message
  return { ...detail, path: [...path, ...inner], message }
}

function findLongTexts({ note, reference }: DataObject): Detail[] {
  const texts: [Path, unknown, number][] = [
    ...Object.entries(asObject(note)).map(([tag, text]): [Path, unknown, number] => [
      ['note', tag],
      text,
      MAX_EVENT_NOTE_LENGTH,
    ]),
    [['reference'], reference, MAX_REFERENCE_LENGTH],
  ]
  return texts.flatMap(([inner, text, most]) => {
    if (typeof text !== 'string') return []
    const path = ['data', ...inner]
    if (text.includes('\n') && inner[0] === 'reference')
      return [describe(path, 'format', 'must be one line of text.')]
    const count = countCharacters(text)
    if (count <= most) return []
    const long = problem('long', { count, most })
    return [
      {
        path,
        code: 'length' as const,
        message: `${formatField(path)} ${toEnglish(long)}`,
        [TRANSLATION]: long,
      },
    ]
  })
}
