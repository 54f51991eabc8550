/** The words of the pages that take sheets in and give them out. */
import { de } from './sheet-texts-de.ts'
import { en } from './sheet-texts-en.ts'

export const SHEET_TEXTS = { en, de }
