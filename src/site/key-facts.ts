/** The facts that open a page: made of, made where, repairable, at the end of life. */
import { html } from 'ghtml'
import type { Field } from '../categories/field.ts'
import { toLowerWithinPhrase } from '../i18n/catalogue.ts'
import { formatPercent } from '../i18n/format.ts'
import { sharesOf } from './blocks.ts'
import type { Data, Reading } from './reading.ts'
import { findLink, inlineValue, inlineWords, siteLink, type Wording, wordsOf } from './values.ts'

/** `body` is ready HTML. */
export type KeyFact = { title: string; body: string }

const MOST_PARTS = 3
const SENTENCE_LENGTH_MAX = 140

export function keyFacts(wording: Wording, reading: Reading): KeyFact[] {
  const { ui } = wording.labels
  const { data } = reading
  const fields = reading.category.fields
  const field = (name: string) => fields.find(one => one.name === name)
  const facts = [
    { title: ui['fact.madeOf'], body: madeOf(wording, fields, data) },
    { title: ui['fact.madeWhere'], body: scalar(wording, field('countryOfManufacture'), data) },
    ...(field('repair') === undefined
      ? []
      : [{ title: ui['fact.repairable'], body: repairable(wording, data.repair) }]),
    { title: ui['fact.endOfLife'], body: endOfLife(wording, data.endOfLife) },
  ]
  return facts.map(fact => (fact.body === '' ? { ...fact, body: html`${ui.notSpecified}` } : fact))
}

function scalar(wording: Wording, field: Field | undefined, data: Data): string {
  const value = field === undefined ? undefined : data[field.name]
  return field === undefined || value === undefined ? '' : inlineValue(wording, field, field.name, value)
}

/** The largest shares of what adds up to 100; a battery's chemistry. */
function madeOf(wording: Wording, fields: readonly Field[], data: Data): string {
  const { language } = wording
  const whole = fields.find(field => field.sumsTo100 !== undefined)
  const entries = whole === undefined ? undefined : data[whole.name]
  if (whole === undefined || !Array.isArray(entries)) {
    return scalar(
      wording,
      fields.find(field => field.name === 'cellChemistry'),
      data,
    )
  }
  const shares = sharesOf(wording, whole, whole.name, entries).toSorted((a, b) => b.percentage - a.percentage)
  const parts = shares.slice(0, MOST_PARTS).map(({ name, isLabel, percentage }) => {
    const words = isLabel ? toLowerWithinPhrase(language, name) : name
    return html`${formatPercent(language, percentage)} !${words}`
  })
  return parts.join(', ') + (shares.length > MOST_PARTS ? ' …' : '')
}

function repairable({ labels }: Wording, repair: unknown): string {
  if (typeof repair !== 'object' || repair === null) return ''
  const { repairable, sparePartsAvailable } = repair as Data
  if (typeof repairable !== 'boolean') return ''
  if (!repairable) return html`${labels.ui.no}`
  return html`${labels.ui[sparePartsAvailable === true ? 'repairable.withParts' : 'repairable.withoutParts']}`
}

/** The first sentence of the recycling instructions; the whole of them stands further down. */
function endOfLife(wording: Wording, value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  const words = wordsOf(wording, (value as Data).recyclingInstructions)
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
