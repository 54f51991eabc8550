/**
 * Claims due deliveries: lists the endpoints first, then selects some deliveries of each, so that a million
 * for one endpoint delay no other. The account's lease is the only lock: rows are not marked as claimed.
 */
import { selectShards } from '../accounts/account/account-shard.ts'
import { isBeingMoved } from '../accounts/placement/move-account.ts'
import { formatUnquotedArray } from '../kernel/db/array-types.ts'
import type { Sql } from '../kernel/db/database.ts'
import { hasShards } from '../kernel/db/shards.ts'
import type { EncryptedSecrets } from './secret.ts'

export type PendingEndpoint = EncryptedSecrets & {
  /** a: active; p: paused or in a move; d: disabled; r: removed, also if its row is deleted. */
  status: 'a' | 'p' | 'd' | 'r'
  revision: number
  url: string
  failures: number
  failing_since: Date | null
  wait_until: Date | null
  /** If its account is on several: all of them, the home first. Undefined without shards. */
  shards?: number[] | null
  /** The endpoint is active, not backing off, and has a due delivery. */
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

/** The last endpoint of a page: the next page begins after it. */
type PageCursor = { accountId: number; endpointId: string }

export const FIRST_CURSOR: PageCursor = {
  accountId: 0,
  endpointId: '00000000-0000-0000-0000-000000000000',
}

export const MAX_ENDPOINTS_PER_PAGE = 256
export const MAX_CLAIMED_PER_STATEMENT = 512

/**
 * Lists a page of endpoints with deliveries, by a recursive loose index scan. A page with fewer than 256 is
 * the last.
 */
export async function listPendingEndpoints(
  sql: Sql,
  now: Date,
  after: PageCursor,
): Promise<PendingEndpoint[]> {
  // For a webhook without a row, only the status is not null. `is_due` needs two look-ups, because the index
  // is (account_id, endpoint_id, background, due_at).
  const isMoving = isBeingMoved(sql, sql`page.account_id`)
  const shards = hasShards(sql) ? sql`, ${selectShards(sql, sql`page.account_id`)} as shards` : sql``
  return sql<PendingEndpoint[]>`
    with recursive endpoint_page (account_id, endpoint_id, position) as (
      (select d.account_id, d.endpoint_id, 1 from webhook_delivery d
        where (d.account_id, d.endpoint_id) > (${after.accountId}::int, ${after.endpointId}::uuid)
        order by d.account_id, d.endpoint_id limit 1)
      union all
      select next.account_id, next.endpoint_id, page.position + 1 from endpoint_page page cross join lateral (
        select d.account_id, d.endpoint_id from webhook_delivery d
        where (d.account_id, d.endpoint_id) > (page.account_id, page.endpoint_id)
        order by d.account_id, d.endpoint_id limit 1) next
      where page.position < ${MAX_ENDPOINTS_PER_PAGE}::int
    )
    select page.account_id, page.endpoint_id as id, case when ${isMoving} then 'p' else coalesce(w.status, 'r') end as status, w.revision, w.url, w.secret,
      w.old_secret, w.old_until, w.old_signs, w.failures, w.failing_since, w.wait_until,
      coalesce(w.status = 'a' and not ${isMoving} and (w.wait_until is null or w.wait_until <= ${now}::timestamptz), false)
        and (exists (select 1 from webhook_delivery d where d.account_id = page.account_id and d.endpoint_id = page.endpoint_id
            and not d.background and d.due_at <= ${now}::timestamptz)
          or exists (select 1 from webhook_delivery d where d.account_id = page.account_id and d.endpoint_id = page.endpoint_id
            and d.background and d.due_at <= ${now}::timestamptz)) as is_due ${shards}
    from endpoint_page page left join webhook_endpoint w on w.account_id = page.account_id and w.id = page.endpoint_id
    order by page.position`
}

export const LEASE_MS = 10_000

type LeaseOptions = { holder: string; ms: number }

/**
 * Takes or renews leases, by the database's clock: one process at a time sends for an account. Also takes
 * leases such as `isLeaseTooLong` describes. `taken_at` holds `now()`, which Citus forbids after `on
 * conflict`.
 */
export async function acquireLeases(
  sql: Sql,
  accounts: readonly number[],
  { holder, ms }: LeaseOptions,
): Promise<number[]> {
  if (accounts.length === 0) return []
  const rows = await sql<{ account_id: number }[]>`
    insert into webhook_lease (account_id, holder, until, taken_at)
    select account, ${holder}::uuid, now() + ${ms}::int * interval '1 ms', now()
    from unnest(${[...accounts]}::int[]) account order by account
    on conflict (account_id) do update set until = excluded.until, holder = excluded.holder, taken_at = excluded.taken_at
      where webhook_lease.holder = excluded.holder or webhook_lease.until <= excluded.taken_at
        or webhook_lease.until - excluded.until > excluded.until - excluded.taken_at
    returning account_id`
  return rows.map(row => row.account_id)
}

/** Such a lease was written before the database's clock was set back. */
export const isLeaseTooLong = (sql: Sql, ms: number) =>
  sql`webhook_lease.until > now() + ${2 * ms}::int * interval '1 ms'`

/** Releases all leases of a process, so that others need not wait for them to end. */
export async function releaseLeases(sql: Sql, holder: string): Promise<void> {
  await sql`delete from webhook_lease where holder = ${holder}`
}

/** Asks for up to `limit` deliveries of an endpoint, without those that this process has already claimed. */
type ClaimRequest = { accountId: number; endpointId: string; limit: number; claimedIds: readonly string[] }

/**
 * Returns up to 512 due deliveries, the oldest of each endpoint; endpoints take turns. Those of `background`
 * events, which refreshes of units cause, come last.
 */
export async function selectDueDeliveries(
  sql: Sql,
  now: Date,
  requests: readonly ClaimRequest[],
  max = MAX_CLAIMED_PER_STATEMENT,
): Promise<ClaimedDelivery[]> {
  if (requests.length === 0) return []
  const selectDue = (background: boolean) => sql`
    (select d.event_id, d.attempts, d.background, d.due_at from webhook_delivery d
      where d.account_id = request.account_id and d.endpoint_id = request.endpoint_id
        and d.background = ${background}::boolean and d.due_at <= ${now}::timestamptz
        and (request.number, d.event_id) not in (select request_number, event_id from already_claimed)
      order by d.due_at limit request.max)`
  const alreadyClaimed = requests.flatMap((request, i) => request.claimedIds.map(id => [i + 1, id] as const))
  return sql<ClaimedDelivery[]>`
    with already_claimed as materialized (
      select request_number, event_id from unnest(
        ${formatUnquotedArray(alreadyClaimed.map(([requestNumber]) => requestNumber))}::text::bigint[],
        ${formatUnquotedArray(alreadyClaimed.map(([, id]) => id))}::text::uuid[]
      ) as t(request_number, event_id)
    )
    select ranked.account_id, ranked.endpoint_id, ranked.event_id, ranked.attempts, e.type, e.data::text as data
    from (
      select request.account_id, request.endpoint_id, request.max, due.event_id, due.attempts, due.background, due.due_at,
        row_number() over (partition by request.number order by due.background, due.due_at) as rank
      from (
        select account_id, endpoint_id, max, number
        from unnest(${requests.map(request => request.accountId)}::int[],
            ${requests.map(request => request.endpointId)}::text[]::uuid[], ${requests.map(request => request.limit)}::int[])
          with ordinality as t (account_id, endpoint_id, max, number) offset 0
      ) request
      cross join lateral (${selectDue(false)} union all ${selectDue(true)}) due
      order by due.background, rank, due.due_at
      limit ${max}::int
    ) ranked
    join event e on e.id = ranked.event_id and e.account_id = ranked.account_id
    where ranked.rank <= ranked.max
    order by ranked.background, ranked.rank, ranked.due_at`
}
