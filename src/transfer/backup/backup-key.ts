/**
 * Derives the backup key from SECRET_KEY. Its fingerprint identifies the key, its seal authenticates a file.
 */
import { createHmac, hkdfSync } from 'node:crypto'
import { createSecretCipher } from '../../kernel/crypto/secret-cipher.ts'

export type BackupKey = {
  /** The same fingerprint as in encrypted secrets, which identifies the key without revealing it. */
  fingerprint: string
  /** Authenticates the SHA-256 of a file, both in hexadecimal. */
  seal: (sha256: string) => string
}

export function deriveBackupKey(secretKey: string): BackupKey {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'carnet backups', 32))
  return {
    fingerprint: createSecretCipher(secretKey).fingerprint,
    seal: sha256 => createHmac('sha256', key).update(`carnet-backup 2 sha256 ${sha256}`).digest('hex'),
  }
}
