/** A load client on bare sockets: as little of its own work as can be, since it shares the cores with what it measures. */
import { connect, type Socket } from 'node:net'

export type Shot = { port: number; connections: number; seconds: number; next: (n: number) => string }
export type Tally = { perSecond: number; medianMs: number; failed: number }

/** Pages are not limited to who comes through a proxy of this machine: behind it may be all readers there are. */
export const FROM_EVERYWHERE = { 'x-forwarded-for': '203.0.113.1' }

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
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const answers = new Answers()
      let sent = 0
      const fire = () => {
        sent = performance.now()
        socket.write(shot.next(count++))
      }
      const socket = open(shot.port, chunk => {
        const status = answers.take(chunk)
        if (status === undefined) return
        const now = performance.now()
        times.push(now - sent)
        if (!(status < 300 || status === 304)) failed++
        if (now < until) fire()
        else {
          socket.end()
          resolve()
        }
      })
      socket.once('connect', fire)
      socket.once('error', reject)
    })
  await Promise.all(Array.from({ length: shot.connections }, one))
  times.sort((a, b) => a - b)
  return {
    perSecond: times.length / ((performance.now() - started) / 1000),
    medianMs: times[times.length >> 1] ?? Number.NaN,
    failed,
  }
}

/** All sockets read into one place, one after another: nothing is allocated for what has come. */
const INBOX = Buffer.alloc(256 * 1024)

function open(port: number, take: (chunk: Buffer) => void): Socket {
  return connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: INBOX,
      callback(bytes) {
        take(INBOX.subarray(0, bytes))
        return true
      },
    },
  })
}

/** Tells from the bytes received when an answer with a Content-Length is complete. */
class Answers {
  /** Of an answer whose head has not come whole. */
  private head: Buffer | undefined
  private status = 0
  /** Of the body. */
  private missing = 0

  /** The status of the answer that this chunk completes, if it does. */
  take(chunk: Buffer): number | undefined {
    if (this.missing > 0) this.missing -= chunk.length
    else {
      const held = this.head === undefined ? chunk : Buffer.concat([this.head, chunk])
      const end = held.indexOf('\r\n\r\n')
      this.head = end < 0 ? Buffer.from(held) : undefined
      if (end < 0) return undefined
      const text = held.toString('latin1', 0, end)
      this.status = Number(text.slice(9, 12))
      this.missing = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0) + end + 4 - held.length
    }
    return this.missing > 0 ? undefined : this.status
  }
}
