/** Merges two edits of a product. Fields that both changed are shown before saving again. */

import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/account/context.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import type { PassportState } from '../../passports/core/state.ts'
import { getOwnDataAtVersion } from '../../passports/read/history.ts'
import { type PostedForm, readForm } from '../page/form.ts'
import { alertBox } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { buildDataForm, DATA_PREFIX, diffData } from '../product-data/form-data.ts'
import { getFieldLabel } from '../product-data/labels.ts'
import { getProductUrl } from '../product-data/product.ts'
import { renderDataValue } from '../product-data/view.ts'
import type { SubmittedData } from './submitted-data.ts'

/** `present`: the saved data; `base`: the version number that the form was opened with. */
type ConflictInput = { words: Words; present: DataObject; typed: SubmittedData; base: number }

/** Takes the other person's values for all fields not changed here; `both`: fields changed by both. */
export async function mergeConcurrentEdit(
  ctx: AccountContext,
  { row }: PassportState,
  { words, present, typed, base }: ConflictInput,
): Promise<{ form: PostedForm; both: readonly string[] }> {
  if (base < 1 || base >= row.version_no) return { form: typed.form, both: [] }
  const { fields } = typed
  const { data: began } = await getOwnDataAtVersion(ctx, row, base)
  const theirs = diffData(fields, began, present)
  const ours = diffData(fields, began, typed.data)
  const taken = fields.filter(({ name }) => Object.hasOwn(theirs, name) && !Object.hasOwn(ours, name))
  const isTaken = (input: string) =>
    taken.some(
      ({ name }) => input === `${DATA_PREFIX}.${name}` || input.startsWith(`${DATA_PREFIX}.${name}.`),
    )
  const form = readForm([
    ...typed.form.entries().filter(([input]) => !isTaken(input)),
    ...buildDataForm(words, taken, present).entries(),
  ])
  const differ = Object.keys(diffData(fields, present, typed.data))
  return { form, both: differ.filter(name => Object.hasOwn(theirs, name) && Object.hasOwn(ours, name)) }
}

export function renderConflict(
  words: Words,
  { row }: PassportState,
  { present, both }: { present: DataObject; both: readonly string[] },
): string {
  const texts = words.texts.products
  const { fields } = requireCategory(row.category)
  const lines = fields
    .filter(({ name }) => both.includes(name))
    .map(
      field =>
        html`<li><a class="alone" href="#${DATA_PREFIX}.${field.name}">${getFieldLabel(words, field.name)}</a>: !${renderDataValue(words, field, present)}</li>`,
    )
  const told = lines.length === 0 ? '' : html`<p>${texts.conflictBoth}</p><ul>!${lines}</ul>`
  return alertBox(html`<p>${texts.conflict}</p>!${told}
<p><a class="alone" href="${getProductUrl(row)}/versions/${row.version_no}" target="_blank" rel="noopener">${texts.conflictVersion}</a></p>`)
}
