/** The database a command works on, brought to this version: the operator's own, or the embedded one that all share. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { OperatorContext } from '../accounts/context.ts'
import { systemClock } from '../kernel/clock.ts'
import { type Config, type Environment, readConfig } from '../kernel/config.ts'
import { openPool, type Sql } from '../kernel/db.ts'
import { createLog, type Log } from '../kernel/log.ts'
import { migrate, pendingMigrations } from '../kernel/migrate.ts'
import type { Addresses } from '../passports/record.ts'
import { Refusal, type Result } from './command.ts'
import { openEmbeddedStore } from './embedded-store.ts'

export type Store = {
  sql: Sql
  addresses: Addresses
  /** Where the data is, without a password. */
  place: string
  /** Names of the migrations that were applied on opening. */
  applied: readonly string[]
  /** Names of the migrations that this version has and the database has not. */
  pending: () => Promise<readonly string[]>
  stop: () => Promise<void>
  /** What of stopping can be done without waiting. */
  abandon: () => void
}

export type StoreContext = OperatorContext & { addresses: Addresses; store: Store }

/** `serves`: takes the one seat of a server, and keeps the embedded PostgreSQL alive. `migrate: false` only looks. */
export type OpenOptions = { name: string; serves?: boolean; migrate?: boolean }

const MIGRATIONS = join(import.meta.dirname, '../../migrations')
const COMMAND_POOL_SIZE = 2

/** Opens the store. Throws a Refusal when the database does not answer, and SeatTaken for a second server. */
export async function openStore(config: Config, log: Log, options: OpenOptions): Promise<Store> {
  return config.databaseUrl === undefined
    ? openOnEmbedded(config, log, options)
    : openOnUrl(config, config.databaseUrl, options)
}

async function openOnEmbedded(config: Config, log: Log, options: OpenOptions): Promise<Store> {
  mkdirSync(config.dataDir, { recursive: true })
  const embedded = await openEmbeddedStore({ ...options, config, log })
  const sql = openPool(embedded.target, poolOptions(options))
  const end = async () => {
    await sql.end({ timeout: 1 })
    await embedded.leave()
  }
  return finish(config, sql, options, { place: config.dataDir, stop: end, abandon: embedded.abandon })
}

async function openOnUrl(config: Config, url: string, options: OpenOptions): Promise<Store> {
  const { host, pathname } = new URL(url)
  const sql = openPool({ url }, poolOptions(options))
  const end = () => sql.end({ timeout: 1 })
  try {
    await sql`select 1`
  } catch (error) {
    await end()
    const reason = error instanceof Error ? error.message : String(error)
    throw new Refusal(`The database at ${host}${pathname} (DATABASE_URL) cannot be used: ${reason}.`)
  }
  return finish(config, sql, options, { place: `${host}${pathname}`, stop: end, abandon: () => {} })
}

const poolOptions = ({ name, serves }: OpenOptions) => ({
  name,
  ...(serves ? {} : { max: COMMAND_POOL_SIZE }),
})

async function finish(
  config: Config,
  sql: Sql,
  options: OpenOptions,
  rest: Pick<Store, 'place' | 'stop' | 'abandon'>,
): Promise<Store> {
  try {
    const { applied } =
      options.migrate === false ? { applied: [] } : await migrate(sql, MIGRATIONS, systemClock.now())
    const addresses = { publicUrl: config.publicUrl, apiUrl: `${config.publicUrl}/api/v1` }
    return { sql, addresses, applied, pending: () => pendingMigrations(sql, MIGRATIONS), ...rest }
  } catch (error) {
    await rest.stop()
    throw error
  }
}

/** Commands keep quiet unless they are asked to speak: their result and one sentence is all they print. */
export const commandLog = (env: Environment, config: Config): Log =>
  createLog({ ...config, logLevel: env.LOG_LEVEL === undefined ? 'warn' : config.logLevel })

/** Opens the store for one command's work and closes it again, whatever became of the work. */
export async function withStore(
  env: Environment,
  work: (ctx: StoreContext) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(env)
  const store = await openStore(config, commandLog(env, config), { name: 'carnet command' })
  try {
    return await work({ sql: store.sql, clock: systemClock, addresses: store.addresses, store })
  } finally {
    await store.stop()
  }
}
