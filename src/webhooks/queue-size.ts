/** How many deliveries of all accounts are due or waiting: for metrics and `doctor`. */

import type { Sql } from '../kernel/db/database.ts'
import { listShards } from '../kernel/db/shards.ts'
import type { Clock } from '../kernel/values/clock.ts'

type QueueSize = {
  /** To be delivered now, to active endpoints that are not backing off. */
  due: number
  /** Waiting for a later attempt, or for an endpoint that is paused or backing off. */
  waiting: number
  /** How long the oldest due delivery has been due; 0 if none is. */
  oldestDueSeconds: number
}

/** Counts the queue. A million deliveries take some tenths of a second, so call it seldom. */
export async function getQueueSize({ sql, clock }: { sql: Sql; clock: Clock }): Promise<QueueSize> {
  const now = clock.now()
  const sizes = await Promise.all(listShards(sql).map(shard => getSizeOnShard(shard, now)))
  const sum = (member: 'due' | 'waiting') => sizes.reduce((total, size) => total + size[member], 0)
  const oldestDueSeconds = Math.max(...sizes.map(size => size.oldestDueSeconds))
  return { due: sum('due'), waiting: sum('waiting'), oldestDueSeconds }
}

async function getSizeOnShard(sql: Sql, now: Date): Promise<QueueSize> {
  const [row] = await sql<{ due: number; waiting: number; oldest: Date | null }[]>`
    select coalesce(sum(endpoint.due) filter (where endpoint.is_receiving), 0)::bigint as due,
      (coalesce(sum(endpoint.total), 0) - coalesce(sum(endpoint.due) filter (where endpoint.is_receiving), 0))::bigint as waiting,
      min(endpoint.oldest) filter (where endpoint.is_receiving) as oldest
    from (
      select w.status = 'a' and (w.wait_until is null or w.wait_until <= ${now}::timestamptz) as is_receiving, queue.due, queue.total, queue.oldest
      from webhook_endpoint w join (
        select account_id, endpoint_id, count(*) as total, count(*) filter (where due_at <= ${now}::timestamptz) as due,
          min(due_at) filter (where due_at <= ${now}::timestamptz) as oldest
        from webhook_delivery group by account_id, endpoint_id) queue
      on queue.account_id = w.account_id and queue.endpoint_id = w.id
      where w.status <> 'r') endpoint`
  const oldest = row?.oldest ?? null
  return {
    due: row?.due ?? 0,
    waiting: row?.waiting ?? 0,
    oldestDueSeconds: oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1000),
  }
}
