/** Stores a file of an account, once for each content. */
import { createHash } from 'node:crypto'
import { setImmediate as waitForNextTurn } from 'node:timers/promises'
import { atHome } from '../../accounts/account/account-shard.ts'
import { type AccountContext, withTransaction } from '../../accounts/account/context.ts'
import type { StoredResponse } from '../../accounts/account/idempotency-record.ts'
import {
  claimIdempotencyKey,
  storeClaimedResponse,
} from '../../accounts/idempotency/store-idempotency-record.ts'
import { getMediaQuota } from '../../accounts/limits/media-quota.ts'
import { AppError, type DetailCode, invalid, invalidField, unavailable } from '../../kernel/errors/errors.ts'
import {
  findMedia,
  KIND_LETTER,
  listObjectKeys,
  type MediaFile,
  originalKey,
  variantKey,
} from '../files/media-file.ts'
import { detectMediaType, isDeclaredType } from '../files/media-type.ts'
import { type PreparedFile, type Rejection, VARIANT_TYPES } from '../files/prepared-file.ts'
import { requireNotWithdrawn } from '../files/withdrawn-media.ts'
import { copyMedia } from './copy-media.ts'
import type { MediaServices } from './media-services.ts'

export type MediaContext = AccountContext & MediaServices

export type AddedMedia = { file: MediaFile; isNew: boolean }

export type SentFile = { bytes: Uint8Array; declaredType?: string | undefined }

/** Builds the response that is stored with an idempotency key. */
type BuildResponse = (added: AddedMedia) => StoredResponse

/** For callers without an idempotency key. */
const NO_RESPONSE: StoredResponse = { status: 201, headers: {}, body: '' }

/**
 * Checks and renders the file, stores its bytes, and then says that it is ready. The same bytes again return
 * the file as it is, and store what is missing of it. Bytes that were withdrawn are refused. Throws
 * `validation`, `payload_too_large`, `unsupported_media_type`, `plan_limit`, `unavailable`.
 */
export async function addMedia(
  ctx: MediaContext,
  { bytes, declaredType }: SentFile,
  buildResponse: BuildResponse = () => NO_RESPONSE,
): Promise<AddedMedia> {
  const id = await digest(bytes)
  requireDeclaredType(bytes, declaredType)
  const known = await findMedia(ctx, id)
  if (known?.status === 'ready' && (await hasObjects(ctx, known)))
    return finish(ctx, id, buildResponse, false)
  if (known === undefined) await requireNotWithdrawn(ctx, id)
  const preparation = await ctx.preparer.prepare(bytes)
  if ('rejection' in preparation) throw toError(preparation.rejection)
  await reserve(ctx, { id, bytes: bytes.length, prepared: preparation })
  await writeObjects(ctx, id, bytes, preparation)
  return finish(ctx, id, buildResponse, known?.status !== 'ready')
}

/** 1 ms, on a slow machine a few. */
const DIGEST_STEP_BYTES = 1024 ** 2

/** In steps, so that nobody waits. `subtle` would copy the file at once, which takes longer than hashing. */
async function digest(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.length; at += DIGEST_STEP_BYTES) {
    hash.update(bytes.subarray(at, at + DIGEST_STEP_BYTES))
    await waitForNextTurn()
  }
  return hash.digest('hex')
}

/** False for a file whose objects somebody has removed from the store: sending it again brings them back. */
async function hasObjects({ mediaStore, accountId }: MediaContext, file: MediaFile): Promise<boolean> {
  for (const key of listObjectKeys(accountId, file))
    if ((await mediaStore.read(key)) === undefined) return false
  return true
}

/** Throws `validation` if the bytes are of another type. A type that is not accepted is reported later. */
function requireDeclaredType(bytes: Uint8Array, declared: string | undefined): void {
  const type = detectMediaType(bytes)
  if (type === undefined || isDeclaredType(declared, type)) return
  const message = `The file is ${type}, but its Content-Type says ${declared?.slice(0, 100)}. Send it as ${type}.`
  throw invalidField([], 'media_type', message)
}

function toError({ code, message }: Rejection): AppError {
  const detail = { path: [], code: code satisfies DetailCode, message }
  if (code === 'media_too_large') return new AppError('payload_too_large', message, [detail])
  if (code === 'media_type') return new AppError('unsupported_media_type', message, [detail])
  return invalid([detail])
}

type NewFile = { id: string; bytes: number; prepared: PreparedFile }

/**
 * The row comes before the bytes, so that what a killed process leaves is known and deleted. Counts against
 * the quota. A row of another process that stores the same file is used.
 */
async function reserve(ctx: MediaContext, { id, bytes, prepared }: NewFile): Promise<void> {
  const { width, height, color } = prepared.kind === 'picture' ? prepared : NO_PICTURE
  await withTransaction(atHome(ctx), async tx => {
    const { sql, accountId, actorId, clock } = tx
    const usage = await lockUsage(tx)
    const [row] = await sql<{ status: string }[]>`
      select status from media where account_id = ${accountId} and id = decode(${id}, 'hex')`
    if (row?.status === 'd') {
      throw unavailable('This file was deleted a moment ago. Send it again in a few seconds.')
    }
    if (row !== undefined) return
    await requireNotWithdrawn(tx, id)
    await requireQuota(tx, { files: usage.files + 1, bytes: usage.bytes + bytes })
    await sql`
      insert into media (account_id, id, kind, status, type, bytes, width, height, color, created_at, created_by)
      values (${accountId}, decode(${id}, 'hex'), ${KIND_LETTER[prepared.kind]}::text::"char", 'p', ${prepared.type}, ${bytes},
        ${width}, ${height}, ${color}, ${clock.now()}, ${actorId})`
    await sql`
      update media_usage set files = files + 1, bytes = bytes + ${bytes} where account_id = ${accountId}`
  })
}

/** Until the end of the transaction: uploads of an account are counted in turns. */
export async function lockUsage({
  sql,
  accountId,
}: AccountContext): Promise<{ files: number; bytes: number }> {
  const [usage] = await sql<{ files: number; bytes: number }[]>`
    insert into media_usage (account_id, files, bytes) values (${accountId}, 0, 0)
    on conflict (account_id) do update set files = media_usage.files returning files, bytes`
  return usage ?? { files: 0, bytes: 0 }
}

const NO_PICTURE = { width: null, height: null, color: null }

/** Throws `plan_limit` if the account may not store that much. */
export async function requireQuota(
  ctx: AccountContext,
  wanted: { files: number; bytes: number },
): Promise<void> {
  const { files, bytes } = await getMediaQuota(ctx)
  if (files !== null && wanted.files > files) {
    throw new AppError(
      'plan_limit',
      `This account can store ${files} files and has that many. Delete files that no passport uses, or ask for a larger plan.`,
    )
  }
  if (bytes !== null && wanted.bytes > bytes) {
    throw new AppError(
      'plan_limit',
      `This account can store ${Math.round(bytes / 1e6)} MB of files, and this one is too much. Delete files that no passport uses, or ask for a larger plan.`,
    )
  }
}

/** The original last, because it is what proves that all are there. */
export async function writeObjects(
  { mediaStore, accountId }: Pick<MediaContext, 'mediaStore' | 'accountId'>,
  id: string,
  bytes: Uint8Array,
  prepared: PreparedFile,
): Promise<void> {
  if (prepared.kind === 'picture') {
    for (const { width, type, bytes: rendered } of prepared.variants) {
      await mediaStore.write(variantKey(accountId, id, width, type), rendered, VARIANT_TYPES[type])
    }
  }
  await mediaStore.write(originalKey(accountId, id), bytes, prepared.type)
}

/** The file is ready, and the idempotency key used, or neither. */
const finish = (
  ctx: MediaContext,
  id: string,
  buildResponse: BuildResponse,
  isNew: boolean,
): Promise<AddedMedia> =>
  withTransaction(atHome(ctx), async tx => {
    const { sql, accountId } = tx
    await claimIdempotencyKey(tx)
    if (isNew)
      await sql`
        update media set status = 'r' where account_id = ${accountId} and id = decode(${id}, 'hex') and status = 'p'`
    else await renewUnused(tx, id)
    const file = await findMedia(tx, id)
    // A clean-up deletes what was begun an hour ago, and another request may delete what is ready.
    if (file === undefined) await requireNotWithdrawn(tx, id)
    if (file?.status !== 'ready')
      throw unavailable('The file was deleted while it was being stored. Send it again.')
    if (isNew) await copyMedia(tx, tx.spread?.shards.slice(1) ?? [], id)
    await storeClaimedResponse(tx, buildResponse({ file, isNew }))
    return { file, isNew }
  })

const RENEWED_AFTER_MS = 86_400_000

/** A file that nobody uses and that is sent again counts as new: the clean-up deletes old ones. */
async function renewUnused({ sql, accountId, clock }: AccountContext, id: string): Promise<void> {
  const now = clock.now()
  await sql`
    update media set created_at = ${now}
    where account_id = ${accountId} and id = decode(${id}, 'hex') and status = 'r'
      and created_at < ${new Date(now.getTime() - RENEWED_AFTER_MS)}
      and not exists (select from media_use u where u.account_id = media.account_id and u.media_id = media.id)`
}
