/** Secures database connections as DATABASE_URL says; by default with TLS if they leave this machine. */
import { readFileSync } from 'node:fs'
import { splitHosts } from './database-url.ts'

export const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type TlsMode = (typeof TLS_MODES)[number]

type DatabaseTls = {
  mode: TlsMode
  /** The address names the mode. */
  isChosen: boolean
  /** The host is this machine, or a socket. */
  isLocal: boolean
  /** File with the certificates of trusted authorities; without it, those that Node trusts. */
  rootCertificate: string | undefined
}

const LOCAL = /^(|localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/

/** If there are several hosts, one on another machine decides. */
export function findDatabaseTls(address: string): DatabaseTls {
  const hosts = splitHosts(address).map(host => new URL(host))
  const isLocal = hosts.every(
    ({ hostname, searchParams }) => LOCAL.test(hostname) || searchParams.has('host'),
  )
  const searchParams = hosts[0]?.searchParams ?? new URLSearchParams()
  const chosen = TLS_MODES.find(mode => mode === searchParams.get('sslmode'))
  return {
    mode: chosen ?? (isLocal ? 'disable' : 'require'),
    isChosen: chosen !== undefined,
    isLocal,
    rootCertificate: searchParams.get('sslrootcert') ?? undefined,
  }
}

/** The driver's address and `ssl` option. The driver would send `sslrootcert` to the server as a setting. */
export function splitTls(address: string): { url: string; ssl: false | string | object } {
  const tls = findDatabaseTls(address)
  const url = new URL(address)
  if (url.search === '') return { url: address, ssl: driverOption(tls) }
  url.searchParams.delete('sslmode')
  url.searchParams.delete('sslrootcert')
  return { url: url.href, ssl: driverOption(tls) }
}

function driverOption({ mode, rootCertificate }: DatabaseTls): false | string | object {
  if (mode === 'disable') return false
  if (mode !== 'verify-ca' && mode !== 'verify-full') return mode
  return {
    ...(rootCertificate === undefined ? {} : { ca: readFileSync(rootCertificate, 'utf8') }),
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  }
}

/** Advice for an operator whose address names no mode and whose server may lack TLS; else empty. */
export function adviseOnTls(address: string): string {
  const { mode, isChosen } = findDatabaseTls(address)
  if (isChosen || mode === 'disable') return ''
  return '. The connection leaves this machine, so it uses TLS. If that database offers none and the network is your own, add sslmode=disable to the address'
}
