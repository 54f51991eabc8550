/** Titles, questions and hints of acts and rules in the console's language. English is in the rule files. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Words } from '../page/route.ts'
import { findText } from '../page/texts.ts'

type ActTexts = { title: string; note?: string; scope_question?: Readonly<Record<string, string>> }
type RuleTexts = {
  title: string
  question: string
  hint?: string
  note?: string
  pending?: string
  unverified?: string
}
/** `days`: for whom the days of an act or rule are, in its order. */
type Lists = { days?: readonly string[]; not_modelled?: readonly string[]; due_question?: string }
type Translations = {
  acts: Readonly<Record<string, ActTexts & Lists>>
  rules: Readonly<Record<string, RuleTexts & Lists>>
}

/** `language`: set if the texts are English because the console's language has none. */
type Translated<T> = T & { language?: 'en' }

const FOLDER = new URL('../../../locales/rules/', import.meta.url)

const TRANSLATIONS = new Map<string, Translations>(
  readdirSync(FOLDER).map(file => [
    file.slice(0, -'.json'.length),
    JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')),
  ]),
)

export function getActTexts({ language }: Words, act: ActTexts & { id: string }): Translated<ActTexts> {
  if (language === 'en') return act
  return findText(TRANSLATIONS.get(language)?.acts ?? {}, act.id) ?? { ...act, language: 'en' }
}

export function getRuleTexts({ language }: Words, rule: RuleTexts & { id: string }): Translated<RuleTexts> {
  if (language === 'en') return rule
  return findText(TRANSLATIONS.get(language)?.rules ?? {}, rule.id) ?? { ...rule, language: 'en' }
}

/** In the console's language, else in English. */
export const getRuleDays = ({ language }: Words, id: string, english: readonly string[]): readonly string[] =>
  translateList(findText(TRANSLATIONS.get(language)?.rules ?? {}, id)?.days, english)

export const getActLists = (
  { language }: Words,
  id: string,
  english: { days: readonly string[]; notModelled: readonly string[]; dueQuestion?: string | undefined },
) => {
  const found = findText(TRANSLATIONS.get(language)?.acts ?? {}, id)
  return {
    days: translateList(found?.days, english.days),
    notModelled: translateList(found?.not_modelled, english.notModelled),
    dueQuestion: english.dueQuestion && (found?.due_question ?? english.dueQuestion),
  }
}

const translateList = (
  found: readonly string[] | undefined,
  english: readonly string[],
): readonly string[] => (found?.length === english.length ? found : english)
