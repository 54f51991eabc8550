/** Tests that large bodies arrive whole, and that what is measured in bytes agrees with the text. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { countCharacters } from '../../src/categories/check/text-checks.ts'
import { readBody } from '../../src/kernel/http/read-body.ts'
import { areLongerThan, describePlace } from '../../src/kernel/text/utf8.ts'
import { freeMemory } from '../../src/kernel/values/free-memory.ts'

const KIB = 1024
const SIZES = [1, 63 * KIB, 64 * KIB, 256 * KIB, 300 * KIB + 7, 1024 * KIB, 5 * 1024 * KIB + 1]
/** Characters of one to four bytes in UTF-8, with a lone half of a pair. */
const ALPHABET = ['n', '\n', 'é', '€', '😀', '\ud800']

const makeText = (parts: readonly string[], length: number) =>
  Array.from({ length }, () => parts[Math.floor(Math.random() * parts.length)] ?? '').join('')

describe('large bodies over a connection', () => {
  const received: Buffer[] = []
  const server = createServer(async (request, response) => {
    const sender = { headers: request.headers, ownAddress: undefined, response }
    received.push(await readBody({ request: sender, body: request, maxBytes: 8 * 1024 * KIB }))
    response.end()
  })
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())

  for (const size of SIZES)
    for (const isAnnounced of [true, false])
      test(`${size} bytes, ${isAnnounced ? 'announced' : 'of unknown length'}`, async () => {
        const { port } = server.address() as AddressInfo
        const sent = randomBytes(size)
        const headers = isAnnounced ? { 'content-length': size } : { 'transfer-encoding': 'chunked' }
        const call = sendRequest({ host: '127.0.0.1', port, method: 'POST', headers, agent: false })
        call.end(sent)
        const [response] = await once(call, 'response')
        response.resume()
        await once(response, 'close')
        assert.ok(received.pop()?.equals(sent))
      })
})

describe('memory that is freed', () => {
  test('a whole buffer is empty', () => {
    const bytes = Buffer.alloc(KIB, 'x')
    freeMemory(bytes)
    assert.equal(bytes.length, 0)
  })

  test('a part stays, because others may use the rest', () => {
    const whole = Buffer.alloc(KIB, 'x')
    const part = whole.subarray(1)
    freeMemory(part)
    assert.equal(part.toString(), 'x'.repeat(KIB - 1))
  })
})

describe('lengths and places in bytes', () => {
  // Without the lone half: no body in UTF-8 has one.
  const texts = [ALPHABET.slice(0, 2), ALPHABET.slice(0, 5), ['€'], ['😀'], ['n']].flatMap(parts =>
    [0, 1, 50, 70_000].map(length => makeText(parts, length)),
  )

  test('a text is longer than a limit by its UTF-16 code units', () => {
    for (const text of texts) {
      const bytes = Buffer.from(text)
      const middle = bytes.indexOf('n') + 1
      const parts = [
        [0, middle],
        [middle, bytes.length],
      ] as const
      for (const max of [text.length - 1, text.length, text.length + 1])
        for (const ranges of [[[0, bytes.length] as const], parts])
          assert.equal(areLongerThan(bytes, ranges, max), text.length > max, `${text.length} and ${max}`)
    }
  })

  test('a place is named by its line and column', () => {
    for (const text of texts) {
      const lines = text.split('\n')
      const expected = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
      const bytes = Buffer.from(`${text}\nmore`)
      assert.equal(describePlace(bytes, Buffer.byteLength(text)), expected)
    }
  })

  test('characters are code points', () => {
    for (let run = 0; run < 200; run++) {
      const text = makeText([...ALPHABET, '\udc00'], 20)
      assert.equal(countCharacters(text), [...text].length, JSON.stringify(text))
    }
  })
})
