/** Lists the files of an account. */

import { atHome, listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext } from '../../accounts/account/context.ts'
import { isStoryPicture } from '../../accounts/brand/story.ts'
import {
  KIND_LETTER,
  type MediaFile,
  type MediaKind,
  mediaColumns,
  toMediaFile,
} from '../files/media-file.ts'
import { countUses } from '../uses/list-uses.ts'

/** `unused`: only files to which no version of any passport and no block “From the brand” refers. */
export type MediaFilter = { kind?: MediaKind | undefined; unused?: boolean | undefined }

/** The place in the list after a file. */
export type MediaCursor = { createdAt: Date; id: string }

type MediaRequest = MediaFilter & { limit: number; after?: MediaCursor | undefined }

/** Newest first; at most `limit`. */
export async function listMedia(ctx: AccountContext, request: MediaRequest): Promise<MediaFile[]> {
  const found = await selectMedia(atHome(ctx), request)
  if (request.unused !== true || listAccountShards(ctx).length === 1) return found
  // The statement sees only the uses at the account's home.
  const used = await countUses(
    ctx,
    found.map(({ id }) => id),
  )
  const unused = found.filter(({ id }) => !used.has(id))
  const last = found.length === request.limit ? found.at(-1) : undefined
  if (last === undefined || unused.length === found.length) return unused
  const left = request.limit - unused.length
  return [...unused, ...(await listMedia(ctx, { ...request, limit: left, after: last }))]
}

async function selectMedia(
  { sql, accountId }: AccountContext,
  { kind, unused, limit, after }: MediaRequest,
): Promise<MediaFile[]> {
  const isUsed = sql`exists (select from media_use u where u.account_id = m.account_id and u.media_id = m.id)`
  const rows = await sql<Parameters<typeof toMediaFile>[0][]>`
    select ${mediaColumns(sql)} from media m
    where m.account_id = ${accountId} and m.status <> 'd'
      ${kind === undefined ? sql`` : sql`and m.kind = ${KIND_LETTER[kind]}::text::"char"`}
      ${unused === true ? sql`and not ${isUsed} and not ${isStoryPicture(sql)}` : sql``}
      ${after === undefined ? sql`` : sql`and (m.created_at, m.id) < (${after.createdAt}, decode(${after.id}, 'hex'))`}
    order by m.created_at desc, m.id desc limit ${limit}`
  return rows.map(toMediaFile)
}

/** Those of these ids that the account has, by id. */
export async function findFiles(
  ctx: AccountContext,
  ids: readonly string[],
): Promise<Map<string, MediaFile>> {
  if (ids.length === 0) return new Map()
  const { sql, accountId } = atHome(ctx)
  const rows = await sql<Parameters<typeof toMediaFile>[0][]>`
    select ${mediaColumns(sql)} from media m
    where m.account_id = ${accountId} and m.status <> 'd'
      and m.id = any(${ids.map(id => `\\x${id}`)}::text[]::bytea[])`
  return new Map(rows.map(row => [row.id, toMediaFile(row)]))
}

export type MediaUsage = { files: number; bytes: number }

/** The usage that counts against the quota; bytes as they were sent. */
export async function getMediaUsage(ctx: AccountContext): Promise<MediaUsage> {
  const { sql, accountId } = atHome(ctx)
  const [row] = await sql<MediaUsage[]>`select files, bytes from media_usage where account_id = ${accountId}`
  return row ?? { files: 0, bytes: 0 }
}
