/**
 * The cookie with the token of an access link: encrypted with an expiry time, so that a stolen cookie opens
 * only one passport, for an hour.
 */
import { hash } from 'node:crypto'
import { parseId } from '../../kernel/crypto/ids.ts'
import { decryptWithKey, deriveKey, encryptWithKey } from '../../kernel/crypto/secret-cipher.ts'

/** Over https the name gets a prefix, so a `Cookie` header contains this text in both cases. */
export const COOKIE_NAME = 'carnet_access'

/**
 * RFC 6265bis §4.1.3.1: browsers accept a `__Secure-` cookie only over https. `__Host-` would require the
 * path `/`.
 */
export const getAccessCookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? `__Secure-${COOKIE_NAME}` : COOKIE_NAME
export const COOKIE_LIFETIME_MS = 3_600_000

/** A link to a passport also opens its files, at another path: of at most this many passports at a time. */
const FILE_COOKIES = 8
/** The purpose that they are encrypted for, instead of one passport. */
const FOR_FILES = 'files'
const FILE_CONTENT_PATTERN = /^(\d{13}) (\S+) (\S+)$/

/** The decrypted content: expiry time, then token. */
const CONTENT_PATTERN = /^(\d{13}) (\S+)$/

export type AccessCookies = {
  /** The cookie's value, which opens one passport until `until`. */
  encryptToken(passportId: string, token: string, until: Date): string
  /** The token in a `Cookie` header, if it was encrypted for this passport and has not expired. */
  findToken(cookieHeader: string, passportId: string, now: Date): string | undefined
  /** A cookie, with its value, that opens the files of one passport until `until`. */
  encryptFileToken(passportId: string, token: string, until: Date): { name: string; value: string }
  /** The tokens of such cookies that have not expired. */
  listFileTokens(cookieHeader: string, now: Date): FileToken[]
}

/** A token that opened this passport, by its UUID. */
export type FileToken = { token: string; passportUuid: string }

/** `secretKey` is the operator's; a key for this purpose only is derived from it. */
export function createAccessCookies(secretKey: string, publicUrl: string): AccessCookies {
  const pattern = new RegExp(`(?:^|;)\\s*${getAccessCookieName(publicUrl)}=([A-Za-z0-9_-]{1,400})\\s*(?:;|$)`)
  const key = deriveKey(secretKey, 'carnet access cookie')
  const name = getAccessCookieName(publicUrl)
  const filePattern = new RegExp(`(?:^|;)\\s*${name}_\\d=([A-Za-z0-9_-]{1,400})(?=\\s*(?:;|$))`, 'g')
  return {
    encryptToken: (passportId, token, until) =>
      encryptWithKey(key, `${until.getTime()} ${token}`, passportId).toString('base64url'),
    findToken(cookieHeader, passportId, now) {
      const value = pattern.exec(cookieHeader)?.[1]
      const content = value && decryptWithKey(key, Buffer.from(value, 'base64url'), passportId)
      const [, until, token] = CONTENT_PATTERN.exec(content ?? '') ?? []
      return until !== undefined && Number(until) > now.getTime() ? token : undefined
    },
    encryptFileToken(passportId, token, until) {
      const slot = (hash('sha256', passportId, 'buffer')[0] ?? 0) % FILE_COOKIES
      const content = `${until.getTime()} ${token} ${passportId}`
      return { name: `${name}_${slot}`, value: encryptWithKey(key, content, FOR_FILES).toString('base64url') }
    },
    listFileTokens: (cookieHeader, now) =>
      Array.from(cookieHeader.matchAll(filePattern), ([, value = '']) => value)
        .slice(0, FILE_COOKIES)
        .flatMap(value => {
          const content = decryptWithKey(key, Buffer.from(value, 'base64url'), FOR_FILES)
          const [, until, token, passportId = ''] = FILE_CONTENT_PATTERN.exec(content ?? '') ?? []
          const passportUuid = parseId(passportId)
          const isValid = until !== undefined && Number(until) > now.getTime()
          return isValid && token !== undefined && passportUuid !== undefined ? [{ token, passportUuid }] : []
        }),
  }
}
