/** A worker in its own process, as with ROLE=worker. Prints 0 once it is running. */

import { createSecretCipher } from '../src/kernel/crypto/secret-cipher.ts'
import { type DatabaseTarget, openPool } from '../src/kernel/db/database.ts'
import { createLog } from '../src/kernel/errors/log.ts'
import { createAddressList } from '../src/kernel/http/ip-ranges.ts'
import { openOutbound } from '../src/kernel/http-out/outbound-http.ts'
import { systemClock } from '../src/kernel/values/clock.ts'
import { DeliveryWorker } from '../src/worker/deliver.ts'

const { target, secretKey } = JSON.parse(process.argv[2] ?? '{}') as {
  target: DatabaseTarget
  secretKey: string
}
const deliveries = new DeliveryWorker({
  sql: openPool(target, { max: 3, forQueue: true }),
  clock: systemClock,
  log: createLog({ logLevel: 'warn', logFormat: 'json' }),
  secretCipher: createSecretCipher(secretKey),
  outbound: openOutbound({ allowInsecureLoopback: true, allowed: createAddressList([]) }),
})
deliveries.start()
console.log(0)
