/** Finds out whether a port is free before a server starts on it. */
import { createServer } from 'node:net'

const MAX_PORT = 65_535
const MAX_PORTS_TRIED = 100

/** Binds the port and releases it. Returns its number (a free port for 0), or undefined if it fails. */
export function probePort(host: string, port: number): Promise<number | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address()
      const bound = typeof address === 'object' && address !== null ? address.port : port
      server.close(() => resolve(bound))
    })
  })
}

/** The first free port from `first` on; undefined when a hundred are taken. */
export async function findFreePort(host: string, first: number): Promise<number | undefined> {
  for (let port = first; port <= Math.min(first + MAX_PORTS_TRIED, MAX_PORT); port++) {
    const free = await probePort(host, port)
    if (free !== undefined) return free
  }
  return undefined
}
