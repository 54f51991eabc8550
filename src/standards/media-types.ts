/** The media type of a document that is only known by its address. */

const BY_EXTENSION = new Map(
  Object.entries({
    pdf: 'application/pdf',
    html: 'text/html',
    htm: 'text/html',
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    avif: 'image/avif',
    svg: 'image/svg+xml',
  }),
)

/** The address of a document that Carnet stores. */
const STORED_DOCUMENT = /\/d\/[0-9a-f]{64}$/

/** By the extension of the last part of the path, in any letter case; else `application/octet-stream`. */
export function guessMediaType(url: string): string {
  const path = URL.canParse(url) ? new URL(url).pathname : ''
  if (STORED_DOCUMENT.test(path)) return 'application/pdf'
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  return BY_EXTENSION.get(extension) ?? 'application/octet-stream'
}
