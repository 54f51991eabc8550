/** What the faults happen to: the real server as several processes, a receiver of webhooks, clients that remember every answer. */
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { carnetJson, type Served, type Settings, serve } from '../cli/processes.ts'
import { newProduct } from '../harness.ts'

export type Stand = {
  settings: Settings
  server: () => Served
  restart: () => Promise<void>
  /** Resolves when it is ready; throws after two minutes. */
  untilReady: () => Promise<void>
  /** Of all processes of the server, by milliseconds from the true time; the database's stays. */
  moveClock: (ms: number) => void
  clients: Clients
  close: () => Promise<void>
}

const CLIENTS = 6
const READY_TRIES = 1_200

/** Starts it on a folder, which stays. */
export async function openStand(folder: string, port: number): Promise<Stand> {
  const received = new Set<string>()
  const receiver = await receive(received)
  const { port: at } = receiver.address() as { port: number }
  const env = {
    ...{ DATA_DIR: folder, PORT: String(port), WORKERS: '2', LOG_LEVEL: 'info' },
    ...{ ALLOW_INSECURE_WEBHOOKS: 'true', SLOW_QUERY_MS: '0' },
    CLOCK_FILE: join(folder, 'clock'),
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'moved-clock.ts')}`,
  }
  const settings = { cwd: folder, env }
  let server = await serve(settings)
  const json = (...words: string[]) => carnetJson<Record<string, string>>(words, settings)
  const { id = '' } = await json('accounts', 'create', '--name', 'Faults', '--plan', 'enterprise')
  await json('accounts', 'set-plan', id, '--plan', 'enterprise', '--requests-per-minute', '9000000')
  const { key = '' } = await json('keys', 'create', '--account', id, '--scope', 'full')
  await json(
    'webhooks',
    'add',
    '--account',
    id,
    '--url',
    `http://127.0.0.1:${at}/`,
    '--events',
    'product.created',
  )
  const clients = new Clients(() => server.url, key, received)
  return {
    settings,
    server: () => server,
    async restart() {
      server = await serve(settings)
    },
    async untilReady() {
      for (let tries = 0; tries < READY_TRIES; tries++) {
        try {
          if ((await fetch(`${server.url}/readyz`)).ok) return
        } catch {
          // Nobody listens yet.
        }
        await pause(100)
      }
      throw new Error(`it does not come back:\n${server.said.stderr.slice(-2_000)}`)
    },
    clients,
    moveClock: ms => writeFileSync(env.CLOCK_FILE, String(ms)),
    async close() {
      await server.stop('SIGTERM')
      receiver.close()
    },
  }
}

async function receive(received: Set<string>): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: Record<string, string> }
      received.add(data.product_id ?? data.id ?? '')
      response.writeHead(204).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}

type Write = { key: string; sku: string; id: string | undefined; versions: number }

/** Each creates products under an Idempotency-Key, changes them, reads them, and writes down what was acknowledged. */
export class Clients {
  readonly writes: Write[] = []
  requests = 0
  unanswered = 0
  private readonly url: () => string
  private readonly key: string
  private readonly received: ReadonlySet<string>
  private isStopping = false
  private running: Promise<unknown> = Promise.resolve()

  constructor(url: () => string, key: string, received: ReadonlySet<string>) {
    this.url = url
    this.key = key
    this.received = received
  }

  start(): void {
    this.isStopping = false
    this.running = Promise.all(Array.from({ length: CLIENTS }, (_, n) => this.one(n)))
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await this.running
  }

  /** Sends what was never answered once more, under the same key: whatever became of it, it is there once. */
  async settle(): Promise<void> {
    for (const write of this.writes.filter(({ id }) => id === undefined)) {
      for (let tries = 0; tries < 50 && write.id === undefined; tries++) {
        await this.create(write)
        if (write.id === undefined) await pause(200)
      }
    }
  }

  /** What was lost, as sentences; none when nothing was. */
  async losses(): Promise<string[]> {
    const found: string[] = []
    const left = [...this.writes]
    const check = async () => {
      for (let write = left.pop(); write !== undefined; write = left.pop()) {
        const { id, sku, versions } = write
        const answer = id === undefined ? undefined : await this.ask(`/products/${id}`)
        const body =
          answer?.status === 200 ? (answer.json as { data: { version_no: number } }).data : undefined
        if (body === undefined) found.push(`product ${id} (${sku}) was acknowledged and is not there`)
        else if (body.version_no < versions)
          found.push(`product ${id} has lost a version: ${body.version_no} of ${versions}`)
        const list = await this.ask(`/products?sku=${sku}`)
        const count = list?.status === 200 ? (list.json as { data: unknown[] }).data.length : undefined
        if (count !== 1) found.push(`${sku} is there ${count} times`)
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, check))
    return found
  }

  /** Waits until each product's event has come; ids of those whose has not, after two minutes. */
  async eventsMissing(): Promise<string[]> {
    const missing = () =>
      this.writes.flatMap(({ id }) => (id === undefined || this.received.has(id) ? [] : [id]))
    for (let tries = 0; tries < READY_TRIES && missing().length > 0; tries++) await pause(100)
    return missing()
  }

  private async one(n: number): Promise<void> {
    for (let turn = 0; !this.isStopping; turn++) {
      const write: Write = { key: `${n}-${turn}`, sku: `FAULT-${n}-${turn}-END`, id: undefined, versions: 0 }
      this.writes.push(write)
      await this.create(write)
      if (write.id !== undefined) {
        const body = { data: { weightGrams: turn + 1 } }
        const changed = await this.send('PATCH', `/products/${write.id}`, body)
        if (changed?.status === 200) write.versions = 2
        await this.send('GET', `/products/${write.id}`)
      }
      await pause(20)
    }
  }

  /** Once more while the answer is that it is not the time: the last fault may be just over. */
  private async ask(path: string) {
    for (let tries = 0; ; tries++) {
      const answer = await this.send('GET', path)
      if ((answer !== undefined && answer.status < 500) || tries === 50) return answer
      await pause(200)
    }
  }

  private async create(write: Write): Promise<void> {
    const answer = await this.send('POST', '/products', newProduct({ sku: write.sku }), write.key)
    if (answer?.status !== 201) return
    write.id = (answer.json as { data: { id: string } }).data.id
    write.versions = Math.max(write.versions, 1)
  }

  private async send(method: string, path: string, body?: unknown, idempotencyKey?: string) {
    this.requests++
    const headers = {
      authorization: `Bearer ${this.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
    try {
      const answer = await fetch(`${this.url()}/api/v1${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      })
      return { status: answer.status, json: (await answer.json()) as unknown }
    } catch {
      this.unanswered++
      return undefined
    }
  }
}
