/** The words of the developer's pages, in the languages of the console. */
import { de } from './texts-de.ts'
import { en } from './texts-en.ts'

export const DEVELOPER_TEXTS = { en, de }
