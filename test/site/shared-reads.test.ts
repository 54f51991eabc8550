/** Tests that readers of the same file share its bytes, and that all files together have a limit. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { type ByteRange, formatRange, sliceRange } from '../../src/media/store/byte-range.ts'
import { createSharedReads } from '../../src/site/media/shared-reads.ts'

/** The used part of a response. */
const openResponse = (closed = false) =>
  Object.assign(new EventEmitter(), { closed }) as unknown as ServerResponse
const end = (response: ServerResponse) => response.emit('close')

function startReads(maxBytes: number, size = 100) {
  const asked: string[] = []
  const read = async (key: string) => {
    asked.push(key)
    if (key === 'broken') throw new Error('the store is broken')
    return key === 'missing' ? undefined : Buffer.alloc(size)
  }
  const readRange = async (key: string, range: ByteRange) => {
    asked.push(`${key} ${formatRange(range)}`)
    return key === 'missing' ? undefined : sliceRange(Buffer.alloc(size), range)
  }
  return { reads: createSharedReads({ read, readRange }, maxBytes), asked }
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

  test('read a short range alone, and share it with those who ask for the same', async () => {
    const { reads, asked } = startReads(200)
    const responses = [openResponse(), openResponse(), openResponse()] as const
    const parts = await Promise.all([
      reads.readRange('a', { from: 10, to: 29 }, responses[0]),
      reads.readRange('a', { from: 10, to: 29 }, responses[1]),
      reads.readRange('a', { last: 5 }, responses[2]),
    ])
    assert.deepEqual(
      parts.map(part => [part?.from, part?.bytes.length, part?.size]),
      [
        [10, 20, 100],
        [10, 20, 100],
        [95, 5, 100],
      ],
    )
    assert.deepEqual([asked, reads.usedBytes()], [['a 10-29', 'a -5'], 25])
    for (const response of responses) end(response)
    assert.equal(reads.usedBytes(), 0)
    assert.equal(await reads.readRange('missing', { last: 1 }, openResponse()), undefined)
  })

  test('cut a range from the whole file, if it is being sent or the range is long', async () => {
    const size = 3 * 1024 * 1024
    const { reads, asked } = startReads(10 * size, size)
    const responses = Array.from({ length: 20 }, () => openResponse())
    for (const [n, response] of responses.entries()) {
      const part = await reads.readRange('a', { from: n, to: n % 2 === 0 ? undefined : size - 1 }, response)
      assert.deepEqual([part?.from, part?.bytes.length, part?.size], [n, size - n, size])
    }
    await reads.readRange('a', { from: 0, to: 9 }, openResponse())
    assert.deepEqual([asked, reads.usedBytes()], [['a'], size])
  })

  test('refuse other ranges beyond the limit, until one is sent', async () => {
    const { reads } = startReads(100)
    const first = openResponse()
    await reads.readRange('a', { from: 0, to: 99 }, first)
    const second = () => reads.readRange('a', { from: 1, to: 2 }, openResponse())
    await assert.rejects(second, { code: 'unavailable' })
    end(first)
    assert.equal((await second())?.bytes.length, 2)
  })
})
