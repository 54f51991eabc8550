/** Commits to the hash chain in public, without letting anyone test guesses of restricted values. */
import { hash, hkdfSync } from 'node:crypto'

const SALT_BYTES = 32

/** The salt that an auditor gets beside the chain's hash. `commitKey` is the account's, 32 bytes. */
export function deriveCommitmentSalt(commitKey: Uint8Array, passportId: string, versionNo: number): Buffer {
  const info = `carnet version commitment v1|${passportId}|${versionNo}`
  return Buffer.from(hkdfSync('sha256', commitKey, '', info, SALT_BYTES))
}

/** `chainHash` is that of the version. Returns base64url. */
export const commitToVersion = (salt: Uint8Array, chainHash: Uint8Array): string =>
  hash('sha256', Buffer.concat([salt, chainHash]), 'base64url')
