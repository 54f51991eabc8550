/**
 * Tests how many deliveries may be in flight: for an endpoint, an account, slow endpoints, and the process.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type AccountConcurrency,
  acquirePermit,
  adaptLimit,
  createEndpointConcurrency,
  createProcessConcurrency,
  type EndpointConcurrency,
  FAST_MS,
  type ProcessConcurrency,
} from '../../src/webhooks/concurrency-limits.ts'

type Release = () => void

/** An endpoint after so many responses; `isFast` tells how fast they came. */
function endpointAfter(responses: number, isFast: boolean): EndpointConcurrency {
  const endpoint = createEndpointConcurrency()
  for (let n = 0; n < responses; n++) adaptLimit(endpoint, { ok: true, ms: isFast ? FAST_MS - 1 : FAST_MS })
  return endpoint
}

/** Takes permits until there are no more. */
function takeAll(
  endpoint: EndpointConcurrency,
  account: AccountConcurrency,
  process: ProcessConcurrency,
): Release[] {
  const permits: Release[] = []
  for (;;) {
    const release = acquirePermit(endpoint, account, process)
    if (release === undefined) return permits
    permits.push(release)
  }
}

/** Takes all endpoints that it needs, each of its own account, until the process gives no more. */
function takeOfMany(process: ProcessConcurrency, create: () => EndpointConcurrency): Release[] {
  const permits: Release[] = []
  for (;;) {
    const taken = takeAll(create(), { shared: 0 }, process)
    if (taken.length === 0) return permits
    permits.push(...taken)
  }
}

const isIdle = ({ inFlight, slow }: ProcessConcurrency) => inFlight === 0 && slow === 0

describe('permits of an endpoint', () => {
  test('begin at 4, grow by one with each fast success, and end at 32', () => {
    const count = (endpoint: EndpointConcurrency) =>
      takeAll(endpoint, { shared: 0 }, createProcessConcurrency()).length
    assert.deepEqual(
      [0, 1, 2, 27, 28, 29, 100].map(responses => count(endpointAfter(responses, true))),
      // Beyond its own 5, an endpoint takes those that its account shares, of which there are 28.
      [4, 5, 6, 31, 32, 32, 32],
    )
  })

  test('are 2 after a slow success and 1 after a failure, and grow from there', () => {
    const cases: [result: { ok: boolean; ms: number }, limit: number][] = [
      [{ ok: true, ms: FAST_MS - 1 }, 32],
      [{ ok: true, ms: FAST_MS }, 2],
      [{ ok: false, ms: 1 }, 1],
      [{ ok: false, ms: FAST_MS }, 1],
    ]
    for (const [result, limit] of cases) {
      const endpoint = endpointAfter(100, true)
      adaptLimit(endpoint, result)
      assert.equal(endpoint.limit, limit, JSON.stringify(result))
    }
    const endpoint = endpointAfter(1, false)
    adaptLimit(endpoint, { ok: true, ms: 1 })
    assert.equal(endpoint.limit, 3)
  })
})

test('the endpoints of an account share 28 permits beyond the 5 that each has for itself', () => {
  const process = createProcessConcurrency()
  const account = { shared: 0 }
  const [first, second] = [endpointAfter(100, true), endpointAfter(100, true)]
  const permits = takeAll(first, account, process)
  assert.equal(permits.length, 32)
  permits.push(...takeAll(second, account, process))
  assert.equal(permits.length, 32 + 6, 'its own 5 and the last shared one')
  for (const release of permits) release()
  assert.equal(account.shared, 0)
  assert.ok(isIdle(process))
})

test('slow endpoints take half of the permits of the process, and fast ones all others, 512 together', () => {
  const process = createProcessConcurrency()
  const slow = takeOfMany(process, () => endpointAfter(1, false))
  assert.equal(slow.length, 256)
  assert.equal(
    acquirePermit(createEndpointConcurrency(), { shared: 0 }, process),
    undefined,
    'an unknown one',
  )
  const fast = takeOfMany(process, () => endpointAfter(100, true))
  assert.equal(fast.length, 256)
  slow.pop()?.()
  assert.ok(acquirePermit(endpointAfter(1, false), { shared: 0 }, process))
  for (const release of [...slow, ...fast]) release()
  assert.deepEqual([process.inFlight, process.slow], [1, 1])
})

test('a permit is given back as it was taken, also if the endpoint has become fast or slow meanwhile', () => {
  const process = createProcessConcurrency()
  const endpoint = createEndpointConcurrency()
  const slow = takeAll(endpoint, { shared: 0 }, process)
  adaptLimit(endpoint, { ok: true, ms: 1 })
  const fast = takeAll(endpoint, { shared: 0 }, process)
  assert.deepEqual([slow.length, fast.length, process.slow], [4, 1, 4])
  adaptLimit(endpoint, { ok: false, ms: 1 })
  for (const release of [...fast, ...slow]) release()
  assert.ok(isIdle(process) && endpoint.inFlight === 0)
})
