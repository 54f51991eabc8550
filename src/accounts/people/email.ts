/** E-mail addresses in lower case, because they identify a person. */
import { type AppError, invalid } from '../../kernel/errors/errors.ts'

const MAX_EMAIL_LENGTH = 254
/** HTML's "valid e-mail address", so that browser and server agree. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** The address in lower case; undefined when it is invalid. */
export function parseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase()
  return email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email) ? email : undefined
}

/** Throws `validation` for an invalid address. */
export function requireEmail(text: string, message = 'That is not an e-mail address.'): string {
  const email = parseEmail(text)
  if (email === undefined) throw invalidEmail('format', message)
  return email
}

/** As `requireEmail`, for the command line: the message quotes what was typed. */
export const requireQuotedEmail = (text: string): string =>
  requireEmail(text, `"${text.slice(0, MAX_EMAIL_LENGTH)}" is not an e-mail address.`)

export const invalidEmail = (code: 'format' | 'duplicate', message: string): AppError =>
  invalid([{ path: ['email'], code, message }])
