/** Two people at one product: nothing of either is lost, and what both have changed is shown before it is saved again. */
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/context.ts'
import type { Data } from '../../categories/value.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import type { State } from '../../passports/core/state.ts'
import { getVersionOwn } from '../../passports/read/history.ts'
import { PRODUCTS } from '../page/addresses.ts'
import { type Form, readForm } from '../page/form.ts'
import { PRODUCT_TEXTS } from '../page/product-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { changesBetween, PREFIX, shownForm } from '../product-data/form-data.ts'
import { labelOf } from '../product-data/labels.ts'
import { valueView } from '../product-data/view.ts'
import type { Sent } from './submitted-data.ts'

/** `present`: what is saved now; `base`: the version that the form was opened with. */
type Meeting = { words: Words; present: Data; typed: Sent; base: number }

/** What was typed, and the other person's values in all fields that were left alone here; `both` differ by field. */
export async function mergedWith(
  ctx: AccountContext,
  { row }: State,
  { words, present, typed, base }: Meeting,
): Promise<{ form: Form; both: readonly string[] }> {
  if (base < 1 || base >= row.version_no) return { form: typed.form, both: [] }
  const { fields } = requireCategory(row.category)
  const began = await getVersionOwn(ctx, row, base)
  const theirs = changesBetween(fields, began, present)
  const ours = changesBetween(fields, began, typed.data)
  const taken = fields.filter(({ name }) => Object.hasOwn(theirs, name) && !Object.hasOwn(ours, name))
  const isTaken = (input: string) =>
    taken.some(({ name }) => input === `${PREFIX}.${name}` || input.startsWith(`${PREFIX}.${name}.`))
  const form = readForm([
    ...typed.form.entries().filter(([input]) => !isTaken(input)),
    ...shownForm(words, taken, present).entries(),
  ])
  const differ = Object.keys(changesBetween(fields, present, typed.data))
  const both = differ.filter(name => Object.hasOwn(theirs, name) && Object.hasOwn(ours, name))
  return { form, both }
}

export function conflictNotice(
  words: Words,
  { row }: State,
  { present, both }: { present: Data; both: readonly string[] },
): string {
  const texts = wordsOf(words, PRODUCT_TEXTS)
  const { fields } = requireCategory(row.category)
  const lines = fields
    .filter(({ name }) => both.includes(name))
    .map(
      field =>
        html`<li><a class="alone" href="#${PREFIX}.${field.name}">${labelOf(words, field.name)}</a>: !${valueView(words, field, field.name, present[field.name])}</li>`,
    )
  const told = lines.length === 0 ? '' : html`<p>${texts.conflictBoth}</p><ul>!${lines}</ul>`
  return html`<div class="summary" role="alert" tabindex="-1" autofocus><p>${texts.conflict}</p>!${told}
<p><a class="alone" href="${PRODUCTS}/${idFromUuid(row.id)}/versions/${row.version_no}" target="_blank" rel="noopener">${texts.conflictVersion}</a></p></div>`
}
