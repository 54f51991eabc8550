/** A broken rule of a category's file. */
import type { Path } from '../../kernel/errors/errors.ts'

export type FileRule =
  | 'audience_widens'
  | 'cell_list'
  | 'control'
  | 'duplicate_name'
  | 'example_invalid'
  | 'html'
  | 'label_missing'
  | 'limit'
  | 'reserved_name'
  | 'term_conflict'
  | 'unit_conflict'
  | 'unknown_member'
  | 'unknown_part'
  | 'unknown_section'
  | 'unknown_source'
  | 'unknown_unit_conversion'
  | 'version_order'

/** `message` continues after the path. */
export type RuleProblem = { path: Path; code: FileRule; message: string; isWarning: boolean }
export type Report = (path: Path, code: FileRule, message: string) => void

const WARNINGS: ReadonlySet<FileRule> = new Set(['cell_list', 'unknown_unit_conversion'])

export function createReport(): { problems: RuleProblem[]; report: Report } {
  const problems: RuleProblem[] = []
  return {
    problems,
    report: (path, code, message) =>
      void problems.push({ path, code, message, isWarning: WARNINGS.has(code) }),
  }
}
