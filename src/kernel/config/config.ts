/** The only place that reads the environment. All problems are reported at once. */
import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { toError } from '../errors/errors.ts'
import { LOG_LEVELS } from '../errors/log.ts'
import { type Environment, EnvironmentReader } from './environment-reader.ts'
import { findKeyWeakness, replaceKeyAdvice } from './key-strength.ts'

export type Config = ReturnType<typeof readConfig>

/** More processes than a machine has cores gain nothing. */
const MAX_WORKERS = 128

const MIN_SIGNATURE_DAYS = 7
const MAX_SIGNATURE_DAYS = 3_650

/** A process answers requests, does background work, or both. */
const PROCESS_ROLES = ['all', 'web', 'worker'] as const
export type ProcessRole = (typeof PROCESS_ROLES)[number]

/** Invalid settings: one sentence for each, beginning with the setting's name. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** The process's environment, which overrides `.env` in the working directory. Throws ConfigError. */
export function readEnvironment(): Environment {
  return { ...parseEnv(readDotEnv()), ...process.env }
}

/** Without a byte order mark; empty without a file. Throws ConfigError. */
function readDotEnv(): string {
  if (!existsSync('.env')) return ''
  try {
    return readFileSync('.env', 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new ConfigError([`.env in the working directory cannot be read: ${toError(error).message}.`])
  }
}

/** One sentence for each line of `.env` that the parser would skip silently. */
export const findMalformedLines = (): string[] =>
  listMalformedLines(readDotEnv()).map(
    line =>
      `Line ${line} of .env does not have the form NAME=value. It has no effect, and the next line may have none either.`,
  )

/** The line numbers, from 1. A quoted value may have several lines. */
export function listMalformedLines(text: string): number[] {
  let quote: string | undefined
  return text.split('\n').flatMap((line, i) => {
    if (quote !== undefined) {
      if (line.includes(quote)) quote = undefined
      return []
    }
    if (/^\s*(#.*)?$/.test(line)) return []
    const [, value] = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*(.*)$/s.exec(line) ?? []
    if (value === undefined) return [i + 1]
    const [first = ''] = value
    if (/["'`]/.test(first) && !value.includes(first, 1)) quote = first
    return []
  })
}

/** Reads and checks all settings. Throws one ConfigError that names every problem. */
export function readConfig(env: Environment) {
  const read = new EnvironmentReader(env)
  const { problems } = read
  const port = read.integer('PORT', 3000, 0, 65_535)
  const publicUrl = read.url('PUBLIC_URL', `http://localhost:${port}`)
  const databaseUrl = read.databaseUrl('DATABASE_URL')
  const databaseOwnerUrl = read.databaseUrl('DATABASE_OWNER_URL')
  if (databaseOwnerUrl !== undefined && databaseUrl === undefined) {
    problems.push(
      'DATABASE_OWNER_URL is set without DATABASE_URL: remove it, because the embedded database has an owner role of its own.',
    )
  }
  const secretKeys = readSecretKeys(read, databaseUrl !== undefined)
  const config = {
    port,
    host: read.host('HOST', '127.0.0.1'),
    /** Base of passport, QR, GS1 and API addresses; no trailing slash. */
    publicUrl,
    nsUrl: read.url('NS_URL', `${publicUrl}/ns/dpp`),
    /** How signed documents and pages name this service; not a company that signs through it. */
    serviceName: read.name('SERVICE_NAME', 'Carnet', 80),
    /** With which identifiers of documents begin; undefined: as at the first start. */
    dppIdBase: read.url('DPP_ID_BASE', '') || undefined,
    databaseUrl,
    /** For migrations and restores; without it, `databaseUrl` is used. */
    databaseOwnerUrl,
    dataDir: read.text('DATA_DIR') ?? './data',
    pgBinDir: read.text('PG_BIN_DIR'),
    /** Where pictures and documents are stored. */
    mediaPlace: read.mediaPlace('MEDIA_URL', 'media'),
    ...secretKeys,
    role: read.oneOf('ROLE', PROCESS_ROLES, 'all'),
    /** The port where a worker answers `/healthz`, `/readyz` and `/metrics`; 0: none. */
    workerPort: read.integer('WORKER_PORT', 0, 0, 65_535),
    /** Processes that answer requests on this machine. */
    workers: read.integer('WORKERS', 1, 1, MAX_WORKERS),
    /** Required to read `/metrics`; without it there are no metrics. */
    metricsToken: read.token('METRICS_TOKEN'),
    /** Statements that take longer are logged; 0 logs none. */
    slowQueryMs: read.integer('SLOW_QUERY_MS', 1_000, 0, 600_000),
    allowQueryApiKey: read.flag('ALLOW_QUERY_API_KEY'),
    /** The answer for readers who accept anything: the page, or the document of EN 18223. */
    anyAccept: read.oneOf('ANY_ACCEPT', ['html', 'json'], 'html'),
    /** CIDR ranges and addresses of proxies whose `X-Forwarded-For` is trusted, read from the right. */
    trustedProxies: read.cidrs('TRUSTED_PROXIES', 1),
    allowInsecureWebhooks: read.flag('ALLOW_INSECURE_WEBHOOKS'),
    /** CIDR ranges and non-public addresses that webhooks may call. */
    webhookAllowCidrs: read.cidrs('WEBHOOK_ALLOW_CIDRS', 0),
    /** The operator's country file (MMDB), read before the bundled one. */
    geoMmdbPath: read.text('GEO_MMDB_PATH'),
    /** A folder with acts of the operator's own, for readiness reports. */
    rulesDir: read.text('RULES_DIR'),
    /** Lower-case name of the header in which a trusted proxy sends the reader's country. */
    countryHeader: read.headerName('COUNTRY_HEADER'),
    /** Where to report a vulnerability, for `/.well-known/security.txt`: mailto:, https: or tel:. */
    securityContact: read.contact('SECURITY_CONTACT'),
    ...readMailSettings(read),
    /** Stamps the time on daily roots (RFC 3161); undefined: nobody does. */
    tsaUrl: read.httpsUrl('TSA_URL'),
    /** For how many days signed documents may be trusted without looking at the current ones. */
    signatureDays: read.integer('SIGNATURE_DAYS', 90, MIN_SIGNATURE_DAYS, MAX_SIGNATURE_DAYS),
    /** Undefined: no automatic backups. */
    backups: read.backups(),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: read.oneOf('LOG_FORMAT', ['pretty', 'json'], process.stderr.isTTY ? 'pretty' : 'json'),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

const readMailSettings = (read: EnvironmentReader) => ({
  /** Without it no e-mail is sent. */
  smtp: read.smtp('SMTP_URL', 'MAIL_FROM'),
  /** Who learns by e-mail that an account asks for something; undefined: nobody. */
  operatorEmail: read.email('OPERATOR_EMAIL'),
})

/** Secrets may still be encrypted with `oldSecretKey` after a change of SECRET_KEY. */
function readSecretKeys(read: EnvironmentReader, isRequired: boolean) {
  const { problems } = read
  const secretKey = read.text('SECRET_KEY')
  if (isRequired && secretKey === undefined) {
    problems.push(
      'SECRET_KEY is required with DATABASE_URL: 32 random bytes or more, for example from `openssl rand -base64 32`.',
    )
  }
  const weakness = secretKey === undefined ? undefined : findKeyWeakness(secretKey)
  if (weakness !== undefined) problems.push(`SECRET_KEY ${weakness} ${replaceKeyAdvice('the present one')}`)
  const oldSecretKey = read.text('OLD_SECRET_KEY')
  if (oldSecretKey !== undefined && oldSecretKey.length < 32) {
    problems.push('OLD_SECRET_KEY is too short to have been a SECRET_KEY: those have at least 32 characters.')
  }
  return { secretKey, oldSecretKey }
}
