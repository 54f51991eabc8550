/** Making a product and changing one: the same form from the field table, every fault at its field, nothing typed ever lost. */
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/context.ts'
import { contextOf } from '../../accounts/sessions.ts'
import { allCategories, type CompleteCategory } from '../../categories/catalogue.ts'
import type { Data } from '../../categories/value.ts'
import { AppError } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { requireCategory } from '../../passports/check-data.ts'
import { createPassport } from '../../passports/create.ts'
import { requireUuid } from '../../passports/find.ts'
import { previewUpdate, type Reach } from '../../passports/preview-correction.ts'
import { getState, readingOf, type State } from '../../passports/state.ts'
import { CHANGE_TYPES, type ChangeType, updatePassport } from '../../passports/update.ts'
import { changesBetween, inputName, languagesOf, PREFIX, readData } from '../data-form.ts'
import { dataInputs, labelOf } from '../data-inputs.ts'
import { notice, summary } from '../fields.ts'
import type { Form, Problems } from '../form.ts'
import type { Outcome, SignedInVisit } from '../route.ts'
import { type Words, wordsOf } from '../texts.ts'
import { beginningOf } from './beginning.ts'
import { conflictNotice, mergedWith } from './conflict.ts'
import { faultSentence } from './faults.ts'
import { PRODUCTS } from './list.ts'
import { PRODUCT_TEXTS } from './texts.ts'

const SCRIPTS = ['languages', 'sums']
const LONGEST_NOTE = 500

export async function showNew({ setup, session, words, query }: SignedInVisit): Promise<Outcome> {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const id = query.get('category')
  const category = allCategories().find(one => one.id === id)
  if (category !== undefined) {
    const { data, from } = await beginningOf(contextOf(setup, session), words, category)
    return newPage(words, category, { data, problems: {} }, from)
  }
  const links = allCategories().map(
    one =>
      html`<li><a class="row-link" href="${PRODUCTS}/new?category=${one.id}">${texts.categories[one.id] ?? one.title}</a><span class="quiet">${texts.categoryHints[one.id] ?? ''}</span></li>`,
  )
  const body = html`<h1>${texts.newProduct}</h1><p class="lead">${texts.chooseCategory}</p><ul class="rows">!${links}</ul>`
  return { title: texts.newProduct, body }
}

type Typed = { data: Data; problems: Problems; message?: string }

function newPage(
  words: Words,
  category: CompleteCategory,
  { data, problems, message }: Typed,
  from?: string,
): Outcome {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const title = texts.newOf(texts.categories[category.id] ?? category.title)
  const inputs = dataInputs(category.fields, data, drawing(words, data, problems))
  const body = html`<h1>${title}</h1><p class="lead">${texts.newLead}</p>!${from === undefined ? '' : html`<p>${texts.takenFrom(from)}</p>`}!${faults(words, problems, message)}
<form method="post" action="${PRODUCTS}" novalidate class="data"><input type="hidden" name="category" value="${category.id}">
!${inputs}<div class="choices sticky"><button>${texts.create}</button> <a class="button second" href="${PRODUCTS}">${texts.cancel}</a></div></form>`
  return { title, body, status: status(problems, message), scripts: SCRIPTS }
}

const status = (problems: Problems, message?: string) =>
  Object.keys(problems).length > 0 || message !== undefined ? 422 : 200

const drawing = (words: Words, data: Data, problems: Problems) => ({
  words,
  problems,
  languages: Array.isArray(data.languages) ? data.languages.map(String) : languagesOf(''),
  inherited: undefined,
  isUnit: false,
})

function faults(words: Words, problems: Problems, message: string | undefined): string {
  if (Object.keys(problems).length === 0) return notice(message)
  const labels = Object.fromEntries(Object.keys(problems).map(name => [name, pathLabel(words, name)]))
  return summary(words.texts, problems, labels)
}

/** `d.fiberComposition.1.percentage` as "Fibres 2, Share". */
function pathLabel(words: Words, name: string): string {
  const [first = '', ...rest] = name.split('.').slice(1)
  const index = rest.find(part => /^\d+$/.test(part))
  const path = [first, ...rest.filter(part => !/^\d+$/.test(part))].join('.')
  const top = labelOf(words, first) + (index === undefined ? '' : ` ${Number(index) + 1}`)
  return path === first ? top : `${top}, ${labelOf(words, path)}`
}

/** The refusal of a verb as problems of the form. What is about no field is the message. */
function problemsIn(words: Words, error: unknown): { problems: Problems; message?: string } {
  if (!(error instanceof AppError)) throw error
  const problems: Record<string, string> = {}
  const loose: string[] = []
  for (const detail of error.details ?? []) {
    const name = inputName(detail)
    if (name === '') loose.push(faultSentence(words, detail))
    else problems[name] ??= faultSentence(words, detail)
  }
  if (error.code === 'not_found') throw error
  const isAboutFields = Object.keys(problems).length > 0
  return { problems, ...(isAboutFields && loose.length === 0 ? {} : { message: loose[0] ?? error.message }) }
}

/** A row more or less in a list, without a script; undefined when the form is meant to be kept. */
function reshaped(form: Form, data: Data): Data | undefined {
  const add = form.text('add')
  if (add.startsWith(`${PREFIX}.`)) {
    const name = add.slice(PREFIX.length + 1)
    const rows = Array.isArray(data[name]) ? data[name] : []
    // Rows with nothing in them are no data, and yet they stand on the page.
    const shown = form.under(add).filter(index => /^\d{1,3}$/.test(index)).length
    const blank = Array.from({ length: Math.max(0, shown - rows.length) + 1 }, () => ({}))
    return { ...data, [name]: [...rows, ...blank] }
  }
  const [, name = '', index] = new RegExp(`^${PREFIX}\\.(\\w+)\\.(\\d{1,3})$`).exec(form.text('remove')) ?? []
  const rows = data[name]
  if (index === undefined || !Array.isArray(rows)) return undefined
  return { ...data, [name]: rows.filter((_, place) => place !== Number(index)) }
}

export async function submitNew({ setup, session, words, form }: SignedInVisit): Promise<Outcome> {
  const category = requireCategory(form.text('category'))
  const data = readData(category.fields, form)
  const changed = reshaped(form, data)
  if (changed !== undefined)
    return { ...newPage(words, category, { data: changed, problems: {} }), status: 200 } as Outcome
  try {
    const ctx = contextOf(setup, session)
    const { passport } = await createPassport(ctx, { category: category.id, data, strict: false })
    return { to: `${PRODUCTS}/${idFromUuid(passport.id)}` }
  } catch (error) {
    return newPage(words, category, { data, ...problemsIn(words, error) })
  }
}

type Edit = Typed & {
  changeType: ChangeType
  note: string
  reach?: Reach | null
  base: number
  conflict?: string
}

export async function showEdit(visit: SignedInVisit): Promise<Outcome> {
  const state = await stateOf(visit)
  return editPage(visit.words, state, {
    data: shownData(state),
    problems: {},
    changeType: 'change',
    note: '',
    base: state.row.version_no,
  })
}

const stateOf = ({ setup, session, params }: SignedInVisit): Promise<State> =>
  getState(contextOf(setup, session), requireUuid(params.id ?? ''))

/** A model's whole data; of a unit what it has set itself, since the rest is its parent's. */
const shownData = (state: State): Data => (state.row.level === 'm' ? readingOf(state) : (state.own ?? {}))

function editPage(words: Words, state: State, edit: Edit): Outcome {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const { row } = state
  const id = idFromUuid(row.id)
  const category = requireCategory(row.category)
  const name = String(readingOf(state).productName ?? words.texts.unnamed)
  const isUnit = row.level !== 'm'
  const languages = readingOf(state).languages
  const inputs = dataInputs(category.fields, edit.data, {
    ...drawing(words, { languages, ...edit.data }, edit.problems),
    isUnit,
  })
  const radio = (value: ChangeType) =>
    html`<div class="check"><input type="radio" id="type-${value}" name="change_type" value="${value}"!${edit.changeType === value ? ' checked' : ''} aria-describedby="type-${value}-hint"><label for="type-${value}">${texts.changeTypes[value]}</label><p class="hint" id="type-${value}-hint">${texts.changeHints[value]}</p></div>`
  const kinds =
    row.level === 'i'
      ? html`<input type="hidden" name="change_type" value="change">`
      : html`<fieldset><legend>${texts.whatChange}</legend>!${CHANGE_TYPES.map(radio)}!${edit.reach === undefined ? '' : reachOf(words, edit.reach)}</fieldset>`
  const check =
    row.level === 'i'
      ? ''
      : html`<button class="second" name="check" value="yes">${texts.checkReach}</button>`
  const body = html`<h1>${texts.editOf(name)}</h1>!${isUnit ? html`<p class="lead">${texts.unitLead}</p>` : ''}!${edit.conflict ?? faults(words, edit.problems, edit.message)}
<form method="post" action="${PRODUCTS}/${id}" novalidate class="data"><input type="hidden" name="base" value="${edit.base}">
!${inputs}<section aria-labelledby="how"><h2 id="how">${texts.keep}</h2>!${kinds}
<div class="field"><label for="note">${texts.note} <span class="quiet">${texts.optional}</span></label><p class="hint" id="note-hint">${texts.noteHint}</p><input id="note" name="note" value="${edit.note}" maxlength="${LONGEST_NOTE}" autocomplete="off" aria-describedby="note-hint"></div></section>
<div class="choices sticky"><button>${texts.save}</button> !${check} <a class="button second" href="${PRODUCTS}/${id}">${texts.cancel}</a></div></form>`
  const isFine = edit.conflict === undefined && status(edit.problems, edit.message) === 200
  return { title: texts.editOf(name), body, status: isFine ? 200 : 422, scripts: SCRIPTS }
}

/** What a correction would reach, before it is made. */
function reachOf(words: Words, reach: Reach | null): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  if (reach === null) return html`<p role="status" class="reach">${texts.reachNone}</p>`
  if (reach.fields.length === 0) return html`<p role="status" class="reach">${texts.reachNoField}</p>`
  const fields = reach.fields.map(name => labelOf(words, name)).join(', ')
  const own = Object.entries(reach.own_values).map(
    ([name, n]) => html`<li>${texts.reachOwn(labelOf(words, name), words.number(n))}</li>`,
  )
  return html`<div role="status" class="reach"><p>${texts.reach(fields, reach.units, words.number(reach.units))}</p>!${own.length === 0 ? '' : html`<ul>!${own}</ul>`}</div>`
}

export async function submitEdit(visit: SignedInVisit): Promise<Outcome> {
  const { setup, session, words, form } = visit
  const ctx = contextOf(setup, session)
  const state = await stateOf(visit)
  const category = requireCategory(state.row.category)
  const data = readData(category.fields, form)
  const base = /^\d{1,9}$/.test(form.text('base')) ? Number(form.text('base')) : 0
  const changeType = CHANGE_TYPES.find(one => one === form.text('change_type')) ?? 'change'
  const note = form.text('note').slice(0, LONGEST_NOTE)
  const edit: Edit = { data, problems: {}, changeType, note, base }
  const changed = reshaped(form, data)
  if (changed !== undefined) return editPage(words, state, { ...edit, data: changed })
  try {
    return await keep(ctx, { state, edit, words, check: form.text('check') !== '' })
  } catch (error) {
    if (error instanceof AppError && error.code === 'version_conflict') {
      return conflictPage(visit, ctx, edit)
    }
    return editPage(words, state, { ...edit, ...problemsIn(words, error) })
  }
}

/** The form with what the other person saved in it, as far as that is not what was typed here. */
async function conflictPage(visit: SignedInVisit, ctx: AccountContext, edit: Edit): Promise<Outcome> {
  const { words } = visit
  const state = await stateOf(visit)
  const present = shownData(state)
  const { data, both } = await mergedWith(ctx, state, { present, typed: edit.data, base: edit.base })
  const conflict = conflictNotice(words, state, { present, both })
  return editPage(words, state, { ...edit, data, base: state.row.version_no, conflict })
}

type Keeping = { state: State; edit: Edit; words: Words; check: boolean }

/** Only what differs is sent: what somebody else has changed meanwhile in other fields is not undone, and conflicts are told. */
async function keep(ctx: AccountContext, { state, edit, words, check }: Keeping): Promise<Outcome> {
  const id = idFromUuid(state.row.id)
  const { fields } = requireCategory(state.row.category)
  const known = state.row.level === 'm' ? fields : fields.filter(field => field.name !== 'gtin')
  const data = changesBetween(known, shownData(state), edit.data)
  const wish = {
    uuid: state.row.id,
    data,
    changeType: edit.changeType,
    note: edit.note === '' ? undefined : edit.note,
    strict: false,
    expects: (row: { version_no: number }) => row.version_no === edit.base,
  }
  if (check) {
    const { reach } = await previewUpdate(ctx, wish)
    return editPage(words, state, { ...edit, reach })
  }
  if (Object.keys(data).length === 0)
    return editPage(words, state, { ...edit, message: wordsOf(words, PRODUCT_TEXTS).nothingChanged })
  await updatePassport(ctx, wish)
  return { to: `${PRODUCTS}/${id}` }
}
