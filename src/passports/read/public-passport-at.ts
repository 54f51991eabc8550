/** Passports as they were at a time, or in a version, for readers of public documents. */
import { selectAudienceProfile } from '../../accounts/account/audience-profile.ts'
import { selectWithdrawnFiles } from '../../accounts/account/withdrawn-files.ts'
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import { findInShards, getShardNumber } from '../../kernel/db/shards.ts'
import { selectRecalls } from '../core/recalls.ts'
import type { ReadableRow } from './build-reading.ts'
import { joinParents, parentColumns } from './find.ts'
import {
  createLookUp,
  type Load,
  type Loaded,
  selectAllData,
  selectDisclosableData,
  selectSmallData,
} from './look-up.ts'

/** A version of the past. `shard`: where it was found; null: the shared database. */
export type PastRow = ReadableRow & { shard: number | null }

/** `at`: microseconds since 1970. `withAllData`: also large free-form keys. */
type Options = { withAllData: boolean }

/** A passport by its UUID, at a time or in a version. */
type Key = { id: string } & ({ at: number; versionNo: null } | { at: null; versionNo: number })

const lookUps = perDatabase((sql: Sql) => ({
  disclosable: createLookUp(readPast(sql, selectSmallData), readPast(sql, selectDisclosableData), {
    maxInFlight: 1,
  }),
  whole: createLookUp(readPast(sql, selectSmallData), readPast(sql, selectAllData), { maxInFlight: 1 }),
}))

const find = (sql: Sql, key: Key, { withAllData }: Options): Promise<PastRow | undefined> =>
  findInShards(sql, key.id, shard => lookUps(shard)[withAllData ? 'whole' : 'disclosable'](key))

/**
 * The version that was current at `at`, with the status of that time; undefined before the passport was
 * created. Never outdated: the reader asked for old data.
 */
export const findPassportAt = (sql: Sql, id: string, at: number, options: Options) =>
  find(sql, { id, at, versionNo: null }, options)

/** The version of this number, with the status that the passport had when the next version was written. */
export const findPassportVersion = (sql: Sql, id: string, versionNo: number, options: Options) =>
  find(sql, { id, at: null, versionNo }, options)

/**
 * Nothing was changed after `updated_at`, so later times need no history. Version 1 has no row of its own
 * until version 2 is written. A passport whose first status is active was a draft before.
 */
const readPast =
  (sql: Sql, selectData: (sql: Sql, own: Fragment) => Fragment): Load<Key, PastRow> =>
  async keys => {
    const rows = await sql<(Loaded<PastRow> & { n: number })[]>`
      select k.n::int, p.id, p.account_id, p.created_by, p.parent_id, p.model_id, p.level, p.category, p.lot, p.serial,
        v.version_no, v.schema_version, v.status, v.updated_at, false as outdated, c.data->>'gtin' as gtin,
        ${selectData(sql, sql`v.own`)} as data, ${selectAudienceProfile(sql)} as audience_profile,
        ${selectWithdrawnFiles(sql)} as withdrawn_files, p.dpp_id,
        p.version_no as newest_version_no, ${selectRecalls(sql)} as recalls, ${parentColumns(sql)}
      from unnest(${keys.map(({ id }) => id)}::text[]::uuid[], ${keys.map(({ at }) => at)}::float8[],
        ${keys.map(({ versionNo }) => versionNo)}::int[]) with ordinality as k(id, at, version_no, n)
      cross join lateral (select * from passport where id = k.id limit 1) p
      cross join lateral (select case when k.at is not null then timestamptz 'epoch' + k.at * interval '1 microsecond'
        else coalesce((select w.created_at - interval '1 microsecond' from passport_version w
          where w.passport_id = p.id and w.account_id = p.account_id and w.version_no = k.version_no + 1), 'infinity') end as at
        offset 0) t
      cross join lateral (
        select p.version_no, p.schema_version, p.content_id, p.own, p.status, p.updated_at
        where t.at >= p.updated_at and coalesce(k.version_no, p.version_no) = p.version_no
        union all
        select old.version_no, old.schema_version, old.content_id, old.own, coalesce(s.status, 'a'),
          greatest(old.created_at, s.changed_at)
        from (${selectOldVersion(sql)}) old
        left join lateral (
          select status, changed_at from passport_status
          where passport_id = p.id and account_id = p.account_id and changed_at <= t.at
          order by changed_at desc limit 1) s on true
        where t.at < p.updated_at and (s.status is not null or (
          select first.status from passport_status first where first.passport_id = p.id and first.account_id = p.account_id
          order by first.changed_at limit 1) is distinct from 'a')) v
      join content c on c.id = v.content_id and c.account_id = p.account_id ${joinParents(sql)}`
    const shard = getShardNumber(sql)
    const found = new Map(rows.map(({ n, ...row }) => [n, Object.assign(row, { shard })]))
    return keys.map((_, i) => found.get(i + 1))
  }

/** The last version of `p` until `t.at`, or the one of `k`. */
const selectOldVersion = (sql: Sql): Fragment => sql`
  (select 1 as version_no, p.schema_version, p.content_id, p.own, carnet_created_at(p.id) as created_at
    where p.version_no = 1 and coalesce(k.version_no, 1) = 1 and carnet_created_at(p.id) <= t.at)
  union all
  (select w.version_no, w.schema_version, w.content_id, w.own, w.created_at from passport_version w
    where p.version_no > 1 and w.passport_id = p.id and w.account_id = p.account_id
      and w.version_no <= coalesce(k.version_no, p.version_no) and p.version_no >= coalesce(k.version_no, 1)
      and (k.version_no is not null or w.created_at <= t.at)
    order by w.version_no desc limit 1)`
