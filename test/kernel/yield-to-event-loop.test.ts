import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import {
  countShortRequest,
  waitForEventLoopTurn,
  yieldBetweenRows,
} from '../../src/kernel/concurrency/yield-to-event-loop.ts'

const WATCHED_MS = 150

/** How long an endless computation ran within the measured time. */
async function workForAWhile(): Promise<number> {
  const yieldIfDue = yieldBetweenRows()
  const endsAt = performance.now() + WATCHED_MS
  let workedMs = 0
  while (performance.now() < endsAt) {
    const began = performance.now()
    while (performance.now() - began < 0.2);
    workedMs += performance.now() - began
    await yieldIfDue()
  }
  return workedMs
}

const openResponse = () =>
  Object.assign(new EventEmitter(), { destroyed: false }) as unknown as ServerResponse

/** Keeps a short request in flight while `work` runs. */
async function besideShortRequests<T>(work: () => Promise<T>): Promise<T> {
  let response = openResponse()
  countShortRequest(response, performance.now())
  const requests = setInterval(() => {
    const next = openResponse()
    countShortRequest(next, performance.now())
    response.emit('close')
    response = next
  }, 10)
  try {
    return await work()
  } finally {
    clearInterval(requests)
    response.emit('close')
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

describe('yieldBetweenRows', () => {
  it('works nearly all the time when nobody else waits', async () => {
    assert.ok((await workForAWhile()) > WATCHED_MS / 3)
  })

  it('works a small part of the time while short requests are in flight', async () => {
    const workedMs = await besideShortRequests(workForAWhile)
    assert.ok(workedMs < WATCHED_MS / 3, `worked ${workedMs} ms of ${WATCHED_MS}`)
    assert.ok(workedMs > 0)
  })

  it('does not count what a row waited for', async () => {
    const waitedMs = await besideShortRequests(async () => {
      const yieldIfDue = yieldBetweenRows()
      await pause(400)
      const began = performance.now()
      await yieldIfDue()
      return performance.now() - began
    })
    assert.ok(waitedMs < 300, `waited ${waitedMs} ms`)
  })

  it('lets each of many computations continue after a tenth of a second', async () => {
    const waits = await besideShortRequests(() =>
      Promise.all(
        Array.from({ length: 60 }, async () => {
          const yieldIfDue = yieldBetweenRows()
          await pause(20)
          const began = performance.now()
          await yieldIfDue()
          return performance.now() - began
        }),
      ),
    )
    assert.ok(Math.max(...waits) < 400, `waited ${Math.max(...waits)} ms`)
  })

  it('does not wait for a response that is read slowly', async () => {
    const response = openResponse()
    countShortRequest(response, performance.now())
    await pause(120)
    assert.ok((await workForAWhile()) > WATCHED_MS / 3)
    response.emit('close')
  })

  it('counts a response that finishes and closes only once', async () => {
    const [first, second] = [openResponse(), openResponse()]
    countShortRequest(first, performance.now())
    countShortRequest(second, performance.now())
    first.emit('finish')
    first.emit('close')
    second.emit('finish')
    assert.ok((await workForAWhile()) > WATCHED_MS / 3)
  })
})

describe('waitForEventLoopTurn', () => {
  it('starts one waiter in each turn of the event loop, in order', async () => {
    const began: string[] = []
    const turns = ['a', 'b', 'c'].map(name => waitForEventLoopTurn().then(() => began.push(name)))
    setImmediate(() => setImmediate(() => began.push('between')))
    await Promise.all(turns)
    assert.deepEqual(
      began.filter(name => name !== 'between'),
      ['a', 'b', 'c'],
    )
    assert.ok(began.indexOf('between') < began.indexOf('c'), `began ${began.join(' ')}`)
  })
})
