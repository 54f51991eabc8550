/**
 * Names of the outside world that an operator approves for one account: hosts, GS1 company prefixes and DIDs.
 * Each is stored as one text, such as `host:brand.example`, `gs1:4012345` and `did:ebsi:zabc`.
 */
import { domainToASCII } from 'node:url'
import { isWorldwideGtin } from '../../gs1/gtin-kind.ts'
import type { Sql } from '../../kernel/db/database.ts'

const MAX_HOST_LENGTH = 253
/** GS1 General Specifications 1.4: a company prefix has 4 to 12 digits. */
const MIN_PREFIX_DIGITS = 4
const MAX_PREFIX_DIGITS = 12

/** Resolvers that all companies use: their addresses say by a GTIN or a path whose they are. */
const SHARED_HOSTS: readonly string[] = ['gs1.org', 'id.gs1.org', 'w3id.org', 'purl.org', 'doi.org']

/** Returns the host in its normal form; undefined for what is no host of one company. */
export function parseHost(text: string): string | undefined {
  const host = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase()
  const labels = host.split('.')
  const isName =
    host.length <= MAX_HOST_LENGTH &&
    labels.length > 1 &&
    labels.every(label => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  return isName && !/^[0-9]+$/.test(labels.at(-1) ?? '') && !SHARED_HOSTS.includes(host) ? host : undefined
}

/** Undefined also for prefixes that belong to no company, such as those for restricted circulation. */
export function parseGs1Prefix(text: string): string | undefined {
  const digits = text.replace(/[\s-]/g, '')
  const { length } = digits
  if (!/^[0-9]+$/.test(digits) || length < MIN_PREFIX_DIGITS || length > MAX_PREFIX_DIGITS) return undefined
  // GTIN-8s have no company prefix.
  return !digits.startsWith('00000') && isWorldwideGtin(`0${digits}`.padEnd(14, '0')) ? digits : undefined
}

/** A DID without path, query and fragment. That of a host is approved with its host. */
export function parseDid(text: string): string | undefined {
  const did = text.trim()
  return /^did:(?!web:)[a-z0-9]+(?::[A-Za-z0-9._%-]+)+$/.test(did) && did.length <= 500 ? did : undefined
}

export const nameHost = (host: string): string => `host:${host}`
export const nameGs1Prefix = (digits: string): string => `gs1:${digits}`

/** The names that the host may be approved with: its own, then those of the hosts above it. */
export function listHostNames(host: string): string[] {
  const labels = host.replace(/\.$/, '').toLowerCase().split('.')
  return labels.slice(0, -1).map((_, index) => nameHost(labels.slice(index).join('.')))
}

/** The names of all company prefixes that the digits may begin with. */
export function listPrefixNames(digits: string): string[] {
  const leading = /^[0-9]*/.exec(digits)?.[0].slice(0, MAX_PREFIX_DIGITS) ?? ''
  const lengths = Array.from({ length: MAX_PREFIX_DIGITS + 1 }, (_, length) => length)
  return lengths
    .filter(length => length >= MIN_PREFIX_DIGITS && length <= leading.length)
    .map(length => nameGs1Prefix(leading.slice(0, length)))
}

/** The accounts for which these names are approved, by name. */
export async function findApprovedAccounts(sql: Sql, names: readonly string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const rows = await sql<{ name: string; account: number }[]>`
    select name, account_id as account from approved_name where name = any(${[...names]}::text[])`
  return new Map(rows.map(({ name, account }) => [name, account]))
}
