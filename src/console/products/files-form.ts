/** The form of a product's pictures and documents: their order, their texts, and files to add. */
import { html } from 'ghtml'
import type { Field } from '../../categories/field.ts'
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import { formatLanguage } from '../../i18n/format.ts'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import type { MediaFile } from '../../media/files/media-file.ts'
import type { DocumentNames } from '../../passports/drafts/document-names.ts'
import {
  describeFile,
  formatBytes,
  NEWEST,
  parseFileCursor,
  renderFileInputs,
  renderFileName,
  renderPickerPages,
} from '../media/parts.ts'
import { hiddenInputs, renderOptions, section } from '../page/parts.ts'
import type { Words } from '../page/route.ts'
import { getFileUrl, renderFilePicture } from '../page/thumbnails.ts'
import { describeInput, type FormContext, listHints } from '../product-data/controls.ts'
import { DATA_PREFIX } from '../product-data/form-data.ts'
import { renderInput, renderRemoveButton } from '../product-data/inputs.ts'
import { getDocumentTypeLabel, getFieldLabel } from '../product-data/labels.ts'
import { listRowNumbers, NEW_ROW, ROW_ORIGIN } from '../product-data/list-rows.ts'
import { renderDataValue, renderLanguage } from '../product-data/view.ts'
import {
  DOCUMENT_ROWS,
  type FormFiles,
  MAX_OFFERED_DOCUMENTS,
  OFFERED,
  PICKED,
  PICKER_SIZE,
  SENT,
  UPLOADED,
} from './chosen-files.ts'

/** CSS pixels. */
const ROW_PICTURE_SIDE = 96
const PICKED_SIDE = 120

/** `stored`: the data that the form began with; `inherited`: what a unit has without data of its own. */
export type FilesBasis = { isUnit: boolean; inherited: DataObject; stored: DataObject }

export type FilesDrawing = FormContext & {
  basis: FilesBasis
  fields: readonly Field[]
  files: FormFiles
  /** Where a form without a script sends files. */
  upload: string
}

/** Pictures, documents and files of other lists, and below them what can be added. */
export function renderFilesForm(drawing: FilesDrawing): string {
  const { fields, words } = drawing
  const texts = words.texts.files
  const find = (name: string) => fields.find(field => field.name === name)
  const [pictures, documents] = [find('pictures'), find('documents')]
  const others = fields.filter(field => field !== pictures && field !== documents)
  const other = others.map(field => renderOtherList(field, drawing)).join('')
  return html`!${pictures === undefined ? '' : section('pictures', getFieldLabel(words, 'pictures'), renderFileList(pictures, drawing, renderPictureRow))}
!${documents === undefined ? '' : section('documents', getFieldLabel(words, 'documents'), renderFileList(documents, drawing, renderDocumentRow))}
!${section('add', texts.add, renderAdding(drawing))}!${other}`
}

type RowPlace = { field: Field; at: string; row: number }
type RenderRow = (place: RowPlace, drawing: FilesDrawing) => string

function renderFileList(field: Field, drawing: FilesDrawing, renderRow: RenderRow): string {
  const { words, form, basis, action } = drawing
  const texts = words.texts.files
  const at = `${DATA_PREFIX}.${field.name}`
  const rows = listRowNumbers(form, at)
  const { above } = describeInput(at, drawing, listHints(field, { at, path: field.name }, drawing))
  const drawn = rows.map((row, i) => {
    const raise =
      i === 0
        ? ''
        : html`<button class="plain" name="raise" value="${at}.${row}" formaction="${action}#${at}.${rows[i - 1] ?? row}" formnovalidate>${texts.raise}<span class="sight"> ${row + 1}</span></button>`
    return html`<fieldset id="${at}.${row}" class="row" tabindex="-1"><legend class="sight">${words.texts.products.rowOf({ label: getFieldLabel(words, field.name), n: row + 1 })}</legend><input type="hidden" name="${at}.${row}.${ROW_ORIGIN}" value="${form.raw(`${at}.${row}.${ROW_ORIGIN}`) || NEW_ROW}">!${renderRow({ field, at: `${at}.${row}`, row }, drawing)}
<div class="choices">!${raise}!${renderRemoveButton(at, rows, row, drawing)}</div></fieldset>`
  })
  const none = rows.length === 0 ? html`<p class="quiet">${texts.none}</p>` : ''
  return html`<fieldset id="${at}" class="list" tabindex="-1"><legend class="sight">${getFieldLabel(words, field.name)}</legend>!${above}!${rows.length === 0 ? '' : renderOwn(field, basis, drawing)}!${rows.length === 0 ? renderInherited(field, basis, drawing) || none : ''}!${drawn}</fieldset>`
}

/** Says how a unit with entries of its own gets the inherited ones back. */
const renderOwn = (field: Field, { isUnit, inherited }: FilesBasis, { words }: FilesDrawing): string =>
  isUnit && Array.isArray(inherited[field.name]) ? html`<p class="quiet">${words.texts.files.own}</p>` : ''

/** Shows the inherited files of a unit, and a button that makes them the unit's own, to change them. */
function renderInherited(field: Field, { isUnit, inherited }: FilesBasis, drawing: FilesDrawing): string {
  const { words, action } = drawing
  const value = inherited[field.name]
  if (!isUnit || !Array.isArray(value) || value.length === 0) return ''
  const at = `${DATA_PREFIX}.${field.name}`
  return html`<p>${words.texts.files.inherited}</p><div class="inherited">!${renderDataValue(words, field, inherited)}</div>
<p><button class="second" name="add" value="inherited.${field.name}" formaction="${action}#${at}" formnovalidate>${words.texts.files.copy}</button></p>`
}

const renderMember = ({ field, at }: RowPlace, name: string, drawing: FilesDrawing): string => {
  const member = field.of?.find(one => one.name === name)
  const place = { at: `${at}.${name}`, path: `${field.name}.${name}` }
  return member === undefined ? '' : renderInput(member, place, drawing)
}

/** In how many of the product's languages a text is there, and which are missing; '' if none is. */
function renderMissing({ field, at }: RowPlace, name: string, drawing: FilesDrawing): string {
  const { words, form, languages } = drawing
  const missing = languages.filter(tag => form.text(`${at}.${name}.${tag}`).trim() === '')
  if (missing.length === 0) return ''
  const names = new Intl.ListFormat(words.language).format(
    missing.map(tag => formatLanguage(words.language, tag)),
  )
  const label = getFieldLabel(words, `${field.name}.${name}`)
  const counts = { n: languages.length - missing.length, all: languages.length }
  return html`<p class="quiet">${words.texts.files.textIn({ label, ...counts, names })}</p>`
}

function renderFile({ at }: RowPlace, { words, form, files, problems }: FilesDrawing): string {
  const name = `${at}.media`
  const id = form.raw(name)
  const file = files.used.get(id)
  const error =
    problems[name] === undefined ? '' : html`<p class="error" id="${name}-error">${problems[name]}</p>`
  const shown =
    file === undefined
      ? html`<span class="quiet">${words.texts.files.gone}</span>`
      : html`<a href="${getFileUrl(id)}" target="_blank" rel="noopener">!${renderFilePicture(file, ROW_PICTURE_SIDE)}<span class="sight">${describeFile(words, file)}</span></a>`
  return html`<div class="row-file" id="${name}" tabindex="-1">!${shown}!${error}<input type="hidden" name="${name}" value="${id}"></div>`
}

function renderPictureRow(place: RowPlace, drawing: FilesDrawing): string {
  const { words, form } = drawing
  const caption = `${place.at}.caption`
  const isUsed = form.under(caption).some(tag => form.text(`${caption}.${tag}`) !== '')
  return html`!${renderFile(place, drawing)}!${renderMember(place, 'alt', drawing)}!${renderMissing(place, 'alt', drawing)}
<details class="fold-small"!${isUsed ? ' open' : ''}><summary>${getFieldLabel(words, 'pictures.caption')} <span class="quiet">${words.texts.products.optional}</span></summary>!${renderMember(place, 'caption', drawing)}</details>`
}

/** A document has a file of the account or an address elsewhere. */
function renderDocumentRow(place: RowPlace, drawing: FilesDrawing): string {
  const hasFile = drawing.form.text(`${place.at}.media`) !== ''
  const members = ['access', 'type', 'language'].map(name => renderMember(place, name, drawing))
  return html`!${hasFile ? renderFile(place, drawing) : renderMember(place, 'url', drawing)}!${renderMember(place, 'title', drawing)}!${renderMissing(place, 'title', drawing)}!${members}`
}

/** The entries of another list, of which only the file is chosen here. The second input keeps the row. */
function renderOtherList(field: Field, drawing: FilesDrawing): string {
  const { words, form, files, basis, problems, action } = drawing
  const at = `${DATA_PREFIX}.${field.name}`
  const stored = basis.stored[field.name]
  const entries: readonly unknown[] = Array.isArray(stored) ? stored : []
  const rows = listRowNumbers(form, at)
  if (rows.length === 0) return ''
  const nameChosen = (id: string): ReturnType<typeof nameDocument> => {
    const file = files.used.get(id)
    return file === undefined ? [words.texts.media.storedDocument] : nameDocument(words, file, files.names)
  }
  const drawn = rows.map(row => {
    const origin = form.raw(`${at}.${row}.${ROW_ORIGIN}`)
    const entry = entries[Number(origin)]
    const name = `${at}.${row}.media`
    const chosen = form.raw(name)
    const options = files.documents
      .slice(0, MAX_OFFERED_DOCUMENTS)
      .map(one => [one.id, ...nameDocument(words, one, files.names)] as const)
    const isListed = chosen === '' || options.some(([id]) => id === chosen)
    const all = [
      ['', words.texts.files.noFile] as const,
      ...options,
      ...(isListed ? [] : [[chosen, ...nameChosen(chosen)] as const]),
    ]
    const missing = problems[`${at}.${row}.url`]
    const told = { ...drawing, problems: missing === undefined ? problems : { ...problems, [name]: missing } }
    const { above, attributes } = describeInput(name, told, [])
    return html`<div class="field" id="${at}.${row}"><label for="${name}"!${renderEntryLanguage(drawing, entry)}>${nameEntry(words, field, entry, row)}</label>!${above}<input type="hidden" name="${at}.${row}.${ROW_ORIGIN}" value="${origin}"><input type="hidden" name="${at}.${row}.@row" value="yes">
<select id="${name}" name="${name}"!${attributes}>!${renderOptions(all, chosen)}</select></div>`
  })
  const pages = renderPickerPages(words, {
    found: files.documents,
    size: MAX_OFFERED_DOCUMENTS,
    list: OFFERED,
    action: `${action}#${at}.${rows[0]}`,
    shown: form.text('show'),
  })
  return section(field.name, getFieldLabel(words, field.name), [
    html`<p class="hint">${words.texts.files.otherHint}</p>`,
    ...drawn,
    ...(pages === '' ? [] : [html`<p class="choices">!${pages}</p>`]),
  ])
}

/** The text of an option, and its language. An option has one language: that of the title. */
function nameDocument(words: Words, file: MediaFile, names: DocumentNames): [string, (string | undefined)?] {
  const name = names.get(file.id)
  const about = `${formatBytes(words, file.bytes)}, ${words.minute(file.createdAt.toISOString())}`
  if (name === undefined) return [`PDF, ${about}`]
  if ('kind' in name) return [`${getDocumentTypeLabel(words, name.kind)}, ${about}`]
  return [`${stripDirectionMarks(name.title)}, ${about}`, name.language]
}

/** A kind of document without a translation is in the primary language. */
function renderEntryLanguage({ words, languages }: FilesDrawing, entry: unknown): string {
  const { type } = isObject(entry) ? entry : {}
  const isOwnWord = typeof type === 'string' && type !== '' && getDocumentTypeLabel(words, type) === type
  return isOwnWord ? renderLanguage(words, languages[0]) : ''
}

function nameEntry(words: Words, field: Field, entry: unknown, row: number): string {
  const { type, url } = isObject(entry) ? entry : {}
  const kind = typeof type === 'string' ? getDocumentTypeLabel(words, type) : undefined
  const name = [kind, url].find(one => typeof one === 'string' && one !== '')
  const label = getFieldLabel(words, field.name)
  return name === undefined ? words.texts.products.rowOf({ label, n: row + 1 }) : String(name)
}

function renderAdding({ words, action, upload, files, form }: FilesDrawing): string {
  const texts = words.texts.files
  const button = (name: string, text: string) =>
    html`<button class="second" name="add" value="${name}" formaction="${action}#pictures" formnovalidate>${text}</button>`
  const shown = files.library.slice(0, PICKER_SIZE)
  const picked = new Set(form.all(PICKED))
  const cards = shown.map(file => {
    const id = `pick-${file.id}`
    return html`<li><label for="${id}">!${renderFilePicture(file, PICKED_SIDE)}<span class="line quiet">!${renderFileName(words, file, files.names)}, ${words.date(file.createdAt.toISOString())}</span></label><input type="checkbox" id="${id}" name="${PICKED}" value="${file.id}"!${picked.has(file.id) ? ' checked' : ''}></li>`
  })
  const isOnPage = new Set(shown.map(({ id }) => id))
  const elsewhere = [...picked].filter(id => !isOnPage.has(id)).map(id => [PICKED, id] as const)
  const shownPage = form.text('show')
  const isOpen = shownPage === NEWEST || parseFileCursor(shownPage) !== undefined
  const pages = renderPickerPages(words, {
    found: files.library,
    size: PICKER_SIZE,
    action: `${action}#library`,
    shown: shownPage,
  })
  const library =
    shown.length === 0
      ? ''
      : html`<details class="fold" id="library"!${isOpen ? ' open' : ''}><summary>${texts.choose}</summary><ul class="files picker">!${cards}</ul>!${hiddenInputs(elsewhere)}<p class="choices">!${button(PICKED, texts.addPicked)} !${pages}</p></details>`
  return html`!${renderFileInputs(words, UPLOADED)}<button class="second without-script" name="add" value="${SENT}" formenctype="multipart/form-data" formaction="${upload}#pictures" formnovalidate>${texts.uploadAndAdd}</button>
<button class="second" hidden name="add" value="${UPLOADED}" formaction="${action}#pictures" formnovalidate>${texts.addPicked}</button>
!${library}<p class="choices">!${button(DOCUMENT_ROWS, texts.addAddress)}</p>`
}
