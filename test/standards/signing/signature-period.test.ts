/** Until when signatures are valid. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { getSignaturePeriod } from '../../../src/standards/signing/signature-period.ts'

const DAY_MS = 86_400_000
const time = fc.date({ min: new Date('2026-01-01'), max: new Date('2060-01-01'), noInvalidDate: true })
const days = fc.integer({ min: 7, max: 3_650 })

test('whatever is read is valid for at least half of the days, and for no more than all', () => {
  fc.assert(
    fc.property(time, days, (now, days) => {
      const { start, end } = getSignaturePeriod(now, days)
      assert.ok(start <= now)
      const left = end.getTime() - now.getTime()
      assert.ok(left > (days / 2) * DAY_MS - 1 && left <= days * DAY_MS, `${left / DAY_MS} of ${days}`)
      assert.equal(end.toISOString().slice(11), '00:00:00.000Z')
    }),
  )
})

test('nothing changes within a period, and the next one ends later', () => {
  const first = getSignaturePeriod(new Date('2026-11-27T08:00:00Z'), 90)
  assert.deepEqual(getSignaturePeriod(first.start, 90), first)
  const next = new Date(first.start.getTime() + 45 * DAY_MS)
  assert.deepEqual(getSignaturePeriod(new Date(next.getTime() - 1), 90), first)
  const later = getSignaturePeriod(next, 90)
  assert.deepEqual([later.start, later.end.getTime() - first.end.getTime()], [next, 45 * DAY_MS])
})
