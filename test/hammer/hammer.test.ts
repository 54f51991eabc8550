/** Some thousand random requests in every test run; a million with `npm run hammer`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findBrokenHistories,
  findWrongCounts,
  findWrongUnitCounts,
} from '../../src/passports/copies/verify.ts'
import { IS_FULL } from '../full.ts'
import { startHarness } from '../harness.ts'
import { storeFiles } from './files.ts'
import { hammer } from './hammer.ts'
import { isSecurityEvent, makeCallers, serve } from './stand.ts'

const COUNT = Number(process.env.CARNET_HAMMER_COUNT ?? (IS_FULL ? 50_000 : 5_000))
const SEED = Number(process.env.CARNET_HAMMER_SEED ?? Date.now() % 1_000_000)
/** Shorter runs end before the server has warmed up. */
const ENOUGH_FOR_MEMORY = 100_000
const MOST_GROWTH = 1.2

test(`${COUNT} random requests, seed ${SEED}: none fails, each response has its headers, the server survives`, async t => {
  const harness = await startHarness()
  const server = await serve(harness)
  try {
    const callers = await makeCallers(harness)
    const files = await storeFiles(harness, server, callers)
    const report = await hammer({
      ...server,
      callers,
      files: files.ids,
      operate: files.withdrawNext,
      count: COUNT,
      seed: SEED,
      log: line => (COUNT > 5_000 ? process.stderr.write(`${line}\n`) : undefined),
    })
    const { memory, seconds, outcomes } = report
    t.diagnostic(`${report.sent} in ${seconds.toFixed(1)} s, ${JSON.stringify(outcomes)}`)
    t.diagnostic(`MiB: ${JSON.stringify(memory)}`)
    assert.deepEqual(report.faults, [])
    assert.ok(server.isAlive(), 'the process lives')
    assert.deepEqual(server.logged, [])
    assert.equal(report.sent, COUNT)
    if (COUNT >= ENOUGH_FOR_MEMORY) {
      assert.ok(!(memory.last > memory.warm * MOST_GROWTH), `${memory.warm} MiB became ${memory.last}`)
    }
    const health = await fetch(`http://127.0.0.1:${server.port}/api/v1/health`)
    assert.equal(health.status, 200)
    assert.deepEqual(await findWrongCounts(harness.sql), [])
    assert.deepEqual(await findWrongUnitCounts(harness.sql), [])
    assert.deepEqual(await findBrokenHistories(harness.sql), [])
    await files.assertWithdrawn()
  } finally {
    await server.stop()
    await harness.close()
  }
})

test('a logged rejection is not reported as a finding, and nothing else that looks like one is ignored', () => {
  const refusal = {
    level: 40,
    time: '2026-01-01T00:00:00.000Z',
    event: 'key_refused',
    request_id: 'a97ayjs6wxnvsy630000000146',
    network: 'ca449e3f69fb',
    unlogged_before: 3,
    msg: 'security event',
  }
  const isAccepted = (change: object) => isSecurityEvent(JSON.stringify({ ...refusal, ...change }))
  assert.ok(isAccepted({}))
  const others = [
    { level: 50 },
    { msg: 'request failed' },
    { event: 'key_guessed' },
    { network: '192.0.2.7' },
    { err: 'x' },
    { request_id: undefined },
    { unlogged_before: -1 },
  ]
  assert.deepEqual(others.filter(isAccepted), [])
})
