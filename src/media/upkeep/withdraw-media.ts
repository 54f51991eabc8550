/**
 * Withdraws a file for good: its bytes are deleted and never stored again, whoever refers to it. Its digest
 * stays in the data of passports, which say when and why it was withdrawn.
 */
import { atHome, listAccountShards } from '../../accounts/account/account-shard.ts'
import { audit } from '../../accounts/account/audit.ts'
import { type AccountContext, type OperatorContext, withTransaction } from '../../accounts/account/context.ts'
import { addWithdrawnFiles } from '../../accounts/account/withdrawn-files.ts'
import { isInStory } from '../../accounts/brand/story.ts'
import { notFound } from '../../kernel/errors/errors.ts'
import { listObjectKeys } from '../files/media-file.ts'
import { noteWithdrawn } from '../files/withdrawn-media.ts'
import type { MediaStore } from '../store/media-store.ts'
import { lockUsage } from './add-media.ts'
import { UNFINISHED_MS } from './delete-media.ts'

/** A row of `withdrawn_media`. */
export type WithdrawnFile = {
  id: string
  kind: 'p' | 'd'
  width: number | null
  wasPublic: boolean
  withdrawnAt: Date
  reason: string
}

/** `isNew`: false if the file had been withdrawn before; the first date and reason stay. */
export type WithdrawnResult = WithdrawnFile & { isNew: boolean }

type WithdrawContext = AccountContext & { mediaStore: MediaStore }
type StoredFile = { kind: 'p' | 'd'; width: number | null; bytes: number }

/**
 * The tombstone comes first, in one transaction, and the bytes are deleted after it. Killed in between, the
 * next clean-up deletes them, or the same call again. Throws `not_found`.
 */
export async function withdrawMedia(
  ctx: WithdrawContext,
  { id, reason }: { id: string; reason: string },
): Promise<WithdrawnResult> {
  const result = await withTransaction(atHome(ctx), async tx => {
    const [home = tx, ...others] = listAccountShards(tx)
    await addWithdrawnFiles(tx.sql, tx.accountId, 1)
    // Uploads of the account take the same lock before they look for tombstones.
    await lockUsage(home)
    const file = await lockFile(home, id)
    const known = await findWithdrawnFile(home, id)
    if (file === undefined && known === undefined) throw notFound('file')
    const withdrawn = known ?? (await describeFile(tx, { id, reason }, file))
    await replaceByTombstone(home, withdrawn, null)
    for (const shard of others) await replaceByTombstone(shard, withdrawn, withdrawn.withdrawnAt)
    const { sql, accountId } = home
    if (file !== undefined) {
      await sql`
        update media_usage set files = files - 1, bytes = bytes - ${file.bytes} where account_id = ${accountId}`
    }
    await sql`
      delete from withdrawal_request where account_id = ${accountId} and media_id = decode(${id}, 'hex')`
    if (known === undefined) await audit(home, 'file_withdrawn', `${id}: ${withdrawn.reason}`)
    noteWithdrawn(sql, id)
    return { ...withdrawn, isNew: known === undefined }
  })
  await clearFile(atHome(ctx), ctx.mediaStore, result)
  return result
}

/** New references to the file wait, and are refused then. */
async function lockFile({ sql, accountId }: AccountContext, id: string): Promise<StoredFile | undefined> {
  const [row] = await sql<StoredFile[]>`
    select kind, width, bytes from media
    where account_id = ${accountId} and id = decode(${id}, 'hex') for update`
  return row
}

export async function findWithdrawnFile(
  { sql, accountId }: AccountContext,
  id: string,
): Promise<WithdrawnFile | undefined> {
  const [row] = await sql<WithdrawnFile[]>`
    select encode(id, 'hex') as id, kind, width, was_public as "wasPublic", withdrawn_at as "withdrawnAt", reason
    from withdrawn_media where account_id = ${accountId} and id = decode(${id}, 'hex')`
  return row
}

async function describeFile(
  ctx: AccountContext,
  { id, reason }: { id: string; reason: string },
  file: StoredFile | undefined,
): Promise<WithdrawnFile> {
  const { kind, width } = file ?? { kind: 'd', width: null }
  return { id, kind, width, reason, wasPublic: await hasPublicUse(ctx, id), withdrawnAt: ctx.clock.now() }
}

async function hasPublicUse(ctx: AccountContext, id: string): Promise<boolean> {
  if (await isInStory(ctx, id)) return true
  for (const { sql, accountId } of listAccountShards(ctx)) {
    const rows = await sql`
      select 1 from media_use
      where account_id = ${accountId} and media_id = decode(${id}, 'hex') and audience = 'p' limit 1`
    if (rows.length > 0) return true
  }
  return false
}

async function replaceByTombstone(
  { sql, accountId }: AccountContext,
  { id, kind, width, wasPublic, withdrawnAt, reason }: WithdrawnFile,
  clearedAt: Date | null,
): Promise<void> {
  await sql`delete from media where account_id = ${accountId} and id = decode(${id}, 'hex')`
  await sql`
    insert into withdrawn_media (account_id, id, kind, width, was_public, withdrawn_at, reason, cleared_at)
    values (${accountId}, decode(${id}, 'hex'), ${kind}::text::"char", ${width}, ${wasPublic}, ${withdrawnAt}, ${reason}, ${clearedAt})
    on conflict do nothing`
}

/** Deletes the bytes, and what leads readers to them. */
async function clearFile(
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  mediaStore: MediaStore,
  file: Pick<WithdrawnFile, 'id' | 'width'>,
): Promise<void> {
  await sql`delete from public_media where media_id = decode(${file.id}, 'hex') and account_id = ${accountId}`
  for (const key of listObjectKeys(accountId, file)) await mediaStore.delete(key)
}

const MAX_CLEARED = 100

/**
 * Clears again what was withdrawn within the last hour: an upload that had begun before may write objects,
 * and a server that had looked for the file may note it as public. Returns how many files are done.
 */
export async function clearWithdrawnMedia(
  { sql, clock }: OperatorContext,
  mediaStore: MediaStore,
): Promise<number> {
  const before = new Date(clock.now().getTime() - UNFINISHED_MS)
  const files = await sql<{ accountId: number; id: string; width: number | null; isLast: boolean }[]>`
    select account_id as "accountId", encode(id, 'hex') as id, width, withdrawn_at < ${before} as "isLast"
    from withdrawn_media where cleared_at is null order by withdrawn_at limit ${MAX_CLEARED}`
  let cleared = 0
  for (const { accountId, isLast, ...file } of files) {
    await clearFile({ sql, accountId }, mediaStore, file)
    if (!isLast) continue
    await sql`
      update withdrawn_media set cleared_at = ${clock.now()}
      where account_id = ${accountId} and id = decode(${file.id}, 'hex')`
    cleared++
  }
  return cleared
}
