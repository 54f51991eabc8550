/** Deletes files that nobody needs any more, and what is known about files that were fetched long ago. */

import { atHome, findHome } from '../../accounts/account/account-shard.ts'
import { getServiceActor } from '../../accounts/account/actors.ts'
import type { OperatorContext } from '../../accounts/account/context.ts'
import { isStoryPicture } from '../../accounts/brand/story.ts'
import { AppError } from '../../kernel/errors/errors.ts'
import { findMedia } from '../files/media-file.ts'
import type { MediaStore } from '../store/media-store.ts'
import { type DeletingContext, deleteMedia } from './delete-media.ts'

/** People upload files before they use them. */
const UNUSED_MS = 30 * 86_400_000
const MAX_CHECKED = 200
/** Files that one run reads, of which most are in use. */
const MAX_READ = 1_000

type UnusedSetup = {
  mediaStore: MediaStore
  isNamedInDraft: DeletingContext['isNamedInDraft']
  goesOn: () => boolean
}

/** Where the next run goes on. */
export type UnusedCursor = { accountId: number; id: string } | undefined

/**
 * Looks at some files of a shard that are older than 30 days and that neither a version there nor a
 * block “From the brand” refers to.
 * `deleteMedia` asks again under a lock that a version being written, or an upload, waits for.
 */
export async function deleteUnusedMedia(
  ctx: OperatorContext,
  { mediaStore, isNamedInDraft, goesOn }: UnusedSetup,
  after: UnusedCursor,
): Promise<{ deleted: number; next: UnusedCursor }> {
  const before = new Date(ctx.clock.now().getTime() - UNUSED_MS)
  const { accountId: fromAccount, id: fromId } = after ?? { accountId: 0, id: '' }
  // The last file that was read is found, too, so that the next run goes on behind it. `offset 0`: a join
  // could read all uses of files.
  const found = await ctx.sql<{ accountId: number; id: string; isUnused: boolean; isLast: boolean }[]>`
    with part as materialized (
      select account_id, id, status, created_at from media
      where (account_id, id) > (${fromAccount}, decode(${fromId}, 'hex')) order by account_id, id limit ${MAX_READ}
    ), checked as materialized (
      select m.account_id, m.id, row_number() over (order by m.account_id, m.id) = ${MAX_READ} as is_last,
        m.status = 'r' and m.created_at < ${before}
          and not exists (select 1 from media_use u where u.account_id = m.account_id and u.media_id = m.id offset 0)
          and not ${isStoryPicture(ctx.sql)} as is_unused
      from part m
    )
    select account_id as "accountId", encode(id, 'hex') as id, is_unused as "isUnused", is_last as "isLast" from checked
    where is_unused or is_last order by account_id, id limit ${MAX_CHECKED}`
  let deleted = 0
  for (const { accountId, id, isUnused } of found) {
    if (!goesOn()) break
    if (!isUnused) continue
    const home = await findHome(ctx.sql, accountId)
    const account = { ...ctx, ...home, accountId, actorId: 0, mediaStore, isNamedInDraft }
    // The account's home knows if the file was sent again.
    const file = await findMedia(account, id)
    if (file === undefined || file.createdAt >= before) continue
    const actorId = await getServiceActor(atHome(account), accountId)
    if (await tryToDelete({ ...account, actorId }, id, before)) deleted++
  }
  const last = found.at(-1)
  return { deleted, next: found.length === MAX_CHECKED || last?.isLast ? last : undefined }
}

/** False if something refers to the file, if it was sent again, or if another process was faster. */
async function tryToDelete(ctx: DeletingContext, id: string, before: Date): Promise<boolean> {
  try {
    await deleteMedia(ctx, id, before)
    return true
  } catch (error) {
    if (error instanceof AppError && (error.code === 'in_use' || error.code === 'not_found')) return false
    throw error
  }
}

/** For files that were fetched or refused: their temporary ids answer for 30 days. */
export async function deleteOldFetches({ sql, clock }: OperatorContext): Promise<void> {
  const before = new Date(clock.now().getTime() - UNUSED_MS)
  await sql`delete from media_fetch where status <> 'f' and created_at < ${before}`
}
