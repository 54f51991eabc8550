/** Reads the client's address, from the right, and the request's id from the headers of trusted proxies. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { requestIds } from '../crypto/ids.ts'
import { createAddressList } from './ip-ranges.ts'

export type TrustedProxies = ReturnType<typeof createTrustedProxies>

type ReceivedRequest = Pick<IncomingMessage, 'headers' | 'socket'>

const PRIVATE_4 = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']
const PRIVATE_6 = ['::1', 'fc00::/7', 'fe80::/10']

/** `ranges`: addresses and CIDR ranges. */
export function createTrustedProxies(ranges: readonly string[]) {
  const isPrivate = createRangeCheck([...PRIVATE_4, ...PRIVATE_6])
  const isTrusted = createRangeCheck(ranges)
  /** A proxy in a private network that is missing in the settings. All clients behind it have its address. */
  const isUnconfiguredProxy = ({ headers, socket: { remoteAddress } }: ReceivedRequest) =>
    headers['x-forwarded-for'] !== undefined && isPrivate(remoteAddress) && !isTrusted(remoteAddress)
  return {
    isTrusted,
    /** The client's address, unless it is that of a proxy, which must not be limited as one client. */
    findOwnAddress: ({ clientAddress, raw }: { clientAddress: string; raw: ReceivedRequest }) =>
      isTrusted(clientAddress) || isUnconfiguredProxy(raw) ? undefined : clientAddress,
    /** The client's address; without one in the header, that of the proxy; '' if the connection was lost. */
    getClientAddress({ headers, socket }: ReceivedRequest) {
      let client = socket.remoteAddress ?? ''
      if (!isTrusted(client)) return client
      const entries = String(headers['x-forwarded-for'] ?? '').split(',')
      for (const entry of entries.reverse()) {
        if (entry.trim() === '') continue
        const address = findAddress(entry)
        if (address === undefined) return client
        client = address
        if (!isTrusted(client)) return client
      }
      return client
    },
  }
}

/** Covers nginx's `$request_id`, UUIDs, ULIDs and ids of common load balancers; safe in logs and headers. */
const REQUEST_ID_PATTERN = /^[\w.:=-]{8,128}$/

/** A request's id from a trusted proxy, so that both logs have it; otherwise a new one. */
export function createRequestId(ranges: readonly string[]): (request?: IncomingMessage) => string {
  const next = requestIds()
  if (ranges.length === 0) return next
  const { isTrusted } = createTrustedProxies(ranges)
  return request => {
    const id = request?.headers['x-request-id']
    const isUsable = typeof id === 'string' && REQUEST_ID_PATTERN.test(id)
    return isUsable && isTrusted(request?.socket.remoteAddress) ? id : next()
  }
}

function createRangeCheck(ranges: readonly string[]): (address: string | undefined) => boolean {
  const list = createAddressList(ranges)
  return address => {
    if (address === undefined || ranges.length === 0) return false
    const [bare = ''] = address.split('%')
    const family = isIP(bare)
    return family !== 0 && list.check(bare, family === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Some proxies add a port, brackets round an IPv6 address, or quotes (RFC 7239 §6). */
function findAddress(entry: string): string | undefined {
  const text = entry.trim().replace(/^"(.*)"$/, '$1')
  const address = /^\[([^\]]*)\](?::\d*)?$/.exec(text)?.[1] ?? /^([\d.]+):\d*$/.exec(text)?.[1] ?? text
  return isIP(address) === 0 ? undefined : address
}
