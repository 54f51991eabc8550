/** The page that creates a product: its category first, then the category's form. */

import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/account/context.ts'
import { allCategories, type CompleteCategory } from '../../categories/catalogue.ts'
import { chooseLanguage } from '../../i18n/choose-language.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { effectiveData, getState } from '../../passports/core/state.ts'
import { createDraft } from '../../passports/drafts/store-drafts.ts'
import { applyAudienceProfile } from '../../passports/read/disclosed-category.ts'
import { findNewestModel } from '../../passports/read/find.ts'
import { createPassport } from '../../passports/write/create.ts'
import { defaultButton, linkRow, rowList } from '../page/parts.ts'
import { DRAFTS, type Outcome, PRODUCTS, type Visit, type Words } from '../page/route.ts'
import { findText } from '../page/texts.ts'
import { buildDataForm } from '../product-data/form-data.ts'
import { getFormCategory } from '../product-data/form-fields.ts'
import { renderDataInputs } from '../product-data/inputs.ts'
import { getCategoryName, getValueLabel } from '../product-data/labels.ts'
import { applyRowButton } from '../product-data/list-rows.ts'
import { getNewDraftKey, renderDraftAttributes } from '../product-data/local-draft.ts'
import { getProductUrl } from '../product-data/product.ts'
import {
  collectProblems,
  DATA_FORM_SCRIPTS,
  type DataFormState,
  getFormStatus,
  parseSubmittedData,
  renderProblems,
} from './submitted-data.ts'

export async function showNew(visit: Visit): Promise<Outcome> {
  const { ctx, words, query } = visit
  const texts = words.texts.products
  const id = query.get('category')
  const chosen = allCategories().find(one => one.id === id)
  if (chosen !== undefined) {
    const category = getFormCategory(chosen)
    const prefill = await buildPrefill(ctx, words, category, query.get('company') === 'newest')
    const { data } = prefill
    const typed = { form: buildDataForm(words, category.fields, data), problems: {} }
    return renderNewPage(visit, category, { ...typed, isSent: false }, prefill)
  }
  const links = allCategories().map(one => {
    const hint = findText(texts.categoryHints, one.id) ?? ''
    return linkRow(`${PRODUCTS}/new?category=${one.id}`, getCategoryName(words, one.id), hint)
  })
  const body = html`<h1>${texts.newProduct}</h1><p class="lead">${texts.chooseCategory}</p>!${rowList(links)}`
  return { title: texts.newProduct, body }
}

function renderNewPage(
  { words, session }: Visit,
  category: CompleteCategory,
  typed: DataFormState & { isSent: boolean },
  prefill?: Prefill,
): Outcome {
  const draft = renderDraftAttributes(words, getNewDraftKey(session, category.id), typed.isSent)
  const texts = words.texts.products
  const title = texts.newOf({ category: getCategoryName(words, category.id) })
  const { form, problems } = typed
  const shown = applyAudienceProfile(category, session.account.audienceProfile)
  const drawing = { words, form, problems, action: PRODUCTS, isUnit: false }
  const body = html`<h1>${title}</h1><p class="lead">${texts.newLead}</p>!${renderPrefillNote(words, category, prefill)}!${renderProblems(words, typed)}
<form method="post" action="${PRODUCTS}" novalidate autocomplete="off" class="data"!${draft}>!${defaultButton(texts.create)}<input type="hidden" name="category" value="${category.id}">
!${renderDataInputs(shown, drawing)}<div class="choices sticky"><button>${texts.create}</button> <button class="second" name="as" value="draft">${words.texts.drafts.saveAs}</button> <a class="button second" href="${PRODUCTS}">${texts.cancel}</a></div></form>`
  return { title, body, status: getFormStatus(typed), scripts: DATA_FORM_SCRIPTS }
}

export async function submitNew(visit: Visit): Promise<Outcome> {
  const { ctx, words, form } = visit
  const category = getFormCategory(requireCategory(form.text('category')))
  const changed = applyRowButton(form)
  if (changed !== undefined)
    return renderNewPage(visit, category, { form: changed, problems: {}, isSent: true })
  const sent = parseSubmittedData(words, category.fields, form, {})
  try {
    if (form.text('as') === 'draft') {
      const draft = await createDraft(ctx, { category: category.id, data: sent.data, note: undefined })
      return { to: `${DRAFTS}/${idFromUuid(draft.id)}?done=created` }
    }
    const { passport } = await createPassport(ctx, { category: category.id, data: sent.data, strict: false })
    return { to: `${getProductUrl(passport)}?done=created` }
  } catch (error) {
    return renderNewPage(visit, category, {
      form: sent.form,
      ...collectProblems(words, error, sent),
      isSent: true,
    })
  }
}

/**
 * `from` is the name of the product whose data was copied: the newest of the category, else the newest of
 * all. `company`: its economic operator, which is only copied if a person asks for it.
 */
type Prefill = { data: DataObject; from?: string; company?: DataObject; hasCompany?: boolean }

function renderPrefillNote(words: Words, { id }: CompleteCategory, prefill: Prefill | undefined): string {
  const { from: name, company, data, hasCompany = false } = prefill ?? {}
  if (name === undefined) return ''
  const texts = words.texts.products
  const brand = data?.brandName === undefined ? '' : html`<p>${texts.takenFrom({ name })}</p>`
  if (company === undefined) return brand
  if (hasCompany) return html`!${brand}<p>${texts.companyTaken({ name })}</p>`
  const facts = {
    company: String(company.legalName ?? ''),
    role: getValueLabel(words, 'economicOperator.role', String(company.role ?? '')),
  }
  return html`!${brand}<p class="reach">${texts.companyOffer({ name, ...facts })} <a class="alone" href="${PRODUCTS}/new?category=${id}&company=newest">${texts.companyUse}</a></p>`
}

export async function buildPrefill(
  ctx: AccountContext,
  { language }: Words,
  { id, fields }: CompleteCategory,
  hasCompany: boolean,
): Promise<Prefill> {
  const own = { languages: [language], ...buildFullShares(fields) }
  const newest =
    (await findNewestModel(ctx, { status: 'a', category: id })) ??
    (await findNewestModel(ctx, { status: 'a' }))
  if (newest === undefined) return { data: own }
  const reading = effectiveData(await getState(ctx, newest.id))
  const { languages, productName, brandName, economicOperator } = reading
  const company = isObject(economicOperator) ? { company: economicOperator } : {}
  const tags = Array.isArray(languages) ? languages.map(tag => String(tag).toLowerCase()) : []
  const isRead = chooseLanguage(new Set(tags), [language]) !== undefined
  const data = {
    ...own,
    ...(typeof brandName === 'string' ? { brandName } : {}),
    ...(hasCompany ? { economicOperator } : {}),
    ...(isRead ? { languages } : {}),
  }
  return typeof productName === 'string' ? { data, from: productName, hasCompany, ...company } : { data }
}

/** A required list whose shares sum to 100 starts with one entry of 100 %. */
function buildFullShares(fields: CompleteCategory['fields']): DataObject {
  const shares = fields.flatMap(({ name, required, sumsTo100 }) =>
    required && sumsTo100 !== undefined ? [[name, [{ [sumsTo100]: 100 }]] as const] : [],
  )
  return Object.fromEntries(shares)
}
