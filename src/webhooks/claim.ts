/**
 * Claims due deliveries, the first step of claim → send → settle: first endpoints, then some deliveries of
 * each, so that a million deliveries of one delay no other.
 */
import type { Sql } from '../kernel/db/database.ts'
import type { SealedSecrets } from './secret.ts'

export type PendingEndpoint = SealedSecrets & {
  status: 'a' | 'p' | 'd' | 'r'
  revision: number
  url: string
  failures: number
  failing_since: Date | null
  wait_until: Date | null
  /** It is active, not backing off, and has a delivery that is due. */
  is_due: boolean
}

/** A delivery to send now. `data` is JSON; `attempts` counts those made before. */
export type ClaimedDelivery = {
  account_id: number
  endpoint_id: string
  event_id: string
  attempts: number
  type: string
  data: string
}

/** The next page of pending endpoints begins after this one. */
type EndpointCursor = { accountId: number; endpointId: string }

export const FIRST_CURSOR: EndpointCursor = {
  accountId: 0,
  endpointId: '00000000-0000-0000-0000-000000000000',
}

export const MAX_ENDPOINTS_PER_STEP = 256
export const MAX_CLAIMED = 512

/** Lists at most 256 endpoints with deliveries, skipping through the index; fewer are the last page. */
export async function listPendingEndpoints(
  sql: Sql,
  now: Date,
  after: EndpointCursor,
): Promise<PendingEndpoint[]> {
  return sql<PendingEndpoint[]>`
    with recursive hop (account_id, endpoint_id, n) as (
      (select d.account_id, d.endpoint_id, 1 from webhook_delivery d
        where (d.account_id, d.endpoint_id) > (${after.accountId}::int, ${after.endpointId}::uuid)
        order by d.account_id, d.endpoint_id limit 1)
      union all
      select next.account_id, next.endpoint_id, h.n + 1 from hop h cross join lateral (
        select d.account_id, d.endpoint_id from webhook_delivery d
        where (d.account_id, d.endpoint_id) > (h.account_id, h.endpoint_id)
        order by d.account_id, d.endpoint_id limit 1) next
      where h.n < ${MAX_ENDPOINTS_PER_STEP}::int
    )
    select h.account_id, h.endpoint_id as id, coalesce(w.status, 'r') as status, w.revision, w.url, w.secret, w.old_secret,
      w.old_until, w.old_signs, w.failures, w.failing_since, w.wait_until,
      coalesce(w.status = 'a' and (w.wait_until is null or w.wait_until <= ${now}::timestamptz), false)
        and (exists (select 1 from webhook_delivery d where d.account_id = h.account_id and d.endpoint_id = h.endpoint_id
            and not d.background and d.due_at <= ${now}::timestamptz)
          or exists (select 1 from webhook_delivery d where d.account_id = h.account_id and d.endpoint_id = h.endpoint_id
            and d.background and d.due_at <= ${now}::timestamptz)) as is_due
    from hop h left join webhook_endpoint w on w.account_id = h.account_id and w.id = h.endpoint_id
    order by h.n`
}

export const LEASE_MS = 10_000

type LeaseOptions = { holder: string; ms: number }

/**
 * Takes or renews leases: one process at a time sends for an account. Only the database's clock counts; a
 * lease that is too long was written before it was set back, so it is free.
 */
export async function acquireLeases(
  sql: Sql,
  accounts: readonly number[],
  { holder, ms }: LeaseOptions,
): Promise<number[]> {
  if (accounts.length === 0) return []
  const rows = await sql<{ account_id: number }[]>`
    insert into webhook_lease (account_id, holder, until)
    select a, ${holder}::uuid, now() + ${ms}::int * interval '1 ms' from unnest(${[...accounts]}::int[]) a order by a
    on conflict (account_id) do update set until = excluded.until, holder = excluded.holder
      where webhook_lease.holder = excluded.holder or webhook_lease.until <= now() or ${isLeaseTooLong(sql, ms)}
    returning account_id`
  return rows.map(row => row.account_id)
}

/** Whether a lease ends later than one of this length can. */
export const isLeaseTooLong = (sql: Sql, ms: number) =>
  sql`webhook_lease.until > now() + ${2 * ms}::int * interval '1 ms'`

/** Releases all leases of a process, so that others need not wait for them to end. */
export async function releaseLeases(sql: Sql, holder: string): Promise<void> {
  await sql`delete from webhook_lease where holder = ${holder}`
}

/** At most `limit` deliveries of an endpoint, without the events that the process has already claimed. */
type ClaimRequest = EndpointCursor & { limit: number; exclude: readonly string[] }

/**
 * Returns up to 512 due deliveries: the oldest of each endpoint in turn, up to its limit, background events
 * last.
 */
export async function claimDeliveries(
  sql: Sql,
  now: Date,
  requests: readonly ClaimRequest[],
  max = MAX_CLAIMED,
): Promise<ClaimedDelivery[]> {
  if (requests.length === 0) return []
  const due = (background: boolean) => sql`
    (select d.event_id, d.attempts, d.background, d.due_at from webhook_delivery d
      where d.account_id = w.account_id and d.endpoint_id = w.endpoint_id and d.background = ${background}::boolean
        and d.due_at <= ${now}::timestamptz and (w.n, d.event_id) not in (select n, event_id from excluded)
      order by d.due_at limit w.max)`
  const excluded = requests.flatMap((one, i) => one.exclude.map(id => [i + 1, id] as const))
  return sql<ClaimedDelivery[]>`
    with excluded as materialized (
      select n, event_id from unnest(
        ${`{${excluded.map(([n]) => n).join()}}`}::text::bigint[],
        ${`{${excluded.map(([, id]) => id).join()}}`}::text::uuid[]
      ) as t(n, event_id)
    )
    select f.account_id, f.endpoint_id, f.event_id, f.attempts, e.type, e.data::text as data
    from (
      select w.account_id, w.endpoint_id, d.event_id, d.attempts, d.background, d.due_at, w.max,
        row_number() over (partition by w.n order by d.background, d.due_at) as turn
      from (
        select account_id, endpoint_id, max, n
        from unnest(${requests.map(one => one.accountId)}::int[],
            ${requests.map(one => one.endpointId)}::text[]::uuid[], ${requests.map(one => one.limit)}::int[])
          with ordinality as t (account_id, endpoint_id, max, n) offset 0
      ) w
      cross join lateral (${due(false)} union all ${due(true)}) d
      order by d.background, turn, d.due_at
      limit ${max}::int
    ) f
    join event e on e.id = f.event_id and e.account_id = f.account_id
    where f.turn <= f.max
    order by f.background, f.turn, f.due_at`
}
