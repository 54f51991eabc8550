/**
 * Secrets that we have to use ourselves, and so cannot keep as hashes, are sealed: AES-256-GCM under a key made from
 * SECRET_KEY, bound to the place they belong to. Whoever copies the database alone has nothing.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

/** 1 byte of format, 4 of the key's fingerprint, 12 of nonce, 16 of tag; then the text. */
const FORMAT = 1
const NONCE_AT = 5
const TAG_AT = 17
const TEXT_AT = 33

export type Sealer = {
  /** The first 8 hex digits of a hash of the key: tells keys apart, tells nothing about them. */
  fingerprint: string
  /** `place` is authenticated with the text: moved elsewhere, it does not open. */
  seal: (text: string, place: string) => Buffer
  /** Undefined when it was sealed under another key, elsewhere, or damaged. */
  open: (sealed: Uint8Array, place: string) => string | undefined
  /** Whether it was sealed under the key that seals now. */
  isCurrent: (sealed: Uint8Array) => boolean
}

type Key = { bytes: Buffer; fingerprint: Buffer }

function keyOf(secretKey: string): Key {
  const bytes = Buffer.from(hkdfSync('sha256', secretKey, '', 'carnet sealed secrets', 32))
  return { bytes, fingerprint: hash('sha256', bytes, 'buffer').subarray(0, 4) }
}

/** Seals under the first key; opens what was sealed under any. */
export function createSealer(secretKey: string, oldKeys: readonly string[] = []): Sealer {
  const current = keyOf(secretKey)
  const keys = [current, ...oldKeys.map(keyOf)]
  const isUnder = (sealed: Uint8Array, key: Key) =>
    sealed.length > TEXT_AT && sealed[0] === FORMAT && key.fingerprint.equals(sealed.subarray(1, NONCE_AT))
  return {
    fingerprint: current.fingerprint.toString('hex'),
    seal: (text, place) => seal(current, text, place),
    open(sealed, place) {
      const key = keys.find(one => isUnder(sealed, one))
      return key === undefined ? undefined : open(key, sealed, place)
    },
    isCurrent: sealed => isUnder(sealed, current),
  }
}

function seal({ bytes, fingerprint }: Key, text: string, place: string): Buffer {
  const nonce = randomBytes(TAG_AT - NONCE_AT)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(place))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from([FORMAT]), fingerprint, nonce, cipher.getAuthTag(), body])
}

function open({ bytes }: Key, sealed: Uint8Array, place: string): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', bytes, sealed.subarray(NONCE_AT, TAG_AT))
    .setAAD(Buffer.from(place))
    .setAuthTag(sealed.subarray(TAG_AT, TEXT_AT))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(TEXT_AT)), decipher.final()]).toString('utf8')
  } catch {
    // What GCM refuses: the text is not the one that was sealed for this place.
    return undefined
  }
}
