/** `AccountContext`, the first argument of every operation `(ctx, input)`, and its transactions. */

import type { Sql } from '../../kernel/db/database.ts'
import { inTransaction } from '../../kernel/db/transaction.ts'
import type { Clock } from '../../kernel/values/clock.ts'
import type { IdempotencyRecord } from './idempotency-record.ts'

export type AccountContext = {
  sql: Sql
  clock: Clock
  accountId: number
  /** The actor that new versions name: an API key, a person or the operator. */
  actorId: number
  /** If the account's models are on several shards. `sql` is then its home, or the shard of one passport. */
  spread?: Spread | undefined
  /** The readiness settings as stored, null for none; undefined: not read. */
  readiness?: unknown
  /** Host and port of this server, whose own addresses are links for readers wherever it runs. */
  ownHost?: string
  /** The idempotency record that the operation stores with its writes. Only some operations support it. */
  idempotency?: IdempotencyRecord
}

/** The shards of an account with models on several. */
export type Spread = {
  /** All of them, the home first: what belongs to no model is there. */
  shards: readonly number[]
  /** Those that get new models. */
  modelShards: readonly number[]
}

export type OperatorContext = { sql: Sql; clock: Clock }

/** Runs several operations in one transaction: all their writes are kept, or none. */
export const withTransaction = <C extends OperatorContext, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> => inTransaction(ctx.sql, sql => work({ ...ctx, sql }))
