/** Actors: numbered in their account, also when two of it are made at once. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createActor } from '../../src/accounts/account/actors.ts'
import { inTransaction } from '../../src/kernel/db/transaction.ts'
import { skipOnCitus } from '../citus/skip.ts'
import { type Harness, startHarness } from '../harness.ts'

let t: Harness
before(async () => {
  t = await startHarness()
})
after(() => t.close())

const actor = (accountId: number, label: string) => ({ accountId, kind: 'service', label }) as const

describe('createActor', () => {
  test('numbers the actors of each account after its last one', async () => {
    const [one, other] = [await t.account(), await t.account()]
    const last = one.ctx.actorId
    assert.ok(await createActor(t, actor(other.id, 'Other')))
    const [key] = await t.sql<{ id: number }[]>`select max(id) as id from actor where account_id = ${one.id}`
    assert.ok(key && key.id >= last)
    assert.equal(await createActor(t, actor(one.id, 'A')), key.id + 1)
    assert.equal(await createActor(t, actor(one.id, 'B')), key.id + 2)
  })

  test('two at once get two numbers', { skip: skipOnCitus('lock') }, async () => {
    const { id } = await t.account()
    const first = Promise.withResolvers<number>()
    const open = Promise.withResolvers<void>()
    const making = inTransaction(t.sql, async sql => {
      first.resolve(await createActor({ ...t, sql }, actor(id, 'First')))
      await open.promise
    })
    const taken = await first.promise
    const second = createActor(t, actor(id, 'Second'))
    await waitForLock()
    open.resolve()
    await making
    assert.equal(await second, taken + 1)
  })

  test('a number whose transaction was undone is given again', async () => {
    const { id } = await t.account()
    let undone = 0
    const failing = inTransaction(t.sql, async sql => {
      undone = await createActor({ ...t, sql }, actor(id, 'Undone'))
      throw new Error('on purpose')
    })
    await assert.rejects(failing, /on purpose/)
    assert.equal(await createActor(t, actor(id, 'Kept')), undone)
  })
})

async function waitForLock(): Promise<void> {
  for (;;) {
    const waiting = await t.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (waiting.length > 0) return
  }
}
