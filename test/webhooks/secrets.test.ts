/** Tests the secrets that sign webhooks: rotation, encryption, and the end of old ones. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { deleteExpiredWebhookRows } from '../../src/webhooks/retention.ts'
import { activateSecret, reencryptSecrets, rotateSecret } from '../../src/webhooks/rotate-secret.ts'
import { createWebhookSecret, getSecretPlace } from '../../src/webhooks/secret.ts'
import type { DeliveryWorker } from '../../src/worker/deliver.ts'
import type { TestAccount } from '../harness.ts'
import { waitForLocks } from '../waiting.ts'
import { DAY, type Deliveries, serviceSignature, startDeliveries, verifies } from './deliveries.ts'
import { type Received, type Receiver, SECRET_KEY, type Stand } from './stand.ts'

let deliveries: Deliveries
let stand: Stand
let receiver: Receiver
let worker: DeliveryWorker
let account: TestAccount

before(async () => {
  deliveries = await startDeliveries()
  ;({ stand, receiver, worker } = deliveries)
})
afterEach(() => deliveries.reset())
after(() => deliveries.close())

async function endpoint() {
  account = await stand.account()
  return stand.endpoint(account, { url: receiver.url })
}

describe('secrets', () => {
  test('rotation: both sign the standard header for a day; the old one signs the documented header until the new one is activated', async () => {
    stand.clock.set(new Date())
    const { id, secret: old } = await endpoint()
    const { secret: fresh } = await rotateSecret(account.ctx, stand.setup, id)
    const next = async () => {
      await stand.announce(account)
      await worker.drain()
      const got = receiver.received.at(-1)
      assert.ok(got)
      return got
    }
    const during = await next()
    assert.equal(during.headers['webhook-signature']?.split(' ').length, 2)
    assert.ok(verifies(old, during) && verifies(fresh, during))
    assert.equal(during.headers['x-service-signature'], serviceSignature(old, during))

    await activateSecret(account.ctx, id)
    const activated = await next()
    assert.ok(verifies(old, activated) && verifies(fresh, activated))
    assert.equal(activated.headers['x-service-signature'], serviceSignature(fresh, activated))

    await rotateSecret(account.ctx, stand.setup, id)
    assert.equal(
      (await next()).headers['x-service-signature'],
      serviceSignature(fresh, receiver.received.at(-1) as Received),
    )
    // The library rejects signatures older than five minutes by its own clock, so this one is checked by
    // hand.
    stand.clock.advance(DAY)
    const over = await next()
    assert.equal(over.headers['webhook-signature']?.split(' ').length, 1)
    assert.notEqual(over.headers['x-service-signature'], serviceSignature(fresh, over))
  })

  test('the daily clean-up deletes an old secret after its 24 hours, and not before', async () => {
    stand.clock.set(new Date())
    const { id } = await endpoint()
    await rotateSecret(account.ctx, stand.setup, id)
    const hasOld = async () => {
      await deleteExpiredWebhookRows(stand)
      const [row] = await stand.sql<{ has: boolean }[]>`
        select old_secret is not null as has from webhook_endpoint where account_id = ${account.id}`
      return row?.has
    }
    assert.equal(await hasOld(), true)
    stand.clock.advance(DAY - 1)
    assert.equal(await hasOld(), true)
    stand.clock.advance(1)
    assert.equal(await hasOld(), false)
  })

  test('rotated twice: a secret that was never activated is dropped', async () => {
    const { id, secret: first } = await endpoint()
    await rotateSecret(account.ctx, stand.setup, id)
    const { secret: third } = await rotateSecret(account.ctx, stand.setup, id)
    await stand.announce(account)
    await worker.drain()
    const [got] = receiver.received
    assert.ok(got && verifies(first, got) && verifies(third, got))
    assert.equal(got.headers['x-service-signature'], serviceSignature(first, got))
  })

  test('rotated twice, the second time after the first old secret has expired: the first new one is the old one', async () => {
    stand.clock.set(new Date(Date.now() - DAY))
    const { id, secret: first } = await endpoint()
    const { secret: second } = await rotateSecret(account.ctx, stand.setup, id)
    stand.clock.advance(DAY)
    const { secret: third } = await rotateSecret(account.ctx, stand.setup, id)
    await stand.announce(account)
    await worker.drain()
    const [got] = receiver.received
    assert.ok(got && verifies(second, got) && verifies(third, got))
    assert.throws(() => verifies(first, got), /No matching signature/)
    assert.equal(got.headers['x-service-signature'], serviceSignature(second, got))
  })

  test('are encrypted, and encrypted again after a change of the key', async () => {
    const { id, secret } = await endpoint()
    await rotateSecret(account.ctx, stand.setup, id)
    const everything = async () => JSON.stringify(await stand.sql`select * from webhook_endpoint`)
    assert.ok(!(await everything()).includes(secret.slice(6)))
    const next = 'another key that only tests know, long enough too'
    await assert.rejects(
      reencryptSecrets(stand, createSecretCipher(next)),
      /neither SECRET_KEY nor OLD_SECRET_KEY can decrypt/,
    )
    const done = await reencryptSecrets(stand, createSecretCipher(next, [SECRET_KEY]))
    assert.ok(done.sealed_anew >= 1)
    assert.deepEqual((await reencryptSecrets(stand, createSecretCipher(next))).sealed_anew, 0)
    await stand.announce(account)
    // Encrypted with a key that this worker does not have: the worker sends nothing and loses nothing.
    await worker.drain()
    assert.equal(receiver.received.length, 0)
    await reencryptSecrets(stand, createSecretCipher(SECRET_KEY, [next]))
    await worker.drain()
    const [got] = receiver.received
    assert.ok(got && verifies(secret, got))
  })

  test('a secret that is rotated while all are encrypted again stays the new one', async () => {
    const { id } = await endpoint()
    const uuid = parseId(id) ?? ''
    const next = 'another key that only tests know, long enough too'
    const fresh = createWebhookSecret()
    const encrypted = stand.setup.secretCipher.encrypt(fresh, getSecretPlace(account.id, uuid))
    const { done } = await stand.sql.begin(async tx => {
      // As a rotation does it, before its transaction ends.
      await tx`update webhook_endpoint set secret = ${encrypted}, revision = revision + 1 where id = ${uuid}`
      const done = reencryptSecrets(stand, createSecretCipher(next, [SECRET_KEY]))
      done.catch(() => undefined)
      await waitForLocks(stand.sql, 1)
      return { done }
    })
    await done
    await reencryptSecrets(stand, createSecretCipher(SECRET_KEY, [next]))
    await stand.announce(account)
    await worker.drain()
    const [got] = receiver.received
    assert.ok(got && verifies(fresh, got))
  })
})
