/** Renders one value of a product as an input with its label, hint, error and control. */

import { html } from 'ghtml'
import { findMarkup } from '../../categories/check/text-checks.ts'
import { AUDIENCES, type Field } from '../../categories/field.ts'
import { getLabels } from '../../i18n/catalogue.ts'
import { formatCountry, formatUnit } from '../../i18n/format.ts'
import { COUNTRIES } from '../../kernel/values/countries.ts'
import type { PostedForm, Problems } from '../page/form.ts'
import { described, notes, type Options, renderOptions } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { findText, type Texts } from '../page/texts.ts'
import { getFieldLabel, getValueLabel, sortOptions } from './labels.ts'
import { PLAIN } from './list-rows.ts'
import { renderLanguage } from './view.ts'

export type FormContext = {
  words: Words
  form: PostedForm
  problems: Problems
  category: string
  /** Languages of the product's texts, the primary one first. */
  languages: readonly string[]
  /** The URL that the form is submitted to. */
  action: string
  /** The fields that the page was opened for. */
  asked?: AskedFields
}

/** `rows`: how many rows a list needs; `paths`: the members that are needed, without list indexes. */
export type AskedField = { rows: number; paths: ReadonlySet<string>; questions: readonly AskedQuestion[] }
/** `language`: set if there is no translation. */
export type AskedQuestion = {
  question: string
  about: string
  hint: string | undefined
  language: 'en' | undefined
}
/** By top-level field. */
export type AskedFields = ReadonlyMap<string, AskedField>

/** Returns true if the form was opened for this field, and needs this member or a part of it. */
export const isWanted = ({ asked }: FormContext, path: string): boolean =>
  [...(asked?.get(path.split('.', 1)[0] ?? '')?.paths ?? [])].some(
    one => one === path || one.startsWith(`${path}.`),
  )

/** `at`: name of the input; `path`: the field's path in the field table. */
export type InputPlace = { at: string; path: string }

/** Hint and error above an input, and the ARIA attributes that refer to them. */
export function describeInput(
  at: string,
  { problems }: FormContext,
  hints: readonly string[],
): { above: string; attributes: string } {
  const hint = hints.filter(one => one !== '').join(' ')
  const field = { name: at, hint: hint === '' ? undefined : hint }
  return { above: notes(field, problems), attributes: described(field, problems) }
}

/** The field's hint and, if only some readers see the field, which ones. */
export function listHints(
  field: Field,
  { path }: InputPlace,
  { words, category }: FormContext,
): readonly string[] {
  const { hints, whoSees } = words.texts.form
  const said = [`${category}.${path}`, path].find(name => Object.hasOwn(hints, name))
  return [said === undefined ? '' : (findText(hints, said) ?? ''), explainAudience(whoSees, field)]
}

/** '' if everyone sees the field. */
function explainAudience(
  texts: Texts['form']['whoSees'],
  { audience = AUDIENCES }: Pick<Field, 'audience'>,
): string {
  if (audience.includes('public')) return ''
  if (!audience.includes('legitimate_interest')) return texts.authority
  return audience.includes('authority') ? texts.protected : texts.legitimateInterest
}

export function renderScalarInput(field: Field, place: InputPlace, drawing: FormContext): string {
  const { at, path } = place
  const { texts } = drawing.words
  const unit = field.unit === undefined ? '' : formatUnit(field.unit)
  const name = getFieldLabel(drawing.words, path) + (unit === '' ? '' : ` (${unit})`)
  const mark =
    field.required || isWanted(drawing, path)
      ? ''
      : html` <span class="quiet">${texts.products.optional}</span>`
  const { above, attributes } = describeInput(at, drawing, listHints(field, place, drawing))
  const head = html`<label for="${at}">${name}!${mark}</label>!${above}`
  return html`<div class="field">!${head}!${renderControl(field, place, drawing, attributes)}</div>`
}

/** The language of what was typed: the primary one, but for codes and names that we translate. */
function renderTypedLanguage(
  { type, format, dictionary }: Field,
  text: string,
  drawing: FormContext,
): string {
  const hasLanguage = text !== '' && type !== 'number' && format === undefined && dictionary === undefined
  return hasLanguage ? renderLanguage(drawing.words, drawing.languages[0]) : ''
}

function renderControl(
  field: Field,
  { at, path }: InputPlace,
  drawing: FormContext,
  attributes: string,
): string {
  const { words, form } = drawing
  const texts = words.texts.products
  const text = form.raw(at)
  const options = (choices: Options) => {
    const isKnown = text === '' || choices.some(([one]) => one === text)
    const all: Options = [['', texts.choose], ...choices, ...(isKnown ? [] : [[text, text] as const])]
    return html`<select id="${at}" name="${at}"!${attributes}>!${renderOptions(all, text)}</select>`
  }
  if (field.type === 'boolean')
    return options([
      ['true', texts.yes],
      ['false', texts.no],
    ])
  if (field.values !== undefined)
    return options(field.values.map(one => [one, getValueLabel(words, path, one)]))
  if (field.format === 'country') return options(listCountryOptions(words))
  const language = renderTypedLanguage(field, text, drawing)
  // An <input> would drop line breaks.
  if (field.type === 'text' || field.lines || /[\r\n]/.test(text))
    return html`<textarea id="${at}" name="${at}" rows="${field.type === 'text' ? 4 : 3}"!${language}!${attributes}>
${text}</textarea>!${renderPlainOffer(at, drawing)}`
  const mode = field.type === 'number' ? ' inputmode="decimal"' : ''
  const choices = field.dictionary === undefined ? '' : html` list="${KNOWN_NAMES_ID}" spellcheck="false"`
  const value = text === '' ? '' : html` value="${text}"`
  return html`<input id="${at}" name="${at}"!${value}!${language}!${mode}!${choices}!${attributes}>`
}

/** Below a text with HTML: a button that turns it into plain text. */
export function renderPlainOffer(name: string, { form, words, action }: FormContext): string {
  if (findMarkup(form.raw(name)) === undefined) return ''
  const texts = words.texts.form
  return html`<p class="hint below">${texts.hasMarkup}</p><p><button class="second" name="${PLAIN}" value="${name}" formaction="${action}#${name}" formnovalidate>${texts.makePlain}</button></p>`
}

const KNOWN_NAMES_ID = 'known-names'

/** A datalist of fibre names in the console's language; '' if no field offers them. */
export function renderKnownNames({ language }: Words, fields: readonly Field[]): string {
  if (!fields.some(field => field.of?.some(({ dictionary }) => dictionary !== undefined))) return ''
  const names = Object.values(getLabels(language).fibres).sort(new Intl.Collator(language).compare)
  return html`<datalist id="${KNOWN_NAMES_ID}">!${names.map(name => html`<option value="${name}"></option>`)}</datalist>`
}

const countryOptions = new Map<string, Options>()

function listCountryOptions({ language }: Words): Options {
  const made = countryOptions.get(language)
  if (made !== undefined) return made
  const all = sortOptions(language, COUNTRIES, code => formatCountry(language, code))
  countryOptions.set(language, all)
  return all
}
