/** Whether a port can be had: told before anything is started on it. */
import { createServer } from 'node:net'

const LAST_PORT = 65_535
const MOST_TRIED = 100

/** The port that was bound and let go again (a free one for 0), or undefined when it is taken or not ours to use. */
export function tryPort(host: string, port: number): Promise<number | undefined> {
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

/** The first free port from `first` on, undefined when none of a hundred is. */
export async function findFreePort(host: string, first: number): Promise<number | undefined> {
  for (let port = first; port <= Math.min(first + MOST_TRIED, LAST_PORT); port++) {
    const free = await tryPort(host, port)
    if (free !== undefined) return free
  }
  return undefined
}
