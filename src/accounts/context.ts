/** What every verb is told: whose data, who acts, on which database, at what time. */
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db/database.ts'
import type { IdempotencyRecord } from './idempotency-record.ts'

export type AccountContext = {
  sql: Sql
  clock: Clock
  accountId: number
  /** The actor (an API key, a person, the operator) that versions are signed with. */
  actorId: number
  /** To be kept by the verb with what it writes; only verbs that say so are given one. */
  idempotency?: IdempotencyRecord
}

/** What the operator's commands are told: they act on no account of their own. */
export type OperatorContext = { sql: Sql; clock: Clock }
