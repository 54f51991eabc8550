/** The accounts that are leased to this process: no other process sends their webhooks. */
import type { Sql } from '../kernel/db/database.ts'
import { getShard } from '../kernel/db/shards.ts'
import { acquireLeases, releaseLeases } from '../webhooks/claim.ts'

export type Leases = ReturnType<typeof createLeases>

/** `homes`: of accounts on several shards, whose lease is there for the workers of all of them. */
export function createLeases(
  sql: Sql,
  lease: { holder: string; ms: number },
  homes: ReadonlyMap<number, number>,
) {
  /** When the lease of an account ends, by the monotonic clock of performance.now(). */
  const until = new Map<number, number>()
  let renewedAt = Number.NEGATIVE_INFINITY
  const isOurs = (accountId: number): boolean => (until.get(accountId) ?? 0) > performance.now()
  const acquireNow = async (accounts: readonly number[]): Promise<void> => {
    // Counted from before the statement, so that our lease ends before the one in the database.
    const end = performance.now() + lease.ms
    const ours = new Set<number>()
    for (const [at, some] of Map.groupBy(accounts, id => homes.get(id))) {
      const home = at === undefined ? sql : getShard(sql, at)
      for (const id of await acquireLeases(home, some, lease)) ours.add(id)
    }
    for (const id of accounts) {
      if (ours.has(id)) until.set(id, end)
      else until.delete(id)
    }
  }
  return {
    isOurs,
    /** Tries to lease accounts that this process does not hold; another holder keeps its lease. */
    acquire: (accounts: readonly number[]) => acquireNow([...new Set(accounts)].filter(id => !isOurs(id))),
    /** Renews the leases of accounts with claimed events; others expire. Returns whether renewal was due. */
    async renew(busy: readonly number[]): Promise<boolean> {
      const now = performance.now()
      if (now - renewedAt < lease.ms / 4) return false
      renewedAt = now
      await acquireNow([...new Set(busy)])
      return true
    },
    release: () => releaseLeases(sql, lease.holder),
  }
}
