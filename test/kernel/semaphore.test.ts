/** Tests who gets a permit: in order, within the capacity, the queue and the time, for each key and together. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { KeyedSemaphore, type Release, Semaphore } from '../../src/kernel/concurrency/semaphore.ts'

/** Who got a permit, in that order, and who was refused. */
type Journal = string[]

async function acquire(
  journal: Journal,
  name: string,
  permit: Promise<Release | undefined>,
): Promise<Release> {
  const release = await permit
  journal.push(release === undefined ? `${name}: none` : name)
  return release ?? (() => {})
}

describe('a semaphore', () => {
  test('lets nobody overtake one who waits, however little they need', async () => {
    const semaphore = new Semaphore({ capacity: 10 })
    const journal: Journal = []
    const first = semaphore.tryAcquire(6)
    assert.ok(first)
    const heavy = acquire(journal, 'heavy', semaphore.acquire(8))
    assert.equal(semaphore.tryAcquire(1), undefined)
    const light = acquire(journal, 'light', semaphore.acquire(1))
    const last = acquire(journal, 'last', semaphore.acquire(2))
    await turn()
    assert.deepEqual(journal, [])
    first()
    const release = await heavy
    await light
    assert.deepEqual(journal, ['heavy', 'light'])
    release()
    await last
    assert.deepEqual(journal, ['heavy', 'light', 'last'])
  })

  test('fills its capacity to the last permit, and gives one back only once', async () => {
    const semaphore = new Semaphore({ capacity: 3 })
    const [two, one] = [semaphore.tryAcquire(2), semaphore.tryAcquire(1)]
    assert.ok(two && one)
    assert.equal(semaphore.tryAcquire(), undefined)
    one()
    one()
    assert.ok(semaphore.tryAcquire())
    assert.equal(semaphore.tryAcquire(), undefined)
  })

  test('runs work heavier than the capacity alone', async () => {
    const semaphore = new Semaphore({ capacity: 3 })
    const journal: Journal = []
    const small = semaphore.tryAcquire(1)
    const huge = acquire(journal, 'huge', semaphore.acquire(5))
    const next = acquire(journal, 'next', semaphore.acquire(1))
    await turn()
    assert.deepEqual(journal, [])
    small?.()
    const release = await huge
    assert.deepEqual(journal, ['huge'])
    release()
    await next
    assert.deepEqual(journal, ['huge', 'next'])
  })

  test('refuses at once when too many wait, and one that waits too long, whose followers move up', async () => {
    const semaphore = new Semaphore({ capacity: 4, maxWaiting: 2, maxWaitMs: 30 })
    const journal: Journal = []
    const first = semaphore.tryAcquire(3)
    assert.ok(first)
    const heavy = acquire(journal, 'heavy', semaphore.acquire(4))
    const light = acquire(journal, 'light', semaphore.acquire(1))
    await acquire(journal, 'third', semaphore.acquire(1))
    assert.deepEqual(journal, ['third: none'])
    await Promise.all([heavy, light])
    // Both wait for as long: if the light one is admitted, it is when the heavy one gives up.
    assert.deepEqual(journal, ['third: none', 'heavy: none', 'light'])
    first()
    assert.ok(semaphore.tryAcquire(3))
  })

  test('gives the permit back if the work fails', async () => {
    const semaphore = new Semaphore({ capacity: 1, maxWaiting: 0 })
    await assert.rejects(
      semaphore.run(() => Promise.reject(new Error('failed'))),
      /failed/,
    )
    assert.equal(await semaphore.run(async () => semaphore.run(async () => 'inner')), undefined)
    assert.equal(await semaphore.run(async () => 'done'), 'done')
  })
})

describe('a semaphore with keys', () => {
  test('gives a key its share and no more, and others the rest', () => {
    const semaphore = new KeyedSemaphore<string>({ capacity: 3 }, { capacity: 2 })
    const first = semaphore.tryAcquire('a')
    assert.ok(first && semaphore.tryAcquire('a'))
    assert.equal(semaphore.tryAcquire('a'), undefined)
    assert.ok(semaphore.tryAcquire('b'))
    assert.equal(semaphore.tryAcquire('b'), undefined, 'all shared ones are taken')
    first()
    assert.ok(semaphore.tryAcquire('b'))
    assert.equal(semaphore.tryAcquire('b'), undefined, 'its share is not used up by what failed')
  })

  test('gives the permit of the key back if the shared one does not come', async () => {
    const semaphore = new KeyedSemaphore<string>(
      { capacity: 1, maxWaiting: 0 },
      { capacity: 1, maxWaiting: 0 },
    )
    const other = await semaphore.acquire('a')
    assert.ok(other)
    assert.equal(await semaphore.acquire('b'), undefined)
    other()
    assert.ok(await semaphore.acquire('b'))
  })
})
