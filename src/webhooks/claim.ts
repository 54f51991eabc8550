/**
 * Due work is claimed endpoint by endpoint: first which endpoints have any, then some of each. What one of them has
 * waiting, a million or one, changes neither what the claim costs nor what the others get.
 */
import type { Sql } from '../kernel/db/database.ts'
import type { SealedSecrets } from './secret.ts'

/** An endpoint with deliveries waiting, as it stands now. */
export type PendingEndpoint = SealedSecrets & {
  status: 'a' | 'p' | 'd' | 'r'
  revision: number
  url: string
  failures: number
  failing_since: Date | null
  wait_until: Date | null
  /** Something may be sent to it now: it is active, not left in peace, and a delivery is due. */
  is_due: boolean
}

/** A delivery to be made. */
export type ClaimedDelivery = {
  account_id: number
  endpoint_id: string
  event_id: string
  attempts: number
  type: string
  data: string
}

/** A place in the walk over endpoints, which goes on there the next time. */
export type EndpointCursor = { accountId: number; endpointId: string }

export const FIRST_CURSOR: EndpointCursor = {
  accountId: 0,
  endpointId: '00000000-0000-0000-0000-000000000000',
}

/** Endpoints looked at in one step. */
export const MAX_ENDPOINTS_PER_STEP = 256
export const MAX_CLAIMED = 512

/**
 * The endpoints after a place that have anything waiting, at most 256: a hop over the index for each, however many
 * deliveries lie between. Fewer than 256 means that the walk is at its end.
 */
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

export type LeaseOptions = { holder: string; ms: number }

/**
 * Takes or renews accounts for `ms` and returns those that are ours. An account's deliveries are one process's at a time.
 * All processes go by the database's clock. A lease that goes on for more than twice its length was written before that
 * clock was set back, so nobody holds it.
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

/** Gives back all that a process holds, so that another need not wait. */
export async function releaseLeases(sql: Sql, holder: string): Promise<void> {
  await sql`delete from webhook_lease where holder = ${holder}`
}

/** How many of an endpoint are wanted, and which it has already. */
export type ClaimRequest = EndpointCursor & { limit: number; exclude: readonly string[] }

/**
 * Up to 512 deliveries that are due: of each endpoint the ones that have waited longest, at most its room, everything
 * else before the background; over all endpoints the first of each, then the second of each, and so on.
 */
export async function claimDeliveries(
  sql: Sql,
  now: Date,
  rooms: readonly ClaimRequest[],
  most = MAX_CLAIMED,
): Promise<ClaimedDelivery[]> {
  if (rooms.length === 0) return []
  const due = (background: boolean) => sql`
    (select d.event_id, d.attempts, d.background, d.due_at from webhook_delivery d
      where d.account_id = w.account_id and d.endpoint_id = w.endpoint_id and d.background = ${background}::boolean
        and d.due_at <= ${now}::timestamptz and (w.n, d.event_id) not in (select place, event_id from held)
      order by d.due_at limit w.room)`
  const held = rooms.flatMap((one, i) => one.exclude.map(id => [i + 1, id] as const))
  return sql<ClaimedDelivery[]>`
    with held as materialized (
      select place, event_id from unnest(
        ${`{${held.map(([place]) => place).join()}}`}::text::bigint[], ${`{${held.map(([, id]) => id).join()}}`}::text::uuid[]
      ) as t(place, event_id)
    )
    select f.account_id, f.endpoint_id, f.event_id, f.attempts, e.type, e.data::text as data
    from (
      select w.account_id, w.endpoint_id, d.event_id, d.attempts, d.background, d.due_at, w.room,
        row_number() over (partition by w.n order by d.background, d.due_at) as place
      from (
        select account_id, endpoint_id, room, n
        from unnest(${rooms.map(one => one.accountId)}::int[], ${rooms.map(one => one.endpointId)}::text[]::uuid[],
            ${rooms.map(one => one.limit)}::int[])
          with ordinality as t (account_id, endpoint_id, room, n) offset 0
      ) w
      cross join lateral (${due(false)} union all ${due(true)}) d
      order by d.background, place, d.due_at
      limit ${most}::int
    ) f
    join event e on e.id = f.event_id and e.account_id = f.account_id
    where f.place <= f.room
    order by f.background, f.place, f.due_at`
}
