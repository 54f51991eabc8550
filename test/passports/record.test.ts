import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { recordJson } from '../../src/passports/core/record.ts'
import { rowOf } from '../site/passport-views.ts'

const ADDRESSES = { publicUrl: 'https://carnet.example', apiUrl: 'https://carnet.example/api/v1' }

test('the times of records are ISO 8601 to the millisecond, whatever record came before', () => {
  const anyMs = fc.oneof(fc.integer({ min: 0, max: 4_000_000_000_000 }), fc.integer({ min: 0, max: 180_000 }))
  fc.assert(
    fc.property(anyMs, anyMs, (createdMs, updatedMs) => {
      const hex = createdMs.toString(16).padStart(12, '0')
      const row = {
        ...rowOf('textile'),
        id: `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`,
        updated_at: new Date(updatedMs),
      }
      const record = JSON.parse(recordJson(ADDRESSES, row))
      assert.equal(record.created_at, new Date(createdMs).toISOString())
      assert.equal(record.updated_at, new Date(updatedMs).toISOString())
    }),
    { numRuns: 1_000 },
  )
})
