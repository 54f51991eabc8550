/** Five kinds of bad receivers, each with an address on this machine. */

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'

type Behaviour = (socket: Socket) => void

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  hangs: () => {},
  fails: socket => {
    socket.on('data', () => socket.write('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\nno'))
  },
  'never ends': socket => {
    const chunk = 'x'.repeat(65_536)
    const pour = () => {
      while (!socket.destroyed && socket.write(`10000\r\n${chunk}\r\n`));
    }
    socket.once('data', () => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`)
      socket.on('drain', pour)
      pour()
    })
  },
  'closes at once': socket => {
    socket.destroy()
  },
  drips: socket => {
    const text = `${HEAD}content-length: 100000\r\n\r\n${'y'.repeat(100_000)}`
    let at = 0
    const timer = setInterval(() => socket.write(text[at++] ?? ''), 100)
    socket.on('close', () => clearInterval(timer))
  },
}

export type BadReceivers = { urls: string[]; close: () => Promise<void> }

export async function startBadReceivers(): Promise<BadReceivers> {
  const sockets = new Set<Socket>()
  const servers = Object.values(BEHAVIOURS).map(behave =>
    createServer(socket => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
      socket.resume()
      behave(socket)
    }),
  )
  await Promise.all(
    servers.map(server => new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))),
  )
  return {
    urls: servers.map(server => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
    },
  }
}
