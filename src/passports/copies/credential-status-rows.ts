/** Exports and imports where the credentials of an account stand in its status lists. */
import type { Sql } from '../../kernel/db/database.ts'
import { invalidInput } from '../../kernel/errors/errors.ts'
import { STATUS_LIST_LENGTH } from '../../standards/signing/status-list.ts'

/** `list_index` is from 0. `last_version` and `revoked_at` are null unless it was revoked. */
export type CredentialStatusLine = {
  passport: string
  first_version: number
  last_version: number | null
  list_no: number
  list_index: number
  created_at: Date
  revoked_at: Date | null
}

const ROWS_PER_PAGE = 500

/** `sql`: the account's home. */
export async function* exportCredentialStatuses(
  sql: Sql,
  accountId: number,
): AsyncGenerator<CredentialStatusLine> {
  for (let listNo = 0, index = 0; ; ) {
    const page = await sql<CredentialStatusLine[]>`
      select passport_id as passport, first_version, last_version, list_no, list_index, created_at, revoked_at
      from credential_status
      where account_id = ${accountId} and (list_no, list_index) > (${listNo}, ${index})
      order by list_no, list_index limit ${ROWS_PER_PAGE}`
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    listNo = last.list_no
    index = last.list_index
  }
}

/** Throws `validation` for a place that does not exist or is given twice. */
export async function importCredentialStatuses(
  sql: Sql,
  accountId: number,
  lines: readonly CredentialStatusLine[],
): Promise<void> {
  const made = await sql`
    insert into credential_status (account_id, passport_id, first_version, last_version, list_no, list_index,
      created_at, revoked_at)
    select ${accountId}, r.passport, r.first_version, r.last_version, r.list_no, r.list_index, r.created_at, r.revoked_at
    from jsonb_to_recordset(${JSON.stringify(lines)}::text::jsonb) as r(passport uuid, first_version int,
      last_version int, list_no int, list_index int, created_at timestamptz, revoked_at timestamptz)
    where r.list_index between 0 and ${STATUS_LIST_LENGTH - 1}
    on conflict do nothing returning list_index`
  if (made.length !== lines.length)
    throw invalidInput('A place in a status list is given twice in the file, or is not valid.')
}
