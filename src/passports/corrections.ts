/** The corrections of a passport, read off its history: what a version changed that set right what had been wrong. */
import type { AccountContext } from '../accounts/context.ts'
import type { Data } from './check-data.ts'
import type { Correction } from './inherit.ts'

/** Those after version `since` up to `until`, in order. A batch's refreshes set right what its units inherit, too. */
export async function correctionsSince(
  { sql, accountId }: AccountContext,
  ownerId: string,
  { since, until }: { since: number; until: number },
): Promise<Correction[]> {
  const rows = await sql<
    { changed: string[]; before: string; after: string; owned: string[]; upto: number; kind: string }[]
  >`
    select v.changed, coalesce(cb.data || b.own, cb.data)::text as before, coalesce(ca.data || v.own, ca.data)::text as after,
      array(select jsonb_object_keys(v.own)) as owned, ca.upto, v.kind
    from passport_version v
    join passport_version b on b.passport_id = v.passport_id and b.account_id = v.account_id and b.version_no = v.version_no - 1
    join content ca on ca.id = v.content_id and ca.account_id = v.account_id
    join content cb on cb.id = b.content_id and cb.account_id = b.account_id
    where v.passport_id = ${ownerId} and v.account_id = ${accountId} and v.version_no > ${since} and v.version_no <= ${until}
      and v.kind in ('c', 'r') and v.changed <> '{}'
    order by v.version_no`
  return rows.map(row => ({
    fields: row.changed,
    before: JSON.parse(row.before) as Data,
    after: JSON.parse(row.after) as Data,
    owned: row.owned,
    upto: row.upto,
    isRefresh: row.kind === 'r',
  }))
}
