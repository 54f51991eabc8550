/** What is wrong with a value, in the language of the console and by the labels of its fields. */
import { type Facts, fillSentence } from '../../categories/problems.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { type DetailCode, SAID, type Said } from '../../kernel/errors.ts'
import { CHOOSE_DE, CODES_DE, KINDS_DE, PROBLEMS_DE } from '../page/faults-de.ts'
import { CHOOSE_EN, KINDS_EN, PROBLEMS_EN } from '../page/faults-en.ts'
import type { Words } from '../page/words.ts'

export type Fault = { field: string; code: DetailCode; message: string; [SAID]?: Said }

const SENTENCES = {
  en: { problems: PROBLEMS_EN, kinds: KINDS_EN, choose: CHOOSE_EN, number: String },
  de: {
    problems: PROBLEMS_DE,
    kinds: KINDS_DE,
    choose: CHOOSE_DE,
    number: (value: number | string) => withComma(value),
  },
} as const

export function faultSentence({ language }: Words, fault: Fault): string {
  const { problems, kinds, number, choose } = SENTENCES[language]
  const { key, facts } = fault[SAID] ?? { key: '', facts: {} }
  const sentence = Object.hasOwn(problems, key) ? problems[key as keyof typeof problems] : undefined
  if (key.startsWith('type') && facts.wanted === 'boolean') return choose
  if (sentence === undefined) return language === 'de' ? CODES_DE[fault.code] : fault.message
  return fillSentence(sentence, byLabels(language, pathOf(fault.field), facts), kinds, number)
}

/** Of the account's own products the one that holds the GTIN which a refusal is about. */
export function holderOf(details: readonly Fault[] = []): string | undefined {
  const said = details.map(one => one[SAID]).find(one => HELD.includes(one?.key ?? ''))
  return said === undefined ? undefined : String(said.facts.id)
}
const HELD = ['gtin_own', 'gtin_own_before']

const withComma = (value: number | string) => String(value).replace('.', ',')
/** As the labels have it: `fiberComposition[1].fiber` → `fiberComposition.fiber`. */
const pathOf = (field: string) => field.replaceAll(/\[\d+\]/g, '')

/** Names of fields and values by their labels, as far as they have any. */
function byLabels(language: Words['language'], path: string, facts: Facts): Facts {
  const labels = getLabels(language)
  const field = (name: string) => findLabel(labels, 'fields', name) ?? name
  const value = (name: string) => findLabel(labels, 'values', `${path}.${name}`) ?? name
  const parent = pathOf(String(facts.parent ?? ''))
  const each = (list: string, say: (name: string) => string) => list.split(', ').map(say).join(', ')
  const said: Record<string, (fact: string) => string> = {
    parent: () => field(parent),
    names: list => each(list, name => field(`${parent}.${name}`)),
    values: list => each(list, value),
    meant: name => (facts.parent === undefined ? value(name) : field(`${parent}.${name}`)),
    fibre: name => findLabel(labels, 'fibres', name) ?? name,
    sum: fact => SENTENCES[language].number(fact),
  }
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'string' ? (said[name]?.(fact) ?? fact) : fact,
    ]),
  )
}
