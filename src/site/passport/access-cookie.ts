/**
 * The cookie for the token of an access link. It seals the token (AES-256-GCM) together with the passport and
 * an expiry time, so that a copied cookie opens one page for at most an hour.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** The name over plain http. Over https it gets a prefix, and a `Cookie` header still contains it. */
export const COOKIE_NAME = 'carnet_access'

/**
 * RFC 6265bis §4.1.3.1: browsers accept a `__Secure-` cookie only over https. `__Host-` would require the
 * path `/`.
 */
export const getAccessCookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? `__Secure-${COOKIE_NAME}` : COOKIE_NAME
export const COOKIE_LIFETIME_MS = 3_600_000

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
/** Expiry time, then token. */
const CONTENT_PATTERN = /^(\d{13}) (\S+)$/

export type AccessCookies = {
  /** The cookie's value: opens one passport until `until`. */
  seal(passportId: string, token: string, until: Date): string
  /** The token in a `Cookie` header, if it was sealed for this passport and has not expired. */
  findToken(cookieHeader: string, passportId: string, now: Date): string | undefined
}

/** `secretKey` is the operator's; the key used here is derived from it for this purpose alone. */
export function createAccessCookies(secretKey: string, publicUrl: string): AccessCookies {
  const pattern = new RegExp(`(?:^|;)\\s*${getAccessCookieName(publicUrl)}=([A-Za-z0-9_-]{1,400})\\s*(?:;|$)`)
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'carnet access cookie', 32))
  return {
    seal(passportId, token, until) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(passportId))
      const text = `${until.getTime()} ${token}`
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    findToken(cookieHeader, passportId, now) {
      const value = pattern.exec(cookieHeader)?.[1]
      const content = value === undefined ? undefined : unseal(key, value, passportId)
      const [, until, token] = CONTENT_PATTERN.exec(content ?? '') ?? []
      return until !== undefined && Number(until) > now.getTime() ? token : undefined
    },
  }
}

function unseal(key: Buffer, value: string, passportId: string): string | undefined {
  const bytes = Buffer.from(value, 'base64url')
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(passportId))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString()
  } catch {
    // Forged, or sealed for another passport: treated as no cookie.
    return undefined
  }
}
