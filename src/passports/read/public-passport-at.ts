/** Passports as they were at a time, or in a version, for readers of public documents. */
import { selectAudienceProfile } from '../../accounts/audience-profile.ts'
import { type Fragment, perDatabase, type Sql } from '../../kernel/db/database.ts'
import { getShard } from '../../kernel/db/shards.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import { dropFreeFormKeys } from '../core/columns.ts'
import type { ReadableRow } from './build-reading.ts'
import { type PublicPassportRow, selectParentGtins } from './find.ts'

/** Each reads one passport with all its data. */
const permits = perDatabase(() => new Semaphore({ capacity: 4 }))

/** `withAllData`: with free-form keys and fields that the public may not see. */
type Options = { withAllData: boolean }

type Place = Pick<PublicPassportRow, 'id' | 'account_id' | 'shard'>

/**
 * The version that was current at `at`, a time that PostgreSQL reads, with the status of that time; undefined
 * before the passport was created. Never outdated: the reader asked for old data.
 */
export function findPassportAt(
  sql: Sql,
  passport: Place,
  at: string,
  options: Options,
): Promise<ReadableRow | undefined> {
  const shard = getShard(sql, passport.shard)
  return readVersion(shard, passport, shard`v.created_at <= ${at}::text::timestamptz`, at, options)
}

/** The version of this number, with the status that the passport had when the next version was written. */
export async function findPassportVersion(
  sql: Sql,
  passport: Place,
  versionNo: number,
  options: Options,
): Promise<ReadableRow | undefined> {
  const shard = getShard(sql, passport.shard)
  const [next] = await shard<{ at: string }[]>`
    select (created_at - interval '1 microsecond')::text as at from passport_version
    where passport_id = ${passport.id} and account_id = ${passport.account_id} and version_no = ${versionNo + 1}`
  const isWanted = shard`v.version_no = ${versionNo}`
  return readVersion(shard, passport, isWanted, next?.at ?? 'infinity', options)
}

/**
 * Version 1 has no row of its own until version 2 is written. A passport whose first status is active was a
 * draft before.
 */
async function readVersion(
  sql: Sql,
  { id, account_id }: Place,
  isWanted: Fragment,
  at: string,
  { withAllData }: Options,
): Promise<ReadableRow | undefined> {
  const whole = sql`coalesce(c.data || v.own, c.data)`
  const [row] =
    (await permits(sql).run(
      () => sql<ReadableRow[]>`
      select p.id, p.account_id, p.created_by, p.parent_id, p.model_id, p.level, p.category, p.lot, p.serial,
        v.version_no, v.schema_version, coalesce(s.status, 'a') as status,
        greatest(v.created_at, s.changed_at) as updated_at, false as outdated, c.data->>'gtin' as gtin,
        ${withAllData ? sql`${whole}::text` : dropFreeFormKeys(sql, whole)} as data,
        ${selectAudienceProfile(sql)} as audience_profile, ${selectParentGtins(sql)}
      from (select * from passport where id = ${id} and account_id = ${account_id} limit 1) p
      cross join lateral (
        select v.* from (
          select 1 as version_no, p.schema_version, p.content_id, p.own, carnet_created_at(p.id) as created_at
          where p.version_no = 1
          union all
          select w.version_no, w.schema_version, w.content_id, w.own, w.created_at from passport_version w
          where p.version_no > 1 and w.passport_id = p.id and w.account_id = p.account_id) v
        where ${isWanted} order by v.version_no desc limit 1) v
      join content c on c.id = v.content_id and c.account_id = p.account_id
      left join lateral (
        select status, changed_at from passport_status
        where passport_id = p.id and account_id = p.account_id and changed_at <= ${at}::text::timestamptz
        order by changed_at desc limit 1) s on true
      left join lateral (
        select status from passport_status where passport_id = p.id and account_id = p.account_id
        order by changed_at limit 1) first on true
      where s.status is not null or first.status is distinct from 'a'`,
    )) ?? []
  return row
}
