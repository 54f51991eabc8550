/** The store of a command or server: the operator's database or the embedded one, migrated. */
import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../kernel/config/config.ts'
import { hasCitus } from '../../kernel/db/citus.ts'
import { isDisconnection, isPoolerRefusal, type Sql } from '../../kernel/db/database.ts'
import { adviseOnTls } from '../../kernel/db/database-tls.ts'
import { splitHosts } from '../../kernel/db/database-url.ts'
import { listPendingMigrations, migrate } from '../../kernel/db/migrate.ts'
import { findErrorCode, toError } from '../../kernel/errors/errors.ts'
import type { Log } from '../../kernel/errors/log.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { pinDppIdBase, readDppIdBases } from '../../passports/core/dpp-id-bases.ts'
import type { Addresses } from '../../passports/core/record.ts'
import { useRuleFolder } from '../../readiness/rules.ts'
import { hasWebhookSecrets } from '../../webhooks/rotate-secret.ts'
import { CommandError } from '../command-line/command.ts'
import { checkConnections } from './connection-budget.ts'
import { openEmbeddedStore } from './embedded-store.ts'
import { openPools, type StorePoolOptions, type StorePools } from './pools.ts'
import { findUnlinkedKey, isKeyMissing } from './secret-key.ts'

export type Store = Omit<StorePools, 'end'> & {
  addresses: Addresses
  /** Where the data is, without a password. */
  location: string
  /** A pooler such as PgBouncer is in front of the database, with its own connection limit. */
  hasPooler: boolean
  /** Names of the migrations that were applied on opening. */
  appliedMigrations: readonly string[]
  /** Names of the migrations that this version has and the database lacks. */
  findPendingMigrations: () => Promise<readonly string[]>
  stop: () => Promise<void>
  /** Starts to stop without waiting, for a process that exits at once. */
  abandon: () => void
}

/** `isServer`: keeps PostgreSQL running, and locks it unless `takesServerLock` is false. */
export type OpenOptions = StorePoolOptions & {
  takesServerLock?: boolean
  /** If false, opens the store without migrating it. */
  migrate?: boolean
  /** Fails when there is no embedded store yet, instead of creating one. */
  mustExist?: boolean
  /** Waits for a database that does not answer yet, or is lost while the store opens, instead of failing. */
  waitsForDatabase?: boolean
  /** Warns when the database allows fewer connections than all processes may need. */
  checksConnections?: boolean
  /** Called once if the database does not answer yet, with a pool that cannot connect. */
  onWaiting?: (sql: Sql) => Promise<void>
  /** Ends the wait, which then throws its reason. */
  signal?: AbortSignal
  /** Called with the migrations that are about to be applied, here or by another process. */
  onMigrating?: (names: readonly string[]) => void
}

export const MIGRATIONS = join(import.meta.dirname, '../../../migrations')
const RETRY_INTERVAL_MS = 1_000
const RETRIES_PER_WARNING = 15

/** Opens the store. Throws CommandError when the database does not answer, and ServerAlreadyRunning. */
export async function openStore(config: Config, log: Log, options: OpenOptions): Promise<Store> {
  useRuleFolder(config.rulesDir)
  const store = await openPatiently(config, log, options)
  if (!options.checksConnections || store.hasPooler) return store
  try {
    // An embedded PostgreSQL may have been started for fewer processes.
    const { enough, detail } = await checkConnections(store.sql, config)
    if (!enough) log.warn(`too few connections under load: ${detail}`)
  } catch (error) {
    log.warn({ reason: String(error) }, 'cannot find out how many connections the database allows')
  }
  return store
}

/** A server whose connections end while it opens the store opens it again. */
async function openPatiently(config: Config, log: Log, options: OpenOptions): Promise<Store> {
  const { signal, waitsForDatabase } = options
  for (let tries = 0; ; tries++) {
    try {
      return await (config.databaseUrl === undefined
        ? openOnEmbedded(config, log, options)
        : openOnUrl(config, config.databaseUrl, log, options))
    } catch (error) {
      signal?.throwIfAborted()
      if (!waitsForDatabase || !isDisconnection(error)) throw error
      const message = 'the connection to the database was lost during the start; trying again'
      if (tries % RETRIES_PER_WARNING === 0) log.warn({ reason: toError(error).message }, message)
      await pause(RETRY_INTERVAL_MS, undefined, signal && { signal }).catch(() => signal?.throwIfAborted())
    }
  }
}

async function openOnEmbedded(config: Config, log: Log, options: OpenOptions): Promise<Store> {
  const { dataDir } = config
  if (options.mustExist && !hasStore(dataDir)) {
    throw new CommandError(
      `There is no store in ${resolve(dataDir)} (DATA_DIR), and this command does not create one. ` +
        'Set DATA_DIR to the folder that holds the data. The server and `carnet migrate` create a new store.',
    )
  }
  try {
    mkdirSync(dataDir, { recursive: true })
  } catch (error) {
    throw new CommandError(`The folder ${dataDir} (DATA_DIR) cannot be created: ${toError(error).message}.`)
  }
  const { target, owner, leave, abandon } = await openEmbeddedStore({ ...options, config, log })
  const pools = openPools(target, options, owner)
  const stop = async () => {
    await pools.end()
    await leave()
  }
  return finishOpening(config, pools, options, { location: dataDir, hasPooler: false, stop, abandon })
}

/** Also true for a folder that cannot be read: opening it explains why. */
export function hasStore(dataDir: string): boolean {
  try {
    return statSync(join(dataDir, 'pg')).isDirectory()
  } catch (error) {
    return findErrorCode(error) !== 'ENOENT'
  }
}

async function openOnUrl(config: Config, url: string, log: Log, options: OpenOptions): Promise<Store> {
  const hosts = splitHosts(url).map(host => new URL(host))
  const location = `${hosts.map(({ host }) => host).join()}${hosts[0]?.pathname ?? ''}`
  const ownerUrl = config.databaseOwnerUrl
  const owner = ownerUrl === undefined ? undefined : { url: ownerUrl }
  let pools = openPools({ url }, options, owner)
  let hasPooler = false
  try {
    if ((await waitForConnection(pools.sql, location, log, options, adviseOnTls(url))) === 'pooler') {
      await pools.end()
      hasPooler = true
      pools = openPools({ url }, { ...options, hasPooler }, owner)
      await pools.sql`select 1`
      log.info(`a pooler is in front of the database at ${location}, so Carnet does not prepare statements`)
    } else if (await hasCitus(pools.sql)) {
      await pools.end()
      pools = openPools({ url }, { ...options, isDistributed: true }, owner)
    }
  } catch (error) {
    await pools.end()
    if (options.signal?.aborted) throw options.signal.reason
    if (error instanceof CommandError || (options.waitsForDatabase && isDisconnection(error))) throw error
    const reason = `${toError(error).message}${isDisconnection(error) ? adviseOnTls(url) : ''}`
    throw new CommandError(`The database at ${location} (DATABASE_URL) cannot be used: ${reason}.`)
  }
  return finishOpening(config, pools, options, { location, hasPooler, stop: pools.end, abandon: () => {} })
}

/** A machine may start its database after Carnet. Only a missing connection is retried, no other error. */
async function waitForConnection(
  sql: Sql,
  location: string,
  log: Log,
  { waitsForDatabase, onWaiting, signal }: OpenOptions,
  advice: string,
): Promise<'database' | 'pooler'> {
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>()
  stopped.catch(() => undefined)
  signal?.addEventListener('abort', () => stop(signal.reason), { once: true })
  for (let tries = 0; ; tries++) {
    try {
      await Promise.race([sql`select 1`, stopped])
      return 'database'
    } catch (error) {
      if (isPoolerRefusal(error)) return 'pooler'
      if (!waitsForDatabase || !isDisconnection(error)) throw error
      if (tries % RETRIES_PER_WARNING === 0) {
        const message = `the database at ${location} does not answer yet; waiting for it${advice}`
        log.warn({ reason: toError(error).message }, message)
      }
      if (tries === 0) await onWaiting?.(sql)
      await pause(RETRY_INTERVAL_MS, undefined, signal && { signal })
    }
  }
}

async function finishOpening(
  config: Config,
  pools: StorePools,
  options: OpenOptions,
  rest: Pick<Store, 'location' | 'hasPooler' | 'stop' | 'abandon'>,
): Promise<Store> {
  const migrates = options.migrate !== false
  try {
    const appliedMigrations = migrates ? await migrateAsOwner(pools, options) : []
    await pools.openShards()
    if (migrates) await requireKeyForSecrets(config, pools.sql)
    const { publicUrl, serviceName, dppIdBase: configured } = config
    const dppIdBases =
      migrates && options.isServer
        ? await pinDppIdBase(pools.sql, { configured, publicUrl, now: systemClock.now() })
        : await readDppIdBases(pools.sql)
    return {
      ...pools,
      addresses: { publicUrl, apiUrl: `${publicUrl}/api/v1`, dppIdBases, serviceName },
      appliedMigrations,
      findPendingMigrations: () => listPendingMigrations(pools.sql, MIGRATIONS),
      ...rest,
    }
  } catch (error) {
    await rest.stop()
    throw error
  }
}

/** Otherwise a new key would be created, and no webhook could be signed. */
async function requireKeyForSecrets(config: Config, sql: Sql): Promise<void> {
  if (!isKeyMissing(config) || !(await hasWebhookSecrets(sql))) return
  const { dataDir } = config
  const unlinked = findUnlinkedKey(dataDir)
  const advice =
    unlinked === undefined
      ? ''
      : `A power cut has left the key in ${unlinked}: rename that file to secret-key and start again. `
  throw new CommandError(
    `${advice}The webhooks in ${dataDir} have secrets that are encrypted with a SECRET_KEY. Neither that setting nor the file secret-key exists. ` +
      'Set SECRET_KEY to the old key, or put the file back (readable by its owner only). ' +
      'If the key is lost, set SECRET_KEY to a new one: the webhooks then need new secrets.',
  )
}

async function migrateAsOwner(pools: StorePools, { onMigrating }: OpenOptions): Promise<string[]> {
  const owner = pools.openOwnerPool()
  try {
    const names = onMigrating === undefined ? [] : await listPendingMigrations(owner, MIGRATIONS)
    if (names.length > 0) onMigrating?.(names)
    const { applied } = await migrate(owner, MIGRATIONS, systemClock.now())
    await pools.grantTraffic()
    return applied
  } finally {
    await owner.end({ timeout: 1 })
  }
}
