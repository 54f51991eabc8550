/** A server in its own process on an existing database, with a folder for files if one is named. Prints its port. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/cli/server/app.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { openPool } from '../../src/kernel/db/database.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { openMailer } from '../../src/kernel/http-out/smtp.ts'
import { createSecurityLog } from '../../src/kernel/monitoring/security-events.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { openMediaServices } from '../../src/media/upkeep/media-services.ts'
import { createScanRecorder } from '../../src/scans/recorder.ts'
import { openPools, type TestDatabase } from '../database.ts'

const database = JSON.parse(process.argv[2] ?? '{}') as TestDatabase
const { target, isDistributed = false } = database
const sql = await openPools(database)
const log = createLog({ logLevel: 'warn', logFormat: 'json' })
const app = createApp({
  sql,
  openPoolOfOne: () => openPool(target, { max: 1, isDistributed }),
  clock: systemClock,
  addresses: { publicUrl: 'http://localhost:3000', apiUrl: 'http://localhost:3000/api/v1' },
  nsUrl: 'http://localhost:3000/ns/dpp',
  signatureDays: 90,
  secretKey: 'a secret key that only tests know, long enough',
  security: createSecurityLog({ log, clock: systemClock }),
  secretCipher: createSecretCipher('a secret key that only tests know, long enough'),
  outbound: openOutbound({ allowInsecureLoopback: false, allowed: createAddressList([]) }),
  allowQueryApiKey: false,
  anyAccept: 'html',
  trustedProxies: [],
  version: 'test',
  countryHeader: undefined,
  scans: createScanRecorder({ sql, clock: systemClock, log, geoMmdbPath: undefined }),
  media: openMediaServices({ folder: process.argv[3] ?? join(tmpdir(), 'carnet-test-media') }),
  log,
  mail: openMailer(undefined, log),
  findReadiness: async () => 'ready',
})
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
console.log(typeof address === 'object' && address ? address.port : 0)
