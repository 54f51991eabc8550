/** Merkle trees of RFC 6962 §2.1 with SHA-256: one hash for many entries, and proofs for each. */
import { hash } from 'node:crypto'

const LEAF = Buffer.from([0])
const NODE = Buffer.from([1])

const hashLeaf = (entry: Uint8Array) => hash('sha256', Buffer.concat([LEAF, entry]), 'buffer')
const hashNode = (left: Uint8Array, right: Uint8Array) =>
  hash('sha256', Buffer.concat([NODE, left, right]), 'buffer')

/** The size of the left part: the largest power of two below `size`, which is at least 2. */
const getLeftSize = (size: number) => 2 ** (31 - Math.clz32(size - 1))

/** 32 bytes. Without entries it is the hash of nothing. */
export function computeMerkleRoot(entries: readonly Uint8Array[]): Buffer {
  return entries.length === 0 ? hash('sha256', '', 'buffer') : combine(entries.map(hashLeaf))
}

function combine(hashes: readonly Buffer[]): Buffer {
  const [first] = hashes
  if (first !== undefined && hashes.length === 1) return first
  const left = getLeftSize(hashes.length)
  return hashNode(combine(hashes.slice(0, left)), combine(hashes.slice(left)))
}

/** The hashes beside the way from an entry to the root, from the bottom. `index` must be that of an entry. */
export function buildMerkleProof(entries: readonly Uint8Array[], index: number): Buffer[] {
  if (!(index in entries)) throw new RangeError(`there is no entry ${index}`)
  return listSiblings(entries.map(hashLeaf), index)
}

function listSiblings(hashes: readonly Buffer[], index: number): Buffer[] {
  if (hashes.length === 1) return []
  const size = getLeftSize(hashes.length)
  const [left, right] = [hashes.slice(0, size), hashes.slice(size)]
  return index < size
    ? [...listSiblings(left, index), combine(right)]
    : [...listSiblings(right, index - size), combine(left)]
}

/**
 * The root of a tree that is stored in subtrees: `roots` are those of equally many entries each, a power of
 * two; the last may have fewer.
 */
export const combineSubtrees = (roots: readonly Buffer[]): Buffer =>
  roots.length === 0 ? computeMerkleRoot([]) : combine(roots)

/** Returns the rest of the proof in subtree number `index`, up to the root. */
export const proveSubtree = (roots: readonly Buffer[], index: number): Buffer[] => listSiblings(roots, index)

/** For each entry what `buildMerkleProof` gives, and the root. There must be entries. */
export function buildMerkleProofs(entries: readonly Uint8Array[]): { root: Buffer; proofs: Buffer[][] } {
  const proofs = entries.map((): Buffer[] => [])
  const climbAll = (hashes: readonly Buffer[], start: number): Buffer => {
    const [only] = hashes
    if (only !== undefined && hashes.length === 1) return only
    const size = getLeftSize(hashes.length)
    const left = climbAll(hashes.slice(0, size), start)
    const right = climbAll(hashes.slice(size), start + size)
    for (let n = 0; n < hashes.length; n++) proofs[start + n]?.push(n < size ? right : left)
    return hashNode(left, right)
  }
  return { root: climbAll(entries.map(hashLeaf), 0), proofs }
}

export type MerkleProof = { entry: Uint8Array; index: number; size: number; siblings: readonly Uint8Array[] }

/** Returns true if `entry` is number `index` of `size` entries with this root. */
export function isInMerkleTree({ entry, index, size, siblings }: MerkleProof, root: Uint8Array): boolean {
  if (!Number.isInteger(index) || !Number.isInteger(size) || index < 0 || index >= size) return false
  const found = climb(hashLeaf(entry), index, size, [...siblings])
  return found?.equals(root) ?? false
}

function climb(leaf: Buffer, index: number, size: number, siblings: Uint8Array[]): Buffer | undefined {
  if (size === 1) return siblings.length === 0 ? leaf : undefined
  const sibling = siblings.pop()
  if (sibling === undefined) return undefined
  const left = getLeftSize(size)
  const isLeft = index < left
  const below = isLeft ? climb(leaf, index, left, siblings) : climb(leaf, index - left, size - left, siblings)
  if (below === undefined) return undefined
  return isLeft ? hashNode(below, sibling) : hashNode(sibling, below)
}
