/** An act's days with their conditions, what units lack, and what Carnet does not check. */
import { html } from 'ghtml'
import { pointList } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { getActLists, getRuleDays } from '../product-data/rule-texts.ts'
import type { JudgedAct, JudgedRule } from './product-report.ts'

type DatedAct = Pick<JudgedAct, 'act' | 'due' | 'due_days' | 'due_question'>

/** For whom the day of the act is, and the other days; nothing if the act has one day for all. */
export function renderDueDays(words: Words, act: DatedAct): string {
  const { due_days: days = [], due_question: question } = act
  if (days.length < 2 && question === undefined) return ''
  const lists = getActLists(words, act.act, {
    days: days.map(day => day.for),
    notModelled: [],
    dueQuestion: question,
  })
  const lines = days.map((day, i) => {
    const text = words.texts.readiness.dueDay({ date: words.date(day.on), who: lists.days[i] ?? day.for })
    return html`<li>!${day.applies === true && day.on === act.due ? html`<strong>${text}</strong>` : html`${text}`}</li>`
  })
  const asked = lists.dueQuestion === undefined ? '' : html`<p>${lists.dueQuestion}</p>`
  return html`<ul class="points quiet">!${lines}</ul>!${asked}`
}

/** Shows what of the act no rule asks for; nothing if the rules are all of it. */
export function renderNotWhole(words: Words, { act, not_modelled: list = [] }: JudgedAct): string {
  if (list.length === 0) return ''
  const { notModelled } = getActLists(words, act, { days: [], notModelled: list.map(({ title }) => title) })
  const lines = list.map(({ source }, i) => `${notModelled[i]} (${source.join(', ')})`)
  return html`<p class="reach">${words.texts.readiness.notWhole}</p>!${pointList(lines)}`
}

/** Replaces "Nothing is missing" where it would mislead: why nothing counts, or what units lack. */
export function describeNothing(words: Words, act: JudgedAct): string {
  const texts = words.texts.readiness
  if (act.nothing_asked === 'units') return describeUnits(words, act.units)
  if (act.nothing_asked !== undefined) return texts.nothingAsked[act.nothing_asked]
  return act.whole ? texts.nothingMissing : texts.nothingMissingOfChecked
}

export function describeUnits({ texts: { readiness: texts } }: Words, units: JudgedAct['units']): string {
  if (units === undefined || units.asked === 0) return texts.unitsUnknown
  const { asked: count, lacking } = units
  const text = lacking === 0 ? texts.unitsComplete({ count }) : texts.unitsWithout({ count, lacking })
  return units.at_least ? `${text} ${texts.unitsInPart}` : text
}

/** Says what units lack of a rule that they answer. */
export function listUnitLines({ texts: { readiness: texts } }: Words, { units }: JudgedRule): string[] {
  if (units === undefined || units.asked === 0) return []
  const { asked: count, lacking } = units
  const text = lacking === 0 ? texts.ruleUnitsComplete({ count }) : texts.ruleUnitsWithout({ count, lacking })
  return units.at_least ? [text, texts.unitsInPart] : [text]
}

/** The rule's own day, and for whom. */
export function listDayLines(words: Words, { id, from, from_for: who }: JudgedRule): string[] {
  if (from === undefined || from === null || who === undefined) return []
  const [text = who] = getRuleDays(words, id, [who])
  return [words.texts.readiness.dueDay({ date: words.date(from), who: text })]
}
