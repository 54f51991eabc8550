/** Sums up the entries for the EU registry for an owner: how many are where, and what they lack. */
import { listAccountShards } from '../../accounts/account/account-shard.ts'
import type { AccountContext, OperatorContext } from '../../accounts/account/context.ts'
import { idFromUuid } from '../../kernel/crypto/ids.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { listShards } from '../../kernel/db/shards.ts'
import { REGISTRY_STATES, type RegistryState } from './entry.ts'

export type RegistrySums = {
  /** All of them. */
  states: ReadonlyMap<RegistryState, number>
  /** By field, the most frequent first. */
  missing: readonly { field: string; count: number }[]
  /** Proofs of registration that end within 14 days or have ended, and the first end. */
  expiring: { count: number; first: Date | null }
}

/** How long before its end a proof of registration is warned about. */
const PROOF_WARNING_MS = 14 * 86_400_000

export async function sumRegistryEntries(ctx: AccountContext): Promise<RegistrySums> {
  const limit = new Date(ctx.clock.now().getTime() + PROOF_WARNING_MS)
  const parts = await Promise.all(
    listAccountShards(ctx).map(async ({ sql, accountId }) => ({
      states: await sql<{ state: RegistryState; n: number }[]>`
        select state, count(*)::bigint as n from registry_entry where account_id = ${accountId} group by state`,
      missing: await sql<{ field: string; n: number }[]>`
        select field, count(*)::bigint as n from registry_entry e cross join unnest(e.missing) field
        where e.account_id = ${accountId} and e.state = 'incomplete' group by field`,
      expiring: await countExpiring(sql, accountId, limit),
    })),
  )
  const sum = (values: readonly number[]) => values.reduce((total, n) => total + n, 0)
  const fields = Map.groupBy(
    parts.flatMap(part => part.missing),
    ({ field }) => field,
  )
  const firsts = parts.flatMap(({ expiring }) => (expiring.first === null ? [] : [Number(expiring.first)]))
  const countState = (state: RegistryState) =>
    sum(parts.flatMap(part => part.states.filter(one => one.state === state).map(({ n }) => n)))
  return {
    states: new Map(REGISTRY_STATES.map(state => [state, countState(state)])),
    missing: Array.from(fields, ([field, all]) => ({ field, count: sum(all.map(({ n }) => n)) })).sort(
      (a, b) => b.count - a.count || a.field.localeCompare(b.field),
    ),
    expiring: {
      count: sum(parts.map(({ expiring }) => expiring.n)),
      first: firsts.length === 0 ? null : new Date(Math.min(...firsts)),
    },
  }
}

async function countExpiring(sql: Sql, accountId: number, limit: Date) {
  const [row] = await sql<{ n: number; first: Date | null }[]>`
    select count(*)::bigint as n, min(proof_valid_until) as first from registry_entry
    where account_id = ${accountId} and proof_valid_until <= ${limit} and state <> 'deactivated'`
  return row ?? { n: 0, first: null }
}

/** A line in a list of entries. */
export type EntryFilter = { missing: string } | { state: RegistryState } | { expiring: true }

export type ListedEntry = {
  id: string
  productName: string | null
  level: 'm' | 'b' | 'i'
  lot: string | null
  serial: string | null
  registration_id: string | null
  proof_valid_until: Date | null
  message: string | null
}

/** The first `limit` of them, models first. */
export async function listRegistryEntries(
  ctx: AccountContext,
  filter: EntryFilter,
  limit: number,
): Promise<ListedEntry[]> {
  const until = new Date(ctx.clock.now().getTime() + PROOF_WARNING_MS)
  const pages = await Promise.all(
    listAccountShards(ctx).map(({ sql, accountId }) => {
      const condition =
        'missing' in filter
          ? sql`e.state = 'incomplete' and ${filter.missing} = any(e.missing)`
          : 'state' in filter
            ? sql`e.state = ${filter.state}`
            : sql`e.proof_valid_until <= ${until} and e.state <> 'deactivated'`
      return sql<(ListedEntry & { id: string })[]>`
        select e.passport_id as id, c.data->>'productName' as "productName", p.level, p.lot, p.serial, e.registration_id,
          e.proof_valid_until, e.message
        from (
          select * from registry_entry e where e.account_id = ${accountId} and ${condition}
          order by case e.level when 'm' then 0 when 'b' then 1 else 2 end, e.passport_id limit ${limit}
        ) e
        join passport p on p.id = e.passport_id and p.account_id = e.account_id
        join content c on c.id = p.content_id and c.account_id = p.account_id
        order by case p.level when 'm' then 0 when 'b' then 1 else 2 end, p.id`
    }),
  )
  return pages
    .flat()
    .slice(0, limit)
    .map(({ id, ...entry }) => ({ ...entry, id: idFromUuid(id) }))
}

/** Accounts with proofs of registration that end within 14 days or have ended, on all shards. */
export async function findExpiringProofs({
  sql: database,
  clock,
}: OperatorContext): Promise<{ accountId: number; count: number }[]> {
  const limit = new Date(clock.now().getTime() + PROOF_WARNING_MS)
  const found = await Promise.all(
    listShards(database).map(
      sql => sql<{ accountId: number; count: number }[]>`
        select e.account_id as "accountId", count(*)::bigint as count from registry_entry e
        where e.proof_valid_until <= ${limit} and e.state <> 'deactivated' group by e.account_id`,
    ),
  )
  const byAccount = Map.groupBy(found.flat(), ({ accountId }) => accountId)
  return Array.from(byAccount, ([accountId, rows]) => ({
    accountId,
    count: rows.reduce((sum, { count }) => sum + count, 0),
  })).sort((a, b) => a.accountId - b.accountId)
}
