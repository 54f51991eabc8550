/** Which sheet of a workbook is meant: read anew from the file that is kept. */
import { toAccountContext } from '../../accounts/people/sessions.ts'
import { requireUuid } from '../../passports/read/find.ts'
import { SpreadsheetError } from '../../transfer/spreadsheets/spreadsheet-error.ts'
import { getImport, selectSheet } from '../../transfer/spreadsheets/spreadsheet-import.ts'
import { IMPORT } from '../page/addresses.ts'
import type { Outcome, SignedInVisit } from '../page/route.ts'
import { SHEET_TEXTS } from '../page/sheet-texts.ts'
import { wordsOf } from '../page/words.ts'
import { columnsPage } from './columns.ts'
import { whileReading } from './limit-reads.ts'
import { fileSentence } from './words.ts'

/** Another sheet of the same file in place of the one before. */
export async function submitChoice(visit: SignedInVisit): Promise<Outcome> {
  const { setup, session, words, params, form } = visit
  const ctx = toAccountContext(setup, session)
  const uuid = requireUuid(params.id ?? '')
  const again = async (problem: string) => columnsPage(visit, await getImport(ctx, uuid), { problem })
  await getImport(ctx, uuid)
  try {
    const isRead = await whileReading(async () => {
      await selectSheet(ctx, uuid, form.raw('sheet'))
      return true
    })
    return isRead ? { to: `${IMPORT}/${params.id}` } : again(wordsOf(words, SHEET_TEXTS).busy)
  } catch (error) {
    if (error instanceof SpreadsheetError) return again(fileSentence(words, error))
    throw error
  }
}
