/** Next versions of many models in one statement: each holds only if its model is still at the version it was made from. */
import type { AccountContext } from '../../accounts/context.ts'
import { findRefusalReason, withRetries } from '../../kernel/db/database.ts'
import { insertEvents } from '../../webhooks/insert-events.ts'
import { firstHash, nextHash } from '../core/hash-chain.ts'
import { creationTime, type PassportRow } from '../core/record.ts'
import { dropCachedHead } from '../read/public-passport.ts'
import type { NextVersion } from './update.ts'

/** A model as it was read, and what it becomes. */
export type Step = { current: PassportRow; next: NextVersion }

export type VersionsWritten = {
  /** UUIDs to the time the new version bears; a model in neither map was changed by another meanwhile. */
  written: Map<string, Date>
  /** UUIDs of those whose new GTIN another product holds. */
  taken: Set<string>
}

/** Writes what can be written; one whose GTIN is taken is left out and spoils no other. */
export async function writeVersions(ctx: AccountContext, steps: readonly Step[]): Promise<VersionsWritten> {
  const taken = new Set<string>()
  for (;;) {
    const rest = steps.filter(({ current }) => !taken.has(current.id))
    if (rest.length === 0) return { written: new Map(), taken }
    try {
      const rows = await withRetries(() => write(ctx, rest))
      for (const { id } of rows) dropCachedHead(ctx.sql, id)
      return { written: new Map(rows.map(row => [row.id, row.updated_at])), taken }
    } catch (error) {
      const refusal = findRefusalReason(error)
      if (refusal === undefined) throw error
      for (const id of JSON.parse(refusal) as string[]) taken.add(id)
    }
  }
}

/**
 * Rows are locked in the order of their ids, so that two calls with the same models never wait in a circle. What no
 * index answers stands in a `case`: it leaves the primary key as the only way to them.
 */
async function write(
  ctx: AccountContext,
  steps: readonly Step[],
): Promise<{ id: string; updated_at: Date }[]> {
  const { sql, accountId, actorId } = ctx
  const ids = steps.map(({ current }) => current.id)
  return sql<{ id: string; updated_at: Date }[]>`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(steps.map(inputOf))}::text::jsonb) as r(id uuid, version_no int,
        schema_version smallint, content_id uuid, data jsonb, gtin14 text, sku text, search text, corrects boolean,
        now timestamptz, created_at timestamptz, kind "char", note text, changed text[], event_id uuid, event jsonb)
    ), before as materialized (
      select p.id, p.content_id, p.created_by, p.gtin14, case when p.version_no > 1
          then (select hash from passport_version v
            where v.passport_id = p.id and v.account_id = ${accountId} and v.version_no = p.version_no)
          else ${firstHash(sql, {
            of: sql`p`,
            createdAt: sql`i.created_at`,
            createdBy: sql`p.created_by`,
            contentHash: sql`(select hash from content where id = p.content_id and account_id = ${accountId})`,
          })} end as head
      from passport p join input i on i.id = p.id
      where p.id = any(${ids}::text[]::uuid[]) and p.account_id = ${accountId} and p.version_no = i.version_no
      order by p.id for no key update of p
    ), done as (
      update passport p set version_no = i.version_no + 1, created_by = ${actorId}, units_content_id = null,
        content_id = i.content_id, updated_at = greatest(i.now, p.updated_at), stored_at = greatest(p.stored_at, now()),
        schema_version = i.schema_version, gtin14 = i.gtin14, sku = i.sku, search = i.search,
        last_correction = case when i.corrects then i.version_no + 1 else p.last_correction end,
        corrected_at = case when i.corrects then greatest(i.now, p.updated_at, now()) else p.corrected_at end
      from before b join input i on i.id = b.id
      where p.id = b.id and case when p.version_no = i.version_no then p.account_id = ${accountId} end
      returning p.id, p.updated_at, i.version_no, i.content_id, i.data, i.gtin14, i.created_at, i.kind, i.note, i.changed,
        i.event_id, i.event, b.content_id as old_content_id, b.created_by as old_created_by, b.head,
        i.gtin14 is not null and i.gtin14 is distinct from b.gtin14 as claims
    ), claim as (
      insert into gtin_claim (gtin14, account_id, model_id, claimed_at)
      select gtin14, ${accountId}::int, id, updated_at from done where claims order by gtin14
      on conflict (gtin14) do update set model_id = gtin_claim.model_id
        where gtin_claim.account_id = excluded.account_id and gtin_claim.model_id = excluded.model_id
      returning model_id
    ), written_content as (
      insert into content (account_id, upto, id, owner_id, data)
      select ${accountId}::int, version_no + 1, content_id, id, data from done
      returning id, hash
    ), first_version as (
      insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, kind, hash)
      select created_at, ${accountId}::int, 1, old_created_by, id, old_content_id, 'n', head from done where version_no = 1
    ), this_version as (
      insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, kind, note, changed, hash)
      select d.updated_at, ${accountId}::int, d.version_no + 1, ${actorId}::int, d.id, d.content_id, d.kind, d.note, d.changed,
        ${nextHash(sql, {
          before: sql`d.head`,
          versionNo: sql`d.version_no + 1`,
          kind: sql`d.kind`,
          createdAt: sql`d.updated_at`,
          createdBy: sql`${actorId}::int`,
          contentHash: sql`w.hash`,
          own: sql`null::jsonb`,
          note: sql`d.note`,
          changed: sql`d.changed`,
        })}
      from done d join written_content w on w.id = d.content_id
    ), announced as (
      ${insertEvents(sql)} select updated_at, ${accountId}::int, event_id, 'product.updated', event from done
    ), refused as (
      select carnet_refuse(jsonb_agg(id)::text) as nothing from done
      where claims and id not in (select model_id from claim) having count(*) > 0
    )
    select d.id, d.updated_at, (select nothing from refused) as nothing from done d`
}

const inputOf = ({ current, next }: Step) => ({
  id: current.id,
  version_no: current.version_no,
  schema_version: next.row.schema_version,
  content_id: next.content?.id,
  data: next.content?.data,
  gtin14: next.gtin14,
  sku: next.sku,
  search: next.search,
  corrects: next.corrects,
  now: next.now,
  created_at: creationTime(current.id),
  kind: next.kind,
  note: next.note,
  changed: next.changed,
  event_id: next.eventId,
  event: next.event,
})
