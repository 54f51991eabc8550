/** Finds what proves when a version existed: its place in a daily Merkle tree. */
import { findHome } from '../../accounts/account/account-shard.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError, notFound } from '../../kernel/errors/errors.ts'
import type { ProvenVersion } from '../../standards/signing/version-proof.ts'
import { passportUrl } from '../core/record.ts'
import { findPublicPassport } from '../read/find.ts'
import { findVersionProof } from '../signed/daily-roots.ts'
import { explainCommitment } from './explain-commitment.ts'
import type { DocumentSetup } from './setup.ts'

/**
 * By default for the current version. Throws `not_found`, also before the night in which its tree is made.
 */
export async function proveVersion(
  setup: Pick<DocumentSetup, 'sql' | 'secretCipher' | 'addresses'>,
  uuid: string,
  version?: number,
): Promise<ProvenVersion> {
  const row = await findPublicPassport(setup.sql, uuid)
  if (row === undefined) throw notFound('passport')
  const { version_no: versionNo, commitment } = await explainCommitment(setup, uuid, version)
  const { sql } = await findHome(setup.sql, row.account_id)
  const proof = await findVersionProof(
    { sql, accountId: row.account_id },
    { passport: uuid, versionNo, commitment: Buffer.from(commitment, 'base64url') },
  )
  if (proof === undefined) {
    throw new AppError(
      'not_found',
      'This version is in no daily tree yet. It is made an hour after midnight UTC.',
    )
  }
  const passportId = idFromUuid(uuid)
  return { ...proof, passportId, address: passportUrl(setup.addresses, passportId) }
}
