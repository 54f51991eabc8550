/**
 * Clients that create, change and read products and remember every response: everything acknowledged must
 * exist at the end.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { newProduct, nextGtin } from '../harness.ts'
import { type Answer, RequestLog } from './request-log.ts'

export type Write = {
  key: string
  sku: string
  gtin?: string
  id: string | undefined
  versions: number
}

const CLIENTS = 6
const THINK_MS = 20
const WAIT_MS = 200
const EVENT_TRIES = 600

/** `count`: how many clients. `gtinPrefix`: each product gets a GTIN with these four digits. */
type ClientOptions = { count?: number; gtinPrefix?: string }

/**
 * Each client creates products under an Idempotency-Key, changes them, reads them and their pages, and
 * records what was acknowledged.
 */
export class Clients {
  readonly writes: Write[] = []
  readonly log = new RequestLog()
  /** The server of the next request. */
  url: () => string
  private readonly key: string
  private readonly options: ClientOptions
  private isStopping = false
  private turn = 0
  private running: Promise<unknown> = Promise.resolve()

  constructor(url: () => string, key: string, options: ClientOptions = {}) {
    this.url = url
    this.key = key
    this.options = options
  }

  start(): void {
    this.isStopping = false
    this.running = Promise.all(Array.from({ length: this.options.count ?? CLIENTS }, () => this.one()))
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await this.running
  }

  get requests(): number {
    return this.log.sent.length
  }

  get unanswered(): number {
    return this.log.count('unanswered')
  }

  /** Responses that asked to retry while something was broken. */
  get postponed(): number {
    return this.log.count('unavailable')
  }

  get faulty(): readonly string[] {
    return this.log.faulty
  }

  /** A snapshot of what is acknowledged so far. */
  acknowledged(): Write[] {
    return this.writes.filter(({ id }) => id !== undefined).map(write => ({ ...write }))
  }

  /** Repeats unanswered requests under the same keys, so that each product exists exactly once. */
  async settle(): Promise<void> {
    for (const write of this.writes.filter(({ id }) => id === undefined)) {
      for (let tries = 0; tries < 50 && write.id === undefined; tries++) {
        await this.create(write)
        if (write.id === undefined) await pause(WAIT_MS)
      }
    }
  }

  /** Lost or duplicated products and lost versions, as sentences. */
  losses(writes: readonly Write[] = this.writes): Promise<string[]> {
    return gather(writes, async ({ id, sku, versions }) => {
      const found: string[] = []
      const answer = id === undefined ? undefined : await this.ask(`/products/${id}`)
      const version = answer?.status === 200 ? dataOf<{ version_no: number }>(answer).version_no : undefined
      if (version === undefined) found.push(`product ${id} (${sku}) was acknowledged and is not there`)
      else if (version < versions) found.push(`product ${id} has lost a version: ${version} of ${versions}`)
      const count = await this.count(sku)
      if (count !== 1) found.push(`${sku} is there ${count} times`)
      return found
    })
  }

  /** Products that exist more than once. Missing ones are allowed. */
  doubles(writes: readonly Write[]): Promise<string[]> {
    return gather(writes, async ({ sku }) => {
      const count = await this.count(sku)
      return count === 0 || count === 1 ? [] : [`${sku} is there ${count} times`]
    })
  }

  /** True if the product has a public page with its data. */
  async hasPage({ id, sku }: Write): Promise<boolean> {
    const answer = await this.persist(() => this.page(id ?? ''))
    return answer?.status === 200 && answer.text.includes(nameOf(sku))
  }

  private async count(sku: string): Promise<number | undefined> {
    const answer = await this.ask(`/products?sku=${sku}`)
    return answer?.status === 200 ? dataOf<unknown[]>(answer).length : undefined
  }

  private async one(): Promise<void> {
    while (!this.isStopping) {
      const turn = this.turn++
      const { gtinPrefix } = this.options
      const name = gtinPrefix === undefined ? String(turn) : `GTIN-${turn}`
      const write: Write = { key: `key-${name}`, sku: `FAULT-${name}-END`, id: undefined, versions: 0 }
      if (gtinPrefix !== undefined) write.gtin = nextGtin(gtinPrefix)
      this.writes.push(write)
      await this.create(write)
      if (write.id !== undefined) await this.changeAndRead(write, turn)
      await pause(THINK_MS)
    }
  }

  private async changeAndRead(write: Write, turn: number): Promise<void> {
    const changed = await this.call('PATCH', `/products/${write.id}`, {
      body: { data: { weightGrams: turn + 1 } },
    })
    if (changed?.status === 200) write.versions = 2
    await this.call('GET', `/products/${write.id}`)
    await this.page(write.id ?? '')
  }

  private ask(path: string): Promise<Answer | undefined> {
    return this.persist(() => this.call('GET', path))
  }

  /** Repeats while the server is unavailable: the last fault may have just ended. */
  private async persist(send: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    for (let tries = 0; ; tries++) {
      const answer = await send()
      if ((answer !== undefined && answer.status < 500) || tries === 50) return answer
      await pause(WAIT_MS)
    }
  }

  private async create(write: Write): Promise<void> {
    const body = newProduct({
      sku: write.sku,
      productName: nameOf(write.sku),
      ...(write.gtin && { gtin: write.gtin }),
    })
    const answer = await this.call('POST', '/products', { body, idempotencyKey: write.key })
    if (answer?.status !== 201) return
    write.id = dataOf<{ id: string }>(answer).id
    write.versions = Math.max(write.versions, 1)
  }

  private page(id: string): Promise<Answer | undefined> {
    return this.send('GET', `/p/${id}`, {
      accept: 'text/html',
      'user-agent': READER,
      'x-forwarded-for': '203.0.113.1',
    })
  }

  private call(
    method: string,
    path: string,
    { body, idempotencyKey }: { body?: unknown; idempotencyKey?: string } = {},
  ): Promise<Answer | undefined> {
    const headers = {
      authorization: `Bearer ${this.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
    return this.send(method, `/api/v1${path}`, headers, body)
  }

  private send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<Answer | undefined> {
    return this.log.send(`${this.url()}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
}

const READER = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/129.0 Mobile Safari/537.36'

const nameOf = (sku: string) => `Product ${sku}`

const dataOf = <T>({ text }: Answer): T => (JSON.parse(text) as { data: T }).data

/** The results of `look` for all writes, a few at a time. */
async function gather(
  writes: readonly Write[],
  look: (write: Write) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = []
  const left = [...writes]
  const take = async () => {
    for (let write = left.pop(); write !== undefined; write = left.pop()) found.push(...(await look(write)))
  }
  await Promise.all(Array.from({ length: CLIENTS }, take))
  return found
}

/** Waits for each product's event. Returns those that are missing after a minute, as sentences. */
export async function eventsMissing(writes: readonly Write[], told: ReadonlySet<string>): Promise<string[]> {
  const missing = () => writes.flatMap(({ id }) => (id === undefined || told.has(id) ? [] : [id]))
  for (let tries = 0; tries < EVENT_TRIES && missing().length > 0; tries++) await pause(WAIT_MS)
  return missing().map(id => `the event of ${id} never came`)
}
