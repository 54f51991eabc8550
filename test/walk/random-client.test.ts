/** Tests all calls of two accounts in random order, and compares every response with a model. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import {
  findBrokenHistories,
  findWrongCounts,
  findWrongUnitCounts,
} from '../../src/passports/copies/verify.ts'
import { IS_FULL } from '../full.ts'
import { type Harness, startHarness } from '../harness.ts'
import { Client } from './client.ts'
import { type Step, steps } from './steps.ts'

const SEQUENCES = IS_FULL ? 3_000 : 60

describe('a random client', () => {
  let t: Harness
  before(async () => {
    t = await startHarness()
  })
  after(() => t.close())

  test(`${SEQUENCES} sequences get the responses that the model predicts`, async () => {
    const walk = async (sequence: readonly Step[]) => {
      const client = await Client.begin(t)
      for (const step of sequence) await client.take(step)
      await client.compare()
    }
    await fc.assert(fc.asyncProperty(steps, walk), { numRuns: SEQUENCES, interruptAfterTimeLimit: 600_000 })
    assert.deepEqual(await findBrokenHistories(t.sql), [])
    assert.deepEqual(await findWrongCounts(t.sql), [])
    assert.deepEqual(await findWrongUnitCounts(t.sql), [])
  })
})
