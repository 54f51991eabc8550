/** Which accounts are this process's to deliver for, and until when. */
import type { Sql } from '../kernel/db/database.ts'
import { acquireLeases, releaseLeases } from '../webhooks/claim.ts'

export class Leases {
  private readonly sql: Sql
  private readonly holder: string
  private readonly ms: number
  /** Until when an account is ours, by performance.now(), which nobody sets. */
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

  /** Takes those that are not ours yet and that nobody else has. */
  async takeAll(accounts: readonly number[]): Promise<void> {
    await this.take([...new Set(accounts)].filter(id => !this.isOurs(id)))
  }

  /** Those with something on its way stay ours; the others end by themselves. True when it was time to renew. */
  async renew(busy: readonly number[]): Promise<boolean> {
    const now = performance.now()
    if (now - this.renewedAt < this.ms / 4) return false
    this.renewedAt = now
    await this.take([...new Set(busy)])
    return true
  }

  async giveBack(): Promise<void> {
    await releaseLeases(this.sql, this.holder)
  }

  private async take(accounts: readonly number[]): Promise<void> {
    // Counted from before the statement: the lease in the database ends later than what we go by.
    const until = performance.now() + this.ms
    const ours = new Set(await acquireLeases(this.sql, accounts, { holder: this.holder, ms: this.ms }))
    for (const id of accounts) {
      if (ours.has(id)) this.until.set(id, until)
      else this.until.delete(id)
    }
  }
}
