/** An earlier state of a passport for whoever may see the passport: its data of then, under the address and status of now. */
import type { Sql } from '../kernel/db.ts'
import type { PublicPassportRow } from './find.ts'

type Then = Pick<PublicPassportRow, 'version_no' | 'updated_at' | 'gtin' | 'data' | 'own_keys' | 'own_fields'>

/** The passport as version `versionNo` read; undefined when there is no such version. */
export async function readPublicVersion(
  sql: Sql,
  current: PublicPassportRow,
  versionNo: number,
): Promise<PublicPassportRow | undefined> {
  if (versionNo === current.version_no) return current
  if (!(versionNo >= 1 && versionNo < current.version_no)) return undefined
  const [then] = await sql<Then[]>`
    select v.version_no, v.created_at as updated_at, c.data->>'gtin' as gtin,
      coalesce(c.data || v.own, c.data)::text as data,
      case when v.own is not null then array(select jsonb_object_keys(v.own)) end as own_keys, c.own_fields
    from passport_version v join content c on c.id = v.content_id and c.account_id = v.account_id
    where v.passport_id = ${current.id} and v.account_id = ${current.account_id} and v.version_no = ${versionNo}`
  // Whether a correction was missing then says nothing to whoever reads what is no longer current.
  return then === undefined ? undefined : { ...current, ...then, outdated: false }
}
