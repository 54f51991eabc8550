/** Tests how many entries a bounded map keeps, and which. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BoundedMap } from '../../src/kernel/values/bounded-map.ts'

describe('a bounded map', () => {
  test('never has more entries than its bound, and at least fifteen sixteenths of them', () => {
    const map = new BoundedMap<number, number>(160)
    for (let i = 0; i < 10_000; i++) {
      map.set(i, i)
      assert.ok(map.size <= 160)
      if (i >= 160) assert.ok(map.size > 150)
      assert.equal(map.get(i), i)
    }
  })

  test('drops the entries that were set longest ago', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
    assert.deepEqual(
      [...map],
      [
        ['a', 3],
        ['c', 4],
      ],
    )
  })

  test('with room for one entry keeps the last', () => {
    const map = new BoundedMap<string, number>(1)
    map.set('a', 1).set('b', 2)
    assert.deepEqual([...map], [['b', 2]])
  })

  test('makes a value once', () => {
    const map = new BoundedMap<string, number>(2)
    let made = 0
    const make = () => ++made
    assert.deepEqual([map.getOrMake('a', make), map.getOrMake('a', make)], [1, 1])
  })
})
