import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { prepareResponse } from '../../src/site/http/prepared-response.ts'
import { createPageCache } from '../../src/site/passport/page-cache.ts'

const answer = (length: number) => prepareResponse({ body: 'x'.repeat(length), tag: 't', headers: {} })
const V1 = { state: '1a', primary: 'en', texts: null }
const V2 = { state: '2a', primary: 'en', texts: null }

describe('createPageCache', () => {
  test('finds all forms of one state, and none of an older one', () => {
    const cache = createPageCache(1_000_000)
    cache.keep('a', V1, 'en', answer(10))
    cache.keep('a', V1, 'de', answer(10))
    assert.deepEqual([...(cache.find('a', '1a')?.forms.keys() ?? [])], ['en', 'de'])
    assert.equal(cache.find('a', '2a'), undefined)
    cache.keep('a', V2, 'en', answer(10))
    assert.deepEqual([...(cache.find('a', '2a')?.forms.keys() ?? [])], ['en'])
    assert.equal(cache.find('a', '1a'), undefined)
  })

  test('stays within its bytes; what was not asked for longest goes first', () => {
    const cache = createPageCache(100_000)
    for (const id of ['a', 'b', 'c']) cache.keep(id, V1, 'en', answer(10_000))
    assert.ok(cache.find('a', '1a'))
    for (const id of ['d', 'e']) cache.keep(id, V1, 'en', answer(10_000))
    assert.ok(cache.bytes() <= 100_000)
    assert.ok(cache.find('a', '1a'))
    assert.equal(cache.find('b', '1a'), undefined)
    cache.keep('huge', V1, 'en', answer(1_000_000))
    assert.equal(cache.find('huge', '1a'), undefined)
    assert.equal(cache.bytes(), 0)
  })

  test('holds no memory beside the bodies that it counts', () => {
    for (const length of [15_001, 20_000, 32_000, 70_000]) {
      const { body } = answer(length).identity
      assert.ok(Buffer.isBuffer(body))
      assert.equal(body.buffer.byteLength, length)
    }
    assert.equal(typeof answer(15_000).identity.body, 'string')
  })

  test('holds 64 forms of a passport at most, the newest', () => {
    const cache = createPageCache(10_000_000)
    for (let n = 0; n < 200; n++) cache.keep('a', V1, `form ${n}`, answer(10))
    const forms = [...(cache.find('a', '1a')?.forms.keys() ?? [])]
    assert.deepEqual([forms.length, forms[0], forms.at(-1)], [64, 'form 136', 'form 199'])
    const empty = createPageCache(10_000_000)
    for (let n = 0; n < 64; n++) empty.keep('a', V1, `form ${n}`, answer(10))
    assert.equal(cache.bytes(), empty.bytes())
  })

  test('counts a form that is made twice once', () => {
    const cache = createPageCache(1_000_000)
    cache.keep('a', V1, 'en', answer(10_000))
    const before = cache.bytes()
    cache.keep('a', V1, 'en', answer(10_000))
    assert.equal(cache.bytes(), before)
  })
})
