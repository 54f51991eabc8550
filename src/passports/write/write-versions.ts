/**
 * Writes up to 500 next versions in one statement, each with its content, hash, GTIN claim and event, or
 * nothing.
 */
import type { AccountContext } from '../../accounts/context.ts'
import { type Fragment, findRefusalReason, type Sql, withRetries } from '../../kernel/db/database.ts'
import { newUuid } from '../../kernel/ids.ts'
import { buildPassportEvent, insertBackgroundEvents, insertEvents } from '../../webhooks/insert-events.ts'
import type { PassportData } from '../core/check-data.ts'
import { firstHash, nextHash } from '../core/hash-chain.ts'
import { dropCachedMetadata } from '../read/public-passport.ts'

export type NextVersion = {
  id: string
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
  /** Ignored in a refresh. */
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
  change: Omit<NextVersion, 'id' | 'version_no' | 'now' | 'event_id' | 'event'>,
): NextVersion => ({
  ...change,
  id,
  version_no,
  now,
  event_id: newUuid(now.getTime()),
  event: buildPassportEvent({ id, category, version_no: version_no + 1 }),
})

type WriteOptions = {
  /** Delivers its events after all others. */
  inBackground?: boolean
  /** Further CTEs, each ending in a comma. They may read `done`, which has a row for each new version. */
  alongside?: Fragment
}

type VersionsWritten = {
  /** The time of each new version by UUID. Passports in neither collection were changed meanwhile. */
  written: Map<string, Date>
  /** UUIDs of passports whose new GTIN belongs to another product. */
  taken: Set<string>
}

/** Body of a CTE. `rows` selects (gtin14, account_id, model_id, claimed_at). Models may claim again. */
export const claimGtins = (sql: Sql, rows: Fragment): Fragment => sql`
  insert into gtin_claim (gtin14, account_id, model_id, claimed_at) ${rows}
  on conflict (gtin14) do update set model_id = gtin_claim.model_id
    where gtin_claim.account_id = excluded.account_id and gtin_claim.model_id = excluded.model_id
  returning model_id`

/** Writes all versions except those whose GTIN is taken. */
export async function writeVersions(
  ctx: AccountContext,
  versions: readonly NextVersion[],
  options: WriteOptions = {},
): Promise<VersionsWritten> {
  const taken = new Set<string>()
  for (;;) {
    const rest = versions.filter(({ id }) => !taken.has(id))
    if (rest.length === 0) return { written: new Map(), taken }
    try {
      const rows = await withRetries(() => insertVersions(ctx, rest, options))
      for (const { id } of rows) dropCachedMetadata(ctx.sql, id)
      return { written: new Map(rows.map(row => [row.id, row.updated_at])), taken }
    } catch (error) {
      const refusal = findRefusalReason(error)
      if (refusal === undefined) throw error
      const rejected: string[] = JSON.parse(refusal)
      for (const id of rejected) taken.add(id)
    }
  }
}

/**
 * Locks rows in the order of their ids, so that two calls cannot deadlock. A `case` keeps the planner from
 * using conditions without an index. Reading `rejected` makes PostgreSQL run it, which aborts the statement.
 */
async function insertVersions(
  { sql, accountId, actorId }: AccountContext,
  versions: readonly NextVersion[],
  { inBackground = false, alongside = sql`` }: WriteOptions,
): Promise<{ id: string; updated_at: Date }[]> {
  const ids = versions.map(({ id }) => id)
  return sql<{ id: string; updated_at: Date }[]>`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(versions)}::text::jsonb) as r(id uuid, version_no int,
        version_hash text, old_content_hash text, content_id uuid, content_hash text, data jsonb, own jsonb, kind "char",
        note text, changed text[], corrects boolean, schema_version smallint, gtin14 text, sku text, search text,
        now timestamptz, event_id uuid, event jsonb)
    ), before as materialized (
      select p.id, p.content_id, p.created_by, p.gtin14, p.own,
        case when p.version_no > 1 then decode(i.version_hash, 'hex') else ${firstHash(sql, sql`decode(i.old_content_hash, 'hex')`)} end as hash
      from passport p join input i on i.id = p.id
      where p.id = any(${ids}::text[]::uuid[]) and p.account_id = ${accountId} and p.version_no = i.version_no
      order by p.id for no key update of p
    ), done as (
      update passport p set version_no = i.version_no + 1, created_by = ${actorId}, units_content_id = null,
        content_id = i.content_id, own = case when i.kind = 'r' then p.own else i.own end,
        updated_at = greatest(i.now, p.updated_at), stored_at = greatest(p.stored_at, now()),
        schema_version = i.schema_version, gtin14 = i.gtin14, sku = i.sku, search = i.search,
        last_correction = case when i.corrects then i.version_no + 1 else p.last_correction end,
        corrected_at = case when i.corrects then greatest(i.now, p.updated_at, now()) else p.corrected_at end
      from before b join input i on i.id = b.id
      where p.id = b.id and case when p.version_no = i.version_no then p.account_id = ${accountId} end
      returning p.id, p.version_no, p.updated_at, p.content_id, p.own, p.gtin14, i.content_hash, i.data, i.kind, i.note,
        i.changed, i.event_id, i.event, b.hash as hash_before, b.content_id as old_content_id, b.own as old_own,
        b.created_by as old_created_by, i.gtin14 is not null and i.gtin14 is distinct from b.gtin14 as claims_gtin
    ), claimed_gtin as (
      ${claimGtins(sql, sql`select gtin14, ${accountId}::int, id, updated_at from done where claims_gtin order by gtin14`)}
    ), new_contents as (
      insert into content (account_id, upto, id, owner_id, data)
      select ${accountId}::int, version_no, content_id, id, data from done where data is not null
      returning id, hash
    ), first_versions as (
      insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, kind, own, hash)
      select carnet_created_at(id), ${accountId}::int, 1, old_created_by, id, old_content_id, 'n', old_own, hash_before
      from done where version_no = 2
    ), new_versions as (
      insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, kind, own, note, changed, hash)
      select d.updated_at, ${accountId}::int, d.version_no, ${actorId}::int, d.id, d.content_id, d.kind, d.own, d.note, d.changed,
        ${nextHash(sql, {
          before: sql`d.hash_before`,
          versionNo: sql`d.version_no`,
          kind: sql`d.kind`,
          createdAt: sql`d.updated_at`,
          createdBy: sql`${actorId}::int`,
          contentHash: sql`coalesce(w.hash, decode(d.content_hash, 'hex'))`,
          own: sql`d.own`,
          note: sql`d.note`,
          changed: sql`d.changed`,
        })}
      from done d left join new_contents w on w.id = d.content_id
    ), ${alongside} new_events as (
      ${inBackground ? insertBackgroundEvents(sql) : insertEvents(sql)}
      select updated_at, ${accountId}::int, event_id, 'product.updated', event ${inBackground ? sql`, true` : sql``} from done
    ), rejected as (
      select carnet_refuse(jsonb_agg(id)::text) as nothing from done
      where claims_gtin and id not in (select model_id from claimed_gtin) having count(*) > 0
    )
    select d.id, d.updated_at, (select nothing from rejected) as nothing from done d`
}
