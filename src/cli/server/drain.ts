/**
 * Stops an HTTP server without losing a request: it accepts no connections, and closes idle ones after a
 * while.
 */
import { Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'

/**
 * Connections that stay idle for this long are closed. Others get `Connection: close` with their next
 * response.
 */
const DRAIN_MS = 1_200
const CHECK_INTERVAL_MS = 20

/**
 * Call it before the server listens. `drain` closes connections that are idle after `idleMs`, and all of them
 * within `finishMs`.
 */
export function prepareDrain(
  app: FastifyInstance,
  idleMs = DRAIN_MS,
): { drain: (finishMs: number) => Promise<void> } {
  const { server } = app
  let isDraining = false
  server.prependListener('request', (_request, response) => {
    if (isDraining) response.shouldKeepAlive = false
  })
  const countConnections = promisify(server.getConnections.bind(server))
  return {
    async drain(finishMs) {
      isDraining = true
      const startedAt = performance.now()
      // An HTTP server's own `close` closes idle connections at once, although one may be about to carry a
      // request.
      Server.prototype.close.call(server)
      while (performance.now() < startedAt + idleMs && (await countConnections()) > 0)
        await pause(CHECK_INTERVAL_MS)
      const leftMs = Math.max(0, startedAt + finishMs - performance.now())
      const timer = setTimeout(() => server.closeAllConnections(), leftMs)
      // Idle connections end now, busy ones after their answer.
      await app.close().finally(() => clearTimeout(timer))
    },
  }
}
