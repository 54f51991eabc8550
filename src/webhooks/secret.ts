/** The secrets that sign deliveries: 32 random bytes, shown once, stored encrypted. */
import { randomBytes } from 'node:crypto'
import type { SecretCipher } from '../kernel/crypto/secret-cipher.ts'

const PREFIX = 'whsec_'
const BYTES = 32

/** How long the old secret also signs after a rotation. */
export const SECRET_OVERLAP_MS = 24 * 3_600_000

export const createWebhookSecret = (): string => PREFIX + randomBytes(BYTES).toString('base64')

/** Binds an encrypted secret to its webhook: copied to another one, it cannot be decrypted. */
export const getSecretPlace = (accountId: number, endpointId: string): string =>
  `webhook ${accountId} ${endpointId}`

export type EncryptedSecrets = {
  account_id: number
  id: string
  secret: Uint8Array
  old_secret: Uint8Array | null
  old_until: Date | null
  /** The old secret still signs `X-Service-Signature`. */
  old_signs: boolean
}

/** The secrets for `webhook-signature`, newest first, and the one for `X-Service-Signature`. */
export type SigningSecrets = { standardWebhooks: readonly string[]; serviceSignature: string }

/** Decrypts the secrets that sign at `now`; undefined if they were encrypted with an unknown key. */
export function decryptSecrets(
  secretCipher: SecretCipher,
  row: EncryptedSecrets,
  now: Date,
): SigningSecrets | undefined {
  const place = getSecretPlace(row.account_id, row.id)
  const secret = secretCipher.decrypt(row.secret, place)
  if (secret === undefined) return undefined
  const isRotated = row.old_until !== null && now < row.old_until
  if (!isRotated || row.old_secret === null) return { standardWebhooks: [secret], serviceSignature: secret }
  const old = secretCipher.decrypt(row.old_secret, place)
  if (old === undefined) return undefined
  return { standardWebhooks: [secret, old], serviceSignature: row.old_signs ? old : secret }
}
