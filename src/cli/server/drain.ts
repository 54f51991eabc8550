/**
 * Ends a server without losing a request: it takes no new connection, tells each open one with its next answer that this
 * was the last, and only then closes those that have nothing to say.
 */
import { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Busy clients hear it with their next answer; who is silent for longer than this is closed while silent. */
const DRAIN_MS = 1_200
const LOOK_EVERY_MS = 20

/** To be made before the server listens. The promise resolves when all connections are closed, after `finishMs` at the latest. */
export function drainable(app: FastifyInstance): { drain: (finishMs: number) => Promise<void> } {
  let isDraining = false
  app.server.prependListener('request', (_request, response) => {
    if (isDraining) response.shouldKeepAlive = false
  })
  return {
    async drain(finishMs) {
      isDraining = true
      const until = performance.now() + finishMs
      // Node's own `close` of an HTTP server would close idle connections at once, with requests on their way in them.
      Server.prototype.close.call(app.server)
      const quiet = performance.now() + DRAIN_MS
      while (performance.now() < quiet && (await connectionsOf(app)) > 0) await pause(LOOK_EVERY_MS)
      await closeUntil(app, until)
    },
  }
}

/** Idle connections end at once, busy ones after their answer or when the time is over. */
async function closeUntil(app: FastifyInstance, until: number): Promise<void> {
  const closed = app.close()
  const timer = setTimeout(() => app.server.closeAllConnections(), Math.max(0, until - performance.now()))
  try {
    await closed
  } finally {
    clearTimeout(timer)
  }
}

const connectionsOf = (app: FastifyInstance): Promise<number> =>
  new Promise(resolve => app.server.getConnections((_error, count) => resolve(count ?? 0)))

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
