/** The fields of the product form. Files are chosen on a page of their own, which the form leaves alone. */
import type { CompleteCategory } from '../../categories/catalogue.ts'
import type { Field } from '../../categories/field.ts'
import type { Detail } from '../../kernel/errors/errors.ts'
import { perObject } from '../../kernel/values/memo.ts'

export const isFileField = ({ format }: Pick<Field, 'format'>): boolean =>
  format === 'picture_id' || format === 'document_id'

/** Lists of files that have a page of their own. */
const LISTS_OF_FILES: readonly string[] = ['pictures', 'documents']

export const isListOfFiles = (name: string): boolean => LISTS_OF_FILES.includes(name)

/** The category without what the form has no inputs for. Values of other fields are not touched by it. */
export const getFormCategory = perObject(
  (category: CompleteCategory): CompleteCategory => ({
    ...category,
    fields: category.fields.filter(({ name }) => !LISTS_OF_FILES.includes(name)).map(removeFiles),
  }),
)

/** The fields of the page of files. Of other lists it has only the file of each entry. */
export const listFileFields = perObject(({ fields }: CompleteCategory): readonly Field[] =>
  fields.flatMap(field => {
    if (LISTS_OF_FILES.includes(field.name)) return [field]
    const of = field.of?.filter(isFileField) ?? []
    return of.length === 0 ? [] : [{ ...field, of }]
  }),
)

/** A problem of anything else is said above the form with these fields. */
export function hasFormInput(
  fields: readonly Field[],
  { path: [, name, , member] }: Pick<Detail, 'path'>,
): boolean {
  if (!LISTS_OF_FILES.includes(String(name)) && member !== 'media') return true
  return fields.some(field => field.name === name && field.of?.some(isFileField) === true)
}

const removeFiles = (field: Field): Field =>
  field.of?.some(isFileField) ? { ...field, of: field.of.filter(member => !isFileField(member)) } : field
