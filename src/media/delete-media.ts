/** Deletes files: on request, and what killed processes have left. */

import { atHome, listAccountShards } from '../accounts/account-shard.ts'
import { audit } from '../accounts/audit.ts'
import { isInStory } from '../accounts/brand/story.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../accounts/context.ts'
import type { Sql } from '../kernel/db/database.ts'
import { AppError } from '../kernel/errors.ts'
import { listObjectKeys } from './media-file.ts'
import { isMediaInUse } from './media-use.ts'
import type { MediaStore } from './store/media-store.ts'
import { missingFileError } from './withdrawn-media.ts'

/** A process that stores a file for longer than this was killed. */
export const UNFINISHED_MS = 3_600_000
const MAX_DELETED = 100

export type DeletingContext = AccountContext & {
  mediaStore: MediaStore
  /** Whether a draft names the file. It is asked while no draft can begin to name it. */
  isNamedInDraft: (ctx: AccountContext, id: string) => Promise<boolean>
}

/**
 * Throws `not_found`, and `in_use` while any version of a passport, a draft or the account's block “From the
 * brand” refers to the file. Killed halfway, the next clean-up ends it.
 */
export async function deleteMedia(ctx: DeletingContext, id: string): Promise<void> {
  const file = await withTransaction(atHome(ctx), async tx => {
    const [home = tx, ...others] = listAccountShards(tx)
    for (const shard of [home, ...others]) await requireUnused(shard, id)
    if (await ctx.isNamedInDraft(tx, id)) throw inDraftError()
    for (const { sql, accountId } of others) {
      await sql`delete from media where account_id = ${accountId} and id = decode(${id}, 'hex')`
    }
    const { sql, accountId } = home
    const [row] = await sql<DeletedFile[]>`
      update media set status = 'd' where account_id = ${accountId} and id = decode(${id}, 'hex') and status = 'r'
      returning ${deletedColumns(sql)}`
    if (row !== undefined) await audit(home, 'file_deleted', id)
    return row
  })
  if (file === undefined) throw await missingFileError(ctx, id)
  await deleteObjects(atHome(ctx), ctx.mediaStore, file)
}

/** What begins to refer to the file locks it, too: it waits for this transaction, or the other way round. */
async function requireUnused(ctx: AccountContext, id: string): Promise<void> {
  const { sql, accountId } = ctx
  await sql`select 1 from media where account_id = ${accountId} and id = decode(${id}, 'hex') for update`
  if (await isInStory(ctx, id))
    throw new AppError(
      'in_use',
      'The block “From the brand” shows this file. Choose another picture there, or remove it, and delete the file then.',
    )
  if (!(await isMediaInUse(ctx, id))) return
  throw new AppError(
    'in_use',
    'A passport refers to this file, now or in an earlier version, and shows it for ever. It cannot be deleted.',
  )
}

const inDraftError = () =>
  new AppError(
    'in_use',
    'A draft refers to this file. Remove it from the draft, or publish or delete the draft, and try again.',
  )

type DeletedFile = { account_id: number; id: string; width: number | null; bytes: number }

const deletedColumns = (sql: Sql) => sql`account_id, encode(id, 'hex') as id, width, bytes`

/** The row goes last: as long as it is there, somebody knows of the objects. */
async function deleteObjects(
  { sql, clock }: OperatorContext,
  mediaStore: MediaStore,
  file: DeletedFile,
): Promise<void> {
  const { account_id: accountId, id, bytes } = file
  for (const key of listObjectKeys(accountId, file)) await mediaStore.delete(key)
  await withTransaction({ sql, clock }, async tx => {
    const { count } = await tx.sql`
      delete from media where account_id = ${accountId} and id = decode(${id}, 'hex') and status = 'd'`
    if (count === 0) return
    await tx.sql`
      update media_usage set files = files - 1, bytes = bytes - ${bytes} where account_id = ${accountId}`
  })
}

/** Deletes what was begun and not finished an hour ago, and what a killed deletion left. Returns how many. */
export async function deleteUnfinishedMedia(
  { sql, clock }: OperatorContext,
  mediaStore: MediaStore,
): Promise<number> {
  const before = new Date(clock.now().getTime() - UNFINISHED_MS)
  const unfinished = await sql<DeletedFile[]>`
    update media set status = 'd' where (account_id, id) in (
      select account_id, id from media where status <> 'r' and (status = 'd' or created_at < ${before})
      order by created_at limit ${MAX_DELETED})
    returning ${deletedColumns(sql)}`
  for (const file of unfinished) await deleteObjects({ sql, clock }, mediaStore, file)
  return unfinished.length
}
