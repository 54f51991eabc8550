/** The fields that answer some rules, for a form that shows only these, with the rules' questions. */
import type { Rule } from '../../readiness/act.ts'
import { getRules } from '../../readiness/rules.ts'
import type { Words } from '../page/route.ts'
import type { AskedField, AskedFields } from '../product-data/controls.ts'
import { getRuleTexts } from '../product-data/rule-texts.ts'

/** By top-level field. Unknown rules are ignored, and of acts of another category. */
export function listAskedFields(words: Words, category: string, ids: readonly string[]): AskedFields {
  const rules = (getRules().acts.get(category) ?? []).flatMap(act => act.rules)
  const asked = new Map<string, AskedField>()
  for (const rule of rules.filter(({ id }) => ids.includes(id))) {
    const { title, question, hint, language } = getRuleTexts(words, rule)
    const about = [rule.nr === undefined ? title : `${rule.nr} · ${title}`, ...rule.source].join(' · ')
    for (const [field, { paths, rows }] of listWantedParts(rule)) {
      const before = asked.get(field)
      asked.set(field, {
        rows: Math.max(before?.rows ?? 1, rows),
        paths: new Set([...(before?.paths ?? []), ...paths]),
        questions: [...(before?.questions ?? []), { question, about, hint, language }],
      })
    }
  }
  return asked
}

type WantedPart = { paths: readonly string[]; rows: number }

/** The members of the shortest answer, by field. A GTIN is a field of models. */
function listWantedParts({ met }: Rule): ReadonlyMap<string, WantedPart> {
  const [shortest = []] = met.toSorted((a, b) => a.length - b.length)
  const parts = new Map<string, WantedPart>()
  for (const { text, field = text === '@gtin' ? 'gtin' : undefined, path } of shortest) {
    if (field === undefined) continue
    const { paths, rows } = parts.get(field) ?? { paths: [], rows: 0 }
    // `detailedComposition[component=anode]` asks for the member, and for a row of its own.
    const [, list, member] = /^(\w+)\[(\w+)[=~]/.exec(text) ?? []
    const own = list === undefined ? [] : [`${list}.${member}`]
    parts.set(field, { paths: [...paths, path ?? field, ...own], rows: rows + own.length })
  }
  return parts
}
