/** Results of a check or import, page by page: rejected rows, their errors grouped by kind, and changed products. */
import type { AccountContext } from '../../accounts/context.ts'
import { getRemainingQuota } from '../../accounts/limits/quota.ts'
import { type RejectedRow, readRejectedRows } from './error-file.ts'
import type { NameNote } from './name-notes.ts'
import type { ProductChange } from './product-changes.ts'
import type { RowError } from './row-errors.ts'
import type { ChunkChanges, ChunkErrors } from './run-import.ts'
import type { ChunkRow } from './spreadsheet-import.ts'

/** One kind of error in one column. */
export type ErrorGroup = {
  key: string
  /** The first error of the group. */
  example: RowError
  rows: number
}

/** `overQuota`: valid rows that exceed the account's plan. They are not errors, so no group has them. */
export type ErrorOverview = { groups: ErrorGroup[]; overQuota: number }

const groupKey = ({ code, said, refusal, column, field }: RowError): string =>
  [
    code,
    said?.key ?? refusal ?? '',
    column ?? '',
    column === null ? field.replaceAll(/\[\d+\]/g, '') : '',
  ].join(' ')

const isOverQuota = ({ refusal }: RowError): boolean => refusal === 'plan_limit'

/** Groups all errors, most rows first. */
export async function groupRowErrors(ctx: AccountContext, uuid: string): Promise<ErrorOverview> {
  const groups = new Map<string, ErrorGroup>()
  let overQuota = 0
  for await (const faults of readErrors(ctx, uuid)) {
    if (faults.some(isOverQuota)) {
      overQuota++
      continue
    }
    for (const key of new Set(faults.map(groupKey))) {
      const example = faults.find(fault => groupKey(fault) === key)
      const group = groups.get(key)
      if (group !== undefined) group.rows++
      else if (example !== undefined) groups.set(key, { key, example, rows: 1 })
    }
  }
  return { groups: [...groups.values()].sort((a, b) => b.rows - a.rows), overQuota }
}

/** Reads the errors of each rejected row, without its cells. */
async function* readErrors({ sql, accountId }: AccountContext, uuid: string): AsyncGenerator<RowError[]> {
  let before = -1
  for (;;) {
    const [chunk] = await sql<{ no: number; faults: string }[]>`
      select no, faults from sheet_chunk
      where account_id = ${accountId} and import_id = ${uuid} and no > ${before} and faults is not null
      order by no limit 1`
    if (chunk === undefined) return
    before = chunk.no
    const errors: ChunkErrors = JSON.parse(chunk.faults)
    for (const [, faults] of errors) yield faults
  }
}

export const RESULTS_PER_PAGE = 20

/** A page of the rejected rows, of one group or of all; `page` counts from 1. */
export async function listRejectedRows(
  ctx: AccountContext,
  uuid: string,
  { group, page }: { group: string | undefined; page: number },
): Promise<RejectedRow[]> {
  const found: RejectedRow[] = []
  let skip = (page - 1) * RESULTS_PER_PAGE
  for await (const row of readRejectedRows(ctx, uuid)) {
    const faults = row.faults.filter(fault =>
      group === undefined ? !isOverQuota(fault) : groupKey(fault) === group,
    )
    if (faults.length === 0 || skip-- > 0) continue
    if (found.push({ ...row, faults }) === RESULTS_PER_PAGE) break
  }
  return found
}

export type ChangedProduct = { no: number; change: ProductChange }

/** A page of the products that a checked import would change; `page` counts from 1. */
export async function listProductChanges(
  { sql, accountId }: AccountContext,
  uuid: string,
  page: number,
): Promise<ChangedProduct[]> {
  const found: ChangedProduct[] = []
  let skip = (page - 1) * RESULTS_PER_PAGE
  let before = -1
  while (found.length < RESULTS_PER_PAGE) {
    const [chunk] = await sql<{ no: number; rows: string; changes: string }[]>`
      select no, rows, changes from sheet_chunk
      where account_id = ${accountId} and import_id = ${uuid} and no > ${before} and changes is not null
      order by no limit 1`
    if (chunk === undefined) break
    before = chunk.no
    const changes: ChunkChanges = JSON.parse(chunk.changes)
    if (skip >= changes.length) {
      skip -= changes.length
      continue
    }
    const rows: ChunkRow[] = JSON.parse(chunk.rows)
    for (const [place, change] of changes.slice(skip, skip + RESULTS_PER_PAGE - found.length))
      found.push({ no: rows[place]?.[0] ?? 0, change })
    skip = 0
  }
  return found
}

const MAX_NAMES = 200

/** Names that the check replaced or did not know, each once. */
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

/** How many models the account may still create; undefined without a limit. */
export async function findRemainingModels({ sql, accountId }: AccountContext): Promise<number | undefined> {
  const room = await getRemainingQuota(sql, { accountId, level: 'm' })
  return Number.isFinite(room) ? room : undefined
}
