/** Checks the data of every write: normalises and validates it, and extracts the columns of the row. */
import { type CompleteCategory, findCategory } from '../../categories/catalogue.ts'
import { normaliseData, normaliseNewlines, validateData } from '../../categories/check/validate.ts'
import { toGtin14 } from '../../gs1/gtin.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError, assert, type Detail, invalid } from '../../kernel/errors/errors.ts'
import { buildSearchText } from '../../kernel/text/search-text.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import { requireKnownRules } from './check-declared-rules.ts'
import { rowProblem } from './row-problems.ts'

export type PassportData = Record<string, unknown>

export type CheckedData = {
  data: PassportData
  warnings: readonly Detail[]
  schemaVersion: number
  gtin14: string | null
  sku: string
  search: string
}

export const isCategory = (id: unknown): id is string =>
  typeof id === 'string' && findCategory(id) !== undefined

/** As of `schemaVersion`; default: the newest. Throws `validation`. */
export function requireCategory(id: unknown, schemaVersion?: number): CompleteCategory {
  const category = typeof id === 'string' ? findCategory(id, schemaVersion) : undefined
  if (category !== undefined) return category
  const [code, message] =
    id === undefined
      ? (['required', 'category is missing.'] as const)
      : (['enum', 'category is unknown; GET /categories lists the valid ones.'] as const)
  throw invalid([{ path: ['category'], code, message }])
}

export const normaliseSku = (sku: string) => normaliseNewlines(sku).normalize('NFC')

/**
 * Throws `validation` with every violation. `validatedWith`: the schema version of the stored data; a field
 * that became required in a later version may be missing. Without it, all of `sent` is new.
 */
export function checkData(
  category: CompleteCategory,
  sent: PassportData,
  options: { strict: boolean; validatedWith?: number; ownHost?: string | undefined },
): CheckedData {
  const data = normaliseData(sent, category)
  const { errors, warnings, truncated } = validateData(category, data, options)
  if (errors.length > 0) throw invalid(errors, truncated)
  if (options.validatedWith === undefined) requireKnownRules(data)
  const { gtin, sku, productName } = data
  assert(typeof sku === 'string' && typeof productName === 'string', 'valid data has a sku and a productName')
  const gtin14 = typeof gtin === 'string' ? toGtin14(gtin) : null
  return {
    data,
    warnings,
    schemaVersion: category.schemaVersion,
    gtin14,
    sku: normaliseSku(sku),
    search: buildSearchText([productName, sku, gtin14 ?? '']),
  }
}

/**
 * Checks a unit's data like `checkData`. Unknown inherited fields cause no warning or error, because they
 * were checked on the parent.
 */
export function checkUnitData(
  category: CompleteCategory,
  effective: PassportData,
  own: readonly string[],
  options: { strict: boolean; validatedWith: number; ownHost?: string | undefined },
): CheckedData {
  const isOwn = ({ path }: Detail) => own.includes(String(path[1] ?? ''))
  try {
    const checked = checkData(category, effective, options)
    return { ...checked, warnings: checked.warnings.filter(isOwn) }
  } catch (error) {
    if (!(error instanceof AppError) || !options.strict) throw error
    const problems = (error.details ?? []).filter(detail => detail.code !== 'unknown_field' || isOwn(detail))
    if (problems.length > 0) throw invalid(problems, error.truncated)
    return checkUnitData(category, effective, own, { ...options, strict: false })
  }
}

/** Throws `validation` unless the body's `data` is an object. */
export function requireData(data: unknown): PassportData {
  if (isObject(data)) return data
  const [code, message] =
    data === undefined
      ? (['required', 'data is missing: send the fields of the passport in an object.'] as const)
      : (['type', 'data must be an object with the fields of the passport.'] as const)
  throw invalid([{ path: ['data'], code, message }])
}

/** A field that is null counts as absent. The validator reports missing required fields. */
export const removeNulls = (data: PassportData): PassportData =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))

/** The message names `holder` unless its `id` is null: it then belongs to another account. */
export function gtinTakenError(holder?: {
  id: string | null
  isCurrent: boolean
  isReserved: boolean
}): AppError {
  const at = { path: ['data', 'gtin'], code: 'duplicate' } as const
  if (holder?.isReserved === true) {
    const message =
      'The GS1 company prefix of this GTIN belongs to another account here. Send another GTIN, or none. If the prefix is yours, ask the operator to verify your account.'
    return new AppError('gtin_taken', message, [rowProblem(at, 'gtin_reserved')])
  }
  if (holder === undefined || holder.id === null) {
    const message = 'This GTIN already belongs to another product. Send another GTIN, or none.'
    return new AppError('gtin_taken', message, [rowProblem(at, 'gtin_taken')])
  }
  const id = idFromUuid(holder.id)
  const message = holder.isCurrent
    ? `This GTIN already belongs to your product ${id}. Send another GTIN, or none.`
    : `Your product ${id} had this GTIN before, and printed codes still lead to it. Send another GTIN, or none.`
  return new AppError('gtin_taken', message, [
    rowProblem(at, holder.isCurrent ? 'gtin_own' : 'gtin_own_before', { id }),
  ])
}
