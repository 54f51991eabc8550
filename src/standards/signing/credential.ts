/** Verifiable credentials of the W3C (VCDM 2.0) in both forms: with an embedded proof, and as `vc+jwt`. */
import { asObject, type DataObject } from '../../kernel/values/data-object.ts'
import { type FindKey, getDidOfKey } from './did-document.ts'
import { type Jws, parseJws, signJws, verifyJws } from './jws.ts'
import type { Signer } from './p256.ts'
import { malformed, SignatureError } from './signature-error.ts'

export const VC_JWT = { type: 'vc+jwt', contentType: 'vc' } as const

/** Returns a `vc+jwt`. A proof of the credential is left out. */
export function signVcJwt({ proof: _, ...credential }: DataObject, signer: Signer): Promise<string> {
  return signJws(credential, VC_JWT, signer)
}

/** Returns the credential of a `vc+jwt` and the id of its key. Throws SignatureError. */
export function verifyVcJwt(text: string, findKey: FindKey): { credential: DataObject; keyId: string } {
  const jws: Jws = parseJws(text)
  if (jws.type !== VC_JWT.type) throw malformed(`It is not of the type ${VC_JWT.type}.`)
  verifyJws(jws, findKey(jws.keyId))
  return { credential: jws.payload, keyId: jws.keyId }
}

/** Throws `unusable_key` if a key signed that is not one of the credential's issuer. */
export function requireIssuer(credential: DataObject, keyId: string): void {
  const { issuer } = credential
  const id = typeof issuer === 'string' ? issuer : asObject(issuer).id
  if (id === getDidOfKey(keyId)) return
  throw new SignatureError('unusable_key', `The key ${keyId} is not one of its issuer, ${String(id)}.`)
}

/** Returns true if `validUntil` is over. Throws `not_current` before `validFrom`. */
export const hasCredentialExpired = ({ validFrom, validUntil }: DataObject, now: Date): boolean =>
  hasExpired(parseTime(validFrom), parseTime(validUntil), now)

/**
 * True if the end is over. Both in milliseconds; undefined: unlimited. Throws `not_current` before the start.
 */
export function hasExpired(fromMs: number | undefined, untilMs: number | undefined, now: Date): boolean {
  if (fromMs !== undefined && now.getTime() < fromMs) {
    throw new SignatureError('not_current', `It is not valid before ${new Date(fromMs).toISOString()}.`)
  }
  return untilMs !== undefined && now.getTime() >= untilMs
}

function parseTime(value: unknown): number | undefined {
  if (value === undefined) return undefined
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) throw malformed('A time in it cannot be read.')
  return ms
}
