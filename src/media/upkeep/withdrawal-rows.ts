/** Withdrawn files, and what was asked for, in the export of an account. */
import type { Sql } from '../../kernel/db/database.ts'

/** `kind`: p or d, as in `media`. */
export type WithdrawnLine = {
  id: string
  kind: string
  width: number | null
  was_public: boolean
  withdrawn_at: Date
  reason: string
}

/** `asked_by`: an actor. */
export type WithdrawalRequestLine = { media: string; reason: string; asked_at: Date; asked_by: number }

/** At the account's home. Few, because a person decides about each. */
export const exportWithdrawnMedia = (sql: Sql, accountId: number): Promise<WithdrawnLine[]> =>
  sql<WithdrawnLine[]>`
    select encode(id, 'hex') as id, kind, width, was_public, withdrawn_at, reason from withdrawn_media
    where account_id = ${accountId} order by id`

export const exportWithdrawalRequests = (sql: Sql, accountId: number): Promise<WithdrawalRequestLine[]> =>
  sql<WithdrawalRequestLine[]>`
    select encode(media_id, 'hex') as media, reason, asked_at, asked_by from withdrawal_request
    where account_id = ${accountId} order by media_id`

/** The new account has no objects of these files. */
export async function importWithdrawnMedia(
  sql: Sql,
  accountId: number,
  lines: readonly WithdrawnLine[],
): Promise<void> {
  await sql`
    insert into withdrawn_media (account_id, id, kind, width, was_public, withdrawn_at, reason, cleared_at)
    select ${accountId}, decode(r.id, 'hex'), r.kind, r.width, r.was_public, r.withdrawn_at, r.reason, r.withdrawn_at
    from jsonb_to_recordset(${JSON.stringify(lines)}::text::jsonb) as r(id text, kind "char", width int, was_public boolean,
      withdrawn_at timestamptz, reason text)`
}

export async function importWithdrawalRequests(
  sql: Sql,
  accountId: number,
  lines: readonly WithdrawalRequestLine[],
): Promise<void> {
  await sql`
    insert into withdrawal_request (account_id, media_id, reason, asked_at, asked_by)
    select ${accountId}, decode(r.media, 'hex'), r.reason, r.asked_at, r.asked_by
    from jsonb_to_recordset(${JSON.stringify(lines)}::text::jsonb) as r(media text, reason text, asked_at timestamptz, asked_by int)`
}
