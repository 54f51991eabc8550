/** Checks a PDF for what a reader's program would run or unpack, and for encryption. */
import {
  PDFArray,
  PDFContext,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFObject,
  type PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib'
import { DOCUMENT_TYPE } from '../files/media-type.ts'
import { type Preparation, reject } from '../files/prepared-file.ts'
import { hasLongGap } from './pdf-gaps.ts'
import { findRefusedLink, findRefusedRawLink, type LookUp } from './pdf-links.ts'

const EMBEDDED_FILE = 'an embedded file'
const OTHER_FILE = 'a link to another file'
const FILM = 'a film, sound or 3D scene'

/** Names of dictionaries and entries that begin something (ISO 32000-2, 7.11, 12.6 and 13). */
const ACTIVE_NAMES: ReadonlyMap<string, string> = new Map([
  ['JavaScript', 'JavaScript'],
  ['JS', 'JavaScript'],
  ['Launch', 'a command to start a program'],
  ['EF', EMBEDDED_FILE],
  ['EmbeddedFile', EMBEDDED_FILE],
  ['EmbeddedFiles', EMBEDDED_FILE],
  ['FileAttachment', EMBEDDED_FILE],
  ['GoToE', EMBEDDED_FILE],
  ['GoToR', OTHER_FILE],
  ['FFilter', OTHER_FILE],
  ['3D', FILM],
  ['Movie', FILM],
  ['Rendition', FILM],
  ['RichMedia', FILM],
  ['Sound', FILM],
  ['XFA', 'an XFA form'],
  ['ImportData', 'an action that loads data'],
  ['SubmitForm', 'an action that sends data'],
])

const DAMAGED = 'The PDF is damaged or incomplete. Print it to a new PDF and send that file.'

export async function checkPdf(bytes: Uint8Array): Promise<Preparation> {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (hasLongGap(raw)) return reject('media_unreadable', DAMAGED)
  if (listOuterNames(raw).has('Encrypt')) {
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
    return reject('media_unreadable', DAMAGED)
  }
  const found = findActiveContent(document.context, raw)
  if (found === undefined) return { kind: 'document', type: DOCUMENT_TYPE }
  return reject(
    'media_active_content',
    `The PDF contains ${found}. Print it to a new PDF, which leaves that out, and send that file.`,
  )
}

/** In the bytes too: another program may read objects that this library thinks are not in the document. */
function findActiveContent(context: PDFContext, raw: string): string | undefined {
  const objects = inspectObjects(context)
  const names = [...objects.names, ...listOuterNames(raw), ...listHiddenNames(raw)]
  const active = names.map(name => ACTIVE_NAMES.get(name)).find(what => what !== undefined)
  return active ?? objects.link ?? findRefusedRawLink(raw)
}

const STREAMS = /\bstream\r?\n[\s\S]*?endstream\b/g

/** In the text outside of streams. */
const listOuterNames = (raw: string): Set<string> => listNames(raw.replace(STREAMS, ' '))

/** Compressed bytes have shorter ones by chance. */
const MIN_HIDDEN_LENGTH = 5

/** In streams: a table of positions may lead to an object that stands in a stream. */
function listHiddenNames(raw: string): Set<string> {
  const hidden = new Set<string>()
  for (const [stream] of raw.matchAll(STREAMS))
    for (const name of listNames(stream)) if (name.length >= MIN_HIDDEN_LENGTH) hidden.add(name)
  return hidden
}

/** "#xx" in a name is a character (ISO 32000-2, 7.3.5). */
function listNames(text: string): Set<string> {
  const names = new Set<string>()
  for (const [, name = ''] of text.matchAll(/\/([^\s/<>[\](){}%]+)/g)) {
    names.add(
      name.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    )
  }
  return names
}

/** Objects that a later one of the same number replaced, which a table of positions may bring back. */
const replaced = new WeakMap<PDFContext, [PDFRef, PDFObject][]>()
const { assign } = PDFContext.prototype
PDFContext.prototype.assign = function (ref, object) {
  const earlier = this.lookup(ref)
  if (earlier !== undefined) {
    const all = replaced.get(this) ?? []
    all.push([ref, earlier])
    replaced.set(this, all)
  }
  assign.call(this, ref, object)
}

/** All names, and the first link that is refused. */
function inspectObjects(context: PDFContext): { names: Set<string>; link: string | undefined } {
  const names = new Set<string>()
  let link: string | undefined
  const objects = [...context.enumerateIndirectObjects(), ...(replaced.get(context) ?? [])]
  const byRef = Map.groupBy(objects, ([ref]) => ref.toString())
  const lookUp: LookUp = ref => (byRef.get(ref.toString()) ?? []).map(([, object]) => object)
  // Without recursion: objects may be nested as deeply as the file is long.
  const waiting = objects.map(([, object]) => object)
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one instanceof PDFName) names.add(one.decodeText())
    else if (one instanceof PDFStream) waiting.push(one.dict)
    else if (one instanceof PDFArray) for (const entry of one.asArray()) waiting.push(entry)
    else if (one instanceof PDFDict) {
      link ??= findRefusedLink(one, lookUp)
      for (const [name, value] of one.entries()) waiting.push(name, value)
    }
  }
  return { names, link }
}
