/** Collects the violations and warnings of a passport's data, each with a field path for people and a pointer for programs. */
import { type Detail, type DetailCode, MAX_DETAILS, SAID } from '../../kernel/errors.ts'
import { type Problem, toEnglish } from '../problems.ts'

/** From the `data` object inward: member names and list indexes. */
export type Path = readonly (string | number)[]

/** Security bounds: names are repeated in the answer, and free-form keys may be as long as the body. */
const MAX_FIELD_LENGTH = 200
const MAX_POINTER_LENGTH = 1000

export class Findings {
  readonly warnings: Detail[] = []
  private readonly errors = new Map<string, Detail>()
  private overflow = false

  /** True if more violations were found than are listed. Then further checks can be skipped. */
  get truncated(): boolean {
    return this.overflow
  }

  get isEmpty(): boolean {
    return this.errors.size === 0
  }

  /** Keeps the first violation at a path; later ones there follow from it. */
  add(path: Path, code: DetailCode, problem: Problem): void {
    if (this.overflow) return
    const pointer = formatPointer(path)
    if (this.errors.has(pointer)) return
    if (this.errors.size >= MAX_DETAILS) this.overflow = true
    else this.errors.set(pointer, buildDetail(path, pointer, code, problem))
  }

  warn(path: Path, code: DetailCode, problem: Problem): void {
    if (this.warningsFull) return
    this.warnings.push(buildDetail(path, formatPointer(path), code, problem))
  }

  get warningsFull(): boolean {
    return this.warnings.length >= MAX_DETAILS
  }

  /** Sorts the violations by the category's fields, other keys last. */
  sortedErrors(order: ReadonlyMap<string, number>): Detail[] {
    const place = (pointer: string) => order.get(pointer.split('/', 3)[2] ?? '') ?? order.size
    return Array.from(this.errors)
      .sort(([a], [b]) => place(a) - place(b))
      .map(([, found]) => found)
  }
}

function buildDetail(path: Path, pointer: string, code: DetailCode, problem: Problem): Detail {
  const field = shorten(formatFieldPath(path), MAX_FIELD_LENGTH)
  return {
    field,
    pointer: shorten(pointer, MAX_POINTER_LENGTH),
    code,
    message: `${field === '' ? 'A key without a name' : field} ${toEnglish(problem)}`,
    [SAID]: problem,
  }
}

/** `fiberComposition[1].percentage` */
export function formatFieldPath(path: Path): string {
  let field = ''
  for (const step of path) {
    if (typeof step === 'number') field += `[${step}]`
    else field += field === '' ? step : `.${step}`
  }
  return field
}

/** RFC 6901, from the root of a request's body: `/data/fiberComposition/1/percentage`. */
function formatPointer(path: Path): string {
  let pointer = '/data'
  for (const step of path) {
    pointer += `/${typeof step === 'number' ? step : step.replaceAll('~', '~0').replaceAll('/', '~1')}`
  }
  return pointer
}

/** Cuts a text at `maxLength` with an ellipsis; never leaves half a surrogate pair. */
export function shorten(text: string, maxLength: number): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return shown.toWellFormed()
}
