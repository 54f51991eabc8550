/** Prepares the common part of the documents of one version: its reading, its publisher, and who signs it. */
import type { SecretIssuer } from '../../accounts/issuer/issuer.ts'
import type { Publisher, UndatedReading } from '../../standards/reading.ts'
import { buildReading } from '../read/build-reading.ts'
import { findDocumentFiles } from '../read/picture-files.ts'
import type { StatusPlace } from '../signed/credential-status.ts'
import { readChainedVersion } from '../signed/version-hash.ts'
import { getIssuerIdentity } from './issuer-identity.ts'
import type { DocumentAudience, PlacedRow, UnsignedSetup } from './setup.ts'
import { commitToHash, findSigningIssuer, getDid } from './sign-document.ts'

type PreparedReading = {
  reading: UndatedReading
  publisher: Publisher
  issuer: SecretIssuer | undefined
  place: StatusPlace | undefined
}

/**
 * `issuer` is undefined unless the account signs. `place` is undefined if looking up the version did not find
 * it. What follows from neither the row nor the issuer must not change while the process runs:
 * `signed-texts.ts` caches documents by these two.
 */
export async function prepareReading(
  setup: UnsignedSetup,
  row: PlacedRow,
  audience: DocumentAudience,
): Promise<PreparedReading> {
  const { addresses, nsUrl } = setup
  const issuer = await findSigningIssuer(setup, row.account_id)
  const version = issuer && (await readChainedVersion(setup.sql, row, row.shard))
  const versionCommitment =
    issuer === undefined || version === undefined ? null : commitToHash(issuer, row, version.hash)
  const did = issuer === undefined ? null : getDid(setup, issuer)
  const files = await findDocumentFiles(setup.sql, addresses, row)
  return {
    reading: { ...buildReading(addresses, row, audience, files), versionCommitment },
    publisher: {
      publicUrl: addresses.publicUrl,
      nsUrl,
      did,
      ...(issuer === undefined ? {} : { issuer: getIssuerIdentity(addresses, issuer) }),
    },
    issuer,
    place: version?.place,
  }
}
