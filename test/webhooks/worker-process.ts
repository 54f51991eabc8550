/** A worker in its own process, to be killed: `node worker-process.ts DATABASE SECRET_KEY LEASE_MS`. */

import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { createLog } from '../../src/kernel/errors/log.ts'
import { createAddressList } from '../../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { DeliveryWorker } from '../../src/worker/deliver.ts'
import { getTestShard, openPools } from '../database.ts'

const [database = '', secretKey = '', leaseMs = ''] = process.argv.slice(2)
const deliveries = new DeliveryWorker({
  sql: getTestShard(await openPools(JSON.parse(database), { max: 3, forQueue: true })),
  clock: systemClock,
  log: createLog({ logLevel: 'warn', logFormat: 'json' }),
  secretCipher: createSecretCipher(secretKey),
  outbound: openOutbound({ allowInsecureLoopback: true, allowed: createAddressList([]) }),
  leaseMs: Number(leaseMs),
})
deliveries.start()
process.on('SIGTERM', () => {
  deliveries.stop().then(() => process.exit(0))
})
