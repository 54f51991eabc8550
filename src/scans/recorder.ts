/**
 * Counts scans beside the answers: a note costs a look-up in memory, everything else happens once a second, and a
 * database that stalls or is away costs counts, never a reader's time.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { areMembers } from '../accounts/people/membership-check.ts'
import type { Clock } from '../kernel/clock.ts'
import { findMeaning, retrying, type Sql, sqlState, unavailable } from '../kernel/db.ts'
import type { Log } from '../kernel/log.ts'
import { type Batch, newBatch, type Scanned, weightOf } from './batch.ts'
import { addSighting, type Reader, type Sighting, type Tools } from './count-scan.ts'
import { createCountries } from './country.ts'
import { dayOf, HOURS_A_DAY } from './day.ts'
import { createSightings } from './pending-scans.ts'
import { createReaderCap } from './reader-limit.ts'
import { createSalts } from './salts.ts'
import { createSettingsMirror, isCounted } from './settings.ts'
import { type Writer, writeBatch } from './write-batch.ts'

const FLUSH_EVERY_MS = 1_000
/**
 * Rows of one transaction: some 50 ms of the database's work, which holds its locks for as long. A passport's readers
 * come together, so that a row is seldom written by two batches.
 */
const BATCH_WEIGHT = 6_000
/** Batches written at the same time: what one machine's database gains by more is little. */
const LANES = 2
/** Full batches that wait for a database that is away: some 60 MB. */
const MOST_QUEUED = 50
/** Sightings turned into numbers before requests get their turn: 4 ms. */
const AT_A_TIME = 500
/** The next day's salt is there before the day is. */
const SALT_AHEAD_MS = 60_000
/** Longer than any statement may take. */
const WRITE_WITHIN_MS = 15_000
const COMPLAIN_EVERY_MS = 60_000

export type ScanRecorder = {
  /** Counts one look at a page, soon. Returns at once and throws nothing. */
  note: (passport: Scanned, reader: Reader, now: Date) => void
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
type Lane = {
  writer: Writer
  batches: number
  /** Being written, or to be tried again: its outcome may be unknown. */
  held: Batch | undefined
  running: Promise<void> | undefined
}

type State = {
  setup: ScanSetup
  lanes: readonly Lane[]
  tools: Tools
  sightings: ReturnType<typeof createSightings>
  open: Batch
  /** Full ones: never added to. */
  queue: Batch[]
  /** Something was noted since the settings were last read. */
  isTouched: boolean
  dropped: number
  complainedAt: number
}

export function createScanRecorder(setup: ScanSetup): ScanRecorder {
  const settings = createSettingsMirror(setup.sql)
  const tools = {
    settings,
    salts: createSalts(setup.sql),
    countries: createCountries(setup.geoMmdbPath),
    readerCap: createReaderCap(),
  }
  const state: State = {
    setup,
    lanes: Array.from({ length: LANES }, () => ({
      writer: { sql: setup.sql, clock: setup.clock, id: randomUUID(), settings },
      batches: 0,
      held: undefined,
      running: undefined,
    })),
    tools,
    sightings: createSightings(),
    open: newBatch(),
    queue: [],
    isTouched: false,
    dropped: 0,
    complainedAt: Number.NEGATIVE_INFINITY,
  }
  const flush = oneAtATime(() => flushOnce(state))
  let timer: NodeJS.Timeout | undefined
  const tick = () =>
    flush().catch(error => complain(state, { reason: messageOf(error) }, 'scans could not be written yet'))
  return {
    note(passport, reader, now) {
      state.isTouched = true
      if (settings.isFresh(now) && !isCounted(settings.of(passport.account_id), passport.category)) return
      if (!state.sightings.add(passport, reader, now)) drop(state, 1)
    },
    flush,
    start() {
      timer ??= setInterval(tick, FLUSH_EVERY_MS)
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

async function flushOnce(state: State): Promise<void> {
  const today = dayOf(state.setup.clock.now())
  state.tools.salts.forgetBefore(today - 1)
  state.tools.readerCap.startDay(today)
  if (!state.isTouched && !isWaiting(state)) return
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
async function prepare({ tools, setup, sightings }: State, today: number): Promise<void> {
  const complaint = await tools.countries.refresh()
  if (complaint !== undefined) setup.log.warn({ reason: complaint }, 'the country file is not used')
  const seen = new Set(Array.from(sightings.hours(), hour => Math.floor(hour / HOURS_A_DAY)))
  const soon = dayOf(setup.clock.now().getTime() + SALT_AHEAD_MS)
  try {
    await tools.settings.refresh(setup.clock.now())
    await tools.salts.prepare([...seen, today - 1, today, soon])
  } catch (error) {
    const isEnough = tools.settings.isLoaded() && [...seen].every(tools.salts.has)
    if (!isEnough || findMeaning(error)?.code !== 'unavailable') throw error
  }
}

async function derive(state: State): Promise<void> {
  const all = state.sightings.take()
  const ofOwnPeople = await findOwnPeople(state, all)
  for (const [i, sighting] of all.entries()) {
    if (i % AT_A_TIME === AT_A_TIME - 1) await nextTurn()
    if (ofOwnPeople.has(sighting) || !addOne(state, sighting)) continue
    // The database works on the first while the next are made; what it refuses is met again in `writeAll`.
    for (const lane of state.lanes) run(state, lane).catch(() => undefined)
  }
}

/** True when that has made a batch full. */
function addOne(state: State, sighting: Sighting): boolean {
  const isFull = weightOf(state.open) >= BATCH_WEIGHT
  if (isFull && state.queue.length >= MOST_QUEUED) {
    drop(state, sighting.times)
    return false
  }
  if (isFull) {
    state.queue.push(state.open)
    state.open = newBatch()
  }
  addSighting(state.open, sighting, state.tools)
  return isFull
}

/** Those by somebody signed in to the passport's account. Whom the database does not tell of now is not counted. */
async function findOwnPeople(state: State, all: readonly Sighting[]): Promise<Set<Sighting>> {
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
    complain(state, { reason: messageOf(error) }, 'who is signed in could not be looked up')
    for (const { times } of signedIn) state.dropped += times
    return new Set(signedIn)
  }
}

async function writeAll(state: State): Promise<void> {
  if (weightOf(state.open) > 0) {
    state.queue.push(state.open)
    state.open = newBatch()
  }
  while (isWaiting(state)) {
    const outcomes = await Promise.allSettled(state.lanes.map(lane => run(state, lane)))
    const refused = outcomes.find(outcome => outcome.status === 'rejected')
    if (refused !== undefined) throw refused.reason
  }
}

/** Is over when nothing waits any more; the batch that the database does not take is kept, with its number. */
function run(state: State, lane: Lane): Promise<void> {
  lane.running ??= writeQueued(state, lane).finally(() => {
    lane.running = undefined
  })
  return lane.running
}

async function writeQueued(state: State, lane: Lane): Promise<void> {
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

const isWaiting = ({ queue, lanes }: State) => queue.length > 0 || lanes.some(lane => lane.held !== undefined)

/** What the database refuses whenever it is asked; everything else may be over in a second. */
const isForGood = (error: unknown) => /^(22|23|42)/.test(sqlState(error) ?? '')

/** A batch that the database refuses for good would stand in the way of all others: it is given up, and told. */
async function writeOne(state: State, writer: Writer, batch: Batch): Promise<void> {
  try {
    await inTime(retrying(() => writeBatch(writer, batch)))
  } catch (error) {
    if (!isForGood(error)) throw error
    state.setup.log.error({ scans: batch.scans, reason: messageOf(error) }, 'scans could not be written')
    state.dropped += batch.scans
  }
}

/** A connection that dies at a bad moment may leave its statements without any answer; the batch's number keeps the next try from doubling it. */
async function inTime(work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(unavailable()), WRITE_WITHIN_MS)
  try {
    await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

function drop(state: State, scans: number): void {
  state.dropped += scans
  complain(state, { scans: state.dropped }, 'scans are dropped: more came than the database takes')
}

/** One line a minute at most. */
function complain(state: State, words: object, sentence: string): void {
  const now = state.setup.clock.now().getTime()
  if (Math.abs(now - state.complainedAt) < COMPLAIN_EVERY_MS) return
  state.complainedAt = now
  state.setup.log.warn(words, sentence)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
