/**
 * Signs documents of EN 18223 for accounts that have switched signing on. Signatures of public documents are
 * stored; what only one reader may see is signed for that answer.
 */
import { getSecretIssuer, listRevokedKeys, type SecretIssuer } from '../../accounts/issuer/issuer.ts'
import type { DataObject } from '../../kernel/data-object.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import { addProof, hashForProof } from '../../standards/signing/data-integrity.ts'
import { createIssuerDid } from '../../standards/signing/did-document.ts'
import { createSigner } from '../../standards/signing/p256.ts'
import { commitToVersion, deriveCommitmentSalt } from '../../standards/signing/version-commitment.ts'
import { getOrCreateSignature } from '../signed/signatures.ts'
import { readVersionHash } from '../signed/version-hash.ts'
import type { DocumentSetup, PlacedRow } from './setup.ts'

type PlacedPassport = Pick<PlacedRow, 'id' | 'account_id' | 'shard'>

/** The account's issuer if it signs and its key is readable; else undefined. */
export async function findSigningIssuer(
  { sql, clock, secretCipher }: Pick<DocumentSetup, 'sql' | 'clock' | 'secretCipher'>,
  accountId: number,
): Promise<SecretIssuer | undefined> {
  const issuer = await getSecretIssuer(sql, secretCipher, accountId, clock.now())
  return issuer?.isSigning && issuer.signingKey !== undefined ? issuer : undefined
}

export const getDid = ({ addresses }: Pick<DocumentSetup, 'addresses'>, { name }: SecretIssuer): string =>
  createIssuerDid(addresses.publicUrl, name)

/** The commitment to a version; null if its key cannot be decrypted. */
export async function commitToRow(
  { sql }: DocumentSetup,
  { commitKey }: SecretIssuer,
  row: PlacedPassport & Pick<PlacedRow, 'version_no'>,
): Promise<string | null> {
  const hash = commitKey && (await readVersionHash(sql, row, row.shard))
  if (commitKey === undefined || hash === undefined) return null
  return commitToVersion(deriveCommitmentSalt(commitKey, idFromUuid(row.id), row.version_no), hash)
}

/** The document with its proof. `isPublic`: everybody may see all of it, so its signature is kept. */
export async function signDocument(
  setup: DocumentSetup,
  issuer: SecretIssuer,
  passport: PlacedPassport,
  document: DataObject,
  isPublic: boolean,
): Promise<DataObject> {
  const { signingKey } = issuer
  if (signingKey === undefined) return document
  const keyName = `key-${signingKey.number}`
  const signer = createSigner(getDid(setup, issuer), keyName, signingKey.privateKey)
  const now = setup.clock.now()
  const sign = () => addProof(document, signer, now)
  if (!isPublic) return sign()
  const signature = await getOrCreateSignature(
    setup.sql,
    {
      accountId: passport.account_id,
      passportId: passport.id,
      shard: passport.shard,
      kind: 'en',
      hash: hashForProof(document, {}).documentHash,
      keyNumber: signingKey.number,
      revokedKeys: listRevokedKeys(issuer),
    },
    now,
    async () => JSON.stringify((await sign()).proof),
  )
  return { ...document, proof: JSON.parse(signature) }
}
