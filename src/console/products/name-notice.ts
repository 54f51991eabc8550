/** A notice about fibre names that the law does not list. They were saved, and readers see them as typed. */

import { html } from 'ghtml'
import { validateData } from '../../categories/check/validate.ts'
import { type Detail, TRANSLATION } from '../../kernel/errors.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { effectiveData, type PassportState } from '../../passports/core/state.ts'
import type { Words } from '../page/words.ts'
import { getInputName } from '../product-data/form-data.ts'
import { getInputLabel } from '../product-data/labels.ts'
import { explainProblem } from '../product-data/problem-sentence.ts'
import { getProductUrl } from '../product-data/product.ts'

/** `isJustSaved`: also lists names that are correct but worth a look once, such as "organic cotton". */
export function renderNameNotice(
  words: Words,
  state: PassportState,
  { isJustSaved, mayEdit }: { isJustSaved: boolean; mayEdit: boolean },
): string {
  const { row, own } = state
  const { warnings } = validateData(requireCategory(row.category), effectiveData(state))
  const isOwn = ({ path }: Detail) => row.level === 'm' || Object.hasOwn(own ?? {}, path[1] ?? '')
  const told = warnings.filter(
    one =>
      one.code === 'unlisted_name' &&
      isOwn(one) &&
      (isJustSaved || one[TRANSLATION]?.key !== 'fibre_qualified'),
  )
  const [first] = told
  if (first === undefined) return ''
  const texts = words.texts.form
  const lines = told.map(
    one => html`<li>${getInputLabel(words, getInputName(one))}: ${explainProblem(words, one)}</li>`,
  )
  const change = html`<p><a class="button second" href="${getProductUrl(row)}/edit#${getInputName(first)}">${texts.changeNames}</a></p>`
  return html`<div class="reach"><p>${texts.checkNames}</p><ul>!${lines}</ul>!${mayEdit ? change : ''}</div>`
}
