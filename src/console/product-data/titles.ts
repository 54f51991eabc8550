/** How a product or unit is named on pages: without direction marks, and a unit with its lot or serial number. */
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import { LEVEL_NAME } from '../../passports/core/record.ts'
import { effectiveData, type PassportState } from '../../passports/core/state.ts'
import type { PassportSummary } from '../../passports/read/list.ts'
import type { Words } from '../page/words.ts'

export const getProductName = (words: Words, state: PassportState): string =>
  stripDirectionMarks(String(effectiveData(state).productName ?? words.texts.page.unnamed))

/** The heading of pages about a product or unit: "Jumper · Item 4711". */
export const getProductTitle = (words: Words, state: PassportState): string =>
  formatTitle(words, getProductName(words, state), state.row)

export function formatTitle(
  words: Words,
  name: string,
  { level, serial, lot }: Pick<PassportState['row'], 'level' | 'serial' | 'lot'>,
): string {
  const shown = stripDirectionMarks(name)
  if (level === 'm') return shown
  const { levels } = words.texts.products
  return `${shown} · ${levels[LEVEL_NAME[level]]} ${serial ?? lot ?? ''}`
}

/** The title in a list, which names the level in a column of its own: "Jumper · 4711". */
export const getShortTitle = (words: Words, { product_name, serial, lot }: PassportSummary): string =>
  [stripDirectionMarks(product_name ?? words.texts.page.unnamed), serial ?? lot]
    .filter(part => part !== null)
    .join(' · ')
