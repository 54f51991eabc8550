/** Small pictures of the account's files. The style sheet of pages with pictures gives them their shape. */
import { html } from 'ghtml'
import { isObject } from '../../kernel/values/data-object.ts'
import { MEDIA_ID, type MediaFile } from '../../media/files/media-file.ts'
import { MEDIA, type Words } from './route.ts'

export const getFileUrl = (id: string) => `${MEDIA}/${id}`

/** A small picture beside text that says what it shows. `side`: of the square, in CSS pixels. */
export const renderThumbnail = (id: string, side: number): string =>
  html`<img class="thumb" src="${getFileUrl(id)}/320.webp" width="${side}" height="${side}" alt="" loading="lazy" decoding="async">`

/** For a value that may be no id of a file. */
export const renderThumbnailOf = (value: unknown, side: number): string =>
  typeof value === 'string' && MEDIA_ID.test(value) ? renderThumbnail(value, side) : ''

/** A small picture, or a sheet that stands for a document. */
export const renderFilePicture = ({ id, kind }: Pick<MediaFile, 'id' | 'kind'>, side: number): string =>
  kind === 'picture'
    ? renderThumbnail(id, side)
    : html`<span class="thumb paper" aria-hidden="true">PDF</span>`

/** CSS pixels. */
const ROW_SIDE = 120

/** A product's pictures beside each other; '' without any. `pictures`: the value of the field. */
export function renderPictures({ texts }: Words, pictures: unknown): string {
  const shown = (Array.isArray(pictures) ? pictures : [])
    .filter(isObject)
    .map(({ media }) => renderThumbnailOf(media, ROW_SIDE))
    .filter(picture => picture !== '')
  if (shown.length === 0) return ''
  return html`<div class="pictures" role="group" aria-label="${texts.media.kinds.picture}">!${shown}</div>`
}
