import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { createPendingScans } from '../../src/scans/pending-scans.ts'
import {
  createReaderLimit,
  MAX_READERS_PER_NETWORK,
  MAX_READERS_PER_PROVIDER,
  type ReadPassport,
} from '../../src/scans/reader-limit.ts'

const PASSPORT = {
  id: '01890a5d-ac96-774b-bcce-000000000001',
  account_id: 1,
  category: 'textile',
  level: 'm',
  model_id: '01890a5d-ac96-774b-bcce-000000000001',
  parent_id: null,
} as const
const newVisitor = () => randomBytes(16).toString('hex')

const ITEM = { ...PASSPORT, level: 'i' } as const

describe('createReaderLimit', () => {
  const openLimit = () => {
    const limit = createReaderLimit()
    const admits = (address: string, readerHash = newVisitor(), passport: ReadPassport = PASSPORT) =>
      limit.findFullNetwork(1, passport, address, readerHash) === undefined
    return { limit, admits }
  }

  test('limits the readers of a network and passport, however many others there are', () => {
    const { admits } = openLimit()
    const first = newVisitor()
    assert.ok(admits('203.0.113.1', first))
    for (let n = 0; n < 100_000; n++) {
      assert.ok(
        admits(
          n % 2 === 0 ? `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` : `2a0a:${(n >> 1).toString(16)}::1`,
        ),
      )
    }
    for (let n = 1; n < MAX_READERS_PER_NETWORK; n++) assert.ok(admits('203.0.113.1'))
    for (let n = 0; n < 1_000; n++) assert.ok(!admits('203.0.113.1'))
    assert.ok(admits('203.0.113.1', first))
  })

  // 256 households of a site, 300 sites of a provider: an attacker has them all.
  const countAdmitted = (level: 'm' | 'i', name: (n: number) => string, count: number) => {
    const { limit } = openLimit()
    const distinct = new Set<string>()
    for (let n = 0; n < count; n++) {
      const readerHash = newVisitor()
      const network = limit.findFullNetwork(1, { ...PASSPORT, level }, name(n), readerHash)
      distinct.add(network ?? readerHash)
    }
    return distinct.size
  }
  const ofOneSite = (n: number) => `2001:db8:1:${((n & 255) << 8).toString(16)}::1`
  const ofOneProvider = (n: number) => `2001:db8:${(n % 300).toString(16)}::1`

  test('counts an IPv6 /48 as one network, whichever /56 of it an address is in', () => {
    for (const level of ['m', 'i'] as const)
      assert.equal(countAdmitted(level, ofOneSite, 2_000), MAX_READERS_PER_NETWORK + 1)
  })

  test('counts an IPv6 /32 as one network for items, and as a larger one for models', () => {
    assert.equal(countAdmitted('i', ofOneProvider, 2_000), MAX_READERS_PER_NETWORK + 1)
    assert.equal(countAdmitted('m', ofOneProvider, 2_000), MAX_READERS_PER_PROVIDER + 1)
  })

  test('recognises readers that it has admitted after their provider is full', () => {
    const { admits } = openLimit()
    const first = newVisitor()
    assert.ok(admits(ofOneProvider(0), first, ITEM))
    for (let n = 0; n < 1_000; n++) admits(ofOneProvider(n), newVisitor(), ITEM)
    assert.ok(!admits(ofOneProvider(7), newVisitor(), ITEM))
    assert.ok(admits(ofOneProvider(0), first, ITEM))
  })

  test('starts at zero for another passport and another day', () => {
    for (const address of ['203.0.113.1', '2001:db8::1']) {
      const limit = createReaderLimit()
      const admits = (day: number, id: string) =>
        limit.findFullNetwork(day, { ...PASSPORT, id }, address, newVisitor()) === undefined
      const fill = (day: number, id: string) => {
        for (let n = 0; n < MAX_READERS_PER_NETWORK; n++) assert.ok(admits(day, id))
        assert.ok(!admits(day, id))
      }
      limit.startDay(1)
      fill(1, 'a')
      fill(1, 'b')
      fill(2, 'a')
      limit.startDay(1)
      assert.ok(!admits(1, 'a'))
      limit.startDay(2)
      fill(2, 'a')
    }
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
