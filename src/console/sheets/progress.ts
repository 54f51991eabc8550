/** A sheet on its way: its columns, the check, what it found, the import. The page shows the step the sheet is at. */
import { Readable } from 'node:stream'
import { html } from 'ghtml'
import { contextOf } from '../../accounts/sessions.ts'
import { AppError } from '../../kernel/errors.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { requireUuid } from '../../passports/find.ts'
import { type BadRow, columnLetters, errorFile, firstBadRows } from '../../transfer/error-file.ts'
import { discardImport, getImport, ROWS_PER_CHUNK, type SheetImport } from '../../transfer/import.ts'
import { runImport, stopImport } from '../../transfer/import-job.ts'
import { CONTENT_TYPE } from '../../transfer/template.ts'
import { PRODUCTS } from '../products/list.ts'
import type { Outcome, SignedInVisit } from '../route.ts'
import { type Words, wordsIn, wordsOf } from '../texts.ts'
import { columnsPage } from './columns.ts'
import { SHEET_TEXTS } from './texts.ts'
import { categoryName, FILE_FORMATS, faultName, formatOf, IMPORT, rowSentence } from './words.ts'

const MOST_SHOWN = 20

const sheetOf = async ({ setup, session, params }: SignedInVisit) => {
  const ctx = contextOf(setup, session)
  return { ctx, sheet: await getImport(ctx, requireUuid(params.id ?? '')) }
}

export async function showSheet(visit: SignedInVisit): Promise<Outcome> {
  const { ctx, sheet } = await sheetOf(visit)
  const { words, query } = visit
  const { state } = sheet
  if (state === 'open' || (state === 'checked' && query.get('columns') !== null))
    return columnsPage(visit, sheet)
  if (state === 'checking' || state === 'running') return workPage(words, sheet)
  const bad = await firstBadRows(ctx, sheet.id, MOST_SHOWN)
  return resultPage(words, sheet, bad)
}

const doneRows = ({ nextChunk, rowCount }: SheetImport) => Math.min(rowCount, nextChunk * ROWS_PER_CHUNK)

const head = (words: Words, sheet: SheetImport, title: string) => {
  const texts = wordsOf(words, SHEET_TEXTS)
  return html`<p class="way"><a class="alone" href="${IMPORT}">${texts.title}</a></p><h1>${title}</h1>
<p class="quiet">${sheet.fileName}, ${categoryName(words, sheet.category)}, ${texts.rows(sheet.rowCount, words.number(sheet.rowCount))}</p>`
}

function workPage(words: Words, sheet: SheetImport): Outcome {
  const texts = wordsOf(words, SHEET_TEXTS)
  const done = doneRows(sheet)
  const say = sheet.state === 'checking' ? texts.checking : texts.running
  const told = say(words.number(done), words.number(sheet.rowCount))
  const body = html`!${head(words, sheet, texts.importTitle)}
<div class="progress" role="status"><label for="work">${told}</label><progress id="work" max="${sheet.rowCount}" value="${done}"></progress><p class="hint">${texts.goesOn}</p></div>
<form method="post" action="${IMPORT}/${idFromUuid(sheet.id)}/stop"><button class="second">${texts.stop}</button></form>`
  return { title: told, body, headers: { refresh: '2' } }
}

function resultPage(words: Words, sheet: SheetImport, bad: readonly BadRow[]): Outcome {
  const texts = wordsOf(words, SHEET_TEXTS)
  const title =
    sheet.state === 'checked'
      ? texts.checked
      : sheet.state === 'done'
        ? texts.done
        : texts.stopped(words.number(doneRows(sheet)), words.number(sheet.rowCount))
  const names = sheet.state === 'checked' ? texts.outcomes.will : texts.outcomes.has
  const counts = (['created', 'updated', 'unchanged', 'failed'] as const).map(
    one => html`<div><dt>${names[one]}</dt><dd>${words.number(sheet[one])}</dd></div>`,
  )
  const body = html`!${head(words, sheet, title)}<dl class="facts counts">!${counts}</dl>!${nextSteps(words, sheet)}!${badPart(words, sheet, bad)}`
  return { title, body, isWide: true }
}

function nextSteps(words: Words, sheet: SheetImport): string {
  const texts = wordsOf(words, SHEET_TEXTS)
  const at = `${IMPORT}/${idFromUuid(sheet.id)}`
  if (sheet.state !== 'checked') {
    return html`<p class="choices"><a class="button" href="${PRODUCTS}">${texts.toProducts}</a> <a class="button second" href="${IMPORT}">${texts.another}</a></p>`
  }
  const n = sheet.created + sheet.updated
  const run = n === 0 ? '' : html`<button>${texts.run(n, words.number(n))}</button> `
  return html`!${n === 0 ? html`<p>${texts.nothingToRun}</p>` : ''}<form method="post" action="${at}/run"><div class="choices">!${run}<a class="button second" href="${at}?columns=yes">${texts.changeColumns}</a> <button class="second" formaction="${at}/discard">${texts.discard}</button></div></form>`
}

function badPart(words: Words, sheet: SheetImport, bad: readonly BadRow[]): string {
  if (sheet.failed === 0) return ''
  const texts = wordsOf(words, SHEET_TEXTS)
  const at = `${IMPORT}/${idFromUuid(sheet.id)}`
  const lines = bad.flatMap(({ no, faults }) =>
    faults.map(
      fault =>
        html`<tr><td class="number" data-head="${texts.row}">${no}</td><td>${[columnLetters(fault), sheet.header[fault.column ?? -1] ?? faultName(words, fault)].filter(part => part !== '').join(': ')}</td><td>${rowSentence(words, fault)}</td></tr>`,
    ),
  )
  const heads = [texts.row, texts.column, texts.what].map(one => html`<th scope="col">${one}</th>`)
  const more =
    sheet.failed > bad.length
      ? html`<p class="quiet">${texts.badRowsMore(words.number(bad.length), words.number(sheet.failed))}</p>`
      : ''
  return html`<section aria-labelledby="bad"><h2 id="bad">${texts.badRows}</h2><p>${texts.badRowsLead}</p>
<p class="choices"><a class="button second" href="${at}/errors?format=xlsx">${texts.errorFile.xlsx}</a> <a class="button second" href="${at}/errors?format=csv">${texts.errorFile.csv}</a></p>!${more}
<div class="scroll" tabindex="0" role="region" aria-label="${texts.what}"><table class="stacked"><thead><tr>!${heads}</tr></thead><tbody>!${lines}</tbody></table></div></section>`
}

export async function sendErrors(visit: SignedInVisit): Promise<Outcome> {
  const { ctx, sheet } = await sheetOf(visit)
  const { query } = visit
  const words = wordsIn(sheet.settings.language) ?? visit.words
  const { format, separator } = FILE_FORMATS[formatOf(query.get('format'))]
  const title = wordsOf(words, SHEET_TEXTS).errorSheet
  const wish = {
    format,
    separator,
    title,
    name: faultName.bind(undefined, words),
    sentence: rowSentence.bind(undefined, words),
  }
  const name = `${sheet.fileName.replace(/\.[A-Za-z]{1,5}$/, '')} - ${title}.${format}`
  return { file: { name, type: CONTENT_TYPE[format], content: Readable.from(errorFile(ctx, sheet, wish)) } }
}

export async function submitRun(visit: SignedInVisit): Promise<Outcome> {
  const { ctx, sheet } = await sheetOf(visit)
  try {
    await runImport(ctx, sheet.id)
  } catch (error) {
    // Pressed twice, or by two people: the page shows what the sheet is at.
    if (!(error instanceof AppError) || error.code !== 'validation') throw error
  }
  return { to: `${IMPORT}/${idFromUuid(sheet.id)}` }
}

export async function submitStop(visit: SignedInVisit): Promise<Outcome> {
  const { ctx, sheet } = await sheetOf(visit)
  await stopImport(ctx, sheet.id)
  return { to: `${IMPORT}/${idFromUuid(sheet.id)}` }
}

export async function submitDiscard(visit: SignedInVisit): Promise<Outcome> {
  const { ctx, sheet } = await sheetOf(visit)
  await discardImport(ctx, sheet.id)
  return { to: IMPORT }
}
