/** Computes the content that replaces an outdated one, once for all units with it. */
import type { AccountContext } from '../../accounts/account/context.ts'
import { newUuid } from '../../kernel/crypto/ids.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import { assert } from '../../kernel/errors/errors.ts'
import type { PassportData } from '../core/check-data.ts'
import { dropFreeFormKeys } from '../core/columns.ts'
import { applyCorrections, type Corrected, type Correction } from '../core/inherit.ts'

/** An outdated content, and the current versions of its owner and of the owner's model. */
export type OldContent = {
  id: string
  owner_id: string
  model_id: string
  upto: number
  model_upto: number | null
  own_fields: string[] | null
  data: PassportData
  /** Hex. */
  hash: string
  owner_version: number
  model_version: number
}

/** `hash`: hex. */
export type NewContent = { id: string; hash: string; corrected: Corrected }

export type ContentReader = Pick<AccountContext, 'sql' | 'accountId'>

/** Contents by id, with the current versions of their owners. */
export const readContents = (ctx: ContentReader, ids: readonly string[]): Promise<OldContent[]> =>
  selectContentsWithOwners(ctx, ctx.sql`select unnest(${[...ids]}::text[]::uuid[])`)

/** The inherited data of a unit, without free-form keys. */
export async function readContentOfUnit(ctx: ContentReader, uuid: string): Promise<OldContent | undefined> {
  const { sql, accountId } = ctx
  const ids = sql`
    select content_id from passport where id = ${uuid} and account_id = ${accountId} and parent_id is not null`
  const [content] = await selectContentsWithOwners(ctx, ids, dropFreeFormKeys(sql, sql`c.data`))
  return content
}

/** With `limit 1`, a plan made without statistics reads the owners by their keys. */
async function selectContentsWithOwners(
  { sql, accountId }: ContentReader,
  ids: Fragment,
  data = sql`c.data::text`,
): Promise<OldContent[]> {
  const rows = await sql<(Omit<OldContent, 'data'> & { data: string })[]>`
    select c.id, c.owner_id, o.model_id, c.upto, c.model_upto, c.own_fields, ${data} as data, encode(c.hash, 'hex') as hash,
      o.version_no as owner_version, m.version_no as model_version
    from content c
    cross join lateral (
      select id, model_id, version_no from passport where id = c.owner_id and account_id = c.account_id limit 1) o
    cross join lateral (select version_no from passport where id = o.model_id and account_id = c.account_id limit 1) m
    where c.id = any(array(${ids})) and c.account_id = ${accountId}`
  return rows.map(row => ({ ...row, data: JSON.parse(row.data) }))
}

/** The content that replaces an outdated one; the first call creates it. */
export async function getRefreshedContent(ctx: AccountContext, old: OldContent): Promise<NewContent> {
  const isOfBatch = old.model_upto !== null
  const pending = await computeCorrections(ctx, old)
  assert(pending, 'without bounds all corrections are read')
  const { corrected } = pending
  const id = newUuid(ctx.clock.now().getTime())
  const [row] = await ctx.sql<{ id: string; hash: string }[]>`
    with existing as (
      select id, hash from content
      where owner_id = ${old.owner_id} and account_id = ${ctx.accountId} and upto = ${old.owner_version}
        and model_upto is not distinct from ${isOfBatch ? old.model_version : null}::int and from_id = ${old.id}
      limit 1
    ), inserted as (
      insert into content (account_id, upto, model_upto, id, owner_id, from_id, own_fields, data)
      select ${ctx.accountId}::int, ${old.owner_version}::int, ${isOfBatch ? old.model_version : null}::int, ${id}::uuid,
        ${old.owner_id}::uuid, ${old.id}::uuid, ${isOfBatch ? [...corrected.ownFields] : null}::text[],
        ${JSON.stringify(corrected.data)}::text::jsonb
      where not exists (select 1 from existing)
      returning id, hash
    )
    select id, encode(hash, 'hex') as hash from (select * from existing union all select * from inserted) found`
  assert(row, 'a content is found or inserted')
  return { ...row, corrected }
}

/** The corrected content, and whether its batch made a correction. Undefined if it would exceed `bounds`. */
export async function computeCorrections(
  ctx: ContentReader,
  old: OldContent,
  bounds?: CorrectionBounds,
): Promise<{ corrected: Corrected; byBatch: boolean } | undefined> {
  const own = { since: old.upto, until: old.owner_version }
  const batch = old.model_upto === null ? [] : await findCorrections(ctx, old.owner_id, own, bounds)
  if (batch === undefined) return undefined
  const inheritedVersion = old.model_upto ?? old.upto
  // A field that the batch no longer sets may come from an older version of the model.
  const oldest = Math.min(inheritedVersion, ...batch.map(correction => correction.inheritedVersion))
  const range = { since: oldest, until: old.model_version }
  const model = await findCorrections(ctx, old.model_id, range, bounds)
  if (model === undefined) return undefined
  const corrected = applyCorrections(
    { data: old.data, ownFields: old.own_fields ?? [], inheritedVersion },
    { batch, model },
  )
  return { corrected, byBatch: batch.some(correction => !correction.isRefresh) }
}

/** Bounds how much of a history is read. */
type CorrectionBounds = { maxCorrections: number; maxBytes: number }

type CorrectionRow = {
  changed: string[]
  /** Null beyond the bounds. */
  before: string | null
  after: string | null
  owned: string[]
  upto: number
  kind: string
  schema_version: number
}

/**
 * The corrected fields of the versions after `since` up to `until`, in order, including a batch's refreshes.
 * Undefined beyond the bounds.
 */
export async function findCorrections(
  { sql, accountId }: ContentReader,
  ownerId: string,
  { since, until }: { since: number; until: number },
  bounds?: CorrectionBounds,
): Promise<Correction[] | undefined> {
  const corrected = (data: Fragment) => sql`
    coalesce((select jsonb_object_agg(f, ${data} -> f) from unnest(v.changed) f where jsonb_exists(${data}, f)), '{}')::text`
  const isWithin = sql`bytes <= coalesce(${bounds?.maxBytes ?? null}::bigint, bytes)`
  const rows = await sql<CorrectionRow[]>`
    with correction as (
      select v.version_no, v.changed, v.kind, v.schema_version, ca.upto, array(select jsonb_object_keys(v.own)) as owned,
        ${corrected(sql`coalesce(cb.data || b.own, cb.data)`)} as before,
        ${corrected(sql`coalesce(ca.data || v.own, ca.data)`)} as after
      from passport_version v
      join passport_version b on b.passport_id = v.passport_id and b.account_id = v.account_id and b.version_no = v.version_no - 1
      join content ca on ca.id = v.content_id and ca.account_id = v.account_id
      join content cb on cb.id = b.content_id and cb.account_id = b.account_id
      where v.passport_id = ${ownerId} and v.account_id = ${accountId} and v.version_no > ${since} and v.version_no <= ${until}
        and v.kind in ('c', 'r') and v.changed <> '{}'
      order by v.version_no limit ${bounds === undefined ? null : bounds.maxCorrections + 1}::int
    ), weighed as (
      select *, sum(octet_length(before) + octet_length(after)) over (order by version_no) as bytes from correction
    )
    select changed, case when ${isWithin} then before end as before, case when ${isWithin} then after end as after,
      owned, upto, kind, schema_version
    from weighed order by version_no`
  if (bounds !== undefined && rows.length > bounds.maxCorrections) return undefined
  if (rows.some(row => row.before === null)) return undefined
  return rows.map(row => ({
    fields: row.changed,
    before: JSON.parse(row.before ?? '{}'),
    after: JSON.parse(row.after ?? '{}'),
    batchFields: row.owned,
    inheritedVersion: row.upto,
    isRefresh: row.kind === 'r',
    schemaVersion: row.schema_version,
  }))
}
