/** `Expect: 100-continue` (RFC 9110 §10.1.1), and closing a connection whose client is still sending. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** How long the rest of a body is read before the connection is cut. */
export const LINGER_MS = 2_000

/**
 * Keeps reading for a while before closing: closing at once sends a reset, which can overtake the response.
 */
export function closeAfterReading(request: IncomingMessage): void {
  const { socket } = request
  let timer: NodeJS.Timeout | undefined
  const linger = () => {
    socket.end()
    timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
  socket.destroySoon = linger
  request.once('close', () => {
    // The connection's next request gets the socket's own method, unless it replaced the method too.
    if (socket.destroySoon === linger) Reflect.deleteProperty(socket, 'destroySoon')
    if (timer !== undefined) socket.destroySoon()
  })
}

/**
 * Sends 100 when the body is first read, so that a request with an invalid key or too long a body is rejected
 * before its body is sent. Until then the client may or may not send the body, so the connection cannot be
 * reused.
 */
export function sendContinueWhenRead(this: Server, request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response
  response.shouldKeepAlive = false
  closeAfterReading(request)
  let isAsked = false
  const askForBody = () => {
    if (isAsked || response.headersSent) return
    isAsked = true
    response.shouldKeepAlive = shouldKeepAlive
    response.writeContinue()
  }
  request.once('resume', askForBody)
  // A loop over the stream, as for files, does not resume it.
  request.on('newListener', name => {
    if (name === 'readable') askForBody()
  })
  this.emit('request', request, response)
}
