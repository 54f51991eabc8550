/** Reads settings of each kind from the environment: numbers, addresses, lists of networks. */
import { isIP } from 'node:net'
import { join } from 'node:path'
import { TLS_MODES } from '../db/database-tls.ts'
import { splitHosts } from '../db/database-url.ts'
import { isLongerThan, isOneLine } from '../values/characters.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** `folder`: an absolute path, or one relative to the working directory. */
export type MediaPlace =
  | { folder: string }
  | {
      bucket: string
      /** The address of the service, without a trailing slash. */
      endpoint: string
      region: string
      /** Before each key; empty, or with a slash at its end. */
      prefix: string
      accessKeyId: string
      secretAccessKey: string
    }

export type SmtpServer = NonNullable<ReturnType<EnvironmentReader['smtp']>>

/** Collects a sentence for each invalid setting, beginning with the setting's name. */
export class EnvironmentReader {
  readonly problems: string[] = []
  private readonly env: Environment

  constructor(env: Environment) {
    this.env = env
  }

  /** Undefined when it is not set, or empty. */
  text(name: string): string | undefined {
    const value = this.env[name]?.trim()
    return value === '' ? undefined : value
  }

  /** One line that pages show. */
  name(name: string, fallback: string, maxLength: number): string {
    const isName = (value: string) => !isLongerThan(value, maxLength) && isOneLine(value)
    const rule = `one line of at most ${maxLength} characters, without control characters`
    return this.checked(name, isName, rule) ?? fallback
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const isValid = (value: string) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max
    const value = this.checked(name, isValid, `a whole number from ${min} to ${max}`)
    return value === undefined ? fallback : Number(value)
  }

  backups(): { dir: string; everyMs: number; keep: number } | undefined {
    const dir = this.text('BACKUP_DIR')
    const every = this.text('BACKUP_EVERY') ?? '24h'
    const [, count, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(every) ?? []
    if (count === undefined) {
      this.problems.push(`BACKUP_EVERY is "${every}": it must be a span such as 24h, 30m or 7d.`)
    }
    const keep = this.integer('BACKUP_KEEP', 7, 1, 10_000)
    const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }[unit ?? 'h'] ?? 0
    return dir === undefined ? undefined : { dir, everyMs: Number(count) * unitMs, keep }
  }

  flag(name: string): boolean {
    const isFlag = (value: string) => /^(?:true|1|on|false|0|off)$/i.test(value)
    return /^(?:true|1|on)$/i.test(this.checked(name, isFlag, 'true or false') ?? 'off')
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const isAllowed = (value: string) => allowed.some(one => one === value)
    const value = this.checked(name, isAllowed, `one of ${allowed.join(', ')}`)
    return allowed.find(one => one === value) ?? fallback
  }

  /**
   * A folder, by default this one in DATA_DIR, or an S3-compatible bucket:
   * `s3://bucket/prefix?endpoint=https://s3.example&region=eu-central-1`, whose keys are in two settings.
   */
  mediaPlace(name: string, defaultFolder: string): MediaPlace {
    const value = this.text(name)
    const folder = join(this.text('DATA_DIR') ?? './data', defaultFolder)
    if (value === undefined) return { folder }
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return { folder: value }
    const url = URL.canParse(value) ? new URL(value) : undefined
    const endpoint = url?.searchParams.get('endpoint') ?? ''
    if (url?.protocol !== 's3:' || url.hostname === '' || !/^https?:\/\/[^/?#@]+\/?$/i.test(endpoint)) {
      this.problems.push(
        `${name} is "${value}": it must be a folder, or s3://BUCKET/PREFIX?endpoint=https://s3.example&region=eu-central-1.`,
      )
      return { folder }
    }
    const [accessKeyId, secretAccessKey] = [this.text('MEDIA_ACCESS_KEY'), this.text('MEDIA_SECRET_KEY')]
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      this.problems.push(`MEDIA_ACCESS_KEY and MEDIA_SECRET_KEY are required with a bucket in ${name}.`)
      return { folder }
    }
    const path = url.pathname.replace(/^\/+|\/+$/g, '')
    return {
      bucket: url.hostname,
      endpoint: endpoint.replace(/\/$/, ''),
      accessKeyId,
      secretAccessKey,
      region: url.searchParams.get('region') ?? 'us-east-1',
      prefix: path === '' ? '' : `${path}/`,
    }
  }

  /** A text that fits an `Authorization: Bearer` header and is too long to be guessed. */
  token(name: string): string | undefined {
    const value = this.text(name)
    if (value === undefined || /^[A-Za-z0-9._~+/=-]{16,512}$/.test(value)) return value
    this.problems.push(`${name} must be 16 to 512 letters, digits or any of . _ ~ + / = -, without spaces.`)
    return undefined
  }

  host(name: string, fallback: string): string {
    const isHost = (value: string) => isIP(value) !== 0 || /^[a-zA-Z0-9.-]{1,253}$/.test(value)
    return this.checked(name, isHost, 'an IP address or a host name') ?? fallback
  }

  /** In lower case, like Node's header names. */
  headerName(name: string): string | undefined {
    const isName = (value: string) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(value)
    return this.checked(name, isName, 'the name of a header, such as CF-IPCountry')?.toLowerCase()
  }

  /** IP addresses and CIDR ranges with at least `minBits` bits, separated by commas or spaces. */
  cidrs(name: string, minBits: number): string[] {
    const all = (this.text(name) ?? '').split(/[\s,]+/).filter(one => one !== '')
    const wrong = all.filter(one => !isRange(one, minBits))
    if (wrong.length > 0) {
      this.problems.push(
        `${name} has "${wrong.join(', ')}": it takes IP addresses and CIDR ranges such as 10.0.0.0/8${minBits > 0 ? ', not of all addresses' : ''}, separated by commas.`,
      )
    }
    return all
  }

  url(name: string, fallback: string): string {
    // The parser ignores an empty query, fragment or name, but a path cannot be appended after one.
    const isUrl = (value: string) => URL.canParse(value) && /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(value)
    const must = 'an http or https address without credentials, query or fragment'
    return this.checked(name, isUrl, must)?.replace(/\/+$/, '') ?? fallback
  }

  /** An address with any path and query. */
  httpsUrl(name: string): string | undefined {
    const isUrl = (value: string) => URL.canParse(value) && /^https?:\/\/[^/?#@\s]+[^#@\s]*$/i.test(value)
    return this.checked(name, isUrl, 'an https address without credentials')
  }

  /** RFC 9116, 2.5.3: a mail, web or telephone address. */
  contact(name: string): string | undefined {
    const isContact = (value: string) =>
      /^(?:mailto:[^\s<>@]+@[^\s<>@]+|https:\/\/[^\s<>/]+[^\s<>]*|tel:\+?[\d().-]+)$/i.test(value)
    const must = 'an address that begins with mailto:, https: or tel:, such as mailto:security@mail.example'
    return this.checked(name, isContact, must)
  }

  /** One address, without a name. */
  email(name: string): string | undefined {
    const isEmail = (value: string) => /^[^\s<>@,;]+@[^\s<>@,;]+$/.test(value)
    return this.checked(name, isEmail, 'one e-mail address, such as operator@mail.example')
  }

  /** The value if it is valid. `must` describes a valid one. */
  private checked(name: string, isValid: (value: string) => boolean, must: string): string | undefined {
    const value = this.text(name)
    if (value === undefined || isValid(value)) return value
    this.problems.push(`${name} is "${value}": it must be ${must}.`)
    return undefined
  }

  /** A mail server and its sender, `from` as in an e-mail's header; both or neither. */
  smtp(name: string, fromName: string) {
    const value = this.text(name)
    const from = this.text(fromName)
    if (value === undefined) return undefined
    const server = findSmtpServer(value)
    if (server === undefined) {
      this.problems.push(
        `${name} must be an smtp:// or smtps:// address, such as smtps://user:password@mail.example:465.`,
      )
    }
    if (from === undefined || !isSender(from)) {
      const what = from === undefined ? 'required with' : 'no sender for'
      this.problems.push(`${fromName} is ${what} ${name}: such as "Carnet <carnet@mail.example>".`)
    }
    return server === undefined || from === undefined ? undefined : { ...server, from }
  }

  databaseUrl(name: string): string | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    if (!isDatabaseUrl(value)) {
      this.problems.push(
        `${name} cannot be read: it must be a postgres:// address, such as ` +
          'postgres://carnet:password@db.example:5432/carnet. Special characters in user and password are written ' +
          'as %XX, such as %25 for %, %40 for @ and %2F for /.',
      )
      return undefined
    }
    const mode = new URL(splitHosts(value)[0] ?? '').searchParams.get('sslmode')
    if (mode === null || TLS_MODES.some(one => one === mode)) return value
    this.problems.push(`${name} has sslmode=${mode}: it must be one of ${TLS_MODES.join(', ')}.`)
    return undefined
  }
}

const SMTP_PORT = { 'smtp:': 587, 'smtps:': 465 } as const

function findSmtpServer(value: string) {
  if (!URL.canParse(value)) return undefined
  const { protocol, hostname, port, username, password, pathname, search } = new URL(value)
  if ((protocol !== 'smtp:' && protocol !== 'smtps:') || hostname === '') return undefined
  if (!/^\/?$/.test(pathname) || search !== '') return undefined
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? SMTP_PORT[protocol] : Number(port),
    /** TLS from the first byte, otherwise STARTTLS if the server has it. */
    secure: protocol === 'smtps:',
    user: username === '' ? undefined : decode(username),
    password: password === '' ? undefined : decode(password),
  }
}

/**
 * True if the driver parses the address as intended: a plain `@` or `/` in a password would change the host.
 */
function isDatabaseUrl(value: string): boolean {
  const [, authority] = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(value) ?? []
  if (authority === undefined || !splitHosts(value).every(one => URL.canParse(one))) return false
  const [beforeQuery = ''] = value.split(/\?\w+=/)
  if (beforeQuery.split('@').length !== authority.split('@').length || /@.*@/.test(authority)) return false
  try {
    decodeURIComponent(authority)
    return true
  } catch {
    return false
  }
}

/** A percent sign that starts no escape is kept. */
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

/** An IP address, optionally followed by a slash and the bits of its network. */
function isRange(value: string, minBits: number): boolean {
  const [address = '', bits, ...more] = value.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) >= minBits && Number(bits) <= (family === 4 ? 32 : 128)
}
