/** The readiness of the account as a CSV file: a line for each rule that products do not meet. */
import { Readable } from 'node:stream'
import { escapeFormula } from '../../transfer/spreadsheets/files/cell.ts'
import { writeCsv } from '../../transfer/spreadsheets/files/write-csv.ts'
import type { Outcome, Visit, Words } from '../page/route.ts'
import { getActTexts, getRuleTexts } from '../product-data/rule-texts.ts'
import { findAccountReport, type SummedAct } from './account-acts.ts'

export async function sendAccountFile(visit: Visit): Promise<Outcome> {
  const { words } = visit
  const { acts, level } = await findAccountReport(visit)
  const head = Object.values(words.texts.accountReadiness.columns)
  const table = [head, ...acts.flatMap(one => listRows(words, one))]
  const cells = table.map(row => row.map(cell => (typeof cell === 'number' ? cell : escapeFormula(cell))))
  const content = Readable.from(writeCsv(cells, words.decimalMark === 'comma' ? ';' : ','))
  return { file: { name: `readiness-${level}.csv`, type: 'text/csv; charset=utf-8', content } }
}

/** An act without gaps has one line, so that its sums are in the file. */
function listRows(words: Words, { act, sums, due, gaps, checks }: SummedAct): (string | number)[][] {
  const { title } = getActTexts(words, { id: act.id, title: act.title })
  const status = words.texts.readiness.statuses[act.status]
  const { in_scope, ready, incomplete, undetermined, nothing_asked } = sums
  const first = [title, status, due ?? '', in_scope, ready, incomplete, undetermined]
  const all = [...gaps, ...checks.filter(({ count }) => count === 0)]
  if (all.length === 0) return [[...first, '', '', '', '', 0, 0, 0, '', nothing_asked]]
  return all.map(({ rule, missing, partial, check }) => {
    const texts = getRuleTexts(words, rule)
    const names = [rule.nr === undefined ? '' : String(rule.nr), rule.id, texts.title, texts.question]
    return [...first, ...names, missing, partial, check, rule.source.join(', '), nothing_asked]
  })
}
