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
  keyNumber: number
}

/** The signature that this document has; made by `sign` and stored if it has none yet. */
export async function getOrCreateSignature(
  sql: Sql,
  document: SignedDocument,
  now: Date,
  sign: () => Promise<string>,
): Promise<string> {
  const at = getShard(sql, document.shard)
  const found = await findSignature(at, document)
  if (found !== undefined) return found
  const { accountId, passportId, kind, hash, keyNumber } = document
  const signature = await sign()
  await at`
    insert into signed_document (account_id, passport_id, kind, document_hash, key_number, signature, created_at)
    values (${accountId}, ${passportId}, ${kind}, ${hash}, ${keyNumber}, ${signature}, ${now})
    on conflict do nothing`
  // Another process may have been first.
  return (await findSignature(at, document)) ?? signature
}

async function findSignature(
  sql: Sql,
  { accountId, passportId, kind, hash }: SignedDocument,
): Promise<string | undefined> {
  const [row] = await sql<{ signature: string }[]>`
    select signature from signed_document
    where passport_id = ${passportId} and kind = ${kind} and document_hash = ${hash} and account_id = ${accountId}`
  return row?.signature
}

/** Forgets what a revoked key has signed, so that it is signed anew when it is read next. */
export async function dropSignatures(ctx: AccountContext, keyNumber: number): Promise<void> {
  for (const { sql, accountId } of listAccountShards(ctx))
    await sql`delete from signed_document where account_id = ${accountId} and key_number = ${keyNumber}`
}
