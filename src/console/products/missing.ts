/** A group of which nothing was typed is missing as a whole; its form tells at once which of its fields are needed. */
import type { Field } from '../../categories/field.ts'
import { problem } from '../../categories/problems.ts'
import { type Detail, SAID } from '../../kernel/errors.ts'

/** The details of a refusal, with the required fields of a missing group in place of the group. */
export const withMembers = (fields: readonly Field[], details: readonly Detail[]): Detail[] =>
  details.flatMap(detail => {
    const field = detail[SAID]?.key === 'missing' ? fields.find(one => one.name === detail.field) : undefined
    return field === undefined ? [detail] : needed(field, detail)
  })

/** A list that must have something is drawn with a first row. */
function needed(field: Field, detail: Detail): Detail[] {
  const isRows = field.type === 'list' && field.of?.[0]?.name !== ''
  const members = (field.type === 'object' ? field.fields : isRows ? field.of : undefined) ?? []
  const inner = members.filter(one => one.required)
  if (field.localized || inner.length === 0) return [detail]
  const [at, place] = isRows ? [`${detail.pointer}/0`, `${detail.field}[0]`] : [detail.pointer, detail.field]
  return inner.flatMap(one => {
    const { key, facts } = problem('missing_in', { parent: place })
    const pointer = `${at}/${one.name}`
    return needed(one, { ...detail, field: `${place}.${one.name}`, pointer, [SAID]: { key, facts } })
  })
}
