/** The outcome of each row of a sync. */

import { yieldBetweenRows } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { type PassportRow, summaryData, withSummaryData } from '../core/record.ts'
import type { RowRejection } from '../core/row-problems.ts'
import { toPassportRow } from '../write/insert-models.ts'
import type { SyncRow } from './parse-row.ts'
import type { Creation } from './plan-row.ts'

/** In a call with several rows, `passport` has the data of a summary. */
export type Synced = { index: number; passport: PassportRow; warnings: Creation['warnings'] }

/** Each list is ordered by `index`; every row is in one of them. */
export type SyncResult = {
  created: Synced[]
  updated: Synced[]
  unchanged: Synced[]
  errors: RowRejection[]
}

export const emptyResult = (): SyncResult => ({ created: [], updated: [], unchanged: [], errors: [] })

export async function summariseAll(result: SyncResult): Promise<void> {
  const pauseIfDue = yieldBetweenRows()
  for (const list of [result.created, result.updated, result.unchanged]) {
    for (const synced of list) {
      await pauseIfDue()
      synced.passport = withSummaryData(synced.passport)
    }
  }
}

/** `isBrief`: with the data of a summary, because hundreds of rows may not fit into memory. */
export function toSynced({ row, model, warnings }: Creation, isBrief: boolean): Synced {
  const shown = isBrief ? { ...model, data: { ...summaryData(model.data), gtin: model.data.gtin } } : model
  return { index: row.index, passport: toPassportRow(shown), warnings }
}

/** The value of `work` in a list; an `AppError` goes to the errors. */
export function collectError<T>(result: SyncResult, index: number, work: () => T): T[] {
  try {
    return [work()]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    result.errors.push({ index, error })
    return []
  }
}

export function rejectRow(result: SyncResult, { index }: SyncRow, error: AppError): void {
  result.errors.push({ index, error })
}
