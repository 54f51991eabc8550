/**
 * The setup for console tests in a browser: the whole server at a real address, a worker, and people who sign
 * in.
 */
import { createServer } from 'node:net'
import { createPerson, type Role } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { openOutbound } from '../../src/kernel/http-out/outbound-http.ts'
import { openMailer } from '../../src/kernel/http-out/smtp.ts'
import { DeliveryWorker } from '../../src/worker/deliver.ts'
import { endPools, getTestShard } from '../database.ts'
import { type Harness, startHarness, type TestAccount } from '../harness.ts'
import { type ReceivedLetter, startMailReceiver } from '../mail-receiver.ts'

export const PASSWORD = 'eleven herons over the lake'

export type WholeStand = {
  harness: Harness
  origin: string
  /** Delivers only when `drain` is called. */
  worker: DeliveryWorker
  person: (account: TestAccount, role: Role) => Promise<{ email: string; password: string }>
  /** The e-mails since the last call; waits for those being sent. */
  letters: () => Promise<ReceivedLetter[]>
  close: () => Promise<void>
}

let people = 0

export async function startWholeStand(): Promise<WholeStand> {
  const harness = await startHarness()
  const { clock, setup } = harness
  const port = await freePort()
  // Plain http, like `npm run demo`: with https, browsers would require TLS for the cookie.
  const origin = `http://localhost:${port}`
  const receiver = await startMailReceiver()
  const mail = openMailer(receiver.server, setup.log, [])
  const app = createApp({ ...setup, mail, addresses: { publicUrl: origin, apiUrl: `${origin}/api/v1` } })
  await app.listen({ port, host: 'localhost' })
  const queue = await harness.openPools({ max: 3, forQueue: true, name: 'test queue' })
  const { log, secretCipher, outbound } = setup
  const worker = new DeliveryWorker({
    sql: getTestShard(queue),
    clock,
    log,
    secretCipher,
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
    async letters() {
      await mail.settled()
      return receiver.take()
    },
    async close() {
      await worker.stop()
      await app.close()
      await mail.settled()
      await receiver.close()
      await endPools(queue)
      await harness.close()
    },
  }
}

/** A port that was free a moment ago: a server must know its address before it is created. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>(resolve => probe.listen(0, 'localhost', resolve))
  const address = probe.address()
  await new Promise(resolve => probe.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
