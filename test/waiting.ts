/** Waits and bounds for tests on a machine of any speed, under any load. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../src/kernel/db/database.ts'

/** Only what never happens takes as long: waits end as soon as their condition holds. */
export const HANG_MS = 300_000
/** A limit of tests that might hang: longer than they take on the busiest machine, shorter than their file may. */
export const STUCK_MS = 1_500_000
const CHECK_MS = 20
/** CPU time of one measurement of the load. */
const SAMPLE_MS = 20
/** How much of the wait for a busy machine counts, as more than one process may wait in turn. */
const LOAD_WEIGHT = 3

/** Waits until `isSo` holds. `explain` adds to the error of a wait without end. */
export async function waitUntil(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { everyMs = CHECK_MS, explain = () => '' }: { everyMs?: number; explain?: () => string } = {},
): Promise<void> {
  const end = performance.now() + HANG_MS
  while (!(await isSo())) {
    assert.ok(performance.now() < end, `it never happened: ${what} ${explain()}`)
    await pause(everyMs)
  }
}

/** Waits until so many sessions of the database wait for locks. */
export const waitForLocks = (sql: Sql, count: number): Promise<void> =>
  waitUntil(`${count} wait for a lock`, async () => {
    const waiting = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length === count
  })

/**
 * Does `work` and asserts that it takes at most `ms` on an idle machine. On a busy one the bound grows by the
 * factor that computing itself takes longer: measured before and after, and estimated during the work, as the load
 * may come and go. Returns the result.
 */
export async function assertWithin<T>(ms: number, work: () => T | Promise<T>): Promise<T> {
  const before = measureLoad()
  const { readLoad, stop } = watchLoad()
  const began = performance.now()
  try {
    const result = await work()
    const took = performance.now() - began
    const measured = Math.max(before, measureLoad())
    const estimated = readLoad()
    const bound = ms * Math.max(1 + LOAD_WEIGHT * (measured - 1), estimated)
    const loads = `a load of ${measured.toFixed(1)} at its ends, ${estimated.toFixed(1)} between`
    assert.ok(took < bound, `${took.toFixed()} ms, at most ${bound.toFixed()} with ${loads}`)
    return result
  } finally {
    stop()
  }
}

/** Milliseconds that pass while this process computes for one; 1 on an idle machine. */
function measureLoad(): number {
  const began = performance.now()
  const { user, system } = process.cpuUsage()
  const usedMs = () => {
    const used = process.cpuUsage({ user, system })
    return (used.user + used.system) / 1_000
  }
  while (usedMs() < SAMPLE_MS);
  return Math.max(1, (performance.now() - began) / usedMs())
}

const LOAD_FILE = '/proc/loadavg'
const LOAD_SAMPLE_MS = 50

/**
 * Processes that compute or wait for a core, for each core: the mean since the call. The work's own count, too, so
 * this weighs less than what is measured. 1 where Linux does not tell.
 */
function watchLoad() {
  const samples: number[] = []
  const sample = () => {
    const [, running] = / (\d+)\/\d+ /.exec(readFileSync(LOAD_FILE, 'latin1')) ?? []
    samples.push(Number(running) / availableParallelism())
  }
  const timer = existsSync(LOAD_FILE) ? setInterval(sample, LOAD_SAMPLE_MS) : undefined
  timer?.unref()
  return {
    readLoad: () => Math.max(1, samples.reduce((sum, one) => sum + one, 0) / Math.max(1, samples.length)),
    stop: () => clearInterval(timer),
  }
}
