/**
 * A file that proves when a version existed: the way from its commitment to a daily Merkle root, and the time
 * stamp on that root.
 */
import type { X509Certificate } from 'node:crypto'
import type { DataObject } from '../../kernel/data-object.ts'
import { isObject } from '../../kernel/data-object.ts'
import { formatName } from './cms-signature.ts'
import { isInMerkleTree } from './merkle-tree.ts'
import { malformed, SignatureError } from './signature-error.ts'
import { readTimeStampToken, verifyTimeStampSignature } from './timestamp.ts'

export const VERSION_PROOF_FORMAT = 'carnet-version-proof/1'

/** `until`: the versions in the tree were made before this time. */
export type ProvenVersion = {
  /** The address of the passport. */
  passport: string
  versionNo: number
  commitment: Buffer
  index: number
  size: number
  /** From the bottom of the tree to its top. */
  siblings: readonly Buffer[]
  root: Buffer
  until: Date
  /** A time stamp token of RFC 3161 over the root, DER; null without one. */
  token: Buffer | null
}

/** `stampedAt`: null without a time stamp. `authority`: null unless its signature was checked. */
export type VersionProofFacts = Pick<ProvenVersion, 'passport' | 'versionNo'> & {
  until: string
  root: string
  stampedAt: Date | null
  authority: string | null
}

/** `token` (DER): for a file without a time stamp. `authorities`: those whose time stamps are trusted. */
type StampOptions = { token?: Buffer | undefined; authorities?: readonly X509Certificate[] | undefined }

/** Hashes in base64url, as `versionCommitment` in documents; the token in base64. */
export const buildVersionProof = (proven: ProvenVersion): DataObject => ({
  format: VERSION_PROOF_FORMAT,
  passport: proven.passport,
  versionNo: proven.versionNo,
  versionCommitment: proven.commitment.toString('base64url'),
  tree: {
    until: proven.until.toISOString(),
    size: proven.size,
    index: proven.index,
    siblings: proven.siblings.map(one => one.toString('base64url')),
    root: proven.root.toString('base64url'),
  },
  timeStamp: proven.token?.toString('base64') ?? null,
})

export const isVersionProof = (file: unknown): file is DataObject =>
  isObject(file) && file.format === VERSION_PROOF_FORMAT

/**
 * Throws SignatureError unless the commitment is in the tree and the time stamp is on its root. Without
 * `authorities` it is not checked who signed the time stamp.
 */
export function verifyVersionProof(file: DataObject, options: StampOptions = {}): VersionProofFacts {
  const { passport, versionNo, tree, timeStamp } = file
  const isReadable = typeof passport === 'string' && typeof versionNo === 'number' && isObject(tree)
  if (!isReadable || typeof tree.until !== 'string' || !Array.isArray(tree.siblings)) throw unreadable()
  const { index, size, until } = tree
  if (typeof index !== 'number' || typeof size !== 'number') throw unreadable()
  const root = readHash(tree.root)
  const proof = {
    entry: readHash(file.versionCommitment),
    index,
    size,
    siblings: tree.siblings.map(readHash),
  }
  if (!isInMerkleTree(proof, root)) {
    throw new SignatureError('altered', 'The commitment to this version is not in the tree of that root.')
  }
  const { token = readToken(timeStamp), authorities } = options
  const stampedAt = token === undefined ? null : readTimeStampToken(token, root)
  const signer =
    token === undefined || authorities === undefined
      ? null
      : verifyTimeStampSignature(token, root, authorities)
  const authority = signer && formatName(signer)
  return { passport, versionNo, until, root: root.toString('hex'), stampedAt, authority }
}

const readToken = (timeStamp: unknown): Buffer | undefined =>
  typeof timeStamp === 'string' ? Buffer.from(timeStamp, 'base64') : undefined

function readHash(text: unknown): Buffer {
  if (typeof text !== 'string' || !/^[\w-]{43}$/.test(text)) throw unreadable()
  return Buffer.from(text, 'base64url')
}

const unreadable = () => malformed('The proof lacks a member, or one cannot be read.')
