/** How the secret keys of issuers are stored: encrypted, each for its own place. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { SecretCipher } from '../../kernel/crypto/secret-cipher.ts'
import type { AccountContext } from '../account/context.ts'

export type IssuerContext = AccountContext & { secretCipher: SecretCipher }

const COMMIT_KEY_BYTES = 32
/** Stored in place of the private part of a key that was replaced. */
export const NO_KEY = Buffer.alloc(0)

export const commitKeyPlace = (accountId: number) => `issuer-commit-key:${accountId}`
export const privateKeyPlace = (accountId: number, number: number) => `issuer-key:${accountId}:key-${number}`

/** A new key for commitments, encrypted. */
export function createCommitKey({ accountId, secretCipher }: IssuerContext): Buffer {
  const key = randomBytes(COMMIT_KEY_BYTES).toString('base64url')
  return secretCipher.encrypt(key, commitKeyPlace(accountId))
}

/** Creates the key with this number. */
export async function insertKey(
  { sql, clock, accountId, secretCipher }: IssuerContext,
  number: number,
): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const text = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url')
  await sql`
    insert into issuer_key (account_id, number, x, y, private_key, created_at)
    values (${accountId}, ${number}, ${x}, ${y},
      ${secretCipher.encrypt(text, privateKeyPlace(accountId, number))}, ${clock.now()})`
}
