/**
 * Creating model passports. The creates that wait go into one statement, whoever they are for: the quota counter of a
 * busy account is locked, and its commit waited for, once for many rows (4 times the throughput of one by one).
 */
import type { AccountContext } from '../accounts/context.ts'
import { takeRoom } from '../accounts/quota.ts'
import { coalesce } from '../kernel/coalesce.ts'
import { findRefusal, perDatabase, retrying, type Sql, sqlState } from '../kernel/db.ts'
import { AppError, type Detail } from '../kernel/errors.ts'
import { idFromUuid, newUuid } from '../kernel/ids.ts'
import { insertEvents, passportEvent } from '../webhooks/announce.ts'
import {
  type CheckedData,
  checkData,
  gtinTaken,
  requireCategory,
  requireData,
  withoutNulls,
} from './check-data.ts'
import type { PassportRow } from './record.ts'

/** `category` and `data` as they were sent, not yet checked. */
export type NewPassport = { category: unknown; data: unknown; strict: boolean }
export type Written = { passport: PassportRow; warnings: readonly Detail[] }

/**
 * Creates a model passport, its first version and its `product.created` event, or nothing.
 * Throws `validation` with every violation, `gtin_taken`, `plan_limit`.
 */
export async function createPassport(ctx: AccountContext, input: NewPassport): Promise<Written> {
  const category = requireCategory(input.category)
  const checked = checkData(category, withoutNulls(requireData(input.data)), { strict: input.strict })
  const now = ctx.clock.now()
  const row = newRow(ctx, category.id, checked, now)
  const refusal = await creators(ctx.sql)(row)
  if (refusal !== undefined) throw refusal
  return { passport: currentRow(ctx, row, checked, now), warnings: checked.warnings }
}

type NewRow = ReturnType<typeof newRow>

function newRow(ctx: AccountContext, category: string, checked: CheckedData, now: Date) {
  const id = newUuid(now.getTime())
  return {
    id,
    account_id: ctx.accountId,
    content_id: newUuid(now.getTime()),
    event_id: newUuid(now.getTime()),
    category,
    gtin14: checked.gtin14,
    sku: checked.sku,
    search: checked.search,
    schema_version: checked.schemaVersion,
    created_by: ctx.actorId,
    at: now.toISOString(),
    data: checked.data,
    event: passportEvent({ id: idFromUuid(id), category, version_no: 1 }),
  }
}

function currentRow(ctx: AccountContext, row: NewRow, checked: CheckedData, now: Date): PassportRow {
  const { gtin } = checked.data
  return {
    id: row.id,
    account_id: ctx.accountId,
    version_no: 1,
    created_by: ctx.actorId,
    parent_id: null,
    model_id: row.id,
    schema_version: row.schema_version,
    level: 'm',
    status: 'a',
    category: row.category,
    lot: null,
    serial: null,
    updated_at: now,
    outdated: false,
    gtin: typeof gtin === 'string' ? gtin : null,
    data: JSON.stringify(checked.data),
  }
}

const creators = perDatabase((sql: Sql) => coalesce((rows: readonly NewRow[]) => insertAll(sql, rows), 1))

/** All rows in one statement. Those in the way of it are tried again each by itself, so that none spoils another. */
async function insertAll(sql: Sql, rows: readonly NewRow[]): Promise<(AppError | undefined)[]> {
  const refused = await tryInsert(sql, rows)
  if (refused.size === 0) return rows.map(() => undefined)
  if (rows.length === 1) return rows.map(row => refusalError(refused.get(row.id)))
  const others = rows.filter(row => !refused.has(row.id))
  const outcomes = new Map(zip(others, others.length === 0 ? [] : await insertAll(sql, others)))
  for (const row of rows) if (refused.has(row.id)) outcomes.set(row, (await insertAll(sql, [row]))[0])
  return rows.map(row => outcomes.get(row))
}

const zip = <A, B>(left: readonly A[], right: readonly B[]): [A, B][] =>
  left.map((one, i) => [one, right[i] as B])

/** Why which rows are in the way, by id; empty when all are written. Nothing is written otherwise. */
async function tryInsert(sql: Sql, rows: readonly NewRow[]): Promise<Map<string, string>> {
  try {
    await retrying(() => insert(sql, rows))
    return new Map()
  } catch (error) {
    const refusal = findRefusal(error)
    if (refusal !== undefined) return new Map(JSON.parse(refusal) as [string, string][])
    if (rows.length > 1 && isAboutOneRow(error)) return new Map(rows.map(row => [row.id, 'unstorable']))
    throw error
  }
}

/** Class 22: a value that cannot be stored. Anything else would fail each row alike. */
const isAboutOneRow = (error: unknown) => sqlState(error)?.startsWith('22') ?? false

function refusalError(reason: string | undefined): AppError {
  if (reason === 'gtin_taken') return gtinTaken()
  const message = 'The quota of models of this account is used up. Ask for a larger plan, or for extra quota.'
  return new AppError('plan_limit', message)
}

/** Rows are locked in one order (GTIN, then counters) so that two processes never wait for each other in a circle. */
async function insert(sql: Sql, rows: readonly NewRow[]): Promise<void> {
  await sql`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r(id uuid, account_id int, content_id uuid,
        event_id uuid, category text, gtin14 text, sku text, search text, schema_version smallint, created_by int,
        at timestamptz, data jsonb, event jsonb)
    ), claim as (
      insert into gtin_claim (gtin14, account_id, model_id, claimed_at)
      select gtin14, account_id, id, at from input where gtin14 is not null order by gtin14
      on conflict do nothing returning model_id
    ), room as (
      ${takeRoom(sql, 'm', sql`select account_id, count(*) as n from input group by account_id`)}
    ), counted as (
      insert into passport_count (account_id, level, status, category, n)
      select account_id, 'm', 'a', category, count(*) from input group by account_id, category order by account_id, category
      on conflict (account_id, level, status, category) do update set n = passport_count.n + excluded.n
    ), written_content as (
      insert into content (account_id, upto, id, owner_id, data)
      select account_id, 1, content_id, id, data from input
    ), written as (
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, model_id,
        schema_version, level, status, category, gtin14, sku, search)
      select at, account_id, 1, created_by, 0, id, content_id, id, schema_version, 'm', 'a', category, gtin14, sku, search
      from input
    ), announced as (
      ${insertEvents(sql)} select at, account_id, event_id, 'product.created', event from input
    ), refused as (
      select id, 'gtin_taken' as reason from input
      where gtin14 is not null and id not in (select model_id from claim)
      union all
      select id, 'plan_limit' from input where account_id not in (select account_id from room)
    )
    select carnet_refuse(jsonb_agg(jsonb_build_array(id, reason))::text) from refused having count(*) > 0`
}
