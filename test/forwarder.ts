/** A forwarder between a pool and PostgreSQL that a test can cut, block and restore. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Target } from './database.ts'

export type Forwarder = {
  /** The same database through this forwarder. */
  target: { url: string }
  port: number
  /** Ends all connections and accepts no new ones. */
  cut: () => Promise<void>
  /** Accepts connections and statements but never responds. */
  silence: () => void
  mend: () => Promise<void>
}

export async function startForwarder(target: Target): Promise<Forwarder> {
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer(client => {
    const backend = 'url' in target ? connect(addressOf(target.url)) : connect(pathOf(target))
    for (const socket of [client, backend]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', chunk => (isSilent ? undefined : backend.write(chunk)))
    backend.on('data', chunk => (isSilent ? undefined : client.write(chunk)))
    client.on('close', () => backend.destroy())
    backend.on('close', () => client.destroy())
  })
  const listen = (port: number) => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    target: { url: urlOf(target, port) },
    port,
    async cut() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    silence() {
      isSilent = true
    },
    async mend() {
      // Swallowed statements are never answered, so their connections are ended.
      for (const socket of sockets) socket.destroy()
      isSilent = false
      if (!server.listening) await listen(port)
    },
  }
}

const pathOf = ({ socketDir, port }: { socketDir: string; port: number }) => `${socketDir}/.s.PGSQL.${port}`

function addressOf(url: string) {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port || 5432) }
}

function urlOf(target: Target, port: number): string {
  if (!('url' in target)) return `postgres://${target.user}@127.0.0.1:${port}/${target.database}`
  const url = new URL(target.url)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}
