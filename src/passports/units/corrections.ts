/** Reads the corrections of a passport from its history. */
import type { AccountContext } from '../../accounts/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import type { Correction } from '../core/inherit.ts'

/** Bounds how much of a history is read. */
export type CorrectionBounds = { maxCorrections: number; maxBytes: number }

type CorrectionRow = {
  changed: string[]
  /** Null beyond the bounds. */
  before: string | null
  after: string | null
  owned: string[]
  upto: number
  kind: string
}

/**
 * The corrections after version `since` up to `until`, in order, with only the corrected fields. A batch's refreshes
 * count as corrections for its units. Undefined beyond the bounds.
 */
export async function findCorrections(
  { sql, accountId }: Pick<AccountContext, 'sql' | 'accountId'>,
  ownerId: string,
  { since, until }: { since: number; until: number },
  bounds?: CorrectionBounds,
): Promise<Correction[] | undefined> {
  const corrected = (data: Fragment) => sql`
    coalesce((select jsonb_object_agg(f, ${data} -> f) from unnest(v.changed) f where jsonb_exists(${data}, f)), '{}')::text`
  const isWithin = sql`bytes <= coalesce(${bounds?.maxBytes ?? null}::bigint, bytes)`
  const rows = await sql<CorrectionRow[]>`
    with correction as (
      select v.version_no, v.changed, v.kind, ca.upto, array(select jsonb_object_keys(v.own)) as owned,
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
      owned, upto, kind
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
  }))
}
