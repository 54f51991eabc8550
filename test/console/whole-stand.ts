/** What a test of the console in a browser stands on: the whole server at a real address, a worker, and people who sign in. */
import { createPerson, type Role } from '../../src/accounts/people.ts'
import { setPassword } from '../../src/accounts/set-password.ts'
import { createApp } from '../../src/app.ts'
import { openPool } from '../../src/kernel/db.ts'
import { openOutbound } from '../../src/kernel/outbound-http.ts'
import { Deliveries } from '../../src/worker/deliver.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'

const PASSWORD = 'eleven herons over the lake'

export type WholeStand = {
  harness: Harness
  origin: string
  /** Does something only when it is told to: `drain`. */
  worker: Deliveries
  person: (account: TestAccount, role: Role) => Promise<{ email: string; password: string }>
  close: () => Promise<void>
}

let people = 0

export async function startWholeStand(): Promise<WholeStand> {
  const harness = await startHarness()
  const { clock, setup } = harness
  // By plain http, as `npm run demo` has it: else browsers would want TLS for the cookie.
  const addresses = { publicUrl: 'http://localhost', apiUrl: 'http://localhost/api/v1' }
  const app = createApp({ ...setup, addresses })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const queue = openPool(harness.target, { max: 3, forQueue: true, name: 'test queue' })
  const { log, sealer, outbound } = setup
  const worker = new Deliveries({
    sql: queue,
    clock,
    log,
    sealer,
    outbound: openOutbound(outbound.policy),
  })
  return {
    harness,
    origin,
    worker,
    async person(account, role) {
      const email = `whole-${role}${++people}@testmarke.example`
      const { token } = await createPerson(harness, { accountId: account.id, email, role })
      await setPassword(harness, { token, password: PASSWORD })
      return { email, password: PASSWORD }
    },
    async close() {
      await worker.stop()
      await app.close()
      await queue.end({ timeout: 5 })
      await harness.close()
    },
  }
}
