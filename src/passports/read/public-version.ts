/** Earlier versions for anyone who may see the passport, and a history that never names their authors. */

import { Semaphore } from '../../kernel/concurrency/semaphore.ts'
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { dropFreeFormKeys, dropFreeFormNames } from '../core/columns.ts'
import { readFirstTime, selectVersionTime } from '../core/publication.ts'
import type { PassportRow } from '../core/record.ts'
import { findWholePassport, type PublicPassportRow } from './find.ts'

type EarlierVersion = Pick<
  PublicPassportRow,
  'version_no' | 'updated_at' | 'gtin' | 'data' | 'unit_fields' | 'batch_fields'
>

/** Earlier versions are rarely read, and their data may be large. */
const permits = perDatabase(() => new Semaphore({ capacity: 2 }))

/** The passport as of version `versionNo`, without free-form keys; undefined without that version. */
export const readPublicVersion = async (
  sql: Sql,
  current: PublicPassportRow,
  versionNo: number,
): Promise<PublicPassportRow | undefined> =>
  versionNo === current.version_no
    ? current
    : readVersion(sql, current, versionNo, dropFreeFormKeys(sql, versionData(sql)))

/** An earlier version with all data, for a reader with an access link. */
export const readWholeVersion = async (
  sql: Sql,
  current: PublicPassportRow,
  versionNo: number,
): Promise<PublicPassportRow | undefined> =>
  versionNo === current.version_no
    ? findWholePassport(sql, current.id)
    : readVersion(sql, current, versionNo, sql`${versionData(sql)}::text`)

const versionData = (sql: Sql): Fragment => sql`coalesce(c.data || v.own, c.data)`

async function readVersion(
  sql: Sql,
  passport: PublicPassportRow,
  versionNo: number,
  data: Fragment,
): Promise<PublicPassportRow | undefined> {
  if (!(versionNo >= 1 && versionNo < passport.version_no)) return undefined
  const shard = getShard(sql, passport.shard)
  const rows = await permits(shard).run(
    () => shard<EarlierVersion[]>`
      select v.version_no, ${selectVersionTime(sql, passport)} as updated_at, v.schema_version, c.data->>'gtin' as gtin, ${data} as data,
        case when v.own is not null then ${dropFreeFormNames(sql, sql`array(select jsonb_object_keys(v.own))`)} end as unit_fields,
        ${dropFreeFormNames(sql, sql`c.own_fields`)} as batch_fields
      from passport_version v join content c on c.id = v.content_id and c.account_id = v.account_id
      where v.passport_id = ${passport.id} and v.account_id = ${passport.account_id} and v.version_no = ${versionNo}`,
  )
  const earlier = rows?.[0]
  // The reader asked for old data, so it is not marked as outdated.
  return earlier && { ...passport, ...earlier, outdated: false }
}

export type PublicVersion = {
  versionNo: number
  kind: 'first' | 'change' | 'correction'
  at: Date
  /** The top-level fields that it changed, also those that a reader may not see. */
  changed?: readonly string[]
}

/** Newest first; `total` includes versions that are not listed. */
export type PublicHistory = { versions: readonly PublicVersion[]; total: number }

const MAX_VERSIONS_SHOWN = 20

/** A refresh gives a unit the corrections of its model or batch. */
const KIND = { n: 'first', h: 'change', c: 'correction', r: 'correction' } as const

type VersionRow = { version_no: number; kind: keyof typeof KIND; created_at: Date; changed: string[] | null }

type Subject = Pick<PassportRow, 'id' | 'account_id' | 'version_no' | 'updated_at'>

/** The newest 20 versions of a passport up to its own. */
export async function readPublicHistory(
  sql: Sql,
  passport: Subject & Pick<PublicPassportRow, 'shard'>,
): Promise<PublicHistory> {
  const total = passport.version_no
  const shard = getShard(sql, passport.shard)
  if (total === 1)
    return { versions: [{ versionNo: 1, kind: 'first', at: await readFirstTime(shard, passport) }], total }
  const rows = await shard<VersionRow[]>`
    select v.version_no, v.kind, v.changed, ${selectVersionTime(sql, passport)} as created_at from passport_version v
    where v.passport_id = ${passport.id} and v.account_id = ${passport.account_id}
      and v.version_no <= ${total} and v.version_no > ${total - MAX_VERSIONS_SHOWN}
    order by v.version_no desc`
  return {
    versions: rows.map(row => ({
      versionNo: row.version_no,
      kind: KIND[row.kind],
      at: row.created_at,
      changed: row.changed ?? [],
    })),
    total,
  }
}
