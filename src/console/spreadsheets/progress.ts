/** The page of one import, which shows its current step: columns, check, result of the check, import. */

import { html } from 'ghtml'
import { AppError } from '../../kernel/errors/errors.ts'
import { countImportFetches, type ImportFetchCount } from '../../media/fetch/import-fetches.ts'
import { countRoomForDrafts } from '../../passports/drafts/store-drafts.ts'
import { requireProductUuid } from '../../passports/read/find.ts'
import { writeErrorFile } from '../../transfer/spreadsheets/import/error-file.ts'
import {
  groupRowErrors,
  listNameNotes,
  listNewProducts,
  listProductChanges,
  listRejectedRows,
  listRowNotes,
  NO_ERRORS,
} from '../../transfer/spreadsheets/import/import-results.ts'
import { listCheckNotes, NO_NOTES } from '../../transfer/spreadsheets/import/row-warnings.ts'
import { startCheck, startImport, stopImport } from '../../transfer/spreadsheets/import/run-import.ts'
import {
  deleteImport,
  getImport,
  ROWS_PER_CHUNK,
  type SpreadsheetImport,
} from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import { IMPORT, type Outcome, type Visit, type Words } from '../page/route.ts'
import { findWords } from '../page/words.ts'
import { renderColumnsPage } from './columns.ts'
import { type ResultPageInput, renderResultPage } from './result.ts'
import {
  explainRowError,
  FILE_FORMATS,
  getErrorFieldName,
  getImportUrl,
  getPictureRules,
  parseFileFormat,
  renderImportHead,
  sendSpreadsheet,
} from './words.ts'

const getRequestedImport = ({ ctx, id }: Visit): Promise<SpreadsheetImport> =>
  getImport(ctx, requireProductUuid(id))

export async function showImportProgress(visit: Visit): Promise<Outcome> {
  const sheet = await getRequestedImport(visit)
  const { words, query } = visit
  const { state } = sheet
  if (state === 'open' || (state === 'checked' && query.has('columns')))
    return renderColumnsPage(visit, sheet)
  if (state === 'checking') return renderProgressPage(words, sheet)
  if (state === 'running')
    return renderProgressPage(words, sheet, await countImportFetches(visit.ctx, sheet.id))
  return renderResultPage(words, sheet, getResultTitle(words, sheet), await loadResult(sheet, visit))
}

const countDoneRows = ({ nextChunk, rowCount }: SpreadsheetImport) =>
  Math.min(rowCount, nextChunk * ROWS_PER_CHUNK)

function renderProgressPage(
  words: Words,
  sheet: SpreadsheetImport,
  pictures: ImportFetchCount = { all: 0, done: 0 },
): Outcome {
  const texts = words.texts.spreadsheets
  const done = countDoneRows(sheet)
  const told = (sheet.state === 'checking' ? texts.checking : texts.running)({ done, count: sheet.rowCount })
  const fetching =
    pictures.done === pictures.all
      ? ''
      : html`<label for="fetching">${texts.fetching(pictures)}</label><progress id="fetching" max="${pictures.all}" value="${pictures.done}"></progress>`
  const body = html`!${renderImportHead(words, sheet, texts.importTitle)}
<div class="progress" role="status"><label for="work">${told}</label><progress id="work" max="${sheet.rowCount}" value="${done}"></progress>!${fetching}<p class="hint">${texts.goesOn}</p></div>
<form method="post" action="${getImportUrl(sheet)}/stop"><button class="second">${texts.stop}</button></form>`
  return { title: told, body, headers: { refresh: '2' } }
}

async function loadResult(sheet: SpreadsheetImport, { ctx, query }: Visit): Promise<ResultPageInput> {
  const overview = sheet.failed === 0 ? NO_ERRORS : await groupRowErrors(ctx, sheet.id)
  const group = overview.groups.find(({ key }) => key === query.get('group'))?.key
  const page = parsePageNumber(query.get('page'))
  const changesPage = parsePageNumber(query.get('changes'))
  const notesPage = parsePageNumber(query.get('notes'))
  const hasMistakes = overview.groups.length > 0
  return {
    overview,
    draftRoom: sheet.state === 'checked' && sheet.drafted > 0 ? await countRoomForDrafts(ctx) : 0,
    checkNotes: sheet.state === 'checked' ? await listCheckNotes(ctx, sheet.id) : NO_NOTES,
    pictures: sheet.state === 'checked' ? (await countImportFetches(ctx, sheet.id)).all : 0,
    names: sheet.state === 'checked' ? await listNameNotes(ctx, sheet.id) : [],
    group,
    page,
    changesPage,
    notesPage,
    notes: sheet.state === 'checked' ? { count: 0, rows: [] } : await listRowNotes(ctx, sheet.id, notesPage),
    bad: hasMistakes ? await listRejectedRows(ctx, sheet.id, { group, page }) : [],
    changes:
      sheet.state === 'checked' && sheet.updated > 0
        ? await listProductChanges(ctx, sheet.id, changesPage)
        : [],
    newProducts: sheet.state === 'checked' ? await listNewProducts(ctx, sheet) : [],
  }
}

const parsePageNumber = (sent: string | null): number =>
  /^[1-9]\d{0,5}$/.test(sent ?? '') ? Number(sent) : 1

function getResultTitle(words: Words, sheet: SpreadsheetImport): string {
  const texts = words.texts.spreadsheets
  if (sheet.state === 'checked') return texts.checked
  if (sheet.state === 'done') return texts.done
  return texts.stopped({ done: countDoneRows(sheet), count: sheet.rowCount })
}

export async function sendErrors(visit: Visit): Promise<Outcome> {
  const sheet = await getRequestedImport(visit)
  const { ctx, query } = visit
  const words = findWords(sheet.settings.language) ?? visit.words
  const { format, separator } = FILE_FORMATS[parseFileFormat(query.get('format'))]
  const title = words.texts.spreadsheets.errorSheet
  const wish = {
    format,
    separator,
    title,
    name: getErrorFieldName.bind(undefined, words),
    sentence: explainRowError.bind(undefined, words),
  }
  const name = `${sheet.fileName.replace(/\.[A-Za-z]{1,5}$/, '')} - ${title}`
  return sendSpreadsheet(name, format, writeErrorFile(ctx, sheet, wish))
}

export async function submitRun(visit: Visit): Promise<Outcome> {
  const sheet = await getRequestedImport(visit)
  const { words, form } = visit
  try {
    const isConfirmed = form.text('confirm') !== ''
    const asDrafts = form.text('drafts') !== ''
    await startImport(visit.ctx, sheet.id, { isConfirmed, asDrafts, rules: getPictureRules(visit) })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error
    const texts = words.texts.spreadsheets
    const problem = { confirm: texts.confirmMissing, rows: texts.nothingToRun }[
      String(error.details?.[0]?.path[0])
    ]
    // The button was pressed twice, or by two people: the page shows the current step.
    if (problem === undefined) return { to: getImportUrl(sheet) }
    const result = await loadResult(sheet, visit)
    return renderResultPage(words, sheet, getResultTitle(words, sheet), { ...result, problem })
  }
  return { to: getImportUrl(sheet) }
}

/** Checks again, with texts as plain text or as they are. */
export async function submitPlainTexts(visit: Visit): Promise<Outcome> {
  const sheet = await getRequestedImport(visit)
  const settings = { ...sheet.settings, plainTexts: visit.form.text('plain') === 'yes' }
  try {
    await startCheck(visit.ctx, sheet.id, { settings, rules: getPictureRules(visit) })
  } catch (error) {
    // The columns must be chosen first, or somebody has started the import: the page shows the current step.
    if (!(error instanceof AppError) || error.code !== 'validation') throw error
  }
  return { to: getImportUrl(sheet) }
}

export async function submitStop(visit: Visit): Promise<Outcome> {
  const sheet = await getRequestedImport(visit)
  await stopImport(visit.ctx, sheet.id)
  return { to: getImportUrl(sheet) }
}

export async function submitDiscard(visit: Visit): Promise<Outcome> {
  await deleteImport(visit.ctx, (await getRequestedImport(visit)).id)
  return { to: IMPORT }
}
