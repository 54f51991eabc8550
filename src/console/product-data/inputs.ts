/** Renders the form of a product's data from the category's field table. */

import { html } from 'ghtml'
import type { CompleteCategory } from '../../categories/catalogue.ts'
import { CLOSING_SECTIONS, type Field } from '../../categories/field.ts'
import { getLabels } from '../../i18n/catalogue.ts'
import { formatLanguage, formatNumber } from '../../i18n/format.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import type { PostedForm } from '../page/form.ts'
import { renderOptions, renderTick, section } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import {
  type AskedField,
  type AskedFields,
  describeInput,
  type FormContext,
  type InputPlace,
  isWanted,
  listHints,
  renderKnownNames,
  renderPlainOffer,
  renderScalarInput,
} from './controls.ts'
import { DATA_PREFIX, findEntryField } from './form-data.ts'
import { getFieldLabel, listLanguageOptions } from './labels.ts'
import { listRowNumbers, NEW_ROW, NONE, ROW_ORIGIN } from './list-rows.ts'
import { findLanguage, parseTypedValue } from './parse-value.ts'
import { isScalarField, isSummaryWhole, renderDataValue, renderSummary, summarizeValue } from './view.ts'
import { isEmptyAnswer, listWantedFields } from './wanted-fields.ts'

const MODEL_ONLY_FIELDS = new Set(['gtin'])

type DataInputs = Omit<FormContext, 'languages' | 'category'> & {
  isUnit: boolean
  inherited?: DataObject
}

/** All inputs: required fields first, each other field collapsed, newer ones by the sections of the page. */
export function renderDataInputs(category: CompleteCategory, drawing: DataInputs): string {
  const { words, form, isUnit, inherited = {} } = drawing
  const texts = words.texts.products
  const own = listFormLanguages(form)
  const { languages } = inherited
  const all = {
    ...drawing,
    category: category.id,
    languages: own.length === 0 && Array.isArray(languages) ? languages.map(String) : own,
  }
  const shown = category.fields.filter(field => !(isUnit && MODEL_ONLY_FIELDS.has(field.name)))
  const isFirst = ({ name, required }: Field) =>
    isUnit ? hasInput(form, `${DATA_PREFIX}.${name}`) : required === true || name === 'gtin'
  const draw = (field: Field) =>
    html`<div id="${field.name}">!${renderInput(field, { at: `${DATA_PREFIX}.${field.name}`, path: field.name }, all)}</div>`
  const wanted = listWantedFields(words, category)
  const isOpen = (field: Field) =>
    drawing.asked?.has(field.name) === true || isInUse(`${DATA_PREFIX}.${field.name}`, all)
  const fold = (field: Field) =>
    renderFolded(field, all, isUnit ? inherited : {}, {
      inner: draw(field),
      wanted: wanted.get(field.name) ?? '',
      isOpen: isOpen(field),
    })
  const more = shown.filter(field => !isFirst(field))
  const newer = more.filter(({ since }) => since !== undefined)
  const groups = groupBySection(words, category, newer).map(([title, fields]) => {
    const open = fields.some(isOpen) ? ' open' : ''
    return html`<details class="fold group"!${open}><summary>${title}</summary>!${fields.map(fold)}</details>`
  })
  const core = shown.filter(isFirst).map(draw)
  const first = core.length === 0 ? '' : section('core', isUnit ? texts.ownFields : texts.core, core)
  const folds = more.filter(({ since }) => since === undefined).map(fold)
  return html`!${first}!${section('more', isUnit ? texts.inheritedFields : texts.more, [...folds, ...groups])}!${renderKnownNames(words, category.fields)}`
}

/**
 * Only the fields that are asked for, by the sections of the page, with the questions. `languages`: of the
 * product's texts.
 */
export function renderAskedInputs(
  category: CompleteCategory,
  drawing: FormContext & { asked: AskedFields },
): string {
  const { words, asked } = drawing
  const shown = category.fields.filter(({ name }) => asked.has(name))
  const sections = groupBySection(words, category, shown).map(([title, fields], n) => {
    const drawn = fields.map(field => renderAsked(field, drawing, asked.get(field.name)))
    return section(`asked-${n}`, title, drawn)
  })
  return html`!${sections}!${renderKnownNames(words, category.fields)}`
}

function renderAsked(field: Field, drawing: FormContext, asked: AskedField | undefined): string {
  const { name } = field
  const lines = (asked?.questions ?? []).map(
    ({ question, about, hint, language }) =>
      html`<div!${language === undefined ? '' : html` lang="${language}"`}><p>${question}</p><p class="hint">${hint === undefined ? about : `${about} · ${hint}`}</p></div>`,
  )
  return html`<div id="${name}" class="asked">!${lines}!${renderInput(field, { at: `${DATA_PREFIX}.${name}`, path: name }, drawing)}</div>`
}

/** Fields by the sections of the page, with the titles of the page's sections. */
function groupBySection(
  { language, texts }: Words,
  { sections }: CompleteCategory,
  fields: readonly Field[],
): (readonly [title: string, fields: readonly Field[]])[] {
  const { ui } = getLabels(language)
  const titles = new Map([...sections, ...CLOSING_SECTIONS].map(one => [one.anchor, ui[one.title]]))
  const added = Map.groupBy(fields, field => titles.get(field.section ?? '') ?? texts.readiness.otherFields)
  return [...titles.values(), texts.readiness.otherFields].flatMap(title => {
    const members = added.get(title)
    return members === undefined ? [] : [[title, members] as const]
  })
}

const listFormLanguages = (form: PostedForm): readonly string[] => {
  const list = `${DATA_PREFIX}.languages`
  return [
    ...new Set(listRowNumbers(form, list).flatMap(place => findLanguage(form.raw(`${list}.${place}`)) ?? [])),
  ]
}

/** An added row counts even while it is empty, because its hidden input has a value. */
const hasInput = (form: PostedForm, at: string) =>
  form.entries().some(([name, value]) => (name === at || name.startsWith(`${at}.`)) && value.trim() !== '')

/** Returns true if an input, or one below it, has a value or an error. */
function isInUse(at: string, { form, problems }: FormContext): boolean {
  const isWrong = Object.keys(problems).some(problem => problem === at || problem.startsWith(`${at}.`))
  return isWrong || hasInput(form, at)
}

/** `inner`: HTML; `wanted`: the acts that want the field. */
type Fold = { inner: string; wanted: string; isOpen: boolean }

/** A collapsed field. On a unit it shows the inherited value. */
function renderFolded(
  field: Field,
  { words }: FormContext,
  inherited: DataObject,
  { inner, wanted, isOpen }: Fold,
): string {
  const { name } = field
  const brief = summarizeValue(words, field, inherited)
  const beside =
    brief.length === 0 ? '' : html` <span class="brief" dir="auto">!${renderSummary(words, brief)}</span>`
  const isSaid = inherited[name] === undefined || (isScalarField(field) && isSummaryWhole(brief))
  const whole = isSaid ? '' : html`<div class="inherited">!${renderDataValue(words, field, inherited)}</div>`
  const by = wanted === '' ? '' : html` <span class="wanted">${wanted}</span>`
  return html`<details class="fold"!${isOpen ? ' open' : ''}><summary>${getFieldLabel(words, name)}!${by}!${beside}</summary>!${whole}!${inner}</details>`
}

/** One field with its label, as a part of a form. */
export function renderInput(field: Field, place: InputPlace, drawing: FormContext): string {
  if (field.localized) return renderTranslations(field, place, drawing)
  if (field.type === 'object') return renderGroup(field, place, drawing)
  if (field.type !== 'list') return renderScalarInput(field, place, drawing)
  return findEntryField(field)?.format === 'language'
    ? renderLanguageList(field, place, drawing)
    : renderList(field, place, drawing)
}

/** If the form was opened for some members, the other empty ones that are optional are closed. */
function renderMembers(
  fields: readonly Field[] = [],
  { at, path }: InputPlace,
  drawing: FormContext,
): string[] {
  const render = (field: Field) =>
    renderInput(field, { at: `${at}.${field.name}`, path: `${path}.${field.name}` }, drawing)
  const isShown = (field: Field) =>
    field.required === true ||
    isWanted(drawing, `${path}.${field.name}`) ||
    isInUse(`${at}.${field.name}`, drawing)
  const rest = fields.some(({ name }) => isWanted(drawing, `${path}.${name}`))
    ? fields.filter(field => !isShown(field))
    : []
  const shown = fields.filter(field => !rest.includes(field)).map(render)
  if (rest.length === 0) return shown
  const text = drawing.words.texts.readiness.moreMembers({ count: rest.length })
  return [
    ...shown,
    html`<details class="fold-small"><summary>${text}</summary>!${rest.map(render)}</details>`,
  ]
}

function renderGroup(field: Field, place: InputPlace, drawing: FormContext): string {
  const { above } = describeInput(place.at, drawing, listHints(field, place, drawing))
  return html`<fieldset id="${place.at}" tabindex="-1"><legend>${getFieldLabel(drawing.words, place.path)}</legend>!${above}!${renderMembers(field.fields, place, drawing)}</fieldset>`
}

/** A required list, and one for which the page was opened, begins with a row. */
function listShownRows(
  field: Field,
  { at, path }: InputPlace,
  { form, category, asked }: FormContext,
): readonly number[] {
  const rows = listRowNumbers(form, at)
  if (rows.length > 0) return rows
  const isTop = at === `${DATA_PREFIX}.${path}`
  const wanted = isTop && !isEmptyAnswer(category, path) ? (asked?.get(path)?.rows ?? 0) : 0
  return Array.from({ length: Math.max(wanted, field.required ? 1 : 0) }, (_, place) => place)
}

/** The fragment leads to the new row, so that it is in view without a script. */
const renderAddButton = (at: string, rows: readonly number[], { action }: FormContext, text: string) =>
  html`<button class="second" name="add" value="${at}" formaction="${action}#${at}.${(rows.at(-1) ?? -1) + 1}" formnovalidate>${text}</button>`

/** The fragment leads to the next row, else to the previous one, else to the list. */
export function renderRemoveButton(
  at: string,
  rows: readonly number[],
  place: number,
  { words, action }: FormContext,
) {
  const { texts } = words
  const next = place < (rows.at(-1) ?? 0) ? place : rows.findLast(one => one < place)
  const to = next === undefined ? at : `${at}.${next}`
  return html`<button class="plain" name="remove" value="${at}.${place}" formaction="${action}#${to}" formnovalidate>${texts.products.removeRow}<span class="sight"> ${place + 1}</span></button>`
}

function renderList(field: Field, { at, path }: InputPlace, drawing: FormContext): string {
  const { words, form } = drawing
  const texts = words.texts.products
  const { above } = describeInput(at, drawing, listHints(field, { at, path }, drawing))
  const rows = listShownRows(field, { at, path }, drawing)
  const drawn = rows.map(place => {
    const row = `${at}.${place}`
    const only = findEntryField(field)
    const inner =
      only === undefined
        ? renderMembers(field.of, { at: row, path }, drawing).join('')
        : renderScalarInput(only, { at: row, path }, drawing)
    const id = only === undefined ? html` id="${row}"` : ''
    return html`<fieldset!${id} class="row" tabindex="-1"><legend class="sight">${texts.rowOf({ label: getFieldLabel(words, path), n: place + 1 })}</legend><input type="hidden" name="${row}.${ROW_ORIGIN}" value="${form.raw(`${row}.${ROW_ORIGIN}`) || NEW_ROW}">!${inner}
!${renderRemoveButton(at, rows, place, drawing)}</fieldset>`
  })
  const sum = field.sumsTo100 === undefined ? '' : renderSum(field, at, rows, drawing)
  const none = rows.length === 0 && isEmptyAnswer(drawing.category, path) ? renderNoneBox(at, drawing) : ''
  return html`<fieldset id="${at}" class="list" tabindex="-1"><legend>${getFieldLabel(words, path)}</legend>!${above}!${drawn}!${sum}!${none}
!${renderAddButton(at, rows, drawing, texts.addRow)}</fieldset>`
}

/** The second input is sent also if the box is not ticked, and says that the box was there. */
function renderNoneBox(at: string, { words, form }: FormContext): string {
  const name = `${at}.${NONE}`
  const box = renderTick(name, words.texts.readiness.lookedNone, {
    value: 'yes',
    isOn: form.raw(name) !== '',
  })
  return html`!${box}<input type="hidden" name="${name}" value="">`
}

/** Adds whole millionths, so that decimals as people type them add up exactly. */
function renderSum(field: Field, at: string, rows: readonly number[], { words, form }: FormContext): string {
  const { texts } = words
  const member = field.of?.find(({ name }) => name === field.sumsTo100)
  if (member === undefined) return ''
  const sum = rows.reduce((all, place) => {
    const { value } = parseTypedValue(words, member, form.raw(`${at}.${place}.${member.name}`))
    return all + (typeof value === 'number' && Number.isFinite(value) ? Math.round(value * 1e6) : 0)
  }, 0)
  return html`<p class="sum" data-sum="${member.name}" data-of="${at}">${texts.products.sum} <output>${formatNumber(words.language, sum / 1e6)}</output> %</p>`
}

/** One input per language. It offers common languages; any other is typed as a code. */
function renderLanguageList(field: Field, place: InputPlace, drawing: FormContext): string {
  const { words, form, action } = drawing
  const { at, path } = place
  const texts = words.texts.form
  const rows = listShownRows(field, place, drawing)
  const inputs = rows.map((row, index) => {
    const name = `${at}.${row}`
    const tag = findLanguage(form.raw(name))
    const called = tag === undefined ? texts.anotherLanguage : formatLanguage(words.language, tag)
    const { above, attributes } = describeInput(name, drawing, tag === undefined ? [texts.languageInput] : [])
    return html`<div class="field"><label for="${name}">${index === 0 && tag !== undefined ? texts.primary({ language: called }) : called}</label>!${above}
<div class="beside-act"><input id="${name}" name="${name}" value="${form.raw(name)}" list="known-languages" autocapitalize="none" spellcheck="false"!${attributes}>!${rows.length > 1 ? renderRemoveButton(at, rows, row, drawing) : ''}</div></div>`
  })
  const options = renderOptions(listLanguageOptions(words))
  const { above } = describeInput(at, drawing, listHints(field, place, drawing))
  return html`<fieldset id="${at}" class="list" tabindex="-1"><legend>${getFieldLabel(words, path)}</legend>!${above}!${inputs}<datalist id="known-languages">!${options}</datalist>
<div class="choices">!${renderAddButton(at, rows, drawing, texts.addLanguage)} <button class="second" name="show" value="${at}" formaction="${action}#${at}" formnovalidate>${texts.showTexts}</button></div></fieldset>`
}

/** One text per language of the product. The first is required, and the others fall back to it. */
function renderTranslations(field: Field, place: InputPlace, drawing: FormContext): string {
  const { words, form, languages } = drawing
  const { at, path } = place
  const { texts } = words
  const isFilled = (tag: string) => form.text(`${at}.${tag}`) !== ''
  const tags = [...new Set([...languages, ...form.under(at).filter(isFilled)])]
  const [primary = words.language] = tags
  const inputs = (tags.length === 0 ? [primary] : tags).map((tag, index) => {
    const name = `${at}.${tag}`
    const hint =
      index === 0 || isFilled(tag)
        ? ''
        : texts.products.fallsBack({ language: formatLanguage(words.language, primary) })
    const { above, attributes } = describeInput(name, drawing, [hint])
    return html`<div class="field" data-language="${tag}"><label for="${name}">${formatLanguage(words.language, tag)}</label>!${above}
<textarea id="${name}" name="${name}" lang="${tag}" rows="${field.type === 'name' ? 2 : 4}"!${attributes}>
${form.raw(name)}</textarea>!${renderPlainOffer(name, drawing)}</div>`
  })
  const { above } = describeInput(at, drawing, listHints(field, place, drawing))
  return html`<fieldset id="${at}" class="languages" tabindex="-1"><legend>${getFieldLabel(words, path)}</legend>!${above}!${inputs}</fieldset>`
}
