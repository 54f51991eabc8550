/** Changing a product: the form of its category, and what kind of change it is. */
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/context.ts'
import { contextOf } from '../../accounts/sessions.ts'
import type { Data } from '../../categories/value.ts'
import { AppError } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { requireCategory } from '../../passports/check-data.ts'
import { requireUuid } from '../../passports/find.ts'
import { getVersionOwn } from '../../passports/history.ts'
import { previewUpdate, type Reach } from '../../passports/preview-correction.ts'
import { getState, readingOf, type State } from '../../passports/state.ts'
import { CHANGE_TYPES, type ChangeType, updatePassport } from '../../passports/update.ts'
import { changesBetween, shownForm } from '../data-form.ts'
import { dataInputs } from '../data-inputs.ts'
import { labelOf } from '../data-labels.ts'
import { reshaped } from '../data-rows.ts'
import { defaultButton } from '../fields.ts'
import type { Outcome, SignedInVisit } from '../route.ts'
import { type Words, wordsOf } from '../texts.ts'
import { conflictNotice, mergedWith } from './conflict.ts'
import { PRODUCTS } from './list.ts'
import { titleOf } from './subject.ts'
import { PRODUCT_TEXTS } from './texts.ts'
import { faults, problemsIn, readSent, SCRIPTS, type Sent, statusOf, type Typed } from './typed.ts'

const LONGEST_NOTE = 500

type Edit = Typed & {
  changeType: ChangeType
  note: string
  reach?: Reach | null
  /** The version that the form was opened with. */
  base: number
  conflict?: string
}

export async function showEdit(visit: SignedInVisit): Promise<Outcome> {
  const state = await stateOf(visit)
  const { row } = state
  return editPage(visit.words, state, {
    form: shownForm(visit.words, requireCategory(row.category).fields, shownData(state)),
    problems: {},
    changeType: 'change',
    note: '',
    base: row.version_no,
  })
}

const stateOf = ({ setup, session, params }: SignedInVisit): Promise<State> =>
  getState(contextOf(setup, session), requireUuid(params.id ?? ''))

/** A model's whole data; of a unit what it has set itself, since the rest is its parent's. */
const shownData = (state: State): Data => (state.row.level === 'm' ? readingOf(state) : (state.own ?? {}))

/** The data that the form was opened with. */
async function dataThen(ctx: AccountContext, state: State, base: number): Promise<Data> {
  const isPast = base >= 1 && base < state.row.version_no
  return isPast ? getVersionOwn(ctx, state.row, base) : shownData(state)
}

function editPage(words: Words, state: State, edit: Edit): Outcome {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const { row } = state
  const at = `${PRODUCTS}/${idFromUuid(row.id)}`
  const category = requireCategory(row.category)
  const title = texts.editOf(titleOf(words, state))
  const isUnit = row.level !== 'm'
  const { form, problems } = edit
  const drawing = {
    words,
    form,
    problems,
    category: category.id,
    action: at,
    isUnit,
    inherited: state.inherited,
  }
  const body = html`<h1>${title}</h1>!${isUnit ? html`<p class="lead">${texts.unitLead}</p>` : ''}!${edit.conflict ?? faults(words, edit)}
<form method="post" action="${at}" novalidate class="data">!${defaultButton(texts.save)}<input type="hidden" name="base" value="${edit.base}">
!${dataInputs(category.fields, drawing)}<section aria-labelledby="how"><h2 id="how">${texts.keep}</h2>!${kinds(words, state, edit)}
<div class="field"><label for="note">${texts.note} <span class="quiet">${texts.optional}</span></label><p class="hint" id="note-hint">${texts.noteHint}</p><input id="note" name="note" value="${edit.note}" maxlength="${LONGEST_NOTE}" autocomplete="off" aria-describedby="note-hint"></div></section>
<div class="choices sticky"><button>${texts.save}</button> <a class="button second" href="${at}">${texts.cancel}</a></div></form>`
  const status = edit.conflict === undefined ? statusOf(edit) : 422
  return { title, body, status, scripts: SCRIPTS }
}

function kinds(words: Words, { row }: State, { changeType, reach }: Edit): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  // An item has no units that a correction could reach.
  if (row.level === 'i') return html`<input type="hidden" name="change_type" value="change">`
  const radio = (value: ChangeType) =>
    html`<div class="check"><input type="radio" id="type-${value}" name="change_type" value="${value}"!${changeType === value ? ' checked' : ''} aria-describedby="type-${value}-hint"><label for="type-${value}">${texts.changeTypes[value]}</label><p class="hint" id="type-${value}-hint">${texts.changeHints[value]}</p></div>`
  const at = `${PRODUCTS}/${idFromUuid(row.id)}#reach`
  const check = html`<button class="second" name="check" value="yes" formaction="${at}">${texts.checkReach}</button>`
  return html`<fieldset><legend>${texts.whatChange}</legend>!${CHANGE_TYPES.map(radio)}!${check}!${reach === undefined ? '' : reachOf(words, reach)}</fieldset>`
}

/** What a correction would reach, before it is made; the address of the answer leads here. */
function reachOf(words: Words, reach: Reach | null): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const told = (inner: string) =>
    html`<div role="status" class="reach" id="reach" tabindex="-1">!${inner}</div>`
  if (reach === null) return told(html`<p>${texts.reachNone}</p>`)
  if (reach.fields.length === 0) return told(html`<p>${texts.reachNoField}</p>`)
  const fields = reach.fields.map(name => labelOf(words, name)).join(', ')
  const own = Object.entries(reach.own_values).map(
    ([name, n]) => html`<li>${texts.reachOwn(labelOf(words, name), words.number(n))}</li>`,
  )
  return told(
    html`<p>${texts.reach(fields, reach.units, words.number(reach.units))}</p>!${own.length === 0 ? '' : html`<ul>!${own}</ul>`}`,
  )
}

export async function submitEdit(visit: SignedInVisit): Promise<Outcome> {
  const { setup, session, words, form } = visit
  const ctx = contextOf(setup, session)
  const state = await stateOf(visit)
  const base = /^\d{1,9}$/.test(form.text('base')) ? Number(form.text('base')) : 0
  const changeType = CHANGE_TYPES.find(one => one === form.text('change_type')) ?? 'change'
  const note = Array.from(form.text('note')).slice(0, LONGEST_NOTE).join('')
  const edit: Edit = { form, problems: {}, changeType, note, base }
  const changed = reshaped(form)
  if (changed !== undefined) return editPage(words, state, { ...edit, form: changed })
  const { fields } = requireCategory(state.row.category)
  const sent = readSent(words, fields, form, await dataThen(ctx, state, base))
  const typed = { ...edit, form: sent.form }
  try {
    return await keep(ctx, { state, edit: typed, words, sent, check: form.text('check') !== '' })
  } catch (error) {
    if (error instanceof AppError && error.code === 'version_conflict') {
      return conflictPage(visit, ctx, typed, sent)
    }
    return editPage(words, state, { ...typed, ...problemsIn(words, error, sent) })
  }
}

/** The form with what the other person saved in it, as far as that is not what was typed here. */
async function conflictPage(
  visit: SignedInVisit,
  ctx: AccountContext,
  edit: Edit,
  typed: Sent,
): Promise<Outcome> {
  const { words } = visit
  const state = await stateOf(visit)
  const present = shownData(state)
  const { form, both } = await mergedWith(ctx, state, { words, present, typed, base: edit.base })
  const conflict = conflictNotice(words, state, { present, both })
  return editPage(words, state, { ...edit, form, base: state.row.version_no, conflict })
}

type Keeping = { state: State; edit: Edit; words: Words; sent: Sent; check: boolean }

/** Only what differs is sent: what somebody else has changed meanwhile in other fields is not undone, and conflicts are told. */
async function keep(ctx: AccountContext, { state, edit, words, sent, check }: Keeping): Promise<Outcome> {
  const id = idFromUuid(state.row.id)
  const { fields } = requireCategory(state.row.category)
  const known = state.row.level === 'm' ? fields : fields.filter(field => field.name !== 'gtin')
  const data = changesBetween(known, shownData(state), sent.data)
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
  return { to: `${PRODUCTS}/${id}?done=saved` }
}
