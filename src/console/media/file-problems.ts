/** Says why a file was not stored, and what to do, to people who know nothing of file types. */
import type { AppError } from '../../kernel/errors/errors.ts'
import { DOCUMENT_TYPE, detectMediaType, isHeic } from '../../media/files/media-type.ts'
import { MAX_MEDIA_BYTES, MAX_PIXELS, MAX_SIDE_PIXELS } from '../../media/files/prepared-file.ts'
import { StoreFullError } from '../../media/store/media-store.ts'
import type { Words } from '../page/route.ts'

/** In one form. */
export const MAX_FILES = 20
/** As sizes are shown to people. */
export const MAX_MEDIA_MEGABYTES = Math.floor(MAX_MEDIA_BYTES / 1e6)

export const explainTooLarge = ({ texts }: Words): string =>
  texts.media.problems.tooLarge({ most: MAX_MEDIA_MEGABYTES })

export function explainFileProblem(words: Words, error: AppError, bytes: Uint8Array): string {
  const { problems } = words.texts.media
  const isPdf = detectMediaType(bytes) === DOCUMENT_TYPE
  if (error.code === 'plan_limit') return problems.quota
  if (error instanceof StoreFullError) return problems.storeFull
  if (error.code === 'unavailable') return problems.busy
  switch (error.details?.[0]?.code) {
    case 'media_too_large':
      return explainTooLarge(words)
    case 'media_dimensions':
      return problems.dimensions({ megapixels: MAX_PIXELS / 1e6, side: MAX_SIDE_PIXELS })
    case 'media_active_content':
      return problems.activePdf
    case 'media_withdrawn':
      return problems.withdrawn
    case 'media_unreadable':
      if (bytes.length === 0) return problems.empty
      return isPdf ? problems.damagedPdf : problems.damagedPicture
    case 'media_type':
      return isHeic(bytes) ? problems.heic : problems.type
    default:
      return error.message
  }
}
