/**
 * Signs documents for accounts that have switched signing on. Signatures of public documents are stored; what
 * only one reader may see is signed for that answer.
 */
import { hash as sha256 } from 'node:crypto'
import { getSecretIssuer, listRevokedKeys, type SecretIssuer } from '../../accounts/issuer/issuer.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import type { DataObject } from '../../kernel/values/data-object.ts'
import { addProof, hashForProof } from '../../standards/signing/data-integrity.ts'
import { createIssuerDid } from '../../standards/signing/did-document.ts'
import { createSigner, type Signer } from '../../standards/signing/p256.ts'
import { getSignaturePeriod } from '../../standards/signing/signature-period.ts'
import { commitToVersion, deriveCommitmentSalt } from '../../standards/signing/version-commitment.ts'
import { type DocumentKind, getOrCreateSignature } from '../signed/signatures.ts'
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

/** Throws `not_acceptable` if the account does not sign: some documents exist only signed. */
export async function requireSigningIssuer(setup: DocumentSetup, accountId: number): Promise<SecretIssuer> {
  const issuer = await findSigningIssuer(setup, accountId)
  if (issuer !== undefined) return issuer
  throw new AppError(
    'not_acceptable',
    'The account of this passport does not sign, so there is no credential of it. Ask for application/json.',
  )
}

/** When what is signed now expires. */
export const getSignatureEnd = ({
  clock,
  signatureDays,
}: Pick<DocumentSetup, 'clock' | 'signatureDays'>): Date => getSignaturePeriod(clock.now(), signatureDays).end

export const getDid = ({ addresses }: Pick<DocumentSetup, 'addresses'>, { name }: SecretIssuer): string =>
  createIssuerDid(addresses.publicUrl, name)

/** `hash` is that of the version in its chain. Null if the key of commitments cannot be decrypted. */
export const commitToHash = (
  { commitKey }: SecretIssuer,
  row: Pick<PlacedRow, 'id' | 'version_no'>,
  hash: Buffer,
): string | null =>
  commitKey === undefined
    ? null
    : commitToVersion(deriveCommitmentSalt(commitKey, idFromUuid(row.id), row.version_no), hash)

/** The newest key of the account. Undefined if it cannot be decrypted. */
export function findSigner(
  setup: Pick<DocumentSetup, 'addresses'>,
  issuer: SecretIssuer,
): { signer: Signer; keyNumber: number } | undefined {
  const { signingKey } = issuer
  if (signingKey === undefined) return undefined
  const { number: keyNumber, privateKey } = signingKey
  return { signer: createSigner(getDid(setup, issuer), `key-${keyNumber}`, privateKey), keyNumber }
}

/** The document with its proof. `isPublic`: everybody may see all of it, so its signature is kept. */
export async function signDocument(
  setup: DocumentSetup,
  issuer: SecretIssuer,
  passport: PlacedPassport,
  document: DataObject,
  isPublic: boolean,
): Promise<DataObject> {
  const found = findSigner(setup, issuer)
  if (found === undefined) return document
  if (!isPublic) {
    const now = setup.clock.now()
    return addProof(document, found.signer, now, getSignaturePeriod(now, setup.signatureDays).end)
  }
  return signOnce(setup, issuer, passport, { kind: 'en', document })
}

/** The document with the proof that is stored for it; signed now if there is none. */
export async function signOnce(
  setup: DocumentSetup,
  issuer: SecretIssuer,
  passport: PlacedPassport,
  { kind, document }: { kind: DocumentKind; document: DataObject },
): Promise<DataObject> {
  const hash = hashDocument(document)
  const proof = await getOrSign(setup, issuer, passport, {
    kind,
    hash,
    sign: async (signer, now, end) => JSON.stringify((await addProof(document, signer, now, end)).proof),
  })
  return { ...document, proof: JSON.parse(proof) }
}

/** SHA-256 of its canonical form. */
export const hashDocument = (document: DataObject): Buffer => hashForProof(document, {}).documentHash

/**
 * Returns the result of the first call of `sign` for this hash. It is called again in the next period, after
 * a change of `SIGNATURE_DAYS`, and if the key was revoked since. `end`: when the signature expires.
 */
export function getOrSign(
  setup: DocumentSetup,
  issuer: SecretIssuer,
  passport: PlacedPassport,
  {
    kind,
    hash,
    sign,
  }: {
    kind: DocumentKind
    hash: Buffer
    sign: (signer: Signer, now: Date, end: Date) => Promise<string>
  },
): Promise<string> {
  const found = findSigner(setup, issuer)
  if (found === undefined) throw new Error('broken assumption: an issuer that signs has a key')
  const now = setup.clock.now()
  const { start, end } = getSignaturePeriod(now, setup.signatureDays)
  const { account_id: accountId, id: passportId, shard } = passport
  const { keyNumber, signer } = found
  const revokedKeys = listRevokedKeys(issuer)
  return getOrCreateSignature(
    setup.sql,
    {
      accountId,
      passportId,
      shard,
      kind,
      keyNumber,
      revokedKeys,
      hash: sha256('sha256', Buffer.concat([hash, Buffer.from(end.toISOString())]), 'buffer'),
      outdatedBefore: start,
    },
    now,
    () => sign(signer, now, end),
  )
}
