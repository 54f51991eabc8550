/** A separate counting process: records its share of a plan, with a flush now and then, and ends. */

import { createLog } from '../../src/kernel/errors/log.ts'
import type { Clock } from '../../src/kernel/values/clock.ts'
import { createScanRecorder } from '../../src/scans/recorder.ts'
import { endPools, openPools, type TestDatabase } from '../database.ts'
import { type Plan, scansOf } from './plan.ts'

const { database, plan, part } = JSON.parse(process.argv[2] ?? '') as {
  database: TestDatabase
  plan: Plan
  part: number
}
let now = new Date(plan.from)
const clock: Clock = { now: () => now }
const sql = await openPools(database)
const log = createLog({ logLevel: 'warn', logFormat: 'json' })
const recorder = createScanRecorder({ sql, clock, log, geoMmdbPath: undefined })
const TRIES = 30

/** Retries like the server does each second: what the database rejects now, it stores later. */
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
await endPools(sql)
