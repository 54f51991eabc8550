/** Checks a file and renders it. Runs in a process of its own: `prepare-process.ts`. */
import { DOCUMENT_TYPE, detectMediaType, isHeic } from '../files/media-type.ts'
import { MAX_MEDIA_BYTES, type Preparation, reject } from '../files/prepared-file.ts'
import { checkPdf } from './check-pdf.ts'
import { preparePicture } from './prepare-picture.ts'

export async function prepareFile(bytes: Uint8Array): Promise<Preparation> {
  if (bytes.length > MAX_MEDIA_BYTES) {
    return reject(
      'media_too_large',
      `The file has ${bytes.length} bytes; at most ${MAX_MEDIA_BYTES} are accepted.`,
    )
  }
  if (bytes.length === 0)
    return reject('media_unreadable', 'The file is empty. Send the bytes of a picture or a PDF.')
  const type = detectMediaType(bytes)
  if (type === undefined) {
    return reject(
      'media_type',
      isHeic(bytes)
        ? 'This is a HEIC photograph, which most browsers do not show. Save it as JPEG and send that file.'
        : 'Send a picture (JPEG, PNG, WebP, AVIF or GIF) or a PDF. Other files are not accepted.',
    )
  }
  return type === DOCUMENT_TYPE ? checkPdf(bytes) : preparePicture(bytes, type)
}
