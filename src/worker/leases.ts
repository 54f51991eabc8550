/** The accounts that are leased to this process: no other process sends their webhooks. */
import type { Sql } from '../kernel/db/database.ts'
import { acquireLeases, releaseLeases } from '../webhooks/claim.ts'

export type Leases = ReturnType<typeof createLeases>

export function createLeases(sql: Sql, lease: { holder: string; ms: number }) {
  /** When the lease of an account ends, by the monotonic clock of performance.now(). */
  const until = new Map<number, number>()
  let renewedAt = Number.NEGATIVE_INFINITY
  const isOurs = (accountId: number): boolean => (until.get(accountId) ?? 0) > performance.now()
  const acquireNow = async (accounts: readonly number[]): Promise<void> => {
    // Counted from before the statement, so that our lease ends before the one in the database.
    const end = performance.now() + lease.ms
    const ours = new Set(await acquireLeases(sql, accounts, lease))
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
