/** Tests that hostile text is read in linear time, and that a text with too many values is never parsed. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../src/kernel/errors/errors.ts'
import { readJsonRows } from '../../src/kernel/text/json-rows.ts'
import { readJson, tryReadJson } from '../../src/kernel/text/strict-json.ts'

const MIB = 1024 * 1024
const ROWS = { member: 'items', maxRows: 500, maxBytesWithoutRows: MIB }

const repeat = (part: string, bytes = MIB - 100) => part.repeat(Math.floor(bytes / part.length))
const members = (count: number, part: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => part(n)).join(',')

/** Texts of a megabyte, valid or not, each of which costs a careless reader much time. */
const SHAPES: Readonly<Record<string, string>> = {
  'nested lists': `{"productIds":${'['.repeat(490_000)}${']'.repeat(490_000)}}`,
  'nested objects': `${'{"a":'.repeat(140_000)}1${'}'.repeat(140_000)}`,
  'unclosed lists': repeat('['),
  'unclosed objects': repeat('{"a":'),
  'closing brackets': repeat(']'),
  'flat objects': `[${repeat('{},')}{}]`,
  'flat objects below another key': `{"x":[${repeat('{},')}{}],"items":[1]}`,
  'flat objects after the rows': `{"items":[1],"x":[${repeat('{},')}{}]}`,
  'flat objects in a row': `{"items":[[${repeat('{},')}{}]]}`,
  'objects as rows': `{"items":[${repeat('{},')}{}]}`,
  commas: repeat(','),
  'commas in a list': `[${repeat(',')}]`,
  'many keys': `{${members(90_000, n => `"k${n}":1`)}}`,
  'equal keys': `{${repeat('"k":1,')}"k":1}`,
  'equal keys in many objects': `[${repeat('{"k":1,"k":1},')}{}]`,
  'keys with escapes': `{${members(60_000, n => `"\\u0061${n}":1`)}}`,
  'keys with broken escapes': `[${repeat('{"\\x":1},')}{}]`,
  'keys with broken escapes after one': `{"\\x":1${repeat(',"\\x":1')}}`,
  quotes: repeat('"'),
  'an odd number of quotes': `${repeat('"')}"`,
  backslashes: `"${repeat('\\')}`,
  'escaped quotes': `"${repeat('\\"')}`,
  'backslashes between quotes': repeat('"\\\\\\\\'),
  'a text': `{"a":"${repeat('x')}"}`,
  'a text with escapes': `{"a":"${repeat('\\u0041')}"}`,
  'a text of another script': `{"a":"${repeat('漢', MIB / 3 - 100)}"}`,
  'a number': `{"a":${repeat('1')}}`,
  'a number with an exponent': `{"a":1e${repeat('9')}}`,
  'long numbers': `[${repeat('1234567890123456789,')}1]`,
  'long numbers without commas': repeat('1234567890123456 '),
  'signs and dots': repeat('-.'),
  'numbers as rows': `{"items":[${repeat('1e999,')}1]}`,
  'white space': repeat(' '),
  lines: repeat('\n'),
  'lines before an error': `${repeat('\n')}x`,
  'lines and an early end': `[${repeat('\n')}`,
  letters: repeat('t'),
  'words without commas': `[${repeat('true ')}]`,
  colons: repeat(':'),
}

type Outcome = { ms: number; parsed: number; code: string }

/** The thread's own time, which other processes do not lengthen, and the length of text that was parsed. */
async function measure(read: () => unknown): Promise<Outcome> {
  const { parse } = JSON
  let parsed = 0
  JSON.parse = (text: string) => {
    parsed += text.length
    return parse(text)
  }
  const began = process.threadCpuUsage()
  let code = 'none'
  try {
    await read()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    code = error.code
  } finally {
    JSON.parse = parse
  }
  const { user, system } = process.threadCpuUsage(began)
  return { ms: (user + system) / 1_000, parsed, code }
}

/**
 * The time to read a megabyte of 20,000 values, the most that a body may have. Measured over several
 * reads, because the clock of a thread has steps of some milliseconds.
 */
async function measureUnit(): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(Array(950).fill(Array(20).fill('x'.repeat(50)))))
  for (let i = 0; i < 5; i++) readJson(bytes)
  const { ms } = await measure(() => {
    for (let i = 0; i < 10; i++) readJson(bytes)
  })
  return Math.max(ms / 10, 4)
}

describe('a megabyte of any shape', () => {
  test('takes at most a few times as long as the largest body', async () => {
    const unit = await measureUnit()
    const slow: string[] = []
    for (const [shape, text] of Object.entries(SHAPES)) {
      const bytes = Buffer.from(text)
      assert.ok(bytes.length <= MIB && bytes.length > MIB / 2, `${shape}: ${bytes.length}`)
      // The best of three, because the first run may pay for the compiler or the garbage of the shape before.
      let ms = Number.POSITIVE_INFINITY
      for (let run = 0; run < 3 && ms > unit * 8; run++) {
        ms = Math.min(ms, (await measure(() => readJson(bytes))).ms)
      }
      if (ms > unit * 8) slow.push(`${shape}: ${ms.toFixed(1)} ms, the largest body ${unit.toFixed(1)} ms`)
    }
    assert.deepEqual(slow, [])
  })

  test('is not parsed if it has too many values', async () => {
    for (const shape of [
      'nested lists',
      'nested objects',
      'unclosed lists',
      'flat objects',
      'many keys',
      'commas in a list',
    ]) {
      const { code, parsed } = await measure(() => readJson(Buffer.from(SHAPES[shape] ?? '')))
      assert.equal(code, 'validation', shape)
      assert.equal(parsed, 0, shape)
    }
  })

  test('in a field, a cell or a file is not parsed either', async () => {
    for (const shape of ['nested lists', 'flat objects', 'many keys', 'unclosed lists']) {
      let value: unknown = null
      const { parsed } = await measure(() => {
        value = tryReadJson(SHAPES[shape] ?? '')
      })
      assert.deepEqual([value, parsed], [undefined, 0], shape)
    }
    assert.deepEqual(tryReadJson('[{"fibre":"cotton","pct":95.5}]'), [{ fibre: 'cotton', pct: 95.5 }])
    for (const text of ['', '{', '{"cotton":50,"cotton":50}']) assert.equal(tryReadJson(text), undefined)
  })

  test('with rows: what is outside of them is not parsed if it has too many values', async () => {
    for (const shape of ['flat objects', 'flat objects below another key', 'flat objects after the rows']) {
      const { code, parsed } = await measure(() => readJsonRows(Buffer.from(SHAPES[shape] ?? ''), ROWS))
      assert.equal(code, 'validation', shape)
      assert.equal(parsed, 0, shape)
    }
  })
})
