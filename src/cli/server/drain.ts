/**
 * Stops an HTTP server without losing a request. It accepts no new connection, answers on the open ones with
 * `Connection: close`, and closes idle ones only after a while.
 */
import { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A connection that stays idle for so long is closed. Busy ones get `Connection: close` with their next answer. */
const DRAIN_MS = 1_200
const CHECK_INTERVAL_MS = 20

/** Call it before the server listens. `drain` resolves when all connections are closed, after `finishMs` at the latest. */
export function prepareDrain(app: FastifyInstance): { drain: (finishMs: number) => Promise<void> } {
  let isDraining = false
  app.server.prependListener('request', (_request, response) => {
    if (isDraining) response.shouldKeepAlive = false
  })
  return {
    async drain(finishMs) {
      isDraining = true
      const deadline = performance.now() + finishMs
      // `close` of Node's HTTP server would close idle connections at once, also when a request is on its way in one.
      Server.prototype.close.call(app.server)
      const drainedAt = performance.now() + DRAIN_MS
      while (performance.now() < drainedAt && (await countConnections(app)) > 0)
        await pause(CHECK_INTERVAL_MS)
      await closeAll(app, deadline)
    },
  }
}

/** Idle connections end at once, busy ones after their answer or at the deadline. */
async function closeAll(app: FastifyInstance, deadline: number): Promise<void> {
  const closed = app.close()
  const timer = setTimeout(() => app.server.closeAllConnections(), Math.max(0, deadline - performance.now()))
  try {
    await closed
  } finally {
    clearTimeout(timer)
  }
}

const countConnections = (app: FastifyInstance): Promise<number> =>
  new Promise(resolve => app.server.getConnections((_error, count) => resolve(count ?? 0)))

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
