/** Violations as JSON, with their places in two spellings: for people and for programs. */
import type { Detail, Path } from './errors.ts'

/** Security bounds: names are repeated in the response, and free-form keys may be as long as the body. */
const MAX_FIELD_LENGTH = 200
const MAX_POINTER_LENGTH = 1000

export type DetailJson = ReturnType<typeof detailJson>

export const detailJson = (detail: Detail) => ({
  field: formatField(detail.path),
  pointer: formatPointer(detail),
  code: detail.code,
  message: detail.message,
  index: detail.index,
})

/** For people: `fiberComposition[1].percentage`. */
export function formatField(path: Path): string {
  let field = ''
  for (const step of path[0] === 'data' && typeof path[1] === 'string' ? path.slice(1) : path) {
    if (typeof step === 'number') field += `[${step}]`
    else field += field === '' ? step : `.${step}`
  }
  return shorten(field, MAX_FIELD_LENGTH)
}

/** RFC 6901: `/items/3/data/sku`; parameters as `/query/limit`; empty for a header. */
function formatPointer({ path, in: part, index }: Detail): string {
  if (part === 'header') return ''
  const row = index === undefined ? [] : ['items', index]
  const root = part === undefined ? row : part === 'body' ? [] : [part]
  const steps = [...root, ...path].map(step => String(step).replaceAll('~', '~0').replaceAll('/', '~1'))
  return shorten(steps.map(step => `/${step}`).join(''), MAX_POINTER_LENGTH)
}

/** Cuts a text at `maxLength` with an ellipsis; never leaves half a surrogate pair. */
export function shorten(text: string, maxLength: number): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return shown.toWellFormed()
}
