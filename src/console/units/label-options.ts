/** Parses the label options of the query. A problem is shown at its field, which keeps the typed text. */

import { hasGs1Address } from '../../passports/core/record.ts'
import type { PassportState } from '../../passports/core/state.ts'
import type { UnitTotals } from '../../passports/read/list-units.ts'
import { LABEL_SHEETS, type LabelFormat, singleLabel } from '../../qr/label-sheet.ts'
import { DPI, type Dpi } from '../../qr/png.ts'
import { getSearchText, type Problems } from '../page/form.ts'
import type { Words } from '../page/route.ts'
import { findText } from '../page/texts.ts'
import { parseTypedNumber } from '../product-data/parse-value.ts'

const MAX_COPIES = 500
/** Longer than any serial number or lot. */
const MAX_NUMBER_LENGTH = 200
const LABEL_MM = [15, 300] as const
const CODE_MM = [10, 100] as const

export const LABEL_FILES = ['pdf', 'svg', 'png300', 'png600'] as const
export const LABEL_CONTENTS = ['passport', 'gs1'] as const
const LABEL_SUBJECTS = ['items', 'batches', 'self'] as const

export type LabelContent = (typeof LABEL_CONTENTS)[number]
export type LabelOptions = {
  of: (typeof LABEL_SUBJECTS)[number]
  content: LabelContent
  file: (typeof LABEL_FILES)[number]
  sheet: string
  width: number
  height: number
  size: number
  /** Print the product's first picture where it fits. */
  picture: boolean
  /** Print a box for each character that no font has. */
  boxes: boolean
  copies: number
  skip: number
  /** First and last serial or lot number; '' for all. */
  from: string
  to: string
}

/** `options` are valid only without problems; `typed` returns an input's text as submitted. */
export type ParsedLabelOptions = {
  options: LabelOptions
  problems: Problems
  typed: (name: LabelNumber | 'from' | 'to') => string
}

const DEFAULTS = { width: 50, height: 30, size: 20, copies: 1, skip: 0 }
export type LabelNumber = keyof typeof DEFAULTS

export const getSheetFormat = ({ sheet, width, height }: LabelOptions): LabelFormat =>
  findText(LABEL_SHEETS, sheet) ?? singleLabel(width, height)

export function parseLabelOptions(
  words: Words,
  query: URLSearchParams,
  { row }: PassportState,
  below: UnitTotals,
): ParsedLabelOptions {
  const read = buildReader(words, query)
  const of = LABEL_SUBJECTS.filter(one => one === 'self' || below[one] > 0)
  const { choice, number, problems } = read
  const chosen = {
    of: choice('of', of, of[0] ?? 'self'),
    content: choice('content', hasGs1Address(row) ? LABEL_CONTENTS : ['passport'], 'passport'),
    file: choice('file', LABEL_FILES, 'pdf'),
    sheet: choice('sheet', [...Object.keys(LABEL_SHEETS), 'own'], '64x38'),
  }
  const isPdf = chosen.file === 'pdf'
  const isOwn = chosen.sheet === 'own'
  const options: LabelOptions = { ...DEFAULTS, ...chosen, picture: false, boxes: false, from: '', to: '' }
  if (!isPdf) options.size = number('size', CODE_MM)
  if (isPdf && isOwn) {
    options.width = number('width', LABEL_MM)
    options.height = number('height', LABEL_MM)
  }
  const { columns, rows } = getSheetFormat(options)
  if (isPdf && !isOwn) options.skip = number('skip', [0, columns * rows - 1], true)
  if (isPdf) options.picture = choice('picture', ['no', 'yes'], 'no') === 'yes'
  if (isPdf) options.boxes = choice('boxes', ['no', 'yes'], 'no') === 'yes'
  if (isPdf) options.copies = number('copies', [1, MAX_COPIES], true)
  if (options.of !== 'self') {
    options.from = getSearchText(query, 'from', MAX_NUMBER_LENGTH)
    options.to = getSearchText(query, 'to', MAX_NUMBER_LENGTH)
  }
  const typed = (name: LabelNumber | 'from' | 'to') =>
    query.get(name) ?? (name === 'from' || name === 'to' ? '' : String(DEFAULTS[name]))
  return { options, problems, typed }
}

export function parsePictureOptions(words: Words, query: URLSearchParams, { row }: PassportState) {
  const { choice, number, problems } = buildReader(words, query)
  const content = choice<LabelContent>(
    'content',
    hasGs1Address(row) ? LABEL_CONTENTS : ['passport'],
    'passport',
  )
  const sent = choice('dpi', DPI.map(String), '300')
  const dpi: Dpi = DPI.find(one => String(one) === sent) ?? 300
  return { options: { content, dpi, size: number('size', CODE_MM) }, problems }
}

function buildReader(words: Words, query: URLSearchParams) {
  const texts = words.texts.labels
  const problems: Record<string, string> = {}
  const choice = <T extends string>(name: string, all: readonly T[], usual: T): T => {
    const sent = query.get(name)
    const found = all.find(one => one === sent)
    if (found === undefined && sent !== null) problems[name] = texts.oneOf({ names: all.join(', ') })
    return found ?? usual
  }
  const number = (name: LabelNumber, [least, most]: readonly [number, number], isWhole = false): number => {
    const sent = query.get(name)
    if (sent === null) return DEFAULTS[name]
    const { value } = parseTypedNumber(words, sent.trim())
    const fits = typeof value === 'number' && value >= least && value <= most
    if (fits && (!isWhole || Number.isInteger(value))) return value
    problems[name] = (isWhole ? texts.wholeBetween : texts.between)({ least, most })
    return DEFAULTS[name]
  }
  return { choice, number, problems }
}
