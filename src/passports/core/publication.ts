/**
 * When a draft became a passport. The id, and so `created_at` and the hash of version 1, have the time of the
 * draft. The first status entry has the time of publication; that of other passports says "archived".
 */
import type { AccountContext } from '../../accounts/account/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { creationTime, type PassportRow } from './record.ts'

type Subject = Pick<PassportRow, 'id' | 'account_id'>

/** Call it in the transaction that creates the passport, on its shard. */
export async function recordPublication(
  { sql, accountId }: AccountContext,
  { id, created_by, updated_at }: PassportRow,
): Promise<void> {
  await sql`
    insert into passport_status (changed_at, account_id, changed_by, passport_id, status)
    values (${updated_at}, ${accountId}, ${created_by}, ${id}, 'a')`
}

/** SQL value for `passport_version v`: when readers could first see it. */
export const selectVersionTime = (sql: Sql, passport: Subject): Fragment => sql`
  case when v.version_no = 1 then coalesce(${selectPublicationTime(sql, passport)}, v.created_at) else v.created_at end`

/** SQL value: null for a passport that was no draft. */
const selectPublicationTime = (sql: Sql, { id, account_id }: Subject): Fragment => sql`
  (select case when s.status = 'a' then s.changed_at end from passport_status s
    where s.passport_id = ${id} and s.account_id = ${account_id} order by s.changed_at limit 1)`

/** When a passport appeared that is still at version 1. Most passports cost no statement. */
export async function readFirstTime(
  sql: Sql,
  passport: Subject & Pick<PassportRow, 'updated_at'>,
): Promise<Date> {
  const created = creationTime(passport.id)
  // Neither published later, nor archived since.
  if (passport.updated_at.getTime() === created.getTime()) return created
  const [row] = await sql<{ at: Date | null }[]>`select ${selectPublicationTime(sql, passport)} as at`
  return row?.at ?? created
}
