/** Collects what is wrong with a passport's data: one violation for each wrong thing, named as a person and as a program would. */
import { type Detail, type DetailCode, MAX_DETAILS, SAID } from '../../kernel/errors.ts'
import { type Problem, toEnglish } from '../problems.ts'

/** From the `data` object inward: member names and list indexes. */
export type Path = readonly (string | number)[]

/** Security bounds: names are echoed, and free-form keys may be as long as the body. */
const FIELD_MAX_LENGTH = 200
const POINTER_MAX_LENGTH = 1000

export class Findings {
  readonly warnings: Detail[] = []
  private readonly errors = new Map<string, Detail>()
  private overflow = false

  /** True when more violations were found than are listed; looking on is of no use then. */
  get truncated(): boolean {
    return this.overflow
  }

  get isEmpty(): boolean {
    return this.errors.size === 0
  }

  /** The first finding at a place stands; a later one there is its consequence. */
  add(path: Path, code: DetailCode, problem: Problem): void {
    if (this.overflow) return
    const pointer = pointerOf(path)
    if (this.errors.has(pointer)) return
    if (this.errors.size >= MAX_DETAILS) this.overflow = true
    else this.errors.set(pointer, detail(path, pointer, code, problem))
  }

  warn(path: Path, code: DetailCode, problem: Problem): void {
    if (this.warningsFull) return
    this.warnings.push(detail(path, pointerOf(path), code, problem))
  }

  get warningsFull(): boolean {
    return this.warnings.length >= MAX_DETAILS
  }

  /** The violations in the order of the category's fields, then those of other keys. */
  sortedErrors(order: ReadonlyMap<string, number>): Detail[] {
    const place = (pointer: string) => order.get(pointer.split('/', 3)[2] ?? '') ?? order.size
    return Array.from(this.errors)
      .sort(([a], [b]) => place(a) - place(b))
      .map(([, found]) => found)
  }
}

function detail(path: Path, pointer: string, code: DetailCode, problem: Problem): Detail {
  const field = shorten(formatFieldPath(path), FIELD_MAX_LENGTH)
  return {
    field,
    pointer: shorten(pointer, POINTER_MAX_LENGTH),
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
function pointerOf(path: Path): string {
  let pointer = '/data'
  for (const step of path) {
    pointer += `/${typeof step === 'number' ? step : step.replaceAll('~', '~0').replaceAll('/', '~1')}`
  }
  return pointer
}

/** At most so many characters of a text, and an ellipsis for the rest; never half a character. */
export function shorten(text: string, maxLength: number): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return shown.toWellFormed()
}
