/** Deletes files: on request, and what killed processes have left. */

import { atHome, listAccountShards } from '../../accounts/account/account-shard.ts'
import { audit } from '../../accounts/account/audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../../accounts/account/context.ts'
import { isInStory } from '../../accounts/brand/story.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { listObjectKeys } from '../files/media-file.ts'
import { missingFileError } from '../files/withdrawn-media.ts'
import type { MediaStore } from '../store/media-store.ts'
import { isMediaInUse } from '../uses/media-use.ts'

/** A process that stores a file for longer than this was killed. */
export const UNFINISHED_MS = 3_600_000
const MAX_DELETED = 100

export type DeletingContext = AccountContext & {
  mediaStore: MediaStore
  /** Returns true if a draft names the file. It is asked while no draft can begin to name it. */
  isNamedInDraft: (ctx: AccountContext, id: string) => Promise<boolean>
}

/**
 * Throws `not_found`, and `in_use` while any version of a passport, a draft or the account's block “From the
 * brand” refers to the file, or if it was sent after `sentBefore`. Killed halfway, the next clean-up ends it.
 */
export async function deleteMedia(ctx: DeletingContext, id: string, sentBefore?: Date): Promise<void> {
  const file = await withTransaction(atHome(ctx), async tx => {
    const [home = tx, ...others] = listAccountShards(tx)
    for (const shard of [home, ...others]) {
      const createdAt = await lockFile(shard, id)
      // Only the home knows whether the file was sent again.
      if (shard === home && sentBefore && createdAt && createdAt >= sentBefore) throw sentAgainError()
      await requireUnused(shard, id)
    }
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

/**
 * Whoever begins to refer to the file locks it, too, and so does who sends it again: they wait for this
 * transaction, or the other way round.
 */
async function lockFile({ sql, accountId }: AccountContext, id: string): Promise<Date | undefined> {
  const [row] = await sql<{ createdAt: Date }[]>`
    select created_at as "createdAt" from media
    where account_id = ${accountId} and id = decode(${id}, 'hex') for update`
  return row?.createdAt
}

/** Call it with the file locked. */
async function requireUnused(ctx: AccountContext, id: string): Promise<void> {
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

const sentAgainError = () => new AppError('in_use', 'The file was sent again a moment ago. It stays.')

type DeletedFile = { account_id: number; id: string; width: number | null; bytes: number }

const deletedColumns = (sql: Sql) => sql`account_id, encode(id, 'hex') as id, width, bytes`

/**
 * The row goes last: as long as it is there, somebody knows of the objects. The count is locked before the
 * row, as uploads and withdrawals do.
 */
async function deleteObjects(
  { sql, clock }: OperatorContext,
  mediaStore: MediaStore,
  file: DeletedFile,
): Promise<void> {
  const { account_id: accountId, id, bytes } = file
  for (const key of listObjectKeys(accountId, file)) await mediaStore.delete(key)
  await withTransaction({ sql, clock }, async tx => {
    await tx.sql`select from media_usage where account_id = ${accountId} for update`
    const { count } = await tx.sql`
      delete from media where account_id = ${accountId} and id = decode(${id}, 'hex') and status = 'd'`
    if (count === 0) return
    await tx.sql`
      update media_usage set files = files - 1, bytes = bytes - ${bytes} where account_id = ${accountId}`
  })
}

/**
 * Deletes what was begun and not finished an hour ago, and what a killed deletion left. Each file is looked
 * at again under its lock, because its upload may end now, and no two are locked at once. Returns how many.
 */
export async function deleteUnfinishedMedia(
  { sql, clock }: OperatorContext,
  mediaStore: MediaStore,
): Promise<number> {
  const before = new Date(clock.now().getTime() - UNFINISHED_MS)
  const unfinished = sql`status <> 'r' and (status = 'd' or created_at < ${before})`
  const found = await sql<{ accountId: number; id: string }[]>`
    select account_id as "accountId", encode(id, 'hex') as id from media where ${unfinished}
    order by created_at limit ${MAX_DELETED}`
  let deleted = 0
  for (const { accountId, id } of found) {
    const [file] = await sql<DeletedFile[]>`
      update media set status = 'd' where account_id = ${accountId} and id = decode(${id}, 'hex') and ${unfinished}
      returning ${deletedColumns(sql)}`
    if (file === undefined) continue
    await deleteObjects({ sql, clock }, mediaStore, file)
    deleted++
  }
  return deleted
}
