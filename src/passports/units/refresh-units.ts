/** Moving units from an outdated content to the one that takes its place, five hundred in a statement. */
import type { AccountContext } from '../../accounts/context.ts'
import { findCategory } from '../../categories/catalogue.ts'
import { type Sql, withRetries } from '../../kernel/db/database.ts'
import { AppError, assert, type Detail } from '../../kernel/errors.ts'
import { idFromUuid, newUuid } from '../../kernel/ids.ts'
import { buildPassportEvent, insertBackgroundEvents } from '../../webhooks/insert-events.ts'
import { checkData, type PassportData, requireCategory } from '../core/check-data.ts'
import { firstHash, nextHash } from '../core/hash-chain.ts'
import { creationTime } from '../core/record.ts'
import { addUnitCounts } from '../core/unit-counts.ts'
import { dropCachedHead } from '../read/public-passport.ts'
import type { NewContent } from './refresh-content.ts'

/** More in a statement pauses everyone else's. */
const BATCH_SIZE = 500
/** Found at a time: to look for each step's units apart costs as much again where many read meanwhile. */
const MAX_FOUND = 4 * BATCH_SIZE

/** What they have set themselves is a few hundred bytes each; of the largest, 2,000 would be more than a process has. */
const MAX_FOUND_BYTES = 16 * 1024 * 1024

export type FailedUnit = { id: string; error: string; errors: readonly Detail[] }
export type SkippedUnit = { id: string; fields: readonly string[] }
export type Moved = { refreshed: number; skipped: SkippedUnit[]; failed: FailedUnit[] }

type Unit = {
  id: string
  version_no: number
  /** Of the version it is at, where that has a row. */
  hash: string | null
  created_by: number
  level: 'b' | 'i'
  category: string
  schema_version: number
  lot: string | null
  own: string | null
}

export type RefreshBatch = readonly Unit[]

/** A unit that may be moved: what is written about it goes with the version it was read at. */
type Ready = Pick<Unit, 'id' | 'version_no' | 'created_by'> & Readonly<Record<string, unknown>>

export type RefreshTask = {
  from: string
  to: NewContent
  /** Only these units, or all of one level. */
  only: { id: string } | { level: 'b' | 'i' }
  /** Units that failed before: they stay where they are. */
  except: readonly string[]
  /** The job this is done for; it counts what is moved in the same statement, so that a kill leaves it right. */
  jobId: string | undefined
}

/** Some of the units still on the old content, in steps to be moved one by one. None means that all are done. */
export async function findBatches(ctx: AccountContext, wish: RefreshTask): Promise<RefreshBatch[]> {
  const units = await findUnits(ctx, wish)
  const count = Math.ceil(units.length / BATCH_SIZE)
  return Array.from({ length: count }, (_, i) => units.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE))
}

/** Moves the units of a step, as far as they are as they were found. */
export async function refreshBatch(
  ctx: AccountContext,
  wish: RefreshTask,
  units: RefreshBatch,
): Promise<Moved> {
  const { data, changed, skipped } = wish.to.corrected
  const failed: FailedUnit[] = []
  const ready: Ready[] = []
  const verdict = createChecker(data)
  const now = ctx.clock.now()
  for (const unit of units) {
    const own = unit.own === null ? {} : (JSON.parse(unit.own) as PassportData)
    const result = verdict(unit, own)
    if (result instanceof AppError) {
      failed.push({ id: idFromUuid(unit.id), error: result.message, errors: result.details ?? [] })
      continue
    }
    ready.push({
      id: unit.id,
      version_no: unit.version_no,
      created_by: unit.created_by,
      created_at: creationTime(unit.id).toISOString(),
      hash: unit.hash,
      event_id: newUuid(now.getTime()),
      changed: unit.own === null ? changed : changed.filter(field => !Object.hasOwn(own, field)),
      search: unit.level === 'b' ? `${result.search}\n${(unit.lot ?? '').toLowerCase()}` : null,
      event: buildPassportEvent({
        id: idFromUuid(unit.id),
        category: unit.category,
        version_no: unit.version_no + 1,
      }),
    })
  }
  const refreshed = ready.length === 0 ? [] : await withRetries(() => move(ctx, wish, ready, now))
  for (const { id } of refreshed) dropCachedHead(ctx.sql, id)
  const skips =
    skipped.length === 0 ? [] : refreshed.map(({ id }) => ({ id: idFromUuid(id), fields: skipped }))
  return { refreshed: refreshed.length, skipped: skips, failed }
}

async function findUnits(
  { sql, accountId }: AccountContext,
  { from, only, except }: RefreshTask,
): Promise<Unit[]> {
  const which = 'id' in only ? sql`and p.id = ${only.id}` : sql`and p.level = ${only.level}::text::"char"`
  const units = await sql<Omit<Unit, 'hash'>[]>`
    with unit as materialized (
      select p.id, p.version_no, p.created_by, p.level, p.category, p.schema_version, p.lot, p.own::text as own from passport p
      where p.account_id = ${accountId} and p.content_id = ${from} and p.parent_id is not null ${which}
        ${except.length === 0 ? sql`` : sql`and p.id <> all(${except as string[]}::text[]::uuid[])`}
      limit ${MAX_FOUND}
    ), weighed as (
      select *, sum(coalesce(octet_length(own), 0)) over (rows unbounded preceding) - coalesce(octet_length(own), 0) as before from unit
    )
    select id, version_no, created_by, level, category, schema_version, lot, own from weighed where before < ${MAX_FOUND_BYTES}`
  const heads = await readHeadHashes(
    sql,
    accountId,
    units.filter(unit => unit.version_no > 1),
  )
  return units.map(unit => ({ ...unit, hash: heads.get(`${unit.id} ${unit.version_no}`) ?? null }))
}

/** By `id number`. Two arrays and no join: a plan made while there were few would walk all versions for each unit. */
async function readHeadHashes(
  sql: Sql,
  accountId: number,
  units: readonly Pick<Unit, 'id' | 'version_no'>[],
): Promise<Map<string, string>> {
  if (units.length === 0) return new Map()
  const numbers = [...new Set(units.map(unit => unit.version_no))]
  const rows = await sql<{ passport_id: string; version_no: number; hash: string }[]>`
    select passport_id, version_no, encode(hash, 'hex') as hash from passport_version
    where passport_id = any(${units.map(unit => unit.id)}::text[]::uuid[]) and version_no = any(${numbers}::int[])
      and account_id = ${accountId}`
  return new Map(rows.map(row => [`${row.passport_id} ${row.version_no}`, row.hash]))
}

type CheckResult = AppError | { search: string }

/** A unit without fields of its own reads as all others do: checked once for them together. */
function createChecker(data: PassportData): (unit: Unit, own: PassportData) => CheckResult {
  let plain: CheckResult | undefined
  const check = (unit: Unit, own: PassportData): CheckResult => {
    try {
      assert(findCategory(unit.category), 'the category of a stored unit is known')
      const options = { strict: false, validatedWith: unit.schema_version }
      return checkData(requireCategory(unit.category), { ...data, ...own }, options)
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }
  return (unit, own) => {
    if (unit.own !== null) return check(unit, own)
    plain ??= check(unit, own)
    return plain
  }
}

/**
 * Those that were still as they were read; the others changed meanwhile and are met again. The ids as an array, and all
 * else in a `case` that no index answers, leave the primary key as the way to them: a plan made while there were few
 * walked all the units of the content for each of the 500.
 */
async function move(
  ctx: AccountContext,
  { from, to, jobId }: RefreshTask,
  ready: readonly Ready[],
  now: Date,
): Promise<{ id: string }[]> {
  const { sql, accountId, actorId } = ctx
  const ids = ready.map(one => one.id)
  return sql<{ id: string }[]>`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(ready)}::text::jsonb)
        as r(id uuid, version_no int, created_by int, created_at timestamptz, hash text, event_id uuid, changed text[], search text, event jsonb)
    ), hashes as materialized (
      select (select hash from content where id = ${from} and account_id = ${accountId}) as before,
        (select hash from content where id = ${to.id} and account_id = ${accountId}) as after
    ), moved as (
      update passport p set version_no = p.version_no + 1, content_id = ${to.id}, created_by = ${actorId},
        updated_at = greatest(${now}::timestamptz, p.updated_at), search = coalesce(i.search, p.search),
        units_content_id = null, stored_at = greatest(p.stored_at, now())
      from input i
      where p.id = any(${ids}::text[]::uuid[]) and p.id = i.id
        and case when p.version_no = i.version_no then p.account_id = ${accountId} and p.content_id = ${from} end
      returning p.id, p.version_no, p.updated_at, p.own, p.level, p.category, p.model_id, p.parent_id, p.lot, p.serial,
        i.hash, i.changed, i.event_id, i.event, i.created_at, i.created_by
    ), headed as (
      select m.id, case when m.version_no > 2 then decode(m.hash, 'hex') else ${firstHash(sql, {
        of: sql`m`,
        createdAt: sql`m.created_at`,
        createdBy: sql`m.created_by`,
        contentHash: sql`h.before`,
      })} end as head from moved m, hashes h
    ), first_version as (
      insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, kind, own, hash)
      select m.created_at, ${accountId}::int, 1, m.created_by, m.id, ${from}::uuid, 'n', m.own, b.head
      from moved m join headed b using (id) where m.version_no = 2
    ), this_version as (
      insert into passport_version (created_at, account_id, version_no, created_by, passport_id, content_id, kind, own, changed, hash)
      select m.updated_at, ${accountId}::int, m.version_no, ${actorId}::int, m.id, ${to.id}::uuid, 'r', m.own, m.changed,
        ${nextHash(sql, {
          before: sql`b.head`,
          versionNo: sql`m.version_no`,
          kind: sql`'r'::"char"`,
          createdAt: sql`m.updated_at`,
          createdBy: sql`${actorId}::int`,
          contentHash: sql`h.after`,
          own: sql`m.own`,
          note: sql`null::text`,
          changed: sql`m.changed`,
        })}
      from moved m join headed b using (id), hashes h
    ), used as (
      ${addUnitCounts(sql, sql`select ${accountId}::int, id, n * (select count(*) from moved) from (values (${from}::uuid, -1), (${to.id}::uuid, 1)) as v(id, n) order by id`)}
    ), told as (
      update refresh_job set refreshed = refreshed + (select count(*) from moved), alive_at = ${now}
      where account_id = ${accountId} and id = ${jobId ?? null}::uuid
    ), announced as (
      ${insertBackgroundEvents(sql)}
      select updated_at, ${accountId}::int, event_id, 'product.updated', event, true from moved
    )
    select id from moved`
}
