/** Writes the results of attempts in batches, and retries until they are stored. */
import { setTimeout as pause } from 'node:timers/promises'
import { idFromUuid } from '../kernel/crypto/ids.ts'
import type { Sql } from '../kernel/db/database.ts'
import { toError } from '../kernel/errors/errors.ts'
import type { Log } from '../kernel/errors/log.ts'
import type { Clock } from '../kernel/values/clock.ts'
import {
  type AttemptResult,
  auditDisabledEndpoint,
  type EndpointUpdate,
  settleOnShards,
} from '../webhooks/settle.ts'
import { getEndpointKey } from './endpoint-queue.ts'

const MAX_BATCH = 512
/** Results are collected for this long: batching cuts the database's work to a tenth. */
const COLLECT_MS = 20
const RETRY_AFTER_MS = 500

type ResultWriterSetup = {
  sql: Sql
  clock: Clock
  log: Log
  onWritten: (result: AttemptResult) => void
}

export class ResultWriter {
  private readonly setup: ResultWriterSetup
  private results: AttemptResult[] = []
  /** The newest health by endpoint. */
  private health = new Map<string, EndpointUpdate>()
  private writing: Promise<void> | undefined
  private isStopping = false

  constructor(setup: ResultWriterSetup) {
    this.setup = setup
  }

  get isIdle(): boolean {
    return this.writing === undefined
  }

  /** Call it before `add`, which starts the write. */
  addHealth(health: EndpointUpdate): void {
    const key = getEndpointKey(health.accountId, health.endpointId)
    this.health.set(key, mergeHealth(this.health.get(key), health))
  }

  add(result: AttemptResult): void {
    this.results.push(result)
    this.writing ??= this.write().finally(() => {
      this.writing = undefined
    })
  }

  /** Resolves once results are stored or one write failed; then another process sends them again. */
  async stop(): Promise<void> {
    this.isStopping = true
    await this.writing
  }

  private async write(): Promise<void> {
    const { sql, log, onWritten } = this.setup
    while (this.results.length > 0) {
      if (this.results.length < MAX_BATCH && !this.isStopping) await pause(COLLECT_MS)
      const batch = this.results.splice(0, MAX_BATCH)
      const endpoints = [...this.health.values()]
      this.health = new Map()
      let disabled: string[]
      try {
        disabled = await settleOnShards(sql, batch, endpoints)
      } catch (error) {
        log.warn({ reason: toError(error).message }, 'webhook results could not be stored; retrying')
        this.requeue(batch, endpoints)
        if (this.isStopping) return
        await pause(RETRY_AFTER_MS)
        continue
      }
      for (const one of batch) onWritten(one)
      for (const one of endpoints) if (disabled.includes(one.endpointId)) await this.reportDisabled(one)
    }
  }

  private requeue(batch: readonly AttemptResult[], endpoints: readonly EndpointUpdate[]): void {
    this.results = [...batch, ...this.results]
    for (const one of endpoints) {
      const key = getEndpointKey(one.accountId, one.endpointId)
      const newer = this.health.get(key)
      this.health.set(key, newer === undefined ? one : mergeHealth(one, newer))
    }
  }

  private async reportDisabled(one: EndpointUpdate): Promise<void> {
    const { log } = this.setup
    const about = { account: one.accountId, webhook: idFromUuid(one.endpointId), reason: one.disabledReason }
    log.warn(about, 'a webhook was disabled')
    try {
      await auditDisabledEndpoint(this.setup, one)
    } catch (error) {
      log.error({ ...about, err: error }, 'the disabled webhook could not be added to the audit log')
    }
  }
}

/**
 * The newer health. A success does not undo a disabling that is not stored yet, unless the endpoint was
 * edited in between.
 */
const mergeHealth = (older: EndpointUpdate | undefined, newer: EndpointUpdate): EndpointUpdate =>
  older?.revision === newer.revision
    ? { ...newer, disabledReason: newer.disabledReason ?? older.disabledReason }
    : newer
