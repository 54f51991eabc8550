/**
 * Requests that wait, for a second at most as a rule, to become numbers: the only place that holds addresses and user
 * agents. The same reader at the same passport is one entry however often they look.
 */
import type { ScannedPassport } from './batch.ts'
import type { PendingScan, ScanReader } from './count-scan.ts'
import { hourOf } from './day.ts'

/** Some 500 bytes each without the user agent. More than this in one second is dropped, and told. */
const MAX_PENDING_SCANS = 100_000
/** Of all different user agents together; of a hundred thousand real readers they have a tenth of this. */
const MAX_AGENT_BYTES = 10_000_000
/** Security bound: real user agents are a third of it; two that only differ further on are one. */
const MAX_USER_AGENT_LENGTH = 512
/** Of an IPv6 address with its zone. */
const MAX_ADDRESS_LENGTH = 64
/** Real session tokens have 43 characters. */
const MAX_TOKEN_LENGTH = 64

export type PendingScans = {
  /** False when there is no room. */
  add: (passport: ScannedPassport, reader: ScanReader, now: Date) => boolean
  /** The hours that there are sightings of. */
  hours: () => Iterable<number>
  /** All there are, those of a passport together and in the order they came; none are left. */
  take: () => PendingScan[]
  size: () => number
}

export function createPendingScans(): PendingScans {
  let held = new Map<string, Map<string, PendingScan>>()
  let agents = new Map<string, Agent>()
  let size = 0
  let agentBytes = 0
  const hours = new Set<number>()
  return {
    hours: () => hours,
    add(passport, reader, now) {
      const { sessionToken = '', country = '' } = reader
      const address = withoutMapping(reader.address).slice(0, MAX_ADDRESS_LENGTH)
      const text = bounded(reader.userAgent, MAX_USER_AGENT_LENGTH)
      const knownAgent = agents.get(text)
      const agent = knownAgent ?? { number: agents.size, text }
      const hour = hourOf(now)
      const key = `${hour}${country}${sessionToken} ${address} ${agent.number}`
      const ofPassport = held.get(passport.id)
      const known = ofPassport?.get(key)
      if (known !== undefined) {
        known.times++
        return true
      }
      const newBytes = knownAgent === undefined ? text.length : 0
      if (size >= MAX_PENDING_SCANS || agentBytes + newBytes > MAX_AGENT_BYTES) return false
      agentBytes += newBytes
      agents.set(text, agent)
      const sighting: PendingScan = {
        passport: identityOf(passport),
        reader: {
          address: copied(address, MAX_ADDRESS_LENGTH),
          userAgent: agent.text,
          country: reader.country,
          sessionToken: reader.sessionToken && copied(reader.sessionToken, MAX_TOKEN_LENGTH),
        },
        hour,
        times: 1,
      }
      if (ofPassport === undefined) held.set(passport.id, new Map([[key, sighting]]))
      else ofPassport.set(key, sighting)
      size++
      hours.add(hour)
      return true
    },
    take() {
      const all = Array.from(held.values()).flatMap(ofPassport => [...ofPassport.values()])
      held = new Map()
      agents = new Map()
      size = 0
      agentBytes = 0
      hours.clear()
      return all
    },
    size: () => size,
  }
}

/** A user agent: long, and the same for many readers, so it is held once. */
type Agent = { number: number; text: string }

/** Callers pass whole rows, whose data may be a megabyte: only what is counted by stays. */
const identityOf = ({
  id,
  account_id,
  category,
  level,
  model_id,
  parent_id,
}: ScannedPassport): ScannedPassport => ({
  id,
  account_id,
  category,
  level,
  model_id,
  parent_id,
})

/** A true copy: a slice would keep the header that it was cut out of alive. */
const copied = (text: string, max: number) => Buffer.from(text.slice(0, max), 'latin1').toString('latin1')

const bounded = (text: string, max: number) => (text.length <= max ? text : copied(text, max))

/** One reader on IPv4 is one, whichever way the socket was opened (RFC 4291 §2.5.5.2). */
const withoutMapping = (address: string) =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
