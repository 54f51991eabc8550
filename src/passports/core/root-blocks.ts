/** How the entries of a daily Merkle tree are stored: in subtrees of equal size. */
import type { EntryFormat } from '../../standards/signing/version-entry.ts'

/** A power of two. */
export const ENTRIES_PER_BLOCK = 1_024
export const ENTRY_BYTES = 32

/** Without `entries` the block is of format 1, whose entries are the commitments. */
export type StoredBlock = { commitments: Buffer; entries: Buffer | null }

export const getEntryFormat = ({ entries }: Pick<StoredBlock, 'entries'>): EntryFormat =>
  entries === null ? 1 : 2

/** The entries of one block. */
export function splitEntries({ commitments, entries }: StoredBlock): Buffer[] {
  const all = entries ?? commitments
  return Array.from({ length: all.length / ENTRY_BYTES }, (_, n) =>
    all.subarray(n * ENTRY_BYTES, (n + 1) * ENTRY_BYTES),
  )
}

export const joinEntries = (format: EntryFormat, entries: readonly Buffer[]): StoredBlock => {
  const joined = Buffer.concat(entries)
  return format === 1
    ? { commitments: joined, entries: null }
    : { commitments: Buffer.alloc(0), entries: joined }
}
