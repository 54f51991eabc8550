/** The page of a draft: what publishing would refuse, what acts still want; publishing and discarding. */
import { html } from 'ghtml'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError, type Detail, TRANSLATION } from '../../kernel/errors/errors.ts'
import { passportUrl } from '../../passports/core/record.ts'
import { type JudgedDraft, judgeDraft, reportDraft } from '../../passports/drafts/draft.ts'
import { publishDraft } from '../../passports/drafts/publish.ts'
import { deleteDraft, getDraftEnd } from '../../passports/drafts/store-drafts.ts'
import { readReportBasis } from '../../passports/readiness/report-passport.ts'
import type { Rule } from '../../readiness/act.ts'
import { getRules } from '../../readiness/rules.ts'
import {
  alertBox,
  backLink,
  copyable,
  doneNotice,
  facts,
  questionPage,
  rowList,
  section,
} from '../page/parts.ts'
import { DRAFTS, type Outcome, type Visit, type Words } from '../page/route.ts'
import { renderPictures } from '../page/thumbnails.ts'
import { getInputName } from '../product-data/form-data.ts'
import { isListOfFiles } from '../product-data/form-fields.ts'
import { getCategoryName, getInputLabel } from '../product-data/labels.ts'
import {
  getFilesDraftKey,
  getNewDraftKey,
  getProductDraftKey,
  renderSavedDraft,
} from '../product-data/local-draft.ts'
import { explainProblem } from '../product-data/problem-sentence.ts'
import { getProductUrl } from '../product-data/product.ts'
import { getRuleTexts } from '../product-data/rule-texts.ts'
import { renderDraftActs } from './acts.ts'
import { getDraftUrl, getRequestedDraft, type RequestedDraft } from './requested-draft.ts'
import { describeKind, getDraftTitle } from './words.ts'

export const showDraft = async (visit: Visit): Promise<Outcome> =>
  renderDraftPage(visit, await getRequestedDraft(visit), undefined)

/** `refusal`: why it was not published just now. */
async function renderDraftPage(
  visit: Visit,
  requested: RequestedDraft,
  refusal: string | undefined,
): Promise<Outcome> {
  const { ctx, words, session } = visit
  const texts = words.texts.drafts
  const judged = await judgeDraft(ctx, requested.draft)
  const { acts } = reportDraft(ctx, await readReportBasis(ctx), judged)
  const mayEdit = session.role !== 'viewer'
  const title = getDraftTitle(words, requested)
  const told = refusal === undefined ? renderDone(visit, requested) : alertBox(html`<p>${refusal}</p>`)
  const body = html`!${backLink(DRAFTS, texts.title)}<h1>${title}</h1><p class="lead">${texts.draftLead({ date: words.date(getDraftEnd(requested.draft).toISOString()) })}</p>!${told}!${renderFacts(words, requested)}!${mayEdit ? renderActions(words, judged) : ''}!${renderPictures(words, requested.data.pictures)}
!${renderRefused(words, judged, mayEdit)}!${renderDraftActs(words, { acts, judged, mayEdit })}!${renderAddress(visit, judged)}`
  return {
    title,
    body,
    status: refusal === undefined ? 200 : 422,
    scripts: ['copy', 'drafts'],
    styles: ['pictures'],
  }
}

/** After a save the browser deletes what it kept of the form. */
function renderDone({ words, query, session, id }: Visit, { draft }: RequestedDraft): string {
  const texts = words.texts.drafts
  const done = query.get('done')
  if (done === 'created')
    return doneNotice(texts.created) + renderSavedDraft(getNewDraftKey(session, draft.category), 1)
  if (done !== 'saved') return ''
  const keys = [getProductDraftKey(session, `draft:${id}`), getFilesDraftKey(session, `draft:${id}`)]
  return doneNotice(texts.saved) + keys.map(key => renderSavedDraft(key, Number(query.get('n')))).join('')
}

function renderFacts(words: Words, { draft, product }: RequestedDraft): string {
  const { products, drafts } = words.texts
  const lines: (readonly [string, string])[] = [
    [drafts.kind, describeKind(words, draft)],
    [products.category, getCategoryName(words, draft.category)],
    ...(draft.change_type === null ? [] : [[products.version, products.kinds[draft.change_type]] as const]),
    ...(draft.note === null ? [] : [[products.note, draft.note] as const]),
    [products.changed, words.minute(draft.updated_at.toISOString())],
  ]
  const link =
    product === undefined
      ? ''
      : html`<div><dt>${drafts.changes}</dt><dd><a href="${getProductUrl(product.row)}">${drafts.product}</a></dd></div>`
  return facts(lines, link)
}

function renderActions({ texts: { drafts: texts, products, media } }: Words, draft: JudgedDraft): string {
  const at = getDraftUrl(draft)
  return html`<div class="choices"><form method="post" action="${at}/publish"><button>${texts.publish}</button></form>
<a class="button second" href="${at}/edit">${products.edit}</a> <a class="button second" href="${at}/media">${media.title}</a> <a class="button second" href="${at}/discard">${texts.discard}</a></div>`
}

/** Everything that stands in the way of publishing, each with its field. */
function renderRefused(words: Words, draft: JudgedDraft, mayEdit: boolean): string {
  const texts = words.texts.drafts
  const { details } = draft
  if (details.length === 0)
    return section('refused', texts.refusedTitle, html`<p>${texts.nothingRefused}</p>`)
  const lines = details.map(detail => {
    const name = getInputName(detail)
    const field = name.split('.')[1]
    const link =
      mayEdit && field !== undefined
        ? html`<div class="rule-actions"><a class="action" href="${getDraftFieldUrl(draft, field)}">${words.texts.readiness.fillIn}<span class="sight">: ${getInputLabel(words, name)}</span></a></div>`
        : ''
    return html`<li class="rule">!${describeDetail(words, detail, name)}!${link}</li>`
  })
  return section('refused', texts.refusedCount({ n: details.length }), rowList(lines))
}

/** Pictures and documents have a page of their own. */
const getDraftFieldUrl = (draft: { id: string }, field: string): string =>
  isListOfFiles(field)
    ? `${getDraftUrl(draft)}/media#${field}`
    : `${getDraftUrl(draft)}/edit?field=${field}#${field}`

function describeDetail(words: Words, detail: Detail, name: string): string {
  const rule = findRule(detail)
  if (rule !== undefined) {
    const { question, title, language } = getRuleTexts(words, rule)
    const about = [title, ...rule.source].join(' · ')
    return html`<div!${language === undefined ? '' : html` lang="${language}"`}><p>${question}</p><p class="hint">${about}</p></div>`
  }
  const label = name === '' ? '' : html`<strong>${getInputLabel(words, name)}</strong> `
  return html`<p>!${label}${explainProblem(words, detail)}</p>`
}

/** The rule that the gate names. */
function findRule(detail: Detail): Rule | undefined {
  const { key, facts: said } = detail[TRANSLATION] ?? { key: '', facts: {} }
  if (key !== 'not_ready') return undefined
  return [...getRules().acts.values()]
    .flat()
    .flatMap(({ rules }) => rules)
    .find(({ id }) => id === said.rule)
}

/** Labels can be printed before a new product is published. */
function renderAddress({ setup, words }: Visit, draft: JudgedDraft): string {
  if (draft.product_id !== null) return ''
  const texts = words.texts.drafts
  const value = passportUrl(setup.addresses, idFromUuid(draft.id))
  const field = {
    name: 'address',
    label: words.texts.products.address,
    hint: texts.addressHint,
    value,
    rows: 1,
  }
  return section('page', words.texts.products.publicPage, copyable(words.texts, field))
}

export async function submitPublish(visit: Visit): Promise<Outcome> {
  const { ctx, words } = visit
  const requested = await getRequestedDraft(visit)
  try {
    const { passport } = await publishDraft(ctx, requested.draft.id, { strict: false, expects: () => true })
    return { to: `${getProductUrl(passport)}?done=published` }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'not_found') throw error
    const { details = [], message } = error
    const texts = words.texts.drafts
    const refusal = details.length === 0 ? message : texts.notPublished({ count: details.length })
    return renderDraftPage(visit, requested, refusal)
  }
}

export async function showDiscardDraft(visit: Visit): Promise<Outcome> {
  const { words } = visit
  const texts = words.texts.drafts
  const requested = await getRequestedDraft(visit)
  const at = getDraftUrl(requested.draft)
  return questionPage({
    title: texts.discardQuestion({ name: getDraftTitle(words, requested) }),
    about: html`<p class="lead">${texts.discardLead}</p>`,
    action: `${at}/discard`,
    submit: texts.discard,
    back: at,
    keep: texts.keep,
  })
}

export async function submitDiscardDraft(visit: Visit): Promise<Outcome> {
  const { draft } = await getRequestedDraft(visit)
  await deleteDraft(visit.ctx, draft.id)
  return { to: `${DRAFTS}?discarded=yes` }
}
