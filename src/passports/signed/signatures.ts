/**
 * Stored signatures of public documents. A document is signed when it is first read; every signing gives
 * another signature, so the first is kept and the document does not change until its content does.
 */
import { listAccountShards } from '../../accounts/account-shard.ts'
import type { AccountContext } from '../../accounts/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'

export type DocumentKind = 'en' | 'vc' | 'vc-jwt' | 'sd-jwt'

/** What is signed. `hash`: SHA-256 of the document without its signature. */
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
  /** What these keys have signed is never used: it proves nothing. */
  revokedKeys: readonly number[]
}

/** The signature that this document has; made by `sign` and stored if it has none that is still valid. */
export async function getOrCreateSignature(
  sql: Sql,
  document: SignedDocument,
  now: Date,
  sign: () => Promise<string>,
): Promise<string> {
  const at = getShard(sql, document.shard)
  const found = await findSignature(at, document)
  if (found !== undefined && !found.isRevoked) return found.signature
  const { accountId, passportId, kind, hash, keyNumber, revokedKeys } = document
  const signature = await sign()
  // Either the revoking command has not come that far, or another process did not know of it yet.
  if (found?.isRevoked) {
    await at`
      delete from signed_document
      where passport_id = ${passportId} and kind = ${kind} and document_hash = ${hash} and account_id = ${accountId}
        and key_number = any(${[...revokedKeys]}::int[])`
  }
  await at`
    insert into signed_document (account_id, passport_id, kind, document_hash, key_number, signature, created_at)
    values (${accountId}, ${passportId}, ${kind}, ${hash}, ${keyNumber}, ${signature}, ${now})
    on conflict do nothing`
  // Another process may have been first.
  const stored = await findSignature(at, document)
  return stored === undefined || stored.isRevoked ? signature : stored.signature
}

async function findSignature(
  sql: Sql,
  { accountId, passportId, kind, hash, revokedKeys }: SignedDocument,
): Promise<{ signature: string; isRevoked: boolean } | undefined> {
  const [row] = await sql<{ signature: string; key_number: number }[]>`
    select signature, key_number from signed_document
    where passport_id = ${passportId} and kind = ${kind} and document_hash = ${hash} and account_id = ${accountId}`
  return row && { signature: row.signature, isRevoked: revokedKeys.includes(row.key_number) }
}

/** Deletes what a revoked key has signed. Nobody gets it any more in any case: this only frees the space. */
export async function dropSignatures(ctx: AccountContext, keyNumber: number): Promise<void> {
  for (const { sql, accountId } of listAccountShards(ctx))
    await sql`delete from signed_document where account_id = ${accountId} and key_number = ${keyNumber}`
}
