/** The words of the pages that take sheets in and give them out. */
import { de } from './texts-de.ts'
import { en } from './texts-en.ts'

export const SHEET_TEXTS = { en, de }
