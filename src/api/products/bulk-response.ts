/** The response to a bulk call: the rows that were written, the rows that failed, and how many of each. */
import { detailJson } from '../../kernel/errors/detail-json.ts'
import { AppError, type Detail, TRANSLATION } from '../../kernel/errors/errors.ts'
import type { PassportRow } from '../../passports/core/record.ts'
import {
  arrayOf,
  envelopeSchema,
  INTEGER,
  objectSchema,
  schemaRef,
  TEXT,
} from '../endpoint/documented-response.ts'
import { type AccountCall, successJson } from '../endpoint/endpoint.ts'
import { TRUNCATED_SCHEMA, WARNINGS_SCHEMA } from './record-response.ts'
import { SUMMARY_PROPERTIES, summaryJson } from './summary.ts'

type Names = { productName?: string; sku?: string; brandName?: string }

/** If `passport` has no data, the names in the summary come from `data`, the effective data. */
type BulkRow = {
  index: number
  passport: Omit<PassportRow, 'data'> & { data?: string }
  data?: Names
  warnings: readonly Detail[]
}
type FailedRow = { index: number; error: AppError }

/** `written` has the rows by outcome: `{"created": [...], "updated": [...]}`. */
export function bulkJson(
  call: AccountCall,
  written: Readonly<Record<string, readonly BulkRow[]>>,
  failed: readonly FailedRow[],
): string {
  const lists = Object.entries(written)
  const errors = failed.map(({ index, error }) => ({
    index,
    code: error.code,
    error: error.message,
    errors: error.details?.map(detail => detailJson({ ...detail, index })),
  }))
  const summary = {
    requested: lists.reduce((sum, [, rows]) => sum + rows.length, failed.length),
    ...Object.fromEntries(lists.map(([verb, rows]) => [verb, rows.length])),
    failed: failed.length,
  }
  const members = lists.map(([verb, rows]) => `"${verb}":[${rows.map(row => rowJson(call, row)).join(',')}]`)
  return successJson(
    `{${members.join(',')},"errors":${JSON.stringify(errors)},"summary":${JSON.stringify(summary)}}`,
    {
      warnings: listWarnings(lists.flatMap(([, rows]) => rows)),
      ...(call.isDryRun ? { meta: { dry_run: true } } : {}),
    },
  )
}

/**
 * The warnings of all rows, with pointers into the call. The same fibre name is listed only for the first
 * row: 500 rows of one fabric would leave no space for other warnings. Each row also has its own warnings.
 */
function listWarnings(rows: readonly BulkRow[]): Detail[] {
  const names = new Set<unknown>()
  const isNew = (warning: Detail) => {
    if (!CODES_ABOUT_NAMES.has(warning.code)) return true
    const name = warning[TRANSLATION]?.facts.found
    if (names.has(name)) return false
    names.add(name)
    return true
  }
  return rows
    .toSorted((a, b) => a.index - b.index)
    .flatMap(({ index, warnings }) => warnings.filter(isNew).map(warning => ({ ...warning, index })))
}

const CODES_ABOUT_NAMES: ReadonlySet<string> = new Set(['synonym', 'unlisted_name'])

function rowJson(call: AccountCall, { index, passport, data, warnings }: BulkRow): string {
  const { productName, sku, brandName }: Names = data ?? JSON.parse(passport.data ?? '{}')
  const names = { product_name: productName ?? null, sku: sku ?? null, brand_name: brandName ?? null }
  const summary = summaryJson(call.setup.addresses, { ...passport, ...names })
  const more = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings.map(detailJson))}`
  return `{"index":${index},${summary.slice(1, -1)}${more}}`
}

/** The error of a bulk call without a valid row: `plan_limit` if that is the only reason. */
export function bulkError(failed: readonly FailedRow[], message: string): AppError {
  const details = failed.flatMap(({ index, error }) =>
    (error.details ?? [rowDetail(index, error)]).map(detail => ({ ...detail, index })),
  )
  const first = failed[0]?.error
  if (first?.code === 'plan_limit' && failed.every(({ error }) => error.code === 'plan_limit')) {
    return new AppError('plan_limit', first.message, details)
  }
  return new AppError('validation', `${message}; errors gives the reason for each row.`, details)
}

const rowDetail = (index: number, error: AppError): Detail => ({
  path: ['items', index],
  in: 'body',
  code: error.code === 'plan_limit' ? 'plan_limit' : 'not_found',
  message: error.message,
})

/** The response schema of a bulk call whose result is the schema with this name. */
export const bulkWrittenSchema = (result: string) =>
  envelopeSchema(schemaRef(result), {
    warnings: {
      ...WARNINGS_SCHEMA,
      description: `${WARNINGS_SCHEMA.description} From all rows, each with its \`index\` and a pointer into \`items\`.`,
    },
    truncated: TRUNCATED_SCHEMA,
    meta: schemaRef('DryRun'),
  })

const details = arrayOf(schemaRef('Detail'))
const ROW_INDEX = { type: 'integer', minimum: 0, description: 'Position of the row in `items`, from 0.' }

const WRITTEN_ROWS = arrayOf(
  objectSchema(
    {
      index: ROW_INDEX,
      ...SUMMARY_PROPERTIES,
      warnings: { ...details, description: 'Warnings about this row; their pointers start at the row.' },
    },
    ['warnings'],
  ),
)

/** The schema of the result of a bulk call. Each list is in the order of `index`. */
export const bulkResultSchema = (...verbs: readonly ('created' | 'updated' | 'unchanged')[]) =>
  objectSchema({
    ...Object.fromEntries(verbs.map(verb => [verb, WRITTEN_ROWS])),
    errors: arrayOf(
      objectSchema(
        {
          index: ROW_INDEX,
          code: {
            ...TEXT,
            description: 'A code of the errors table: `validation`, `plan_limit`, `not_found` …',
          },
          error: { ...TEXT, description: 'One sentence for a person.' },
          errors: details,
        },
        ['errors'],
      ),
    ),
    summary: objectSchema({
      requested: INTEGER,
      ...Object.fromEntries(verbs.map(verb => [verb, INTEGER])),
      failed: INTEGER,
    }),
  })
