/** The facts at the top of a page: materials, origin, repairability, end of life. */
import { html } from 'ghtml'
import type { Fact, Field } from '../../categories/field.ts'
import { toLowerWithinPhrase } from '../../i18n/catalogue.ts'
import { formatPercent } from '../../i18n/format.ts'
import { asObject, type DataObject, getOwn } from '../../kernel/values/data-object.ts'
import { listShares } from './blocks.ts'
import type { PassportView } from './passport-view.ts'
import {
  findLink,
  findLocalizedText,
  type PageLocale,
  renderAccountText,
  renderExternalLink,
  renderFieldValue,
} from './values.ts'

/** `body` is ready HTML. */
export type KeyFact = { title: string; body: string }

const MAX_MATERIALS = 3
const MAX_SENTENCE_LENGTH = 140

export function buildKeyFacts(locale: PageLocale, view: PassportView): KeyFact[] {
  const { ui } = locale.labels
  const found = listFacts(view.category.fields, view.data)
  const repair = found.get('repairable')
  const facts = [
    { title: ui['fact.madeOf'], body: renderMadeOf(locale, found.get('madeOf')) },
    { title: ui['fact.madeWhere'], body: renderScalar(locale, found.get('madeWhere')) },
    {
      title: ui['fact.repairable'],
      body: repair && renderRepairable(locale, repair, found.get('spareParts')?.value),
    },
    { title: ui['fact.endOfLife'], body: renderEndOfLife(locale, found.get('endOfLife')?.value) },
  ]
  return facts.flatMap(({ title, body }) =>
    body === undefined ? [] : { title, body: body || html`${ui.notSpecified}` },
  )
}

/** The field that states a fact, and the anchor of its section. The value may be missing. */
type FactField = { field: Field; path: string; value: unknown; section: string | undefined }

/** Includes fields inside objects. */
function listFacts(fields: readonly Field[], data: DataObject, parent?: FactField): Map<Fact, FactField> {
  const facts = new Map<Fact, FactField>()
  for (const field of fields) {
    const path = parent === undefined ? field.name : `${parent.path}.${field.name}`
    const found = { field, path, value: getOwn(data, field.name), section: parent?.section ?? field.section }
    if (field.fact !== undefined) facts.set(field.fact, found)
    const nested = listFacts(field.fields ?? [], asObject(found.value), found)
    for (const entry of nested) facts.set(...entry)
  }
  return facts
}

function renderScalar(locale: PageLocale, fact: FactField | undefined): string {
  if (fact?.value === undefined) return ''
  return renderFieldValue(locale, fact.field, fact.path, fact.value)
}

/** The largest shares of a composition, or a battery's chemistry. */
function renderMadeOf(locale: PageLocale, fact: FactField | undefined): string {
  const { language } = locale
  if (fact?.field.sumsTo100 === undefined) return renderScalar(locale, fact)
  const { field, path, value } = fact
  if (!Array.isArray(value)) return ''
  const shares = listShares(locale, field, path, value).toSorted((a, b) => b.percentage - a.percentage)
  const materials = shares.slice(0, MAX_MATERIALS).map(({ name, isLabel, percentage }) => {
    const material = isLabel ? toLowerWithinPhrase(language, name) : name
    return html`${formatPercent(language, percentage)} !${material}`
  })
  return materials.join(', ') + (shares.length > MAX_MATERIALS ? ' …' : '')
}

/** Leads to the section that says how. */
function renderRepairable({ labels }: PageLocale, { value, section }: FactField, parts: unknown): string {
  if (typeof value !== 'boolean') return ''
  if (!value) return html`${labels.ui.no}`
  const answer = labels.ui[parts === true ? 'repairable.withParts' : 'repairable.withoutParts']
  return section === undefined ? html`${answer}` : html`<a href="#${section}">${answer}</a>`
}

/** The first sentence of the recycling instructions. A section below has all of them. */
function renderEndOfLife(locale: PageLocale, instructions: unknown): string {
  const localized = findLocalizedText(locale, instructions)
  if (localized === undefined) return ''
  const url = findLink(locale, localized.text)
  if (url !== undefined) return renderExternalLink(locale, url)
  return renderAccountText({ ...localized, text: getFirstSentence(localized.text) })
}

function getFirstSentence(text: string): string {
  const [line = ''] = text
    .trim()
    .slice(0, MAX_SENTENCE_LENGTH + 1)
    .split('\n', 1)
  const sentence = /^.{12,}?[.!?;](?=\s|$)/u.exec(line)?.[0]
  if (sentence !== undefined) return sentence
  if (line.length <= MAX_SENTENCE_LENGTH) return line
  const cut = line.slice(0, MAX_SENTENCE_LENGTH)
  const phraseEnd = Math.max(cut.lastIndexOf(', '), cut.lastIndexOf(' – '))
  const end = phraseEnd >= MAX_SENTENCE_LENGTH / 2 ? phraseEnd : cut.lastIndexOf(' ')
  return `${cut.slice(0, end > 0 ? end : MAX_SENTENCE_LENGTH / 2).toWellFormed()} …`
}
