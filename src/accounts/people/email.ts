/** E-mail addresses as the key of a person: one spelling, lower case. */

const EMAIL_LENGTH_MAX = 254
/** What a browser takes in an e-mail field (HTML, "valid e-mail address"), so that form and server agree. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** The address in its one spelling, or undefined when it is none. */
export function parseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase()
  return email.length <= EMAIL_LENGTH_MAX && EMAIL.test(email) ? email : undefined
}
