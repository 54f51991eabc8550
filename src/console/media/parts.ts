/** Parts of pages about files: a large picture, what a file is, and the form that sends files. */
import { html } from 'ghtml'
import type { AccountContext } from '../../accounts/account/context.ts'
import { stripDirectionMarks } from '../../i18n/direction-marks.ts'
import type { MediaFile } from '../../media/files/media-file.ts'
import { DOCUMENT_TYPE, PICTURE_TYPES } from '../../media/files/media-type.ts'
import { WIDTHS } from '../../media/files/prepared-file.ts'
import type { MediaCursor } from '../../media/upkeep/list-media.ts'
import { type DocumentNames, findDocumentNames } from '../../passports/drafts/document-names.ts'
import { MEDIA, type Words } from '../page/route.ts'
import { getFileUrl } from '../page/thumbnails.ts'
import { getDocumentTypeLabel } from '../product-data/labels.ts'
import { explainTooLarge, MAX_FILES, MAX_MEDIA_MEGABYTES } from './file-problems.ts'

/** At most this wide. */
const SHOWN_WIDTH = WIDTHS[1]

/** The picture in its own proportions, as wide as fits. */
export function renderPicture({ id, width, height }: MediaFile, alt: string): string {
  const shown = Math.min(width ?? SHOWN_WIDTH, SHOWN_WIDTH)
  const tall = Math.round((shown * (height ?? 1)) / (width ?? 1))
  return html`<img class="shown" src="${getFileUrl(id)}/640.webp" width="${shown}" height="${tall}" alt="${alt}">`
}

/** "JPEG, 2,400 × 1,600 pixels" or "PDF". */
export function describeFile(words: Words, { type, width, height }: MediaFile): string {
  const kind = Object.entries(PICTURE_TYPES).find(([, one]) => one === type)?.[0]
  const name = kind === 'webp' ? 'WebP' : (kind ?? 'pdf').toUpperCase()
  if (width === null || height === null) return name
  return words.texts.media.pixels({ name, width, height })
}

/** Returns the name of a document where it is used, else what the file is. */
export function renderFileName(words: Words, file: MediaFile, names: DocumentNames): string {
  const name = names.get(file.id)
  if (name === undefined) return html`${describeFile(words, file)}`
  if ('kind' in name) return html`${getDocumentTypeLabel(words, name.kind)}`
  const { language, title } = name
  return html`<span dir="auto"!${language === undefined ? '' : html` lang="${language}"`}>${stripDirectionMarks(title)}</span>`
}

/** The documents among these files, as newer products and drafts name them. */
export const findNamesOf = (ctx: AccountContext, files: readonly MediaFile[]): Promise<DocumentNames> =>
  findDocumentNames(
    ctx,
    files.flatMap(({ id, kind }) => (kind === 'document' ? [id] : [])),
  )

/** "1.2 MB", "48 kB". */
export function formatBytes(words: Words, bytes: number): string {
  if (bytes < 1e6) return `${words.number(Math.max(1, Math.round(bytes / 1e3)))} kB`
  const digits = bytes < 1e8 ? 10 : 1
  return bytes < 1e9
    ? `${words.number(Math.round((bytes / 1e6) * digits) / digits)} MB`
    : `${words.number(Math.round(bytes / 1e8) / 10)} GB`
}

/** The place of a page of files, in an address or as the value of a button. */
export const formatFileCursor = ({ createdAt, id }: MediaCursor): string => `${createdAt.getTime()}-${id}`

/** Undefined for any other text: the first page. */
export function parseFileCursor(text: string): MediaCursor | undefined {
  const [, millis = '', id = ''] = /^(\d{1,15})-([0-9a-f]{64})$/.exec(text) ?? []
  return id === '' ? undefined : { createdAt: new Date(Number(millis)), id }
}

/** `found`: up to `size` files and one more; `list`: the picker, if a form has several. */
type PickerPage = { found: readonly MediaFile[]; size: number; action: string; shown: string; list?: string }

/** Buttons that show other files and keep what the form has. `shown`: the value of the pressed one. */
export function renderPickerPages({ texts }: Words, page: PickerPage): string {
  const { found, size, action, shown, list = '' } = page
  const last = found.length > size ? found[size - 1] : undefined
  const button = (value: string, text: string) =>
    html`<button class="plain" name="show" value="${list}${value}" formaction="${action}" formnovalidate>${text}</button>`
  const isLater = shown.startsWith(list) && parseFileCursor(shown.slice(list.length)) !== undefined
  return [
    ...(isLater ? [button(NEWEST, texts.products.newestPage)] : []),
    ...(last === undefined ? [] : [button(formatFileCursor(last), texts.files.older)]),
  ].join(' ')
}

/** The value of the button that shows the first page. */
export const NEWEST = 'newest'

/** Without HEIC: phones then send their photographs as JPEG. */
const ACCEPTED_PICTURES = Object.values(PICTURE_TYPES).join()
const ACCEPTED = `${ACCEPTED_PICTURES},${DOCUMENT_TYPE}`

/**
 * Inputs for files, within a form. The second one opens the camera of a phone, and is hidden where a mouse is
 * used. The module `uploads` sends each file on its own and shows its progress; it then adds the ids of the
 * stored files to the form as fields `adds`, or shows the library.
 */
export function renderFileInputs(words: Words, adds = ''): string {
  const texts = words.texts.media
  const { problems } = texts
  const messages = {
    waiting: texts.waiting,
    checking: texts.checking,
    added: texts.fileAdded,
    known: texts.fileKnown,
    // The module fills in how much is sent.
    sending: texts.sending({ percent: '{percent}' }),
    go: texts.showAdded,
    lost: problems.lost,
    failed: problems.failed,
    busy: texts.waitForFiles,
    out: problems.signedOut,
    large: explainTooLarge(words),
    heic: problems.heic,
  }
  const data = Object.entries(messages).map(([name, text]) => html` data-${name}="${text}"`)
  const hint = texts.chooseHint({ most: MAX_MEDIA_MEGABYTES, files: MAX_FILES })
  return html`<div class="upload" data-upload="${MEDIA}" data-adds="${adds}"!${data}>
<div class="field"><label for="files">${texts.choose}</label><p class="hint" id="files-hint">${hint}</p><input type="file" id="files" name="files" multiple accept="${ACCEPTED}" aria-describedby="files-hint"></div>
<div class="field camera"><label for="camera">${texts.takePhoto}</label><input type="file" id="camera" name="files" accept="${ACCEPTED_PICTURES}" capture="environment"></div>
<p class="drop">${texts.drop}</p><ul class="rows sent"></ul><p class="sight" role="status"></p></div>`
}
