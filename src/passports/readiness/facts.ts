/**
 * The facts of an account's active passports: `readiness_facts` has them for each content and for each unit
 * with own fields. Creates and changes do not write there; what is missing or of another version is written
 * behind them.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountContext } from '../../accounts/account/context.ts'
import { dropNewerKeys, findCategory } from '../../categories/catalogue.ts'
import { yieldBetweenRows } from '../../kernel/concurrency/yield-to-event-loop.ts'
import { type Fragment, type Sql, unprepared } from '../../kernel/db/database.ts'
import { getShardNumber } from '../../kernel/db/shards.ts'
import { type FactBits, getFactBits } from '../../readiness/fact-bits.ts'
import { getRules } from '../../readiness/rules.ts'
import { dropFreeFormKeys } from '../core/columns.ts'
import { hasGs1Address } from '../core/record.ts'
import type { FactGroup } from '../read/list-filter.ts'

type Account = Pick<AccountContext, 'sql' | 'accountId'>

/** By version. */
export const listFactBits = (): Map<number, FactBits> =>
  new Map(Array.from(getFactBits(getRules()).values(), bits => [bits.version, bits]))

/**
 * Rows of active passports: where their facts are (`kind`, `subject`, `version_no`), and how many (`n`).
 * Plain items are not read: they are all units of a content but the batches, those with own fields and the
 * archived ones. These are subtracted by a sum, as a join could become a nested loop over both.
 */
const selectSubjects = (sql: Sql, accountId: number): Fragment => sql`
  (with special as materialized (
    select id, content_id, level, status, version_no, true as has_own from passport
    where account_id = ${accountId} and own is not null and parent_id is not null
    union all
    select id, content_id, level, status, version_no, false from passport
    where account_id = ${accountId} and level = 'b' and own is null
    union all
    select id, content_id, level, status, version_no, false from passport
    where account_id = ${accountId} and status = 'x' and level = 'i' and own is null
  )
  select 'm'::"char" as level, 'c'::"char" as kind, p.content_id as subject, 0 as version_no, p.id as parent, 1::bigint as n
  from passport p where p.account_id = ${accountId} and p.level = 'm' and p.level <> 'i' and p.status = 'a'
  union all
  select s.level, case when s.has_own then 'u'::"char" else 'c'::"char" end,
    case when s.has_own then s.id else s.content_id end, case when s.has_own then s.version_no else 0 end,
    case when s.level = 'b' then s.id end, 1
  from special s where s.status = 'a'
  union all
  select 'i', 'c', u.content_id, 0, null, sum(u.n)::bigint
  from (
    select content_id, n from content_units where account_id = ${accountId}
    union all
    select content_id, -1 from special) u
  group by u.content_id having sum(u.n) > 0)`

/**
 * Subjects with their facts, if these are known. PostgreSQL has no nested loop for a full join: without
 * current statistics it chose one, and 2,000 models took four million steps. `coalesce` keeps the join a full
 * one, as it hides that rows without a subject are dropped.
 */
const selectWithFacts = (sql: Sql, accountId: number): Fragment => sql`
  (select s.*, f.facts_version, f.bits
  from ${selectSubjects(sql, accountId)} s
  full join (
    select kind, subject, version_no, facts_version, bits from readiness_facts
    where account_id = ${accountId} and facts_version = any(${[...listFactBits().keys()]}::int[])) f
    on f.kind = s.kind and f.subject = s.subject and f.version_no = s.version_no
  where coalesce(s.n, 0) > 0)`

/**
 * True if the parent `s.parent` has a child. Only the index by account and parent has the order that is asked
 * for. With `exists`, a plan without current statistics read the items of all accounts.
 */
export const hasChildren = (sql: Sql, accountId: number): Fragment => sql`
  coalesce(s.parent = (
    select child.parent_id from passport child
    where child.account_id = ${accountId} and child.parent_id is not null and child.parent_id >= s.parent
    order by child.parent_id limit 1), false)`

/** The groups of one shard, and the number of passports whose facts are not known yet. */
export async function groupByFacts({
  sql,
  accountId,
}: Account): Promise<{ groups: FactGroup[]; pending: number }> {
  const rows = await unprepared(
    sql<(Omit<FactGroup, 'shard' | 'category' | 'bits'> & { bits: Buffer | null })[]>`
    select s.level, s.facts_version, s.bits, sum(s.n)::bigint as n, count(*)::bigint as subjects,
      ${hasChildren(sql, accountId)} as has_children
    from ${selectWithFacts(sql, accountId)} s
    group by 1, 2, 3, 6`,
  )
  const shard = getShardNumber(sql)
  const byVersion = listFactBits()
  return {
    groups: rows.flatMap(({ bits, ...row }) => {
      const { category } = byVersion.get(row.facts_version) ?? {}
      return bits === null || category === undefined ? [] : [{ ...row, category, bits, shard }]
    }),
    pending: rows.filter(({ bits }) => bits === null).reduce((sum, { n }) => sum + n, 0),
  }
}

/** A content, or a unit with own fields. */
export type FactSubject = { kind: 'c' | 'u'; subject: string }

/** A million passports are searched in a second or two, so each search finds many. */
const MAX_FOUND = 20_000
const BATCH_SIZE = 100

/**
 * Writes the facts that are missing, the newest first, until none is or `goesOn` returns false, which is
 * asked between batches. Returns whether none is missing.
 */
export async function fillFacts(
  account: Account,
  goesOn: () => boolean | Promise<boolean>,
): Promise<boolean> {
  for (;;) {
    const missing = await findMissing(account)
    for (let i = 0; i < missing.length; i += BATCH_SIZE) {
      if (!(await goesOn())) return false
      await writeFacts(account, missing.slice(i, i + BATCH_SIZE))
    }
    if (missing.length < MAX_FOUND) return true
  }
}

const findMissing = ({ sql, accountId }: Account): Promise<FactSubject[]> =>
  unprepared(
    sql<FactSubject[]>`
    select distinct s.kind, s.subject from ${selectWithFacts(sql, accountId)} s
    where s.bits is null order by s.subject desc limit ${MAX_FOUND}`,
  )

type FactRow = FactSubject & {
  version_no: number
  category: string
  schema_version: number
  /** JSON text. */
  data: string
  gtin: string | null
  has_lot: boolean
}

type EncodedFacts = FactSubject & { version_no: number; facts_version: number; bits: Buffer }

/** Reads the data of subjects and makes facts of it. Subjects that are gone have none. */
export async function encodeFacts(
  account: Account,
  subjects: readonly FactSubject[],
): Promise<EncodedFacts[]> {
  const encoded: EncodedFacts[] = []
  const awaitTurn = yieldBetweenRows()
  for (const row of await readSources(account, subjects)) {
    await awaitTurn()
    const { has_lot: hasLot } = row
    const hasGtin = hasGs1Address(row)
    const category = findCategory(row.category, row.schema_version)
    const bits = getFactBits(getRules()).get(row.category)
    if (category === undefined || bits === undefined) continue
    const data = dropNewerKeys(category, JSON.parse(row.data))
    encoded.push({ ...row, facts_version: bits.version, bits: bits.encode({ data, hasGtin, hasLot }) })
  }
  return encoded
}

async function writeFacts(account: Account, subjects: readonly FactSubject[]): Promise<void> {
  const { sql, accountId } = account
  const written = await encodeFacts(account, subjects)
  // Sorted, so that processes that write the same rows do not wait for each other in a circle.
  written.sort((a, b) => (a.kind + a.subject < b.kind + b.subject ? -1 : 1))
  await sql`
    insert into readiness_facts (account_id, facts_version, version_no, kind, subject, bits)
    select ${accountId}::int, w.facts_version, w.version_no, w.kind::"char", w.subject, decode(w.bits, 'hex')
    from unnest(${written.map(row => row.facts_version)}::int[], ${written.map(row => row.version_no)}::int[],
      ${written.map(row => row.kind)}::text[], ${written.map(row => row.subject)}::text[]::uuid[],
      ${written.map(row => row.bits.toString('hex'))}::text[]) as w(facts_version, version_no, kind, subject, bits)
    on conflict (account_id, kind, subject) do update
    set facts_version = excluded.facts_version, version_no = excluded.version_no, bits = excluded.bits`
}

/**
 * Reads the current version of a unit, which may be newer than the missing one. What units inherit is read
 * once: merging 250 kB into each of 500 units took seconds.
 */
async function readSources(
  { sql, accountId }: Account,
  subjects: readonly FactSubject[],
): Promise<readonly FactRow[]> {
  const select = (kind: FactSubject['kind']) =>
    subjects.filter(one => one.kind === kind).map(one => one.subject)
  const [contents, units] = [select('c'), select('u')]
  const smallData = (data: Fragment) => sql`
    case when pg_column_size(${data}) < ${MAX_INLINE_BYTES} then (${data})::text else ${dropFreeFormKeys(sql, data)} end`
  const found = await Promise.all([
    contents.length === 0
      ? []
      : sql<FactRow[]>`
      select 'c' as kind, c.id as subject, 0 as version_no, o.category, o.schema_version, ${smallData(sql`c.data`)} as data,
        c.data->>'gtin' as gtin, o.level = 'b' as has_lot
      from content c join passport o on o.id = c.owner_id and o.account_id = c.account_id
      where c.account_id = ${accountId} and c.id = any(${contents}::text[]::uuid[])`,
    units.length === 0
      ? []
      : sql<FactRow[]>`
      with unit as materialized (
        select id, version_no, category, schema_version, lot, content_id, own from passport
        where account_id = ${accountId} and id = any(${units}::text[]::uuid[]) and own is not null
      ), inherited as materialized (
        select c.id, c.data->>'gtin' as gtin, ${smallData(sql`c.data`)} as data
        from content c where c.account_id = ${accountId} and c.id = any(array(select content_id from unit))
      )
      select 'u' as kind, u.id as subject, u.version_no, u.category, u.schema_version,
        (i.data::jsonb || ${smallData(sql`u.own`)}::jsonb)::text as data, i.gtin, u.lot is not null as has_lot
      from unit u join inherited i on i.id = u.content_id`,
  ])
  return found.flat()
}

/** Larger data may have large keys of the customer's own, which no rule asks for. */
const MAX_INLINE_BYTES = 8_192

/** How long an account is left alone after its passports were searched: times that duration. */
const REST_AFTER_SEARCH = 20
/** Between two batches, for the requests that the database also has to answer. */
const PAUSE_MS = 20

/** When a passport of the account `a` was last changed: an entry at the end of the index by level. */
const lastTouched = (sql: Sql, level: 'm' | 'b' | 'i'): Fragment => sql`(
  select greatest(p.updated_at, p.stored_at) from passport p
  where p.account_id = a.account_id and p.level = ${level}::text::"char" and p.updated_at > '-infinity'
  order by greatest(p.updated_at, p.stored_at) desc limit 1)`

/**
 * Writes the missing facts of all accounts of a shard that have changed since the last call. `seen` belongs
 * to this process: after a start, all accounts are searched once. Several processes may do this at once.
 */
export function createFactsTask(sql: Sql, isStopping: () => boolean) {
  const seen = new Map<number, { touched: number; restsUntil: number }>()
  return async (): Promise<void> => {
    const accounts = await sql<{ account_id: number; touched: Date | null }[]>`
      select a.account_id,
        greatest(${lastTouched(sql, 'm')}, ${lastTouched(sql, 'b')}, ${lastTouched(sql, 'i')}) as touched
      from (select distinct account_id from passport_count) a`
    for (const { account_id: accountId, touched } of accounts) {
      if (touched === null) continue
      const last = seen.get(accountId)
      const since = performance.now()
      if (last?.touched === touched.getTime() || (last?.restsUntil ?? 0) > since) continue
      const goesOn = async () => {
        await pause(PAUSE_MS)
        return !isStopping()
      }
      if (!(await fillFacts({ sql, accountId }, goesOn))) return
      const until = performance.now()
      seen.set(accountId, {
        touched: touched.getTime(),
        restsUntil: until + (until - since) * REST_AFTER_SEARCH,
      })
    }
  }
}
