/** Builds the UNTP credentials of a passport: what everybody may see of it, signed by its account. */
import type { SecretIssuer } from '../../accounts/issuer/issuer.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { signVcJwt } from '../../standards/signing/credential.ts'
import { buildUntpCredential, listMissingForUntp } from '../../standards/untp/untp-0.7.0.ts'
import { buildReading } from '../read/build-reading.ts'
import { findDocumentFiles } from '../read/picture-files.ts'
import { readChainedVersion } from '../signed/version-hash.ts'
import { getIssuerIdentity } from './issuer-identity.ts'
import type { DocumentSetup, PlacedRow } from './setup.ts'
import {
  commitToHash,
  getDid,
  getOrSign,
  getSignatureEnd,
  hashDocument,
  requireSigningIssuer,
  signOnce,
} from './sign-document.ts'
import { requireStatus } from './status-place.ts'

/**
 * With an embedded proof. Throws `not_acceptable` if the account does not sign, or if the passport lacks what
 * UNTP requires.
 */
export async function createVc(setup: DocumentSetup, row: PlacedRow): Promise<DataObject> {
  const { issuer, credential } = await createUnsigned(setup, row)
  return signOnce(setup, issuer, row, { kind: 'vc', document: credential })
}

/** As `vc+jwt`. Throws as `createVc` does. */
export async function createVcJwt(setup: DocumentSetup, row: PlacedRow): Promise<string> {
  const { issuer, credential } = await createUnsigned(setup, row)
  return getOrSign(setup, issuer, row, {
    kind: 'vc-jwt',
    hash: hashDocument(credential),
    sign: signer => signVcJwt(credential, signer),
  })
}

async function createUnsigned(
  setup: DocumentSetup,
  row: PlacedRow,
): Promise<{ issuer: SecretIssuer; credential: DataObject }> {
  const { sql, addresses, nsUrl } = setup
  const issuer = await requireSigningIssuer(setup, row.account_id)
  const undated = buildReading(addresses, row, 'public', await findDocumentFiles(sql, addresses, row))
  requireNoneMissing(listMissingForUntp(undated))
  const version = await readChainedVersion(sql, row, row.shard)
  if (version === undefined) throw new AppError('not_found', 'The passport has no such version.')
  const versionCommitment = commitToHash(issuer, row, version.hash)
  const status = await requireStatus(setup, issuer, row, version.place)
  const result = buildUntpCredential({
    reading: {
      ...undated,
      signedStatus: status.signedStatus,
      changedAt: version.createdAt,
      versionCommitment,
    },
    publisher: {
      publicUrl: addresses.publicUrl,
      nsUrl,
      did: getDid(setup, issuer),
      issuer: getIssuerIdentity(addresses, issuer),
    },
    status,
    validUntil: getSignatureEnd(setup),
  })
  if ('missing' in result) requireNoneMissing(result.missing)
  if (!('credential' in result)) throw new Error('broken assumption: what is missing is never empty')
  return { issuer, credential: result.credential }
}

function requireNoneMissing(paths: readonly string[]): void {
  if (paths.length === 0) return
  throw new AppError(
    'not_acceptable',
    `This passport has no UNTP credential, because it lacks ${paths.join(', ')}, which everybody must be able to see. Add it, or ask for application/json.`,
  )
}
