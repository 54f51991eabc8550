/** One value as an input: its label, what is said about it, and the control that shows it as it is. */
import { html } from 'ghtml'
import { COUNTRIES } from '../../categories/countries.ts'
import type { Field } from '../../categories/field.ts'
import { getLabels } from '../../i18n/catalogue.ts'
import { formatCountry, formatUnit } from '../../i18n/format.ts'
import type { Form, Problems } from '../page/form.ts'
import { FORM_TEXTS } from '../page/form-texts.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { labelOf, valueLabel } from './labels.ts'

/** What the inputs are drawn with. */
export type Drawing = {
  words: Words
  /** What they show. */
  form: Form
  problems: Problems
  category: string
  /** Of the texts, the primary one first. */
  languages: readonly string[]
  /** Where the form is sent to. */
  action: string
}

/** The name of a field's input, and its path in the field table. */
export type Place = { at: string; path: string }

/** What stands above an input, and the attributes that lead to it. */
export function notes(
  at: string,
  { problems }: Drawing,
  hints: readonly string[],
): { above: string; attributes: string } {
  const error = problems[at]
  const said = hints.filter(hint => hint !== '')
  const ids = [said.length === 0 ? [] : [`${at}-hint`], error === undefined ? [] : [`${at}-error`]].flat()
  const described = ids.length === 0 ? '' : html` aria-describedby="${ids.join(' ')}"`
  return {
    above:
      (said.length === 0 ? '' : html`<p class="hint" id="${at}-hint">${said.join(' ')}</p>`) +
      (error === undefined ? '' : html`<p class="error" id="${at}-error">${error}</p>`),
    attributes: described + (error === undefined ? '' : ' aria-invalid="true"'),
  }
}

/** What helps with a field, and who sees it where not everybody does who sees what is around it. */
export function hintsOf(field: Field, { path }: Place, { words, category }: Drawing): readonly string[] {
  const { hints, whoSees } = wordsOf(words, FORM_TEXTS)
  const said = [`${category}.${path}`, path].find(name => Object.hasOwn(hints, name))
  const who = field.audience?.includes('legitimate_interest') ? whoSees.protected : whoSees.authority
  return [said === undefined ? '' : (hints[said] ?? ''), field.audience === undefined ? '' : who]
}

export function scalar(field: Field, place: Place, drawing: Drawing): string {
  const { at, path } = place
  const texts = wordsOf(drawing.words, PRODUCT_TEXTS)
  const unit = field.unit === undefined ? '' : formatUnit(field.unit)
  const name = labelOf(drawing.words, path) + (unit === '' ? '' : ` (${unit})`)
  const mark = field.required ? '' : html` <span class="quiet">${texts.optional}</span>`
  const { above, attributes } = notes(at, drawing, hintsOf(field, place, drawing))
  const head = html`<label for="${at}">${name}!${mark}</label>!${above}`
  return html`<div class="field">!${head}!${control(field, place, drawing, attributes)}</div>`
}

function control(field: Field, { at, path }: Place, { words, form }: Drawing, attributes: string): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const text = form.raw(at)
  const options = (choices: readonly (readonly [string, string])[]) => {
    const all = choices.some(([one]) => one === text) || text === '' ? choices : [...choices, [text, text]]
    const lines = [['', texts.choose], ...all].map(
      ([one = '', name = '']) =>
        html`<option value="${one}"!${one === text ? ' selected' : ''}>${name}</option>`,
    )
    return html`<select id="${at}" name="${at}"!${attributes}>!${lines}</select>`
  }
  if (field.type === 'boolean')
    return options([
      ['true', texts.yes],
      ['false', texts.no],
    ])
  if (field.values !== undefined) return options(field.values.map(one => [one, valueLabel(words, path, one)]))
  if (field.format === 'country') return options(countries(words))
  // An input would drop the line breaks of what it shows.
  if (field.type === 'text' || field.lines || /[\r\n]/.test(text))
    return html`<textarea id="${at}" name="${at}" rows="${field.type === 'text' ? 4 : 3}"!${attributes}>
${text}</textarea>`
  const mode = field.type === 'number' ? ' inputmode="decimal" class="number"' : ''
  const choices = field.known === undefined ? '' : html` list="${KNOWN_NAMES_ID}" spellcheck="false"`
  return html`<input id="${at}" name="${at}" value="${text}" autocomplete="off"!${mode}!${choices}!${attributes}>`
}

const KNOWN_NAMES_ID = 'known-names'

/** The names that inputs of `fields` offer, in the console's language; '' where none does. */
export function knownNames({ language }: Words, fields: readonly Field[]): string {
  if (!fields.some(field => field.of?.some(({ known }) => known !== undefined))) return ''
  const names = Object.values(getLabels(language).fibres).sort(new Intl.Collator(language).compare)
  return html`<datalist id="${KNOWN_NAMES_ID}">!${names.map(name => html`<option value="${name}"></option>`)}</datalist>`
}

const known = new Map<string, readonly (readonly [string, string])[]>()

function countries({ language }: Words): readonly (readonly [string, string])[] {
  const made = known.get(language)
  if (made !== undefined) return made
  const collator = new Intl.Collator(language)
  const all = COUNTRIES.map(code => [code, formatCountry(language, code)] as const).sort((a, b) =>
    collator.compare(a[1], b[1]),
  )
  known.set(language, all)
  return all
}
