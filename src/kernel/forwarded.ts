/** Whom a request comes from where proxies stand in front: what each wrote, read from the right, as far as they are trusted. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { addressList } from './addresses.ts'

export type Proxies = {
  isTrusted: (address: string | undefined) => boolean
  /** The reader's address; of what is no address, that of the proxy that wrote it; '' of a connection that is gone. */
  readerOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string
}

/** `ranges`: addresses and CIDR ranges. */
export function trustedProxies(ranges: readonly string[]): Proxies {
  const list = addressList(ranges)
  const isTrusted = (address: string | undefined): boolean => {
    if (address === undefined || ranges.length === 0) return false
    const [bare = ''] = address.split('%')
    const family = isIP(bare)
    return family !== 0 && list.check(bare, family === 6 ? 'ipv6' : 'ipv4')
  }
  return {
    isTrusted,
    readerOf({ headers, socket }) {
      let reader = socket.remoteAddress ?? ''
      if (!isTrusted(reader)) return reader
      const entries = String(headers['x-forwarded-for'] ?? '').split(',')
      for (const entry of entries.reverse()) {
        if (entry.trim() === '') continue
        const address = findAddress(entry)
        if (address === undefined) return reader
        reader = address
        if (!isTrusted(reader)) return reader
      }
      return reader
    },
  }
}

/** Some proxies write a port behind the address, brackets round an IPv6 address, quotes round both (RFC 7239 §6). */
function findAddress(entry: string): string | undefined {
  const text = entry.trim().replace(/^"(.*)"$/, '$1')
  const address = /^\[([^\]]*)\](?::\d*)?$/.exec(text)?.[1] ?? /^([\d.]+):\d*$/.exec(text)?.[1] ?? text
  return isIP(address) === 0 ? undefined : address
}
