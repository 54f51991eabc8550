/** Carnet as it runs in production, in its own process. Prints the port. */

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/cli/server/app.ts'
import { createShardPools } from '../src/cli/store/shard-pools.ts'
import { createSecretCipher } from '../src/kernel/crypto/secret-cipher.ts'
import { type DatabaseTarget, openPool } from '../src/kernel/db/database.ts'
import { createLog } from '../src/kernel/errors/log.ts'
import { createAddressList } from '../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../src/kernel/http-out/outbound-http.ts'
import { openMailer } from '../src/kernel/http-out/smtp.ts'
import { createSecurityLog } from '../src/kernel/monitoring/security-events.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { openMediaServices } from '../src/media/upkeep/media-services.ts'
import { createScanRecorder } from '../src/scans/recorder.ts'

const {
  target,
  isDistributed = false,
  trustedProxies = [],
} = JSON.parse(process.argv[2] ?? '{}') as {
  target: DatabaseTarget
  isDistributed?: boolean
  trustedProxies?: string[]
}
const sql = openPool(target, { isDistributed })
const shardPools = createShardPools(target, openPool)
shardPools.openBeside(sql, { isDistributed })
await shardPools.update(sql, isDistributed)
const log = createLog({ logLevel: 'warn', logFormat: 'json' })
const scans = createScanRecorder({ sql, clock: systemClock, log, geoMmdbPath: undefined })
scans.start()
/**
 * SIGUSR2 switches between counting and discarding scans. Two processes would differ by more than counting
 * costs.
 */
let isCounting = true
process.on('SIGUSR2', () => {
  isCounting = !isCounting
})
const app = createApp({
  sql,
  openPoolOfOne: () => openPool(target, { max: 1 }),
  clock: systemClock,
  addresses: { publicUrl: 'http://localhost:3000', apiUrl: 'http://localhost:3000/api/v1' },
  nsUrl: 'http://localhost:3000/ns/dpp',
  signatureDays: 90,
  secretKey: 'bench-bench-bench-bench-bench-bench',
  security: createSecurityLog({ log, clock: systemClock }),
  secretCipher: createSecretCipher('bench-bench-bench-bench-bench-bench'),
  outbound: openOutbound({ allowInsecureLoopback: false, allowed: createAddressList([]) }),
  allowQueryApiKey: false,
  anyAccept: 'html',
  trustedProxies,
  version: 'bench',
  countryHeader: undefined,
  scans: {
    ...scans,
    record(...noted) {
      if (isCounting) scans.record(...noted)
    },
  },
  media: openMediaServices({ folder: join(tmpdir(), 'carnet-bench-media') }),
  log,
  mail: openMailer(undefined, log),
  findReadiness: async () => 'ready',
})
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
console.log(typeof address === 'object' && address ? address.port : 0)
