/** Compares two states of a product's data: each changed field, before and after. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import type { DataObject } from '../../kernel/data-object.ts'
import type { Words } from '../page/words.ts'
import { getFieldLabel } from '../product-data/labels.ts'
import { renderValue } from '../product-data/view.ts'

export function renderDifference(
  words: Words,
  fields: readonly Field[],
  before: DataObject,
  after: DataObject,
): string {
  const texts = words.texts.products
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  if (changed.length === 0) return html`<p>${texts.noDifference}</p>`
  const known = new Map(fields.map(field => [field.name, field]))
  const show = (name: string, value: unknown) => {
    const field = known.get(name)
    return field === undefined
      ? html`${JSON.stringify(value) ?? '–'}`
      : renderValue(words, field, name, value)
  }
  const rows = changed.map(
    name =>
      html`<tr><th scope="row">${getFieldLabel(words, name)}</th><td>!${show(name, before[name])}</td><td>!${show(name, after[name])}</td></tr>`,
  )
  return html`<section><h2 id="diff">${texts.difference}</h2><div class="scroll" tabindex="0" role="region" aria-labelledby="diff"><table class="diff">
<thead><tr><th scope="col">${texts.field}</th><th scope="col">${texts.before}</th><th scope="col">${texts.after}</th></tr></thead><tbody>!${rows}</tbody></table></div></section>`
}
