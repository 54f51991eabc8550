/**
 * Twenty clients with their own addresses that use Carnet normally and record how long each response took.
 */
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { newProduct } from '../harness.ts'

const CLIENTS = 20
const THINK_MS = 100
const TIMEOUT_MS = 20_000

export type Measured = { requests: number; failed: string[]; p50: number; p99: number; max: number }

export class HonestClients {
  private times: number[] = []
  private failed: string[] = []
  private isStopping = false
  private running: Promise<unknown> = Promise.resolve()
  private readonly port: number
  private readonly apiKey: string
  private readonly ids: readonly string[]

  constructor({ port, apiKey, ids }: { port: number; apiKey: string; ids: readonly string[] }) {
    this.port = port
    this.apiKey = apiKey
    this.ids = ids
  }

  start(): void {
    this.isStopping = false
    this.running = Promise.all(Array.from({ length: CLIENTS }, (_, n) => this.one(n)))
  }

  /** The measurements since the last call. */
  take(): Measured {
    const sorted = this.times.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    const measured = {
      requests: sorted.length,
      failed: this.failed,
      p50: at(0.5),
      p99: at(0.99),
      max: sorted.at(-1) ?? 0,
    }
    this.times = []
    this.failed = []
    return measured
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await this.running
  }

  /** Six of ten requests are for pages, two read, one lists, one creates. */
  private async one(n: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = n; !this.isStopping; turn++) {
      const id = this.ids[turn % this.ids.length] ?? ''
      const kind = turn % 10
      if (kind < 6) await this.ask(agent, n, `/p/${id}`)
      else if (kind < 8) await this.ask(agent, n, `/api/v1/products/${id}`)
      else if (kind === 8) await this.ask(agent, n, '/api/v1/products?limit=20')
      else
        await this.ask(
          agent,
          n,
          '/api/v1/products',
          JSON.stringify(newProduct({ sku: `H-${n}-${turn}-${Date.now()}` })),
        )
      await pause(THINK_MS)
    }
    agent.destroy()
  }

  private ask(agent: Agent, n: number, path: string, body?: string): Promise<void> {
    const began = performance.now()
    return new Promise(resolve => {
      const end = (status: number | string) => {
        this.times.push(performance.now() - began)
        if (status !== 200 && status !== 201) this.failed.push(`${path} was answered ${status}`)
        resolve()
      }
      const headers = {
        'x-forwarded-for': `198.51.100.${n + 1}`,
        accept: path.startsWith('/p/') ? 'text/html' : 'application/json',
        ...(path.startsWith('/api') && { authorization: `Bearer ${this.apiKey}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      const method = body === undefined ? 'GET' : 'POST'
      const sent = request({ agent, host: '127.0.0.1', port: this.port, path, method, headers }, answer => {
        answer.resume()
        answer.once('end', () => end(answer.statusCode ?? 0))
        answer.once('error', error => end(error.message))
      })
      sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error('no answer in 20 s')))
      sent.once('error', error => end(error.message))
      sent.end(body)
    })
  }
}
