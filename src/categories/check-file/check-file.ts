/** Checks a category's file: `carnet categories check`. Every mistake at once, each with its place. */
import type { Path } from '../../kernel/errors/errors.ts'
import type { CategoryFile } from '../category-file.ts'
import { checkForm } from './check-form.ts'
import { checkRules } from './check-rules.ts'
import { type Place, readLocatedJson } from './located-json.ts'
import type { FileRule } from './rule-problem.ts'

export type FileProblem = Place & {
  /** `fields[2].of[1].values`; empty for the whole file. */
  path: string
  code: 'json' | 'form' | 'limit' | FileRule
  /** Continues after the path. */
  message: string
  isWarning: boolean
}

export type CheckedFile = {
  /** Undefined if there are errors. */
  file: CategoryFile | undefined
  /** In the order of the file. */
  problems: FileProblem[]
}

export const MAX_FILE_BYTES = 512_000
/** Ajv goes no deeper into its own schema than fields go, so this only bounds a hostile file. */
const MAX_DEPTH = 64

/** `knowsUnit`: whether spreadsheets can convert a unit. */
export function checkCategoryFile(text: string, knowsUnit: (unit: string) => boolean): CheckedFile {
  const size = Buffer.byteLength(text)
  if (size > MAX_FILE_BYTES) return refuse(`has ${size} bytes; at most ${MAX_FILE_BYTES} are allowed.`)
  if (isDeeperThan(text, MAX_DEPTH)) return refuse(`is nested more than ${MAX_DEPTH} levels deep.`)
  const { value, mistakes, findPlace } = readLocatedJson(text)
  if (mistakes.length > 0) {
    const problems = mistakes.map(one => ({ path: '', code: 'json' as const, isWarning: false, ...one }))
    return { file: undefined, problems }
  }
  const form = checkForm(value).map(one => ({ ...one, code: 'form' as const, isWarning: false }))
  const file = hasNoProblem(value, form) ? value : undefined
  const found = file === undefined ? form : checkRules(file, knowsUnit)
  const problems = found
    .map(({ path, ...one }) => ({ ...findPlace(path), path: formatPlace(path), ...one }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
  const isFine = problems.every(({ isWarning }) => isWarning)
  return { file: isFine ? file : undefined, problems }
}

const hasNoProblem = (_value: unknown, form: readonly unknown[]): _value is CategoryFile => form.length === 0

const refuse = (message: string): CheckedFile => ({
  file: undefined,
  problems: [{ line: 1, column: 1, path: '', code: 'limit', message, isWarning: false }],
})

/** Counts brackets outside of strings, before anything parses the text. */
function isDeeperThan(text: string, most: number): boolean {
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    if (depth > most) return true
  }
  return false
}

const formatPlace = (path: Path): string =>
  path.map((part, n) => (typeof part === 'number' ? `[${part}]` : n === 0 ? part : `.${part}`)).join('')
