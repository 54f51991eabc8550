/** Reasons to reject a row other than its data, as English templates with keys for translations. */
import { fillPlaceholders } from '../../i18n/catalogue.ts'
import {
  type AppError,
  type Detail,
  TRANSLATION,
  type TranslatableMessage,
} from '../../kernel/errors/errors.ts'

export const ROW_PROBLEMS = {
  gtin_taken: 'gtin is already taken by another product.',
  gtin_reserved: 'gtin has a GS1 company prefix that belongs to another account here.',
  gtin_own: 'gtin is already taken by your product {id}.',
  gtin_own_before: 'gtin was used by your product {id} before, and printed codes still lead to it.',
  gtin_borne:
    'Your product {id} had the GTIN {gtin} before and has another one now; printed codes still lead to it. Change that product by its id.',
  sku_shared:
    'Several products have the SKU {sku}: {ids}. Change the one you mean by its id, or match by GTIN.',
  row_twice: 'Row {row} of this call is about the same product ({field} {key}). Send each product once.',
  other_category:
    'This product is in the category {category}, which cannot change. Send that category, or leave it out.',
  unknown_picture: 'This account has no picture {media} that is ready. POST /media stores one.',
  unknown_document: 'This account has no document {media} that is ready. POST /media stores one.',
  withdrawn_file:
    'The operator of this service has withdrawn the file {media}. Remove the reference, or send another file.',
  unstorable: 'data contains text or a number that cannot be stored.',
} as const

/** `index` is the position of the row in the call. */
export type RowRejection = { index: number; error: AppError }

export const byIndex = (a: { index: number }, b: { index: number }) => a.index - b.index

export type RowProblemKey = keyof typeof ROW_PROBLEMS

export function rowProblem(
  at: Pick<Detail, 'path' | 'in' | 'code'>,
  key: RowProblemKey,
  facts: TranslatableMessage['facts'] = {},
): Detail {
  return { ...at, message: fillPlaceholders(ROW_PROBLEMS[key], facts), [TRANSLATION]: { key, facts } }
}
