/**
 * Creating model passports. The creates that wait go into one statement, whoever they are for: the quota counter of a
 * busy account is locked, and its commit waited for, once for many rows (4 times the throughput of one by one).
 */
import type { AccountContext } from '../accounts/context.ts'
import { takeRoom } from '../accounts/quota.ts'
import { isLockTimeout, type KeptAnswer, KeyTaken, keepReceipts, receiptRow } from '../accounts/receipt.ts'
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
 * Throws `validation` with every violation, `gtin_taken`, `plan_limit`. With a receipt in the context the answer that
 * `answer` makes of it is kept by the same statement.
 */
export async function createPassport(
  ctx: AccountContext,
  input: NewPassport,
  answer?: (written: Written) => KeptAnswer,
): Promise<Written> {
  const category = requireCategory(input.category)
  const checked = checkData(category, withoutNulls(requireData(input.data)), { strict: input.strict })
  const now = ctx.clock.now()
  const row = newRow(ctx, category.id, checked, now)
  const written = { passport: currentRow(ctx, row, checked, now), warnings: checked.warnings }
  const receipt = answer === undefined ? null : receiptRow(ctx.receipt, () => answer(written))
  const refusal = await creators(ctx.sql)({ ...row, receipt })
  if (refusal !== undefined) throw refusal
  if (ctx.receipt && receipt !== null) ctx.receipt.kept = true
  return written
}

type NewRow = ReturnType<typeof newRow> & { receipt: ReturnType<typeof receiptRow> }

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

function currentRow(
  ctx: AccountContext,
  row: ReturnType<typeof newRow>,
  checked: CheckedData,
  now: Date,
): PassportRow {
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
async function insertAll(sql: Sql, rows: readonly NewRow[]): Promise<(Error | undefined)[]> {
  const refused = await tryInsert(sql, rows)
  if (refused.size === 0) return rows.map(() => undefined)
  if (rows.length === 1) return rows.map(row => refusalError(refused.get(row.id)))
  const others = rows.filter(row => !refused.has(row.id))
  const outcomes = new Map(zip(others, others.length === 0 ? [] : await insertAll(sql, others)))
  for (const row of rows) {
    const reason = refused.get(row.id)
    if (reason === KEY_TAKEN) outcomes.set(row, new KeyTaken())
    else if (reason !== undefined) outcomes.set(row, (await insertAll(sql, [row]))[0])
  }
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
    if (refusal !== undefined) return reasons(JSON.parse(refusal) as [string, string][])
    const receipts = rows.filter(row => row.receipt !== null)
    if (receipts.length > 0 && isLockTimeout(error)) return new Map(receipts.map(row => [row.id, KEY_TAKEN]))
    if (rows.length > 1 && isAboutOneRow(error)) return new Map(rows.map(row => [row.id, 'unstorable']))
    throw error
  }
}

const KEY_TAKEN = 'key_taken'

/** A request that was done before is in the way of itself in every respect: its key is the one that counts. */
const reasons = (refused: readonly [string, string][]) =>
  new Map([
    ...refused.filter(([, why]) => why !== KEY_TAKEN),
    ...refused.filter(([, why]) => why === KEY_TAKEN),
  ])

/** Class 22: a value that cannot be stored. Anything else would fail each row alike. */
const isAboutOneRow = (error: unknown) => sqlState(error)?.startsWith('22') ?? false

function refusalError(reason: string | undefined): Error {
  if (reason === KEY_TAKEN) return new KeyTaken()
  if (reason === 'gtin_taken') return gtinTaken()
  const message = 'The quota of models of this account is used up. Ask for a larger plan, or for extra quota.'
  return new AppError('plan_limit', message)
}

/** Rows are locked in one order (keys, GTIN, then counters) so that two processes never wait for each other in a circle. */
async function insert(sql: Sql, rows: readonly NewRow[]): Promise<void> {
  const hasReceipts = rows.some(row => row.receipt !== null)
  const receipts = hasReceipts ? sql`receipt as (${keepReceipts(sql)}), ` : sql``
  const withoutKey = sql`
      select id, ${KEY_TAKEN}::text as reason from input
      where receipt is not null and (account_id, receipt->>'key') not in (select account_id, key from receipt)
      union all`
  await sql`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r(id uuid, account_id int, content_id uuid,
        event_id uuid, category text, gtin14 text, sku text, search text, schema_version smallint, created_by int,
        at timestamptz, data jsonb, event jsonb, receipt jsonb)
    ), ${receipts} claim as (
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
      ${hasReceipts ? withoutKey : sql``}
      select id, 'gtin_taken' as reason from input
      where gtin14 is not null and id not in (select model_id from claim)
      union all
      select id, 'plan_limit' from input where account_id not in (select account_id from room)
    )
    select carnet_refuse(jsonb_agg(jsonb_build_array(id, reason))::text) from refused having count(*) > 0`
}
