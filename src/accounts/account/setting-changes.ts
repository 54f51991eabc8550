/**
 * When this process last changed what an account has chosen. What is cached of an account compares, so that a
 * setting is in force at once in the process that stored it. Other processes read it within a second.
 */

import type { Sql } from '../../kernel/db/database.ts'
import { perSharedDatabase } from '../../kernel/db/shards.ts'
import { afterCommit } from '../../kernel/db/transaction.ts'
import { BoundedMap } from '../../kernel/values/bounded-map.ts'

const MAX_ACCOUNTS = 10_000

export class SettingChanges {
  private readonly latest = new BoundedMap<number, number>(MAX_ACCOUNTS)
  private count = 0

  /** How many changes there have been. Take it before you read what you cache. */
  now(): number {
    return this.count
  }

  note(accountId: number): void {
    this.latest.set(accountId, ++this.count)
  }

  /** Returns whether this process has stored no change of the account since `readAt`, a value of `now()`. */
  hasNoneSince(accountId: number, readAt: number): boolean {
    return (this.latest.get(accountId) ?? 0) <= readAt
  }
}

export const settingChanges = perSharedDatabase((_sql: Sql) => new SettingChanges())

/** Call it with a change of what is cached of an account: in its transaction, or after it. */
export function noteSettingChange(sql: Sql, accountId: number): void {
  afterCommit(sql, pool => settingChanges(pool).note(accountId))
}
