/** Parses the answers of the EU registry that a client or a file sends: `{"results": [{…}]}`. */

import { detailJson } from '../../kernel/errors/detail-json.ts'
import { AppError, type Detail, invalid } from '../../kernel/errors/errors.ts'
import { parseDateTime } from '../../kernel/text/parse-date-time.ts'
import { isOneLine } from '../../kernel/values/characters.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { RESULT_STATES } from './entry.ts'
import type { RegistryResultRow } from './store-results.ts'

export const MAX_RESULTS = 500
export const MAX_REGISTRATION_ID_LENGTH = 200
export const MAX_MESSAGE_LENGTH = 1_000
const MAX_VERSION_NO = 999_999_999

const MEMBERS: readonly string[] = [
  'passport_id',
  'version_no',
  'state',
  'registration_id',
  'proof_valid_until',
  'message',
]

/** The rows that can be used, and an error for each other one, by their place. Throws `validation`. */
export function parseRegistryResults(sent: unknown): (RegistryResultRow | AppError)[] {
  const rows = isObject(sent) ? Object.entries(sent) : undefined
  const [name, list] = rows?.[0] ?? []
  if (rows?.length !== 1 || name !== 'results' || !Array.isArray(list))
    throw invalid([
      {
        path: ['results'],
        code: 'required',
        message: 'Send an object with results, a list, and nothing else.',
      },
    ])
  if (list.length === 0 || list.length > MAX_RESULTS)
    throw invalid([
      {
        path: ['results'],
        code: 'length',
        message: `results must have 1 to ${MAX_RESULTS} rows. Send more in several calls.`,
      },
    ])
  return list.map(parseRow)
}

function parseRow(sent: unknown, index: number): RegistryResultRow | AppError {
  const details: Detail[] = []
  const fail = (name: string | undefined, code: Detail['code'], message: string) => {
    details.push({
      path: ['results', index, ...(name === undefined ? [] : [name])],
      in: 'body',
      code,
      message,
    })
    return undefined
  }
  if (!isObject(sent)) {
    fail(undefined, 'type', 'A row must be an object.')
    return invalid(details)
  }
  const row = new Map(Object.entries(sent))
  for (const name of row.keys())
    if (!MEMBERS.includes(name))
      fail(name.slice(0, 100), 'unknown_field', `A row has only the members ${MEMBERS.join(', ')}.`)
  const passport_id = row.get('passport_id')
  const version_no = row.get('version_no')
  const state = RESULT_STATES.find(one => one === row.get('state'))
  if (typeof passport_id !== 'string')
    fail('passport_id', 'type', 'passport_id must be the id of a product, as in the line.')
  if (
    typeof version_no !== 'number' ||
    !Number.isInteger(version_no) ||
    version_no < 1 ||
    version_no > MAX_VERSION_NO
  )
    fail('version_no', 'type', 'version_no must be the number of the version in the line, from 1.')
  if (state === undefined) fail('state', 'enum', `state must be one of ${RESULT_STATES.join(', ')}.`)
  const readText = (name: string, maxLength: number) => {
    const text = row.get(name) ?? undefined
    if (text === undefined) return undefined
    if (typeof text === 'string' && text !== '' && text.length <= maxLength && isOneLine(text)) return text
    return fail(name, 'type', `${name} must be one line of 1 to ${maxLength} characters, or null.`)
  }
  const registration_id = readText('registration_id', MAX_REGISTRATION_ID_LENGTH)
  const message = readText('message', MAX_MESSAGE_LENGTH)
  const until = row.get('proof_valid_until') ?? undefined
  const proof_valid_until = typeof until === 'string' ? parseDateTime(until) : undefined
  if (until !== undefined && proof_valid_until === undefined)
    fail(
      'proof_valid_until',
      'format',
      'proof_valid_until must be a day or a time such as 2027-02-18T00:00:00Z, or null.',
    )
  if (
    details.length > 0 ||
    typeof passport_id !== 'string' ||
    typeof version_no !== 'number' ||
    state === undefined
  )
    return invalid(details)
  return { passport_id, version_no, state, registration_id, proof_valid_until, message }
}

export type ReportedResult = {
  /** From 0. */
  index: number
  passport_id: string
  version_no: number
  state: string
  outcome: 'stored' | 'unchanged'
}

/** The outcome of each row; `failed` in the order of `index`. */
export type ResultReport = { results: ReportedResult[]; failed: { index: number; error: AppError }[] }

/** Parses and stores; `store` gets the rows that can be used. */
export async function reportResults(
  sent: unknown,
  store: (
    rows: readonly RegistryResultRow[],
  ) => Promise<({ outcome: 'stored' | 'unchanged' } | { error: AppError })[]>,
): Promise<ResultReport> {
  const parsed = parseRegistryResults(sent)
  const usable = parsed.flatMap((row, index) => (row instanceof AppError ? [] : [{ row, index }]))
  const outcomes = await store(usable.map(({ row }) => row))
  const report: ResultReport = { results: [], failed: [] }
  parsed.forEach((row, index) => {
    if (row instanceof AppError) report.failed.push({ index, error: row })
  })
  usable.forEach(({ row, index }, place) => {
    const outcome = outcomes[place]
    if (outcome === undefined) return
    if ('error' in outcome) report.failed.push({ index, error: outcome.error })
    else {
      const { passport_id, version_no, state } = row
      report.results.push({ index, passport_id, version_no, state, outcome: outcome.outcome })
    }
  })
  report.failed.sort((a, b) => a.index - b.index)
  return report
}

/** The report as the API and the command line print it. */
export function formatResultReport({ results, failed }: ResultReport) {
  const count = (outcome: string) => results.filter(one => one.outcome === outcome).length
  return {
    results,
    errors: failed.map(({ index, error }) => ({
      index,
      code: error.code,
      error: error.message,
      ...(error.details === undefined ? {} : { errors: error.details.map(detailJson) }),
    })),
    summary: {
      requested: results.length + failed.length,
      stored: count('stored'),
      unchanged: count('unchanged'),
      failed: failed.length,
    },
  }
}
