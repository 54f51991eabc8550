/** Tests that reading a large body blocks the event loop only for a moment, whatever its shape is. */
import assert from 'node:assert/strict'
import { existsSync, openSync, readSync } from 'node:fs'
import { describe, test } from 'node:test'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { readJsonInSteps, readJsonRows } from '../../src/kernel/text/json-rows.ts'
import { JSON_SHAPES, LEGAL_JSON } from '../faults/worst/shapes.ts'

const MIB = 1024 * 1024
const ROWS = { member: 'items', maxRows: 500, maxBytesWithoutRows: MIB }
const RUNS = 4
/** In units. Making a text of 8 MiB takes five; parsing one and looking through its values up to fifteen. */
const MAX_BLOCK = 4

/** The processor time of the main thread, which other processes do not lengthen. */
function openThreadTime(): () => number {
  const buffer = Buffer.alloc(128)
  const file = openSync('/proc/self/schedstat', 'r')
  return () => Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, 128, 0)).split(' ')[0]) / 1e6
}

/** The longest time between two turns of the event loop, in milliseconds; the best of runs until it is `enough`. */
async function measureLongestBlock(work: () => Promise<unknown>, enough = 0): Promise<number> {
  const readMs = openThreadTime()
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS && best > enough; run++) {
    let longest = 0
    let isOver = false
    let last = readMs()
    const note = () => {
      const now = readMs()
      longest = Math.max(longest, now - last)
      last = now
      if (!isOver) setImmediate(note)
    }
    setImmediate(note)
    try {
      await work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
    note()
    isOver = true
    best = Math.min(best, longest)
  }
  return best
}

const UNIT_TEXT = JSON.stringify(
  Array.from({ length: 5_000 }, (_, n) => ({ n, name: `row ${n}`, list: [n] })),
)

/** Work like the server's own. */
const measureUnit = () =>
  measureLongestBlock(async () => {
    for (let turn = 0; turn < 5; turn++) JSON.stringify(JSON.parse(UNIT_TEXT))
  })

const fillRows = (build: (bytes: number) => string) =>
  `{"items":[${Array(7)
    .fill(build(MIB - 100))
    .join()}]}`

describe('the longest block', { skip: !existsSync('/proc/self/schedstat') }, () => {
  for (const { name, build } of [...JSON_SHAPES, ...LEGAL_JSON])
    test(`${name}: a megabyte, 8 MiB, and rows of a megabyte each`, async () => {
      const unit = await measureUnit()
      const enough = unit * MAX_BLOCK
      const one = Buffer.from(`{"category":"textile","data":{"note":${build(MIB - 100)}}}`)
      const many = Buffer.from(`{"items":${build(8 * MIB - 100)}}`)
      const rows = Buffer.from(fillRows(build))
      const blocks = {
        'a megabyte': await measureLongestBlock(() => readJsonInSteps(one), enough),
        '8 MiB': await measureLongestBlock(() => readJsonRows(many, ROWS), enough),
        'rows of a megabyte': await measureLongestBlock(() => readJsonRows(rows, ROWS), enough),
      }
      const long = Object.entries(blocks).filter(([, ms]) => ms > enough)
      assert.deepEqual(long, [], `a unit is ${unit.toFixed(1)} ms`)
    })
})
