/** Writes the missing values as a CSV file: suppliers see the question, the field, and what to send. */

import { Readable } from 'node:stream'
import type { Field } from '../../categories/field.ts'
import { formatUnit } from '../../i18n/format.ts'
import { requireCategory } from '../../passports/core/check-data.ts'
import { escapeFormula } from '../../transfer/spreadsheets/files/cell.ts'
import { writeCsv } from '../../transfer/spreadsheets/files/write-csv.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import { getFieldLabel, getValueLabel } from '../product-data/labels.ts'
import { getRequestedProduct } from '../product-data/product.ts'
import { getActTexts, getRuleTexts } from '../product-data/rule-texts.ts'
import { findReport, groupRules, type JudgedAct, type JudgedRule, OPEN_GROUPS } from './product-report.ts'

export async function sendSupplierFile(visit: Visit): Promise<Outcome> {
  const { words } = visit
  const state = await getRequestedProduct(visit)
  const { judged } = await findReport(visit, state)
  const { fields } = requireCategory(state.row.category)
  const rows = judged.flatMap(act => listRows(words, fields, act))
  const table = [Object.values(words.texts.readiness.columns), ...rows]
  const cells = table.map(row => row.map(escapeFormula))
  const content = Readable.from(writeCsv(cells, words.decimalMark === 'comma' ? ';' : ','))
  return { file: { name: `readiness-${visit.id}.csv`, type: 'text/csv; charset=utf-8', content } }
}

function listRows(words: Words, fields: readonly Field[], act: JudgedAct): string[][] {
  const groups = groupRules(act)
  const { title } = getActTexts(words, { id: act.act, title: act.title })
  return OPEN_GROUPS.flatMap(group => groups.get(group) ?? []).map(rule => [
    title,
    ...listCells(words, fields, rule),
  ])
}

function listCells(words: Words, fields: readonly Field[], rule: JudgedRule): string[] {
  const { title, question, hint } = getRuleTexts(words, rule)
  const [path = ''] = rule.paths
  const field = findField(fields, path.split('.'))
  const send = field === undefined ? '' : describeValue(words, field, path)
  const label = path === '' ? '' : `${getFieldLabel(words, path)} (${path})`
  return [
    rule.nr === undefined ? '' : String(rule.nr),
    title,
    question,
    label,
    [send, hint ?? ''].filter(part => part !== '').join('. '),
    rule.source.join(', '),
  ]
}

function findField(fields: readonly Field[], [name, ...rest]: readonly string[]): Field | undefined {
  const field = fields.find(one => one.name === name)
  if (field === undefined || rest.length === 0) return field
  return findField(field.fields ?? field.of ?? [], rest)
}

/** Such as "A number in kg", or "One of: CO2, Water". */
function describeValue(words: Words, field: Field, path: string): string {
  const texts = words.texts.readiness.send
  const members = field.fields ?? field.of ?? []
  if (members.some(({ name }) => name !== ''))
    return texts.list({
      members: members.map(({ name }) => getFieldLabel(words, `${path}.${name}`)).join(', '),
    })
  const { type, format, values, unit, localized } = members[0] ?? field
  if (values !== undefined)
    return texts.values({ values: values.map(one => getValueLabel(words, path, one)).join(', ') })
  if (type === 'boolean') return texts.boolean
  if (type === 'number') return unit === undefined ? texts.number : texts.numberIn({ unit: formatUnit(unit) })
  if (format === 'partial_date') return texts.date
  if (format === 'url') return texts.url
  if (format === 'country') return texts.country
  return localized ? texts.translated : texts.text
}
