/** Time stamps of RFC 3161: the request for one, what the answer says, and who signed it. */
import type { X509Certificate } from 'node:crypto'
import { verifyCmsSignature } from './cms-signature.ts'
import { DER, type DerElement, encodeElement, readChildren, readSingle, requireTag } from './der.ts'
import { malformed, SignatureError } from './signature-error.ts'

/** Object identifiers in their encoded form. */
const SHA256_OID = Buffer.from('608648016503040201', 'hex')
const SIGNED_DATA_OID = Buffer.from('2a864886f70d010702', 'hex')
/** TSTInfo. */
const INFO_TYPE = '2a864886f70d0109100104'

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
  return readStamp(readToken(token), hash).time
}

/** Nothing may follow the token, because nobody would have signed it. */
function readToken(token: Uint8Array): DerElement {
  const [signed, more] = readChildren(Buffer.from(token))
  if (more !== undefined) throw malformed('The time stamp is followed by something else.')
  return requireTag(signed, DER.sequence)
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

/**
 * Checks the authority's signature, and returns its certificate. Throws SignatureError unless that leads to
 * one of `authorities` and was valid at the time of the stamp.
 */
export function verifyTimeStampSignature(
  token: Uint8Array,
  hash: Uint8Array,
  authorities: readonly X509Certificate[],
): X509Certificate {
  const signed = readToken(token)
  const { time } = readStamp(signed, hash)
  const parts = readSignedData(signed)
  return verifyCmsSignature({ type: INFO_TYPE, content: readContent(parts), parts }, authorities, time)
}

const readTimeStampInfo = (token: DerElement): Buffer =>
  readSingle(readContent(readSignedData(token)), DER.sequence)

/** Unpacks ContentInfo and SignedData. */
function readSignedData(token: DerElement): DerElement[] {
  const [type, signed] = readChildren(token.content)
  if (!type?.content.equals(SIGNED_DATA_OID)) throw malformed('The time stamp is not signed data.')
  return readChildren(readSingle(requireTag(signed, DER.context0).content, DER.sequence))
}

/** Unpacks EncapsulatedContentInfo. */
function readContent([, , encapsulated]: readonly DerElement[]): Buffer {
  const [type, content] = readChildren(requireTag(encapsulated, DER.sequence).content)
  if (type?.content.toString('hex') !== INFO_TYPE) throw malformed('The signed data is not a time stamp.')
  return readSingle(requireTag(content, DER.context0).content, DER.octets)
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
