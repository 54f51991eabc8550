/** Finds links of a PDF to scripts, files and other machines (ISO 32000-2, 7.11 and 12.6). */
import { type PDFDict, PDFHexString, PDFName, type PDFObject, PDFRef, PDFString } from '@cantoo/pdf-lib'

const OTHER_FILE = 'a link to another file'
const OTHER_LINK = 'a link that is neither a web address nor an e-mail address or telephone number'

const SCHEMES = ['http', 'https', 'mailto', 'tel']

/** A link's address, and the address before relative ones. */
const ADDRESS_KEYS = ['URI', 'Base'].map(key => PDFName.of(key))
/** Only in a file specification, or in place of one, do these have a text. */
const FILE_KEYS = ['F', 'UF', 'DOS', 'Mac', 'Unix'].map(key => PDFName.of(key))

/** Every object that one number has had in the file. */
export type LookUp = (ref: PDFRef) => readonly PDFObject[]

/** Describes a link of this dictionary that is refused. Its parts are others' to check. */
export function findRefusedLink(dict: PDFDict, lookUp: LookUp): string | undefined {
  if (ADDRESS_KEYS.some(key => listTexts(dict.get(key), lookUp).some(isRefusedAddress))) return OTHER_LINK
  return FILE_KEYS.some(key => listTexts(dict.get(key), lookUp).length > 0) ? OTHER_FILE : undefined
}

/** A reference to a reference has no text: that is no valid PDF, and readers end there, too. */
function listTexts(value: PDFObject | undefined, lookUp: LookUp): string[] {
  if (value === undefined) return []
  const objects = value instanceof PDFRef ? lookUp(value) : [value]
  return objects
    .filter(object => object instanceof PDFString || object instanceof PDFHexString)
    .map(text => Buffer.from(text.asBytes()).toString('latin1'))
}

/**
 * Relative addresses are allowed unless they name a host or a share. Programs skip white space and zeros (of
 * UTF-16), so only printable ASCII counts.
 */
function isRefusedAddress(text: string): boolean {
  const visible = text.replace(/[^!-~]/g, '')
  if (/^[\\/]{2}|^\\/.test(visible)) return true
  const [, scheme] = /^([^/?#:]*):/.exec(visible) ?? []
  return scheme !== undefined && !SCHEMES.includes(scheme.toLowerCase())
}

/** Bounded, so that a file of beginnings is read in linear time. */
const RAW_ADDRESS =
  /\/(?:U|#55)(?:R|#52)(?:I|#49)(?:\s|%[^\r\n]{0,99}[\r\n]){0,99}(?:\(((?:\\[\s\S]|[^\\)]){0,99})|<([0-9a-f\s]{1,199}))/gi

/** The same in the bytes, for objects that only another program would read. */
export const findRefusedRawLink = (raw: string): string | undefined =>
  raw
    .matchAll(RAW_ADDRESS)
    .map(([, literal, hex = '']) =>
      literal === undefined ? PDFHexString.of(hex.replace(/\s/g, '')) : PDFString.of(literal),
    )
    .some(text => isRefusedAddress(Buffer.from(text.asBytes()).toString('latin1')))
    ? OTHER_LINK
    : undefined
