/** Fields of a recall notice or an event, which are checked by the rules of passport data. */
import type { CompleteCategory } from './catalogue.ts'
import type { Field } from './field.ts'

/** Its first language is the one in which texts are required. */
const LANGUAGES: Field = {
  name: 'languages',
  type: 'list',
  description: 'Languages of the texts.',
  of: [{ name: '', type: 'name', format: 'language', description: '' }],
}

/** `languages` must be among the data that is checked. */
export const withLanguages = (id: string, title: string, fields: readonly Field[]): CompleteCategory => ({
  id,
  title,
  schemaVersion: 1,
  fields: [LANGUAGES, ...fields],
  sections: [],
})
