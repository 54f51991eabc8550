/** The edit page of a product. If units have been issued, a review page comes before saving. */

import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Field } from '../../categories/field.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { effectiveData, type PassportState } from '../../passports/core/state.ts'
import { applyAudienceProfile } from '../../passports/read/disclosed-category.ts'
import { getOwnDataAtVersion } from '../../passports/read/history.ts'
import { CHANGE_TYPES } from '../../passports/write/plan-version.ts'
import { previewUpdate } from '../../passports/write/preview-update.ts'
import { updatePassport } from '../../passports/write/update.ts'
import { getRules } from '../../readiness/rules.ts'
import { receiveFiles, renderFailedFiles } from '../media/receive-files.ts'
import type { PostedForm } from '../page/form.ts'
import { defaultButton, hiddenInputs } from '../page/parts.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import type { AskedFields } from '../product-data/controls.ts'
import { buildDataForm, diffData } from '../product-data/form-data.ts'
import { getFormCategory, listFileFields } from '../product-data/form-fields.ts'
import { renderAskedInputs, renderDataInputs } from '../product-data/inputs.ts'
import { applyRowButton } from '../product-data/list-rows.ts'
import { getFilesDraftKey, getProductDraftKey, renderDraftAttributes } from '../product-data/local-draft.ts'
import { getDoneUrl, getProductTitle, getProductUrl, getRequestedProduct } from '../product-data/product.ts'
import { listAskedFields } from '../readiness/asked-fields.ts'
import { getReadinessUrl, listFillableRules } from '../readiness/product-report.ts'
import { addFiles, copyInherited, findFormFiles, listChosenFiles } from './chosen-files.ts'
import { mergeConcurrentEdit, renderConflict } from './conflict.ts'
import { renderFilesForm } from './files-form.ts'
import { MAX_NOTE_LENGTH, renderNoteInput, renderReviewPage } from './review.ts'
import {
  collectProblems,
  DATA_FORM_SCRIPTS,
  type DataFormState,
  getFormStatus,
  parseSubmittedData,
  renderProblems,
  type SubmittedData,
} from './submitted-data.ts'

/** The hidden input `part` of the form of pictures and documents. */
const FILES_PART = 'files'

type EditState = DataFormState & {
  note: string
  draft: string
  /** The version number that the form was opened with. */
  base: number
  /** HTML that is shown instead of the problems. */
  conflict?: string
  /** The fields that the page was opened for. */
  asked: AskedFields
  /** Rules whose fields are the only ones in the form; none: all fields are. */
  rules: readonly string[]
  /** The page of readiness opened the form, and is shown again after it. */
  isFromReadiness: boolean
  /** The form has pictures and documents, and nothing else. */
  isOfFiles: boolean
}

export async function showEdit(visit: Visit): Promise<Outcome> {
  const state = await getRequestedProduct(visit)
  return openForm(visit, state, await readAsked(visit, state))
}

/** The page of the pictures and documents of a product. */
export async function showProductFiles(visit: Visit): Promise<Outcome> {
  const asked = { rules: [], asked: openField(''), isFromReadiness: false, isOfFiles: true }
  return openForm(visit, await getRequestedProduct(visit), asked)
}

function openForm(visit: Visit, state: PassportState, asked: Asked): Promise<Outcome> {
  const data = addDeclaration(getEditableData(state), visit.query.get('rule') ?? '')
  return renderEditPage(visit, state, {
    draft: renderDraft(visit, asked, false),
    form: buildDataForm(visit.words, listFormFields(state, { ...asked, rules: [] }), data),
    problems: {},
    note: '',
    base: state.row.version_no,
    ...asked,
  })
}

/** `?field=` opens the form at a field; `?act=` shows only what the act still wants. */
async function readAsked(visit: Visit, state: PassportState): Promise<Asked> {
  const { query, words } = visit
  const act = query.get('act')
  const rules = act === null ? [] : await listFillableRules(visit, state, act)
  const field = query.get('field') ?? ''
  return {
    rules,
    asked: rules.length > 0 ? listAskedFields(words, state.row.category, rules) : openField(field),
    isFromReadiness: rules.length > 0 || query.get('from') === 'readiness',
    isOfFiles: false,
  }
}

type Asked = Pick<EditState, 'rules' | 'asked' | 'isFromReadiness' | 'isOfFiles'>

const openField = (name: string): AskedFields =>
  new Map(name === '' ? [] : [[name, { rows: 1, paths: new Set<string>(), questions: [] }]])

/** Returns the result of `readAsked`, from the hidden inputs of the form. */
function parseAsked({ form, words }: Visit, { row }: PassportState): Asked {
  const rules = form
    .text('rules')
    .split(' ')
    .filter(id => getRules().ruleIds.has(id))
  return {
    rules,
    asked: listAskedFields(words, row.category, rules),
    isFromReadiness: form.text('from') === 'readiness',
    isOfFiles: form.text('part') === FILES_PART,
  }
}

/** The fields of the form, whose inputs are parsed. */
const listFormFields = ({ row }: PassportState, { rules, asked, isOfFiles }: Asked): readonly Field[] => {
  const category = requireCategory(row.category)
  if (isOfFiles) return listFileFields(category)
  const { fields } = getFormCategory(category)
  return rules.length === 0 ? fields : fields.filter(({ name }) => asked.has(name))
}

/** A further row of `notApplicable`, for which the reason is still to be typed. */
function addDeclaration(data: DataObject, rule: string): DataObject {
  if (!getRules().ruleIds.has(rule)) return data
  const declared = Array.isArray(data.notApplicable) ? data.notApplicable : []
  return { ...data, notApplicable: [...declared, { rule }] }
}

const renderDraft = ({ words, session, id }: Visit, { isOfFiles }: Asked, isSent: boolean) => {
  const key = isOfFiles ? getFilesDraftKey(session, id) : getProductDraftKey(session, id)
  return renderDraftAttributes(words, key, isSent)
}

/** A model's whole data, or a unit's own fields without those it inherits. */
const getEditableData = (state: PassportState): DataObject =>
  state.row.level === 'm' ? effectiveData(state) : (state.own ?? {})

async function getDataAtVersion(
  ctx: AccountContext,
  state: PassportState,
  base: number,
): Promise<DataObject> {
  const isPast = base >= 1 && base < state.row.version_no
  return isPast ? (await getOwnDataAtVersion(ctx, state.row, base)).data : getEditableData(state)
}

async function renderEditPage(visit: Visit, state: PassportState, edit: EditState): Promise<Outcome> {
  const { words } = visit
  const texts = words.texts.products
  const { row } = state
  const at = getProductUrl(row)
  const name = getProductTitle(words, state)
  const { rules, isFromReadiness, isOfFiles } = edit
  const isWhole = rules.length === 0
  const inputs = isOfFiles ? await renderFiles(visit, state, edit) : renderInputs(visit, state, edit)
  const origin = hiddenInputs([
    ['base', String(edit.base)],
    ...(isWhole ? [] : [['rules', rules.join(' ')] as const]),
    ...(isFromReadiness ? [['from', 'readiness'] as const] : []),
    ...(isOfFiles ? [['part', FILES_PART] as const] : []),
  ])
  const title = isOfFiles ? words.texts.files.title({ name }) : texts.editOf({ name })
  const lead = getLead(words, state, edit)
  const body = html`<h1>${title}</h1>!${lead === '' ? '' : html`<p class="lead">${lead}</p>`}!${edit.conflict ?? renderProblems(words, edit)}
<form method="post" action="${at}" novalidate autocomplete="off" class="data"!${edit.draft}>!${defaultButton(texts.save)}!${origin}
!${inputs}<section aria-labelledby="why"><h2 id="why">${texts.why}</h2>
!${renderNoteInput(words, edit.note)}</section>
<div class="choices sticky"><button>${texts.save}</button> <a class="button second" href="${isFromReadiness ? getReadinessUrl(row) : at}">${texts.cancel}</a></div></form>`
  const status = edit.conflict === undefined ? getFormStatus(edit) : 422
  const scripts = isOfFiles ? [...DATA_FORM_SCRIPTS, 'uploads'] : DATA_FORM_SCRIPTS
  return { title, body, status, scripts, styles: isOfFiles ? ['pictures'] : [] }
}

function getLead({ texts }: Words, { row }: PassportState, { rules, isOfFiles }: EditState): string {
  if (isOfFiles) return texts.files.lead
  if (rules.length > 0) return texts.readiness.fillLead
  return row.level === 'm' ? '' : texts.products.unitLead
}

function renderInputs({ words, session }: Visit, state: PassportState, edit: EditState): string {
  const { row, inherited } = state
  const category = getFormCategory(requireCategory(row.category))
  const shown = applyAudienceProfile(category, session.account.audienceProfile)
  const { form, problems, asked } = edit
  const drawing = { words, form, problems, action: getProductUrl(row), inherited, asked }
  if (edit.rules.length === 0) return renderDataInputs(shown, { ...drawing, isUnit: row.level !== 'm' })
  return renderAskedInputs(shown, { ...drawing, category: category.id, languages: listLanguages(state) })
}

async function renderFiles({ ctx, words }: Visit, state: PassportState, edit: EditState): Promise<string> {
  const { form, problems } = edit
  const action = getProductUrl(state.row)
  return renderFilesForm({
    words,
    form,
    problems,
    action,
    category: state.row.category,
    basis: {
      isUnit: state.row.level !== 'm',
      inherited: state.inherited,
      stored: getEditableData(state),
    },
    fields: listFormFields(state, edit),
    languages: listLanguages(state),
    files: await findFormFiles(ctx, form),
    upload: `${action}/media`,
  })
}

function listLanguages(state: PassportState): readonly string[] {
  const { languages } = effectiveData(state)
  return Array.isArray(languages) ? languages.map(String) : []
}

function readFormState(visit: Visit, asked: Asked): EditState {
  const { form } = visit
  const base = /^\d{1,9}$/.test(form.text('base')) ? Number(form.text('base')) : 0
  const note = Array.from(form.text('note')).slice(0, MAX_NOTE_LENGTH).join('')
  return { form, problems: {}, note, base, draft: renderDraft(visit, asked, true), ...asked }
}

/** The form with the files that the pressed button adds; undefined if it was another button. */
async function applyFilesButton(
  { ctx, words, form }: Visit,
  state: PassportState,
  asked: Asked,
): Promise<PostedForm | undefined> {
  const files = listChosenFiles(form)
  if (files !== undefined)
    return addFiles(ctx, form, { files, language: listLanguages(state)[0] ?? words.language })
  return copyInherited(words, form, listFormFields(state, asked), state.inherited)
}

/** Files that a form without a script sends: stored, and added to the form. */
export async function submitProductFiles(visit: Visit): Promise<Outcome> {
  const state = await getRequestedProduct(visit)
  const { form: sent, files } = await receiveFiles(visit)
  const added = files.flatMap(one => ('added' in one ? [{ id: one.added.file.id, name: one.name }] : []))
  const language = listLanguages(state)[0] ?? visit.words.language
  const form = await addFiles(visit.ctx, sent, { files: added, language })
  const problem = renderFailedFiles(visit.words, files)
  const asked = parseAsked({ ...visit, form }, state)
  return renderEditPage(visit, state, {
    ...readFormState({ ...visit, form }, asked),
    ...(problem === '' ? {} : { conflict: problem }),
  })
}

export async function submitEdit(visit: Visit): Promise<Outcome> {
  const { ctx, words, form } = visit
  const state = await getRequestedProduct(visit)
  const asked = parseAsked(visit, state)
  const edit = readFormState(visit, asked)
  const changed =
    (asked.isOfFiles ? await applyFilesButton(visit, state, asked) : undefined) ?? applyRowButton(form)
  if (changed !== undefined) return renderEditPage(visit, state, { ...edit, form: changed })
  if (form.text('back') !== '') return renderEditPage(visit, state, edit)
  const sent = parseSubmittedData(
    words,
    listFormFields(state, asked),
    form,
    await getDataAtVersion(ctx, state, edit.base),
  )
  const typed = { ...edit, form: sent.form }
  try {
    return await saveEdit(visit, { state, edit: typed, sent })
  } catch (error) {
    if (error instanceof AppError && error.code === 'version_conflict') {
      return renderConflictPage(visit, typed, sent)
    }
    return renderEditPage(visit, state, { ...typed, ...collectProblems(words, error, sent) })
  }
}

async function renderConflictPage(visit: Visit, edit: EditState, typed: SubmittedData): Promise<Outcome> {
  const { ctx, words } = visit
  const state = await getRequestedProduct(visit)
  const present = getEditableData(state)
  const { form, both } = await mergeConcurrentEdit(ctx, state, { words, present, typed, base: edit.base })
  const conflict = renderConflict(words, state, { present, both })
  return renderEditPage(visit, state, { ...edit, form, base: state.row.version_no, conflict })
}

type SaveInput = { state: PassportState; edit: EditState; sent: SubmittedData }

/**
 * Saves only fields that differ, so that other people's changes to other fields stay. If units have been
 * issued, it first asks whether this is a change or a correction.
 */
async function saveEdit(visit: Visit, { state, edit, sent }: SaveInput): Promise<Outcome> {
  const { ctx, words } = visit
  const fields = listFormFields(state, edit)
  const known = state.row.level === 'm' ? fields : fields.filter(field => field.name !== 'gtin')
  const data = diffData(known, getEditableData(state), sent.data)
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
      const after: DataObject = JSON.parse(passport.data)
      const { note, draft } = edit
      return renderReviewPage(words, state, { form: sent.form, note, draft, after, reach })
    }
  }
  if (Object.keys(data).length === 0)
    return renderEditPage(visit, state, { ...edit, message: words.texts.products.nothingChanged })
  const { passport } = await updatePassport(ctx, update)
  const done = update.changeType === 'correction' ? 'corrected' : 'saved'
  const { row } = state
  if (edit.isFromReadiness) return { to: getReadinessUrl(row, { done, n: passport.version_no }) }
  return { to: getDoneUrl(row, done, passport.version_no) }
}
