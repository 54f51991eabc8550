import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { createPendingScans } from '../../src/scans/pending-scans.ts'
import { createReaderLimit, MAX_READERS_PER_NETWORK } from '../../src/scans/reader-limit.ts'

const PASSPORT = {
  id: '01890a5d-ac96-774b-bcce-000000000001',
  account_id: 1,
  category: 'textile',
  level: 'm',
  model_id: '01890a5d-ac96-774b-bcce-000000000001',
  parent_id: null,
} as const
const newVisitor = () => randomBytes(16).toString('hex')

describe('createReaderLimit', () => {
  test('limits the readers of a network and passport, however many others there are', () => {
    const cap = createReaderLimit()
    const admits = (address: string, readerHash: string) => cap.admits(1, PASSPORT.id, address, readerHash)
    const first = newVisitor()
    assert.ok(admits('203.0.113.1', first))
    for (let n = 0; n < 100_000; n++) {
      assert.ok(admits(`2001:db8:${(n >> 8).toString(16)}:${((n & 255) << 8).toString(16)}::1`, newVisitor()))
    }
    for (let n = 1; n < MAX_READERS_PER_NETWORK; n++) assert.ok(admits('203.0.113.1', newVisitor()))
    for (let n = 0; n < 1_000; n++) assert.ok(!admits('203.0.113.1', newVisitor()))
    assert.ok(admits('203.0.113.1', first))
  })

  test('starts at zero for another passport and another day', () => {
    const cap = createReaderLimit()
    const fill = (day: number, passport: string) => {
      for (let n = 0; n < MAX_READERS_PER_NETWORK; n++) {
        assert.ok(cap.admits(day, passport, '203.0.113.1', newVisitor()))
      }
      assert.ok(!cap.admits(day, passport, '203.0.113.1', newVisitor()))
    }
    cap.startDay(1)
    fill(1, 'a')
    fill(1, 'b')
    fill(2, 'a')
    cap.startDay(1)
    assert.ok(!cap.admits(1, 'a', '203.0.113.1', newVisitor()))
    cap.startDay(2)
    fill(2, 'a')
  })
})

describe('pending scans', () => {
  test('store a bounded number of bytes of user agents', () => {
    const sightings = createPendingScans()
    let taken = 0
    for (let n = 0; n < 30_000; n++) {
      const userAgent = `${n}`.padEnd(5_000, 'x')
      if (sightings.add(PASSPORT, { address: '203.0.113.1', userAgent }, new Date(0))) taken++
    }
    assert.equal(taken, Math.floor(10_000_000 / 512))
    sightings.take()
    assert.ok(sightings.add(PASSPORT, { address: '203.0.113.1', userAgent: 'new' }, new Date(0)))
  })

  test('store only the columns of the passport that counting needs', () => {
    const sightings = createPendingScans()
    const row = { ...PASSPORT, data: 'x'.repeat(100_000) }
    sightings.add(row, { address: '203.0.113.1', userAgent: 'x' }, new Date(0))
    assert.deepEqual(sightings.take()[0]?.passport, { ...PASSPORT, shard: null })
  })
})
