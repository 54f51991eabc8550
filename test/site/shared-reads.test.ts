/** Tests that readers of the same file share its bytes, and that all files together have a limit. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { createSharedReads } from '../../src/site/media/shared-reads.ts'

/** What is used of a response. */
const openResponse = (closed = false) =>
  Object.assign(new EventEmitter(), { closed }) as unknown as ServerResponse
const end = (response: ServerResponse) => response.emit('close')

function startReads(maxBytes: number) {
  const asked: string[] = []
  const reads = createSharedReads(async key => {
    asked.push(key)
    if (key === 'broken') throw new Error('the store is broken')
    return key === 'missing' ? undefined : Buffer.alloc(100)
  }, maxBytes)
  return { reads, asked }
}

describe('shared reads', () => {
  test('read a file once for all who are being sent it', async () => {
    const { reads, asked } = startReads(1_000)
    const responses = Array.from({ length: 50 }, () => openResponse())
    const all = await Promise.all(responses.map(response => reads.read('a', response)))
    assert.equal(new Set(all).size, 1)
    assert.deepEqual([asked, reads.usedBytes()], [['a'], 100])
    for (const response of responses) end(response)
    assert.equal(reads.usedBytes(), 0)
    await reads.read('a', openResponse())
    assert.deepEqual(asked, ['a', 'a'])
  })

  test('refuse other files beyond the limit, until one is sent', async () => {
    const { reads } = startReads(200)
    const [first, second] = [openResponse(), openResponse()]
    await reads.read('a', first)
    await reads.read('b', second)
    assert.throws(() => reads.read('c', openResponse()), { code: 'unavailable' })
    await reads.read('a', openResponse())
    end(second)
    assert.equal((await reads.read('c', openResponse()))?.length, 100)
  })

  test('count nothing for a reader who has left, a missing file and a store that fails', async () => {
    const { reads } = startReads(200)
    await reads.read('a', openResponse(true))
    const [missing, broken, late] = [openResponse(), openResponse(), openResponse()]
    assert.equal(await reads.read('missing', missing), undefined)
    await assert.rejects(reads.read('broken', broken), /the store is broken/)
    const reading = reads.read('b', late)
    for (const response of [missing, broken, late]) end(response)
    await reading
    assert.equal(reads.usedBytes(), 0)
  })
})
