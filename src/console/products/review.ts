/**
 * The review page before a product with units is saved: is it a change or a correction? Neither is
 * preselected, because the wrong choice leaves units with wrong data or marks correct ones as outdated.
 */

import { html } from 'ghtml'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { effectiveData, type PassportState } from '../../passports/core/state.ts'
import { CHANGE_TYPES, type ChangeType } from '../../passports/write/plan-version.ts'
import type { CorrectionReach } from '../../passports/write/preview-update.ts'
import { DRAFTS_MODULE } from '../page/assets.ts'
import { isFine, type PostedForm, type Problems } from '../page/form.ts'
import { described, hiddenInputs, notes, summary } from '../page/parts.ts'
import type { Outcome, Words } from '../page/route.ts'
import { getFieldLabel } from '../product-data/labels.ts'
import { backToProduct, getProductTitle, getProductUrl } from '../product-data/product.ts'
import { renderDifference } from '../product-data/view.ts'

export const MAX_NOTE_LENGTH = 500

/** The review's own inputs; all others repeat the edit form as hidden inputs. */
const REVIEW_INPUTS: ReadonlySet<string> = new Set(['change_type', 'note', 'reviewed', 'back'])

/** `after`: the data after saving; `reach`: the units that a correction would affect. */
type ReviewInput = {
  form: PostedForm
  note: string
  draft: string
  after: DataObject
  reach: CorrectionReach
}

/** The choice is required only if the form was submitted from this page. */
export function renderReviewPage(
  words: Words,
  state: PassportState,
  { form, note, draft, after, reach }: ReviewInput,
): Outcome {
  const texts = words.texts.review
  const at = getProductUrl(state.row)
  const { fields } = requireCategory(state.row.category)
  const problems: Problems = form.text('reviewed') === '' ? {} : { change_type: texts.chooseOne }
  const kept = form.entries().filter(([name]) => !REVIEW_INPUTS.has(name))
  const body = html`!${backToProduct(words, state)}<h1>${texts.reviewTitle}</h1><p class="lead">${texts.reviewLead}</p>
!${summary(words.texts, problems, { change_type: texts.kindOfChange })}!${renderDifference(words, fields, effectiveData(state), after)}
<form method="post" action="${at}" novalidate class="data"!${draft}>!${hiddenInputs(kept)}<input type="hidden" name="reviewed" value="yes">
!${renderChangeTypes(words, reach, problems)}
!${renderNoteInput(words, note)}
<div class="choices"><button>${words.texts.products.save}</button> <button class="second" name="back" value="yes">${texts.back}</button></div></form>`
  const title = texts.reviewOf({ name: getProductTitle(words, state) })
  return { title, body, status: isFine(problems) ? 200 : 422, scripts: [DRAFTS_MODULE], styles: ['pictures'] }
}

export function renderNoteInput({ texts: { products: texts } }: Words, note: string): string {
  return html`<div class="field"><label for="note">${texts.note} <span class="quiet">${texts.optional}</span></label><p class="hint" id="note-hint">${texts.noteHint}</p><input id="note" name="note" value="${note}" maxlength="${MAX_NOTE_LENGTH}" autocomplete="off" aria-describedby="note-hint"></div>`
}

function renderChangeTypes(words: Words, { units, own_values }: CorrectionReach, problems: Problems): string {
  const texts = words.texts.review
  const own = Object.entries(own_values).map(([name, n]) =>
    texts.reachOwn({ field: getFieldLabel(words, name), count: n }),
  )
  const radio = (value: ChangeType) => {
    const hint = [texts.changeHints[value]({ count: units }), ...(value === 'correction' ? own : [])]
    return html`<div class="check"><input type="radio" id="type-${value}" name="change_type" value="${value}" required aria-describedby="type-${value}-hint"><label for="type-${value}">${texts.changeTypes[value]}</label><p class="hint" id="type-${value}-hint">${hint.join(' ')}</p></div>`
  }
  const field = { name: 'change_type' }
  return html`<fieldset id="change_type" tabindex="-1"!${described(field, problems)}><legend>${texts.whatChange}</legend>!${notes(field, problems)}!${CHANGE_TYPES.map(radio)}</fieldset>`
}
