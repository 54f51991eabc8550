/**
 * Lists what a person should know of rows that are imported: warnings of the API, and HTML in texts.
 * A check collects them for each chunk, by kind and column.
 */
import type { AccountContext } from '../../../accounts/account/context.ts'
import { findMarkup } from '../../../categories/check/text-checks.ts'
import { shorten } from '../../../kernel/errors/detail-json.ts'
import type { Detail } from '../../../kernel/errors/errors.ts'
import { toPlainText } from '../../../kernel/text/plain-text.ts'
import { isPlainColumn } from '../columns/plain-cell.ts'
import { buildRowError, getErrorKind, type RowError } from '../columns/row-errors.ts'
import type { RowOptions } from '../columns/row-to-passport.ts'
import type { GoodRow } from './split-rows.ts'

/** `first`: numbers of the first rows. */
export type RowWarning = { example: RowError; rows: number; first: readonly number[] }

/** A text with HTML, as it is in the cell and as plain text. */
export type MarkedText = { no: number; column: number; before: string; after: string }

export type CheckNotes = { warnings: RowWarning[]; texts: MarkedText[]; markedRows: number }

export const NO_NOTES: CheckNotes = { warnings: [], texts: [], markedRows: 0 }

const MAX_FIRST_ROWS = 5
const MAX_TEXTS = 3
const MAX_TEXT_LENGTH = 300

/** The page shows unknown and replaced names by themselves. */
const SHOWN_ELSEWHERE: readonly Detail['code'][] = ['synonym', 'unlisted_name']

export function collectWarnings() {
  const found = new Map<string, RowWarning>()
  return {
    add(no: number, errors: readonly RowError[]): void {
      for (const [key, [example]] of Map.groupBy(errors, getErrorKind)) {
        const known = found.get(key)
        if (known !== undefined) found.set(key, join(known, { rows: 1, first: [no] }))
        else if (example !== undefined) found.set(key, { example, rows: 1, first: [no] })
      }
    },
    list: (): RowWarning[] => [...found.values()],
  }
}

const join = (known: RowWarning, more: Pick<RowWarning, 'rows' | 'first'>): RowWarning => ({
  ...known,
  rows: known.rows + more.rows,
  first: [...known.first, ...more.first].slice(0, MAX_FIRST_ROWS),
})

export const buildWarnings = (
  warnings: readonly Detail[],
  { cells }: Pick<GoodRow, 'cells'>,
  reading: RowOptions,
): RowError[] =>
  warnings
    .filter(({ code }) => !SHOWN_ELSEWHERE.includes(code))
    .map(detail => buildRowError(detail, cells, reading))

/** For a new product beside a draft, which would be a second product if somebody published it. */
export const DRAFT_WARNING: RowError = {
  column: null,
  field: '',
  code: 'draft',
  message:
    'A draft of this product exists, and the import leaves it. Discard it, or publish it in place of this row: otherwise there can be two products.',
  said: { key: 'exists', facts: {} },
}

/** Finds the texts that `plainTexts` of the settings turns into plain text. */
export function findMarkedTexts(
  rows: readonly (Pick<GoodRow, 'cells'> & { no: number })[],
  { columns }: RowOptions,
): Pick<CheckNotes, 'texts' | 'markedRows'> {
  const texts: MarkedText[] = []
  let markedRows = 0
  const places = columns.flatMap((column, place) => (isPlainColumn(column) ? [place] : []))
  for (const { no, cells } of rows) {
    const marked = places.filter(place => {
      const cell = cells[place]
      return typeof cell === 'string' && findMarkup(cell) !== undefined
    })
    if (marked.length > 0) markedRows++
    for (const column of marked) {
      if (texts.length === MAX_TEXTS) break
      const before = String(cells[column])
      const after = shorten(toPlainText(before), MAX_TEXT_LENGTH)
      texts.push({ no, column, before: shorten(before, MAX_TEXT_LENGTH), after })
    }
  }
  return { texts, markedRows }
}

export function serializeCheckNotes({ warnings, texts, markedRows }: CheckNotes): string | null {
  return warnings.length + markedRows === 0 ? null : JSON.stringify({ warnings, texts, markedRows })
}

/** The notes of all chunks of a check together. */
export async function listCheckNotes({ sql, accountId }: AccountContext, uuid: string): Promise<CheckNotes> {
  const chunks = await sql<{ warnings: string }[]>`
    select warnings from sheet_chunk
    where account_id = ${accountId} and import_id = ${uuid} and warnings is not null order by no`
  const found = new Map<string, RowWarning>()
  const all: CheckNotes = { warnings: [], texts: [], markedRows: 0 }
  for (const chunk of chunks) {
    const { warnings, texts, markedRows }: CheckNotes = JSON.parse(chunk.warnings)
    for (const one of warnings) {
      const key = getErrorKind(one.example)
      const known = found.get(key)
      found.set(key, known === undefined ? one : join(known, one))
    }
    all.texts.push(...texts)
    all.markedRows += markedRows
  }
  const warnings = [...found.values()].sort((a, b) => b.rows - a.rows)
  return { ...all, warnings, texts: all.texts.slice(0, MAX_TEXTS) }
}
