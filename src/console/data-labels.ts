/** What fields and their values are called, as the public page has them. */
import { label, labelsFor } from '../i18n/catalogue.ts'
import type { Words } from './texts.ts'

/** The label of a field by its path. */
export function labelOf({ language }: Words, path: string): string {
  return label(labelsFor(language), 'fields', path) ?? path.split('.').at(-1) ?? path
}

export const valueLabel = ({ language }: Words, path: string, value: string): string =>
  label(labelsFor(language), 'values', `${path}.${value}`) ?? value
