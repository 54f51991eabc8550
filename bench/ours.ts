/** Carnet as it is served, in a process of its own; prints its port. */

import { createApp } from '../src/app.ts'
import { addressList } from '../src/kernel/addresses.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { type DatabaseTarget, openPool } from '../src/kernel/db.ts'
import { createLog } from '../src/kernel/log.ts'
import { openOutbound } from '../src/kernel/outbound-http.ts'
import { createSealer } from '../src/kernel/sealing.ts'
import { openMail } from '../src/kernel/smtp.ts'
import { createScanRecorder } from '../src/scans/recorder.ts'

/** `counts: false`: a server that forgets every scan at once, to see what counting costs. */
const { target, counts = true } = JSON.parse(process.argv[2] ?? '{}') as {
  target: DatabaseTarget
  counts?: boolean
}
const sql = openPool(target)
const log = createLog({ logLevel: 'warn', logFormat: 'json' })
const scans = createScanRecorder({ sql, clock: systemClock, log, geoMmdbPath: undefined })
if (counts) scans.start()
const app = createApp({
  sql,
  openPoolOfOne: () => openPool(target, { max: 1 }),
  clock: systemClock,
  addresses: { publicUrl: 'http://localhost:3000', apiUrl: 'http://localhost:3000/api/v1' },
  nsUrl: 'http://localhost:3000/ns/dpp',
  secretKey: 'bench-bench-bench-bench-bench-bench',
  sealer: createSealer('bench-bench-bench-bench-bench-bench'),
  outbound: openOutbound({ allowInsecureLoopback: false, allowed: addressList([]) }),
  allowQueryApiKey: false,
  trustedProxies: [],
  version: 'bench',
  countryHeader: undefined,
  scans: counts ? scans : { ...scans, note: () => {} },
  log,
  mail: openMail(undefined, log),
  isReady: async () => true,
})
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
console.log(typeof address === 'object' && address ? address.port : 0)
