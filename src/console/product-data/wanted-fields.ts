/** Which acts want a field, for the form: "Battery passport, point 14". */
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { perObject } from '../../kernel/values/memo.ts'
import type { Act, Rule } from '../../readiness/act.ts'
import { getRules, type Rules } from '../../readiness/rules.ts'
import type { Words } from '../page/route.ts'
import { getActTexts } from './rule-texts.ts'

/** More would not fit a line. */
const MAX_NAMED_ACTS = 2

const getKnown = perObject((_: Rules) => new Map<string, ReadonlyMap<string, string>>())

/** By top-level field. Only acts that need no choice of the account, and are more than a framework. */
export function listWantedFields(words: Words, { id }: CompleteCategory): ReadonlyMap<string, string> {
  const rules = getRules()
  const known = getKnown(rules)
  const key = `${id} ${words.language}`
  const wanted = known.get(key) ?? describeWantedFields(words, rules.acts.get(id) ?? [])
  known.set(key, wanted)
  return wanted
}

function describeWantedFields(words: Words, acts: readonly Act[]): ReadonlyMap<string, string> {
  const wanting = (['in_force', 'draft'] as const).flatMap(status =>
    acts.filter(act => act.activation === 'auto' && act.status === status),
  )
  const lines = new Map<string, string[]>()
  for (const act of wanting)
    for (const [field, rules] of groupByField(act)) {
      const named = lines.get(field) ?? []
      if (named.length < MAX_NAMED_ACTS) lines.set(field, [...named, nameAct(words, act, rules)])
    }
  return new Map(Array.from(lines, ([field, named]) => [field, named.join(' · ')]))
}

function groupByField(act: Act): Map<string, Rule[]> {
  const byField = new Map<string, Rule[]>()
  for (const rule of act.rules) {
    if (!isWanted(rule, act)) continue
    const fields = new Set(rule.paths.map(path => path.split('.', 1)[0] ?? ''))
    for (const field of fields) byField.set(field, [...(byField.get(field) ?? []), rule])
  }
  return byField
}

const isWanted = (rule: Rule, { scopes }: Act): boolean =>
  [...scopes.keys()].some(scope => !['excluded', 'pending'].includes(rule.severityIn(scope)))

function nameAct(words: Words, act: Act, rules: readonly Rule[]): string {
  const texts = words.texts.readiness
  const { title } = getActTexts(words, act)
  const points = rules.flatMap(({ nr }) => nr ?? [])
  if (points.length === 0) return title
  const list = points.join(', ')
  return `${title}, ${points.length === 1 ? texts.point({ n: list }) : texts.points({ list })}`
}

const getEmptyAnswers = perObject((rules: Rules) => {
  const facts = [...rules.acts].flatMap(([category, acts]) =>
    acts
      .flatMap(act => act.rules.flatMap(rule => [...rule.met, ...rule.partial].flat()))
      .map(({ text }) => `${category} ${text}`),
  )
  return new Set(facts)
})

/** Returns true if an empty list says something: that somebody looked, and there are none. */
export const isEmptyAnswer = (category: string, field: string): boolean =>
  getEmptyAnswers(getRules()).has(`${category} ${field}?`)
