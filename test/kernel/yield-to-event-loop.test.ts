import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { countShortRequest, takeTurn, yieldBetweenRows } from '../../src/kernel/yield-to-event-loop.ts'

const WATCHED_MS = 150

/** How long a computation that could go on for ever worked within the time watched. */
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

describe('yieldBetweenRows', () => {
  it('works nearly all the time when nobody else waits', async () => {
    assert.ok((await workForAWhile()) > WATCHED_MS / 3)
  })

  it('works a small part of the time while short requests are in flight', async () => {
    const responses: ServerResponse[] = []
    const requests = setInterval(() => {
      responses.at(-1)?.emit('close')
      const response = openResponse()
      responses.push(response)
      countShortRequest(response)
    }, 10)
    const workedMs = await workForAWhile()
    clearInterval(requests)
    responses.at(-1)?.emit('close')
    assert.ok(workedMs < WATCHED_MS / 3, `worked ${workedMs} ms of ${WATCHED_MS}`)
    assert.ok(workedMs > 0)
  })

  it('does not wait for a response that is read slowly', async () => {
    const response = openResponse()
    countShortRequest(response)
    await new Promise(resolve => setTimeout(resolve, 120))
    assert.ok((await workForAWhile()) > WATCHED_MS / 3)
    response.emit('close')
  })

  it('counts a response once that both finishes and closes', async () => {
    const [first, second] = [openResponse(), openResponse()]
    countShortRequest(first)
    countShortRequest(second)
    first.emit('finish')
    first.emit('close')
    second.emit('finish')
    assert.ok((await workForAWhile()) > WATCHED_MS / 3)
  })
})

describe('takeTurn', () => {
  it('begins one in each turn of the event loop, in order', async () => {
    const began: string[] = []
    const turns = ['a', 'b', 'c'].map(name => takeTurn().then(() => began.push(name)))
    setImmediate(() => setImmediate(() => began.push('between')))
    await Promise.all(turns)
    assert.deepEqual(
      began.filter(name => name !== 'between'),
      ['a', 'b', 'c'],
    )
    assert.ok(began.indexOf('between') < began.indexOf('c'), `began ${began.join(' ')}`)
  })
})
