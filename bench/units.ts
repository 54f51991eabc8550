/** Models with units, for the benchmarks of units. */
import type { AccountContext } from '../src/accounts/account/context.ts'
import { idFromUuid, newUuid } from '../src/kernel/crypto/ids.ts'
import type { Sql } from '../src/kernel/db/database.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { issueUnits } from '../src/passports/units/issue-units.ts'
import { fill } from '../test/fill-database.ts'
import type { BenchDatabase, Tenant } from './environment.ts'
import { request } from './load.ts'

/** The maximum number of rows in a call. */
export const CALL = 500

/** A serial as production lines print it: `L1-0000042`. */
export const serialOf = (prefix: string, n: number) => `${prefix}-${String(n).padStart(7, '0')}`

export const models = (hall: BenchDatabase, { accountId }: Tenant, count: number): Promise<string[]> =>
  fill(hall.sql, { accountId, count, word: 'units' })

export type Issue = { under: string; level: 'batch' | 'item'; count: number; prefix?: string }

/** Issues plain units in calls of 500, without HTTP. Returns the UUIDs of the first 10,000. */
export async function issue(hall: BenchDatabase, tenant: Tenant, wish: Issue): Promise<string[]> {
  const { under, level, count, prefix = 'L1' } = wish
  const kept: string[] = []
  for (let done = 0; done < count; done += CALL) {
    const units = serials(prefix, done)
      .slice(0, count - done)
      .map(name => ({ [level === 'item' ? 'serial' : 'lot']: name }))
    const ids = await createUnits(hall, tenant, under, level, units)
    if (kept.length < 10_000) kept.push(...ids)
  }
  return kept
}

/** One call with 500 plain items, without HTTP. */
export const issueCall = (hall: BenchDatabase, tenant: Tenant, under: string, from: number) =>
  createUnits(
    hall,
    tenant,
    under,
    'item',
    serials('L1', from).map(serial => ({ serial })),
  )

async function createUnits(
  { sql }: BenchDatabase,
  { accountId }: Tenant,
  parentUuid: string,
  level: Issue['level'],
  units: readonly object[],
): Promise<string[]> {
  const ctx: AccountContext = { sql, clock: systemClock, accountId, actorId: 1 }
  const { created, errors } = await issueUnits(ctx, {
    parentUuid,
    level,
    units,
    bulk: true,
    strict: false,
  })
  if (errors[0]) throw errors[0].error
  return created.map(one => one.passport.id)
}

/** A bulk request with 500 plain items. */
export function bulkRequest(tenant: Tenant, model: string, prefix: string, from: number): string {
  const path = `/api/v1/products/${idFromUuid(model)}/children`
  return request('POST', path, { authorization: `Bearer ${tenant.key}` }, bulkBody(prefix, from))
}

/** A request about a product, with the tenant's key. */
export const ask = (tenant: Tenant, method: string, path: string, body?: object): string =>
  request(
    method,
    `/api/v1/products/${path}`,
    { authorization: `Bearer ${tenant.key}` },
    body && JSON.stringify(body),
  )

/** A correction of a model, different for each `n`. */
export const correction = (tenant: Tenant, model: string, n: number): string =>
  ask(tenant, 'PATCH', idFromUuid(model), { data: { weightGrams: 100 + n }, change_type: 'correction' })

export const serials = (prefix: string, from: number): string[] =>
  Array.from({ length: CALL }, (_, i) => serialOf(prefix, from + i))

/** The same request for the bare server. */
export const bareRequest = ({ accountId }: Tenant, model: string, prefix: string, from: number): string =>
  request('POST', `/${model}/${accountId}`, {}, bulkBody(prefix, from))

const bulkBody = (prefix: string, from: number) =>
  JSON.stringify({ level: 'item', items: serials(prefix, from).map(serial => ({ serial })) })

/** Inserts only the rows of plain items, without check or response. Returns their ids. */
export async function insertPlain(
  sql: Sql,
  accountId: number,
  model: string,
  names: readonly string[],
): Promise<string[]> {
  const now = new Date()
  const ids = names.map(() => newUuid(now.getTime()))
  const events = names.map(() => newUuid(now.getTime()))
  const shortIds = ids.map(idFromUuid)
  await sql`
    with input as materialized (
      select * from unnest(${ids}::text[]::uuid[], ${shortIds}::text[], ${events}::text[]::uuid[],
        ${names as string[]}::text[]) as r(id, short_id, event_id, serial)
    ), room as (
      update account_usage set used = used + ${names.length} where account_id = ${accountId} and level = 'i'
    ), counted as (
      insert into passport_count (account_id, level, status, category, n)
      values (${accountId}, 'i', 'a', 'textile', ${names.length})
      on conflict (account_id, level, status, category) do update set n = passport_count.n + ${names.length}
    ), written as (
      insert into passport (updated_at, account_id, version_no, created_by, last_correction, id, content_id, parent_id,
        model_id, schema_version, level, status, category, serial)
      select ${now}::timestamptz, ${accountId}::int, 1, 1, 0, id, ${model}::uuid, ${model}::uuid, ${model}::uuid, 1, 'i', 'a',
        'textile', serial
      from input
    )
    insert into event (created_at, account_id, id, type, data)
    select ${now}::timestamptz, ${accountId}::int, event_id, 'product.created',
      jsonb_build_object('id', short_id, 'category', 'textile', 'version_no', 1)
    from input`
  return shortIds
}
