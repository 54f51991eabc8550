/** Status lists as they were last signed: each signing gives another signature, and answers must not vary. */
import { findHome } from '../../accounts/account/account-shard.ts'
import type { Sql } from '../../kernel/db/database.ts'

export type StatusListForm = 'vc' | 'vc-jwt' | 'token' | 'message-vc' | 'message-vc-jwt'
export type ListPlace = { accountId: number; listNo: number; form: StatusListForm }
/** `bitsHash`: SHA-256 of the bits that are signed. `signedAt`: when they were read. */
export type SignedStatusList = { bitsHash: Buffer; keyNumber: number; signedAt: Date; signed: string }

export async function findSignedList(sql: Sql, place: ListPlace): Promise<SignedStatusList | undefined> {
  const { sql: at } = await findHome(sql, place.accountId)
  return readSignedList(at, place)
}

async function readSignedList(
  sql: Sql,
  { accountId, listNo, form }: ListPlace,
): Promise<SignedStatusList | undefined> {
  const [row] = await sql<SignedStatusList[]>`
    select bits_hash as "bitsHash", key_number as "keyNumber", signed_at as "signedAt", signed
    from signed_status_list where account_id = ${accountId} and list_no = ${listNo} and form = ${form}`
  return row
}

/** Replaces `before`. If another process was first, returns what that has written. */
export async function replaceSignedList(
  sql: Sql,
  place: ListPlace,
  { before, next }: { before: SignedStatusList | undefined; next: SignedStatusList },
): Promise<SignedStatusList> {
  const { accountId, listNo, form } = place
  const { sql: at } = await findHome(sql, accountId)
  if (before !== undefined)
    await at`
      delete from signed_status_list
      where account_id = ${accountId} and list_no = ${listNo} and form = ${form} and signed = ${before.signed}`
  await at`
    insert into signed_status_list (account_id, list_no, form, bits_hash, key_number, signed_at, signed)
    values (${accountId}, ${listNo}, ${form}, ${next.bitsHash}, ${next.keyNumber}, ${next.signedAt}, ${next.signed})
    on conflict do nothing`
  return (await readSignedList(at, place)) ?? next
}
