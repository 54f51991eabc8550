/**
 * Writes up to 500 next versions in one statement, each with its content, hash, GTIN claim and event, or
 * nothing.
 */
import type { AccountContext } from '../../accounts/account/context.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import { findRejectReason, withRetries } from '../../kernel/db/database.ts'
import type { AppError } from '../../kernel/errors/errors.ts'
import { storeUses } from '../../media/uses/media-use.ts'
import { buildPassportEvent } from '../../webhooks/insert-events.ts'
import type { PassportData } from '../core/check-data.ts'
import { type FileUse, listFileUses, orUnknownFiles } from '../core/file-uses.ts'
import { dropCachedMetadata } from '../read/public-passport.ts'

export type NextVersion = {
  id: string
  category: string
  /** The current version, which must not have changed. */
  version_no: number
  /** Hex. Null when the passport is at version 1. */
  version_hash: string | null
  /** Hex. Read only at version 1. */
  old_content_hash: string
  content_id: string
  /** The hash in hex of an existing content. A new content is sent as `data`. */
  content_hash: string | null
  data: PassportData | null
  /** A refresh ignores it and keeps the stored fields. */
  own: PassportData | null
  /** c: correction, h: any other change, r: refresh. */
  kind: 'c' | 'h' | 'r'
  note: string | null
  /** Fields that differ from the version before. */
  changed: readonly string[]
  /** Makes units that inherited an earlier version outdated. */
  corrects: boolean
  schema_version: number
  gtin14: string | null
  sku: string | null
  search: string | null
  now: Date
  event_id: string
  event: ReturnType<typeof buildPassportEvent>
}

/** The version that follows the current one of a passport, with its event. */
export const buildNextVersion = (
  { id, category, version_no }: { id: string; category: string; version_no: number },
  now: Date,
  change: Omit<NextVersion, 'id' | 'category' | 'version_no' | 'now' | 'event_id' | 'event'>,
): NextVersion => ({
  ...change,
  id,
  category,
  version_no,
  now,
  event_id: newUuid(now.getTime()),
  event: buildPassportEvent({ id, category, version_no: version_no + 1 }),
})

type WriteOptions = {
  /** Delivers the events after all others. */
  inBackground?: boolean
  /** The statement waits at most this long for each lock, then it ends with a time-out of the lock. */
  maxLockWaitMs?: number
  moved?: MovedUnits
}

/** Units that inherit from another content now. Their counts are written with the versions. */
type MovedUnits = {
  /** UUIDs of contents. */
  from: string
  to: string
  /** UUID of the background job. */
  job: string | undefined
  at: Date
}

export type VersionsWritten = {
  /** The time of each new version by UUID. Passports in neither collection were changed by others. */
  written: Map<string, Date>
  /** UUIDs of passports whose new GTIN is taken. */
  taken: Set<string>
  /** Errors by UUID of passports that refer to files that are not there. */
  refused: Map<string, AppError>
}

/** Writes all versions except those whose GTIN is taken, or that refer to files that are not there. */
export async function writeVersions(
  ctx: AccountContext,
  versions: readonly NextVersion[],
  options: WriteOptions = {},
): Promise<VersionsWritten> {
  const taken = new Set<string>()
  const refused = new Map<string, AppError>()
  for (;;) {
    const rest = versions.filter(({ id }) => !taken.has(id) && !refused.has(id))
    if (rest.length === 0) return { written: new Map(), taken, refused }
    const uses = rest.flatMap(next => listUsesOfVersion(ctx, next))
    const write = () => withRetries(() => insertVersions(ctx, { versions: rest, uses }, options))
    try {
      const rows = await orUnknownFiles(ctx.sql, uses, write)
      if (rows instanceof Map) {
        for (const [id, error] of rows) refused.set(id, error)
        continue
      }
      for (const { id } of rows) dropCachedMetadata(ctx.sql, id)
      return { written: new Map(rows.map(row => [row.id, row.updated_at])), taken, refused }
    } catch (error) {
      const reason = findRejectReason(error)
      if (reason === undefined) throw error
      const rejected: string[] = JSON.parse(reason)
      for (const id of rejected) taken.add(id)
    }
  }
}

/** A refresh has none of its own. */
export const listUsesOfVersion = ({ accountId }: AccountContext, next: NextVersion): FileUse[] =>
  listFileUses({
    accountId,
    id: next.id,
    versionNo: next.version_no + 1,
    category: next.category,
    schemaVersion: next.schema_version,
    data: next.data ?? next.own,
  })

type WrittenRow = { id: string; updated_at: Date }
type NewVersions = { versions: readonly NextVersion[]; uses: readonly FileUse[] }

async function insertVersions(
  { sql, accountId, actorId }: AccountContext,
  { versions, uses }: NewVersions,
  { inBackground = false, maxLockWaitMs, moved }: WriteOptions,
): Promise<WrittenRow[]> {
  const [first] = versions
  if (first !== undefined && versions.length === 1 && moved === undefined) {
    const call = sql`
      select public.carnet_write_version(${accountId}, ${actorId}, ${JSON.stringify(first)}::text::jsonb, ${inBackground}) as updated_at`
    const [row] = await sql<{ updated_at: Date | null }[]>`${
      uses.length === 0
        ? call
        : sql`with made as materialized (${call})
          select updated_at, ${storeUses(sql, uses)} from made where updated_at is not null`
    }`
    return row?.updated_at ? [{ id: first.id, updated_at: row.updated_at }] : []
  }
  const sorted = versions.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  // The function takes a value of `limit`, so PostgreSQL sets the limit first.
  const limit =
    maxLockWaitMs === undefined
      ? sql`(select true as is_set) as limited`
      : sql`(select set_config('lock_timeout', ${`${maxLockWaitMs}ms`}, true) is not null as is_set offset 0) as limited`
  const call = sql`
    select written as id, written_at as updated_at from ${limit} cross join lateral
      public.carnet_write_versions(${accountId}, ${actorId}, ${JSON.stringify(sorted)}::text::jsonb,
        limited.is_set and ${inBackground}, ${moved === undefined ? null : JSON.stringify(moved)}::text::jsonb)`
  if (uses.length === 0) return sql<WrittenRow[]>`${call}`
  return sql<WrittenRow[]>`
    with made as materialized (${call}),
    stored as materialized (select ${storeUses(sql, uses, sql`array(select id from made)`)})
    select id, updated_at from made cross join (select count(*) from stored) s`
}
