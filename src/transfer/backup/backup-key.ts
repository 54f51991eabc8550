/** What SECRET_KEY is to a backup: its fingerprint tells which key belongs to the file, its seal that nobody changed it. */
import { createHmac, hkdfSync } from 'node:crypto'
import { createSealer } from '../../kernel/sealing.ts'

export type BackupKey = {
  /** The one that sealed secrets bear; tells keys apart, and nothing about them. */
  fingerprint: string
  /** Authenticates the SHA-256 of a file, in hexadecimal. */
  seal: (sha256: string) => string
}

export function deriveBackupKey(secretKey: string): BackupKey {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'carnet backups', 32))
  return {
    fingerprint: createSealer(secretKey).fingerprint,
    seal: sha256 => createHmac('sha256', key).update(`carnet-backup 2 sha256 ${sha256}`).digest('hex'),
  }
}
