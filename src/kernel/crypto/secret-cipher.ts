/**
 * Encrypts secrets that we need ourselves and therefore cannot hash: AES-256-GCM under a key derived from
 * SECRET_KEY, bound to the row that they belong to. A copy of the database alone reveals none.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

/** 1 byte of format, 4 bytes of the key's fingerprint, then the result of `encryptWithKey`. */
const FORMAT = 1
const ENCRYPTED_AT = 5
/** 12 bytes of nonce, 16 bytes of tag, then the text. */
const TAG_AT = 12
const TEXT_AT = 28

export type SecretCipher = ReturnType<typeof createSecretCipher>

type Key = { bytes: Buffer; fingerprint: Buffer }

function createKey(secretKey: string): Key {
  const bytes = deriveKey(secretKey, 'carnet sealed secrets')
  return { bytes, fingerprint: hash('sha256', bytes, 'buffer').subarray(0, 4) }
}

/** Derives a key of 32 bytes for one purpose. */
export const deriveKey = (secretKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32))

/**
 * Encrypts with `secretKey`; decrypts with any of the keys. A secret's `place` is authenticated, so that a
 * copy at another place cannot be decrypted.
 */
export function createSecretCipher(secretKey: string, oldKeys: readonly string[] = []) {
  const current = createKey(secretKey)
  const keys = [current, ...oldKeys.map(createKey)]
  const isUnder = (encrypted: Uint8Array, key: Key) =>
    encrypted[0] === FORMAT && key.fingerprint.equals(encrypted.subarray(1, ENCRYPTED_AT))
  return {
    /** The first 8 hex digits of the key's hash, which identify the key without revealing it. */
    fingerprint: current.fingerprint.toString('hex'),
    encrypt: (text: string, place: string) =>
      Buffer.concat([Buffer.from([FORMAT]), current.fingerprint, encryptWithKey(current.bytes, text, place)]),
    /** Undefined if it was encrypted with another key or for another place, or is damaged. */
    decrypt(encrypted: Uint8Array, place: string) {
      const key = keys.find(one => isUnder(encrypted, one))
      return key && decryptWithKey(key.bytes, encrypted.subarray(ENCRYPTED_AT), place)
    },
    isUnderCurrentKey: (encrypted: Uint8Array) => isUnder(encrypted, current),
  }
}

/** AES-256-GCM. `place` is authenticated with the text. */
export function encryptWithKey(key: Buffer, text: string, place: string): Buffer {
  const nonce = randomBytes(TAG_AT)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Undefined unless it was encrypted with this key for this place. */
export function decryptWithKey(key: Buffer, encrypted: Uint8Array, place: string): string | undefined {
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
