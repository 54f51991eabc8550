/**
 * Encrypts secrets that we need ourselves and therefore cannot hash: AES-256-GCM under a key derived from
 * SECRET_KEY, bound to their place. A copy of the database alone reveals none.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

/** 1 byte of format, 4 bytes of the key's fingerprint, then the result of `encrypt`. */
const FORMAT = 1
const ENCRYPTED_AT = 5
/** 12 bytes of nonce, 16 bytes of tag, then the text. */
const TAG_AT = 12
const TEXT_AT = 28

export type Sealer = ReturnType<typeof createSealer>

type Key = { bytes: Buffer; fingerprint: Buffer }

function createKey(secretKey: string): Key {
  const bytes = deriveKey(secretKey, 'carnet sealed secrets')
  return { bytes, fingerprint: hash('sha256', bytes, 'buffer').subarray(0, 4) }
}

/** Derives a key of 32 bytes for one purpose. */
export const deriveKey = (secretKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32))

/** Seals with the first key; opens with any of the keys. */
export function createSealer(secretKey: string, oldKeys: readonly string[] = []) {
  const current = createKey(secretKey)
  const keys = [current, ...oldKeys.map(createKey)]
  const isUnder = (sealed: Uint8Array, key: Key) =>
    sealed[0] === FORMAT && key.fingerprint.equals(sealed.subarray(1, ENCRYPTED_AT))
  return {
    /** The first 8 hex digits of the key's hash, which identify the key without revealing it. */
    fingerprint: current.fingerprint.toString('hex'),
    /** `place` is authenticated with the text, so that a copy elsewhere does not open. */
    seal: (text: string, place: string) =>
      Buffer.concat([Buffer.from([FORMAT]), current.fingerprint, encrypt(current.bytes, text, place)]),
    /** Undefined if it was sealed with another key or for another place, or is damaged. */
    open(sealed: Uint8Array, place: string) {
      const key = keys.find(one => isUnder(sealed, one))
      return key && decrypt(key.bytes, sealed.subarray(ENCRYPTED_AT), place)
    },
    isCurrent: (sealed: Uint8Array) => isUnder(sealed, current),
  }
}

/** AES-256-GCM. `place` is authenticated with the text. */
export function encrypt(key: Buffer, text: string, place: string): Buffer {
  const nonce = randomBytes(TAG_AT)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Undefined unless it was encrypted with this key for this place. */
export function decrypt(key: Buffer, encrypted: Uint8Array, place: string): string | undefined {
  if (encrypted.length <= TEXT_AT) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, TAG_AT), {
    authTagLength: TEXT_AT - TAG_AT,
  })
    .setAAD(Buffer.from(place))
    .setAuthTag(encrypted.subarray(TAG_AT, TEXT_AT))
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(TEXT_AT)), decipher.final()]).toString()
  } catch {
    return undefined
  }
}
