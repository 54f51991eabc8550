/**
 * Ends requests whose bodies do not arrive in time. Node has one limit for all requests; a file that a phone
 * uploads takes longer than a client that holds a connection for nothing should get.
 */
import type { IncomingMessage, Server } from 'node:http'

/**
 * An upload goes on as long as bytes keep coming, also through half a minute without reception. The largest
 * file needs 23 kB/s to arrive within the last limit.
 */
export const BODY_DEADLINES = {
  ordinaryMs: 10_000,
  uploadMs: 900_000,
  uploadStallMs: 30_000,
  minUploadBytes: 16 * 1024,
} as const

const SWEEP_EVERY_MS = 1_000

/** `bytes`: those read from the connection when time was last granted, at `since`. */
type WaitingBody = { begun: number; since: number; bytes: number }

const uploads = new WeakSet<IncomingMessage>()

/** Grants a request the time of an upload, before its body is read. */
export function allowUpload(request: IncomingMessage): void {
  uploads.add(request)
}

/**
 * Call `watch` with each request when its headers have arrived. A request that is too slow becomes a
 * `clientError` of the server, as from Node's own limit. `sweep` is called each second.
 */
export function limitBodyTimes(server: Server, now: () => number = () => performance.now()) {
  const waiting = new Map<IncomingMessage, WaitingBody>()
  const sweep = () => {
    for (const [request, body] of waiting) {
      if (request.complete || request.socket.destroyed) waiting.delete(request)
      else if (isTooSlow(request, body, now())) {
        waiting.delete(request)
        const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
        server.emit('clientError', error, request.socket)
      }
    }
  }
  const timer = setInterval(sweep, SWEEP_EVERY_MS).unref()
  server.once('close', () => clearInterval(timer))
  return {
    sweep,
    watch(request: IncomingMessage): void {
      if (!hasBody(request)) return
      const begun = now()
      waiting.set(request, { begun, since: begun, bytes: request.socket.bytesRead })
      request.once('close', () => waiting.delete(request))
    },
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Bytes that have come and are not read yet wait for this server, so the client is not to blame. */
function isTooSlow(request: IncomingMessage, body: WaitingBody, now: number): boolean {
  if (!uploads.has(request)) return now - body.begun > BODY_DEADLINES.ordinaryMs
  if (now - body.begun > BODY_DEADLINES.uploadMs) return true
  const { bytesRead } = request.socket
  if (bytesRead - body.bytes >= BODY_DEADLINES.minUploadBytes || request.readableLength > 0) {
    body.since = now
    body.bytes = bytesRead
  }
  return now - body.since > BODY_DEADLINES.uploadStallMs
}
