/** What is wrong with a value, in the language of the console. English has the verb's own sentence. */
import { type Facts, saying } from '../../categories/problems.ts'
import { label, labelsFor } from '../../i18n/catalogue.ts'
import { type DetailCode, SAID, type Said } from '../../kernel/errors.ts'
import type { Words } from '../texts.ts'
import { CODES_DE, KINDS_DE, PROBLEMS_DE } from './faults-de.ts'

export type Fault = { field: string; code: DetailCode; message: string; [SAID]?: Said }

export function faultSentence({ language }: Words, fault: Fault): string {
  if (language !== 'de') return fault.message
  const { key, facts } = fault[SAID] ?? { key: '', facts: {} }
  const sentence = Object.hasOwn(PROBLEMS_DE, key) ? PROBLEMS_DE[key as keyof typeof PROBLEMS_DE] : undefined
  if (sentence === undefined) return CODES_DE[fault.code]
  return saying(sentence, inGerman(pathOf(fault.field), facts), KINDS_DE, withComma)
}

const withComma = (value: number | string) => String(value).replace('.', ',')
/** As the labels have it: `fiberComposition[1].fiber` → `fiberComposition.fiber`. */
const pathOf = (field: string) => field.replaceAll(/\[\d+\]/g, '')

/** Names of fields and values by their labels, as far as they have any. */
function inGerman(path: string, facts: Facts): Facts {
  const labels = labelsFor('de')
  const field = (name: string) => label(labels, 'fields', name) ?? name
  const value = (name: string) => label(labels, 'values', `${path}.${name}`) ?? name
  const parent = pathOf(String(facts.parent ?? ''))
  const each = (list: string, say: (name: string) => string) => list.split(', ').map(say).join(', ')
  const said: Record<string, (fact: string) => string> = {
    parent: () => field(parent),
    names: list => each(list, name => field(`${parent}.${name}`)),
    values: list => each(list, value),
    meant: name => (facts.parent === undefined ? value(name) : field(`${parent}.${name}`)),
    sum: withComma,
  }
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'string' ? (said[name]?.(fact) ?? fact) : fact,
    ]),
  )
}
