/** Explains a problem in a product's data, in the console's language and with the labels of its fields. */
import { type Facts, fillSentence } from '../../categories/problems.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { type DetailCode, SAID, type Said } from '../../kernel/errors.ts'
import { CHOOSE_DE, CODES_DE, KINDS_DE, PROBLEMS_DE } from '../page/faults-de.ts'
import { CHOOSE_EN, KINDS_EN, PROBLEMS_EN } from '../page/faults-en.ts'
import type { Words } from '../page/words.ts'

export type DataProblem = { field: string; code: DetailCode; message: string; [SAID]?: Said }

const SENTENCES = {
  en: { problems: PROBLEMS_EN, kinds: KINDS_EN, choose: CHOOSE_EN, number: String },
  de: {
    problems: PROBLEMS_DE,
    kinds: KINDS_DE,
    choose: CHOOSE_DE,
    number: (value: number | string) => formatWithComma(value),
  },
} as const

export function explainProblem({ language }: Words, fault: DataProblem): string {
  const { problems, kinds, number, choose } = SENTENCES[language]
  const { key, facts } = fault[SAID] ?? { key: '', facts: {} }
  const sentence = Object.hasOwn(problems, key) ? problems[key as keyof typeof problems] : undefined
  if (key.startsWith('type') && facts.wanted === 'boolean') return choose
  if (sentence === undefined) return language === 'de' ? CODES_DE[fault.code] : fault.message
  return fillSentence(sentence, labelFacts(language, toLabelPath(fault.field), facts), kinds, number)
}

/** The ID of the account's own product that already uses the GTIN, if that is the problem. */
export function findGtinHolder(details: readonly DataProblem[] = []): string | undefined {
  const said = details.map(one => one[SAID]).find(one => GTIN_TAKEN_KEYS.includes(one?.key ?? ''))
  return said === undefined ? undefined : String(said.facts.id)
}
const GTIN_TAKEN_KEYS = ['gtin_own', 'gtin_own_before']

const formatWithComma = (value: number | string) => String(value).replace('.', ',')
/** The key of the labels: `fiberComposition[1].fiber` → `fiberComposition.fiber`. */
const toLabelPath = (field: string) => field.replaceAll(/\[\d+\]/g, '')

/** Replaces names of fields and values by their labels. */
function labelFacts(language: Words['language'], path: string, facts: Facts): Facts {
  const labels = getLabels(language)
  const field = (name: string) => findLabel(labels, 'fields', name) ?? name
  const value = (name: string) => findLabel(labels, 'values', `${path}.${name}`) ?? name
  const parent = toLabelPath(String(facts.parent ?? ''))
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
