/** The references from passports to files, in the export of an account. */
import type { Sql } from '../../kernel/db/database.ts'

const PAGE_ROWS = 500
const FIRST_UUID = '00000000-0000-0000-0000-000000000000'

/** `media`: id of the file; `passport`: UUID; `audience`: as in `media_use`. */
export type ExportedUse = { media: string; passport: string; version_no: number; audience: string }

/** Reads one shard. */
export async function* exportMediaUses(sql: Sql, accountId: number): AsyncGenerator<ExportedUse> {
  let after: ExportedUse = { media: '', passport: FIRST_UUID, version_no: 0, audience: '' }
  for (;;) {
    const rows: ExportedUse[] = await sql<ExportedUse[]>`
      select encode(media_id, 'hex') as media, passport_id as passport, version_no, audience
      from media_use
      where account_id = ${accountId} and (media_id, passport_id, audience::text)
        > (decode(${after.media}, 'hex'), ${after.passport}::uuid, ${after.audience})
      order by media_id, passport_id, audience::text limit ${PAGE_ROWS}`
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE_ROWS) return
    after = last
  }
}

/** Without these, the clean-up would not know that passports refer to the files. */
export async function importMediaUses(
  sql: Sql,
  accountId: number,
  uses: readonly ExportedUse[],
): Promise<void> {
  await sql`
    insert into media_use (account_id, media_id, passport_id, version_no, audience)
    select ${accountId}, decode(r.media, 'hex'), r.passport, r.version_no, r.audience
    from jsonb_to_recordset(${JSON.stringify(uses)}::text::jsonb)
      as r(media text, passport uuid, version_no int, audience "char")
    on conflict do nothing`
}
