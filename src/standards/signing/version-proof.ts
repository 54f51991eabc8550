/**
 * A file that proves when a version existed: the way from its entry to a daily Merkle root, and the time
 * stamp on that root.
 */
import type { X509Certificate } from 'node:crypto'
import { type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { formatName } from './cms-signature.ts'
import { isInMerkleTree } from './merkle-tree.ts'
import { malformed, SignatureError } from './signature-error.ts'
import { readTimeStampToken, verifyTimeStampSignature } from './timestamp.ts'
import { buildVersionEntry, ENTRY_FORMATS, type EntryFormat } from './version-entry.ts'

const FORMAT_NAME = 'carnet-version-proof/'

/** `until`: the versions in the tree were made before this time. */
export type ProvenVersion = {
  format: EntryFormat
  passportId: string
  /** Where the passport is now. Not in the tree, because a passport can move. */
  address: string
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

/** The checked facts, and the claims that the file makes besides. */
export type VersionProofFacts = {
  /** Null for a tree of format 1, which holds the commitment alone. */
  version: { passportId: string; versionNo: number } | null
  commitment: string
  root: string
  /** Null unless an authority that is trusted signed the time stamp. */
  stamp: { at: Date; authority: string } | null
  /** Members by their path. */
  notProven: Readonly<Record<string, unknown>>
}

/** `token` (DER): for a file without a time stamp. `authorities`: those whose time stamps are trusted. */
type StampOptions = { token?: Buffer | undefined; authorities?: readonly X509Certificate[] | undefined }

/**
 * Hashes in base64url, as `versionCommitment` in documents; the token in base64. In format 1 `passport` is
 * the address.
 */
export function buildVersionProof(proven: ProvenVersion): DataObject {
  const { format, passportId, address, versionNo, commitment, until, size, index, siblings, root } = proven
  return {
    format: FORMAT_NAME + format,
    ...(format === 1 ? { passport: address } : { passport: passportId, address }),
    versionNo,
    versionCommitment: commitment.toString('base64url'),
    tree: {
      until: until.toISOString(),
      size,
      index,
      siblings: siblings.map(one => one.toString('base64url')),
      root: root.toString('base64url'),
    },
    timeStamp: proven.token?.toString('base64') ?? null,
  }
}

/** Reads any format, also of one that is not known here. */
export const isVersionProof = (file: unknown): file is DataObject =>
  isObject(file) && typeof file.format === 'string' && file.format.startsWith(FORMAT_NAME)

/**
 * Throws SignatureError unless the version is in the tree and the time stamp is on its root. The date is
 * proven by a time stamp of one of `authorities`, and by nothing else.
 */
export function verifyVersionProof(file: DataObject, options: StampOptions = {}): VersionProofFacts {
  const { format, passport, address, versionNo, tree, ...others } = readMembers(file)
  const { versionCommitment, timeStamp, ...unknown } = others
  const { index, size, until, siblings, root: rootText, ...unknownInTree } = tree
  const commitment = readHash(versionCommitment)
  const root = readHash(rootText)
  const entry = buildVersionEntry(format, { passportId: passport, versionNo, commitment })
  const place = { index: Number(index), size: Number(size), siblings: readList(siblings).map(readHash) }
  if (!isInMerkleTree({ entry, ...place }, root)) {
    throw new SignatureError('altered', 'This version is not in the tree of that root.')
  }
  const stamp = readStamp(readToken(timeStamp) ?? options.token, root, options.authorities)
  const said = format === 1 ? { passport, versionNo } : { address }
  // Trees of several sizes can have the same way to the root, so the place in the tree is not proven either.
  const notProven = {
    ...said,
    ...prefixNames({ until, size, index, ...unknownInTree }, 'tree.'),
    timeStamp: stamp === undefined ? 'none' : stamp.authority === null ? stamp.at.toISOString() : undefined,
    ...unknown,
  }
  return {
    version: format === 1 ? null : { passportId: passport, versionNo },
    commitment: commitment.toString('base64url'),
    root: root.toString('hex'),
    stamp: stamp?.authority == null ? null : { at: stamp.at, authority: stamp.authority },
    notProven: Object.fromEntries(Object.entries(notProven).filter(([, value]) => value !== undefined)),
  }
}

type ProofMembers = DataObject & {
  format: EntryFormat
  passport: string
  versionNo: number
  tree: DataObject
  timeStamp: string | null
}

/** Throws `malformed` if one of the members is missing or of another type, and for another format. */
function readMembers(file: DataObject): ProofMembers {
  const { format: name, passport, address, versionNo, tree, timeStamp } = file
  const format = ENTRY_FORMATS.find(one => name === FORMAT_NAME + one)
  if (format === undefined) throw malformed('The proof is of a format that is not known here.')
  const hasAddress = format === 1 ? address === undefined : typeof address === 'string'
  if (typeof passport !== 'string' || typeof versionNo !== 'number' || !hasAddress) throw unreadable()
  if (!isObject(tree) || typeof tree.until !== 'string' || !Number.isInteger(Date.parse(tree.until)))
    throw unreadable()
  if (typeof tree.index !== 'number' || typeof tree.size !== 'number') throw unreadable()
  if (timeStamp !== null && typeof timeStamp !== 'string') throw unreadable()
  return { ...file, format, passport, address, versionNo, tree, timeStamp }
}

/** `authority`: null if it was not checked who signed. */
function readStamp(
  token: Buffer | undefined,
  root: Buffer,
  authorities: readonly X509Certificate[] | undefined,
): { at: Date; authority: string | null } | undefined {
  if (token === undefined) return undefined
  const at = readTimeStampToken(token, root)
  const signer = authorities && verifyTimeStampSignature(token, root, authorities)
  return { at, authority: signer === undefined ? null : formatName(signer) }
}

const prefixNames = (members: DataObject, prefix: string): DataObject =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [prefix + name, value]))

function readToken(timeStamp: string | null): Buffer | undefined {
  if (timeStamp === null) return undefined
  const token = Buffer.from(timeStamp, 'base64')
  if (token.toString('base64') !== timeStamp) throw unreadable()
  return token
}

function readList(siblings: unknown): unknown[] {
  if (!Array.isArray(siblings)) throw unreadable()
  return siblings
}

function readHash(text: unknown): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64url') : undefined
  if (bytes?.length !== 32 || bytes.toString('base64url') !== text) throw unreadable()
  return bytes
}

const unreadable = () => malformed('The proof lacks a member, or one cannot be read.')
