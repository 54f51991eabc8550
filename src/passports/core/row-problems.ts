/** Reasons to reject a row other than its data: English templates, translated by key. */
import { fillPlaceholders } from '../../i18n/catalogue.ts'
import { AppError, type Detail, type DetailCode, SAID, type Said } from '../../kernel/errors.ts'

export const ROW_PROBLEMS = {
  gtin_taken: 'gtin is already taken by another product.',
  gtin_own: 'gtin is already taken by your product {id}.',
  gtin_own_before:
    'gtin belongs to your product {id}, which bore it before: codes printed with it lead there.',
  gtin_borne:
    'The GTIN {gtin} belongs to the product {id}, which bears another one now: codes printed with it lead there. Change that product by its id.',
  sku_shared:
    'Several products bear the SKU {sku}: {ids}. Change the one you mean by its id, or match by GTIN.',
  row_twice: 'Row {row} of this call is about the same product ({field} {key}). Send each product once.',
  other_category:
    'This product is in the category {category}, which cannot change. Send that, or leave category out.',
  unstorable: 'data holds a text or number that cannot be stored.',
} as const

export type RowProblemKey = keyof typeof ROW_PROBLEMS

export function rowProblem(
  at: { field: string; pointer: string; code: DetailCode },
  key: RowProblemKey,
  facts: Said['facts'] = {},
): Detail {
  return { ...at, message: fillPlaceholders(ROW_PROBLEMS[key], facts), [SAID]: { key, facts } }
}

/** Runs `check`; its errors then point into the row at `prefix`. */
export function withPointerPrefix<T>(prefix: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw error instanceof AppError ? prefixPointers(prefix, error) : error
  }
}

export function prefixPointers(prefix: string, error: AppError): AppError {
  if (prefix === '') return error
  const details = error.details?.map(detail => ({ ...detail, pointer: prefix + detail.pointer }))
  return new AppError(error.code, error.message, details, error.retryAfterMs, error.truncated)
}
