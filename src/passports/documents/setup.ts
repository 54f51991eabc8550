/** The services and sources of the documents of a passport. */

import type { SecretCipher } from '../../kernel/crypto/secret-cipher.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import type { Reading } from '../../standards/reading.ts'
import type { Addresses } from '../core/record.ts'
import type { ReadableRow } from '../read/build-reading.ts'

export type DocumentSetup = {
  sql: Sql
  clock: Clock
  secretCipher: SecretCipher
  addresses: Addresses
  /** The namespace of Carnet's own terms. */
  nsUrl: string
  /** For how many days what is signed is valid. */
  signatureDays: number
}

/** The setup of documents that nobody signs. */
export type UnsignedSetup = Omit<DocumentSetup, 'signatureDays'>

/** One version of a passport. `shard`: where the passport is; null: the shared database. */
export type PlacedRow = ReadableRow & { shard: number | null }

export type DocumentAudience = Reading['audience']
