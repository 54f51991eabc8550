/** The schemas and examples of events in the API's documentation. */
import { MAX_EVENT_NOTE_LENGTH, MAX_PARTS, MAX_REFERENCE_LENGTH } from '../../passports/life/check-event.ts'
import {
  arrayOf,
  closedSchema,
  DATE_TIME,
  INTEGER,
  NULLABLE_TEXT,
  objectSchema,
  schemaRef,
  TEXT,
} from '../endpoint/documented-response.ts'
import { ID_SCHEMA } from '../products/summary.ts'

const KIND = { ...TEXT, description: 'A kind of event of the category, or `correction`.' }
const AT = {
  ...TEXT,
  description: 'A day, or a time with its offset. At most five minutes ahead. A correction without it: now.',
}
const NOTE = {
  type: 'object',
  additionalProperties: { ...TEXT, maxLength: MAX_EVENT_NOTE_LENGTH },
  description: 'A text for each language, at most 2,000 characters each. A correction needs it.',
}
const REFERENCE = { ...TEXT, maxLength: MAX_REFERENCE_LENGTH, description: 'An order number, in one line.' }
const PARTS = {
  type: 'array',
  maxItems: MAX_PARTS,
  items: closedSchema(
    { name: TEXT, partNumber: TEXT, serial: TEXT, passportUrl: { ...TEXT, format: 'uri' } },
    ['name'],
  ),
  description: 'The parts that it is about, if the kind has them.',
}
const BY = {
  ...closedSchema({ name: TEXT, country: { ...TEXT, pattern: '^[A-Z]{2}$' } }, ['name']),
  description: 'Who did the work. Do not name people.',
}
const PUBLIC = { enum: [false], description: 'Hides it from the public, where the kind would show it.' }
const REPLACEMENT = closedSchema(
  { kind: KIND, at: AT, note: NOTE, reference: REFERENCE, parts: PARTS, by: BY, public: PUBLIC },
  ['kind', 'at'],
)

const EVENT_MEMBERS = {
  ...REPLACEMENT.properties,
  corrects: {
    ...INTEGER,
    minimum: 1,
    description: 'The number of the event that a `correction` is about. The last correction of it counts.',
  },
  event: { ...REPLACEMENT, description: 'Of a `correction`: the event that stands in its place.' },
}

const NEW_EVENT = closedSchema(EVENT_MEMBERS, ['kind'])

export const NEW_UNIT_EVENT = closedSchema(
  {
    serial: { ...TEXT, description: 'Of the item.' },
    lot: { ...TEXT, description: 'Of the batch.' },
    id: { ...TEXT, description: 'Of the item or batch. Each row has `serial`, `lot` or `id`.' },
    ...EVENT_MEMBERS,
  },
  ['kind'],
)

const LIFE_EVENT = {
  number: { ...INTEGER, minimum: 1, description: 'In the log of the product, without a gap.' },
  kind: KIND,
  at: TEXT,
  stored_at: DATE_TIME,
  note: { ...NOTE, type: ['object', 'null'] },
  reference: NULLABLE_TEXT,
  parts: PARTS,
  by: { ...BY, type: ['object', 'null'] },
  recorded_by: { ...TEXT, description: 'The key, the person or the access link.' },
  audience: {
    ...arrayOf({ ...TEXT, enum: ['public', 'legitimate_interest', 'authority'] }),
    description: 'Who may see it, beside your account.',
  },
  corrects: { type: ['integer', 'null'], description: 'Of a correction.' },
  event: { type: ['object', 'null'], description: 'Of a correction: the event that stands in its place.' },
  corrected_by: { type: ['integer', 'null'], description: 'The number of its last correction.' },
  hash: { ...TEXT, description: 'Covers the event and the hash of the event before.' },
}

export const LIFE_EVENT_SCHEMAS = {
  NewLifeEvent: NEW_EVENT,
  LifeEvent: objectSchema(LIFE_EVENT),
  AddedLifeEvents: objectSchema({
    stored: arrayOf(objectSchema({ index: INTEGER, product_id: ID_SCHEMA, ...LIFE_EVENT })),
    errors: arrayOf(
      objectSchema({ index: INTEGER, code: TEXT, error: TEXT, errors: arrayOf(schemaRef('Detail')) }, [
        'errors',
      ]),
    ),
    summary: objectSchema({ requested: INTEGER, stored: INTEGER, failed: INTEGER }),
  }),
}

export const EXAMPLE_EVENT_BODY = {
  kind: 'part_replaced',
  at: '2026-11-20',
  note: { en: 'Replaced module 4.', de: 'Modul 4 getauscht.' },
  reference: 'W-2213',
  parts: [{ name: 'Module 4', partNumber: 'M-48-4', serial: '8841' }],
  by: { name: 'Werkstatt Kiel', country: 'DE' },
}

export const EXAMPLE_CORRECTION = {
  kind: 'correction',
  corrects: 1,
  note: { en: 'It was another battery.' },
}

const { kind, at, note, reference, parts, by } = EXAMPLE_EVENT_BODY

export const EXAMPLE_EVENT = {
  number: 3,
  kind,
  at,
  stored_at: '2026-11-20T14:02:11.480Z',
  note,
  reference,
  parts,
  by,
  recorded_by: 'ERP',
  audience: ['legitimate_interest'],
  corrects: null,
  event: null,
  corrected_by: null,
  hash: '9f2c4a5e0d3b7c61f8a29e4db05c7716a3e8f1d24b6c9057e1ad38f46b20c95d',
}

export const EXAMPLE_UNIT_EVENT = {
  serial: 'SN0001',
  kind: 'inspection',
  at: '2026-11-20',
  note: { en: 'No findings.' },
}
