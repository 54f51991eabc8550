/** The first argument of every verb: the database, the clock, the account and the actor. */
import type { Clock } from '../kernel/clock.ts'
import type { Sql } from '../kernel/db/database.ts'
import type { IdempotencyRecord } from './idempotency-record.ts'

export type AccountContext = {
  sql: Sql
  clock: Clock
  accountId: number
  /** The actor (an API key, a person, the operator) that versions are signed with. */
  actorId: number
  /** The idempotency record that the verb stores with its writes. Only verbs that support it get one. */
  idempotency?: IdempotencyRecord
}

export type OperatorContext = { sql: Sql; clock: Clock }
