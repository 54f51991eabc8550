import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DOCUMENT_FORMATS } from '../../src/passports/documents/formats.ts'
import { memoize, negotiateEncoding, prefersLinkset } from '../../src/site/http/content-negotiation.ts'
import { getFormatQuery, selectFormat } from '../../src/site/passport/formats.ts'

describe('selectFormat by Accept', () => {
  const cases: [accept: string | undefined, format: string, preferringJson?: string][] = [
    [undefined, 'html', 'en'],
    ['', 'html', 'en'],
    ['*/*', 'html', 'en'],
    ['text/*', 'html'],
    ['image/png, */*;q=0.1', 'html', 'en'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
    ['application/ld+json', 'jsonld'],
    ['APPLICATION/LD+JSON', 'jsonld'],
    // Sent by clients that decode the plus as a space.
    ['application/ld json', 'jsonld'],
    ['text/html;q=0.9, application/ld json;q=1', 'jsonld'],
    ['application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"', 'jsonld'],
    ['application/ld+json, */*', 'jsonld'],
    ['application/ld+json;q=0.5, text/html', 'html'],
    ['application/ld+json, text/html;q=0.9', 'jsonld'],
    ['text/html, application/ld+json', 'html'],
    ['application/ld+json, application/json', 'jsonld'],
    ['application/json', 'en'],
    ['application/json;charset=utf-8', 'en'],
    ['application/json, text/plain, */*', 'en'],
    ['application/json;q=0.9, application/ld+json;q=0.8', 'en'],
    ['application/json;q=0.5, text/html', 'html'],
    ['application/json, text/html', 'html'],
    ['application/json;q=0', 'html'],
    ['application/aas+json', 'aas'],
    ['application/aas+zip', 'aasx'],
    ['application/asset-administration-shell-package+xml', 'aasx'],
    ['text/html;q=0, */*', 'jsonld'],
    ['application/ld+json;q=0', 'html'],
    ['application/ld+json;q=0, application/*', 'en'],
    ['application/ld+json;q=2', 'html'],
    ['image/png', 'html'],
    [',;,q=;;;"', 'html'],
    [`${'a/b,'.repeat(10_000)}application/ld+json`, 'html'],
  ]
  for (const [accept, format, preferringJson = format] of cases) {
    test(`${String(accept).slice(0, 60)} → ${format}, with ANY_ACCEPT=json ${preferringJson}`, () => {
      assert.equal(selectFormat({ anyAccept: 'html' }, undefined, accept)?.id, format)
      assert.equal(selectFormat({ anyAccept: 'json' }, undefined, accept)?.id, preferringJson)
      const query = preferringJson === 'html' ? '' : `format=${preferringJson}`
      assert.equal(getFormatQuery({ anyAccept: 'json' }, accept), query)
    })
  }

  test('?format= wins over Accept', () => {
    for (const { id } of [{ id: 'html' }, { id: 'jsonld' }, ...DOCUMENT_FORMATS]) {
      for (const anyAccept of ['html', 'json'] as const)
        assert.equal(selectFormat({ anyAccept }, id, 'text/html')?.id, id)
    }
    assert.equal(selectFormat({ anyAccept: 'html' }, 'constructor', undefined), undefined)
  })

  test('every document has an id of its own, and its media type leads to it or to the first of its type', () => {
    const ids = DOCUMENT_FORMATS.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const { mediaTypes } of DOCUMENT_FORMATS) {
      const first = DOCUMENT_FORMATS.find(one => one.mediaTypes[0] === mediaTypes[0])
      for (const type of mediaTypes)
        assert.equal(selectFormat({ anyAccept: 'html' }, undefined, type)?.id, first?.id, type)
    }
  })
})

test('prefersLinkset also accepts a plus decoded to a space', () => {
  assert.ok(prefersLinkset('application/linkset+json'))
  assert.ok(prefersLinkset('application/linkset json'))
  assert.ok(!prefersLinkset('application/linkset json;q=0.5, text/html'))
})

describe('negotiateEncoding', () => {
  const cases: [header: string | undefined, encoding: string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['*', 'br'],
    ['identity;q=1, *;q=0', 'identity'],
    ['*;q=0, gzip', 'gzip'],
  ]
  for (const [header, encoding] of cases) {
    test(`${header} → ${encoding}`, () => assert.equal(negotiateEncoding(header), encoding))
  }
})

test('memoize computes once for each value', () => {
  let calls = 0
  const length = memoize(header => {
    calls++
    return header?.length ?? -1
  })
  assert.deepEqual([length('ab'), length('ab'), length(undefined), length(undefined)], [2, 2, -1, -1])
  assert.equal(calls, 2)
})
