/** Parts that the product's page and the page of its readiness share: title, state and bar. */
import { html } from 'ghtml'
import { requireCategory } from '../../passports/core/check-data.ts'
import type { Words } from '../page/route.ts'
import { findText } from '../page/texts.ts'
import { getFieldLabel } from '../product-data/labels.ts'
import { getActTexts } from '../product-data/rule-texts.ts'
import type { JudgedAct, UndeterminedAct } from './product-report.ts'

/** The title, and the language attribute of a title that has no translation. */
export function renderActTitle(words: Words, { act, title }: { act: string; title: string }): string {
  const texts = getActTexts(words, { id: act, title })
  return texts.language === undefined
    ? html`${texts.title}`
    : html`<span lang="${texts.language}">${texts.title}</span>`
}

/**
 * The facts that decide whether the act applies, with labels for names of fields, and the fields that it
 * names.
 */
export function describeQuestion(
  words: Words,
  category: string,
  { act, title, undetermined, question = '' }: UndeterminedAct,
): { question: string; fields: readonly string[] } {
  const { scope_question = {} } = getActTexts(words, { id: act, title })
  const translated = undetermined.map(scope => findText(scope_question, scope)).find(one => one !== undefined)
  const names = requireCategory(category).fields.map(({ name }) => name)
  const fields: string[] = []
  const text = (translated ?? question).replaceAll(/\w+/g, word => {
    if (!names.includes(word)) return word
    fields.push(word)
    return getFieldLabel(words, word)
  })
  return { question: [words.texts.readiness.undetermined, text].join(' ').trimEnd(), fields }
}

/** Such as "In force, due from 18 Feb 2027, 88 days left". */
export function describeActState(
  words: Words,
  { status, duty, due, days_left }: Pick<JudgedAct, 'status' | 'duty' | 'due' | 'days_left'>,
): string {
  const texts = words.texts.readiness
  const isAhead = days_left !== null && days_left > 0
  return [
    texts.statuses[status],
    ...(duty === 'passport' ? [] : [texts.duties[duty]]),
    ...(due === null ? [] : [(isAhead ? texts.dueFrom : texts.since)({ date: words.date(due) })]),
    ...(isAhead ? [texts.daysLeft({ count: days_left })] : []),
  ].join(', ')
}

/** Such as "13 of 32, 40 %"; if nothing counts, why. */
export const describeScore = (words: Words, { met, total, percent, nothing_asked }: JudgedAct): string =>
  nothing_asked === undefined
    ? words.texts.readiness.score({ met, total, percent: words.percent(percent / 100) })
    : words.texts.readiness.nothingAsked[nothing_asked]

/** `label`: the id of the element that names the bar. */
export const renderBar = ({ met, total }: JudgedAct, label: string): string =>
  total === 0 ? '' : html`<meter aria-labelledby="${label}" min="0" max="${total}" value="${met}"></meter>`
