/** `carnet doctor`: checks an installation for common problems. */
import { constants, existsSync } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { get } from 'node:http'
import { dirname, resolve } from 'node:path'
import { countIssuerSecrets } from '../../accounts/issuer/issuer.ts'
import { type Config, ConfigError, findMalformedLines, readConfig } from '../../kernel/config/config.ts'
import type { Environment } from '../../kernel/config/environment-reader.ts'
import { findMisspelledSettings } from '../../kernel/config/misspelled-settings.ts'
import { checkNodes } from '../../kernel/db/check-nodes.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { findDatabaseTls } from '../../kernel/db/database-tls.ts'
import { hasShards } from '../../kernel/db/shards.ts'
import { systemClock } from '../../kernel/values/clock.ts'
import { findExpiringProofs } from '../../passports/registry/sum-entries.ts'
import { getRules, useRuleFolder } from '../../readiness/rules.ts'
import { BUNDLED_LICENCE, describeCountryFile } from '../../scans/country.ts'
import { findLastBackup } from '../../transfer/backup/scheduled-backups.ts'
import { listMirrorLags } from '../../transfer/mirror/mirror-runs.ts'
import { getQueueSize } from '../../webhooks/queue-size.ts'
import { countSecretsByKey, hasWebhookSecrets } from '../../webhooks/rotate-secret.ts'
import { countStuckDeliveries } from '../../webhooks/unstick.ts'
import { alignColumns, type Command, type CommandResult } from '../command-line/command.ts'
import { Stopped } from '../command-line/stop-signals.ts'
import { probePort } from '../server/ports.ts'
import { checkMediaFiles, checkMediaStore } from '../store/check-media.ts'
import { checkConnections } from '../store/connection-budget.ts'
import { hasSecretKey, isKeyMissing } from '../store/secret-key.ts'
import { hasStore, type Store } from '../store/store.ts'
import {
  type Check,
  type CheckResult,
  checkClaims,
  checkCounters,
  checkHistories,
  checkPrivateKeys,
  checkRoots,
  checkShards,
  describeError,
  runChecks,
} from '../store/verify-store.ts'
import { buildWebhookSetup } from '../store/webhook-setup.ts'
import { withOpenStore } from '../store/with-store.ts'

const MIN_FREE_BYTES = 500 * 2 ** 20
const MAX_CLOCK_DIFFERENCE_MS = 2_000
const MIN_POSTGRES_VERSION = 150_000
const ANSWER_TIMEOUT_MS = 2_000
/** A delivery that is overdue by more than this is late: perhaps no worker runs. */
const MAX_DUE_SECONDS = 300
const HOUR_MS = 3_600_000
/** A backup is late when the newest one is older than this many intervals. */
const MAX_BACKUP_INTERVALS = 2
/** A mirror that is written every day lacks changes of a day. */
const MAX_MIRROR_LAG_HOURS = 48

export const doctor: Command = {
  usage: 'doctor [--verify]',
  about: 'checks the installation; exit code 1 when something is wrong',
  options: { verify: { about: 'also check every history for gaps and wrong hashes, and every file' } },
  run: async ({ args, env }) => report(await checkInstallation(env, args.has('verify'))),
}

function report(checks: readonly Check[]): CommandResult {
  const text = alignColumns(checks.map(({ name, ok, detail }) => [ok ? 'ok  ' : 'BAD ', name, detail]))
  const bad = checks.filter(({ ok }) => !ok).map(({ name }) => name)
  const failure = `${bad.length} of ${checks.length} checks failed: ${bad.join(', ')}.`
  return { value: checks, text, failure: bad.length === 0 ? undefined : failure }
}

async function checkInstallation(env: Environment, verify: boolean): Promise<Check[]> {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [{ name: 'settings', ok: false, detail: error.problems.join(' ') }]
  }
  const checks = await runChecks({
    settings() {
      const odd = [...findMalformedLines(), ...findMisspelledSettings(env)]
      return odd.length === 0 ? `addresses begin with ${config.publicUrl}` : odd
    },
    'data directory': () => checkFolder(config.dataDir),
    'secret key': () => checkSecretKey(config),
    port: () => checkPort(config),
    'country data': () => checkCountryData(config),
    rules: () => checkRules(config),
    backups: () => checkBackups(config),
    'pictures and documents': () => checkMediaStore(config.mediaPlace, checkFolder),
  })
  // Opening the store would create one.
  if (config.databaseUrl === undefined && !hasStore(config.dataDir)) {
    const detail = `${resolve(config.dataDir)} (DATA_DIR) has no database yet: the first start creates it`
    // With --verify the operator expects data.
    return [...checks, { name: 'database', ok: !verify, detail }]
  }
  const options = { name: 'carnet doctor', migrate: false }
  try {
    const found = await withOpenStore(env, config, options, store => checkStore(store, config, verify))
    return [...checks, ...found]
  } catch (error) {
    if (error instanceof Stopped) throw error
    return [...checks, { name: 'database', ok: false, detail: describeError(error) }]
  }
}

async function checkStore(store: Store, config: Config, verify: boolean): Promise<Check[]> {
  const { sql } = store
  let pending: readonly string[] | undefined
  const checks = await runChecks({
    database: () => checkPostgresVersion(sql),
    async migrations() {
      pending = await store.findPendingMigrations()
      return checkMigrations(sql, pending)
    },
    clock: () => checkClock(sql),
    connections: () => checkConnectionCount(store, config),
    jit: () => checkJit(sql),
    transport: () => describeTransport(config),
    roles: () => describeRoles(sql),
    ...(hasShards(sql) ? { nodes: () => checkNodes(sql) } : {}),
  })
  if (pending?.length !== 0) return checks
  const more = await runChecks({
    ...(hasShards(sql) ? { shards: () => checkShards(sql) } : {}),
    counters: () => checkCounters(sql),
    claims: () => checkClaims(sql, verify),
    'private keys': () => checkPrivateKeys(sql),
    'sealed secrets': () => checkWebhookSecrets(sql, config),
    deliveries: () => checkDeliveries(sql),
    mirrors: () => checkMirrors(sql),
    'registry proofs': () => checkRegistryProofs(sql),
    ...(verify
      ? {
          histories: () => checkHistories(sql),
          'daily roots': () => checkDailyRoots(sql, config),
          files: () => checkMediaFiles(sql, config.mediaPlace),
        }
      : {}),
  })
  return [...checks, ...more]
}

async function checkFolder(folder: string): Promise<CheckResult> {
  // A missing folder will be created in its nearest existing parent. The check creates nothing.
  let existing = resolve(folder)
  while (!existsSync(existing)) existing = dirname(existing)
  if (!(await stat(existing)).isDirectory()) return [`${existing} is not a folder`]
  await access(existing, constants.W_OK | constants.R_OK | constants.X_OK)
  const { bavail, bsize } = await statfs(existing)
  const free = bavail * bsize
  const what = existing === resolve(folder) ? 'is writable' : 'does not exist yet and can be created'
  const detail = `${folder} ${what}, ${(free / 2 ** 30).toFixed(1)} GiB free`
  return free < MIN_FREE_BYTES ? [`${detail}: too little`] : detail
}

function checkSecretKey({ secretKey, dataDir }: Config): string {
  if (secretKey !== undefined) return 'from the setting SECRET_KEY'
  return hasSecretKey(dataDir)
    ? `kept in ${dataDir}, readable by its owner only`
    : 'is created when the server starts'
}

async function checkPort({ host, role, workerPort, ...config }: Config): Promise<CheckResult> {
  if (role === 'worker' && workerPort === 0) return 'none is used (ROLE=worker without WORKER_PORT)'
  const port = role === 'worker' ? workerPort : config.port
  if ((await probePort(host, port)) !== undefined) return `${port} on ${host} is free`
  if (await answersAsCarnet(host, port)) return `a Carnet answers on port ${port} of ${host}`
  return [`${port} on ${host} is used by another program, or this user may not use it`]
}

async function checkBackups({ backups }: Config): Promise<CheckResult> {
  if (backups === undefined)
    return 'warning: there are no automatic backups; set BACKUP_DIR, or run "carnet backup" every day'
  const folder = await checkFolder(backups.dir)
  if (typeof folder !== 'string') return folder
  const last = existsSync(backups.dir) ? await findLastBackup(backups.dir) : undefined
  if (last === undefined) return `${folder}; no backup yet: a server creates the first one when it starts`
  const ageMs = systemClock.now().getTime() - last.at.getTime()
  const detail = `${folder}; the newest is ${(ageMs / HOUR_MS).toFixed(1)} hours old`
  if (ageMs <= MAX_BACKUP_INTERVALS * backups.everyMs) return detail
  return [
    `${detail}, older than twice BACKUP_EVERY: a server with ROLE=all or ROLE=worker must run; its log says what fails`,
  ]
}

async function checkCountryData(config: Config): Promise<CheckResult> {
  const bundled = await describeCountryFile()
  const snapshot = `bundled file of ${bundled.builtOn} (${BUNDLED_LICENCE})`
  if (config.countryHeader !== undefined && config.trustedProxies.length === 0) {
    return [`COUNTRY_HEADER is only used from TRUSTED_PROXIES, and none are set; ${snapshot}`]
  }
  const header = config.countryHeader === undefined ? '' : `header ${config.countryHeader}, then `
  if (config.geoMmdbPath === undefined) return header + snapshot
  try {
    const own = await describeCountryFile(config.geoMmdbPath)
    return `${header}${own.path} of ${own.builtOn}, then ${snapshot}`
  } catch (error) {
    return [`GEO_MMDB_PATH cannot be read: ${describeError(error)}; ${snapshot} is used`]
  }
}

/** Acts change: rules that nobody has compared with the law for half a year may be wrong. */
const MAX_RULES_AGE_DAYS = 180

function checkRules(config: Config): CheckResult {
  useRuleFolder(config.rulesDir)
  const { acts, version } = getRules()
  const ageDays = Math.floor((systemClock.now().getTime() - Date.parse(version)) / 86_400_000)
  const names = new Set([...acts.values()].flat().map(act => act.id))
  const found = `${names.size} acts, last compared with the law on ${version}`
  if (ageDays <= MAX_RULES_AGE_DAYS) return found
  return [`${found}, ${ageDays} days ago: a newer version of Carnet may have newer rules`]
}

const answersAsCarnet = (host: string, port: number): Promise<boolean> =>
  new Promise(resolve => {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    get({ host, port, path: '/healthz', signal }, response => {
      response.resume()
      resolve(response.statusCode === 200 && response.headers['x-request-id'] !== undefined)
    }).on('error', () => resolve(false))
  })

async function checkPostgresVersion(sql: Sql): Promise<CheckResult> {
  const [row] = await sql<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name`
  const detail = `PostgreSQL ${row?.name} answers`
  return (row?.number ?? 0) >= MIN_POSTGRES_VERSION ? detail : [`${detail}: version 15 or newer is needed`]
}

async function checkConnectionCount({ sql, hasPooler }: Store, config: Config): Promise<CheckResult> {
  if (hasPooler) return 'a pooler is in front of the database'
  const { enough, detail } = await checkConnections(sql, config)
  if (enough) return detail
  const advice =
    config.databaseUrl === undefined
      ? 'stop every Carnet on this data and start the server again'
      : 'raise max_connections of the database, or lower WORKERS'
  return [`${detail}: ${advice}`]
}

function describeTransport({ databaseUrl }: Config): string {
  if (databaseUrl === undefined) return 'a socket that only its user may use'
  const { mode, isLocal } = findDatabaseTls(databaseUrl)
  if (mode.startsWith('verify')) return `TLS, and the certificate is checked (sslmode=${mode})`
  if (isLocal) return `this machine (sslmode=${mode})`
  if (mode === 'require') return 'TLS, but the certificate is not checked: sslmode=verify-full checks it'
  return `perhaps not encrypted (sslmode=${mode}): use it only in your own network`
}

/** With one role for everything, only triggers protect the data that Carnet never changes. */
async function describeRoles(sql: Sql): Promise<string> {
  const [row] = await sql<{ role: string; isSuperuser: boolean; canChange: boolean }[]>`
    select current_user::text as role, rolsuper as "isSuperuser",
      coalesce(has_table_privilege(to_regclass('passport_version'), 'update'), false) as "canChange"
    from pg_roles where rolname = current_user`
  if (!row?.canChange) return `"${row?.role}" answers requests and cannot change history`
  const superuser = row.isSuperuser ? ', as a superuser' : ''
  return `"${row.role}" owns the tables and also answers requests${superuser}: set DATABASE_OWNER_URL to use a role for each`
}

/** Carnet turns JIT off in its own sessions, which does not work through a pooler. */
async function checkJit(sql: Sql): Promise<CheckResult> {
  const [row] = await sql<{ jit: string; role: string }[]>`
    select current_setting('jit') as jit, quote_ident(current_user) as role`
  if (row?.jit === 'off') return 'off, so that no statement is compiled'
  return [
    `on: PostgreSQL compiles statements, which takes longer than running them. Run "alter role ${row?.role} set jit = off" there and restart the pooler`,
  ]
}

async function checkClock(sql: Sql): Promise<CheckResult> {
  const before = systemClock.now().getTime()
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
  const after = systemClock.now().getTime()
  const differenceMs = Math.round((row?.now.getTime() ?? Number.NaN) - (before + after) / 2)
  const detail = `${Math.abs(differenceMs)} ms from the database's`
  return Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS
    ? detail
    : [`${detail}: synchronize both clocks with NTP`]
}

async function checkMigrations(sql: Sql, pending: readonly string[]): Promise<CheckResult> {
  if (pending.length === 0) return 'all applied'
  const detail = `${pending.length} to apply at the next start`
  const [row] = await sql<{ allowed: boolean }[]>`
    select has_schema_privilege(current_schema(), 'create') as allowed`
  return row?.allowed ? detail : [`${detail}, and the database's user may not create tables here`]
}

async function checkWebhookSecrets(sql: Sql, config: Config): Promise<CheckResult> {
  if (isKeyMissing(config)) {
    if (!(await hasWebhookSecrets(sql))) return 'there is no key yet'
    return [
      `webhook secrets are encrypted with a SECRET_KEY that is missing: set it, or put the file secret-key into ${config.dataDir}`,
    ]
  }
  const { secretCipher } = buildWebhookSetup(config)
  const { current, other } = await countSecretsByKey({ sql, clock: systemClock }, secretCipher)
  const issuers = await countIssuerSecrets({ sql, clock: systemClock }, secretCipher)
  const keys = issuers.current + issuers.other === 0 ? '' : ` and ${issuers.current} secrets of signing`
  const detail = `${current} webhooks${keys} under key ${secretCipher.fingerprint}`
  if (other + issuers.other === 0) return detail
  return [
    `${detail}, ${other + issuers.other} under another: set OLD_SECRET_KEY to that key and run "carnet secrets reseal"`,
  ]
}

/** Without a key nothing was ever signed, or the check of the sealed secrets says that the key is missing. */
const checkDailyRoots = async (sql: Sql, config: Config): Promise<CheckResult> =>
  isKeyMissing(config)
    ? 'not compared, because there is no key'
    : checkRoots(sql, buildWebhookSetup(config).secretCipher)

async function checkRegistryProofs(sql: Sql): Promise<CheckResult> {
  const found = await findExpiringProofs({ sql, clock: systemClock })
  if (found.length === 0) return 'no proof of registration ends within 14 days'
  const accounts = found.map(({ accountId, count }) => `${count} of account ${accountId}`).join(', ')
  return [`proofs of registration end within 14 days: ${accounts}. Ask the registry for new ones.`]
}

async function checkMirrors(sql: Sql): Promise<CheckResult> {
  const mirrors = await listMirrorLags({ sql, clock: systemClock })
  const oldest = Math.max(0, ...mirrors.map(({ seconds }) => seconds)) / 3_600
  const late = mirrors.filter(({ seconds }) => seconds > MAX_MIRROR_LAG_HOURS * 3_600)
  if (mirrors.length === 0) return 'no account has a back-up copy that "carnet mirror" wrote'
  const detail = `of ${mirrors.length} accounts; the oldest change that one lacks is ${oldest.toFixed(1)} hours old`
  if (late.length === 0) return detail
  const accounts = late.map(({ accountId }) => accountId).join(', ')
  return [`${detail}: run "carnet mirror" for account ${accounts}, best every hour`]
}

async function checkDeliveries(sql: Sql): Promise<CheckResult> {
  const { due, waiting, oldestDueSeconds } = await getQueueSize({ sql, clock: systemClock })
  const oldest = due === 0 ? '' : `, the oldest for ${Math.round(oldestDueSeconds)} s`
  const detail = `${due} due${oldest}, ${waiting} waiting for a later attempt`
  const stuck = await countStuckDeliveries({ sql, clock: systemClock })
  if (stuck.leases + stuck.deliveries + stuck.endpoints > 0) {
    return [
      `${detail}: ${stuck.leases} accounts, ${stuck.deliveries} deliveries and ${stuck.endpoints} webhooks wait because a clock was ahead. Check the clocks and run "carnet webhooks unstick"`,
    ]
  }
  if (oldestDueSeconds < MAX_DUE_SECONDS) return detail
  return [`${detail}: a process with ROLE=all or ROLE=worker must be running`]
}
