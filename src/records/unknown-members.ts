/** Names the members of a body that it cannot have. */
import type { Detail } from '../kernel/errors/errors.ts'

/** Members of answers that a body may not set unless it lists them itself. */
const READ_ONLY_MEMBERS = new Set(
  (
    'id level status gtin lot serial version_no updated_at created_at passport_url gs1_url qr_url ' +
    'parent_id outdated category'
  ).split(' '),
)
/** The length of a name in an answer. */
const MAX_NAME_LENGTH = 100

export const listUnknownMembers = (body: object, known: readonly string[]): Detail[] =>
  Object.keys(body)
    .filter(name => !known.includes(name))
    .map(sent => {
      const name = sent.toWellFormed().slice(0, MAX_NAME_LENGTH)
      return READ_ONLY_MEMBERS.has(name)
        ? { path: [name], code: 'immutable', message: `${name} cannot be set by this call; leave it out.` }
        : {
            path: [name],
            code: 'unknown_field',
            message: `${name} is not a member of this body. Its members are ${known.join(', ')}.`,
          }
    })
