/**
 * Builds a passport as an SD-JWT VC: one stored signature over all declared fields of a version, of which
 * each reader gets what its audience may see.
 */
import type { SecretIssuer } from '../../accounts/issuer/issuer.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { buildEnDocument, buildRecordMembers } from '../../standards/en18223/document.ts'
import { buildHeader } from '../../standards/en18223/header.ts'
import { PASSPORT_RECORD } from '../../standards/en18223/names.ts'
import type { SignedStatus } from '../../standards/reading.ts'
import { signJws } from '../../standards/signing/jws.ts'
import { buildSdJwt, presentSdJwt, SD_JWT } from '../../standards/signing/sd-jwt.ts'
import { buildReading } from '../read/build-reading.ts'
import { findDocumentFiles } from '../read/picture-files.ts'
import { getIssuerAddress } from './issuer-document.ts'
import { getIssuerIdentity } from './issuer-identity.ts'
import type { DocumentAudience, DocumentSetup, PlacedRow } from './setup.ts'
import { getDid, getOrSign, getSignatureEnd, hashDocument, requireSigningIssuer } from './sign-document.ts'
import { requireStatus } from './status-place.ts'

/** Throws `not_acceptable` if the account does not sign. */
export async function createSdJwt(
  setup: DocumentSetup,
  row: PlacedRow,
  audience: DocumentAudience,
): Promise<string> {
  const issuer = await requireSigningIssuer(setup, row.account_id)
  const { commitKey } = issuer
  if (commitKey === undefined) {
    throw new AppError('not_acceptable', 'The keys of this account cannot be read. Ask for application/json.')
  }
  const { index, tokenListUrl, signedStatus } = await requireStatus(setup, issuer, row)
  const { header: open, data, fields, type } = await readParts(setup, row, issuer, signedStatus)
  const { name: issuerName, isVerified: issuerVerified } = getIssuerIdentity(setup.addresses, issuer)
  const header = { ...open, issuerName, issuerVerified }
  const build = (issuedAt: Date, expiresAt: Date) =>
    buildSdJwt({
      issuer: getIssuerAddress(setup.addresses, issuer.name),
      issuedAt,
      expiresAt,
      type,
      header,
      fields,
      data,
      commitKey,
      passportId: idFromUuid(row.id),
      versionNo: row.version_no,
      status: { listUrl: tokenListUrl, index },
    })
  const { payload, disclosures } = build(setup.clock.now(), getSignatureEnd(setup))
  // Neither the time of signing nor its end is what is signed: the stored signature has its own.
  const { iat: _, exp: __, ...stable } = payload
  const jwt = await getOrSign(setup, issuer, row, {
    kind: 'sd-jwt',
    hash: hashDocument(stable),
    sign: (signer, at, end) => signJws(build(at, end).payload, SD_JWT, signer),
  })
  return presentSdJwt(jwt, disclosures, audience)
}

/** The header is the public's: every reader gets it. */
async function readParts(
  { sql, addresses, nsUrl }: DocumentSetup,
  row: PlacedRow,
  issuer: SecretIssuer,
  signedStatus: SignedStatus,
) {
  const files = await findDocumentFiles(sql, addresses, row)
  const publisher = {
    publicUrl: addresses.publicUrl,
    nsUrl,
    did: getDid({ addresses }, issuer),
    issuer: getIssuerIdentity(addresses, issuer),
  }
  const [all, open] = (['owner', 'public'] as const).map(audience => ({
    ...buildReading(addresses, row, audience, files),
    versionCommitment: null,
    signedStatus,
  }))
  if (all === undefined || open === undefined) throw new Error('broken assumption: both are built')
  const { fields } = all.category
  const { '@context': _, ...members } = buildHeader(open, publisher)
  const header = { ...members, [PASSPORT_RECORD]: buildRecordMembers(open, publisher) }
  const document = buildEnDocument(all, publisher)
  const data: DataObject = Object.fromEntries(
    fields.flatMap(({ name }) => (Object.hasOwn(document, name) ? [[name, document[name]]] : [])),
  )
  return { header, data, fields, type: `${nsUrl}/types/${all.category.id}/v${all.schemaVersion}` }
}
