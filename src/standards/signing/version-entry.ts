/**
 * The entry of a version in a daily Merkle tree. Entries of format 1 are the commitments themselves; those
 * of format 2 bind a commitment to its passport and version.
 */
import { hash } from 'node:crypto'

export const ENTRY_FORMATS = [1, 2] as const
export type EntryFormat = (typeof ENTRY_FORMATS)[number]

/** Trees are made in this format. */
export const ENTRY_FORMAT: EntryFormat = 2

/** `passportId`: 26 characters. `commitment` has 32 bytes. */
type CommittedVersion = { passportId: string; versionNo: number; commitment: Uint8Array }

/** Returns 32 bytes. The text in front keeps an entry apart from every other hash of this service. */
export function buildVersionEntry(
  format: EntryFormat,
  { passportId, versionNo, commitment }: CommittedVersion,
): Buffer {
  if (format === 1) return Buffer.from(commitment)
  const label = `carnet version entry v2|${passportId}|${versionNo}|`
  return hash('sha256', Buffer.concat([Buffer.from(label), commitment]), 'buffer')
}
