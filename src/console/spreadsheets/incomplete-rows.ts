/** The check's section of rows that only lack required values, and the button that keeps them as drafts. */

import { html } from 'ghtml'
import { MAX_DRAFTS } from '../../passports/drafts/store-drafts.ts'
import type { ErrorGroup, ErrorOverview } from '../../transfer/spreadsheets/import/import-results.ts'
import type { SpreadsheetImport } from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import { rowList, section } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { explainRowError, formatErrorLocation } from './words.ts'

type CheckedRows = { overview: ErrorOverview; draftRoom: number }

export function renderIncompleteRows(
  words: Words,
  sheet: SpreadsheetImport,
  { overview: { incomplete }, draftRoom }: CheckedRows,
): string {
  const { drafted, state } = sheet
  const { groups, there } = incomplete
  if (state !== 'checked' || drafted + there === 0) return ''
  const texts = words.texts.spreadsheets
  const room = { most: words.number(MAX_DRAFTS), room: words.number(draftRoom) }
  const sentences = [
    ...(drafted === 0 ? [] : [texts.lackingLead({ count: drafted })]),
    ...(there === 0 ? [] : [texts.lackingThere({ count: there })]),
    ...(draftRoom >= drafted ? [] : [draftRoom === 0 ? texts.draftsFull(room) : texts.draftRoom(room)]),
  ]
  const lines = groups.map(
    one =>
      html`<li><strong>${formatErrorLocation(words, sheet, one.example)}</strong> <span class="quiet">${describeLack(words, one)}</span></li>`,
  )
  return section(
    'lacking',
    texts.lacking,
    sentences.map(one => html`<p>${one}</p>`).join('') + rowList(lines),
  )
}

/** An empty cell needs no explanation. */
function describeLack(words: Words, { example, rows }: ErrorGroup): string {
  const count = words.texts.spreadsheets.rows({ count: rows })
  return example.code === 'required' ? count : `${count} – ${explainRowError(words, example)}`
}

/** Beside the button that leaves these rows out. '' if no row can become a draft. */
export function renderKeepButton(
  words: Words,
  { created, updated, drafted }: SpreadsheetImport,
  draftRoom: number,
): string {
  const count = Math.min(drafted, draftRoom)
  if (count === 0) return ''
  const { run, runAndKeep, keepOnly } = words.texts.spreadsheets
  const n = created + updated
  return n === 0
    ? html`<button name="drafts" value="yes">${keepOnly({ count })}</button> `
    : html`<button class="second" name="drafts" value="yes">${runAndKeep({ run: run({ count: n }), count })}</button> `
}
