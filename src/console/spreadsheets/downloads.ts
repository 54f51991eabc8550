/** Spreadsheets to download: templates to fill in, and the account's models. */

import { html } from 'ghtml'
import { canonicalizeLanguage } from '../../categories/language.ts'
import { exportModels } from '../../transfer/spreadsheets/export/export-models.ts'
import { writeTemplate } from '../../transfer/spreadsheets/export/template.ts'
import { getSearchText } from '../page/form.ts'
import { select } from '../page/parts.ts'
import { ALL_DATA, EXPORT, IMPORT, type Outcome, type Visit } from '../page/route.ts'
import { getCategoryName, splitLanguages } from '../product-data/labels.ts'
import {
  FILE_FORMATS,
  getCategoryOrFirst,
  getPathLabel,
  parseFileFormat,
  renderCategorySelect,
  renderFormatSelect,
  sendSpreadsheet,
} from './words.ts'

const MAX_LANGUAGES = 24
const MAX_SEARCH_LENGTH = 200
const STATUSES = { all: undefined, active: 'a', archived: 'x' } as const

export function sendTemplate({ words, query }: Visit): Outcome {
  const { texts } = words
  const category = getCategoryOrFirst(query.get('category'))
  const sent = splitLanguages((query.get('languages') ?? '').slice(0, 1_000)).flatMap(
    tag => canonicalizeLanguage(tag) ?? [],
  )
  const languages = [...new Set(sent)].slice(0, MAX_LANGUAGES)
  const { format, separator } = FILE_FORMATS[parseFileFormat(query.get('format'))]
  const wish = { category, languages: languages.length === 0 ? ['en'] : languages, format, separator }
  const { products, fields, heads: head, yes, picturesColumn: pictures } = texts.spreadsheets
  const heads = [head.column, head.label, head.required, head.values, head.meaning] as const
  const label = (path: string) => getPathLabel(words, path)
  const file = writeTemplate(wish, { products, fields, heads, yes, pictures, label })
  const title = texts.spreadsheets.templateOf({ category: getCategoryName(words, category.id) })
  return sendSpreadsheet(title.replace(': ', ' '), format, file)
}

export function showExport({ words, session }: Visit): Outcome {
  const texts = words.texts.spreadsheets
  const statuses = Object.entries(texts.statuses)
  const toImport =
    session.role === 'viewer' ? '' : html`<a class="button second" href="${IMPORT}">${texts.toImport}</a>`
  const body = html`<div class="page-head"><h1>${texts.exportTitle}</h1>!${toImport}</div><p class="lead">${texts.exportLead}</p>
<form method="get" action="${EXPORT}/file" class="narrow">!${renderCategorySelect(words)}!${select({ name: 'status', label: texts.status, options: statuses }, {})}
<div class="field"><label for="q">${texts.q}</label><input id="q" name="q" type="search" maxlength="${MAX_SEARCH_LENGTH}" autocomplete="off"></div>
!${renderFormatSelect(words)}<button>${texts.download}</button></form>!${session.role === 'owner' ? html`<p><a class="alone" href="${ALL_DATA}">${texts.allData}</a></p>` : ''}`
  return { title: texts.exportTitle, body }
}

export function sendExport({ ctx, setup, words, query }: Visit): Outcome {
  const category = getCategoryOrFirst(query.get('category'))
  const status = query.get('status') ?? 'all'
  const q = getSearchText(query, 'q', MAX_SEARCH_LENGTH)
  const { format, separator } = FILE_FORMATS[parseFileFormat(query.get('format'))]
  const file = exportModels(ctx, {
    category,
    status: status === 'active' || status === 'archived' ? STATUSES[status] : undefined,
    q: q === '' ? undefined : q,
    format,
    separator,
    addresses: setup.addresses,
    title: words.texts.spreadsheets.products,
  })
  const day = setup.clock.now().toISOString().slice(0, 10)
  return sendSpreadsheet(`${getCategoryName(words, category.id)} ${day}`, format, file)
}
