/** What to print, read from the query: what is wrong is said at its field, which keeps what was typed. */

import type { State } from '../../passports/core/state.ts'
import type { Below } from '../../passports/read/list-units.ts'
import { SHEETS, type SheetFormat, singleLabel } from '../../qr/label-sheet.ts'
import { DPI, type Dpi } from '../../qr/png.ts'
import type { Problems } from '../page/form.ts'
import { LABEL_TEXTS } from '../page/label-texts.ts'
import { type Words, wordsOf } from '../page/words.ts'
import { readNumber } from '../product-data/parse-value.ts'

const MAX_COPIES = 500
/** Longer than any serial number or lot. */
const MAX_NUMBER_LENGTH = 200
const LABEL_MM = [15, 300] as const
const CODE_MM = [10, 100] as const

export const FILES = ['pdf', 'svg', 'png300', 'png600'] as const
export const CONTENTS = ['passport', 'gs1'] as const
const OF = ['items', 'batches', 'self'] as const

export type Content = (typeof CONTENTS)[number]
export type LabelOptions = {
  of: (typeof OF)[number]
  content: Content
  file: (typeof FILES)[number]
  sheet: string
  width: number
  height: number
  size: number
  copies: number
  skip: number
  /** Serial numbers or lots, the first and the last; empty: all. */
  from: string
  to: string
}

/** `options` can be printed if there are no problems; `typed` is shown again. */
export type ParsedLabelOptions = {
  options: LabelOptions
  problems: Problems
  typed: (name: Measure | 'from' | 'to') => string
}

const USUAL = { width: 50, height: 30, size: 20, copies: 1, skip: 0 } as const
export type Measure = keyof typeof USUAL

export const formatOf = ({ sheet, width, height }: LabelOptions): SheetFormat =>
  Object.hasOwn(SHEETS, sheet) ? SHEETS[sheet as keyof typeof SHEETS] : singleLabel(width, height)

export function parseLabelOptions(
  words: Words,
  query: URLSearchParams,
  { row }: State,
  below: Below,
): ParsedLabelOptions {
  const read = reader(words, query)
  const of = OF.filter(one => one === 'self' || below[one] > 0)
  const { choice, number, problems } = read
  const chosen = {
    of: choice('of', of, of[0] ?? 'self'),
    content: choice('content', row.gtin === null ? ['passport'] : CONTENTS, 'passport'),
    file: choice('file', FILES, 'pdf'),
    sheet: choice('sheet', [...Object.keys(SHEETS), 'own'], '64x38'),
  }
  const isPdf = chosen.file === 'pdf'
  const isOwn = chosen.sheet === 'own'
  const size = isPdf ? USUAL.size : number('size', CODE_MM)
  const width = isPdf && isOwn ? number('width', LABEL_MM) : USUAL.width
  const height = isPdf && isOwn ? number('height', LABEL_MM) : USUAL.height
  const options = {
    ...chosen,
    size,
    width,
    height,
    copies: USUAL.copies,
    skip: USUAL.skip,
    from: '',
    to: '',
  } as LabelOptions
  const { columns, rows } = formatOf(options)
  if (isPdf && !isOwn) options.skip = number('skip', [0, columns * rows - 1], true)
  if (isPdf) options.copies = number('copies', [1, MAX_COPIES], true)
  const unitNumber = (name: 'from' | 'to') =>
    (query.get(name) ?? '').trim().slice(0, MAX_NUMBER_LENGTH).toWellFormed().replaceAll('\0', '')
  if (options.of !== 'self') Object.assign(options, { from: unitNumber('from'), to: unitNumber('to') })
  const typed = (name: Measure | 'from' | 'to') =>
    query.get(name) ?? (name === 'from' || name === 'to' ? '' : String(USUAL[name]))
  return { options, problems, typed }
}

/** What a picture of one code is to be: the address of the product's page has no form, and its faults are a list. */
export function readPicture(words: Words, query: URLSearchParams, { row }: State) {
  const { choice, number, problems } = reader(words, query)
  const content = choice<Content>('content', row.gtin === null ? ['passport'] : CONTENTS, 'passport')
  const sent = choice('dpi', DPI.map(String), '300')
  const dpi: Dpi = DPI.find(one => String(one) === sent) ?? 300
  return { options: { content, dpi, size: number('size', CODE_MM) }, problems }
}

function reader(words: Words, query: URLSearchParams) {
  const texts = wordsOf(words, LABEL_TEXTS)
  const problems: Record<string, string> = {}
  const choice = <T extends string>(name: string, all: readonly T[], usual: T): T => {
    const sent = query.get(name)
    const found = all.find(one => one === sent)
    if (found === undefined && sent !== null) problems[name] = texts.oneOf(all.join(', '))
    return found ?? usual
  }
  const number = (name: Measure, [least, most]: readonly [number, number], isWhole = false): number => {
    const sent = query.get(name)
    if (sent === null) return USUAL[name]
    const { value } = readNumber(words, sent.trim())
    const fits = typeof value === 'number' && value >= least && value <= most
    if (fits && (!isWhole || Number.isInteger(value))) return value
    problems[name] = (isWhole ? texts.wholeBetween : texts.between)(words.number(least), words.number(most))
    return USUAL[name]
  }
  return { choice, number, problems }
}
