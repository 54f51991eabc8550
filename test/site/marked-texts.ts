/** Random data in which each free text and each address is a mark that is found in any form. */
import { hash } from 'node:crypto'
import { type Field, findScalarEntry } from '../../src/categories/field.ts'
import type { PassportView } from '../../src/site/page/passport-view.ts'
import type { Body } from '../categories/arbitrary.ts'
import { renderPage } from './passport-views.ts'

/** `language`: of a translation. */
export type Mark = { path: string; mark: string; language?: string }

export function markTexts(fields: readonly Field[], data: Body): { marked: Body; texts: Mark[] } {
  const texts: Mark[] = []
  const add = (path: string, language?: string, mark = `mark${texts.length}x`): string => {
    texts.push({ path, mark, ...(language === undefined ? {} : { language }) })
    return mark
  }
  const markValue = (field: Field, value: unknown, path: string): unknown => {
    if (field.localized)
      return Object.fromEntries(Object.keys(value as Body).map(tag => [tag, add(path, tag)]))
    if (field.type === 'object') return markMembers(field.fields ?? [], value as Body, `${path}.`)
    if (field.type === 'list') return markEntries(field, value as readonly unknown[], path)
    if (field.format === 'url') return `https://${add(path)}.example/`
    if (DIGESTS.includes(field.format)) return add(path, undefined, hash('sha256', `${texts.length}`, 'hex'))
    const isFree = (field.type === 'name' || field.type === 'text') && field.format === undefined
    return isFree && field.values === undefined && path !== RULE ? add(path) : value
  }
  const markEntries = (list: Field, entries: readonly unknown[], path: string) => {
    const scalar = findScalarEntry(list)
    return entries.map(entry =>
      scalar === undefined
        ? markMembers(list.of ?? [], entry as Body, `${path}.`)
        : markValue(scalar, entry, path),
    )
  }
  const markMembers = (members: readonly Field[], body: Body, parent: string): Body =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => {
        const field = members.find(one => one.name === name)
        return [name, field === undefined ? value : markValue(field, value, parent + name)]
      }),
    )
  return { marked: markMembers(fields, data, ''), texts }
}

const DIGESTS: readonly (string | undefined)[] = ['sha256', 'picture_id', 'document_id']

/** Its values are ids of rules. */
const RULE = 'notApplicable.rule'

/** The page as readers of each of the languages get it. */
export const renderInAllLanguages = (view: PassportView, texts: readonly Mark[]): string =>
  [...new Set(['en', ...texts.flatMap(({ language }) => language ?? [])])]
    .map(tag => renderPage(view, 'en', { preferredLanguages: [tag] }))
    .join()
