import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createRateWindow } from '../../src/accounts/limits/rate-window.ts'

describe('createRateWindow', () => {
  test('counts like a list of exact times, at most one step late', () => {
    const moves = fc.array(
      fc.record({ wait: fc.oneof(fc.nat(50), fc.nat(2_000), fc.nat(61_000)), adds: fc.nat(3) }),
      {
        maxLength: 200,
      },
    )
    fc.assert(
      fc.property(fc.constantFrom(1, 20, 1_000), moves, (stepMs, all) => {
        const window = createRateWindow(stepMs)
        const times: number[] = []
        let now = 1_000_000
        for (const { wait, adds } of all) {
          now += wait
          for (let i = 0; i < adds; i++) {
            window.add(now)
            times.push(now)
          }
          const exact = times.filter(time => time > now - 60_000).length
          const late = times.filter(time => time > now - 60_000 - stepMs).length
          const counted = window.count(now)
          assert.ok(counted >= exact && counted <= late, `${exact} ≤ ${counted} ≤ ${late}`)
          const next = window.nextExpiry()
          assert.equal(next === undefined, counted === 0)
          assert.ok(next === undefined || (next > now && next <= (window.lastExpiry() ?? 0)))
        }
      }),
    )
  })

  test('stores at most as many steps as a minute has, however many requests come', () => {
    const window = createRateWindow(1_000)
    for (let now = 0; now < 600_000; now += 7) window.add(now)
    assert.ok(Math.abs(window.count(600_000) - 60_000 / 7) < 1_000 / 7 + 1)
    assert.equal(window.count(700_000), 0)
  })

  test('when the clock moves back, existing counts move with it', () => {
    const window = createRateWindow(20)
    for (let i = 0; i < 10; i++) window.add(86_400_000 + i * 1_000)
    assert.equal(window.count(5_000), 10)
    assert.equal(window.count(5_000 + 50_999), 10)
    assert.equal(window.count(5_000 + 51_000), 9)
    assert.equal(window.count(5_000 + 60_001), 0)
  })
})
