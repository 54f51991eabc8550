/** An earlier version for anyone who may see the passport: its data of then, under its current address and status. */
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import { knownData, knownNames } from '../core/columns.ts'
import { findWholePassport, type PublicPassportRow } from './find.ts'

type Then = Pick<PublicPassportRow, 'version_no' | 'updated_at' | 'gtin' | 'data' | 'own_keys' | 'own_fields'>

type Key = { passport: PublicPassportRow; versionNo: number }

/** One in a statement, two at a time: earlier versions are rarely read, and their data may be large. */
const versions = perDatabase((sql: Sql) => ({
  disclosable: createBatchLoader(
    ([key]: readonly Key[]) => load(sql, key, knownData(sql, dataOf(sql))),
    2,
    1,
  ),
  whole: createBatchLoader(([key]: readonly Key[]) => load(sql, key, sql`${dataOf(sql)}::text`), 2, 1),
}))

/** The passport as version `versionNo` read, without free-form keys; undefined if there is no such version. */
export const readPublicVersion = async (
  sql: Sql,
  current: PublicPassportRow,
  versionNo: number,
): Promise<PublicPassportRow | undefined> =>
  versionNo === current.version_no ? current : versions(sql).disclosable({ passport: current, versionNo })

/** The same with all data, for a reader with an access link. */
export const readWholeVersion = async (
  sql: Sql,
  current: PublicPassportRow,
  versionNo: number,
): Promise<PublicPassportRow | undefined> =>
  versionNo === current.version_no
    ? findWholePassport(sql, current.id)
    : versions(sql).whole({ passport: current, versionNo })

const dataOf = (sql: Sql): Fragment => sql`coalesce(c.data || v.own, c.data)`

async function load(
  sql: Sql,
  key: Key | undefined,
  data: Fragment,
): Promise<[PublicPassportRow | undefined]> {
  if (key === undefined || !(key.versionNo >= 1 && key.versionNo < key.passport.version_no))
    return [undefined]
  const { passport, versionNo } = key
  const [then] = await sql<Then[]>`
    select v.version_no, v.created_at as updated_at, c.data->>'gtin' as gtin, ${data} as data,
      case when v.own is not null then ${knownNames(sql, sql`array(select jsonb_object_keys(v.own))`)} end as own_keys,
      ${knownNames(sql, sql`c.own_fields`)} as own_fields
    from passport_version v join content c on c.id = v.content_id and c.account_id = v.account_id
    where v.passport_id = ${passport.id} and v.account_id = ${passport.account_id} and v.version_no = ${versionNo}`
  // The reader asked for old data, so it is not marked as outdated.
  return [then === undefined ? undefined : { ...passport, ...then, outdated: false }]
}
