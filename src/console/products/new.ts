/** The page that creates a product: its category first, then the category's form. */

import { html } from 'ghtml'
import { allCategories, type CompleteCategory } from '../../categories/catalogue.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { createPassport } from '../../passports/write/create.ts'
import { PRODUCTS } from '../page/addresses.ts'
import { defaultButton } from '../page/fields.ts'
import { rowList } from '../page/parts.ts'
import type { Outcome, Visit } from '../page/route.ts'
import { findText } from '../page/texts.ts'
import { buildDataForm } from '../product-data/form-data.ts'
import { renderDataInputs } from '../product-data/inputs.ts'
import { getCategoryName } from '../product-data/labels.ts'
import { applyRowButton } from '../product-data/list-rows.ts'
import { getProductUrl } from '../product-data/product.ts'
import { getNewDraftKey, renderDraftAttributes } from './drafts.ts'
import { buildPrefill } from './prefill.ts'
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
  const category = allCategories().find(one => one.id === id)
  if (category !== undefined) {
    const { data, from } = await buildPrefill(ctx, words, category)
    const typed = { form: buildDataForm(words, category.fields, data), problems: {} }
    return renderNewPage(visit, category, { ...typed, isSent: false }, from)
  }
  const links = allCategories().map(
    one =>
      html`<li><a class="row-link" href="${PRODUCTS}/new?category=${one.id}">${getCategoryName(words, one.id)}</a><span class="quiet">${findText(texts.categoryHints, one.id) ?? ''}</span></li>`,
  )
  const body = html`<h1>${texts.newProduct}</h1><p class="lead">${texts.chooseCategory}</p>!${rowList(links)}`
  return { title: texts.newProduct, body }
}

function renderNewPage(
  { words, session }: Visit,
  category: CompleteCategory,
  typed: DataFormState & { isSent: boolean },
  from?: string,
): Outcome {
  const draft = renderDraftAttributes(words, getNewDraftKey(session, category.id), typed.isSent)
  const texts = words.texts.products
  const title = texts.newOf({
    category: getCategoryName(words, category.id),
  })
  const { form, problems } = typed
  const drawing = { words, form, problems, category: category.id, action: PRODUCTS, isUnit: false }
  const body = html`<h1>${title}</h1><p class="lead">${texts.newLead}</p>!${from === undefined ? '' : html`<p>${texts.takenFrom({ name: from })}</p>`}!${renderProblems(words, typed)}
<form method="post" action="${PRODUCTS}" novalidate class="data"!${draft}>!${defaultButton(texts.create)}<input type="hidden" name="category" value="${category.id}">
!${renderDataInputs(category.fields, drawing)}<div class="choices sticky"><button>${texts.create}</button> <a class="button second" href="${PRODUCTS}">${texts.cancel}</a></div></form>`
  return { title, body, status: getFormStatus(typed), scripts: DATA_FORM_SCRIPTS }
}

export async function submitNew(visit: Visit): Promise<Outcome> {
  const { ctx, words, form } = visit
  const category = requireCategory(form.text('category'))
  const changed = applyRowButton(form)
  if (changed !== undefined)
    return renderNewPage(visit, category, { form: changed, problems: {}, isSent: true })
  const sent = parseSubmittedData(words, category.fields, form, {})
  try {
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
