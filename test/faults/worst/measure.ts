/** Sends a call alone and measures what it costs the server and its database. */
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { forgetPeak, readPeakMb, readRssMb, type Stand } from './stand.ts'

export type Ask = {
  method: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: Buffer | undefined
}

export type Figures = {
  status: number
  /** The longest time in which the event loop served nobody else. */
  blockedMs: number
  /** The same as processor time, which other programs do not lengthen. */
  turnCpuMs: number
  databaseMs: number
  rssMb: number
  ms: number
}

/** Works may go on after the answer, such as an import. */
const AFTERWARDS_MS = 4
const TIMEOUT_MS = 120_000
const agent = new Agent({ keepAlive: false })
let networks = 0

/** A new network for each request, unless the call names its own: the limits of networks are tested elsewhere. */
function nextNetwork(): string {
  const n = ++networks
  return `10.${(n >> 8) & 255}.${n & 255}.1`
}

export async function measure(stand: Stand, ask: Ask, afterwardsMs = AFTERWARDS_MS): Promise<Figures> {
  const databaseBefore = await stand.readDatabaseMs()
  const rssBefore = readRssMb(stand)
  forgetPeak(stand)
  await stand.begin()
  const began = performance.now()
  const status = await send(stand, ask)
  const ms = performance.now() - began
  await pause(afterwardsMs)
  const { blockedMs, turnCpuMs } = await stand.end()
  return {
    ...{ status, blockedMs, turnCpuMs, ms },
    databaseMs: (await stand.readDatabaseMs()) - databaseBefore,
    rssMb: Math.max(0, readPeakMb(stand) - rssBefore),
  }
}

/** Returns the status; 0 for a connection that was cut. The body of the answer is dropped as it arrives. */
export function send(stand: Stand, { method, path, headers, body }: Ask): Promise<number> {
  return new Promise(resolve => {
    const sent = request(
      {
        ...{ agent, host: '127.0.0.1', port: stand.port, method, path },
        headers: {
          'x-forwarded-for': nextNetwork(),
          ...(body && { 'content-length': String(body.length) }),
          ...headers,
        },
      },
      answer => {
        answer.resume()
        answer.once('close', () => resolve(answer.statusCode ?? 0))
      },
    )
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy())
    sent.once('error', () => resolve(0))
    sent.end(body)
  })
}
