/** Tells whether the requests of the last moment came from several clients, so that one must leave room. */
import type { IncomingMessage } from 'node:http'

const MOMENT_MS = 250

let lastClient: string | undefined
let lastChangeAt = Number.NEGATIVE_INFINITY

/**
 * Notes who sent a request: by the header of proxies as it came, or the connection. A client that varies the
 * header counts as several, which makes only itself leave room.
 */
export function noteClient({ headers, socket }: IncomingMessage, now: number): void {
  const forwarded = headers['x-forwarded-for']
  const client = typeof forwarded === 'string' ? forwarded : socket.remoteAddress
  if (client === lastClient) return
  lastClient = client
  lastChangeAt = now
}

export const areSeveralClientsActive = (now: number): boolean => now - lastChangeAt < MOMENT_MS
