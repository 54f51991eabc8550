/** The fields of the product form. Files are chosen on a page of their own, which the form leaves alone. */
import type { CompleteCategory } from '../../categories/catalogue.ts'
import type { Field } from '../../categories/field.ts'
import type { Detail } from '../../kernel/errors.ts'
import { perObject } from '../../kernel/memo.ts'

const isFile = ({ format }: Field): boolean => format === 'picture_id' || format === 'document_id'

/** Lists of files that have a page of their own. */
const LISTS_OF_FILES: readonly string[] = ['pictures', 'documents']

/** The category without what the form has no inputs for. Values of other fields are not touched by it. */
export const getFormCategory = perObject(
  (category: CompleteCategory): CompleteCategory => ({
    ...category,
    fields: category.fields.filter(({ name }) => !LISTS_OF_FILES.includes(name)).map(removeFiles),
  }),
)

/** A problem of anything else is said above the form. */
export const hasFormInput = ({ path: [, name, , member] }: Pick<Detail, 'path'>): boolean =>
  !LISTS_OF_FILES.includes(String(name)) && member !== 'media'

const removeFiles = (field: Field): Field =>
  field.of?.some(isFile) ? { ...field, of: field.of.filter(member => !isFile(member)) } : field
