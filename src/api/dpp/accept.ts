/** Which media types of a document the `Accept` header asks for. */
import { AppError } from '../../kernel/errors/errors.ts'

/** Both have the same bytes. */
const JSON_TYPES = ['application/json', 'application/ld+json'] as const
/** JSON first: it is sent if nothing else is preferred. */
const DOCUMENT_TYPES = [
  ...JSON_TYPES,
  'application/vc',
  'application/vc+jwt',
  'application/dc+sd-jwt',
] as const

export type JsonType = (typeof JSON_TYPES)[number]
export type DocumentType = (typeof DOCUMENT_TYPES)[number]

export const isJsonType = (type: DocumentType): type is JsonType => JSON_TYPES.some(one => one === type)

/** The type of an element. Throws `not_acceptable` if the header accepts neither. */
export const selectDocumentType = (accept: string | undefined): JsonType => selectType(accept, JSON_TYPES)

/** The types of a passport that the header accepts, the best first. Throws `not_acceptable` for none. */
export const listDocumentTypes = (accept: string | undefined): [DocumentType, ...DocumentType[]] =>
  listTypes(accept, DOCUMENT_TYPES)

/** One of `offered`. Throws `not_acceptable` if the header accepts none. */
export const selectType = <T extends string>(accept: string | undefined, offered: readonly [T, ...T[]]): T =>
  listTypes(accept, offered)[0]

/** Types of equal quality come in the order of `offered`. */
function listTypes<T extends string>(accept: string | undefined, offered: readonly [T, ...T[]]): [T, ...T[]] {
  if (accept === undefined || accept.trim() === '') return [offered[0]]
  const ranges = accept.split(',').map(parseRange)
  const qualityOf = (type: T): number => {
    for (const name of [type, 'application/*', '*/*']) {
      const range = ranges.find(one => one.name === name)
      if (range !== undefined) return range.quality
    }
    return 0
  }
  // Sorting is stable.
  const [best, ...others] = offered
    .map(type => ({ type, quality: qualityOf(type) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ type }) => type)
  if (best !== undefined) return [best, ...others]
  throw new AppError('not_acceptable', `Accept must name one of ${offered.join(', ')}, or */*.`)
}

function parseRange(text: string): { name: string; quality: number } {
  const [name = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const quality = parameters.find(one => one.startsWith('q='))?.slice(2)
  // Some clients turn the "+" of "application/ld+json" into a space.
  return { name: name.replace(' ', '+'), quality: quality === undefined ? 1 : Number(quality) || 0 }
}
