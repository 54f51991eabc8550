/**
 * Requests that wait, for a second at most as a rule, to become numbers: the only place that holds addresses and user
 * agents. The same reader at the same passport is one entry however often they look.
 */
import type { Scanned } from './batch.ts'
import { hourOf } from './day.ts'
import type { Reader, Sighting } from './derive.ts'

/** Some 500 bytes each. More than this in one second is dropped, and told. */
const MOST_SIGHTINGS = 100_000
/** Security bound: real user agents are a third of it; two that only differ further on are one. */
const USER_AGENT_MAX = 512
/** Of an IPv6 address with its zone. */
const ADDRESS_MAX = 64

export type Sightings = {
  /** False when there is no room. */
  add: (passport: Scanned, reader: Reader, now: Date) => boolean
  /** The hours that there are sightings of. */
  hours: () => Iterable<number>
  /** All there are, in the order they came; none are left. */
  take: () => Sighting[]
  size: () => number
}

export function createSightings(): Sightings {
  let held = new Map<string, Sighting>()
  const hours = new Set<number>()
  return {
    hours: () => hours,
    add(passport, reader, now) {
      const { sessionToken = '', country = '' } = reader
      const address = bounded(withoutMapping(reader.address), ADDRESS_MAX)
      const userAgent = bounded(reader.userAgent, USER_AGENT_MAX)
      const hour = hourOf(now)
      const key = `${passport.id}${hour}${country}${sessionToken} ${address} ${userAgent}`
      const known = held.get(key)
      if (known !== undefined) {
        known.times++
        return true
      }
      if (held.size >= MOST_SIGHTINGS) return false
      held.set(key, { passport, reader: { ...reader, address, userAgent }, hour, times: 1 })
      hours.add(hour)
      return true
    },
    take() {
      const all = [...held.values()]
      held = new Map()
      hours.clear()
      return all
    },
    size: () => held.size,
  }
}

/** A true copy: a slice would keep the whole text alive. */
const bounded = (text: string, most: number) =>
  text.length <= most ? text : Buffer.from(text.slice(0, most), 'latin1').toString('latin1')

/** One reader on IPv4 is one, whichever way the socket was opened (RFC 4291 §2.5.5.2). */
const withoutMapping = (address: string) =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
