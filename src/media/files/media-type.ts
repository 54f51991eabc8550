/** The types of files that are accepted. The bytes decide; a name or a declared type proves nothing. */

export const PICTURE_TYPES = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
} as const
export type PictureType = (typeof PICTURE_TYPES)[keyof typeof PICTURE_TYPES]

export const DOCUMENT_TYPE = 'application/pdf'
export type MediaType = PictureType | typeof DOCUMENT_TYPE

const ascii = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.subarray(start, end)).toString('latin1')

/** The type by the first bytes; undefined for anything that is not accepted. */
export function detectMediaType(bytes: Uint8Array): MediaType | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return PICTURE_TYPES.jpeg
  if (ascii(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return PICTURE_TYPES.png
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return PICTURE_TYPES.webp
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return PICTURE_TYPES.gif
  if (ascii(bytes, 4, 8) === 'ftyp' && listBrands(bytes).includes('avif')) return PICTURE_TYPES.avif
  return ascii(bytes, 0, 5) === '%PDF-' ? DOCUMENT_TYPE : undefined
}

/** The brands of an ISO base media file (ISO/IEC 14496-12, 4.3), of which AVIF is one. */
function listBrands(bytes: Uint8Array): string[] {
  const size = Math.min(Buffer.from(bytes.subarray(0, 4)).readUInt32BE(), 256, bytes.length)
  const brands = [ascii(bytes, 8, 12)]
  for (let at = 16; at + 4 <= size; at += 4) brands.push(ascii(bytes, at, at + 4))
  return brands
}

/** Types that a client may have declared: `image/jpg` is a common spelling, and no type at all is fine. */
export function isDeclaredType(declared: string | undefined, type: MediaType): boolean {
  const name = declared?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return ['', 'application/octet-stream', type].includes(name === 'image/jpg' ? PICTURE_TYPES.jpeg : name)
}

/** The brands of photographs in HEVC (ISO/IEC 23008-12), which cameras of phones write. */
const HEIC_BRANDS: readonly string[] = ['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis']

/** Returns true if it is a HEIC photograph. They are not accepted: most browsers do not show them. */
export const isHeic = (bytes: Uint8Array): boolean =>
  ascii(bytes, 4, 8) === 'ftyp' && listBrands(bytes).some(brand => HEIC_BRANDS.includes(brand))
