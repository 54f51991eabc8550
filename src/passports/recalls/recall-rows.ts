/** Exports and imports the recall notices of an account with all of their changes. */
import type { Sql } from '../../kernel/db/database.ts'
import type { RecallNotice } from '../core/recalls.ts'

/** `kind`: s for set, c for changed, e for ended. */
export type RecallLine = {
  passport: string
  number: number
  kind: string
  notice: RecallNotice
  set_at: Date
  changed_at: Date
  changed_by: number
}

const ROWS_PER_PAGE = 500

export async function* exportRecalls(sql: Sql, accountId: number): AsyncGenerator<RecallLine> {
  for (let passport = '00000000-0000-0000-0000-000000000000', number = 0; ; ) {
    const page = await sql<RecallLine[]>`
      select passport_id as passport, number, kind, notice, set_at, changed_at, changed_by from recall_change
      where account_id = ${accountId} and (passport_id, number) > (${passport}, ${number})
      order by passport_id, number limit ${ROWS_PER_PAGE}`
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    passport = last.passport
    number = last.number
  }
}

export async function importRecalls(
  sql: Sql,
  accountId: number,
  lines: readonly RecallLine[],
): Promise<void> {
  await sql`
    insert into recall_change (account_id, passport_id, number, kind, notice, set_at, changed_at, changed_by)
    select ${accountId}, r.passport, r.number, r.kind, r.notice, r.set_at, r.changed_at, r.changed_by
    from jsonb_to_recordset(${JSON.stringify(lines)}::text::jsonb) as r(passport uuid, number int, kind "char",
      notice jsonb, set_at timestamptz, changed_at timestamptz, changed_by int)`
}
