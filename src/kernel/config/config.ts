/** The only place that reads the environment: every setting once, every problem reported at once with its name. */
import { existsSync, readFileSync } from 'node:fs'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { parseEnv } from 'node:util'
import { TLS_MODES } from '../db/database-tls.ts'
import { LOG_LEVELS, type LogLevel } from '../log.ts'
import { findKeyWeakness, replaceKeyAdvice } from './key-strength.ts'

export type Config = {
  port: number
  host: string
  /** Base of passport, QR, GS1 and API addresses; no trailing slash. */
  publicUrl: string
  nsUrl: string
  databaseUrl: string | undefined
  /** Who migrates and restores on that database; without it, the user of `databaseUrl` does. */
  databaseOwnerUrl: string | undefined
  dataDir: string
  pgBinDir: string | undefined
  secretKey: string | undefined
  /** What secrets may still be sealed with after a change of `SECRET_KEY`. */
  oldSecretKey: string | undefined
  role: ProcessRole
  /** Where a worker answers `/healthz`, `/readyz` and `/metrics`; 0: nowhere. */
  workerPort: number
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
  /** A country file (MMDB) of the operator's, read before the bundled one. */
  geoMmdbPath: string | undefined
  /** Lower-case name of the header in which a trusted proxy tells the reader's country. */
  countryHeader: string | undefined
  /** Where e-mails go out; without it none is sent. */
  smtp: SmtpServer | undefined
  /** Where backups are made by themselves, how often, and how many are kept; undefined: none are. */
  backups: BackupSettings | undefined
  logLevel: LogLevel
  logFormat: 'pretty' | 'json'
}

/** `from` as in a letter's head. `secure`: TLS from the first byte, else by STARTTLS where the server has it. */
export type SmtpServer = {
  host: string
  port: number
  secure: boolean
  user: string | undefined
  password: string | undefined
  from: string
}

export type BackupSettings = { dir: string; everyMs: number; keep: number }

/** More processes than a machine has cores gain nothing. */
const MAX_WORKERS = 128

/** What a process does: answers requests, does the work that nobody waits for, or both. */
export const PROCESS_ROLES = ['all', 'web', 'worker'] as const
export type ProcessRole = (typeof PROCESS_ROLES)[number]

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

/** The process's environment over the values of `.env` in the working directory, if there is one. Throws ConfigError. */
export function readEnvironment(): Environment {
  return { ...parseEnv(readDotEnv()), ...process.env }
}

/** Without the byte order mark that some editors begin a file with; empty without a file. Throws ConfigError. */
function readDotEnv(): string {
  if (!existsSync('.env')) return ''
  try {
    return readFileSync('.env', 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([`.env in the working directory cannot be read: ${reason}.`])
  }
}

/** One sentence for each line of `.env` that says nothing: it would be passed over without a word. */
export function findMalformedLines(): string[] {
  return listMalformedLines(readDotEnv()).map(
    line =>
      `Line ${line} of .env is not written NAME=value: it has no effect, and may take the next one with it.`,
  )
}

/** Their numbers, from 1. A value in quotes may go over several lines. */
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

/** Reads and checks all settings; throws one ConfigError that names every problem. */
export function readConfig(env: Environment): Config {
  const problems: string[] = []
  const read = createReader(env, problems)
  const port = read.integer('PORT', 3000, 0, 65_535)
  const publicUrl = read.url('PUBLIC_URL', `http://localhost:${port}`)
  const databaseUrl = read.databaseUrl('DATABASE_URL')
  const databaseOwnerUrl = read.databaseUrl('DATABASE_OWNER_URL')
  if (databaseOwnerUrl !== undefined && databaseUrl === undefined) {
    problems.push(
      'DATABASE_OWNER_URL is set without DATABASE_URL: the embedded database has its owner already.',
    )
  }
  const secretKey = read.text('SECRET_KEY')
  if (databaseUrl !== undefined && secretKey === undefined) {
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
  const config: Config = {
    port,
    host: read.host('HOST', '127.0.0.1'),
    publicUrl,
    nsUrl: read.url('NS_URL', `${publicUrl}/ns/dpp`),
    databaseUrl,
    databaseOwnerUrl,
    dataDir: read.text('DATA_DIR') ?? './data',
    pgBinDir: read.text('PG_BIN_DIR'),
    secretKey,
    oldSecretKey,
    role: read.oneOf('ROLE', PROCESS_ROLES, 'all'),
    workerPort: read.integer('WORKER_PORT', 0, 0, 65_535),
    workers: read.integer('WORKERS', 1, 1, MAX_WORKERS),
    metricsToken: read.token('METRICS_TOKEN'),
    slowQueryMs: read.integer('SLOW_QUERY_MS', 1_000, 0, 600_000),
    allowQueryApiKey: read.flag('ALLOW_QUERY_API_KEY'),
    trustedProxies: read.cidrs('TRUSTED_PROXIES', 1),
    allowInsecureWebhooks: read.flag('ALLOW_INSECURE_WEBHOOKS'),
    webhookAllowCidrs: read.cidrs('WEBHOOK_ALLOW_CIDRS', 0),
    geoMmdbPath: read.text('GEO_MMDB_PATH'),
    countryHeader: read.headerName('COUNTRY_HEADER'),
    smtp: read.smtp('SMTP_URL', 'MAIL_FROM'),
    backups: read.backups(),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: read.oneOf('LOG_FORMAT', ['pretty', 'json'], process.stderr.isTTY ? 'pretty' : 'json'),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function createReader(env: Environment, problems: string[]) {
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
    backups(): BackupSettings | undefined {
      const dir = text('BACKUP_DIR')
      const every = text('BACKUP_EVERY') ?? '24h'
      const [, count, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(every) ?? []
      if (count === undefined) {
        problems.push(`BACKUP_EVERY is "${every}": it must be a span such as 24h, 30m or 7d.`)
      }
      const keep = this.integer('BACKUP_KEEP', 7, 1, 10_000)
      const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit ?? 'h'] ?? 0
      return dir === undefined ? undefined : { dir, everyMs: Number(count) * unitMs, keep }
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
    /** In lower case, as Node has headers. */
    headerName(name: string): string | undefined {
      const value = text(name)
      if (value === undefined || /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(value))
        return value?.toLowerCase()
      problems.push(`${name} is "${value}": it must be the name of a header, such as CF-IPCountry.`)
      return undefined
    },
    /** A list of IP addresses and CIDR ranges of so many bits at least, separated by commas or spaces. */
    cidrs(name: string, leastBits: number): string[] {
      const all = (text(name) ?? '').split(/[\s,]+/).filter(one => one !== '')
      const wrong = all.filter(one => !isRange(one, leastBits))
      if (wrong.length > 0) {
        problems.push(
          `${name} has "${wrong.join(', ')}": it takes IP addresses and CIDR ranges such as 10.0.0.0/8${leastBits > 0 ? ', not of all addresses' : ''}, separated by commas.`,
        )
      }
      return all.filter(one => isRange(one, leastBits))
    },
    url(name: string, fallback: string): string {
      const value = text(name)
      if (value === undefined) return fallback
      const url = URL.canParse(value) ? new URL(value) : undefined
      // An empty query, fragment or name is none to the parser, and is in the way of a path all the same.
      const isBare = /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(value)
      if (url && isBare) {
        return value.replace(/\/+$/, '')
      }
      problems.push(
        `${name} is "${value}": it must be an http or https address without credentials, query or fragment.`,
      )
      return fallback
    },
    /** A mail server and who writes; both or none. */
    smtp(name: string, fromName: string): SmtpServer | undefined {
      const [value, from] = [text(name), text(fromName)]
      if (value === undefined) return undefined
      const server = findSmtpServer(value)
      if (server === undefined) {
        problems.push(
          `${name} must be an smtp:// or smtps:// address, such as smtps://user:password@mail.example:465.`,
        )
      }
      if (from === undefined || !isSender(from)) {
        const example = 'such as "Carnet <carnet@mail.example>"'
        problems.push(
          `${fromName} is ${from === undefined ? 'required with' : 'no sender for'} ${name}: ${example}.`,
        )
      }
      return server === undefined || from === undefined ? undefined : { ...server, from }
    },
    databaseUrl(name: string): string | undefined {
      const value = text(name)
      if (value === undefined) return undefined
      if (isDatabaseUrl(value)) {
        const mode = new URL(value).searchParams.get('sslmode')
        if (mode === null || TLS_MODES.some(one => one === mode)) return value
        problems.push(`${name} has sslmode=${mode}: it must be one of ${TLS_MODES.join(', ')}.`)
        return undefined
      }
      problems.push(
        `${name} cannot be read: it must be a postgres:// address, such as ` +
          'postgres://carnet:password@db.example:5432/carnet. Special characters in user and password are written ' +
          'as %XX, such as %25 for %, %40 for @ and %2F for /.',
      )
      return undefined
    },
  }
}

const SMTP_PORT = { 'smtp:': 587, 'smtps:': 465 } as const

function findSmtpServer(value: string): Omit<SmtpServer, 'from'> | undefined {
  if (!URL.canParse(value)) return undefined
  const { protocol, hostname, port, username, password, pathname, search } = new URL(value)
  if ((protocol !== 'smtp:' && protocol !== 'smtps:') || hostname === '') return undefined
  if (!/^\/?$/.test(pathname) || search !== '') return undefined
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? SMTP_PORT[protocol] : Number(port),
    secure: protocol === 'smtps:',
    user: username === '' ? undefined : decode(username),
    password: password === '' ? undefined : decode(password),
  }
}

/**
 * Whether the driver can read it, and reads in it what was meant: an `@` or `/` as such in a password would make a part of
 * the password the host.
 */
function isDatabaseUrl(value: string): boolean {
  const [, authority] = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(value) ?? []
  if (authority === undefined || !URL.canParse(value)) return false
  const [beforeQuery = ''] = value.split(/\?\w+=/)
  if (beforeQuery.split('@').length !== authority.split('@').length || /@.*@/.test(authority)) return false
  try {
    decodeURIComponent(authority)
    return true
  } catch {
    return false
  }
}

/** A percent sign that begins no escape stands for itself. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, part => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
}

/** One line: an address, or a name with an address in angle brackets. */
const isSender = (text: string) => /^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(text)

/** An IP address, or one with the number of bits of its network behind a slash. */
function isRange(value: string, leastBits: number): boolean {
  const [address = '', bits, ...more] = value.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) >= leastBits && Number(bits) <= (family === 4 ? 32 : 128)
}
