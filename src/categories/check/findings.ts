/** Collects the violations and warnings of a passport's data. Paths start inside `data`. */
import { formatField } from '../../kernel/errors/detail-json.ts'
import {
  type Detail,
  type DetailCode,
  MAX_DETAILS,
  type Path,
  TRANSLATION,
} from '../../kernel/errors/errors.ts'
import { type Problem, toEnglish } from '../problems.ts'

export class Findings {
  readonly warnings: Detail[] = []
  /** True if more violations were found than are listed. Then further checks can be skipped. */
  truncated = false
  private readonly errors = new Map<string, Detail>()

  get isEmpty(): boolean {
    return this.errors.size === 0
  }

  /** Keeps the first violation at a path; later ones there follow from it. */
  add(path: Path, code: DetailCode, problem: Problem): void {
    if (this.truncated) return
    const place = JSON.stringify(path)
    if (this.errors.has(place)) return
    if (this.errors.size >= MAX_DETAILS) this.truncated = true
    else this.errors.set(place, buildDetail(path, code, problem))
  }

  warn(path: Path, code: DetailCode, problem: Problem): void {
    if (this.warningsFull) return
    this.warnings.push(buildDetail(path, code, problem))
  }

  get warningsFull(): boolean {
    return this.warnings.length >= MAX_DETAILS
  }

  /** Sorts the violations by the category's fields, other keys last. */
  sortedErrors(order: ReadonlyMap<string, number>): Detail[] {
    const place = ({ path }: Detail) => order.get(String(path[1])) ?? order.size
    return Array.from(this.errors.values()).sort((a, b) => place(a) - place(b))
  }
}

/** Copies the path, because the caller changes it afterwards. */
function buildDetail(inData: Path, code: DetailCode, problem: Problem): Detail {
  const path = ['data', ...inData]
  return {
    path,
    code,
    message: `${formatField(path) || 'A key without a name'} ${toEnglish(problem)}`,
    [TRANSLATION]: problem,
  }
}
