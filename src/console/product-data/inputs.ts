/** The inputs of a passport's data: made from the category's field table, each with its hint, its unit and what is wrong with it. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import type { Data } from '../../categories/value.ts'
import { formatLanguage, formatNumber } from '../../i18n/format.ts'
import type { Form } from '../page/form.ts'
import { FORM_TEXTS } from '../page/form-texts.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import { wordsOf } from '../page/words.ts'
import { type Drawing, hintsOf, knownNames, notes, type Place, scalar } from './controls.ts'
import { PREFIX, scalarOf } from './form-data.ts'
import { labelOf } from './labels.ts'
import { languageChoices } from './language-names.ts'
import { NEW, ORIGIN, rowsIn } from './list-rows.ts'
import { findLanguage, readTyped } from './parse-value.ts'
import { briefOf, isScalar, MOST_BRIEF, valueView } from './view.ts'

/** Fields that a unit may not set: they belong to the model. */
const OF_MODEL = new Set(['gtin'])

/** All inputs; what is required comes first, the rest folded in groups. */
export function dataInputs(
  fields: readonly Field[],
  drawing: Omit<Drawing, 'languages'> & { isUnit: boolean; inherited?: Data },
): string {
  const { words, form, isUnit, inherited = {} } = drawing
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const own = languagesIn(form)
  const { languages } = inherited
  const all = {
    ...drawing,
    languages: own.length === 0 && Array.isArray(languages) ? languages.map(String) : own,
  }
  const shown = fields.filter(field => !(isUnit && OF_MODEL.has(field.name)))
  const isFirst = ({ name, required }: Field) =>
    isUnit ? hasSomething(form, `${PREFIX}.${name}`) : required === true || name === 'gtin'
  const draw = (field: Field) => inputOf(field, { at: `${PREFIX}.${field.name}`, path: field.name }, all)
  const core = shown.filter(isFirst).map(draw)
  const more = shown
    .filter(field => !isFirst(field))
    .map(field => folded(field, all, isUnit ? inherited : {}, draw(field)))
  const first =
    core.length === 0
      ? ''
      : html`<section aria-labelledby="core"><h2 id="core">${isUnit ? texts.ownFields : texts.core}</h2>!${core}</section>`
  return html`!${first}<section aria-labelledby="more"><h2 id="more">${isUnit ? texts.inheritedFields : texts.more}</h2>!${more}</section>!${knownNames(words, fields)}`
}

const languagesIn = (form: Form): readonly string[] => {
  const list = `${PREFIX}.languages`
  return [...new Set(rowsIn(form, list).flatMap(place => findLanguage(form.raw(`${list}.${place}`)) ?? []))]
}

/** A row counts, though nothing is in it yet. */
const hasSomething = (form: Form, at: string) =>
  form.entries().some(([name, value]) => (name === at || name.startsWith(`${at}.`)) && value.trim() !== '')

/** An optional field is closed until it has something, or something wrong. What a unit inherits can be read in it. */
function folded(field: Field, { words, form, problems }: Drawing, inherited: Data, inner: string): string {
  const { name } = field
  const at = `${PREFIX}.${name}`
  const isWrong = Object.keys(problems).some(problem => problem === at || problem.startsWith(`${at}.`))
  const open = isWrong || hasSomething(form, at) ? ' open' : ''
  const brief = briefOf(words, field, inherited)
  const beside = brief === '' ? '' : html` <span class="brief" dir="auto">${brief}</span>`
  const isSaid = inherited[name] === undefined || (isScalar(field) && brief.length < MOST_BRIEF)
  const whole = isSaid
    ? ''
    : html`<div class="inherited">!${valueView(words, field, name, inherited[name])}</div>`
  return html`<details class="fold"!${open}><summary>${labelOf(words, name)}!${beside}</summary>!${whole}!${inner}</details>`
}

function inputOf(field: Field, place: Place, drawing: Drawing): string {
  if (field.localized) return translations(field, place, drawing)
  if (field.type === 'object') return group(field, place, drawing)
  if (field.type !== 'list') return scalar(field, place, drawing)
  return scalarOf(field)?.format === 'language'
    ? languageList(field, place, drawing)
    : list(field, place, drawing)
}

const membersOf = (fields: readonly Field[] = [], { at, path }: Place, drawing: Drawing): string[] =>
  fields.map(field => inputOf(field, { at: `${at}.${field.name}`, path: `${path}.${field.name}` }, drawing))

function group(field: Field, place: Place, drawing: Drawing): string {
  const { above } = notes(place.at, drawing, hintsOf(field, place, drawing))
  return html`<fieldset id="${place.at}" tabindex="-1"><legend>${labelOf(drawing.words, place.path)}</legend>!${above}!${membersOf(field.fields, place, drawing)}</fieldset>`
}

/** A list that must have something begins with a row to fill in. */
function rowsShown(field: Field, at: string, form: Form): readonly number[] {
  const rows = rowsIn(form, at)
  return rows.length === 0 && field.required ? [0] : rows
}

/** The address leads to the row that comes: without a script too, nobody has to look for it. */
const addButton = (at: string, rows: readonly number[], { action }: Drawing, text: string) =>
  html`<button class="second" name="add" value="${at}" formaction="${action}#${at}.${(rows.at(-1) ?? -1) + 1}" formnovalidate>${text}</button>`

/** It leads to the row that takes the place of the one that goes, else to the one before, else to the list. */
function removeButton(at: string, rows: readonly number[], place: number, { words, action }: Drawing) {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const next = place < (rows.at(-1) ?? 0) ? place : rows.findLast(one => one < place)
  const to = next === undefined ? at : `${at}.${next}`
  return html`<button class="plain" name="remove" value="${at}.${place}" formaction="${action}#${to}" formnovalidate>${texts.removeRow}<span class="sight"> ${place + 1}</span></button>`
}

function list(field: Field, { at, path }: Place, drawing: Drawing): string {
  const { words, form } = drawing
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const { above } = notes(at, drawing, hintsOf(field, { at, path }, drawing))
  const rows = rowsShown(field, at, form)
  const drawn = rows.map(place => {
    const row = `${at}.${place}`
    const inner = membersOf(field.of, { at: row, path }, drawing)
    return html`<fieldset id="${row}" class="row" tabindex="-1"><legend class="sight">${texts.rowOf(labelOf(words, path), place + 1)}</legend><input type="hidden" name="${row}.${ORIGIN}" value="${form.raw(`${row}.${ORIGIN}`) || NEW}">!${inner}
!${removeButton(at, rows, place, drawing)}</fieldset>`
  })
  const sum = field.sumsTo100 === undefined ? '' : sumOf(field, at, rows, drawing)
  return html`<fieldset id="${at}" class="list" tabindex="-1"><legend>${labelOf(words, path)}</legend>!${above}!${drawn}!${sum}
!${addButton(at, rows, drawing, texts.addRow)}</fieldset>`
}

/** Exact for the decimals people type: added as whole millionths. */
function sumOf(field: Field, at: string, rows: readonly number[], { words, form }: Drawing): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const member = field.of?.find(({ name }) => name === field.sumsTo100)
  if (member === undefined) return ''
  const sum = rows.reduce((all, place) => {
    const { value } = readTyped(words, member, form.raw(`${at}.${place}.${member.name}`))
    return all + (typeof value === 'number' && Number.isFinite(value) ? Math.round(value * 1e6) : 0)
  }, 0)
  return html`<p class="sum" data-sum="${member.name}" data-of="${at}">${texts.sum} <output>${formatNumber(words.language, sum / 1e6)}</output> %</p>`
}

/** An input for each, with those offered that are often asked for; any other goes by its code. */
function languageList(field: Field, place: Place, drawing: Drawing): string {
  const { words, form, action } = drawing
  const { at, path } = place
  const texts = wordsOf(words, FORM_TEXTS)
  const rows = rowsShown(field, at, form)
  const inputs = rows.map((row, index) => {
    const name = `${at}.${row}`
    const tag = findLanguage(form.raw(name))
    const called = tag === undefined ? texts.anotherLanguage : formatLanguage(words.language, tag)
    const { above, attributes } = notes(name, drawing, tag === undefined ? [texts.languageInput] : [])
    return html`<div class="field"><label for="${name}">${index === 0 && tag !== undefined ? texts.primary(called) : called}</label>!${above}
<div class="beside-act"><input id="${name}" name="${name}" value="${form.raw(name)}" list="languages" autocomplete="off" autocapitalize="none" spellcheck="false"!${attributes}>!${rows.length > 1 ? removeButton(at, rows, row, drawing) : ''}</div></div>`
  })
  const options = languageChoices(words).map(([code, name]) => html`<option value="${code}">${name}</option>`)
  const { above } = notes(at, drawing, hintsOf(field, place, drawing))
  return html`<fieldset id="${at}" class="list" tabindex="-1"><legend>${labelOf(words, path)}</legend>!${above}!${inputs}<datalist id="languages">!${options}</datalist>
<div class="choices">!${addButton(at, rows, drawing, texts.addLanguage)} <button class="second" name="show" value="${at}" formaction="${action}#${at}" formnovalidate>${texts.showTexts}</button></div></fieldset>`
}

/** One text for each language of the passport; the first is the one that must be there, and what others fall back on. */
function translations(field: Field, place: Place, drawing: Drawing): string {
  const { words, form, languages } = drawing
  const { at, path } = place
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const isFilled = (tag: string) => form.text(`${at}.${tag}`) !== ''
  const tags = [...new Set([...languages, ...form.under(at).filter(isFilled)])]
  const [primary = words.language] = tags
  const inputs = (tags.length === 0 ? [primary] : tags).map((tag, index) => {
    const name = `${at}.${tag}`
    const hint = index === 0 || isFilled(tag) ? '' : texts.fallsBack(formatLanguage(words.language, primary))
    const { above, attributes } = notes(name, drawing, [hint])
    return html`<div class="field" data-language="${tag}"><label for="${name}">${formatLanguage(words.language, tag)}</label>!${above}
<textarea id="${name}" name="${name}" lang="${tag}" rows="4"!${attributes}>
${form.raw(name)}</textarea></div>`
  })
  const { above } = notes(at, drawing, hintsOf(field, place, drawing))
  return html`<fieldset id="${at}" class="languages" tabindex="-1"><legend>${labelOf(words, path)}</legend>!${above}!${inputs}</fieldset>`
}
