/**
 * Which credentials of an issuer are revoked: one bit for each, as a W3C bitstring status list and as an IETF
 * token status list.
 */
import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { asObject, type DataObject } from '../../kernel/values/data-object.ts'
import { decodeBase64Url, encodeBase64Url } from './base-encodings.ts'
import { malformed } from './signature-error.ts'

const TERMS = {
  context: 'https://www.w3.org/ns/credentials/v2',
  credentialTypes: ['VerifiableCredential', 'BitstringStatusListCredential'],
  subjectType: 'BitstringStatusList',
  entryType: 'BitstringStatusListEntry',
  base64url: 'u',
} as const

/** The media type of a token status list without `application/`. */
export const STATUS_LIST_JWT = { type: 'statuslist+jwt' } as const

/** Also the least that the W3C allows. */
export const STATUS_LIST_LENGTH = 131_072
const STATUS_LIST_BYTES = STATUS_LIST_LENGTH / 8

/** 16,384 bytes. Index 0 is the most significant bit of the first byte. */
export const createStatusBits = (): Uint8Array => new Uint8Array(STATUS_LIST_BYTES)

export const isRevoked = (bits: Uint8Array, index: number): boolean =>
  ((bits[getByteOf(index)] ?? 0) & (0x80 >> (index & 7))) !== 0

/** Changes `bits`. */
export function setRevoked(bits: Uint8Array, index: number, revoked: boolean): void {
  const at = getByteOf(index)
  const mask = 0x80 >> (index & 7)
  bits[at] = revoked ? (bits[at] ?? 0) | mask : (bits[at] ?? 0) & ~mask
}

function getByteOf(index: number): number {
  if (Number.isInteger(index) && index >= 0 && index < STATUS_LIST_LENGTH) return index >> 3
  throw new RangeError(`${index} is not an index of a status list`)
}

/** Gzip in base64url, after a `u`. The same bits give the same text. */
export const encodeStatusBits = (bits: Uint8Array): string =>
  TERMS.base64url + encodeBase64Url(gzipSync(bits, { level: 9 }))

/** Throws `malformed` for anything but 131,072 bits. */
export function decodeStatusBits(text: string): Uint8Array {
  if (!text.startsWith(TERMS.base64url)) throw malformed('A status list is not base64url.')
  const packed = decodeBase64Url(text.slice(TERMS.base64url.length))
  return requireLength(unpack(() => gunzipSync(packed, { maxOutputLength: STATUS_LIST_BYTES })))
}

function unpack(decompress: () => Uint8Array): Uint8Array | undefined {
  try {
    return decompress()
  } catch {
    return undefined
  }
}

/** As `decodeStatusBits`, of a token status list. Throws `malformed`, too, for more than one bit each. */
export function decodeTokenStatusBits(statusList: unknown): Uint8Array {
  const { bits, lst } = asObject(statusList)
  if (bits !== 1 || typeof lst !== 'string') throw malformed('A status list does not have one bit each.')
  const bytes = unpack(() => inflateSync(decodeBase64Url(lst), { maxOutputLength: STATUS_LIST_BYTES }))
  return requireLength(bytes).map(reverseBits)
}

function requireLength(bits: Uint8Array | undefined): Uint8Array {
  if (bits?.length === STATUS_LIST_BYTES) return bits
  throw malformed(`A status list does not have ${STATUS_LIST_LENGTH} bits.`)
}

const PURPOSES = ['revocation', 'message'] as const

/** `message`: the passport of a document has changed since, or is recalled or archived. */
export type StatusPurpose = (typeof PURPOSES)[number]

/** `url` is where the list is published. `purpose` is `revocation` by default. */
export type StatusList = {
  url: string
  did: string
  bits: Uint8Array
  validFrom: Date
  validUntil: Date
  purpose?: StatusPurpose
}

/** Without its proof. Times are to the second. */
export const buildStatusListCredential = ({
  url,
  did,
  bits,
  validFrom,
  validUntil,
  purpose = 'revocation',
}: StatusList) => ({
  '@context': [TERMS.context],
  id: url,
  type: TERMS.credentialTypes,
  issuer: did,
  validFrom: formatSeconds(validFrom),
  validUntil: formatSeconds(validUntil),
  credentialSubject: {
    id: `${url}#list`,
    type: TERMS.subjectType,
    statusPurpose: purpose,
    encodedList: encodeStatusBits(bits),
  },
})

const formatSeconds = (time: Date) => time.toISOString().replace(/\.\d{3}Z$/, 'Z')

/** The bits of a list's `credentialSubject`; undefined if its purpose is another. Throws `malformed`. */
export function findListBits(subject: unknown): { bits: Uint8Array; purpose: StatusPurpose } | undefined {
  const { type, statusPurpose, encodedList } = asObject(subject)
  if (type !== TERMS.subjectType) return undefined
  const purpose = PURPOSES.find(one => one === statusPurpose)
  if (purpose === undefined) return undefined
  if (typeof encodedList !== 'string') throw malformed('A status list is not base64url.')
  return { bits: decodeStatusBits(encodedList), purpose }
}

/** `credentialStatus` of a credential. UNTP wants the index as a number, the W3C as a text. */
export const buildStatusEntry = <T extends number | string>(listUrl: string, index: T) => ({
  type: TERMS.entryType,
  id: `${listUrl}#${index}`,
  statusPurpose: 'revocation',
  statusListIndex: index,
  statusListCredential: listUrl,
})

/** The payload of a token status list: the same bits, index 0 being the least significant, packed by zlib. */
export function buildTokenStatusList(list: StatusList, maxAgeS: number): DataObject {
  return {
    iss: list.did,
    sub: list.url,
    iat: toSeconds(list.validFrom),
    exp: toSeconds(list.validUntil),
    ttl: maxAgeS,
    status_list: { bits: 1, lst: encodeBase64Url(deflateSync(list.bits.map(reverseBits), { level: 9 })) },
  }
}

const toSeconds = (time: Date) => Math.floor(time.getTime() / 1000)

function reverseBits(byte: number): number {
  let reversed = 0
  for (let bit = 0; bit < 8; bit++) reversed |= ((byte >> bit) & 1) << (7 - bit)
  return reversed
}
