/**
 * Scans that wait to be counted: the only place with addresses and user agents. An entry has the scans of one
 * passport by one reader within one hour.
 */
import type { ScannedPassport } from './batch.ts'
import type { PendingScan, ScanReader } from './count-scan.ts'
import { MAX_USER_AGENT_LENGTH } from './crawlers.ts'
import { hourOf } from './day.ts'

/** About 500 bytes each, without the user agent. Further scans within the second are dropped and logged. */
const MAX_PENDING_SCANS = 100_000
/** The total length of all distinct user agents. A hundred thousand real readers need a tenth of this. */
const MAX_AGENT_BYTES = 10_000_000
/** Enough for an IPv6 address with its zone. */
const MAX_ADDRESS_LENGTH = 64
/** Real session tokens have 43 characters. */
const MAX_TOKEN_LENGTH = 64

export function createPendingScans() {
  let byPassport = new Map<string, Map<string, PendingScan>>()
  let agents = new Map<string, UserAgent>()
  let size = 0
  let agentBytes = 0
  const hours = new Set<number>()
  return {
    hours: () => hours,
    /** Returns false if a limit is reached. */
    add(passport: ScannedPassport, reader: ScanReader, now: Date): boolean {
      const { sessionToken = '', country = '' } = reader
      const address = unmapAddress(reader.address).slice(0, MAX_ADDRESS_LENGTH)
      const text = truncate(reader.userAgent, MAX_USER_AGENT_LENGTH)
      const knownAgent = agents.get(text)
      const agent = knownAgent ?? { number: agents.size, text }
      const hour = hourOf(now)
      const key = `${hour}${country}${sessionToken} ${address} ${agent.number}`
      const entries = byPassport.get(passport.id)
      const known = entries?.get(key)
      if (known !== undefined) {
        addRequest(known, reader, now)
        return true
      }
      const newBytes = knownAgent === undefined ? text.length : 0
      if (size >= MAX_PENDING_SCANS || agentBytes + newBytes > MAX_AGENT_BYTES) return false
      agentBytes += newBytes
      agents.set(text, agent)
      // Callers pass whole rows, which may have a megabyte of data.
      const { id, account_id, category, level, model_id, parent_id, shard = null } = passport
      const scan: PendingScan = {
        passport: { id, account_id, category, level, model_id, parent_id, shard },
        reader: {
          address: copyText(address, MAX_ADDRESS_LENGTH),
          userAgent: agent.text,
          country: reader.country,
          sessionToken: reader.sessionToken && copyText(reader.sessionToken, MAX_TOKEN_LENGTH),
        },
        hour,
        times: 0,
        reloads: 0,
        at: 0,
      }
      addRequest(scan, reader, now)
      if (entries === undefined) byPassport.set(passport.id, new Map([[key, scan]]))
      else entries.set(key, scan)
      size++
      hours.add(hour)
      return true
    },
    /** Removes and returns all entries, grouped by passport, in order of arrival. */
    take(): PendingScan[] {
      const all = Array.from(byPassport.values()).flatMap(entries => [...entries.values()])
      byPassport = new Map()
      agents = new Map()
      size = 0
      agentBytes = 0
      hours.clear()
      return all
    },
  }
}

function addRequest(scan: PendingScan, { isReload = false }: ScanReader, now: Date): void {
  if (isReload) scan.reloads++
  else scan.times++
  scan.at = now.getTime()
}

/** A user agent is long and shared by many readers, so it is stored once. */
type UserAgent = { number: number; text: string }

/** A real copy: a slice would keep the whole header in memory. */
const copyText = (text: string, max: number) => Buffer.from(text.slice(0, max), 'latin1').toString('latin1')

const truncate = (text: string, max: number) => (text.length <= max ? text : copyText(text, max))

/** An IPv4 reader has the same address on an IPv6 socket (RFC 4291 §2.5.5.2). */
const unmapAddress = (address: string) =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
