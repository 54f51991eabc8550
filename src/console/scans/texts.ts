/** The words of the scan pages, in the languages of the console. */
import { de } from './texts-de.ts'
import { en } from './texts-en.ts'

export const SCAN_TEXTS = { en, de }
