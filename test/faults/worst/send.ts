/** Sends one request to a server on this machine, over a connection of its own. */
import { Agent, request } from 'node:http'

export type Ask = {
  method: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: Buffer | undefined
}

const TIMEOUT_MS = 120_000
const agent = new Agent({ keepAlive: false })
let networks = 0

/** A new network for each request, unless the call names its own: the limits of networks are tested elsewhere. */
function nextNetwork(): string {
  const n = ++networks
  return `10.${(n >> 8) & 255}.${n & 255}.1`
}

/** Returns the status; 0 for a connection that was cut. The body of the answer is dropped as it arrives. */
export function send({ port }: { port: number }, { method, path, headers, body }: Ask): Promise<number> {
  return new Promise(resolve => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
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
