/**
 * Finds and frees deliveries that wait far too long: the clock of the server that scheduled them was ahead.
 */

import type { Sql } from '../kernel/db/database.ts'
import { listShards } from '../kernel/db/shards.ts'
import type { Clock } from '../kernel/values/clock.ts'
import { isLeaseTooLong, LEASE_MS } from './claim.ts'
import { BACKOFF_MS, MAX_JITTERED_DELAY_MS } from './retry-schedule.ts'

/** Differences between servers' clocks up to this have no effect. */
const TOLERANCE_MS = 60_000

type StuckCounts = { leases: number; deliveries: number; endpoints: number }

type Context = { sql: Sql; clock: Clock }

/** Counts rows on all shards that wait longer than the retry schedule allows. Reads all deliveries. */
export const countStuckDeliveries = (ctx: Context): Promise<StuckCounts> => addUp(ctx, countStuckOnShard)

/** Frees deliveries on all shards, as `unstickDeliveries`. */
export const unstickAllShards = (ctx: Context): Promise<StuckCounts> => addUp(ctx, unstickDeliveries)

async function addUp(ctx: Context, work: (ctx: Context) => Promise<StuckCounts>): Promise<StuckCounts> {
  const counts = await Promise.all(listShards(ctx.sql).map(sql => work({ ...ctx, sql })))
  const sum = (member: keyof StuckCounts) => counts.reduce((total, one) => total + one[member], 0)
  return { leases: sum('leases'), deliveries: sum('deliveries'), endpoints: sum('endpoints') }
}

async function countStuckOnShard(ctx: Context): Promise<StuckCounts> {
  const { sql } = ctx
  const [row] = await sql<StuckCounts[]>`
    select (select count(*) from webhook_lease where ${isLeaseTooLong(sql, LEASE_MS)}) as leases,
      (select count(*) from webhook_delivery where ${isDueTooLate(ctx)}) as deliveries,
      (select count(*) from webhook_endpoint where ${isBackingOffTooLong(ctx)}) as endpoints`
  return row ?? { leases: 0, deliveries: 0, endpoints: 0 }
}

/** Ends stuck leases and makes stuck deliveries and endpoints due now. Returns how many of each. */
export async function unstickDeliveries(ctx: Context): Promise<StuckCounts> {
  const { sql, clock } = ctx
  const now = clock.now()
  const leases = await sql`delete from webhook_lease where ${isLeaseTooLong(sql, LEASE_MS)}`
  const deliveries = await sql`
    update webhook_delivery set due_at = ${now}::timestamptz where ${isDueTooLate(ctx)}`
  const endpoints = await sql`
    update webhook_endpoint set wait_until = null, failing_since = least(failing_since, ${now}::timestamptz)
    where ${isBackingOffTooLong(ctx)}`
  return { leases: leases.count, deliveries: deliveries.count, endpoints: endpoints.count }
}

const isDueTooLate = ({ sql, clock }: Context) => sql`
  due_at > ${new Date(clock.now().getTime() + TOLERANCE_MS)}::timestamptz
  and (attempts = 0 or due_at > ${new Date(clock.now().getTime() + TOLERANCE_MS + MAX_JITTERED_DELAY_MS)}::timestamptz)`

const isBackingOffTooLong = ({ sql, clock }: Context) => sql`
  (wait_until > ${new Date(clock.now().getTime() + TOLERANCE_MS + BACKOFF_MS)}::timestamptz
    or failing_since > ${new Date(clock.now().getTime() + TOLERANCE_MS)}::timestamptz)`
