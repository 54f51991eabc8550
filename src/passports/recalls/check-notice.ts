/** Checks what an account writes in a recall notice, by the rules for texts in the data of passports. */
import { countCharacters } from '../../categories/check/text-checks.ts'
import { normaliseData, validateData } from '../../categories/check/validate.ts'
import type { Field } from '../../categories/field.ts'
import { withLanguages } from '../../categories/fields-with-texts.ts'
import { problem, toEnglish } from '../../categories/problems.ts'
import { getLimits } from '../../categories/schema/json-schema.ts'
import { formatField } from '../../kernel/errors/detail-json.ts'
import { type Detail, invalid, TRANSLATION } from '../../kernel/errors/errors.ts'
import { asObject } from '../../kernel/values/data-object.ts'
import type { RecallNotice, RecallTexts } from '../core/recalls.ts'

/** For a text in one language. */
export const MAX_RECALL_TEXT_LENGTH = 2_000

/** As it was sent. `from`: by default today, in UTC. */
export type SentNotice = Readonly<Record<keyof RecallNotice, unknown>>

const HAZARD: Field = {
  name: 'hazard',
  type: 'text',
  localized: true,
  required: true,
  description: 'What is wrong.',
}
const ACTION: Field = {
  name: 'action',
  type: 'text',
  localized: true,
  required: true,
  description: 'What to do.',
}
const URL: Field = { name: 'url', type: 'name', format: 'url', description: 'An http(s) address with more.' }
const CONTACT: Field = { name: 'contact', type: 'name', description: 'Whom to ask, in one line.' }

export const RECALL_FIELDS: readonly Field[] = [HAZARD, ACTION, URL, CONTACT]

/** The members of a notice as it is sent, for the documentation. `requireNotice` checks them. */
export const NOTICE_MEMBERS = {
  hazard: { schema: textsSchema(HAZARD), isRequired: true },
  action: { schema: textsSchema(ACTION), isRequired: true },
  url: { schema: lineSchema(URL) },
  contact: { schema: lineSchema(CONTACT) },
  from: {
    schema: {
      type: ['string', 'null'],
      format: 'date',
      description:
        'The day of the recall, not in the future. When it is set without one: today in UTC. When it is changed without one: the same day as before.',
    },
  },
} as const satisfies Record<keyof RecallNotice, { schema: object; isRequired?: true }>

function textsSchema({ description }: Field) {
  const note =
    'A text for each language, at most 2,000 characters each. The first of the product’s `languages` is required.'
  return {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: MAX_RECALL_TEXT_LENGTH },
    description: `${description} ${note}`,
  }
}

/** The limit is that of the validator. */
function lineSchema(field: Field) {
  const { max_length: maxLength } = getLimits(field)
  return { type: ['string', 'null'], maxLength, description: field.description }
}

const NOTICE = withLanguages('recall_notice', 'Recall notice', RECALL_FIELDS)

/** Throws `validation` with everything that is wrong. `primaryLanguage`: of the passport. */
export function requireNotice(sent: SentNotice, primaryLanguage: string, now: Date): RecallNotice {
  const { from, ...texts } = sent
  const given = Object.entries(texts).filter(([, value]) => value !== undefined && value !== null)
  const data = normaliseData({ ...Object.fromEntries(given), languages: [primaryLanguage] }, NOTICE)
  const { errors, truncated } = validateData(NOTICE, data, { strict: true })
  const long = errors.length === 0 ? findLongTexts(data) : []
  const details = [...errors, ...long].map(explainInNotice)
  const day = readDay(from, now)
  if (typeof day !== 'string') details.push(day)
  if (typeof day !== 'string' || details.length > 0) throw invalid(details, truncated)
  const { url, contact, hazard, action } = data
  return {
    hazard: readTexts(hazard),
    action: readTexts(action),
    url: readText(url),
    contact: readText(contact),
    from: day,
  }
}

/** The path begins at the body, and a missing text is not one of a passport. */
function explainInNotice(detail: Detail): Detail {
  const path = detail.path.slice(1)
  const message =
    detail.code === 'required' ? `${formatField(path)} is missing; a recall notice needs it.` : detail.message
  return { ...detail, path, message }
}

const readText = (value: unknown) => (typeof value === 'string' ? value : null)

/** Without blank ones. */
const readTexts = (value: unknown): RecallTexts =>
  Object.fromEntries(
    Object.entries(asObject(value)).flatMap(([tag, text]) =>
      typeof text === 'string' && text.trim() !== '' ? [[tag, text]] : [],
    ),
  )

function findLongTexts(data: Readonly<Record<string, unknown>>): Detail[] {
  return (['hazard', 'action'] as const).flatMap(name =>
    Object.entries(asObject(data[name])).flatMap(([tag, text]) => {
      const count = countCharacters(String(text))
      if (count <= MAX_RECALL_TEXT_LENGTH) return []
      const long = problem('long', { count, most: MAX_RECALL_TEXT_LENGTH })
      const path = ['data', name, tag]
      return { path, code: 'length', message: `${formatField(path)} ${toEnglish(long)}`, [TRANSLATION]: long }
    }),
  )
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
/** A day that has begun somewhere on earth. */
const EARLIEST_ZONE_MS = 14 * 3_600_000

function readDay(from: unknown, now: Date): string | Detail {
  if (from === undefined || from === null) return now.toISOString().slice(0, 10)
  const path = ['from']
  const time = typeof from === 'string' && DAY.test(from) ? Date.parse(`${from}T00:00:00Z`) : Number.NaN
  if (typeof from !== 'string' || Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== from)
    return { path, code: 'format', message: 'from must be a day that exists, as YYYY-MM-DD.' }
  if (time > now.getTime() + EARLIEST_ZONE_MS)
    return {
      path,
      code: 'max',
      message: 'from is in the future, but a notice is shown at once. Send today or an earlier day.',
    }
  return from
}
