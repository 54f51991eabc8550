/** Tests turns by key: who is next, who is rejected, and that other requests are served in between. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FairTurns } from '../../src/kernel/concurrency/fair-turns.ts'
import type { Release } from '../../src/kernel/concurrency/semaphore.ts'

/** Records the starts and rejections of turns. `release` ends the turn that has run for longest. */
function stand({ capacity = 1, maxWaiting = 512 } = {}) {
  const turns = new FairTurns({ capacity, maxWaiting })
  const started: string[] = []
  const rejected: string[] = []
  const releases: Release[] = []
  const enter = (name: string, maxOfKey?: number) =>
    turns.enter(
      name.slice(0, 1),
      {
        onTurn: release => {
          started.push(name)
          releases.push(release)
        },
        onRejected: () => rejected.push(name),
      },
      maxOfKey,
    )
  const release = async () => {
    releases.shift()?.()
    await turn()
  }
  return { enter, release, started, rejected }
}

describe('FairTurns', () => {
  test('another key comes next, however many of the first key wait', async () => {
    const { enter, release, started, rejected } = stand()
    for (let n = 0; n < 40; n++) enter(`a${n}`, 32)
    assert.equal(rejected.length, 7)
    enter('b0', 32)
    await turn()
    assert.deepEqual(started, ['a0'])
    await release()
    assert.deepEqual(started, ['a0', 'b0'])
    await release()
    assert.deepEqual(started, ['a0', 'b0', 'a1'])
    assert.deepEqual(rejected, ['a33', 'a34', 'a35', 'a36', 'a37', 'a38', 'a39'])
  })

  test('keys take turns, each in its own order', async () => {
    const { enter, release, started } = stand()
    for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0']) enter(name)
    for (let n = 0; n < 6; n++) await release()
    assert.deepEqual(started, ['a0', 'b0', 'a1', 'c0', 'b1', 'a2'])
  })

  test('starts at most one per turn of the event loop, and never exceeds the concurrency limit', async () => {
    const { enter, release, started } = stand({ capacity: 2 })
    for (const name of ['a0', 'a1', 'a2', 'a3']) enter(name)
    assert.deepEqual(started, ['a0'])
    await turn()
    assert.deepEqual(started, ['a0', 'a1'])
    await turn()
    await turn()
    assert.deepEqual(started, ['a0', 'a1'])
    await release()
    assert.deepEqual(started, ['a0', 'a1', 'a2'])
  })

  test('a waiter that leaves is skipped and frees its place', async () => {
    const { enter, release, started, rejected } = stand()
    enter('a0')
    const leave = enter('a1', 2)
    enter('a2', 2)
    leave()
    leave()
    enter('a3', 2)
    await turn()
    await release()
    await release()
    assert.deepEqual(started, ['a0', 'a2', 'a3'])
    assert.deepEqual(rejected, [])
  })

  test('when the queue is full, the last waiter of the longest queue is rejected', () => {
    const { enter, started, rejected } = stand({ maxWaiting: 3 })
    for (const name of ['a0', 'a1', 'a2', 'a3', 'b0', 'c0', 'a4']) enter(name)
    assert.deepEqual(started, ['a0'])
    assert.deepEqual(rejected, ['a3', 'a2', 'a4'])
  })

  test('a group has at most its share, and its waiters count as one queue', async () => {
    const turns = new FairTurns({ capacity: 3, maxWaiting: 4 })
    const started: string[] = []
    const rejected: string[] = []
    const releases = new Map<string, Release>()
    const enter = (key: string, group: string) => {
      const onTurn = (release: Release) => {
        started.push(key)
        releases.set(key, release)
      }
      const groups = [{ name: group, max: 2, isStrict: true }]
      turns.enter(key, { groups, onTurn, onRejected: () => rejected.push(key) })
    }
    for (const key of ['a0', 'a1', 'a2', 'a3']) enter(key, 'a')
    for (let n = 0; n < 4; n++) await turn()
    assert.deepEqual(started, ['a0', 'a1'])
    enter('b0', 'b')
    await turn()
    assert.deepEqual(started, ['a0', 'a1', 'b0'])
    for (const key of ['b1', 'c0', 'd0']) enter(key, key.slice(0, 1))
    assert.deepEqual(rejected, ['a2'])
    releases.get('b0')?.()
    await turn()
    assert.deepEqual(started, ['a0', 'a1', 'b0', 'b1'])
    releases.get('a0')?.()
    await turn()
    assert.deepEqual(started.at(-1), 'a3')
  })

  test('a share that is not strict is enforced only while others wait', async () => {
    const turns = new FairTurns({ capacity: 3, maxWaiting: 9 })
    const started: string[] = []
    const releases: Release[] = []
    const enter = (key: string, group: string) => {
      const onTurn = (release: Release) => {
        started.push(key)
        releases.push(release)
      }
      turns.enter(key, { groups: [{ name: group, max: 2 }], onTurn, onRejected: () => assert.fail() })
    }
    for (const key of ['a0', 'a1', 'a2', 'a3', 'a4']) enter(key, 'a')
    for (let n = 0; n < 4; n++) await turn()
    assert.deepEqual(started, ['a0', 'a1', 'a2'])
    enter('b0', 'b')
    releases[0]?.()
    await turn()
    assert.deepEqual(started, ['a0', 'a1', 'a2', 'b0'])
    releases[1]?.()
    for (let n = 0; n < 2; n++) await turn()
    assert.deepEqual(started, ['a0', 'a1', 'a2', 'b0', 'a3'])
  })

  test('while several clients are active, a share holds although nobody else waits', async () => {
    let isAlone = false
    const turns = new FairTurns({ capacity: 3, maxWaiting: 9, isOneClientActive: () => isAlone })
    const started: string[] = []
    const releases: Release[] = []
    for (const key of ['a0', 'a1', 'a2', 'a3']) {
      const onTurn = (release: Release) => {
        started.push(key)
        releases.push(release)
      }
      turns.enter(key, { groups: [{ name: 'a', max: 1 }], onTurn, onRejected: () => assert.fail() })
    }
    for (let n = 0; n < 4; n++) await turn()
    assert.deepEqual(started, ['a0'])
    isAlone = true
    releases[0]?.()
    for (let n = 0; n < 4; n++) await turn()
    assert.deepEqual(started, ['a0', 'a1', 'a2', 'a3'])
  })

  test('a client pauses after a turn as long as the work took, also what came before the turn, if others are active', async () => {
    let isAlone = false
    const turns = new FairTurns({ capacity: 3, maxWaiting: 9, isOneClientActive: () => isAlone })
    const enter = (key: string, since?: number) => {
      const { promise, resolve } = Promise.withResolvers<Release>()
      const groups = [{ name: key, max: 1, pauses: true }]
      turns.enter(key, { groups, since, onTurn: resolve, onRejected: () => assert.fail() })
      return promise
    }
    const began = performance.now() - 60
    const first = await enter('a', began)
    const second = enter('a')
    const other = enter('b')
    first()
    const end = performance.now()
    ;(await other)()
    const release = await second
    // A timer may fire a millisecond early.
    assert.ok(performance.now() - end >= 59, 'the second turn began before the pause ended')
    const third = enter('a', performance.now() - 60_000)
    isAlone = true
    release()
    await turn()
    const isReady = await Promise.race([third.then(() => true), turn(false)])
    assert.equal(isReady, true)
  })

  test('a pause has a shortest time where one is given, if others are active', async () => {
    const turns = new FairTurns({ capacity: 3, maxWaiting: 9, isOneClientActive: () => false })
    const enter = () => {
      const { promise, resolve } = Promise.withResolvers<Release>()
      const groups = [{ name: 'a', max: 1, pauses: true, minPauseMs: 60 }]
      turns.enter('a', { groups, onTurn: resolve, onRejected: () => assert.fail() })
      return promise
    }
    const release = await enter()
    const next = enter()
    const end = performance.now()
    release()
    ;(await next)()
    // A timer may fire a millisecond early.
    assert.ok(performance.now() - end >= 59, 'the second turn began before the pause ended')
  })

  test('ending a turn twice ends it once', async () => {
    const turns = new FairTurns({ capacity: 1, maxWaiting: 3 })
    const ended: Release[] = []
    const under = { onTurn: (release: Release) => void ended.push(release), onRejected: () => assert.fail() }
    turns.enter('a', under)
    await turn()
    ended[0]?.()
    ended[0]?.()
    for (const key of ['a', 'b']) turns.enter(key, under)
    await turn()
    await turn()
    assert.equal(ended.length, 2)
  })
})
