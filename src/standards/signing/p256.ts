/** ECDSA with P-256 and SHA-256 (ES256): signatures are r‖s, 64 bytes. */
import { createPublicKey, ECDH, type KeyObject, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { decodeBase58, decodeBase64Url, encodeBase58, encodeBase64Url } from './base-encodings.ts'
import { malformed } from './signature-error.ts'

/** Signs for one key of an account. A seal elsewhere can take the place of `createSigner`. */
export type Signer = {
  did: string
  /** The name of the key in the DID document, such as `key-1`. */
  keyName: string
  /** The bytes are hashed with SHA-256. Returns r‖s, 64 bytes. */
  sign: (bytes: Uint8Array) => Promise<Uint8Array>
}

/** Both numbers in base64url, 32 bytes each. */
export type P256PublicJwk = { kty: 'EC'; x: string; y: string; crv: 'P-256' }

const signAsync = promisify<string, Uint8Array, { key: KeyObject; dsaEncoding: 'ieee-p1363' }, Buffer>(sign)
const SIGNATURE_BYTES = 64

/** Signs in another thread, about 0.1 ms. */
export const createSigner = (did: string, keyName: string, key: KeyObject): Signer => ({
  did,
  keyName,
  sign: bytes => signAsync('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }),
})

export const isSignedByP256 = (key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean =>
  signature.length === SIGNATURE_BYTES &&
  verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature)

/** Multicodec `p256-pub` as a varint. */
const P256_PREFIX = Buffer.from([0x80, 0x24])
const COMPRESSED_BYTES = 33

/** The `publicKeyMultibase` of a Multikey: `z`, then base58btc of the prefix and the compressed point. */
export function encodeMultikey({ x, y }: P256PublicJwk): string {
  const last = decodeBase64Url(y).at(-1) ?? 0
  return `z${encodeBase58(Buffer.concat([P256_PREFIX, Buffer.from([2 + (last & 1)]), decodeBase64Url(x)]))}`
}

/** Throws `malformed` for anything but a point of P-256. */
export function decodeMultikey(text: string): P256PublicJwk {
  if (!text.startsWith('z')) throw malformed('A key is not base58btc.')
  const bytes = decodeBase58(text.slice(1))
  const isP256 = bytes.length === P256_PREFIX.length + COMPRESSED_BYTES && bytes.indexOf(P256_PREFIX) === 0
  if (!isP256) throw malformed('A key is not of P-256.')
  const point = decompress(bytes.subarray(P256_PREFIX.length))
  return {
    kty: 'EC',
    x: encodeBase64Url(point.subarray(1, 33)),
    y: encodeBase64Url(point.subarray(33)),
    crv: 'P-256',
  }
}

function decompress(bytes: Uint8Array): Buffer {
  try {
    return Buffer.from(
      ECDH.convertKey(bytes, 'prime256v1', undefined, 'hex', 'uncompressed').toString(),
      'hex',
    )
  } catch {
    throw malformed('A key is not a point of P-256.')
  }
}

/** Throws `malformed` if it is not a point of P-256. Other members, such as a private one, are ignored. */
export function createP256Key({ x, y }: P256PublicJwk): KeyObject {
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    throw malformed('A key is not a point of P-256.')
  }
}
