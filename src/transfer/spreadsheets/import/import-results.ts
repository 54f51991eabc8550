/** Results of a check or import by page: rejected rows, errors by kind, and changed products. */
import type { AccountContext } from '../../../accounts/account/context.ts'
import type { NameNote } from '../columns/name-notes.ts'
import { getErrorKind, type RowError } from '../columns/row-errors.ts'
import { MAX_SHOWN_NEW, type ProductChange } from './product-changes.ts'
import type { DraftMark } from './split-rows.ts'
import type { ChunkRow, SpreadsheetImport } from './spreadsheet-import.ts'

/** One kind of error in one column. */
export type ErrorGroup = {
  key: string
  example: RowError
  rows: number
}

/** `overQuota`: valid rows that exceed the account's plan. They are not errors, so no group has them. */
export type ErrorOverview = { groups: ErrorGroup[]; overQuota: number; incomplete: IncompleteRows }

/** Rows that only lack required values, with what they lack. `there`: so many are drafts already. */
export type IncompleteRows = { groups: ErrorGroup[]; there: number }

export const NO_ERRORS: ErrorOverview = { groups: [], overQuota: 0, incomplete: { groups: [], there: 0 } }

const isOverQuota = ({ refusal }: RowError): boolean => refusal === 'plan_limit'

export async function groupRowErrors(ctx: AccountContext, uuid: string): Promise<ErrorOverview> {
  const [all, lacking] = [collectGroups(), collectGroups()]
  let [overQuota, there] = [0, 0]
  for await (const { result: faults, mark } of readResults<RowError[]>(ctx, uuid, 'faults', false)) {
    if (faults.some(isOverQuota)) {
      overQuota++
      continue
    }
    all.add(faults)
    if (mark === 'new') lacking.add(faults)
    else if (mark === 'there') there++
  }
  return { groups: all.sorted(), overQuota, incomplete: { groups: lacking.sorted(), there } }
}

function collectGroups() {
  const groups = new Map<string, ErrorGroup>()
  return {
    add(faults: readonly RowError[]): void {
      for (const [key, [example]] of Map.groupBy(faults, getErrorKind)) {
        const group = groups.get(key)
        if (group !== undefined) group.rows++
        else if (example !== undefined) groups.set(key, { key, example, rows: 1 })
      }
    },
    sorted: (): ErrorGroup[] => [...groups.values()].sort((a, b) => b.rows - a.rows),
  }
}

/** Reads the stored results of rows, in order. Without cells, rows have no number either. */
export async function* readResults<T>(
  { sql, accountId }: AccountContext,
  uuid: string,
  column: 'faults' | 'changes' | 'notes',
  withCells = true,
): AsyncGenerator<{ no: number; cells: ChunkRow[1]; result: T; mark: DraftMark | undefined }> {
  let before = -1
  for (;;) {
    const [chunk] = await sql<{ no: number; rows: string; results: string }[]>`
      select no, ${withCells ? sql`rows` : sql`'[]' as rows`}, ${sql(column)} as results from sheet_chunk
      where account_id = ${accountId} and import_id = ${uuid} and no > ${before} and ${sql(column)} is not null
      order by no limit 1`
    if (chunk === undefined) return
    before = chunk.no
    const rows: ChunkRow[] = JSON.parse(chunk.rows)
    const results: [place: number, result: T, mark?: DraftMark][] = JSON.parse(chunk.results)
    for (const [place, result, mark] of results) {
      const [no, cells] = rows[place] ?? [0, []]
      yield { no, cells, result, mark }
    }
  }
}

export const RESULTS_PER_PAGE = 20

async function takePage<T, P>(
  all: AsyncIterable<T>,
  page: number,
  pick: (one: T) => P | undefined,
): Promise<P[]> {
  const picked: P[] = []
  let skip = (page - 1) * RESULTS_PER_PAGE
  for await (const one of all) {
    const found = pick(one)
    if (found === undefined || skip-- > 0) continue
    if (picked.push(found) === RESULTS_PER_PAGE) break
  }
  return picked
}

export type RejectedRow = { no: number; faults: RowError[] }

/** A page of the rejected rows, of one group or of all; `page` counts from 1. */
export const listRejectedRows = (
  ctx: AccountContext,
  uuid: string,
  { group, page }: { group: string | undefined; page: number },
): Promise<RejectedRow[]> =>
  takePage(readResults<RowError[]>(ctx, uuid, 'faults'), page, ({ no, result }) => {
    const faults = result.filter(one =>
      group === undefined ? !isOverQuota(one) : getErrorKind(one) === group,
    )
    return faults.length === 0 ? undefined : { no, faults }
  })

/** Rows that were written without some picture; `page` counts from 1. */
export async function listRowNotes(
  ctx: AccountContext,
  uuid: string,
  page: number,
): Promise<{ count: number; rows: RejectedRow[] }> {
  let count = 0
  for await (const _ of readResults<RowError[]>(ctx, uuid, 'notes', false)) count++
  if (count === 0) return { count, rows: [] }
  const all = readResults<RowError[]>(ctx, uuid, 'notes')
  return { count, rows: await takePage(all, page, ({ no, result }) => ({ no, faults: result })) }
}

export type ChangedProduct = { no: number; change: ProductChange }

export const listProductChanges = (
  ctx: AccountContext,
  uuid: string,
  page: number,
): Promise<ChangedProduct[]> =>
  takePage(readResults<ProductChange>(ctx, uuid, 'changes'), page, ({ no, result }) =>
    result.isNew ? undefined : { no, change: result },
  )

/** The first new products, as the import would store them. */
export async function listNewProducts(
  ctx: AccountContext,
  { id, created }: Pick<SpreadsheetImport, 'id' | 'created'>,
): Promise<ChangedProduct[]> {
  const found: ChangedProduct[] = []
  const wanted = Math.min(created, MAX_SHOWN_NEW)
  if (wanted === 0) return found
  for await (const { no, result } of readResults<ProductChange>(ctx, id, 'changes'))
    if (result.isNew && found.push({ no, change: result }) === wanted) break
  return found
}

const MAX_NAMES = 200

/** Names that the check replaced or did not recognise, each once. */
export async function listNameNotes({ sql, accountId }: AccountContext, uuid: string): Promise<NameNote[]> {
  const chunks = await sql<{ names: string }[]>`
    select distinct names from sheet_chunk
    where account_id = ${accountId} and import_id = ${uuid} and names is not null and names <> '[]'`
  const found = new Map<string, NameNote>()
  for (const { names } of chunks) {
    const notes: NameNote[] = JSON.parse(names)
    for (const note of notes) {
      if (found.size < MAX_NAMES) found.set(`${note.path}\t${note.text}`, note)
    }
  }
  return [...found.values()]
}
