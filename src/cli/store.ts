/** The database a command works on, brought to this version: the operator's, or the embedded one, shared by all who use it. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { OperatorContext } from '../accounts/context.ts'
import { systemClock } from '../kernel/clock.ts'
import { type Config, type Environment, readConfig } from '../kernel/config.ts'
import { openPool, type Sql } from '../kernel/db.ts'
import { createLog, type Log } from '../kernel/log.ts'
import { migrate, pendingMigrations } from '../kernel/migrate.ts'
import type { Addresses } from '../passports/record.ts'
import { Refusal } from './command.ts'

export type Store = {
  sql: Sql
  addresses: Addresses
  /** Names of the migrations applied when the store was opened. */
  applied: readonly string[]
  /** Names of the migrations this version has and the database has not. */
  pending: () => Promise<readonly string[]>
  stop: () => Promise<void>
}
