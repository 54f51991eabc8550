/**
 * Counts scans beside the answers: a note costs a look-up in memory, everything else happens once a second, and a
 * database that stalls or is away costs counts, never a reader's time.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { areMembers } from '../accounts/people/membership-check.ts'
import type { Clock } from '../kernel/clock.ts'
import {
  databaseUnavailable,
  explainDatabaseError,
  type Sql,
  sqlState,
  withRetries,
} from '../kernel/db/database.ts'
import type { Log } from '../kernel/log.ts'
import { countBatchRows, createScanBatch, type ScanBatch, type ScannedPassport } from './batch.ts'
import { countScan, type PendingScan, type ScanReader, type ScanTools } from './count-scan.ts'
import { createCountryLookup } from './country.ts'
import { dayOf, HOURS_PER_DAY } from './day.ts'
import { createPendingScans } from './pending-scans.ts'
import { createReaderLimit } from './reader-limit.ts'
import { createSalts } from './salts.ts'
import { createSettingsCache, isCounted } from './settings.ts'
import { type BatchContext, writeBatch } from './write-batch.ts'

const FLUSH_INTERVAL_MS = 1_000
/**
 * Rows of one transaction: some 50 ms of the database's work, which holds its locks for as long. A passport's readers
 * come together, so that a row is seldom written by two batches.
 */
const BATCH_ROWS = 6_000
/** Batches written at the same time: what one machine's database gains by more is little. */
const MAX_CONCURRENT_BATCHES = 2
/** Full batches that wait for a database that is away: some 60 MB. */
const MAX_QUEUED_BATCHES = 50
/** Sightings turned into numbers before requests get their turn: 4 ms. */
const SCANS_PER_TURN = 500
/** The next day's salt is there before the day is. */
const SALT_AHEAD_MS = 60_000
/** Longer than any statement may take. */
const WRITE_TIMEOUT_MS = 15_000
const WARNING_INTERVAL_MS = 60_000

export type ScanRecorder = {
  /** Counts one look at a page, soon. Returns at once and throws nothing. */
  record: (passport: ScannedPassport, reader: ScanReader, now: Date) => void
  /** Resolves when everything noted before is in the database; throws when it does not answer: nothing is lost by that. */
  flush: () => Promise<void>
  /** Flushes every second from now on. */
  start: () => void
  /** Ends that, with a last flush. */
  stop: () => Promise<void>
  /** Scans given up for want of room since the start. */
  dropped: () => number
}

export type ScanSetup = {
  sql: Sql
  clock: Clock
  log: Log
  /** The operator's country file, before the bundled one. */
  geoMmdbPath: string | undefined
}

/** One batch after another, in a name and with a count of its own: what became of its last one is always known. */
type BatchWorker = {
  writer: BatchContext
  batches: number
  /** Being written, or to be tried again: its outcome may be unknown. */
  held: ScanBatch | undefined
  running: Promise<void> | undefined
}

type RecorderState = {
  setup: ScanSetup
  lanes: readonly BatchWorker[]
  tools: ScanTools
  sightings: ReturnType<typeof createPendingScans>
  open: ScanBatch
  /** Full ones: never added to. */
  queue: ScanBatch[]
  /** Something was noted since the settings were last read. */
  isTouched: boolean
  dropped: number
  complainedAt: number
}

export function createScanRecorder(setup: ScanSetup): ScanRecorder {
  const settings = createSettingsCache(setup.sql)
  const tools = {
    settings,
    salts: createSalts(setup.sql),
    countries: createCountryLookup(setup.geoMmdbPath),
    readerLimit: createReaderLimit(),
  }
  const state: RecorderState = {
    setup,
    lanes: Array.from({ length: MAX_CONCURRENT_BATCHES }, () => ({
      writer: { sql: setup.sql, clock: setup.clock, id: randomUUID(), settings },
      batches: 0,
      held: undefined,
      running: undefined,
    })),
    tools,
    sightings: createPendingScans(),
    open: createScanBatch(),
    queue: [],
    isTouched: false,
    dropped: 0,
    complainedAt: Number.NEGATIVE_INFINITY,
  }
  const flush = oneAtATime(() => flushOnce(state))
  let timer: NodeJS.Timeout | undefined
  const tick = () =>
    flush().catch(error => warn(state, { reason: messageOf(error) }, 'scans could not be written yet'))
  return {
    record(passport, reader, now) {
      state.isTouched = true
      if (settings.isFresh(now) && !isCounted(settings.get(passport.account_id), passport.category)) return
      if (!state.sightings.add(passport, reader, now)) drop(state, 1)
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

/** Who calls while one is under way shares the next one, which sees all that was noted before the call. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = (): Promise<void> => {
    next = undefined
    const mine = run().finally(() => {
      if (current === mine) current = undefined
    })
    current = mine
    return mine
  }
  return () => {
    if (current === undefined) return start()
    next ??= current.then(start, start)
    return next
  }
}

async function flushOnce(state: RecorderState): Promise<void> {
  const today = dayOf(state.setup.clock.now())
  state.tools.salts.forgetBefore(today - 1)
  state.tools.readerLimit.startDay(today)
  if (!state.isTouched && !hasWork(state)) return
  state.isTouched = false
  try {
    await prepare(state, today)
    await derive(state)
    await writeAll(state)
  } catch (error) {
    state.isTouched = true
    throw error
  }
}

/** What turning a sighting into numbers needs. Without the database it goes on with what is known, if that is enough. */
async function prepare({ tools, setup, sightings }: RecorderState, today: number): Promise<void> {
  const complaint = await tools.countries.refresh()
  if (complaint !== undefined) setup.log.warn({ reason: complaint }, 'the country file is not used')
  const seen = new Set(Array.from(sightings.hours(), hour => Math.floor(hour / HOURS_PER_DAY)))
  const soon = dayOf(setup.clock.now().getTime() + SALT_AHEAD_MS)
  try {
    await tools.settings.refresh(setup.clock.now())
    await tools.salts.prepare([...seen, today - 1, today, soon])
  } catch (error) {
    const isEnough = tools.settings.isLoaded() && [...seen].every(tools.salts.has)
    if (!isEnough || explainDatabaseError(error)?.code !== 'unavailable') throw error
  }
}

async function derive(state: RecorderState): Promise<void> {
  const all = state.sightings.take()
  const ofOwnPeople = await findOwnPeople(state, all)
  for (const [i, sighting] of all.entries()) {
    if (i % SCANS_PER_TURN === SCANS_PER_TURN - 1) await nextTurn()
    if (ofOwnPeople.has(sighting) || !addOne(state, sighting)) continue
    // The database works on the first while the next are made; what it refuses is met again in `writeAll`.
    for (const lane of state.lanes) runWorker(state, lane).catch(() => undefined)
  }
}

/** True when that has made a batch full. */
function addOne(state: RecorderState, sighting: PendingScan): boolean {
  const isFull = countBatchRows(state.open) >= BATCH_ROWS
  if (isFull && state.queue.length >= MAX_QUEUED_BATCHES) {
    drop(state, sighting.times)
    return false
  }
  if (isFull) {
    state.queue.push(state.open)
    state.open = createScanBatch()
  }
  countScan(state.open, sighting, state.tools)
  return isFull
}

/** Those by somebody signed in to the passport's account. Whom the database does not tell of now is not counted. */
async function findOwnPeople(state: RecorderState, all: readonly PendingScan[]): Promise<Set<PendingScan>> {
  const signedIn = all.filter(({ reader }) => reader.sessionToken !== undefined)
  if (signedIn.length === 0) return new Set()
  const looks = signedIn.map(({ passport, reader }) => ({
    token: reader.sessionToken ?? '',
    accountId: passport.account_id,
  }))
  try {
    const own = await areMembers(state.setup, looks)
    return new Set(signedIn.filter((_, i) => own[i]))
  } catch (error) {
    warn(state, { reason: messageOf(error) }, 'who is signed in could not be looked up')
    for (const { times } of signedIn) state.dropped += times
    return new Set(signedIn)
  }
}

async function writeAll(state: RecorderState): Promise<void> {
  if (countBatchRows(state.open) > 0) {
    state.queue.push(state.open)
    state.open = createScanBatch()
  }
  while (hasWork(state)) {
    const outcomes = await Promise.allSettled(state.lanes.map(lane => runWorker(state, lane)))
    const refused = outcomes.find(outcome => outcome.status === 'rejected')
    if (refused !== undefined) throw refused.reason
  }
}

/** Is over when nothing waits any more; the batch that the database does not take is kept, with its number. */
function runWorker(state: RecorderState, lane: BatchWorker): Promise<void> {
  lane.running ??= writeQueued(state, lane).finally(() => {
    lane.running = undefined
  })
  return lane.running
}

async function writeQueued(state: RecorderState, lane: BatchWorker): Promise<void> {
  for (;;) {
    if (lane.held === undefined) {
      lane.held = state.queue.shift()
      if (lane.held === undefined) return
      lane.held.number = ++lane.batches
    }
    await writeOne(state, lane.writer, lane.held)
    lane.held = undefined
  }
}

const hasWork = ({ queue, lanes }: RecorderState) =>
  queue.length > 0 || lanes.some(lane => lane.held !== undefined)

/** What the database refuses whenever it is asked; everything else may be over in a second. */
const isPermanent = (error: unknown) => /^(22|23|42)/.test(sqlState(error) ?? '')

/** A batch that the database refuses for good would stand in the way of all others: it is given up, and told. */
async function writeOne(state: RecorderState, writer: BatchContext, batch: ScanBatch): Promise<void> {
  try {
    await withTimeout(withRetries(() => writeBatch(writer, batch)))
  } catch (error) {
    if (!isPermanent(error)) throw error
    state.setup.log.error({ scans: batch.scans, reason: messageOf(error) }, 'scans could not be written')
    state.dropped += batch.scans
  }
}

/** A connection that dies at a bad moment may leave its statements without any answer; the batch's number keeps the next try from doubling it. */
async function withTimeout(work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(databaseUnavailable()), WRITE_TIMEOUT_MS)
  try {
    await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

function drop(state: RecorderState, scans: number): void {
  state.dropped += scans
  warn(state, { scans: state.dropped }, 'scans are dropped: more came than the database takes')
}

/** One line a minute at most. */
function warn(state: RecorderState, words: object, sentence: string): void {
  const now = state.setup.clock.now().getTime()
  if (Math.abs(now - state.complainedAt) < WARNING_INTERVAL_MS) return
  state.complainedAt = now
  state.setup.log.warn(words, sentence)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
