/** Files that are added to the form of a product: uploaded, chosen from the library, or inherited. */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Field } from '../../categories/field.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { MEDIA_ID, type MediaFile } from '../../media/files/media-file.ts'
import { findFiles, listMedia } from '../../media/upkeep/list-media.ts'
import type { DocumentNames } from '../../passports/drafts/document-names.ts'
import { findNamesOf, parseFileCursor } from '../media/parts.ts'
import { type PostedForm, readForm } from '../page/form.ts'
import type { Words } from '../page/route.ts'
import { buildDataForm, DATA_PREFIX } from '../product-data/form-data.ts'
import { addRow, NEW_ROW, ROW_ORIGIN } from '../product-data/list-rows.ts'

export const PICTURE_ROWS = `${DATA_PREFIX}.pictures`
export const DOCUMENT_ROWS = `${DATA_PREFIX}.documents`
export const PICKER_SIZE = 24
export const MAX_OFFERED_DOCUMENTS = 100
/** Before the place of a page of documents, in the value of the button `show`. */
export const OFFERED = 'documents.'

/** Values of the button `add`, and names of the fields with the files that it adds. */
export const PICKED = 'picked'
export const UPLOADED = 'uploaded'
export const SENT = 'sent'

/** `used`: the files in the form, by id; `library`, `documents`: files to choose from, and one more. */
export type FormFiles = {
  used: Map<string, MediaFile>
  library: MediaFile[]
  documents: MediaFile[]
  names: DocumentNames
}

export async function findFormFiles(ctx: AccountContext, form: PostedForm): Promise<FormFiles> {
  const ids = form
    .entries()
    .flatMap(([name, value]) => (isFileInput(name) && MEDIA_ID.test(value) ? [value] : []))
  const shown = form.text('show')
  const offeredAfter = shown.startsWith(OFFERED) ? parseFileCursor(shown.slice(OFFERED.length)) : undefined
  const [used, library, documents] = await Promise.all([
    findFiles(ctx, ids),
    listMedia(ctx, { limit: PICKER_SIZE + 1, after: parseFileCursor(shown) }),
    listMedia(ctx, { kind: 'document', limit: MAX_OFFERED_DOCUMENTS + 1, after: offeredAfter }),
  ])
  const names = await findNamesOf(ctx, [...used.values(), ...library, ...documents])
  return { used, library, documents, names }
}

const isFileInput = (name: string): boolean => name.startsWith(`${DATA_PREFIX}.`) && name.endsWith('.media')

/** A file that was just uploaded has a name, which becomes the title of a document. */
export type NewFile = { id: string; name: string }

/** The files that the pressed button adds; undefined if it was another button. */
export function listChosenFiles(form: PostedForm): NewFile[] | undefined {
  const added = form.text('add')
  if (added === PICKED) return form.all(PICKED).map(id => ({ id, name: '' }))
  if (added !== UPLOADED) return undefined
  const names = form.all(`${UPLOADED}-name`)
  return form.all(UPLOADED).map((id, i) => ({ id, name: names[i] ?? '' }))
}

/** Adds a row for each file that the account has. `language`: of the titles. */
export async function addFiles(
  ctx: AccountContext,
  form: PostedForm,
  { files, language }: { files: readonly NewFile[]; language: string },
): Promise<PostedForm> {
  const ids = files.map(({ id }) => id).filter(id => MEDIA_ID.test(id))
  const found = await findFiles(ctx, ids)
  const kept = form.entries().filter(([name]) => ![PICKED, UPLOADED, `${UPLOADED}-name`].includes(name))
  return files.reduce((all, { id, name }) => {
    const kind = found.get(id)?.kind
    if (kind === undefined) return all
    if (kind === 'picture') return addRow(all, PICTURE_ROWS, { media: id })
    const title = name
      .replace(/\.pdf$/i, '')
      .replaceAll(/[_\s]+/g, ' ')
      .trim()
    return addRow(all, DOCUMENT_ROWS, { media: id, access: 'public', [`title.${language}`]: title })
  }, readForm(kept))
}

/** The form with the inherited entries of a list as new rows; undefined if another button was pressed. */
export function copyInherited(
  words: Words,
  form: PostedForm,
  fields: readonly Field[],
  inherited: DataObject,
): PostedForm | undefined {
  const [, name] = /^inherited\.(\w+)$/.exec(form.text('add')) ?? []
  const field = fields.find(one => one.name === name)
  if (field === undefined) return undefined
  const copied = buildDataForm(words, [field], inherited).entries()
  const asNew = copied.map(([at, value]) => [at, at.endsWith(`.${ROW_ORIGIN}`) ? NEW_ROW : value] as const)
  return readForm([...form.entries().filter(([at]) => !at.startsWith(`${DATA_PREFIX}.${name}.`)), ...asNew])
}
