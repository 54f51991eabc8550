/** Switches to another sheet of an uploaded workbook; the stored file is parsed again. */

import { requireProductUuid } from '../../passports/read/find.ts'
import { SpreadsheetError } from '../../transfer/spreadsheets/spreadsheet-error.ts'
import { getImport, selectSheet } from '../../transfer/spreadsheets/spreadsheet-import.ts'
import { IMPORT } from '../page/addresses.ts'
import type { Outcome, Visit } from '../page/route.ts'
import { renderColumnsPage } from './columns.ts'
import { limitReads } from './limit-reads.ts'
import { explainUnreadableFile } from './words.ts'

export async function submitSheetChoice(visit: Visit): Promise<Outcome> {
  const { ctx, words, id, form } = visit
  const uuid = requireProductUuid(id)
  const again = async (problem: string) => renderColumnsPage(visit, await getImport(ctx, uuid), { problem })
  await getImport(ctx, uuid)
  try {
    const isRead = await limitReads({ sql: ctx.sql, accountId: ctx.accountId, bytes: 0 }, async () => {
      await selectSheet(ctx, uuid, form.raw('sheet'))
      return true
    })
    return isRead ? { to: `${IMPORT}/${id}` } : again(words.texts.spreadsheets.busy)
  } catch (error) {
    if (error instanceof SpreadsheetError) return again(explainUnreadableFile(words, error))
    throw error
  }
}
