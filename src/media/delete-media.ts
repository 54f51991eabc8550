/** Deletes files: on request, and what killed processes have left. */
import { atHome } from '../accounts/account-shard.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../accounts/context.ts'
import type { Sql } from '../kernel/db/database.ts'
import { notFound } from '../kernel/errors.ts'
import { listObjectKeys } from './media-file.ts'
import type { MediaStore } from './store/media-store.ts'

/** A process that stores a file for longer than this was killed. */
const UNFINISHED_MS = 3_600_000
const MAX_DELETED = 100

type DeletingContext = AccountContext & { mediaStore: MediaStore }

/** Throws `not_found`. Killed halfway, the next clean-up ends it. */
export async function deleteMedia(ctx: DeletingContext, id: string): Promise<void> {
  const file = await withTransaction(atHome(ctx), async ({ sql, accountId }) => {
    const [row] = await sql<Doomed[]>`
      update media set status = 'd' where account_id = ${accountId} and id = decode(${id}, 'hex') and status = 'r'
      returning ${doomedColumns(sql)}`
    return row
  })
  if (file === undefined) throw notFound('file')
  await deleteObjects(atHome(ctx), ctx.mediaStore, file)
}

type Doomed = { account_id: number; id: string; width: number | null; bytes: number }

const doomedColumns = (sql: Sql) => sql`account_id, encode(id, 'hex') as id, width, bytes`

/** The row goes last: as long as it is there, somebody knows of the objects. */
async function deleteObjects(
  { sql, clock }: OperatorContext,
  mediaStore: MediaStore,
  file: Doomed,
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
  const doomed = await sql<Doomed[]>`
    update media set status = 'd' where (account_id, id) in (
      select account_id, id from media where status <> 'r' and (status = 'd' or created_at < ${before})
      order by created_at limit ${MAX_DELETED})
    returning ${doomedColumns(sql)}`
  for (const file of doomed) await deleteObjects({ sql, clock }, mediaStore, file)
  return doomed.length
}
