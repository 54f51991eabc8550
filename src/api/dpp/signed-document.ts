/**
 * Signs documents of EN 18223 for accounts that have switched signing on. Signatures of public documents are
 * stored; what only one reader may see is signed for that answer.
 */
import { findIssuerByName, getSecretIssuer, type SecretIssuer } from '../../accounts/issuer/issuer.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { DataObject } from '../../kernel/data-object.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { idFromUuid } from '../../kernel/ids.ts'
import type { SecretCipher } from '../../kernel/secret-cipher.ts'
import type { PassportRow } from '../../passports/core/record.ts'
import { getOrCreateSignature } from '../../passports/signed/signatures.ts'
import { readVersionHash } from '../../passports/signed/version-hash.ts'
import { addProof, hashForProof } from '../../standards/signing/data-integrity.ts'
import { buildDidDocument, createIssuerDid } from '../../standards/signing/did-document.ts'
import { createSigner } from '../../standards/signing/p256.ts'
import { commitToVersion, deriveCommitmentSalt } from '../../standards/signing/version-commitment.ts'
import { DPP_PREFIX } from './parse-target.ts'

export type SigningSetup = {
  sql: Sql
  clock: Clock
  secretCipher: SecretCipher
  addresses: { publicUrl: string }
}

/** `shard`: where the passport is; null: the shared database. */
type PlacedPassport = Pick<PassportRow, 'id' | 'account_id'> & { shard: number | null }

/** The account's issuer if it signs and its key is readable; else undefined. */
export async function findSigningIssuer(
  { sql, clock, secretCipher }: SigningSetup,
  accountId: number,
): Promise<SecretIssuer | undefined> {
  const issuer = await getSecretIssuer(sql, secretCipher, accountId, clock.now())
  return issuer?.isSigning && issuer.signingKey !== undefined ? issuer : undefined
}

export const getDid = ({ addresses }: SigningSetup, { name }: SecretIssuer): string =>
  createIssuerDid(addresses.publicUrl, name)

/** The commitment to a version; null if its key cannot be decrypted. */
export async function commitToRow(
  { sql }: SigningSetup,
  { commitKey }: SecretIssuer,
  row: PlacedPassport & Pick<PassportRow, 'version_no'>,
): Promise<string | null> {
  const hash = commitKey && (await readVersionHash(sql, row, row.shard))
  if (commitKey === undefined || hash === undefined) return null
  return commitToVersion(deriveCommitmentSalt(commitKey, idFromUuid(row.id), row.version_no), hash)
}

/** The DID document of an issuer by the last part of its DID; undefined for an unknown one. */
export async function buildIssuerDocument(
  { sql, addresses }: Pick<SigningSetup, 'sql' | 'addresses'>,
  name: string,
) {
  const issuer = await findIssuerByName(sql, name)
  if (issuer === undefined) return undefined
  const keys = issuer.keys.map(({ number, x, y, revokedAt }) => ({
    ...{ name: `key-${number}`, revokedAt },
    publicJwk: { kty: 'EC' as const, crv: 'P-256' as const, x, y },
  }))
  const passportsUrl = addresses.publicUrl + DPP_PREFIX.replace(/\/v1$/, '')
  return buildDidDocument(createIssuerDid(addresses.publicUrl, name), keys, passportsUrl)
}

/** The document with its proof. `isPublic`: everybody may see all of it, so its signature is kept. */
export async function signDocument(
  setup: SigningSetup,
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
    },
    now,
    async () => JSON.stringify((await sign()).proof),
  )
  return { ...document, proof: JSON.parse(signature) }
}
