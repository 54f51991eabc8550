/** The start page of imports: the upload, templates to fill in, and earlier imports. */

import { html } from 'ghtml'
import { AppError } from '../../kernel/errors/errors.ts'
import {
  MAX_SPREADSHEET_BYTES,
  SpreadsheetError,
} from '../../transfer/spreadsheets/files/spreadsheet-error.ts'
import {
  createImport,
  listImports,
  type SpreadsheetImport,
} from '../../transfer/spreadsheets/import/spreadsheet-import.ts'
import { notice, rowList, section } from '../page/parts.ts'
import { type ConsolePage, EXPORT, IMPORT, type Outcome, type Visit, type Words } from '../page/route.ts'
import { getCategoryName } from '../product-data/labels.ts'
import { limitReads } from './limit-reads.ts'
import { readUploadedSpreadsheet } from './upload.ts'
import { explainUnreadableFile, getImportUrl, renderCategorySelect, renderFormatSelect } from './words.ts'

export const showImport = (visit: Visit): Promise<Outcome> => renderStartPage(visit, {})

type StartPageState = { problem?: string; status?: number; category?: string }

async function renderStartPage(
  visit: Visit,
  { problem, status, category }: StartPageState,
): Promise<ConsolePage> {
  const { ctx, session, words } = visit
  const texts = words.texts.spreadsheets
  const mayEdit = session.role !== 'viewer'
  const imports = mayEdit ? await listImports(ctx) : []
  const form = mayEdit ? renderUploadForm(words, category) : html`<p class="empty">${texts.viewerOnly}</p>`
  const body = html`<div class="page-head"><h1>${texts.title}</h1><a class="button second" href="${EXPORT}">${texts.toExport}</a></div>
<p class="lead">${texts.importLead}</p>!${notice(problem)}!${form}
!${section('templates', texts.templates, html`<p>${texts.templatesLead}</p>!${renderTemplateForm(words)}`)}!${renderEarlierImports(words, imports)}`
  return { title: texts.title, body, status: status ?? 200 }
}

function renderUploadForm(words: Words, category: string | undefined): string {
  const texts = words.texts.spreadsheets
  const content = html`
<form method="post" action="${IMPORT}" enctype="multipart/form-data" class="narrow">!${renderCategorySelect(words, category)}
<div class="field"><label for="sheet">${texts.file}</label><p class="hint" id="sheet-hint">${texts.fileHint}</p><input id="sheet" name="sheet" type="file" accept=".xlsx,.csv,.txt,.tsv,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" aria-describedby="sheet-hint"></div>
<button>${texts.uploadSubmit}</button></form>`
  return section('upload', texts.upload, content)
}

function renderTemplateForm(words: Words): string {
  const texts = words.texts.spreadsheets
  const languages = words.language === 'en' ? 'en' : `${words.language}, en`
  const category = renderCategorySelect(words).replaceAll('"category"', '"template-category"')
  const named = category.replace('name="template-category"', 'name="category"')
  return html`<form method="get" action="${IMPORT}/template" class="filters">!${named}
<div class="field"><label for="languages">${texts.languages}</label><input id="languages" name="languages" value="${languages}" maxlength="200" autocomplete="off" spellcheck="false"></div>
!${renderFormatSelect(words)}<button class="second">${texts.download}</button></form>`
}

function renderEarlierImports(words: Words, imports: readonly SpreadsheetImport[]): string {
  if (imports.length === 0) return ''
  const texts = words.texts.spreadsheets
  const lines = imports.map(
    one => html`<li class="in-line"><span><a class="row-link" href="${getImportUrl(one)}">${one.fileName}</a></span>
<span class="quiet">${getCategoryName(words, one.category)}, ${texts.rows({ count: one.rowCount })}, ${texts.states[one.state]}, ${words.minute(one.createdAt.toISOString())}</span></li>`,
  )
  return section('earlier', texts.earlier, rowList(lines))
}

/** The largest files are read at one in this time. */
const RETRY_AFTER_S = '6'

export async function submitSpreadsheet(visit: Visit): Promise<Outcome> {
  const { setup, session, words, upload } = visit
  const texts = words.texts.spreadsheets
  if (upload === undefined) return renderStartPage(visit, { problem: texts.noFile, status: 422 })
  const read = {
    sql: setup.sql,
    accountId: session.account.id,
    bytes: upload.length ?? MAX_SPREADSHEET_BYTES,
  }
  const taken = await limitReads(read, () => openUploadedSheet(visit, upload))
  if (taken !== undefined) return taken
  const busy = await renderStartPage(visit, { problem: texts.busy, status: 503 })
  return { ...busy, headers: { 'retry-after': RETRY_AFTER_S } }
}

async function openUploadedSheet(visit: Visit, upload: NonNullable<Visit['upload']>): Promise<Outcome> {
  const { ctx, words } = visit
  const sent = await readUploadedSpreadsheet(upload, MAX_SPREADSHEET_BYTES)
  const { category } = sent
  const told = (fault: SpreadsheetError) =>
    renderStartPage(visit, {
      problem: explainUnreadableFile(words, fault),
      status: fault.reason === 'too_large' ? 413 : 422,
      category,
    })
  if (sent.isTooLarge) return told(new SpreadsheetError('too_large'))
  if (sent.file === undefined) {
    return renderStartPage(visit, { problem: words.texts.spreadsheets.noFile, status: 422, category })
  }
  try {
    const { name, bytes } = sent.file
    const id = await createImport(ctx, { fileName: name, bytes, category })
    return { to: getImportUrl({ id }) }
  } catch (error) {
    if (error instanceof SpreadsheetError) return told(error)
    if (!(error instanceof AppError) || error.code !== 'validation') throw error
    return renderStartPage(visit, { problem: words.texts.errors.choice, status: 422 })
  }
}
