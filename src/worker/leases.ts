/** The accounts that are leased to this process: no other process sends their webhooks. */
import type { Sql } from '../kernel/db/database.ts'
import { acquireLeases, releaseLeases } from '../webhooks/claim.ts'

export class Leases {
  private readonly sql: Sql
  private readonly holder: string
  private readonly ms: number
  /** When the lease of an account ends, by the monotonic clock of performance.now(). */
  private readonly until = new Map<number, number>()
  private renewedAt = Number.NEGATIVE_INFINITY

  constructor(sql: Sql, holder: string, ms: number) {
    this.sql = sql
    this.holder = holder
    this.ms = ms
  }

  isOurs(accountId: number): boolean {
    return (this.until.get(accountId) ?? 0) > performance.now()
  }

  /** Tries to lease accounts that this process does not hold; another holder keeps its lease. */
  async acquire(accounts: readonly number[]): Promise<void> {
    await this.acquireNow([...new Set(accounts)].filter(id => !this.isOurs(id)))
  }

  /** Renews the leases of accounts with claimed events; others expire. Returns whether renewal was due. */
  async renew(busy: readonly number[]): Promise<boolean> {
    const now = performance.now()
    if (now - this.renewedAt < this.ms / 4) return false
    this.renewedAt = now
    await this.acquireNow([...new Set(busy)])
    return true
  }

  async release(): Promise<void> {
    await releaseLeases(this.sql, this.holder)
  }

  private async acquireNow(accounts: readonly number[]): Promise<void> {
    // Counted from before the statement, so that our lease ends before the one in the database.
    const until = performance.now() + this.ms
    const ours = new Set(await acquireLeases(this.sql, accounts, { holder: this.holder, ms: this.ms }))
    for (const id of accounts) {
      if (ours.has(id)) this.until.set(id, until)
      else this.until.delete(id)
    }
  }
}
