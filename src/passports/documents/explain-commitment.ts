/** Explains the commitment to a version to an auditor: its hash in the chain, and the salt. */
import { findSecretIssuer } from '../../accounts/issuer/issuer.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import { commitToVersion, deriveCommitmentSalt } from '../../standards/signing/version-commitment.ts'
import { findPublicPassport } from '../read/find.ts'
import { readVersionHash } from '../signed/version-hash.ts'
import type { DocumentSetup } from './setup.ts'

/** Hash and salt in hex, the commitment in base64url as in documents. */
export type ExplainedCommitment = { version_no: number; hash: string; salt: string; commitment: string }

/** By default for the current version. Throws `not_found`; `validation` if the commit key is unreadable. */
export async function explainCommitment(
  { sql, secretCipher }: Pick<DocumentSetup, 'sql' | 'secretCipher'>,
  uuid: string,
  versionNo?: number,
): Promise<ExplainedCommitment> {
  const row = await findPublicPassport(sql, uuid)
  if (row === undefined) throw notFound('passport')
  const version_no = versionNo ?? row.version_no
  const hash = await readVersionHash(sql, { ...row, version_no }, row.shard)
  if (hash === undefined) throw notFound('version')
  const issuer = await findSecretIssuer(sql, secretCipher, row.account_id)
  if (issuer === undefined) {
    throw new AppError('not_found', 'The account has never signed, so there are no commitments.')
  }
  if (issuer.commitKey === undefined) {
    throw new AppError(
      'validation',
      'The account’s key for commitments was encrypted with another SECRET_KEY. Set that key as OLD_SECRET_KEY.',
    )
  }
  const salt = deriveCommitmentSalt(issuer.commitKey, idFromUuid(uuid), version_no)
  return {
    version_no,
    hash: hash.toString('hex'),
    salt: salt.toString('hex'),
    commitment: commitToVersion(salt, hash),
  }
}
