/**
 * Tests that large bodies are read in steps with the same result as at once, and that other work runs in
 * between.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { yieldBetweenRows } from '../../src/kernel/concurrency/yield-to-event-loop.ts'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { readJsonRows } from '../../src/kernel/text/json-rows.ts'
import { JsonScan } from '../../src/kernel/text/json-scan.ts'
import { parseParts, takePart } from '../../src/kernel/text/parse-parts.ts'
import { splitByBytes } from '../../src/kernel/text/split-by-bytes.ts'
import { requireList, withErrors } from '../../src/kernel/text/strict-json.ts'
import { requireUtf8 } from '../../src/kernel/text/utf8.ts'

const ROWS = { member: 'items', maxRows: 500, maxBytesWithoutRows: 1024 * 1024 }
const LONG = 'w'.repeat(30_000)

/** Several chunks: more than 64 KiB between the first row and the last. */
const BODY = JSON.stringify({
  match_by: 'sku',
  items: [
    { a: 1, b: 'x"\\y' },
    { LONG, data: { k: [1, 2, { z: 'q' }] } },
    { n: 2 },
    [1, [2]],
    LONG,
    LONG,
    LONG,
    's',
    0.5,
    LONG,
    { d: 1, LONG },
    LONG,
    LONG,
    9,
  ],
  note: 'n',
})

/** Parses the whole body at once, and scans it then. */
function readWhole(sent: Buffer): unknown {
  const bytes = requireUtf8(sent)
  const value = parseParts(bytes, [takePart(bytes)])
  if (bytes.length > ROWS.maxBytesWithoutRows) requireList(value, ROWS)
  const scan = new JsonScan(bytes, ROWS)
  scan.advance(bytes.length)
  return withErrors(value, scan, ROWS)
}

async function outcome(read: () => unknown): Promise<unknown> {
  try {
    return JSON.stringify(await read(), (_key, value) => (value instanceof AppError ? value.details : value))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return `${error.code} ${error.message} ${JSON.stringify(error.details)}`
  }
}

const BROKEN = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '1',
  'x',
  ' ',
  '-',
  'null',
  '\\u0061',
  '\\u00',
  '\n',
  '{},',
  '"items":[',
  '"items"',
  ',"a":1',
  '{"a":1,"a":2},',
  '1e999,',
  '"__proto__":1,',
  '['.repeat(35),
]

test('invalid JSON at any place gives exactly the same error as parsing the whole body', async () => {
  const places = [...BODY.matchAll(/[^w]/g)].map(({ index }) => index)
  const outcomes = new Set<unknown>()
  for (const [i, at] of places.entries()) {
    for (const width of [0, 1]) {
      const put = BROKEN[(i * 2 + width) % BROKEN.length] ?? ''
      const bytes = Buffer.from(BODY.slice(0, at) + put + BODY.slice(at + width))
      const expected = await outcome(() => readWhole(bytes))
      assert.equal(await outcome(() => readJsonRows(bytes, ROWS)), expected, `${put} at ${at}`)
      outcomes.add(expected)
    }
  }
  for (const end of places) {
    const bytes = Buffer.from(BODY.slice(0, end))
    assert.equal(await outcome(() => readJsonRows(bytes, ROWS)), await outcome(() => readWhole(bytes)))
  }
  assert.ok(outcomes.size > 50)
})

test('lists without rows, other shapes and invalid UTF-8: same result as parsing the whole body', async () => {
  for (const text of [
    '{"items":[]}',
    '{"items":[ ]}',
    '{"items":{}}',
    '{"items":[1],"items":[2]}',
    '[]',
    '1',
    '',
  ]) {
    const bytes = Buffer.from(text)
    assert.equal(
      await outcome(() => readJsonRows(bytes, ROWS)),
      await outcome(() => readWhole(bytes)),
      text.slice(0, 40),
    )
  }
  const noText = Buffer.from([0x22, 0xff, 0x22])
  assert.match(String(await outcome(() => readJsonRows(noText, ROWS))), /^bad_request .*UTF-8/)
})

test('a row of more than 1 MiB or with too many values is rejected alone, as when the whole body is parsed', async () => {
  const items = ['"a"', `"${LONG.repeat(40)}"`, `[${'{},'.repeat(30_000)}1]`, '"b"']
  const bytes = Buffer.from(`{"items":[${items.join(',')}]}`)
  assert.equal(await outcome(() => readJsonRows(bytes, ROWS)), await outcome(() => readWhole(bytes)))
})

test('too much data outside the rows is rejected for its size', async () => {
  const crowd = `[${'{},'.repeat(400_000)}1]`
  for (const text of [`{"x":${crowd}}`, `{"x":${crowd},"items":[1]}`, `{"items":[1],"x":${crowd}}`]) {
    assert.match(String(await outcome(() => readJsonRows(Buffer.from(text), ROWS))), /^payload_too_large/)
  }
})

test('other work runs while a large body is parsed', async () => {
  const row = JSON.stringify({ data: { a: LONG, b: LONG } })
  const bytes = Buffer.from(`{"items":[${Array(130).fill(row).join(',')}]}`)
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  // A slow clock: each look at it ends the current time slice.
  const now = performance.now
  let ms = 0
  performance.now = () => (ms += 100)
  try {
    await readJsonRows(bytes, ROWS)
  } finally {
    performance.now = now
    isOver = true
  }
  assert.ok(turns > 100, `${turns} turns`)
})

test('several large bodies are parsed one at a time', async () => {
  const now = performance.now
  let ms = 0
  performance.now = () => (ms += 100)
  try {
    const order: string[] = []
    const others = async (name: string) => {
      const pauseIfDue = yieldBetweenRows()
      for (let i = 0; i < 3; i++) {
        await pauseIfDue()
        order.push(name)
      }
    }
    let isOver = false
    const between = () => {
      order.push('-')
      if (!isOver) setImmediate(between)
    }
    setImmediate(between)
    await Promise.all(['a', 'b', 'c'].map(others))
    isOver = true
    assert.match(order.join(''), /^-*a-+b-+c-+a-+b-+c-+a-+b-+c$/)
  } finally {
    performance.now = now
  }
})

test('rows are split by bytes, in order; a row that is too large is alone', () => {
  const split = (rows: number[]) => splitByBytes(rows, row => row, 10)
  assert.deepEqual(split([4, 6, 1, 25, 3, 3]), [[4, 6], [1], [25], [3, 3]])
  assert.deepEqual(split([]), [])
})
