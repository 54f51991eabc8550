/** `carnet categories check`: checks files that describe a category, without a database. */
import { readFileSync, statSync } from 'node:fs'
import { findErrorCode } from '../../kernel/errors/errors.ts'
import { checkCategory, MAX_CATEGORY_BYTES } from '../../transfer/spreadsheets/columns/check-category.ts'
import { type Command, CommandError, type CommandResult } from '../command-line/command.ts'

export const categoriesCheck: Command = {
  usage: 'categories check FILE…',
  about: 'checks files of the format carnet-category/1 and names every mistake with its line and column',
  positionals: ['FILE'],
  takesMany: true,
  async run({ args }) {
    return report(args.getAll().map(path => ({ path, ...checkCategory(readText(path)) })))
  },
}

function readText(path: string): string {
  try {
    // A larger file is refused by its size, so the rest of it is not needed.
    if (statSync(path).size > MAX_CATEGORY_BYTES) return ' '.repeat(MAX_CATEGORY_BYTES + 1)
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandError(`The file ${path} cannot be read (${findErrorCode(error) ?? error}).`)
  }
}

type Checked = ReturnType<typeof checkCategory> & { path: string }

function report(files: readonly Checked[]): CommandResult {
  const all = files.flatMap(({ path: file, problems }) => problems.map(problem => ({ file, problem })))
  const errors = all.filter(({ problem }) => !problem.isWarning).length
  const lines = all.map(({ file, problem }) => describe(file, problem))
  const counts = [countOf(errors, 'error'), countOf(all.length - errors, 'warning')].join(', ')
  const text = [...lines, `${counts}.`, ...files.flatMap(describeLanguages)].join('\n')
  const value = {
    ok: errors === 0,
    files: files.map(({ path, problems }) => ({
      file: path,
      problems: problems.map(({ isWarning, ...one }) => ({ ...one, warning: isWarning })),
    })),
  }
  return { value, text: errors === 0 ? text : '', failure: errors === 0 ? undefined : text }
}

function describe(
  file: string,
  { line, column, path, code, message, isWarning }: Checked['problems'][number],
): string {
  const place = `${file}:${line}:${column}`
  return `${place} ${[path, isWarning ? `warning ${code}` : code, message].filter(word => word !== '').join('  ')}`
}

const countOf = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`

/** Readers of these languages see English. */
function describeLanguages({ path, missing }: Checked): string[] {
  if (missing.length === 0) return []
  const [{ count } = { count: 0 }] = missing.toSorted((a, b) => b.count - a.count)
  return [
    `${path}: ${countOf(missing.length, 'language')} ${missing.length === 1 ? 'lacks' : 'lack'} up to ${countOf(count, 'label')}; their readers see English.`,
  ]
}
