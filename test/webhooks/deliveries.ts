/** The setup for tests of what one worker sends to one receiver. */
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { DeliveryWorker } from '../../src/worker/deliver.ts'
import { type Received, type Receiver, type Stand, startReceiver, startStand } from './stand.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

export type Deliveries = {
  stand: Stand
  receiver: Receiver
  worker: DeliveryWorker
  /** After each test: nothing is due, the receiver has nothing and accepts everything, and the clock runs. */
  reset: () => Promise<void>
  close: () => Promise<void>
}

export async function startDeliveries(): Promise<Deliveries> {
  const stand = await startStand()
  const receiver = await startReceiver()
  const accept = receiver.respond
  return {
    stand,
    receiver,
    worker: stand.worker(),
    async reset() {
      stand.clock.release()
      await stand.sql`delete from webhook_delivery`
      receiver.received.length = 0
      receiver.respond = accept
    },
    async close() {
      await receiver.close()
      await stand.close()
    },
  }
}

/** Throws if the standard signature of a request is not by this secret. */
export function verifies(secret: string, { text, headers }: Received): true {
  new Webhook(secret).verify(text, headers)
  return true
}

export const serviceSignature = (secret: string, { text }: Received) =>
  `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
