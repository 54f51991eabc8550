/** The only place that reads the environment: every setting once, every problem reported at once with its name. */
import { existsSync, readFileSync } from 'node:fs'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { parseEnv } from 'node:util'

export type Config = {
  port: number
  host: string
  /** Base of passport, QR, GS1 and API addresses; no trailing slash. */
  publicUrl: string
  nsUrl: string
  databaseUrl: string | undefined
  dataDir: string
  pgBinDir: string | undefined
  secretKey: string | undefined
  /** What secrets may still be sealed with after a change of `SECRET_KEY`. */
  oldSecretKey: string | undefined
  role: Role
  /** How many processes answer requests on this machine. */
  workers: number
  /** What whoever asks for `/metrics` has to bring; without it there are none. */
  metricsToken: string | undefined
  /** Statements that take longer are logged, in milliseconds; 0 logs none. */
  slowQueryMs: number
  allowQueryApiKey: boolean
  /** CIDR ranges and addresses of the proxies in front; their `X-Forwarded-For` is believed, read from the right. */
  trustedProxies: readonly string[]
  allowInsecureWebhooks: boolean
  /** CIDR ranges and addresses that webhooks may go to although they are not public. */
  webhookAllowCidrs: readonly string[]
  logLevel: LogLevel
  logFormat: 'pretty' | 'json'
}

/** More processes than a machine has cores gain nothing. */
const MOST_WORKERS = 128

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** What a process does: answers requests, does the work that nobody waits for, or both. */
export const ROLES = ['all', 'web', 'worker'] as const
export type Role = (typeof ROLES)[number]

export type Environment = Readonly<Record<string, string | undefined>>

/** Settings that do not make sense; `problems` has one sentence each, beginning with the setting's name. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** The process's environment over the values of `.env` in the working directory, if there is one. */
export function environment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {}
  return { ...file, ...process.env }
}

/** Reads and checks all settings; throws one ConfigError that names every problem. */
export function readConfig(env: Environment): Config {
  const problems: string[] = []
  const read = reader(env, problems)
  const port = read.integer('PORT', 3000, 0, 65_535)
  const publicUrl = read.url('PUBLIC_URL', `http://localhost:${port}`)
  const databaseUrl = read.databaseUrl('DATABASE_URL')
  const secretKey = read.text('SECRET_KEY')
  if (databaseUrl !== undefined && secretKey === undefined) {
    problems.push(
      'SECRET_KEY is required with DATABASE_URL: 32 random bytes or more, for example from `openssl rand -base64 32`.',
    )
  }
  if (secretKey !== undefined && secretKey.length < 32) {
    problems.push('SECRET_KEY is too short: it needs at least 32 characters.')
  }
  const config: Config = {
    port,
    host: read.host('HOST', '127.0.0.1'),
    publicUrl,
    nsUrl: read.url('NS_URL', `${publicUrl}/ns/dpp`),
    databaseUrl,
    dataDir: read.text('DATA_DIR') ?? './data',
    pgBinDir: read.text('PG_BIN_DIR'),
    secretKey,
    oldSecretKey: read.text('OLD_SECRET_KEY'),
    role: read.oneOf('ROLE', ROLES, 'all'),
    workers: read.integer('WORKERS', 1, 1, MOST_WORKERS),
    metricsToken: read.token('METRICS_TOKEN'),
    slowQueryMs: read.integer('SLOW_QUERY_MS', 1_000, 0, 600_000),
    allowQueryApiKey: read.flag('ALLOW_QUERY_API_KEY'),
    trustedProxies: read.cidrs('TRUSTED_PROXIES'),
    allowInsecureWebhooks: read.flag('ALLOW_INSECURE_WEBHOOKS'),
    webhookAllowCidrs: read.cidrs('WEBHOOK_ALLOW_CIDRS'),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: read.oneOf('LOG_FORMAT', ['pretty', 'json'], process.stderr.isTTY ? 'pretty' : 'json'),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function reader(env: Environment, problems: string[]) {
  const text = (name: string): string | undefined => {
    const value = env[name]?.trim()
    return value === '' ? undefined : value
  }
  return {
    text,
    integer(name: string, fallback: number, min: number, max: number): number {
      const value = text(name)
      if (value === undefined) return fallback
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
      if (number >= min && number <= max) return number
      problems.push(`${name} is "${value}": it must be a whole number from ${min} to ${max}.`)
      return fallback
    },
    flag(name: string): boolean {
      const value = text(name)?.toLowerCase()
      if (value === undefined || value === 'false' || value === '0' || value === 'off') return false
      if (value === 'true' || value === '1' || value === 'on') return true
      problems.push(`${name} is "${value}": it must be true or false.`)
      return false
    },
    oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
      const value = text(name)
      if (value === undefined) return fallback
      const found = allowed.find(one => one === value)
      if (found !== undefined) return found
      problems.push(`${name} is "${value}": it must be one of ${allowed.join(', ')}.`)
      return fallback
    },
    /** What an `Authorization: Bearer` header can carry, too long to be guessed. */
    token(name: string): string | undefined {
      const value = text(name)
      if (value === undefined || /^[A-Za-z0-9._~+/=-]{16,512}$/.test(value)) return value
      problems.push(`${name} must be 16 to 512 letters, digits or any of . _ ~ + / = -, without spaces.`)
      return undefined
    },
    host(name: string, fallback: string): string {
      const value = text(name)
      if (value === undefined) return fallback
      if (isIPv4(value) || isIPv6(value) || /^[a-zA-Z0-9.-]{1,253}$/.test(value)) return value
      problems.push(`${name} is "${value}": it must be an IP address or a host name.`)
      return fallback
    },
    /** A list of IP addresses and CIDR ranges, separated by commas or spaces. */
    cidrs(name: string): string[] {
      const all = (text(name) ?? '').split(/[\s,]+/).filter(one => one !== '')
      const wrong = all.filter(one => !isRange(one))
      if (wrong.length > 0) {
        problems.push(
          `${name} has "${wrong.join(', ')}": it takes IP addresses and CIDR ranges such as 10.0.0.0/8, separated by commas.`,
        )
      }
      return all.filter(isRange)
    },
    url(name: string, fallback: string): string {
      const value = text(name)
      if (value === undefined) return fallback
      const url = URL.canParse(value) ? new URL(value) : undefined
      if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash) {
        return value.replace(/\/+$/, '')
      }
      problems.push(
        `${name} is "${value}": it must be an http or https address without credentials, query or fragment.`,
      )
      return fallback
    },
    databaseUrl(name: string): string | undefined {
      const value = text(name)
      if (value === undefined) return undefined
      if (URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol)) return value
      problems.push(
        `${name} must be a postgres:// address, such as postgres://carnet:password@db.example:5432/carnet.`,
      )
      return undefined
    },
  }
}

/** An IP address, or one with the number of bits of its network behind a slash. */
function isRange(value: string): boolean {
  const [address = '', bits, ...more] = value.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}
