/** Tests queues by key: one after another under a key, all keys at once, and nobody waits for who has left. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as waitForTurn } from 'node:timers/promises'
import { KeyedQueue } from '../../src/kernel/concurrency/keyed-queue.ts'

/** A queue, and work that ends when it is told to. */
function createWork() {
  const queue = new KeyedQueue()
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<string>(resolve => ends.set(name, () => resolve(name)))
  }
  return {
    queue,
    begun,
    work,
    /** The next work has begun when this returns: no timer is involved. */
    async end(name: string) {
      ends.get(name)?.()
      await waitForTurn()
    },
  }
}

test('work of one key runs in its order, work of others beside it', async () => {
  const { queue, begun, work, end } = createWork()
  const all = [
    queue.run('a', work('a1')),
    queue.run('a', work('a2')),
    queue.run('b', work('b1')),
    queue.run('a', work('a3')),
  ]
  await waitForTurn()
  assert.deepEqual(begun, ['a1', 'b1'])
  await end('a1')
  assert.deepEqual(begun, ['a1', 'b1', 'a2'])
  await end('a2')
  for (const name of ['a3', 'b1']) await end(name)
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'b1', 'a3'])
})

test('work that fails lets the next one begin', async () => {
  const { queue } = createWork()
  const failed = queue.run('a', () => Promise.reject(new Error('on purpose')))
  const next = queue.run('a', async () => 'next')
  await assert.rejects(failed, /on purpose/)
  assert.equal(await next, 'next')
})

test('a key whose work has ended is free at once', async () => {
  const { queue } = createWork()
  for (let round = 0; round < 3; round++) {
    await queue.run('a', async () => undefined)
    // Who has to wait at all gives up.
    assert.equal(await queue.runWithin('a', 1, async waited => waited), false)
  }
})

test('who waits too long leaves the queue, and those behind move up', async () => {
  const { queue, begun, work, end } = createWork()
  const first = queue.run('a', work('first'))
  const tired = queue.runWithin('a', 1, work('tired'))
  const next = queue.run('a', work('next'))
  assert.equal(await tired, undefined)
  await end('first')
  assert.deepEqual(begun, ['first', 'next'])
  await end('next')
  assert.deepEqual(await Promise.all([first, next]), ['first', 'next'])
})
