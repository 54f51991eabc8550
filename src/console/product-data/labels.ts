/** Labels of fields, values and categories in the console's language, the same as on the public page. */
import { findCategory } from '../../categories/catalogue.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import type { Words } from '../page/route.ts'

/** The label of a field, else the last part of its path. */
export function getFieldLabel({ language }: Words, path: string): string {
  return findLabel(getLabels(language), 'fields', path) ?? path.split('.').at(-1) ?? path
}

export const getValueLabel = ({ language }: Words, path: string, value: string): string =>
  findLabel(getLabels(language), 'values', `${path}.${value}`) ?? value

export const getCategoryName = ({ language }: Words, id: string): string =>
  findLabel(getLabels(language), 'ui', `category.${id}`) ?? findCategory(id)?.title ?? id

/** `d.fiberComposition.1.percentage` as "Fibres 2, Share". */
export function getInputLabel(words: Words, name: string): string {
  const [first = '', ...rest] = name.split('.').slice(1)
  const index = rest.find(part => /^\d+$/.test(part))
  const path = [first, ...rest.filter(part => !/^\d+$/.test(part))].join('.')
  const top = getFieldLabel(words, first) + (index === undefined ? '' : ` ${Number(index) + 1}`)
  return path === first ? top : `${top}, ${getFieldLabel(words, path)}`
}

export function sortOptions(language: string, codes: readonly string[], name: (code: string) => string) {
  const { compare } = new Intl.Collator(language)
  return codes.map(code => [code, name(code)] as const).sort((a, b) => compare(a[1], b[1]))
}
