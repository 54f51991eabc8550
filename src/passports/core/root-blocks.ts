/** How the entries of a daily Merkle tree are stored: in subtrees of equal size. */

/** A power of two. */
export const ENTRIES_PER_BLOCK = 1_024
export const COMMITMENT_BYTES = 32

/** The entries of one block. */
export const splitEntries = (commitments: Buffer): Buffer[] =>
  Array.from({ length: commitments.length / COMMITMENT_BYTES }, (_, n) =>
    commitments.subarray(n * COMMITMENT_BYTES, (n + 1) * COMMITMENT_BYTES),
  )
