/** Reads and writes DER, as far as time stamps need it. */
import { malformed } from './signature-error.ts'

export const DER = {
  boolean: 1,
  integer: 2,
  octets: 4,
  null: 5,
  oid: 6,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
} as const

/** `whole`: with its tag and length. */
export type DerElement = { tag: number; content: Buffer; whole: Buffer }

/** At most 127 bytes of content, which is enough for a request. */
export function encodeElement(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  if (content.length > 127) throw new RangeError('a time stamp request is too long')
  return Buffer.concat([Buffer.from([tag, content.length]), content])
}

/** Throws `malformed`, as the others do. */
export function requireTag(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag === tag) return element
  throw malformed('The time stamp cannot be read.')
}

/** The content of the only element in `bytes`. */
export function readSingle(bytes: Buffer, tag: number): Buffer {
  const [element, more] = readChildren(bytes)
  if (more !== undefined) throw malformed('The time stamp cannot be read.')
  return requireTag(element, tag).content
}

export function readChildren(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = []
  for (let at = 0; at < bytes.length; ) {
    const element = readElement(bytes.subarray(at))
    elements.push(element)
    at += element.whole.length
  }
  return elements
}

function readElement(bytes: Buffer): DerElement {
  const first = bytes[1] ?? 0x80
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  const isReadable = first !== 0x80 && lengthBytes <= 4 && bytes.length >= 2 + lengthBytes
  if (!isReadable) throw malformed('The time stamp cannot be read.')
  const start = 2 + lengthBytes
  const end = start + (lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes))
  if (end > bytes.length) throw malformed('The time stamp cannot be read.')
  return { tag: bytes[0] ?? 0, content: bytes.subarray(start, end), whole: bytes.subarray(0, end) }
}
