/** Changing a product: the form of its category, and a review before it is saved where units have been issued. */
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/context.ts'
import { toAccountContext } from '../../accounts/people/sessions.ts'
import type { Data } from '../../categories/value.ts'
import { AppError } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { getState, readingOf, type State } from '../../passports/core/state.ts'
import { requireUuid } from '../../passports/read/find.ts'
import { getVersionOwn } from '../../passports/read/history.ts'
import { previewUpdate } from '../../passports/write/preview-update.ts'
import { CHANGE_TYPES, updatePassport } from '../../passports/write/update.ts'
import { PRODUCTS } from '../page/addresses.ts'
import { defaultButton } from '../page/fields.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import type { Outcome, SignedInVisit } from '../page/route.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { doneAt } from '../product-data/done-notice.ts'
import { changesBetween, shownForm } from '../product-data/form-data.ts'
import { dataInputs } from '../product-data/inputs.ts'
import { reshaped } from '../product-data/list-rows.ts'
import { getProductTitle } from '../product-data/titles.ts'
import { conflictNotice, mergedWith } from './conflict.ts'
import { draftAttributes, draftOfProduct } from './drafts.ts'
import { MAX_NOTE_LENGTH, reviewPage } from './review.ts'
import { faults, problemsIn, readSent, SCRIPTS, type Sent, statusOf, type Typed } from './submitted-data.ts'

type Edit = Typed & {
  note: string
  /** Attributes for what the browser keeps of it. */
  draft: string
  /** The version that the form was opened with. */
  base: number
  conflict?: string
}

export async function showEdit(visit: SignedInVisit): Promise<Outcome> {
  const state = await stateOf(visit)
  const { row } = state
  return editPage(visit.words, state, {
    draft: draftOf(visit, false),
    form: shownForm(visit.words, requireCategory(row.category).fields, shownData(state)),
    problems: {},
    note: '',
    base: row.version_no,
  })
}

const draftOf = ({ words, session, params }: SignedInVisit, isSent: boolean) =>
  draftAttributes(words, draftOfProduct(session, params.id ?? ''), isSent)

const stateOf = ({ setup, session, params }: SignedInVisit): Promise<State> =>
  getState(toAccountContext(setup, session), requireUuid(params.id ?? ''))

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
  const title = texts.editOf(getProductTitle(words, state))
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
<form method="post" action="${at}" novalidate class="data"!${edit.draft}>!${defaultButton(texts.save)}<input type="hidden" name="base" value="${edit.base}">
!${dataInputs(category.fields, drawing)}<section aria-labelledby="why"><h2 id="why">${texts.why}</h2>
<div class="field"><label for="note">${texts.note} <span class="quiet">${texts.optional}</span></label><p class="hint" id="note-hint">${texts.noteHint}</p><input id="note" name="note" value="${edit.note}" maxlength="${MAX_NOTE_LENGTH}" autocomplete="off" aria-describedby="note-hint"></div></section>
<div class="choices sticky"><button>${texts.save}</button> <a class="button second" href="${at}">${texts.cancel}</a></div></form>`
  const status = edit.conflict === undefined ? statusOf(edit) : 422
  return { title, body, status, scripts: SCRIPTS }
}

export async function submitEdit(visit: SignedInVisit): Promise<Outcome> {
  const { setup, session, words, form } = visit
  const ctx = toAccountContext(setup, session)
  const state = await stateOf(visit)
  const base = /^\d{1,9}$/.test(form.text('base')) ? Number(form.text('base')) : 0
  const note = Array.from(form.text('note')).slice(0, MAX_NOTE_LENGTH).join('')
  const edit: Edit = { form, problems: {}, note, base, draft: draftOf(visit, true) }
  const changed = reshaped(form)
  if (changed !== undefined) return editPage(words, state, { ...edit, form: changed })
  if (form.text('back') !== '') return editPage(words, state, edit)
  const { fields } = requireCategory(state.row.category)
  const sent = readSent(words, fields, form, await dataThen(ctx, state, base))
  const typed = { ...edit, form: sent.form }
  try {
    return await save(ctx, { state, edit: typed, words, sent })
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

type Saving = { state: State; edit: Edit; words: Words; sent: Sent }

/**
 * Only what differs is sent: what somebody else has changed meanwhile in other fields is not undone, and conflicts are
 * told. Where units have been issued nothing is saved before it is said whether this is a change or a correction.
 */
async function save(ctx: AccountContext, { state, edit, words, sent }: Saving): Promise<Outcome> {
  const { fields } = requireCategory(state.row.category)
  const known = state.row.level === 'm' ? fields : fields.filter(field => field.name !== 'gtin')
  const data = changesBetween(known, shownData(state), sent.data)
  const chosen = CHANGE_TYPES.find(one => one === sent.form.text('change_type'))
  const update = {
    uuid: state.row.id,
    data,
    changeType: chosen ?? ('change' as const),
    note: edit.note === '' ? undefined : edit.note,
    strict: false,
    expects: (row: { version_no: number }) => row.version_no === edit.base,
  }
  if (chosen === undefined && state.row.level !== 'i') {
    const { passport, reach } = await previewUpdate(ctx, { ...update, changeType: 'correction' })
    if (reach !== null && reach.units > 0) {
      const after = JSON.parse(passport.data) as Data
      return reviewPage(words, state, { form: sent.form, note: edit.note, draft: edit.draft, after, reach })
    }
  }
  if (Object.keys(data).length === 0)
    return editPage(words, state, { ...edit, message: wordsOf(words, PRODUCT_TEXTS).nothingChanged })
  const { passport } = await updatePassport(ctx, update)
  const done = update.changeType === 'correction' ? 'corrected' : 'saved'
  return { to: doneAt(idFromUuid(state.row.id), done, passport.version_no) }
}
