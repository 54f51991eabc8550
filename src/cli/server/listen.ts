/** Where a process listens, what that is refused for, and who listens there before there is a database. */
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import type { ServerSetup } from '../../app.ts'
import type { Config } from '../../kernel/config/config.ts'
import { Refusal } from '../command-line/command.ts'

/** Listens where the settings say. Throws a Refusal when that cannot be. */
export async function listen(app: FastifyInstance, config: Config): Promise<string> {
  const { host } = config
  const [name, port] = config.role === 'worker' ? ['WORKER_PORT', config.workerPort] : ['PORT', config.port]
  try {
    return await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw refusalToListen(error, { host, port, name })
  }
}

export type WaitingRoom = {
  open: (sql: ServerSetup['sql']) => Promise<void>
  /** Ends it; whoever asks now is refused. */
  close: () => Promise<void>
  /** Lets the server proper listen: in this one's place, so that nobody who asks meanwhile is refused. */
  handOver: (app: FastifyInstance) => Promise<string>
}

/** Tells who asks, while the database is waited for, that the process lives and cannot work yet; not opened, it does nothing. */
export function waitingRoom(
  config: Config,
  setup: Omit<ServerSetup, 'sql' | 'findReadiness' | 'addresses'>,
): WaitingRoom {
  let held: { room: FastifyInstance; address: string } | undefined
  return {
    async open(sql) {
      const { createWaitingApp } = await import('../../app.ts')
      const room = createWaitingApp({
        ...setup,
        addresses: config,
        sql,
        findReadiness: async () => 'not ready',
      })
      room.server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false
      })
      held = { room, address: await listen(room, config) }
    },
    async close() {
      await held?.room.close()
      held = undefined
    },
    async handOver(app) {
      // Behind a name there may be two addresses, of which only one could be handed over.
      if (held === undefined || config.host === 'localhost') {
        await this.close()
        return listen(app, config)
      }
      const { room, address } = held
      held = undefined
      await app.ready()
      await once(app.server.listen(room.server), 'listening')
      // Not closed: what it listens on is the other's now. Each of its connections ends with the answer.
      return address
    },
  }
}

/** `name`: of the setting that says the port. */
type Place = { host: string; port: number; name: string }

const REASONS: Record<string, (place: Place) => string> = {
  EADDRINUSE: ({ host, port, name }) =>
    `Port ${port} of ${host} is taken by another program. Stop that one, or set ${name} to a free port.`,
  EACCES: ({ port, name }) => `This user may not listen on port ${port}. Set ${name} to one above 1023.`,
  EADDRNOTAVAIL: ({ host }) => `HOST is ${host}, which is no address of this machine.`,
  ENOTFOUND: ({ host }) => `HOST is ${host}, a name that leads to no address.`,
  EAI_AGAIN: ({ host }) => `HOST is ${host}, a name that leads to no address.`,
}

function refusalToListen(error: unknown, place: Place): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = REASONS[code]
  return reason === undefined ? error : new Refusal(reason(place))
}
