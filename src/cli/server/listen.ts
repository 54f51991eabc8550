/** Listens on the port, first with a startup server that answers while the database is missing. */
import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../kernel/config/config.ts'
import { findErrorCode } from '../../kernel/errors/errors.ts'
import { CommandError } from '../command-line/command.ts'
import type { ServerSetup } from './app.ts'

/** Returns the address. Throws CommandError when the port cannot be used. */
export async function listen(app: FastifyInstance, config: Config): Promise<string> {
  const { host } = config
  const [name, port] = config.role === 'worker' ? ['WORKER_PORT', config.workerPort] : ['PORT', config.port]
  try {
    return await app.listen({ host, port })
  } catch (error) {
    await app.close()
    const explain = REASONS[findErrorCode(error) ?? '']
    throw explain === undefined ? error : new CommandError(explain({ host, port, name }))
  }
}

export type StartupServer = ReturnType<typeof createStartupServer>

/** Answers "not ready" while the server waits for the database. Without `open` it does nothing. */
export function createStartupServer(
  config: Config,
  setup: Omit<ServerSetup, 'sql' | 'findReadiness' | 'addresses'>,
) {
  let listening: { server: FastifyInstance; address: string } | undefined
  return {
    /** A second call does nothing. */
    async open(sql: ServerSetup['sql']) {
      if (listening !== undefined) return
      const { createWaitingApp } = await import('./app.ts')
      const findReadiness = async () => 'not ready' as const
      const server = createWaitingApp({ ...setup, addresses: config, sql, findReadiness })
      server.server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false
      })
      listening = { server, address: await listen(server, config) }
    },
    /** Stops the startup server: connections are refused from then on. */
    async close() {
      await listening?.server.close()
      listening = undefined
    },
    /** Lets `app` listen instead, without refusing a connection in between. Returns the address. */
    async handOver(app: FastifyInstance): Promise<string> {
      // `localhost` may have two addresses, and only one listening socket can be passed on.
      if (listening === undefined || config.host === 'localhost') {
        await this.close()
        return listen(app, config)
      }
      const { server, address } = listening
      listening = undefined
      await app.ready()
      await once(app.server.listen(server.server), 'listening')
      // The startup server is not closed: `app` now uses its socket, and its connections end after their
      // responses.
      return address
    },
  }
}

/** `name`: the setting that holds the port. */
type ListenTarget = { host: string; port: number; name: string }

const REASONS: Record<string, (target: ListenTarget) => string> = {
  EADDRINUSE: ({ host, port, name }) =>
    `Port ${port} on ${host} is used by another program. Stop it, or set ${name} to a free port.`,
  EACCES: ({ port, name }) => `This user may not listen on port ${port}. Set ${name} to a port above 1023.`,
  EADDRNOTAVAIL: ({ host }) => `HOST is ${host}, which is not an address of this machine.`,
  ENOTFOUND: ({ host }) => `HOST is ${host}, a name without an address.`,
  EAI_AGAIN: ({ host }) => `HOST is ${host}, a name without an address.`,
}
