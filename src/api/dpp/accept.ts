/** Which media type of a document the `Accept` header asks for. Both have the same bytes. */
import { AppError } from '../../kernel/errors.ts'

const MEDIA_TYPES = ['application/json', 'application/ld+json'] as const

export type DocumentType = (typeof MEDIA_TYPES)[number]

/** Throws `not_acceptable` if the header accepts neither. Without one, or of equal quality, JSON. */
export function selectDocumentType(accept: string | undefined): DocumentType {
  if (accept === undefined || accept.trim() === '') return 'application/json'
  const ranges = accept.split(',').map(parseRange)
  const qualityOf = (type: DocumentType): number => {
    for (const name of [type, 'application/*', '*/*']) {
      const range = ranges.find(one => one.name === name)
      if (range !== undefined) return range.quality
    }
    return 0
  }
  const [json, jsonLd] = MEDIA_TYPES.map(qualityOf)
  if (!json && !jsonLd) {
    throw new AppError('not_acceptable', `Accept must name one of ${MEDIA_TYPES.join(', ')}, or */*.`)
  }
  return (jsonLd ?? 0) > (json ?? 0) ? 'application/ld+json' : 'application/json'
}

function parseRange(text: string): { name: string; quality: number } {
  const [name = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const quality = parameters.find(one => one.startsWith('q='))?.slice(2)
  // Some clients turn the "+" of "application/ld+json" into a space.
  return { name: name.replace(' ', '+'), quality: quality === undefined ? 1 : Number(quality) || 0 }
}
