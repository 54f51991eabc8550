/**
 * Time stamps of RFC 3161: the request for one, and what the answer says. The authority's own signature is
 * checked with its certificates by `openssl ts -verify`, not here.
 */
import { malformed, SignatureError } from './signature-error.ts'

/** Tags of DER, and the object identifiers in their encoded form. */
const DER = {
  boolean: 1,
  integer: 2,
  octets: 4,
  null: 5,
  oid: 6,
  time: 0x18,
  sequence: 0x30,
  explicit0: 0xa0,
} as const
const SHA256_OID = Buffer.from('608648016503040201', 'hex')
const SIGNED_DATA_OID = Buffer.from('2a864886f70d010702', 'hex')
const TIME_STAMP_INFO_OID = Buffer.from('2a864886f70d0109100104', 'hex')

const HASH_BYTES = 32
/** Granted, and granted with changes. */
const GRANTED: readonly number[] = [0, 1]

export type TimeStamp = {
  /** To be stored: a CMS object in DER. */
  token: Buffer
  time: Date
}

/** `hash` is SHA-256, `nonce` at most 16 random bytes. Asks for the authority's certificates. Returns DER. */
export function buildTimeStampRequest(hash: Uint8Array, nonce: Uint8Array): Buffer {
  if (hash.length !== HASH_BYTES) throw new RangeError('a time stamp needs a hash of 32 bytes')
  const algorithm = encodeElement(DER.sequence, encodeElement(DER.oid, SHA256_OID), encodeElement(DER.null))
  return encodeElement(
    DER.sequence,
    encodeElement(DER.integer, Buffer.from([1])),
    encodeElement(DER.sequence, algorithm, encodeElement(DER.octets, hash)),
    encodeElement(DER.integer, toInteger(nonce)),
    encodeElement(DER.boolean, Buffer.from([0xff])),
  )
}

/** Throws SignatureError if the time stamp was refused, or is for another hash or nonce. */
export function readTimeStampResponse(response: Uint8Array, hash: Uint8Array, nonce: Uint8Array): TimeStamp {
  const [status, token] = readChildren(readSingle(Buffer.from(response), DER.sequence))
  const code = readChildren(requireTag(status, DER.sequence).content)[0]?.content.at(-1) ?? -1
  if (!GRANTED.includes(code)) throw malformed(`The time stamp was refused with the status ${code}.`)
  const signed = requireTag(token, DER.sequence)
  const { time, rest } = readStamp(signed, hash)
  const found = rest.find(one => one.tag === DER.integer)
  if (!found?.content.equals(toInteger(nonce)))
    throw new SignatureError('altered', 'The time stamp is for another request.')
  return { token: signed.whole, time }
}

/** The time of a stored token. Throws SignatureError if it is for another hash. */
export function readTimeStampToken(token: Uint8Array, hash: Uint8Array): Date {
  const [signed] = readChildren(Buffer.from(token))
  return readStamp(requireTag(signed, DER.sequence), hash).time
}

function readStamp(token: DerElement, hash: Uint8Array): { time: Date; rest: DerElement[] } {
  // version, policy, imprint, serial number, time; then accuracy, ordering and nonce if they are there.
  const [, , imprint, , time, ...rest] = readChildren(readTimeStampInfo(token))
  const [algorithm, hashed] = readChildren(requireTag(imprint, DER.sequence).content)
  const isSha256 = readChildren(requireTag(algorithm, DER.sequence).content)[0]?.content.equals(SHA256_OID)
  if (!isSha256 || !requireTag(hashed, DER.octets).content.equals(hash)) {
    throw new SignatureError('altered', 'The time stamp is for another hash.')
  }
  return { time: readTime(requireTag(time, DER.time).content.toString('latin1')), rest }
}

/** Unpacks ContentInfo, SignedData and EncapsulatedContentInfo. */
function readTimeStampInfo(token: DerElement): Buffer {
  const [type, signed] = readChildren(token.content)
  if (!type?.content.equals(SIGNED_DATA_OID)) throw malformed('The time stamp is not signed data.')
  const [, , encapsulated] = readChildren(readSingle(requireTag(signed, DER.explicit0).content, DER.sequence))
  const [innerType, content] = readChildren(requireTag(encapsulated, DER.sequence).content)
  if (!innerType?.content.equals(TIME_STAMP_INFO_OID)) throw malformed('The signed data is not a time stamp.')
  return readSingle(readSingle(requireTag(content, DER.explicit0).content, DER.octets), DER.sequence)
}

/** `20261120100000.25Z` */
function readTime(text: string): Date {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d+)?Z$/.exec(text)
  const [, year, month, day, hours, minutes, seconds, fraction = ''] = parts ?? []
  const time = new Date(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}${fraction}Z`)
  if (Number.isNaN(time.getTime())) throw malformed('The time of the time stamp cannot be read.')
  return time
}

/** A positive number without zeros in front, except one before a set sign bit. */
function toInteger(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex(byte => byte !== 0)
  const digits = Buffer.from(start === -1 ? [0] : bytes.subarray(start))
  return (digits[0] ?? 0) < 0x80 ? digits : Buffer.concat([Buffer.from([0]), digits])
}

/** At most 127 bytes of content, which is enough for a request. */
function encodeElement(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  if (content.length > 127) throw new RangeError('a time stamp request is too long')
  return Buffer.concat([Buffer.from([tag, content.length]), content])
}

type DerElement = { tag: number; content: Buffer; whole: Buffer }

function requireTag(element: DerElement | undefined, tag: number): DerElement {
  if (element?.tag === tag) return element
  throw malformed('The time stamp cannot be read.')
}

function readSingle(bytes: Buffer, tag: number): Buffer {
  const [element, more] = readChildren(bytes)
  if (more !== undefined) throw malformed('The time stamp cannot be read.')
  return requireTag(element, tag).content
}

function readChildren(bytes: Buffer): DerElement[] {
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
