/**
 * Counts scans in memory and writes them once a second. Readers never wait; if the database is unavailable
 * for long, scans are lost.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { areMembers } from '../accounts/people/sessions.ts'
import { withTimeout } from '../kernel/concurrency/timeout.ts'
import {
  databaseUnavailable,
  explainDatabaseError,
  type Sql,
  sqlState,
  withRetries,
} from '../kernel/db/database.ts'
import { toError } from '../kernel/errors/errors.ts'
import type { Log } from '../kernel/errors/log.ts'
import type { Clock } from '../kernel/values/clock.ts'
import { countBatchRows, createScanBatch, type ScanBatch, type ScannedPassport } from './batch.ts'
import { type CountingContext, countScan, type PendingScan, type ScanReader } from './count-scan.ts'
import { createCountryLookup } from './country.ts'
import { dayOf, HOURS_PER_DAY } from './day.ts'
import { createMovingAccounts, type MovingAccounts } from './moving-accounts.ts'
import { createPendingScans } from './pending-scans.ts'
import { createReaderLimit } from './reader-limit.ts'
import { createRecentReaders } from './recent-readers.ts'
import { createSalts } from './salts.ts'
import { createSettingsCache, isCounted } from './settings.ts'
import { type BatchWriter, writeBatch } from './write-batch.ts'

const FLUSH_INTERVAL_MS = 1_000
/** Rows written by one transaction, which holds its locks for 50 ms. */
const BATCH_ROWS = 6_000
/** More concurrent batches hardly make one machine's database faster. */
const MAX_CONCURRENT_BATCHES = 2
/** Full batches that wait for an unavailable database: about 60 MB. */
const MAX_QUEUED_BATCHES = 50
/** Scans that wait until their account has been moved; they are kept in memory only. */
const MAX_HELD_SCANS = 100_000
/** Scans counted before yielding to the event loop: 4 ms. */
const SCANS_PER_TURN = 500
/** The next day's salt is loaded before that day begins. */
const SALT_AHEAD_MS = 60_000
/** Longer than the statement timeout. */
const WRITE_TIMEOUT_MS = 15_000
const WARNING_INTERVAL_MS = 60_000

export type ScanRecorder = {
  /** Adds a page view, which is counted later. Returns at once and never throws. */
  record: (passport: ScannedPassport, reader: ScanReader, now: Date) => void
  /**
   * Resolves when all scans are in the database, except those of accounts that are being moved. Throws, and
   * keeps them, if it does not answer.
   */
  flush: () => Promise<void>
  start: () => void
  stop: () => Promise<void>
  dropped: () => number
}

type RecorderSetup = {
  sql: Sql
  clock: Clock
  log: Log
  /** The operator's country file, which takes precedence over the bundled one. */
  geoMmdbPath: string | undefined
}

/**
 * Writes one batch at a time. Numbers the batches, so that a retry can tell whether the last one was written.
 */
type BatchWorker = {
  writer: BatchWriter
  batches: number
  /** The batch being written or retried; its outcome may be unknown. */
  current: ScanBatch | undefined
  running: Promise<void> | undefined
}

/** Each shard has its own, so that one whose machine is lost delays no other. */
type ShardScans = {
  /** The batch that is being filled. */
  open: ScanBatch
  /** Full batches, which no longer change. */
  queue: ScanBatch[]
  workers: readonly BatchWorker[]
}

type RecorderState = {
  setup: RecorderSetup
  shards: Map<number | null, ShardScans>
  counting: CountingContext
  pending: ReturnType<typeof createPendingScans>
  moving: MovingAccounts
  /** Scans of accounts that are being moved. */
  held: PendingScan[]
  /** True if there may be scans to count or to write. */
  hasNewScans: boolean
  dropped: number
  warnedAt: number
}

export function createScanRecorder(setup: RecorderSetup): ScanRecorder {
  const settings = createSettingsCache(setup.sql)
  const counting = {
    settings,
    salts: createSalts(setup.sql),
    countries: createCountryLookup(setup.geoMmdbPath),
    readerLimit: createReaderLimit(),
    recentReaders: createRecentReaders(),
  }
  const state: RecorderState = {
    setup,
    shards: new Map(),
    counting,
    pending: createPendingScans(),
    moving: createMovingAccounts(setup.sql),
    held: [],
    hasNewScans: false,
    dropped: 0,
    warnedAt: Number.NEGATIVE_INFINITY,
  }
  const flush = oneAtATime(() => flushOnce(state))
  let timer: NodeJS.Timeout | undefined
  const tick = () =>
    flush().catch(error => warn(state, { reason: toError(error).message }, 'scans could not be written yet'))
  return {
    record(passport, reader, now) {
      state.hasNewScans = true
      const { account_id: accountId, category } = passport
      if (settings.isFresh(accountId, now) && !isCounted(settings.get(accountId), category)) return
      if (!state.pending.add(passport, reader, now)) drop(state, 1)
    },
    flush,
    start() {
      timer ??= setInterval(tick, FLUSH_INTERVAL_MS)
      timer.unref()
    },
    async stop() {
      clearInterval(timer)
      timer = undefined
      await tick()
    },
    dropped: () => state.dropped,
  }
}

/** Calls during a run share the next run, which includes everything recorded before the call. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = (): Promise<void> => {
    next = undefined
    const started = run().finally(() => {
      if (current === started) current = undefined
    })
    current = started
    return started
  }
  return () => {
    if (current === undefined) return start()
    next ??= current.then(start, start)
    return next
  }
}

async function flushOnce(state: RecorderState): Promise<void> {
  const today = dayOf(state.setup.clock.now())
  state.counting.salts.forgetBefore(today - 1)
  state.counting.readerLimit.startDay(today)
  if (!state.hasNewScans && !hasWork(state) && state.held.length === 0) return
  state.hasNewScans = false
  try {
    await loadForCounting(state, today)
    await countPending(state)
    await writeAll(state)
  } catch (error) {
    state.hasNewScans = true
    throw error
  }
}

/**
 * Loads settings, salts and countries. If the database is unavailable, the values already loaded may be
 * enough.
 */
async function loadForCounting(state: RecorderState, today: number): Promise<void> {
  const { counting, setup, pending, moving, held } = state
  const problem = await counting.countries.refresh()
  if (problem !== undefined) setup.log.warn({ reason: problem }, 'the country file cannot be used')
  const hours = [...pending.hours(), ...held.map(scan => scan.hour)]
  const pendingDays = new Set(hours.map(hour => Math.floor(hour / HOURS_PER_DAY)))
  const nextDay = dayOf(setup.clock.now().getTime() + SALT_AHEAD_MS)
  try {
    await counting.settings.refresh(setup.clock.now())
    await moving.refresh(setup.clock.now())
    await counting.salts.prepare([...pendingDays, today - 1, today, nextDay])
  } catch (error) {
    const isUsable = counting.settings.isLoaded() && [...pendingDays].every(counting.salts.has)
    if (!isUsable || explainDatabaseError(error)?.code !== 'unavailable') throw error
  }
}

async function countPending(state: RecorderState): Promise<void> {
  const all = [...state.held.splice(0), ...state.pending.take()]
  const byMembers = await findScansByMembers(state, all)
  for (const [i, scan] of all.entries()) {
    if (i % SCANS_PER_TURN === SCANS_PER_TURN - 1) await yieldToEventLoop()
    if (byMembers.has(scan)) continue
    const moving = state.moving.find(scan.passport.account_id)
    if (moving?.isMoving) {
      hold(state, scan)
      continue
    }
    if (moving !== undefined) scan.passport.shard = moving.shard
    if (!addScan(state, scan)) continue
    // The database writes full batches while we fill the next; errors are rethrown in `writeAll`.
    const scans = getShardScans(state, scan.passport.shard ?? null)
    for (const worker of startWorkers(state, scans)) worker.catch(() => undefined)
  }
}

function getShardScans(state: RecorderState, shard: number | null): ShardScans {
  const found = state.shards.get(shard)
  if (found !== undefined) return found
  const { sql, clock } = state.setup
  const workers = Array.from({ length: MAX_CONCURRENT_BATCHES }, () => ({
    writer: { sql, clock, id: randomUUID(), settings: state.counting.settings },
    batches: 0,
    current: undefined,
    running: undefined,
  }))
  const scans = { open: createScanBatch(shard), queue: [], workers }
  state.shards.set(shard, scans)
  return scans
}

function hold(state: RecorderState, scan: PendingScan): void {
  if (state.held.length < MAX_HELD_SCANS) state.held.push(scan)
  else drop(state, scan.times + scan.reloads)
}

/** Returns whether a full batch was queued. */
function addScan(state: RecorderState, scan: PendingScan): boolean {
  const scans = getShardScans(state, scan.passport.shard ?? null)
  const isFull = countBatchRows(scans.open) >= BATCH_ROWS
  if (isFull && countQueued(state) >= MAX_QUEUED_BATCHES) {
    drop(state, scan.times + scan.reloads)
    return false
  }
  if (isFull) queueOpenBatch(scans)
  countScan(scans.open, scan, state.counting)
  return isFull
}

function queueOpenBatch(scans: ShardScans): void {
  scans.queue.push(scans.open)
  scans.open = createScanBatch(scans.open.shard)
}

/**
 * Finds scans by members of the passport's account. If the database fails, returns all scans of signed-in
 * people.
 */
async function findScansByMembers(
  state: RecorderState,
  all: readonly PendingScan[],
): Promise<Set<PendingScan>> {
  const signedIn = all.filter(({ reader }) => reader.sessionToken !== undefined)
  if (signedIn.length === 0) return new Set()
  const checks = signedIn.map(({ passport, reader }) => ({
    token: reader.sessionToken ?? '',
    accountId: passport.account_id,
  }))
  try {
    const results = await areMembers(state.setup, checks)
    return new Set(signedIn.filter((_, i) => results[i]))
  } catch (error) {
    warn(
      state,
      { reason: toError(error).message },
      'could not check who is signed in: scans by signed-in people are lost',
    )
    for (const { times, reloads } of signedIn) state.dropped += times + reloads
    return new Set(signedIn)
  }
}

async function writeAll(state: RecorderState): Promise<void> {
  const all = [...state.shards.values()]
  for (const scans of all) if (countBatchRows(scans.open) > 0) queueOpenBatch(scans)
  const outcomes = await Promise.allSettled(all.flatMap(scans => startWorkers(state, scans)))
  const failed = outcomes.find(outcome => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  if (hasWork(state)) await writeAll(state)
}

const startWorkers = (state: RecorderState, scans: ShardScans): Promise<void>[] =>
  scans.workers.map(worker => runWorker(state, scans, worker))

/** Resolves when the queue is empty. A batch that could not be written keeps its number for a retry. */
function runWorker(state: RecorderState, scans: ShardScans, worker: BatchWorker): Promise<void> {
  worker.running ??= writeQueued(state, scans.queue, worker).finally(() => {
    worker.running = undefined
  })
  return worker.running
}

async function writeQueued(state: RecorderState, queue: ScanBatch[], worker: BatchWorker): Promise<void> {
  for (;;) {
    if (worker.current === undefined) {
      worker.current = queue.shift()
      if (worker.current === undefined) return
      worker.current.number = ++worker.batches
    }
    await writeOrDrop(state, worker.writer, worker.current)
    worker.current = undefined
  }
}

const countQueued = ({ shards }: RecorderState) =>
  [...shards.values()].reduce((sum, { queue }) => sum + queue.length, 0)

const hasWork = ({ shards }: RecorderState) =>
  [...shards.values()].some(
    ({ queue, workers }) => queue.length > 0 || workers.some(worker => worker.current !== undefined),
  )

/** Returns true if a retry would fail as well: invalid data, violated constraints, wrong SQL. */
const isPermanent = (error: unknown) => /^(22|23|42)/.test(sqlState(error) ?? '')

/** Drops a batch that the database never accepts, with a log line: it would block all others. */
async function writeOrDrop(state: RecorderState, writer: BatchWriter, batch: ScanBatch): Promise<void> {
  try {
    // A broken connection may never answer. The batch's number keeps a retry from counting it twice.
    await withTimeout(
      withRetries(() => writeBatch(writer, batch)),
      WRITE_TIMEOUT_MS,
      databaseUnavailable,
    )
  } catch (error) {
    if (!isPermanent(error)) throw error
    state.setup.log.error(
      { scans: batch.scans, reason: toError(error).message },
      'scans could not be written',
    )
    state.dropped += batch.scans
  }
}

function drop(state: RecorderState, scans: number): void {
  state.dropped += scans
  warn(state, { scans: state.dropped }, 'scans are dropped: they arrive faster than the database can write')
}

/** Logs at most one line a minute. */
function warn(state: RecorderState, fields: object, message: string): void {
  const now = state.setup.clock.now().getTime()
  if (Math.abs(now - state.warnedAt) < WARNING_INTERVAL_MS) return
  state.warnedAt = now
  state.setup.log.warn(fields, message)
}
