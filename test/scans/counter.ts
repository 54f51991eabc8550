/** A counting process of its own: notes its share of a plan, flushing now and then, and ends. */
import type { Clock } from '../../src/kernel/clock.ts'
import { openPool } from '../../src/kernel/db.ts'
import { createLog } from '../../src/kernel/log.ts'
import { createScanRecorder } from '../../src/scans/recorder.ts'
import type { Target } from '../database.ts'
import { type Plan, scansOf } from './plan.ts'

const { target, plan, part } = JSON.parse(process.argv[2] ?? '') as {
  target: Target
  plan: Plan
  part: number
}
let now = new Date(plan.from)
const clock: Clock = { now: () => now }
const sql = openPool(target)
const log = createLog({ logLevel: 'warn', logFormat: 'json' })
const recorder = createScanRecorder({ sql, clock, log, geoMmdbPath: undefined })
let noted = 0
for (const scan of scansOf(plan, part)) {
  now = new Date(scan.at)
  recorder.note(scan.passport, scan.reader, now)
  if (++noted % plan.flushEvery === 0) await recorder.flush()
}
await recorder.flush()
if (recorder.dropped() > 0) throw new Error(`${recorder.dropped()} scans were dropped`)
await sql.end()
