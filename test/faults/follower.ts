/** A client that keeps a copy of an account by the list of changes, and must not miss any. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Write } from './clients.ts'
import { RequestLog } from './request-log.ts'

const INTERVAL_MS = 500
const CATCH_UP_TRIES = 240

type Page = {
  data: { id: string; version_no: number }[]
  meta: { next_cursor?: string | null; synced_until: string }
}

export class Follower {
  readonly log = new RequestLog()
  readonly faulty: string[] = []
  private readonly versions = new Map<string, number>()
  private since = new Date(0).toISOString()
  private readonly url: () => string
  private readonly key: string
  private isStopping = false
  private running: Promise<void> = Promise.resolve()

  constructor(url: () => string, key: string) {
    this.url = url
    this.key = key
  }

  start(): void {
    this.running = this.follow()
  }

  /** Follows up to now. Returns the writes that were never listed, as sentences. */
  async findMissing(writes: readonly Write[]): Promise<string[]> {
    this.isStopping = true
    await this.running
    const end = new Date().toISOString()
    for (let tries = 0; this.since < end && tries < CATCH_UP_TRIES; tries++) {
      await this.read()
      await pause(INTERVAL_MS)
    }
    return writes.flatMap(({ id, sku, versions }) => {
      const seen = this.versions.get(id ?? '') ?? 0
      return id === undefined || seen >= versions ? [] : [`the changes list version ${seen} of ${sku}`]
    })
  }

  private async follow(): Promise<void> {
    while (!this.isStopping) {
      await this.read()
      await pause(INTERVAL_MS)
    }
  }

  /** Reads all pages, or nothing if the server does not answer: the next time begins at the same place. */
  private async read(): Promise<void> {
    let next = `updated_since=${encodeURIComponent(this.since)}&limit=100`
    for (;;) {
      const answer = await this.log.send(`${this.url()}/api/v1/products?${next}`, {
        headers: { authorization: `Bearer ${this.key}` },
      })
      if (answer?.status !== 200) return
      const { data, meta } = JSON.parse(answer.text) as Page
      if (Date.parse(meta.synced_until) > Date.now()) this.faulty.push('synced_until is in the future')
      for (const { id, version_no } of data) this.versions.set(id, version_no)
      if (!meta.next_cursor) {
        this.since = meta.synced_until
        return
      }
      next = `updated_since=${encodeURIComponent(this.since)}&limit=100&cursor=${meta.next_cursor}`
    }
  }
}
