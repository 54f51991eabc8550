/** Counts the uses of access links after the response; one statement counts all uses of a moment. */
import { createBatchLoader } from '../../kernel/db/batch-loader.ts'
import { perDatabase, type Sql, withRetries } from '../../kernel/db/database.ts'
import type { Access } from './access-links.ts'

type Use = { accountId: number; linkId: string; at: Date }

const counters = perDatabase((sql: Sql) => ({
  count: createBatchLoader((uses: readonly Use[]) => write(sql, uses), { maxInFlight: 1 }),
  underWay: new Set<Promise<void>>(),
}))

/** Counts one answered request. Returns at once; `onFailure` gets the error of a lost count. */
export function countAccessUse(
  sql: Sql,
  access: Access,
  now: Date,
  onFailure: (reason: unknown) => void,
): void {
  const { count, underWay } = counters(sql)
  const counting: Promise<void> = count({ accountId: access.accountId, linkId: access.linkId, at: now })
    .catch(onFailure)
    .finally(() => underWay.delete(counting))
  underWay.add(counting)
}

/** Resolves when all counts so far are written or lost; called at shutdown. */
export async function flushAccessUses(sql: Sql): Promise<void> {
  await Promise.all(counters(sql).underWay)
}

async function write(sql: Sql, uses: readonly Use[]): Promise<undefined[]> {
  const ids = uses.map(use => use.linkId)
  const accounts = uses.map(use => use.accountId)
  const times = uses.map(use => use.at.toISOString())
  // Two processes may count the same links in different orders.
  await withRetries(
    () => sql`
    update access_link l set uses = l.uses + u.n, last_used_at = greatest(l.last_used_at, u.at)
    from (
      select id, account_id, count(*) as n, max(at) as at
      from unnest(${ids}::text[]::uuid[], ${accounts}::int[], ${times}::text[]::timestamptz[]) as t(id, account_id, at)
      group by id, account_id
    ) u
    where l.id = u.id and l.account_id = u.account_id`,
  )
  return uses.map(() => undefined)
}
