/** Files that the worker fetches from an address: what was asked for, and what has become of it. */
import { atHome } from '../../accounts/account/account-shard.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import type { StoredResponse } from '../../accounts/account/idempotency-record.ts'
import { storeIdempotencyRecord } from '../../accounts/idempotency/store-idempotency-record.ts'
import { idFromUuid, newUuid, requireUuid } from '../../kernel/crypto/ids.ts'
import { invalidField, notFound } from '../../kernel/errors/errors.ts'
import { explainUrlError, type OutboundPolicy } from '../../kernel/http-out/outbound-url.ts'
import { getMedia, MEDIA_ID, type MediaFile } from '../files/media-file.ts'
import { lockUsage, requireQuota } from '../upkeep/add-media.ts'
import { type DeletingContext, deleteMedia } from '../upkeep/delete-media.ts'

export type MediaFetch = {
  /** Not that of the file: its bytes, and so their digest, are not known yet. */
  id: string
  status: 'fetching' | 'refused'
  reason: string | null
  createdAt: Date
}

export type MediaOrFetch = { file: MediaFile } | { fetch: MediaFetch }

/** Throws `not_found` for a text that is neither. */
export function requireMediaOrFetchId(text: string): string {
  if (!MEDIA_ID.test(text)) requireUuid(text, 'file')
  return text
}

type FetchRequest = { sourceUrl: string; policy: OutboundPolicy }

/** The worker fetches the file. Throws `validation` for an address that is not used, and `plan_limit`. */
export async function requestMediaFetch(
  ctx: AccountContext,
  { sourceUrl, policy }: FetchRequest,
  buildResponse: (fetch: MediaFetch) => StoredResponse,
): Promise<MediaFetch> {
  const problem = explainUrlError(sourceUrl, policy)
  if (problem !== undefined) throw invalidField(['source_url'], 'format', problem)
  return withTransaction(atHome(ctx), async tx => {
    const { sql, accountId, actorId, clock } = tx
    const now = clock.now()
    const uuid = newUuid(now.getTime())
    const fetch: MediaFetch = { id: idFromUuid(uuid), status: 'fetching', reason: null, createdAt: now }
    await storeIdempotencyRecord(tx, buildResponse(fetch))
    const usage = await lockUsage(tx)
    const [waiting] = await sql<{ n: number }[]>`
      select count(*)::int as n from media_fetch where account_id = ${accountId} and status = 'f'`
    await requireQuota(tx, { files: usage.files + (waiting?.n ?? 0) + 1, bytes: usage.bytes + 1 })
    await sql`
      insert into media_fetch (account_id, id, source_url, status, attempts, due_at, created_at, created_by)
      values (${accountId}, ${uuid}, ${sourceUrl}, 'f', 0, ${now}, ${now}, ${actorId})`
    return fetch
  })
}

/** A file by its id, or by that of the fetch that has brought it. Throws `not_found`. */
export async function getMediaOrFetch(ctx: AccountContext, id: string): Promise<MediaOrFetch> {
  if (MEDIA_ID.test(id)) return { file: await getMedia(ctx, id) }
  const { sql, accountId } = atHome(ctx)
  const [row] = await sql<FetchRow[]>`
    select status, encode(media_id, 'hex') as "mediaId", reason, created_at as "createdAt"
    from media_fetch where account_id = ${accountId} and id = ${requireUuid(id, 'file')}`
  if (row === undefined) throw notFound('file')
  const { status, mediaId, reason, createdAt } = row
  if (mediaId !== null) return { file: await getMedia(ctx, mediaId) }
  return { fetch: { id, status: status === 'f' ? 'fetching' : 'refused', reason, createdAt } }
}

type FetchRow = { status: 'f' | 'r' | 'x'; mediaId: string | null; reason: string | null; createdAt: Date }

/** Deletes the file, or stops fetching it. Throws `not_found`, and `in_use` as `deleteMedia` does. */
export async function deleteMediaOrFetch(ctx: DeletingContext, id: string): Promise<void> {
  const found = await getMediaOrFetch(ctx, id)
  if ('file' in found) return deleteMedia(ctx, found.file.id)
  const { sql, accountId } = atHome(ctx)
  await sql`delete from media_fetch where account_id = ${accountId} and id = ${requireUuid(id, 'file')}`
}
