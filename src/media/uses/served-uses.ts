/** Where passports refer to a file, for those who serve it. */
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { UseAudience } from './media-use.ts'

/** The version of a passport that referred to the file first. `width`: null for a document. */
export type StoredUse = {
  accountId: number
  passport: string
  versionNo: number
  width: number | null
}

type UseFilter = {
  id: string
  audiences: readonly UseAudience[]
  /** Only of this account; without it, of all accounts on the shard: the address of a file names none. */
  accountId?: number
  /** SQL about `u.passport_id` and `u.account_id`. */
  condition?: Fragment
  /** Also of a file that was withdrawn. */
  withWithdrawn?: boolean
}

const MAX_USES = 20

/** On the shard of `sql`; at most 20, the oldest passports first. */
export const listUses = (
  sql: Sql,
  { id, audiences, accountId, condition, withWithdrawn = false }: UseFilter,
): Promise<StoredUse[]> => sql<StoredUse[]>`
  select u.account_id as "accountId", u.passport_id as passport, u.version_no as "versionNo", m.width
  from media_use u join ${withWithdrawn ? selectAllFiles(sql) : sql`media`} m on m.account_id = u.account_id and m.id = u.media_id
  where u.media_id = decode(${id}, 'hex') and u.audience::text = any(${[...audiences]}::text[])
    ${accountId === undefined ? sql`` : sql`and u.account_id = ${accountId}`}
    ${condition === undefined ? sql`` : sql`and ${condition}`}
  order by u.passport_id, u.version_no limit ${MAX_USES}`

const selectAllFiles = (sql: Sql): Fragment => sql`(
  select account_id, id, width from media union all select account_id, id, width from withdrawn_media)`
