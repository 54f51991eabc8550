/** Reads documents, so that tests can compare what they say with the code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** `path` is relative to the project. */
export const readDocument = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The text below a heading, up to the next one of any level. */
export function readSection(path: string, title: string): string {
  const [, section] = readDocument(path).split(new RegExp(`^#+ ${title}$`, 'm'))
  if (section === undefined) throw new Error(`${path} has no heading "${title}"`)
  return section.split(/^#+ /m)[0] ?? ''
}

/** The cells of the rows of all tables in a text, without their headers. */
export const readRows = (text: string): string[][] =>
  text
    .split('\n')
    .flatMap((line, i, lines) =>
      line.startsWith('|') && !/^\|[ :-]*-/.test(line) && !/^\|[ :-]*-/.test(lines[i + 1] ?? '')
        ? [splitRow(line)]
        : [],
    )

/** A pipe in a cell is written as `\|`. */
const splitRow = (line: string) =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map(cell => cell.trim().replaceAll('\\|', '|'))

/** Finds what stands between backticks. */
export const listCode = (text: string): string[] =>
  Array.from(text.matchAll(/`([^`]+)`/g), ([, code = '']) => code)
