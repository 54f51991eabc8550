/**
 * Stored signatures of public documents. A document is signed when it is first read; every signing gives
 * another signature, so the first is kept and the document does not change until its content does.
 */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'

export type DocumentKind = 'en' | 'vc' | 'vc-jwt' | 'sd-jwt'

/** A signed document. `hash`: SHA-256 of the document without its signature, and of when that expires. */
export type SignedDocument = {
  accountId: number
  /** A UUID. */
  passportId: string
  /** Where the passport is. */
  shard: number | null
  kind: DocumentKind
  hash: Buffer
  /** The key that signs it if it has no signature. */
  keyNumber: number
  /** Signatures of these keys are never used: they prove nothing. */
  revokedKeys: readonly number[]
  /** Signatures of before this time have expired, or are never used again. */
  outdatedBefore: Date
}

/** Processes that do not know each other's keys yet may store one after the other. */
const MAX_ATTEMPTS = 3

/** The signature that this document has; made by `sign` and stored if it has none that is still valid. */
export async function getOrCreateSignature(
  sql: Sql,
  document: SignedDocument,
  now: Date,
  sign: () => Promise<string>,
): Promise<string> {
  const at = getShard(sql, document.shard)
  const { accountId, passportId, kind, hash, keyNumber, revokedKeys } = document
  let signature = ''
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await findSignature(at, document)
    if (found !== undefined && !found.isRevoked) return found.signature
    if (signature === '') signature = await sign()
    // Either the revoking command has not come that far, or another process did not know of it yet.
    if (found?.isRevoked) {
      await at`
        delete from signed_document
        where passport_id = ${passportId} and kind = ${kind} and document_hash = ${hash} and account_id = ${accountId}
          and key_number = any(${[...revokedKeys]}::int[])`
    }
    const stored = await at`
      insert into signed_document (account_id, passport_id, kind, document_hash, key_number, signature, created_at)
      values (${accountId}, ${passportId}, ${kind}, ${hash}, ${keyNumber}, ${signature}, ${now})
      on conflict do nothing`
    if (stored.count === 0) continue
    await deleteOutdated(at, document)
    return signature
  }
  return signature
}

/** Only of the same passport, so that their number does not grow with each period. */
const deleteOutdated = (sql: Sql, { accountId, passportId, kind, outdatedBefore }: SignedDocument) =>
  sql`
    delete from signed_document
    where passport_id = ${passportId} and kind = ${kind} and account_id = ${accountId} and created_at < ${outdatedBefore}`

type Found = { signature: string; isRevoked: boolean }

async function findSignature(sql: Sql, document: SignedDocument): Promise<Found | undefined> {
  const row = await loaders(sql)(document)
  return row && { signature: row.signature, isRevoked: document.revokedKeys.includes(row.key_number) }
}

type Stored = { signature: string; key_number: number }

const loaders = perDatabase((sql: Sql) => createBatchLoader(readSignatures(sql)))

const readSignatures =
  (sql: Sql) =>
  async (documents: readonly SignedDocument[]): Promise<(Stored | undefined)[]> => {
    const rows = await sql<(Stored & { n: number })[]>`
      select k.n::int, s.signature, s.key_number
      from unnest(${documents.map(one => one.passportId)}::text[]::uuid[], ${documents.map(one => one.kind)}::text[],
        ${documents.map(({ hash }) => hash.toString('hex'))}::text[], ${documents.map(one => one.accountId)}::int[])
        with ordinality as k(passport_id, kind, hash, account_id, n)
      join signed_document s on s.passport_id = k.passport_id and s.kind = k.kind
        and s.document_hash = decode(k.hash, 'hex') and s.account_id = k.account_id`
    const found = new Map(rows.map(({ n, ...row }) => [n, row]))
    return documents.map((_, i) => found.get(i + 1))
  }

/** Deletes what a revoked key has signed. Nobody gets it any more in any case: this only frees the space. */
export async function dropSignatures(ctx: AccountContext, keyNumber: number): Promise<void> {
  for (const { sql, accountId } of listAccountShards(ctx))
    await sql`delete from signed_document where account_id = ${accountId} and key_number = ${keyNumber}`
}
