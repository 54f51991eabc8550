/**
 * The rows of a form's lists: one more, one less, those left empty taken out. Each says which entry of the stored list it
 * shows, so that rows may move and what nobody touched in them stays as it is.
 */
import type { Field } from '../../categories/field.ts'
import { type Form, readForm } from '../page/form.ts'

/** The name of a row's own input, in which no field is: the stored entry's place, or `NEW`. */
export const ORIGIN = '@'
export const NEW = 'new'

/** The places of a list's rows, in order. */
export const rowsIn = (form: Form, list: string): readonly number[] =>
  form
    .under(list)
    .filter(place => /^\d{1,3}$/.test(place))
    .map(Number)
    .sort((a, b) => a - b)

/** The stored entry that a row shows; undefined for a new row. */
export function originOf(form: Form, row: string): number | undefined {
  const said = form.raw(`${row}.${ORIGIN}`)
  if (said === '') return Number(row.split('.').at(-1))
  return /^\d{1,3}$/.test(said) ? Number(said) : undefined
}

/** The form as one of the buttons beside its rows leaves it; undefined when it was sent to be kept. */
export function reshaped(form: Form): Form | undefined {
  const [add, remove] = [form.text('add'), form.text('remove')]
  if (add !== '') return withRow(form, add)
  if (remove !== '') return withoutRow(form, remove)
  return form.text('show') === '' ? undefined : form
}

function withRow(form: Form, list: string): Form {
  const next = (rowsIn(form, list).at(-1) ?? -1) + 1
  return readForm([...form.entries(), [`${list}.${next}.${ORIGIN}`, NEW]])
}

function withoutRow(form: Form, row: string): Form {
  const dot = row.lastIndexOf('.')
  const [list, gone] = [row.slice(0, dot), Number(row.slice(dot + 1))]
  const entries = form.entries().flatMap(([name, value]) => {
    const [, place, rest = ''] =
      (name.startsWith(`${list}.`) && /^(\d{1,3})(\..*)?$/s.exec(name.slice(list.length + 1))) || []
    if (place === undefined || Number(place) < gone) return [[name, value] as const]
    return Number(place) === gone ? [] : [[`${list}.${Number(place) - 1}${rest}`, value] as const]
  })
  return readForm(entries)
}

/** Rows with nothing in them are no data; without them a row has the place of its entry. */
export function withoutBlankRows(fields: readonly Field[], form: Form, at: string): Form {
  return fields.reduce((left, field) => {
    const name = `${at}.${field.name}`
    if (field.localized) return left
    if (field.type === 'object') return withoutBlankRows(field.fields ?? [], left, name)
    if (field.type !== 'list') return left
    const filled = new Set(
      left
        .entries()
        .filter(
          ([one, value]) => one.startsWith(`${name}.`) && !one.endsWith(`.${ORIGIN}`) && value.trim() !== '',
        )
        .map(([one]) => Number(one.slice(name.length + 1).split('.', 1)[0])),
    )
    const blank = rowsIn(left, name).filter(place => !filled.has(place))
    return blank.reverse().reduce((rest, place) => withoutRow(rest, `${name}.${place}`), left)
  }, form)
}
