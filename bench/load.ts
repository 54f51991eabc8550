/**
 * A load client on bare sockets. It does little work itself, because it shares the cores with the server it
 * measures.
 */
import { connect, type Socket } from 'node:net'

export type Shot = { port: number; connections: number; seconds: number; next: (n: number) => string }
export type Tally = { perSecond: number; medianMs: number; p99Ms: number; failed: number }

/** Requests through a proxy on this machine are not limited: all readers may come through it. */
export const FROM_EVERYWHERE = { 'x-forwarded-for': '203.0.113.1' }

/** Builds an HTTP/1.1 request as text. */
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

/**
 * Keeps every connection busy with one request at a time for the given seconds. Any status except 2xx and 304
 * is a failure.
 */
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
    p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
    failed,
  }
}

/** All sockets read into this one buffer, so that receiving allocates nothing. */
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

/** Parses the received bytes: detects when a response with Content-Length is complete. */
class Answers {
  /** The bytes of an incomplete response head. */
  private head: Buffer | undefined
  private status = 0
  /** Missing bytes of the body. */
  private missing = 0

  /** Returns the status of the response that this chunk completes, if any. */
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
