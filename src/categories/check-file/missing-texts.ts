/** Counts the labels that a category's file does not have in a language of the Union. */
import { LANGUAGES } from '../../i18n/catalogue.ts'
import { isObject } from '../../kernel/values/data-object.ts'
import type { CategoryFile } from '../category-file.ts'

/** Languages that lack any, with how many. Empty for a file without labels, as the bundled ones are. */
export function countMissingTexts({ sections, fields }: CategoryFile): { language: string; count: number }[] {
  const texts = [...listTexts(sections), ...listTexts(fields)]
  return LANGUAGES.map(({ code: language }) => ({
    language,
    count: texts.filter(text => !Object.hasOwn(text, language)).length,
  })).filter(({ count }) => count > 0)
}

/** All objects of texts under `label`, `hint` and the names of `values`. */
function listTexts(value: unknown): object[] {
  if (Array.isArray(value)) return value.flatMap(listTexts)
  if (!isObject(value)) return []
  return Object.values(value).flatMap(member =>
    isObject(member) && typeof member.en === 'string' ? [member] : listTexts(member),
  )
}
