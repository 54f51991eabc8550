/** The inputs of a passport's data: made from the category's field table, each with its hint, its unit and what is wrong with it. */
import { html } from 'ghtml'
import { COUNTRIES } from '../categories/countries.ts'
import type { Field } from '../categories/field.ts'
import { type Data, isObject } from '../categories/value.ts'
import { label, labelsFor } from '../i18n/catalogue.ts'
import { countryName, languageName, unitText } from '../i18n/format.ts'
import { PREFIX } from './data-form.ts'
import type { Problems } from './form.ts'
import { PRODUCT_TEXTS } from './products/texts.ts'
import { type Words, wordsOf } from './texts.ts'

/** What the inputs are drawn with. `inherited`: a unit shows what it reads as without an own value. */
type Drawing = {
  words: Words
  problems: Problems
  languages: readonly string[]
  inherited: Data | undefined
}

/** Fields that a unit may not set: they belong to the model. */
const OF_MODEL = new Set(['gtin'])

/** All inputs; what is required comes first, the rest folded in groups. */
export function dataInputs(
  fields: readonly Field[],
  data: Data,
  drawing: Drawing & { isUnit: boolean },
): string {
  const texts = wordsOf(drawing.words, PRODUCT_TEXTS)
  const shown = fields.filter(field => !(drawing.isUnit && OF_MODEL.has(field.name)))
  const isFirst = (field: Field) =>
    drawing.isUnit ? Object.hasOwn(data, field.name) : field.required === true || field.name === 'gtin'
  const draw = (field: Field) =>
    inputOf(field, { at: `${PREFIX}.${field.name}`, path: field.name, value: data[field.name] }, drawing)
  const core = shown.filter(isFirst).map(draw)
  const more = shown.filter(field => !isFirst(field)).map(field => folded(field, data, drawing, draw))
  const first =
    core.length === 0
      ? ''
      : html`<section aria-labelledby="core"><h2 id="core">${drawing.isUnit ? texts.ownFields : texts.core}</h2>!${core}</section>`
  return html`!${first}<section aria-labelledby="more"><h2 id="more">${drawing.isUnit ? texts.inheritedFields : texts.more}</h2>!${more}</section>`
}

/** An optional field is closed until it has something, or something wrong. */
function folded(field: Field, data: Data, drawing: Drawing, draw: (field: Field) => string): string {
  const at = `${PREFIX}.${field.name}`
  const isWrong = Object.keys(drawing.problems).some(name => name === at || name.startsWith(`${at}.`))
  const open = data[field.name] !== undefined || isWrong ? ' open' : ''
  return html`<details class="fold"!${open}><summary>${labelOf(drawing.words, field.name)}</summary>!${draw(field)}</details>`
}

type Place = { at: string; path: string; value: unknown }

function inputOf(field: Field, place: Place, drawing: Drawing): string {
  if (field.localized) return translations(field, place, drawing)
  if (field.type === 'object') return group(field, place, drawing)
  if (field.type === 'list') return list(field, place, drawing)
  return scalar(field, place, drawing)
}

/** The label of a field by its path, as the public page has it. */
export function labelOf({ language }: Words, path: string): string {
  return label(labelsFor(language), 'fields', path) ?? path.split('.').at(-1) ?? path
}

const valueLabel = ({ language }: Words, path: string, value: string) =>
  label(labelsFor(language), 'values', `${path}.${value}`) ?? value

function notes(at: string, { problems }: Drawing, hint: string): { above: string; attributes: string } {
  const error = problems[at]
  const ids = [hint === '' ? [] : [`${at}-hint`], error === undefined ? [] : [`${at}-error`]].flat()
  const described = ids.length === 0 ? '' : html` aria-describedby="${ids.join(' ')}"`
  return {
    above:
      (hint === '' ? '' : html`<p class="hint" id="${at}-hint">${hint}</p>`) +
      (error === undefined ? '' : html`<p class="error" id="${at}-error">${error}</p>`),
    attributes: described + (error === undefined ? '' : ' aria-invalid="true"'),
  }
}

function scalar(field: Field, { at, path, value }: Place, drawing: Drawing): string {
  const texts = wordsOf(drawing.words, PRODUCT_TEXTS)
  const unit = field.unit === undefined ? '' : unitText(field.unit)
  const name = labelOf(drawing.words, path) + (unit === '' ? '' : ` (${unit})`)
  const mark = field.required ? '' : html` <span class="quiet">${texts.optional}</span>`
  const { above, attributes } = notes(at, drawing, hintOf(field, drawing))
  const head = html`<label for="${at}">${name}!${mark}</label>!${above}`
  return html`<div class="field">!${head}!${control(field, { at, path, value }, { drawing, attributes })}</div>`
}

/** The description of a field is English; where the console is not, the label has to do. */
const hintOf = (field: Field, { words }: Drawing) => (words.language === 'en' ? field.description : '')

type Control = { drawing: Drawing; attributes: string }

function control(field: Field, place: Place, { drawing, attributes }: Control): string {
  const { at, path, value } = place
  const { words } = drawing
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const text = value === undefined || isObject(value) || Array.isArray(value) ? '' : String(value)
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
  if (field.type === 'text')
    return html`<textarea id="${at}" name="${at}" rows="4"!${attributes}>
${text}</textarea>`
  const mode = field.type === 'number' ? ' inputmode="decimal" class="number"' : ''
  return html`<input id="${at}" name="${at}" value="${text}" autocomplete="off"!${mode}!${attributes}>`
}

const known = new Map<string, readonly (readonly [string, string])[]>()

function countries({ language }: Words): readonly (readonly [string, string])[] {
  const made = known.get(language)
  if (made !== undefined) return made
  const collator = new Intl.Collator(language)
  const all = COUNTRIES.map(code => [code, countryName(language, code)] as const).sort((a, b) =>
    collator.compare(a[1], b[1]),
  )
  known.set(language, all)
  return all
}

function group(field: Field, { at, path, value }: Place, drawing: Drawing): string {
  const members = isObject(value) ? value : {}
  const { above } = notes(at, drawing, hintOf(field, drawing))
  const inner = (field.fields ?? []).map(one =>
    inputOf(one, { at: `${at}.${one.name}`, path: `${path}.${one.name}`, value: members[one.name] }, drawing),
  )
  return html`<fieldset id="${at}" tabindex="-1"><legend>${labelOf(drawing.words, path)}</legend>!${above}!${inner}</fieldset>`
}

function list(field: Field, { at, path, value }: Place, drawing: Drawing): string {
  const texts = wordsOf(drawing.words, PRODUCT_TEXTS)
  const filled = Array.isArray(value) ? value : []
  // A list that must have something begins with a row to fill in.
  const entries = filled.length === 0 && field.required ? [{}] : filled
  const [only] = field.of ?? []
  if (only?.name === '') {
    const hint = path === 'languages' ? texts.languagesHint : hintOf(field, drawing)
    const { above, attributes } = notes(at, drawing, hint)
    return html`<div class="field"><label for="${at}">${labelOf(drawing.words, path)}</label>!${above}
<input id="${at}" name="${at}" value="${filled.join(', ')}" autocomplete="off"!${attributes}></div>`
  }
  const { above } = notes(at, drawing, hintOf(field, drawing))
  const rows = entries.map((entry, index) =>
    row(field, { at: `${at}.${index}`, path, value: entry }, drawing),
  )
  const sum = field.sumsTo100 === undefined ? '' : sumOf(field.sumsTo100, at, entries, texts)
  return html`<fieldset id="${at}" class="list" tabindex="-1"><legend>${labelOf(drawing.words, path)}</legend>!${above}!${rows}!${sum}
<button class="second" name="add" value="${at}" formnovalidate>${texts.addRow}</button></fieldset>`
}

function row(field: Field, { at, path, value }: Place, drawing: Drawing): string {
  const texts = wordsOf(drawing.words, PRODUCT_TEXTS)
  const members = isObject(value) ? value : {}
  const number = Number(at.split('.').at(-1)) + 1
  const inner = (field.of ?? []).map(one =>
    inputOf(one, { at: `${at}.${one.name}`, path: `${path}.${one.name}`, value: members[one.name] }, drawing),
  )
  return html`<fieldset id="${at}" class="row" tabindex="-1"><legend class="sight">${texts.rowOf(labelOf(drawing.words, path), number)}</legend>!${inner}
<button class="plain" name="remove" value="${at}" formnovalidate>${texts.removeRow}<span class="sight"> ${number}</span></button></fieldset>`
}

/** Exact for the decimals people type: added as whole millionths. */
function sumOf(
  member: string,
  at: string,
  entries: readonly unknown[],
  texts: (typeof PRODUCT_TEXTS)['en'],
): string {
  const shares = entries.map(entry => (isObject(entry) ? Number(entry[member] ?? 0) : 0))
  const sum = shares.reduce((all, one) => all + Math.round((Number.isFinite(one) ? one : 0) * 1e6), 0) / 1e6
  return html`<p class="sum" data-sum="${member}" data-of="${at}">${texts.sum} <output>${sum}</output> %</p>`
}

/** One text for each language of the passport; the first is the one that must be there, and what others fall back on. */
function translations(field: Field, { at, path, value }: Place, drawing: Drawing): string {
  const { words } = drawing
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const filled = isObject(value) ? value : {}
  const tags = [...new Set([...drawing.languages, ...Object.keys(filled)])]
  const [primary = words.language] = tags
  const inputs = (tags.length === 0 ? [primary] : tags).map((tag, index) => {
    const name = `${at}.${tag}`
    const hint =
      index === 0 || filled[tag] !== undefined ? '' : texts.fallsBack(languageName(words.language, primary))
    const { above, attributes } = notes(name, drawing, hint)
    const text = typeof filled[tag] === 'string' ? filled[tag] : ''
    return html`<div class="field" data-language="${tag}"><label for="${name}">${languageName(words.language, tag)}</label>!${above}
<textarea id="${name}" name="${name}" lang="${tag}" rows="4"!${attributes}>
${text}</textarea></div>`
  })
  const { above } = notes(at, drawing, hintOf(field, drawing))
  return html`<fieldset id="${at}" class="languages" tabindex="-1"><legend>${labelOf(words, path)}</legend>!${above}!${inputs}</fieldset>`
}
