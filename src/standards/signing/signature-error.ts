/** Why something signed is not accepted. */

/**
 * `malformed`: it cannot be read as what it says it is. `altered`: the signature does not fit the content.
 * `unknown_key`: the key is not at hand. `unusable_key`: the key is revoked, or belongs to somebody else.
 * `not_current`: it is not valid yet.
 */
export type SignatureErrorCode = 'malformed' | 'altered' | 'unknown_key' | 'unusable_key' | 'not_current'

/** The message is a sentence for people. */
export class SignatureError extends Error {
  override name = 'SignatureError'
  readonly code: SignatureErrorCode

  constructor(code: SignatureErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export const malformed = (message: string) => new SignatureError('malformed', message)
