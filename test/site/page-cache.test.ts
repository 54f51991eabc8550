import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { prepareResponse } from '../../src/site/http/prepared-response.ts'
import { createPageCache } from '../../src/site/passport/page-cache.ts'

const respond = (length: number) =>
  prepareResponse({ body: 'x'.repeat(length), etagPrefix: 't', headers: {} })
const V1 = { state: '1a', primaryLanguage: 'en', textLanguages: null }
const V2 = { state: '2a', primaryLanguage: 'en', textLanguages: null }

describe('createPageCache', () => {
  test('finds all responses of one state, and none of an older one', () => {
    const cache = createPageCache(1_000_000)
    cache.put('a', V1, 'en', respond(10))
    cache.put('a', V1, 'de', respond(10))
    assert.deepEqual([...(cache.find('a', '1a')?.responses.keys() ?? [])], ['en', 'de'])
    assert.equal(cache.find('a', '2a'), undefined)
    cache.put('a', V2, 'en', respond(10))
    assert.deepEqual([...(cache.find('a', '2a')?.responses.keys() ?? [])], ['en'])
    assert.equal(cache.find('a', '1a'), undefined)
  })

  test('stays within its bytes and drops the least recently used first', () => {
    const cache = createPageCache(100_000)
    for (const id of ['a', 'b', 'c']) cache.put(id, V1, 'en', respond(10_000))
    assert.ok(cache.find('a', '1a'))
    for (const id of ['d', 'e']) cache.put(id, V1, 'en', respond(10_000))
    assert.ok(cache.bytes() <= 100_000)
    assert.ok(cache.find('a', '1a'))
    assert.equal(cache.find('b', '1a'), undefined)
    cache.put('huge', V1, 'en', respond(1_000_000))
    assert.equal(cache.find('huge', '1a'), undefined)
    assert.equal(cache.bytes(), 0)
  })

  test('keeps no memory besides the bodies that it counts', () => {
    for (const length of [15_001, 20_000, 32_000, 70_000]) {
      const { body } = respond(length).identity
      assert.ok(Buffer.isBuffer(body))
      assert.equal(body.buffer.byteLength, length)
    }
    assert.equal(typeof respond(15_000).identity.body, 'string')
  })

  test('keeps at most the 64 newest responses of a passport', () => {
    const cache = createPageCache(10_000_000)
    for (let n = 0; n < 200; n++) cache.put('a', V1, `key ${n}`, respond(10))
    const keys = [...(cache.find('a', '1a')?.responses.keys() ?? [])]
    assert.deepEqual([keys.length, keys[0], keys.at(-1)], [64, 'key 136', 'key 199'])
    const empty = createPageCache(10_000_000)
    for (let n = 0; n < 64; n++) empty.put('a', V1, `key ${n}`, respond(10))
    assert.equal(cache.bytes(), empty.bytes())
  })

  test('counts a response only once if it is put twice', () => {
    const cache = createPageCache(1_000_000)
    cache.put('a', V1, 'en', respond(10_000))
    const before = cache.bytes()
    cache.put('a', V1, 'en', respond(10_000))
    assert.equal(cache.bytes(), before)
  })
})
