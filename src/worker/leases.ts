/** Which accounts are this process's to deliver for, and until when. */
import type { Sql } from '../kernel/db.ts'
import { lease, releaseLeases } from '../webhooks/claim.ts'

export class Leases {
  private readonly sql: Sql
  private readonly holder: string
  private readonly ms: number
  /** Until when an account is ours, in ms of the clock. */
  private readonly until = new Map<number, number>()
  private renewedAt = 0

  constructor(sql: Sql, holder: string, ms: number) {
    this.sql = sql
    this.holder = holder
    this.ms = ms
  }

  isOurs(accountId: number, now: Date): boolean {
    return (this.until.get(accountId) ?? 0) > now.getTime()
  }

  /** Takes those that are not ours yet and that nobody else has. */
  async takeAll(accounts: readonly number[], now: Date): Promise<void> {
    await this.take(
      [...new Set(accounts)].filter(id => !this.isOurs(id, now)),
      now,
    )
  }

  /** Those with something on its way stay ours; the others end by themselves. True when it was time to renew. */
  async renew(busy: readonly number[], now: Date): Promise<boolean> {
    if (now.getTime() - this.renewedAt < this.ms / 4) return false
    this.renewedAt = now.getTime()
    await this.take([...new Set(busy)], now)
    return true
  }

  async giveBack(): Promise<void> {
    await releaseLeases(this.sql, this.holder)
  }

  private async take(accounts: readonly number[], now: Date): Promise<void> {
    const until = new Date(now.getTime() + this.ms)
    const ours = new Set(await lease(this.sql, now, accounts, { holder: this.holder, until }))
    for (const id of accounts) {
      if (ours.has(id)) this.until.set(id, until.getTime())
      else this.until.delete(id)
    }
  }
}
