import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { joinChunks } from '../../src/kernel/values/join-chunks.ts'

const MIB = 1024 ** 2
const makeChunks = (count: number, bytes: number) => Array.from({ length: count }, () => randomBytes(bytes))

describe('joinChunks', () => {
  for (const [count, bytes] of [
    [0, 0],
    [1, 1],
    [3, 1_000],
    [16, 65_536],
    [17, 65_536],
    [3, MIB + 1],
    [100, 65_521],
  ] as const) {
    test(`joins ${count} chunks of ${bytes} bytes`, async () => {
      const chunks = makeChunks(count, bytes)
      const joined = await joinChunks(chunks, count * bytes)
      assert.ok(joined.equals(Buffer.concat(chunks)))
    })
  }

  test('lets others work after each MiB', async () => {
    const chunks = makeChunks(160, 65_536)
    let turns = 0
    let isJoined = false
    const count = () => {
      turns++
      if (!isJoined) setImmediate(count)
    }
    setImmediate(count)
    await joinChunks(chunks, 10 * MIB)
    isJoined = true
    assert.ok(turns >= 9, `${turns} turns`)
  })
})
