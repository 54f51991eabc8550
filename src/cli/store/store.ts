/** The database a command works on, brought to this version: the operator's own, or the embedded one that all share. */
import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { OperatorContext } from '../../accounts/context.ts'
import { systemClock } from '../../kernel/clock.ts'
import { type Config, type Environment, readConfig } from '../../kernel/config/config.ts'
import { type FinishedStatement, isPoolEnded } from '../../kernel/db/connection-pool.ts'
import {
  type DatabaseTarget,
  isDisconnection,
  isPoolerRefusal,
  openPool,
  POOL_SIZE,
  type Sql,
} from '../../kernel/db/database.ts'
import { adviseOnTls } from '../../kernel/db/database-tls.ts'
import { listPendingMigrations, migrate } from '../../kernel/db/migrate.ts'
import { grantTraffic } from '../../kernel/db/traffic-role.ts'
import { createLog, type Log } from '../../kernel/log.ts'
import type { Addresses } from '../../passports/core/record.ts'
import { hasSealedSecrets } from '../../webhooks/rotate-secret.ts'
import { Refusal, type Result } from '../command-line/command.ts'
import { unlessToldToStop } from '../command-line/told-to-stop.ts'
import { lookAtConnections } from './connection-budget.ts'
import { openEmbeddedStore } from './embedded-store.ts'
import { findUnlinkedKey, isKeyMissing } from './secret-key.ts'

export type Store = {
  sql: Sql
  /** A pool of its own for queues, such as `openPool` makes for them; it ends with the store. */
  openQueuePool: () => Sql
  /** A pool of one connection, for who holds it long and ends it. */
  openPoolOfOne: () => Sql
  /** The same as the role that owns the tables, which only migrations and restores need. */
  openOwnerPool: () => Sql
  /** Gives the role of the traffic its rights; to be called when the owner has made tables. */
  grantTraffic: () => Promise<void>
  /** Calls back for each queue pool that is opened from now on. */
  onQueuePool: (opened: (pool: Sql) => void) => void
  addresses: Addresses
  /** Where the data is, without a password. */
  place: string
  /** There is a pooler before the database, which takes more connections than that. */
  pooled: boolean
  /** Names of the migrations that were applied on opening. */
  applied: readonly string[]
  /** Names of the migrations that this version has and the database has not. */
  pending: () => Promise<readonly string[]>
  stop: () => Promise<void>
  /** What of stopping can be done without waiting. */
  abandon: () => void
}

export type StoreContext = OperatorContext & {
  addresses: Addresses
  store: Store
  config: Config
  /** Aborted when the command is told to stop; the store is left then. */
  told: AbortSignal
}

/**
 * `serves`: keeps the embedded PostgreSQL alive, and takes the one seat of a server unless `seat` is false.
 * `migrate: false` only looks.
 */
export type OpenOptions = {
  name: string
  serves?: boolean
  seat?: boolean
  migrate?: boolean
  /** Refuses where there is no embedded store yet, in place of making one. */
  mustBeThere?: boolean
  /** Waits for a database that is not there yet, in place of refusing. */
  patient?: boolean
  /** Warns when the database allows fewer connections than all processes may need. */
  checksConnections?: boolean
  /** Called once when it has to wait, with a pool that does not reach anything yet. */
  awaited?: (sql: Sql) => Promise<void>
  /** Ends that wait, which throws its reason. */
  stopping?: AbortSignal
  /** Connections at most; else as many as a server, or a command, has. */
  max?: number
  /** There is a pooler before the database. */
  pooled?: boolean
  /** Hears of the end of every statement. */
  onStatementEnd?: ((statement: FinishedStatement) => void) | undefined
  /** Hears of the migrations that are about to be applied, here or by another process. */
  migrating?: (names: readonly string[]) => void
}

export const MIGRATIONS = join(import.meta.dirname, '../../../migrations')
const COMMAND_POOL_SIZE = 2
/** One claims, one writes what became of it, one clears away. */
const QUEUE_POOL_SIZE = 3
const TRY_EVERY_MS = 1_000
const TRIES_A_SENTENCE = 15

/** Opens the store. Throws a Refusal when the database does not answer, and SeatTaken for a second server. */
export async function openStore(config: Config, log: Log, options: OpenOptions): Promise<Store> {
  const store = await (config.databaseUrl === undefined
    ? openOnEmbedded(config, log, options)
    : openOnUrl(config, config.databaseUrl, log, options))
  if (options.checksConnections && !store.pooled) await warnOfFew(store, config, log)
  return store
}

/** Of connections: an embedded PostgreSQL may have been started for fewer processes. */
async function warnOfFew(store: Store, config: Config, log: Log): Promise<void> {
  try {
    const { enough, detail } = await lookAtConnections(store.sql, config)
    if (!enough) log.warn(`too few connections under load: ${detail}`)
  } catch (error) {
    log.warn({ reason: String(error) }, 'how many connections the database takes is not known')
  }
}

async function openOnEmbedded(config: Config, log: Log, options: OpenOptions): Promise<Store> {
  if (options.mustBeThere) requireStore(config.dataDir)
  makeDataDir(config.dataDir)
  const embedded = await openEmbeddedStore({ ...options, config, log })
  const pools = poolsOn(embedded.target, options, embedded.owner)
  const end = async () => {
    await pools.end()
    await embedded.leave()
  }
  return finish(config, pools, options, {
    place: config.dataDir,
    pooled: false,
    stop: end,
    abandon: embedded.abandon,
  })
}

function requireStore(dataDir: string): void {
  if (hasStore(dataDir)) return
  throw new Refusal(
    `There is no store in ${resolve(dataDir)} (DATA_DIR), and this command makes none. ` +
      'Set DATA_DIR to the folder that has the data; a new store is made by the server, or by `carnet migrate`.',
  )
}

/** Of what cannot be looked at, too: opening it says why. */
export function hasStore(dataDir: string): boolean {
  try {
    return statSync(join(dataDir, 'pg')).isDirectory()
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
  }
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Refusal(`DATA_DIR is ${dataDir}, where there can be no folder: ${reason}.`)
  }
}

async function openOnUrl(config: Config, url: string, log: Log, options: OpenOptions): Promise<Store> {
  const { host, pathname } = new URL(url)
  const place = `${host}${pathname}`
  const ownerUrl = config.databaseOwnerUrl
  const owner = ownerUrl === undefined ? undefined : { url: ownerUrl }
  let pools = poolsOn({ url }, options, owner)
  let pooled = false
  try {
    if ((await reach(pools.sql, place, log, options, adviseOnTls(url))) === 'pooler') {
      await pools.end()
      pooled = true
      pools = poolsOn({ url }, { ...options, pooled }, owner)
      await pools.sql`select 1`
      log.info(`there is a pooler before the database at ${place}: statements are not prepared`)
    }
  } catch (error) {
    await pools.end()
    if (options.stopping?.aborted) throw options.stopping.reason
    if (error instanceof Refusal) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const advice = isDisconnection(error) ? adviseOnTls(url) : ''
    throw new Refusal(`The database at ${place} (DATABASE_URL) cannot be used: ${reason}${advice}.`)
  }
  return finish(config, pools, options, { place, pooled, stop: pools.end, abandon: () => {} })
}

/** A machine that starts brings up its database and Carnet in any order; what refuses us is no matter of time. */
async function reach(
  sql: Sql,
  place: string,
  log: Log,
  { patient, awaited, stopping }: OpenOptions,
  advice: string,
): Promise<'database' | 'pooler'> {
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>()
  stopped.catch(() => undefined)
  stopping?.addEventListener('abort', () => stop(stopping.reason), { once: true })
  for (let tries = 0; ; tries++) {
    try {
      await Promise.race([sql`select 1`, stopped])
      return 'database'
    } catch (error) {
      if (isPoolerRefusal(error)) return 'pooler'
      if (!patient || !isDisconnection(error)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      if (tries % TRIES_A_SENTENCE === 0) {
        log.warn({ reason }, `the database at ${place} does not answer yet; it is waited for${advice}`)
      }
      if (tries === 0) await awaited?.(sql)
      await pause(TRY_EVERY_MS, undefined, stopping && { signal: stopping })
    }
  }
}

const poolOptions = ({
  name,
  serves,
  onStatementEnd,
  pooled = false,
  max = serves ? POOL_SIZE : COMMAND_POOL_SIZE,
}: OpenOptions) => ({
  name,
  max,
  pooled,
  ...(onStatementEnd === undefined ? {} : { onStatementEnd }),
})

type Pools = Pick<
  Store,
  'sql' | 'openQueuePool' | 'openPoolOfOne' | 'openOwnerPool' | 'grantTraffic' | 'onQueuePool'
> & {
  end: () => Promise<void>
}

/** `owner`: who owns the tables, when that is another role than the one of the traffic. */
function poolsOn(target: DatabaseTarget, options: OpenOptions, owner?: DatabaseTarget): Pools {
  const sql = openPool(target, poolOptions(options))
  const all = [sql]
  let held: Sql[] = []
  let opened: (pool: Sql) => void = () => {}
  const openOne = (to: DatabaseTarget) => {
    const pool = openPool(to, poolOptions({ ...options, max: 1 }))
    held = held.filter(one => !isPoolEnded(one))
    held.push(pool)
    return pool
  }
  return {
    sql,
    openQueuePool() {
      const name = `${options.name} queue`
      const { onStatementEnd, pooled } = poolOptions(options)
      const pool = openPool(target, {
        name,
        max: QUEUE_POOL_SIZE,
        forQueue: true,
        pooled,
        ...(onStatementEnd === undefined ? {} : { onStatementEnd }),
      })
      all.push(pool)
      opened(pool)
      return pool
    },
    openPoolOfOne: () => openOne(target),
    openOwnerPool: () => openOne(owner ?? target),
    async grantTraffic() {
      if (owner === undefined) return
      const [row] = await sql<{ role: string }[]>`select current_user::text as role`
      const one = openOne(owner)
      try {
        await one.begin(tx => grantTraffic(tx, row?.role ?? ''))
      } finally {
        await one.end({ timeout: 1 })
      }
    },
    onQueuePool(callback) {
      opened = callback
    },
    async end() {
      // Who still holds one has had all the time there was; a second more would be missing at the end of a process.
      const atOnce = held.map(pool => pool.end({ timeout: 0 }))
      await Promise.all([...atOnce, ...all.map(pool => pool.end({ timeout: 1 }))])
    },
  }
}

async function finish(
  config: Config,
  pools: Pools,
  options: OpenOptions,
  rest: Pick<Store, 'place' | 'pooled' | 'stop' | 'abandon'>,
): Promise<Store> {
  const { sql, openQueuePool, openPoolOfOne, openOwnerPool, grantTraffic, onQueuePool } = pools
  const pending = () => listPendingMigrations(sql, MIGRATIONS)
  try {
    const applied = options.migrate === false ? [] : await migrateAsOwner(pools, options)
    if (options.migrate !== false && isKeyMissing(config) && (await hasSealedSecrets(sql))) {
      throw new Refusal(
        `${adviseOnUnlinkedKey(config.dataDir)}The webhooks in ${config.dataDir} have secrets that are sealed with a SECRET_KEY, and there is neither that setting nor the file secret-key. ` +
          'Set SECRET_KEY to the one it was, or put the file back (readable by its owner only). ' +
          'If it is lost, set SECRET_KEY to a new one: the webhooks then need new secrets.',
      )
    }
    const addresses = { publicUrl: config.publicUrl, apiUrl: `${config.publicUrl}/api/v1` }
    return {
      sql,
      openQueuePool,
      openPoolOfOne,
      openOwnerPool,
      grantTraffic,
      onQueuePool,
      addresses,
      applied,
      pending,
      ...rest,
    }
  } catch (error) {
    await rest.stop()
    throw error
  }
}

function adviseOnUnlinkedKey(dataDir: string): string {
  const path = findUnlinkedKey(dataDir)
  if (path === undefined) return ''
  return `A power cut has left the key in ${path}: rename that file to secret-key and start again. `
}

async function migrateAsOwner(pools: Pools, { migrating }: OpenOptions): Promise<string[]> {
  const owner = pools.openOwnerPool()
  try {
    const names = migrating === undefined ? [] : await listPendingMigrations(owner, MIGRATIONS)
    if (names.length > 0) migrating?.(names)
    const { applied } = await migrate(owner, MIGRATIONS, systemClock.now())
    await pools.grantTraffic()
    return applied
  } finally {
    await owner.end({ timeout: 1 })
  }
}

/** Commands keep quiet unless they are asked to speak: their result and one sentence is all they print. */
export const commandLog = (env: Environment, config: Config): Log =>
  createLog({ ...config, logLevel: env.LOG_LEVEL === undefined ? 'warn' : config.logLevel })

const COMMAND: OpenOptions = { name: 'carnet command', mustBeThere: true }
/** For commands that have something to do in a new store. */
export const MAKES_ONE: OpenOptions = { ...COMMAND, mustBeThere: false }

/** Opens the store for one command's work and closes it again, whatever became of the work. */
export async function withStore(
  env: Environment,
  work: (ctx: StoreContext) => Promise<Result>,
  options = COMMAND,
): Promise<Result> {
  const config = readConfig(env)
  return inStore(config, commandLog(env, config), options, (store, told) =>
    work({ sql: store.sql, clock: systemClock, addresses: store.addresses, store, config, told }),
  )
}

/** The same with a configuration at hand. Told to stop, it leaves at once, which ends every statement of the work. */
export function inStore<T>(
  config: Config,
  log: Log,
  options: OpenOptions,
  work: (store: Store, told: AbortSignal) => Promise<T>,
): Promise<T> {
  return unlessToldToStop(async told => {
    const store = await openStore(config, log, options)
    let left: Promise<void> | undefined
    const leave = () => {
      left ??= store.stop()
      return left
    }
    told.addEventListener('abort', () => leave().catch(() => undefined))
    try {
      told.throwIfAborted()
      return await work(store, told)
    } finally {
      await leave()
    }
  })
}
