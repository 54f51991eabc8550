/** Accounts that are being moved: their scans wait, and are then written to the account's new shard. */
import { listMovingAccounts, type MovingAccount } from '../accounts/placement/move-account.ts'
import type { Sql } from '../kernel/db/database.ts'
import { hasShards } from '../kernel/db/shards.ts'

/** Afterwards, pages that were cached for a second may still name the shard of before. */
const KEPT_MS = 60_000

export function createMovingAccounts(sql: Sql) {
  const known = new Map<number, MovingAccount & { seenAt: number }>()
  return {
    /** Also for some time after the move. */
    find: (accountId: number): MovingAccount | undefined => known.get(accountId),
    async refresh(now: Date): Promise<void> {
      if (!hasShards(sql)) return
      for (const account of await listMovingAccounts(sql, [...known.keys()])) {
        const seenAt = account.isMoving ? now.getTime() : (known.get(account.id)?.seenAt ?? now.getTime())
        known.set(account.id, { ...account, seenAt })
        if (now.getTime() - seenAt > KEPT_MS) known.delete(account.id)
      }
    },
  }
}

export type MovingAccounts = ReturnType<typeof createMovingAccounts>
