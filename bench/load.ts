/** A load client on bare sockets: as little of its own work as can be, since it shares the cores with what it measures. */
import { connect, type Socket } from 'node:net'

export type Shot = { port: number; connections: number; seconds: number; next: (n: number) => string }
export type Tally = { perSecond: number; medianMs: number; failed: number }

/** An HTTP/1.1 request as text. */
export function request(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): string {
  const length =
    body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${more.join('')}${length}\r\n${body}`
}

/** Keeps every connection busy with one request at a time for the given seconds. Anything but 2xx and 304 is a failure. */
export async function load(shot: Shot): Promise<Tally> {
  const until = performance.now() + shot.seconds * 1000
  const times: number[] = []
  let failed = 0
  let count = 0
  const started = performance.now()
  const one = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      const answers = new Answers()
      let sent = 0
      const fire = () => {
        sent = performance.now()
        socket.write(shot.next(count++))
      }
      socket.on('data', (chunk: Buffer) => {
        const status = answers.take(chunk)
        if (status === undefined) return
        times.push(performance.now() - sent)
        if (!(status < 300 || status === 304)) failed++
        if (performance.now() < until) fire()
        else {
          socket.end()
          resolve()
        }
      })
      socket.on('error', reject)
      fire()
    })
  const sockets = await Promise.all(Array.from({ length: shot.connections }, () => open(shot.port)))
  await Promise.all(sockets.map(one))
  times.sort((a, b) => a - b)
  return {
    perSecond: times.length / ((performance.now() - started) / 1000),
    medianMs: times[times.length >> 1] ?? Number.NaN,
    failed,
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Tells from the bytes received when an answer with a Content-Length is complete. */
class Answers {
  private held: Buffer = Buffer.alloc(0)

  /** The status of the answer that this chunk completes, if it does. */
  take(chunk: Buffer): number | undefined {
    this.held = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk])
    const end = this.held.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const head = this.held.toString('latin1', 0, end)
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    if (this.held.length < end + 4 + length) return undefined
    this.held = Buffer.alloc(0)
    return Number(head.slice(9, 12))
  }
}
