/**
 * The cookie with the token of an access link: encrypted with an expiry time, so that a stolen cookie opens
 * only one passport, for an hour.
 */
import { decryptWithKey, deriveKey, encryptWithKey } from '../../kernel/secret-cipher.ts'

/** Over https the name gets a prefix, so a `Cookie` header contains this text in both cases. */
export const COOKIE_NAME = 'carnet_access'

/**
 * RFC 6265bis §4.1.3.1: browsers accept a `__Secure-` cookie only over https. `__Host-` would require the
 * path `/`.
 */
export const getAccessCookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? `__Secure-${COOKIE_NAME}` : COOKIE_NAME
export const COOKIE_LIFETIME_MS = 3_600_000

/** The decrypted content: expiry time, then token. */
const CONTENT_PATTERN = /^(\d{13}) (\S+)$/

export type AccessCookies = {
  /** The cookie's value, which opens one passport until `until`. */
  encryptToken(passportId: string, token: string, until: Date): string
  /** The token in a `Cookie` header, if it was encrypted for this passport and has not expired. */
  findToken(cookieHeader: string, passportId: string, now: Date): string | undefined
}

/** `secretKey` is the operator's; a key for this purpose only is derived from it. */
export function createAccessCookies(secretKey: string, publicUrl: string): AccessCookies {
  const pattern = new RegExp(`(?:^|;)\\s*${getAccessCookieName(publicUrl)}=([A-Za-z0-9_-]{1,400})\\s*(?:;|$)`)
  const key = deriveKey(secretKey, 'carnet access cookie')
  return {
    encryptToken: (passportId, token, until) =>
      encryptWithKey(key, `${until.getTime()} ${token}`, passportId).toString('base64url'),
    findToken(cookieHeader, passportId, now) {
      const value = pattern.exec(cookieHeader)?.[1]
      const content = value && decryptWithKey(key, Buffer.from(value, 'base64url'), passportId)
      const [, until, token] = CONTENT_PATTERN.exec(content ?? '') ?? []
      return until !== undefined && Number(until) > now.getTime() ? token : undefined
    },
  }
}
