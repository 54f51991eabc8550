/** Lines of passports for the EU registry, and what it answers. Carnet itself calls no registry. */
import { Readable } from 'node:stream'
import { LINE_STATES, RESULT_STATES } from '../../passports/registry/entry.ts'
import { exportRegistryLines, LINE_FORMATS, type LineFormat } from '../../passports/registry/export-lines.ts'
import {
  formatResultReport,
  MAX_MESSAGE_LENGTH,
  MAX_REGISTRATION_ID_LENGTH,
  MAX_RESULTS,
  reportResults,
} from '../../passports/registry/parse-results.ts'
import { storeRegistryResults } from '../../passports/registry/store-results.ts'
import { MAX_PASSPORT_BYTES } from '../endpoint/body-limits.ts'
import {
  arrayOf,
  closedSchema,
  dataResponse,
  INTEGER,
  NULLABLE_TEXT,
  objectSchema,
  schemaRef,
  TEXT,
} from '../endpoint/documented-response.ts'
import { defineEndpoint, successJson } from '../endpoint/endpoint.ts'
import { choiceParameter, withDefault } from '../endpoint/query-parameters.ts'

const MEDIA_TYPES: Readonly<Record<LineFormat, string>> = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  cirpass2: 'application/x-ndjson',
  'cirpass2-parents': 'application/x-ndjson',
}

export const exportRegistry = defineEndpoint({
  method: 'GET',
  path: '/registry/export',
  id: 'exportRegistry',
  tag: 'registry',
  summary: 'Get the lines for the EU registry',
  description:
    'One line for each product, without an envelope: models, then batches, then items. A line has nothing but what the public may see; a product that lacks something has none. Lines that are `ready` become `exported` when they are sent to a key with full scope, page by page, so a download that breaks loses nothing: the rest stays `ready`, and `state=exported` gives the others again. A key that may only read marks nothing. Empty if the account does not use the registry.',
  query: {
    state: withDefault(choiceParameter('Where the lines are.', LINE_STATES), 'ready'),
    format: withDefault(
      choiceParameter(
        '`jsonl`: an object `carnet-registry/1` on each line. `csv`: the same as a table. `cirpass2`, `cirpass2-parents`: payloads for the mock of the registry; lines that it cannot take are left out and stay `ready`.',
        LINE_FORMATS,
      ),
      'jsonl',
    ),
  },
  responses: {
    200: {
      description: 'The lines.',
      type: 'application/x-ndjson',
      schema: TEXT,
      others: { 'text/csv': TEXT },
    },
  },
  handle({ setup, account, query, scope }) {
    const { state, format } = query
    const lines = exportRegistryLines(setup, account, { state, format, marks: scope === 'full' })
    return {
      body: Readable.from(lines, { highWaterMark: 1 }),
      headers: { 'content-type': MEDIA_TYPES[format], 'cache-control': 'private, no-store' },
    }
  },
})

const EXAMPLE_ID = '01jd8x4z9v6w3m2k7q5r1t0s8p'

const RESULT = closedSchema(
  {
    passport_id: { ...TEXT, description: '`passportId` of the line.' },
    version_no: { ...INTEGER, minimum: 1, description: '`versionNo` of the line.' },
    state: { type: 'string', enum: RESULT_STATES },
    registration_id: { ...NULLABLE_TEXT, maxLength: MAX_REGISTRATION_ID_LENGTH },
    proof_valid_until: {
      ...NULLABLE_TEXT,
      description: 'When the proof of registration ends: a day, or a time in UTC.',
    },
    message: { ...NULLABLE_TEXT, maxLength: MAX_MESSAGE_LENGTH, description: 'Why, for people.' },
  },
  ['passport_id', 'version_no', 'state'],
)

export const importRegistryResults = defineEndpoint({
  method: 'POST',
  path: '/registry/results',
  id: 'importRegistryResults',
  tag: 'registry',
  summary: 'Store what the EU registry has answered',
  description: `For each line its state. \`version_no\` must be that of the last exported line. Each of up to ${MAX_RESULTS} rows has its own outcome: \`unchanged\` if it was known, or if the registry has said something later; an error stores nothing of its row.`,
  body: {
    maxBytes: MAX_PASSPORT_BYTES,
    schema: schemaRef('RegistryResults'),
    examples: {
      registered: {
        summary: 'A line that was registered',
        value: {
          results: [
            {
              passport_id: EXAMPLE_ID,
              version_no: 1,
              state: 'registered',
              registration_id: 'EU-2026-000184',
              proof_valid_until: '2027-02-18T00:00:00Z',
            },
          ],
        },
      },
    },
    read: (sent: unknown) => sent,
  },
  responses: {
    200: {
      ...dataResponse('The outcome of each row.', 'RegistryOutcomes', {
        results: [
          { index: 0, passport_id: EXAMPLE_ID, version_no: 1, state: 'registered', outcome: 'stored' },
        ],
        errors: [],
        summary: { requested: 1, stored: 1, unchanged: 0, failed: 0 },
      }),
      isIllustration: true,
    },
  },
  async handle({ account, body }) {
    const report = await reportResults(body, rows => storeRegistryResults(account, rows))
    return { body: successJson(JSON.stringify(formatResultReport(report))) }
  },
})

const ROW_INDEX = { ...INTEGER, minimum: 0, description: 'Position of the row in `results`, from 0.' }

export const REGISTRY_SCHEMAS = {
  RegistryResults: closedSchema({ results: { ...arrayOf(RESULT), minItems: 1, maxItems: MAX_RESULTS } }, [
    'results',
  ]),
  RegistryOutcomes: objectSchema({
    results: arrayOf(
      objectSchema({
        index: ROW_INDEX,
        passport_id: TEXT,
        version_no: INTEGER,
        state: { type: 'string', enum: RESULT_STATES },
        outcome: { type: 'string', enum: ['stored', 'unchanged'] },
      }),
    ),
    errors: arrayOf(
      objectSchema(
        {
          index: ROW_INDEX,
          code: { ...TEXT, description: '`validation`, `not_found` or `version_conflict`.' },
          error: { ...TEXT, description: 'One sentence for a person.' },
          errors: arrayOf(schemaRef('Detail')),
        },
        ['errors'],
      ),
    ),
    summary: objectSchema({ requested: INTEGER, stored: INTEGER, unchanged: INTEGER, failed: INTEGER }),
  }),
}
