/** Accounts ask the operator to verify who they are; nothing changes until the operator does. */

import { idFromUuid, newUuid, parseId } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { audit } from '../account/audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../account/context.ts'
import type { CompanyIdentifier } from './company-identifiers.ts'
import { type AccountIdentity, describeIdentity } from './identity.ts'

/** In characters, on one line. The operator's reason has the same limit. */
export const MAX_REQUEST_NOTE_LENGTH = 500

export type VerificationRequest = {
  /** Another one for each request, so that an answer never meets a request that its author has not seen. */
  id: string
  identity: AccountIdentity
  note: string
  askedAt: Date
  /** Undefined while the operator has not answered. An approved request is deleted. */
  declined: { at: Date; reason: string } | undefined
}

type Row = {
  id: string
  legalName: string
  identifiers: CompanyIdentifier[]
  names: string[]
  note: string
  askedAt: Date
  declinedAt: Date | null
  reason: string | null
}

const selectColumns = (sql: Sql) => sql`
  r.id, r.legal_name as "legalName", r.identifiers, r.names, r.note, r.asked_at as "askedAt",
  r.declined_at as "declinedAt", r.decline_reason as reason`

const readRow = ({ id, legalName, identifiers, names, note, askedAt, declinedAt, reason }: Row) => ({
  id: idFromUuid(id),
  identity: { legalName, identifiers, names },
  note,
  askedAt,
  declined: declinedAt === null ? undefined : { at: declinedAt, reason: reason ?? '' },
})

/** The account's latest request, unless it was approved. */
export async function findVerificationRequest({
  sql,
  accountId,
}: Pick<AccountContext, 'sql' | 'accountId'>): Promise<VerificationRequest | undefined> {
  const [row] = await sql<Row[]>`
    select ${selectColumns(sql)} from verification_request r where r.account_id = ${accountId}`
  return row && readRow(row)
}

/** Replaces the account's request. Returns whether the operator had answered the previous one. */
export function askForVerification(
  ctx: AccountContext,
  { identity, note }: { identity: AccountIdentity; note: string },
): Promise<{ isNew: boolean }> {
  return withTransaction(ctx, async tx => {
    const { sql, accountId, actorId, clock } = tx
    const before = await findVerificationRequest(tx)
    const now = clock.now()
    await sql`
      insert into verification_request (account_id, id, legal_name, identifiers, names, note, asked_at, asked_by)
      values (${accountId}, ${newUuid(now.getTime())}, ${identity.legalName}, ${JSON.stringify(identity.identifiers)}::text::jsonb,
        ${JSON.stringify(identity.names)}::text::jsonb, ${note}, ${now}, ${actorId})
      on conflict (account_id) do update set id = excluded.id, legal_name = excluded.legal_name,
        identifiers = excluded.identifiers, names = excluded.names, note = excluded.note, asked_at = excluded.asked_at,
        asked_by = excluded.asked_by, declined_at = null, decline_reason = null`
    await audit(tx, 'verification_asked', describeIdentity(identity))
    return { isNew: before === undefined || before.declined !== undefined }
  })
}

/** Throws `not_found` unless the request is open: it was answered or replaced meanwhile. */
export function declineVerification(
  ctx: AccountContext,
  { request, reason }: { request: string; reason: string },
): Promise<AccountIdentity> {
  return withTransaction(ctx, async tx => {
    const { sql, accountId, clock } = tx
    const [declined] = await sql<AccountIdentity[]>`
      update verification_request set declined_at = ${clock.now()}, decline_reason = ${reason}
      where account_id = ${accountId} and id = ${requireRequestId(request)} and declined_at is null
      returning legal_name as "legalName", identifiers, names`
    if (declined === undefined) throw notFound('request')
    await audit(tx, 'verification_declined', `${declined.legalName}: ${reason}`)
    return declined
  })
}

/** An owner no longer asks. Throws `not_found` unless the request is open. */
export const withdrawVerificationRequest = (ctx: AccountContext, request: string): Promise<void> =>
  withTransaction(ctx, async tx =>
    audit(tx, 'verification_request_withdrawn', describeIdentity(await takeVerificationRequest(tx, request))),
  )

/** Deletes an open request, in the transaction that approves or withdraws it. Throws `not_found`. */
export async function takeVerificationRequest(
  { sql, accountId }: AccountContext,
  request: string,
): Promise<AccountIdentity> {
  const [taken] = await sql<AccountIdentity[]>`
    delete from verification_request
    where account_id = ${accountId} and id = ${requireRequestId(request)} and declined_at is null
    returning legal_name as "legalName", identifiers, names`
  if (taken === undefined) throw notFound('request')
  return taken
}

/** Deletes the account's request, open or declined: the operator has approved something without it. */
export async function closeVerificationRequest({ sql, accountId }: AccountContext): Promise<void> {
  await sql`delete from verification_request where account_id = ${accountId}`
}

function requireRequestId(text: string): string {
  const id = parseId(text)
  if (id === undefined) throw notFound('request')
  return id
}

export type ListedRequest = VerificationRequest & { account: number; name: string }

const MAX_LISTED = 1_000

/** For the operator: the open requests of all accounts that are not closed, oldest first. */
export async function listVerificationRequests({ sql }: OperatorContext): Promise<ListedRequest[]> {
  const rows = await sql<ListedRow[]>`
    ${selectOpen(sql)} order by r.asked_at, r.account_id limit ${MAX_LISTED}`
  return rows.map(readListed)
}

/** For the operator: an open request of any account. Throws `not_found` for text that cannot be an id. */
export async function findOpenRequest(
  { sql }: OperatorContext,
  request: string,
): Promise<ListedRequest | undefined> {
  const [row] = await sql<ListedRow[]>`${selectOpen(sql)} and r.id = ${requireRequestId(request)}`
  return row && readListed(row)
}

type ListedRow = Row & { account: number; name: string }

const selectOpen = (sql: Sql) => sql`
  select r.account_id as account, a.name, ${selectColumns(sql)}
  from verification_request r join account a on a.id = r.account_id
  where r.declined_at is null and a.closed_at is null`

const readListed = ({ account, name, ...row }: ListedRow): ListedRequest => ({
  account,
  name,
  ...readRow(row),
})
