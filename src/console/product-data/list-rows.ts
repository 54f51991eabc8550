/**
 * Rows of lists in a form: added, removed, and dropped if empty. Each row names the stored entry it shows, so
 * that rows can move and untouched entries stay as stored.
 */
import type { Field } from '../../categories/field.ts'
import { toPlainText } from '../../kernel/text/plain-text.ts'
import { type PostedForm, readForm } from '../page/form.ts'

/** The hidden input of a row. Its value is the index of the stored entry, or `NEW_ROW`. */
export const ROW_ORIGIN = '@'
export const NEW_ROW = 'new'
/** The box that says that a list is empty on purpose. An empty input of its name says it was shown. */
export const NONE = '@none'

/** The button that turns the HTML of a text into plain text. Its value is the name of the input. */
export const PLAIN = 'plain'

export const listRowNumbers = (form: PostedForm, list: string): readonly number[] =>
  form
    .under(list)
    .filter(place => /^\d{1,3}$/.test(place))
    .map(Number)
    .sort((a, b) => a - b)

/** The index of the stored entry that a row shows; undefined for a new row. */
export function findRowOrigin(form: PostedForm, row: string): number | undefined {
  const said = form.raw(`${row}.${ROW_ORIGIN}`)
  if (said === '') return Number(row.split('.').at(-1))
  return /^\d{1,3}$/.test(said) ? Number(said) : undefined
}

/** Applies the pressed button of a row or a text. Returns undefined if the form was submitted to be saved. */
export function applyRowButton(form: PostedForm): PostedForm | undefined {
  const [add, remove, raise] = [form.text('add'), form.text('remove'), form.text('raise')]
  if (add !== '') return addRow(form, add)
  if (raise !== '') return raiseRow(form, raise)
  if (remove !== '') return removeRow(form, remove)
  if (form.text(PLAIN) !== '') return makePlain(form, form.text(PLAIN))
  return form.text('show') === '' ? undefined : form
}

function makePlain(form: PostedForm, name: string): PostedForm {
  const entries = form.entries().filter(([one]) => one !== PLAIN)
  return readForm(entries.map(([one, value]) => [one, one === name ? toPlainText(value) : value] as const))
}

/** `values`: what the new row contains, by the names of its inputs. */
export function addRow(
  form: PostedForm,
  list: string,
  values: Readonly<Record<string, string>> = {},
): PostedForm {
  const next = (listRowNumbers(form, list).at(-1) ?? -1) + 1
  const all = Object.entries({ [ROW_ORIGIN]: NEW_ROW, ...values })
  return readForm([
    ...form.entries(),
    ...all.map(([name, value]) => [`${list}.${next}.${name}`, value] as const),
  ])
}

/** Exchanges a row with the one before it. */
function raiseRow(form: PostedForm, row: string): PostedForm {
  const dot = row.lastIndexOf('.')
  const list = row.slice(0, dot)
  const rows = listRowNumbers(form, list)
  const here = rows.indexOf(Number(row.slice(dot + 1)))
  const [above, below] = [rows[here - 1], rows[here]]
  if (above === undefined || below === undefined) return form
  const places = new Map([
    [`${list}.${above}`, `${list}.${below}`],
    [`${list}.${below}`, `${list}.${above}`],
  ])
  return readForm(
    form.entries().map(([name, value]) => {
      const [place = ''] = /^\.\d+/.exec(name.slice(list.length)) ?? []
      const moved = name.startsWith(`${list}.`) ? places.get(`${list}${place}`) : undefined
      return [moved === undefined ? name : moved + name.slice(list.length + place.length), value] as const
    }),
  )
}

function removeRow(form: PostedForm, row: string): PostedForm {
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

/** Removes empty rows, so that row numbers equal list indexes. */
export function removeBlankRows(fields: readonly Field[], form: PostedForm, at: string): PostedForm {
  return fields.reduce((left, field) => {
    const name = `${at}.${field.name}`
    if (field.localized) return left
    if (field.type === 'object') return removeBlankRows(field.fields ?? [], left, name)
    if (field.type !== 'list') return left
    const filled = new Set(
      left
        .entries()
        .filter(
          ([one, value]) =>
            one.startsWith(`${name}.`) && !one.endsWith(`.${ROW_ORIGIN}`) && value.trim() !== '',
        )
        .map(([one]) => Number(one.slice(name.length + 1).split('.', 1)[0])),
    )
    const blank = listRowNumbers(left, name).filter(place => !filled.has(place))
    return blank.reverse().reduce((rest, place) => removeRow(rest, `${name}.${place}`), left)
  }, form)
}
