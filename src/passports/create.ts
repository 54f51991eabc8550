/**
 * Creating model passports. The creates that wait for one account go into one statement: its quota counter is one
 * row, and locking it once for many rows instead of once for each is 3 to 4 times the throughput of a busy account.
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
  const refusal = await creators(ctx.sql).submit(ctx.accountId, row)
  if (refusal !== undefined) throw refusal
  return { passport: currentRow(ctx, row, checked, now), warnings: checked.warnings }
}

type NewRow = ReturnType<typeof newRow>

function newRow(ctx: AccountContext, category: string, checked: CheckedData, now: Date) {
  const id = newUuid(now.getTime())
  return {
    id,
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

type Queue = { submit: (row: NewRow) => Promise<AppError | undefined>; waiting: number }

/** One queue an account, while it has anything waiting. */
const creators = perDatabase((sql: Sql) => {
  const queues = new Map<number, Queue>()
  return {
    async submit(accountId: number, row: NewRow): Promise<AppError | undefined> {
      const queue = queues.get(accountId) ?? {
        submit: coalesce(rows => insertAll(sql, accountId, rows), 1),
        waiting: 0,
      }
      queues.set(accountId, queue)
      queue.waiting++
      try {
        return await queue.submit(row)
      } finally {
        queue.waiting--
        if (queue.waiting === 0) queues.delete(accountId)
      }
    },
  }
})

/** All rows in one statement; when one of them is in the way, each by itself, so that none spoils another. */
async function insertAll(
  sql: Sql,
  accountId: number,
  rows: readonly NewRow[],
): Promise<(AppError | undefined)[]> {
  try {
    await retrying(() => insert(sql, accountId, rows))
    return rows.map(() => undefined)
  } catch (error) {
    const refusal = findRefusal(error)
    if (rows.length === 1 && refusal !== undefined) return [refusalError(refusal)]
    if (refusal === undefined && (rows.length === 1 || !isAboutOneRow(error))) throw error
  }
  const outcomes: (AppError | undefined)[] = []
  for (const row of rows) outcomes.push(...(await insertAll(sql, accountId, [row])))
  return outcomes
}

/** Class 22: a value that cannot be stored. Anything else would fail each row alike. */
const isAboutOneRow = (error: unknown) => sqlState(error)?.startsWith('22') ?? false

function refusalError(reason: string): AppError {
  if (reason === 'gtin_taken') return gtinTaken()
  const message = 'The quota of models of this account is used up. Ask for a larger plan, or for extra quota.'
  return new AppError('plan_limit', message)
}

/** Rows are locked in one order (GTIN, then counters) so that two processes never wait for each other in a circle. */
async function insert(sql: Sql, accountId: number, rows: readonly NewRow[]): Promise<void> {
  const claims = rows.filter(row => row.gtin14 !== null).length
  await sql`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r(id uuid, content_id uuid, event_id uuid,
        category text, gtin14 text, sku text, search text, schema_version smallint, created_by int, at timestamptz,
        data jsonb, event jsonb)
    ), claim as (
      insert into gtin_claim (gtin14, account_id, model_id, claimed_at)
      select gtin14, ${accountId}::int, id, at from input where gtin14 is not null order by gtin14
      on conflict do nothing returning 1
    ), room as (
      ${takeRoom(sql, { accountId, level: 'm', count: rows.length })}
    ), counted as (
      insert into passport_count (account_id, level, status, category, n)
      select ${accountId}::int, 'm', 'a', category, count(*) from input group by category order by category
      on conflict (account_id, level, status, category) do update set n = passport_count.n + excluded.n
    ), written_content as (
      insert into content (account_id, upto, id, owner_id, data)
      select ${accountId}::int, 1, content_id, id, data from input
    ), written as (
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, model_id,
        schema_version, level, status, category, gtin14, sku, search)
      select at, ${accountId}::int, 1, created_by, 0, id, content_id, id, schema_version, 'm', 'a', category, gtin14, sku,
        search from input
    ), announced as (
      ${insertEvents(sql)} select at, ${accountId}::int, event_id, 'product.created', event from input
    )
    select case
      when (select count(*) from claim) <> ${claims}::int then carnet_refuse('gtin_taken')
      when not exists (select 1 from room) then carnet_refuse('plan_limit')
    end`
}
