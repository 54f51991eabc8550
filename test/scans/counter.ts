/** A counting process of its own: notes its share of a plan, flushing now and then, and ends. */
import type { Clock } from '../../src/kernel/clock.ts'
import { openPool } from '../../src/kernel/db/database.ts'
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
const TRIES = 30

/** As the server does each second: what the database does not take now, it takes later. */
async function flush(): Promise<void> {
  for (let i = 1; ; i++) {
    try {
      return await recorder.flush()
    } catch (error) {
      if (i === TRIES) throw error
    }
  }
}

let noted = 0
for (const scan of scansOf(plan, part)) {
  now = new Date(scan.at)
  recorder.record(scan.passport, scan.reader, now)
  if (++noted % plan.flushEvery === 0) await flush()
}
await flush()
if (recorder.dropped() > 0) throw new Error(`${recorder.dropped()} scans were dropped`)
await sql.end()
