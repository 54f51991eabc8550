/** Explains a problem in a product's data, in the console's language and with the labels of its fields. */
import type { Facts, ProblemKey } from '../../categories/problems.ts'
import { findLabel, getLabels } from '../../i18n/catalogue.ts'
import { formatField } from '../../kernel/errors/detail-json.ts'
import { type Detail, type Path, TRANSLATION } from '../../kernel/errors/errors.ts'
import type { RowProblemKey } from '../../passports/core/row-problems.ts'
import type { Words } from '../page/route.ts'
import { findText, renderText, type Text } from '../page/texts.ts'
import { formatPlainNumber } from './parse-value.ts'

/** `field`: only in a row's error, where it names a column. */
type DataProblem = Pick<Detail, 'code' | 'message' | typeof TRANSLATION> &
  ({ path: Path } | { field: string })

export function explainProblem(words: Words, fault: DataProblem): string {
  const { problemCodes, kinds, chooseYesOrNo } = words.texts
  const problems: Readonly<Record<ProblemKey | RowProblemKey, Text>> = words.texts.problems
  const { key, facts } = fault[TRANSLATION] ?? { key: '', facts: {} }
  if (key.startsWith('type') && facts.wanted === 'boolean') return chooseYesOrNo
  const text = findText(problems, key)
  // The stored message is English, and says more than the code.
  if (text === undefined) return words.language === 'en' ? fault.message : problemCodes[fault.code]
  const values = Object.entries(
    labelFacts(words, toLabelPath('field' in fault ? fault.field : formatField(fault.path)), facts),
  ).map(([name, fact]) => {
    if (typeof fact === 'number') return [name, formatPlainNumber(words, fact)]
    return [name, KIND_FACTS.has(name) ? (findText(kinds, fact) ?? fact) : fact]
  })
  return renderText(text, Object.fromEntries(values))
}

/** The ID of the account's own product that already uses the GTIN, if that is the problem. */
export function findGtinHolder(details: readonly DataProblem[] = []): string | undefined {
  const said = details.map(one => one[TRANSLATION]).find(one => GTIN_TAKEN_KEYS.includes(one?.key ?? ''))
  return said === undefined ? undefined : String(said.facts.id)
}
const GTIN_TAKEN_KEYS = ['gtin_own', 'gtin_own_before']

const KIND_FACTS = new Set(['wanted', 'kind'])

/** The key of the labels: `fiberComposition[1].fiber` → `fiberComposition.fiber`. */
export const toLabelPath = (field: string) => field.replaceAll(/\[\d+\]/g, '')

/** Replaces names of fields and values by their labels. */
function labelFacts(words: Words, path: string, facts: Facts): Facts {
  const labels = getLabels(words.language)
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
    sum: fact => formatPlainNumber(words, fact),
  }
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'string' ? (said[name]?.(fact) ?? fact) : fact,
    ]),
  )
}
