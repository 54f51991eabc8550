/** Waits and bounds for tests on a machine of any speed, under any load. */
import assert from 'node:assert/strict'
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
 * factor that computing itself takes longer, measured before and after. Returns the result.
 */
export async function assertWithin<T>(ms: number, work: () => T | Promise<T>): Promise<T> {
  const before = measureLoad()
  const began = performance.now()
  const result = await work()
  const took = performance.now() - began
  const load = Math.max(before, measureLoad())
  const bound = ms * (1 + LOAD_WEIGHT * (load - 1))
  assert.ok(took < bound, `${took.toFixed()} ms, at most ${bound.toFixed()} at a load of ${load.toFixed(1)}`)
  return result
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
