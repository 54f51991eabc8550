/** The pictures and documents of a draft: chosen before publication, and kept by it. */
import { html } from 'ghtml'
import { requireCategory } from '../../passports/core/check-data.ts'
import { effectiveData } from '../../passports/core/state.ts'
import { changeDraft } from '../../passports/drafts/store-drafts.ts'
import { receiveFiles, renderFailedFiles } from '../media/receive-files.ts'
import { backLink, defaultButton, hiddenInputs } from '../page/parts.ts'
import type { Outcome, Visit } from '../page/route.ts'
import { buildDataForm, diffData } from '../product-data/form-data.ts'
import { listFileFields } from '../product-data/form-fields.ts'
import { applyRowButton } from '../product-data/list-rows.ts'
import { getFilesDraftKey, renderDraftAttributes } from '../product-data/local-draft.ts'
import { addFiles, copyInherited, findFormFiles, listChosenFiles } from '../products/chosen-files.ts'
import { renderFilesForm } from '../products/files-form.ts'
import {
  collectProblems,
  DATA_FORM_SCRIPTS,
  type DataFormState,
  getFormStatus,
  parseSubmittedData,
  renderProblems,
} from '../products/submitted-data.ts'
import { getDraftUrl, getRequestedDraft, isUnit, type RequestedDraft } from './requested-draft.ts'
import { getDraftTitle } from './words.ts'

/** `base`: when the draft was changed last, as the form knows it; `failed`: HTML about refused uploads. */
type FilesForm = DataFormState & { base: number; isSent: boolean; failed?: string }

const listFields = ({ draft }: RequestedDraft) => listFileFields(requireCategory(draft.category))

export async function showDraftFiles(visit: Visit): Promise<Outcome> {
  const requested = await getRequestedDraft(visit)
  const form = buildDataForm(visit.words, listFields(requested), requested.data)
  const base = requested.draft.updated_at.getTime()
  return renderDraftFiles(visit, requested, { form, problems: {}, base, isSent: false })
}

async function renderDraftFiles(
  { ctx, words, session, id }: Visit,
  requested: RequestedDraft,
  typed: FilesForm,
): Promise<Outcome> {
  const { draft, product, data } = requested
  const { form, problems, base, isSent, failed = '' } = typed
  const at = getDraftUrl(draft)
  const action = `${at}/media`
  const inputs = renderFilesForm({
    words,
    form,
    problems,
    action,
    category: draft.category,
    basis: { isUnit: isUnit(product), inherited: product?.inherited ?? {}, stored: data },
    fields: listFields(requested),
    languages: listLanguages(requested),
    files: await findFormFiles(ctx, form),
    upload: `${action}/upload`,
  })
  const title = words.texts.files.title({ name: getDraftTitle(words, requested) })
  const local = renderDraftAttributes(words, getFilesDraftKey(session, `draft:${id}`), isSent)
  const { save } = words.texts.drafts
  const body = html`!${backLink(at, getDraftTitle(words, requested))}<h1>${title}</h1><p class="lead">${words.texts.drafts.filesLead}</p>!${failed === '' ? renderProblems(words, typed) : failed}
<form method="post" action="${action}" novalidate autocomplete="off" class="data"!${local}>!${defaultButton(save)}!${hiddenInputs([['base', String(base)]])}
!${inputs}<div class="choices sticky"><button>${save}</button> <a class="button second" href="${at}">${words.texts.products.cancel}</a></div></form>`
  const status = failed === '' ? getFormStatus(typed) : 422
  return { title, body, status, scripts: [...DATA_FORM_SCRIPTS, 'uploads'], styles: ['pictures'] }
}

function listLanguages({ product, data }: RequestedDraft): readonly string[] {
  const { languages } = product === undefined ? data : { ...effectiveData(product), ...data }
  return Array.isArray(languages) ? languages.map(String) : []
}

const getTitleLanguage = (requested: RequestedDraft, { words }: Visit): string =>
  listLanguages(requested)[0] ?? words.language

/** Files that a form without a script sends: stored, and added to the form. */
export async function submitDraftUploads(visit: Visit): Promise<Outcome> {
  const requested = await getRequestedDraft(visit)
  const { form: sent, files } = await receiveFiles(visit)
  const added = files.flatMap(one => ('added' in one ? [{ id: one.added.file.id, name: one.name }] : []))
  const language = getTitleLanguage(requested, visit)
  const form = await addFiles(visit.ctx, sent, { files: added, language })
  const failed = renderFailedFiles(visit.words, files)
  const base = Number(form.text('base'))
  return renderDraftFiles(visit, requested, { form, problems: {}, base, isSent: true, failed })
}

export async function submitDraftFiles(visit: Visit): Promise<Outcome> {
  const { ctx, words, form } = visit
  const requested = await getRequestedDraft(visit)
  const { draft, product, data } = requested
  const fields = listFields(requested)
  const typed: FilesForm = { form, problems: {}, base: Number(form.text('base')), isSent: true }
  const files = listChosenFiles(form)
  const language = getTitleLanguage(requested, visit)
  const changed =
    (files === undefined
      ? copyInherited(words, form, fields, product?.inherited ?? {})
      : await addFiles(ctx, form, { files, language })) ?? applyRowButton(form)
  if (changed !== undefined) return renderDraftFiles(visit, requested, { ...typed, form: changed })
  const known = draft.updated_at.getTime()
  if (typed.base !== known) {
    const message = words.texts.drafts.changedMeanwhile
    return renderDraftFiles(visit, requested, { ...typed, base: known, message })
  }
  const sent = parseSubmittedData(words, fields, form, data)
  try {
    const change = { data: diffData(fields, data, sent.data), note: undefined, changeType: undefined }
    const { updated_at: at } = await changeDraft(ctx, draft.id, change)
    return { to: `${getDraftUrl(draft)}?${new URLSearchParams({ done: 'saved', n: String(at.getTime()) })}` }
  } catch (error) {
    const found = collectProblems(words, error, sent)
    return renderDraftFiles(visit, requested, { ...typed, form: sent.form, ...found })
  }
}
