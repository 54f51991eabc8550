/** The form of a draft: what is there must be valid, but anything may be missing. */
import { html } from 'ghtml'
import { AppError } from '../../kernel/errors/errors.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { effectiveData } from '../../passports/core/state.ts'
import { judgeDraft, reportDraft } from '../../passports/drafts/draft.ts'
import { changeDraft } from '../../passports/drafts/store-drafts.ts'
import { applyAudienceProfile } from '../../passports/read/disclosed-category.ts'
import { readReportBasis } from '../../passports/readiness/report-passport.ts'
import { getRules } from '../../readiness/rules.ts'
import { defaultButton, hiddenInputs } from '../page/parts.ts'
import type { Outcome, Visit } from '../page/route.ts'
import type { AskedFields } from '../product-data/controls.ts'
import { buildDataForm, diffData } from '../product-data/form-data.ts'
import { getFormCategory } from '../product-data/form-fields.ts'
import { renderAskedInputs, renderDataInputs } from '../product-data/inputs.ts'
import { applyRowButton } from '../product-data/list-rows.ts'
import { getProductDraftKey, renderDraftAttributes } from '../product-data/local-draft.ts'
import {
  collectProblems,
  DATA_FORM_SCRIPTS,
  type DataFormState,
  getFormStatus,
  parseSubmittedData,
  renderProblems,
} from '../products/submitted-data.ts'
import { listAskedFields } from '../readiness/asked-fields.ts'
import { listFillable } from '../readiness/product-report.ts'
import {
  getDraftUrl,
  getRequestedDraft,
  isUnit,
  listDraftFields,
  type RequestedDraft,
} from './requested-draft.ts'
import { getDraftTitle } from './words.ts'

/** `rules`: those whose fields are the only ones in the form; none: all fields are. */
type DraftForm = DataFormState & { base: number; rules: readonly string[]; field: string; isSent: boolean }

export async function showDraftForm(visit: Visit): Promise<Outcome> {
  const { words, query } = visit
  const requested = await getRequestedDraft(visit)
  const act = query.get('act')
  return renderDraftForm(visit, requested, {
    form: buildDataForm(words, listDraftFields(requested), requested.data),
    problems: {},
    base: requested.draft.updated_at.getTime(),
    rules: act === null ? [] : await listDraftRules(visit, requested, act),
    field: query.get('field') ?? '',
    isSent: false,
  })
}

/** Fields that the act still wants and the draft's form has. */
async function listDraftRules({ ctx }: Visit, { draft }: RequestedDraft, actId: string): Promise<string[]> {
  const judged = await judgeDraft(ctx, draft)
  const { acts } = reportDraft(ctx, await readReportBasis(ctx), judged)
  const act = acts.find(one => one.act === actId)
  if (act === undefined || !('scope' in act)) return []
  return listFillable(judged.planned.level, act).map(({ id }) => id)
}

function renderDraftForm(
  { words, session, id }: Visit,
  requested: RequestedDraft,
  typed: DraftForm,
): Outcome {
  const texts = words.texts.drafts
  const { draft, product, data } = requested
  const at = getDraftUrl(draft)
  const { form, problems, rules, base, field, isSent } = typed
  const shown = applyAudienceProfile(
    getFormCategory(requireCategory(draft.category)),
    session.account.audienceProfile,
  )
  const inherited = product?.inherited ?? {}
  const drawing = { words, form, problems, action: at, isUnit: isUnit(product), inherited }
  const { languages } = product === undefined ? data : { ...effectiveData(product), ...data }
  const inputs =
    rules.length === 0
      ? renderDataInputs(shown, { ...drawing, asked: openField(field) })
      : renderAskedInputs(shown, {
          ...drawing,
          category: draft.category,
          languages: Array.isArray(languages) ? languages.map(String) : [],
          asked: listAskedFields(words, draft.category, rules),
        })
  const title = texts.editOf({ name: getDraftTitle(words, requested) })
  const local = renderDraftAttributes(words, getProductDraftKey(session, `draft:${id}`), isSent)
  const lead = rules.length === 0 ? texts.formLead : words.texts.readiness.fillLead
  const body = html`<h1>${title}</h1><p class="lead">${lead}</p>!${renderProblems(words, typed)}
<form method="post" action="${at}" novalidate autocomplete="off" class="data"!${local}>!${defaultButton(texts.save)}!${hiddenInputs(
    [
      ['base', String(base)],
      ['rules', rules.join(' ')],
    ],
  )}
!${inputs}<div class="choices sticky"><button>${texts.save}</button> <a class="button second" href="${at}">${words.texts.products.cancel}</a></div></form>`
  return { title, body, status: getFormStatus(typed), scripts: DATA_FORM_SCRIPTS }
}

const openField = (name: string): AskedFields =>
  new Map(name === '' ? [] : [[name, { rows: 1, paths: new Set<string>(), questions: [] }]])

export async function submitDraftForm(visit: Visit): Promise<Outcome> {
  const { ctx, words, form } = visit
  const requested = await getRequestedDraft(visit)
  const { draft, data } = requested
  const known = draft.updated_at.getTime()
  const rules = form
    .text('rules')
    .split(' ')
    .filter(id => getRules().ruleIds.has(id))
  const base = Number(form.text('base'))
  const typed: DraftForm = { form, problems: {}, base, rules, field: '', isSent: true }
  const changed = applyRowButton(form)
  if (changed !== undefined) return renderDraftForm(visit, requested, { ...typed, form: changed })
  const asked = listAskedFields(words, draft.category, rules)
  const all = listDraftFields(requested)
  const fields = rules.length === 0 ? all : all.filter(({ name }) => asked.has(name))
  const sent = parseSubmittedData(words, fields, form, data)
  if (base !== known) {
    const message = words.texts.drafts.changedMeanwhile
    return renderDraftForm(visit, requested, { ...typed, base: known, message })
  }
  try {
    const change = { data: diffData(fields, data, sent.data), note: undefined, changeType: undefined }
    const after = await changeDraft(ctx, draft.id, change)
    return {
      to: `${getDraftUrl(draft)}?${new URLSearchParams({ done: 'saved', n: String(after.updated_at.getTime()) })}`,
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') throw error
    return renderDraftForm(visit, requested, {
      ...typed,
      form: sent.form,
      ...collectProblems(words, error, sent),
    })
  }
}
