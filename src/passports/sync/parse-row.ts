/** Parses a row of a sync: the model it means, and all errors that need no look-up. */
import { findCategory } from '../../categories/catalogue.ts'
import { toEnglish } from '../../categories/problems.ts'
import { FORMAT_RULES } from '../../categories/schema/formats.ts'
import { isGtin, toGtin14 } from '../../gs1/gtin.ts'
import { collectErrors } from '../../kernel/errors/collect-errors.ts'
import { AppError, type Detail, invalid, invalidField } from '../../kernel/errors/errors.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import {
  checkData,
  normaliseSku,
  type PassportData,
  removeNulls,
  requireCategory,
  requireData,
} from '../core/check-data.ts'
import type { BulkRow } from '../core/state.ts'

export const MATCH_BY = ['sku', 'gtin'] as const
export type MatchBy = (typeof MATCH_BY)[number]

export type SyncRow = {
  index: number
  matchBy: MatchBy
  /** A normalised SKU, or a GTIN-14; null for a text that no model can have. */
  key: string | null
  /** Where the key was sent. */
  keyPlace: Pick<Detail, 'path' | 'in'>
  /** Undefined if not sent; required for a new model. */
  category: unknown
  data: PassportData
  /** Fields of a new model that `data` lacks. */
  defaults: PassportData
  /** Checks `If-Match`; undefined: no model matches the row. */
  expects: (current: BulkRow | undefined) => boolean
}

const MEMBERS = ['category', 'data', 'match_by']

/**
 * Parses `{category?, data, match_by?}`, or throws the error of reading the row; `validation` with every
 * violation.
 */
export function parseSyncRow(
  sent: unknown,
  index: number,
  call: { matchBy: MatchBy; strict: boolean },
): SyncRow {
  if (sent instanceof AppError) throw sent
  if (!isObject(sent)) throw invalidField([], 'type', 'A row must be an object with category and data.')
  const { matchBy, data } = collectErrors({
    members: () => rejectUnknownMembers(sent),
    matchBy: () => (sent.match_by === undefined ? call.matchBy : requireMatchBy(sent.match_by)),
    data: () => requireData(sent.data),
  })
  const key = parseMatchKey(matchBy, data[matchBy])
  if (key === null) throw explainUnmatchable(sent.category, data, matchBy, call.strict)
  return {
    index,
    matchBy,
    key,
    keyPlace: { path: ['data', matchBy] },
    category: sent.category,
    data,
    defaults: {},
    expects: () => true,
  }
}

export type AddressedRow = Pick<SyncRow, 'matchBy' | 'category' | 'data' | 'expects'> & { address: string }

/** A row that is a whole request: its key is in the address and is added to the data of a new model. */
export function parseAddressedRow({ address, matchBy, ...rest }: AddressedRow): SyncRow {
  return {
    ...rest,
    index: 0,
    matchBy,
    key: parseMatchKey(matchBy, address),
    keyPlace: { path: [matchBy], in: 'path' },
    defaults: { [matchBy]: address },
  }
}

/** Throws `validation` if `data` has another key than the address. */
export function requireSameKey({ matchBy, key, data, defaults }: SyncRow): void {
  if (!Object.hasOwn(defaults, matchBy) || !Object.hasOwn(data, matchBy)) return
  const sent = parseMatchKey(matchBy, data[matchBy])
  if (sent !== null && sent === key) return
  const message = `${matchBy} in data differs from the one in the address. Send the same one, or leave it out. To change it, use PATCH.`
  throw invalidField(['data', matchBy], 'immutable', message)
}

function parseMatchKey(matchBy: MatchBy, value: unknown): string | null {
  if (!isKeyText(value)) return null
  if (matchBy === 'sku') return normaliseSku(value)
  return isGtin(value) ? toGtin14(value) : null
}

/** PostgreSQL stores no NUL and no lone surrogate; the validator rejects both. */
export const isKeyText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.isWellFormed() && !value.includes('\0')

/** The error of a row without a usable key, with all its other errors. */
function explainUnmatchable(
  category: unknown,
  data: PassportData,
  matchBy: MatchBy,
  strict: boolean,
): unknown {
  const known = typeof category === 'string' ? findCategory(category) : undefined
  // With a known category, `checkData` reports a missing SKU.
  const isOwnFault = matchBy === 'gtin' || known === undefined
  try {
    collectErrors({
      key: () => {
        if (isOwnFault && (data[matchBy] === undefined || data[matchBy] === null)) {
          const message = `${matchBy} is missing; it identifies the product of this row.`
          throw invalidField(['data', matchBy], 'required', message)
        }
      },
      category: () => (category === undefined ? undefined : requireCategory(category)),
      data: () => (known === undefined ? undefined : checkData(known, removeNulls(data), { strict })),
    })
  } catch (error) {
    return error
  }
  const { gtin } = data
  const wrong =
    matchBy === 'gtin' && typeof gtin === 'string' ? FORMAT_RULES.gtin.findViolation(gtin) : undefined
  const message = `${matchBy} ${wrong ? toEnglish(wrong.problem) : 'cannot be looked up.'}`
  return invalidField(['data', matchBy], wrong?.code ?? 'format', message)
}

function rejectUnknownMembers(row: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(row).filter(name => !MEMBERS.includes(name))
  if (unknown.length === 0) return
  throw invalid(
    unknown.map(sent => {
      const name = sent.toWellFormed().slice(0, 100)
      const message = `${name} is not a member of a row. A row has ${MEMBERS.join(', ')}.`
      return { path: [name], code: 'unknown_field', message }
    }),
  )
}

function requireMatchBy(value: unknown): MatchBy {
  const found = MATCH_BY.find(field => field === value)
  if (found !== undefined) return found
  const message = `match_by must be one of ${MATCH_BY.join(', ')}.`
  throw invalidField(['match_by'], 'enum', message)
}
