/** References from passports to files, which are checked and stored with the data that has them. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { type Fragment, type Sql, sqlState } from '../../kernel/db/database.ts'
import type { KIND_LETTER, MediaKind } from '../files/media-file.ts'

/** The widest audience that may see the entry: everyone, legitimate interest, authorities, the account. */
export type UseAudience = 'p' | 'l' | 'a' | 'o'

/** `passport`: UUID; `version_no`: the version that refers; `media`: id of the file. */
export type MediaUse = {
  account_id: number
  passport: string
  version_no: number
  media: string
  kind: (typeof KIND_LETTER)[MediaKind]
  audience: UseAudience
}

/**
 * SQL: stores the references of the passports whose UUIDs are in `written`, an array; without it, of all.
 * Ends the statement with an error that `isUnknownMedia` knows if the account lacks one of the files.
 */
export const storeUses = (sql: Sql, uses: readonly MediaUse[], written: Fragment = sql`null`): Fragment =>
  sql`public.carnet_use_media(${JSON.stringify(uses)}::text::jsonb, ${written})`

/** SQLSTATE of `carnet_use_media`. */
const UNKNOWN_MEDIA = 'CA003'

export const isUnknownMedia = (error: unknown): boolean => sqlState(error) === UNKNOWN_MEDIA

/**
 * Returns those of these references that are to files that the account lacks, that are of another kind, or
 * not ready. `locks`: none of the others is deleted before the transaction ends.
 */
export async function findUnknownUses<U extends Pick<MediaUse, 'account_id' | 'media' | 'kind'>>(
  sql: Sql,
  uses: readonly U[],
  { locks = false } = {},
): Promise<U[]> {
  if (uses.length === 0) return []
  const ids = [...new Set(uses.map(({ media }) => media))]
  const accounts = [...new Set(uses.map(use => use.account_id))]
  const rows = await sql<{ account_id: number; id: string; kind: MediaUse['kind'] }[]>`
    select account_id, encode(id, 'hex') as id, kind from media
    where account_id = any(${accounts}::int[]) and status = 'r'
      and id in (select decode(i, 'hex') from unnest(${ids}::text[]) i)
    ${locks ? sql`order by id for key share` : sql``}`
  const found = new Set(rows.map(row => `${row.account_id} ${row.id} ${row.kind}`))
  return uses.filter(use => !found.has(`${use.account_id} ${use.media} ${use.kind}`))
}

/** Returns true if any version of any passport on this shard refers to the file. */
export async function isMediaInUse({ sql, accountId }: AccountContext, id: string): Promise<boolean> {
  const rows = await sql`
    select 1 from media_use where account_id = ${accountId} and media_id = decode(${id}, 'hex') limit 1`
  return rows.length > 0
}
