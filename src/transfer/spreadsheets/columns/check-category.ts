/** Checks a category's file, also whether spreadsheets can convert its units. */
import {
  checkCategoryFile,
  type FileProblem,
  MAX_FILE_BYTES,
} from '../../../categories/check-file/check-file.ts'
import { countMissingTexts } from '../../../categories/check-file/missing-texts.ts'
import { canConvertUnit } from './measurement-units.ts'

export const MAX_CATEGORY_BYTES = MAX_FILE_BYTES

/** `missing`: languages of the Union with the number of labels that they lack; none for a wrong file. */
export function checkCategory(text: string): {
  problems: FileProblem[]
  missing: ReturnType<typeof countMissingTexts>
} {
  const { file, problems } = checkCategoryFile(text, canConvertUnit)
  return { problems, missing: file === undefined ? [] : countMissingTexts(file) }
}
