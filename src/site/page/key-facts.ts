/** The facts that open a page: made of, made where, repairable, at the end of life. */
import { html } from 'ghtml'
import type { Fact, Field } from '../../categories/field.ts'
import { isObject } from '../../categories/value.ts'
import { toLowerWithinPhrase } from '../../i18n/catalogue.ts'
import { formatPercent } from '../../i18n/format.ts'
import { sharesOf } from './blocks.ts'
import type { Data, Reading } from './passport-view.ts'
import { findLink, inlineValue, inlineWords, siteLink, type Wording, wordsOf } from './values.ts'

/** `body` is ready HTML. */
export type KeyFact = { title: string; body: string }

const MOST_PARTS = 3
const SENTENCE_LENGTH_MAX = 140

export function keyFacts(wording: Wording, reading: Reading): KeyFact[] {
  const { ui } = wording.labels
  const found = listFacts(reading.category.fields, reading.data)
  const repair = found.get('repairable')
  const facts = [
    { title: ui['fact.madeOf'], body: madeOf(wording, found.get('madeOf')) },
    { title: ui['fact.madeWhere'], body: scalar(wording, found.get('madeWhere')) },
    ...(repair === undefined
      ? []
      : [
          {
            title: ui['fact.repairable'],
            body: repairable(wording, repair.value, found.get('spareParts')?.value),
          },
        ]),
    { title: ui['fact.endOfLife'], body: endOfLife(wording, found.get('endOfLife')?.value) },
  ]
  return facts.map(fact => (fact.body === '' ? { ...fact, body: html`${ui.notSpecified}` } : fact))
}

/** A field that answers a fact, with its value, which may be missing. */
type Answer = { field: Field; path: string; value: unknown }

/** The fields that answer facts, also those inside of objects. */
function listFacts(fields: readonly Field[], data: Data, parent = ''): Map<Fact, Answer> {
  const facts = new Map<Fact, Answer>()
  for (const field of fields) {
    const path = parent + field.name
    const value = Object.hasOwn(data, field.name) ? data[field.name] : undefined
    if (field.fact !== undefined) facts.set(field.fact, { field, path, value })
    const members = isObject(value) ? value : {}
    for (const [fact, answer] of listFacts(field.fields ?? [], members, `${path}.`)) facts.set(fact, answer)
  }
  return facts
}

function scalar(wording: Wording, answer: Answer | undefined): string {
  if (answer?.value === undefined) return ''
  return inlineValue(wording, answer.field, answer.path, answer.value)
}

/** The largest shares of what adds up to 100; a battery's chemistry. */
function madeOf(wording: Wording, answer: Answer | undefined): string {
  const { language } = wording
  if (answer?.field.sumsTo100 === undefined) return scalar(wording, answer)
  const { field, path, value } = answer
  if (!Array.isArray(value)) return ''
  const shares = sharesOf(wording, field, path, value).toSorted((a, b) => b.percentage - a.percentage)
  const parts = shares.slice(0, MOST_PARTS).map(({ name, isLabel, percentage }) => {
    const words = isLabel ? toLowerWithinPhrase(language, name) : name
    return html`${formatPercent(language, percentage)} !${words}`
  })
  return parts.join(', ') + (shares.length > MOST_PARTS ? ' …' : '')
}

function repairable({ labels }: Wording, isRepairable: unknown, hasParts: unknown): string {
  if (typeof isRepairable !== 'boolean') return ''
  if (!isRepairable) return html`${labels.ui.no}`
  return html`${labels.ui[hasParts === true ? 'repairable.withParts' : 'repairable.withoutParts']}`
}

/** The first sentence of the recycling instructions; the whole of them stands further down. */
function endOfLife(wording: Wording, instructions: unknown): string {
  const words = wordsOf(wording, instructions)
  if (words === undefined) return ''
  const url = findLink(words.text)
  if (url !== undefined) return siteLink(wording, url)
  return inlineWords({ ...words, text: firstSentence(words.text) })
}

function firstSentence(text: string): string {
  const line =
    text
      .trim()
      .slice(0, SENTENCE_LENGTH_MAX + 1)
      .split('\n', 1)[0] ?? ''
  const sentence = /^.{12,}?[.!?;](?=\s|$)/u.exec(line)?.[0]
  if (sentence !== undefined) return sentence
  if (line.length <= SENTENCE_LENGTH_MAX) return line
  const cut = line.slice(0, SENTENCE_LENGTH_MAX)
  const pause = Math.max(cut.lastIndexOf(', '), cut.lastIndexOf(' – '))
  const end = pause >= SENTENCE_LENGTH_MAX / 2 ? pause : cut.lastIndexOf(' ')
  return `${cut.slice(0, end > 0 ? end : SENTENCE_LENGTH_MAX / 2).toWellFormed()} …`
}
