/** Checks a PDF for what a reader's program would run or unpack, and for encryption. */
import { PDFArray, PDFDict, PDFDocument, PDFName, type PDFObject, PDFStream } from '@cantoo/pdf-lib'
import { DOCUMENT_TYPE } from '../media-type.ts'
import { type Preparation, reject } from './prepared-file.ts'

/** Names of dictionaries and entries that begin something (ISO 32000-2, 7.11, 12.6 and 13). */
const ACTIVE_NAMES: Readonly<Record<string, string>> = {
  JavaScript: 'JavaScript',
  JS: 'JavaScript',
  Launch: 'a command to start a program',
  EmbeddedFile: 'an embedded file',
  EmbeddedFiles: 'an embedded file',
  RichMedia: 'a film, sound or 3D scene',
  XFA: 'an XFA form',
  ImportData: 'an action that loads data',
  SubmitForm: 'an action that sends data',
}

export async function checkPdf(bytes: Uint8Array): Promise<Preparation> {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (findNames(raw).has('Encrypt')) {
    return reject(
      'media_active_content',
      'The PDF is encrypted or has a password. Save it without protection and send that file.',
    )
  }
  let document: PDFDocument
  try {
    document = await PDFDocument.load(bytes, { throwOnInvalidObject: true, updateMetadata: false })
    if (document.getPageCount() === 0) return reject('media_unreadable', 'The PDF has no page.')
  } catch {
    return reject(
      'media_unreadable',
      'The PDF is damaged or incomplete. Print it to a new PDF and send that file.',
    )
  }
  // Of the bytes too: another program may read objects that this library thinks are not part of the document.
  const active =
    findActiveName(document) ?? [...findNames(raw)].find(name => ACTIVE_NAMES[name] !== undefined)
  if (active === undefined) return { kind: 'document', type: DOCUMENT_TYPE }
  return reject(
    'media_active_content',
    `The PDF contains ${ACTIVE_NAMES[active]}. Print it to a new PDF, which leaves that out, and send that file.`,
  )
}

/** All names in the text outside of streams. "#xx" in a name is a character (ISO 32000-2, 7.3.5). */
function findNames(raw: string): Set<string> {
  const names = new Set<string>()
  const outside = raw.replace(/\bstream\r?\n[\s\S]*?endstream\b/g, ' ')
  for (const [, name = ''] of outside.matchAll(/\/([^\s/<>[\](){}%]+)/g)) {
    names.add(
      name.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    )
  }
  return names
}

function findActiveName(document: PDFDocument): string | undefined {
  for (const [, object] of document.context.enumerateIndirectObjects()) {
    const found = findActiveNameIn(object)
    if (found !== undefined) return found
  }
  return undefined
}

/** Without recursion: objects may be nested as deeply as the file is long. */
function findActiveNameIn(object: PDFObject): string | undefined {
  const waiting: PDFObject[] = [object]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one instanceof PDFName) {
      const name = one.decodeText()
      if (ACTIVE_NAMES[name] !== undefined) return name
    } else if (one instanceof PDFStream) waiting.push(one.dict)
    else if (one instanceof PDFArray) waiting.push(...one.asArray())
    else if (one instanceof PDFDict) for (const [name, value] of one.entries()) waiting.push(name, value)
  }
  return undefined
}
