/**
 * Tests that waiting creates share a statement: small products separate from large ones, and large ones
 * bounded by dataLength.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatchedInsert, MIN_LARGE_LENGTH } from '../../src/passports/write/batch-creates.ts'
import type { ModelRow } from '../../src/passports/write/insert-models.ts'

const KIB = 1024

test('a small create does not wait for a statement of large ones, whose size in dataLength is limited', async () => {
  const statements: { ids: string[]; end: () => void }[] = []
  const insert = createBatchedInsert(rows => {
    const { promise, resolve } = Promise.withResolvers<undefined[]>()
    statements.push({ ids: rows.map(row => row.id), end: () => resolve(rows.map(() => undefined)) })
    return promise
  })
  const begin = (id: string, dataLength: number) => insert({ row: { id } as ModelRow, dataLength })
  const large = ['a', 'b', 'c', 'd'].map(id => begin(id, 200 * KIB))
  const huge = begin('huge', 3_000 * KIB)
  const edge = begin('edge', MIN_LARGE_LENGTH)
  const small = Array.from({ length: 3 }, (_, i) => begin(`small ${i}`, MIN_LARGE_LENGTH - 1))
  await new Promise(resolve => setImmediate(() => setImmediate(resolve)))
  const begun = () => statements.map(({ ids }) => ids)
  assert.deepEqual(
    begun(),
    [
      ['small 0', 'small 1', 'small 2'],
      ['a', 'b'],
    ].toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  )
  for (const statement of statements) if (statement.ids.includes('small 0')) statement.end()
  await Promise.all(small)
  for (let ended = 0; ended < statements.length; ended++) {
    statements[ended]?.end()
    await new Promise(resolve => setImmediate(resolve))
  }
  await Promise.all([...large, huge, edge])
  const rest = begun().filter(([id]) => id !== 'small 0')
  assert.deepEqual(rest, [['a', 'b'], ['c', 'd'], ['huge'], ['edge']])
})
