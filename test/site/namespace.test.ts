/** Tests GET /ns/dpp, robots.txt and favicon.ico. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findNamespacePath } from '../../src/site/json-ld/namespace.ts'
import { type Harness, startHarness } from '../harness.ts'

let harness: Harness
before(async () => {
  harness = await startHarness()
})
after(() => harness.close())

describe('GET /ns/dpp', () => {
  test('is the context for programs', async () => {
    const answer = await harness.ask('GET', '/ns/dpp', { headers: { accept: 'application/ld+json' } })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['content-type'], 'application/ld+json')
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.headers['cache-control'], 'public, max-age=86400')
    assert.match(answer.headers.vary ?? '', /^Accept\b/)
    const context = answer.json['@context']
    assert.equal(context.dpp, 'https://carnet.example/ns/dpp#')
    assert.equal(context['@vocab'], null)
    assert.deepEqual(context['dpp:careInstructions'], {
      '@id': 'dpp:careInstructions',
      '@container': '@language',
    })
    assert.deepEqual(context['dpp:fiberComposition'], {
      '@id': 'dpp:fiberComposition',
      '@container': '@set',
    })
    assert.deepEqual(context['dpp:countryOfManufacture'], { '@id': 'dpp:countryOfManufacture' })
    assert.equal(context.name, 'schema:name')
    const again = await harness.ask('GET', '/ns/dpp', {
      headers: { accept: 'application/ld+json', 'if-none-match': answer.headers.etag ?? '' },
    })
    assert.equal(again.status, 304)
  })

  test('is a page for people with a line for each term', async () => {
    for (const accept of ['text/html', '*/*']) {
      const answer = await harness.ask('GET', '/ns/dpp', { headers: { accept } })
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
      for (const term of ['fiberComposition', 'careInstructions', 'ratedCapacity', 'batch', 'documentType']) {
        assert.match(answer.text, new RegExp(`<div id="${term}"><dt>dpp:${term}</dt><dd>[A-Z]`))
      }
      for (const name of ['FiberShare', 'Repair', 'SubstanceOfConcern']) {
        assert.match(answer.text, new RegExp(`<div id="${name}"><dt>dpp:${name}</dt><dd>[A-Z]`))
      }
    }
  })
})

describe('findNamespacePath', () => {
  const PUBLIC = 'https://carnet.example'
  test('is the path below the public address', () => {
    assert.equal(findNamespacePath(PUBLIC, `${PUBLIC}/ns/dpp`), '/ns/dpp')
    assert.equal(findNamespacePath(PUBLIC, `${PUBLIC}/v/passports-1.0`), '/v/passports-1.0')
  })
  test('is undefined elsewhere, and for a path that the router would read as a pattern', () => {
    for (const url of [
      'https://other.example/ns',
      `${PUBLIC}.evil/ns`,
      `${PUBLIC}/:x`,
      `${PUBLIC}/a*`,
      PUBLIC,
    ]) {
      assert.equal(findNamespacePath(PUBLIC, url), undefined, url)
    }
  })
})

test('GET /robots.txt', async () => {
  const answer = await harness.ask('GET', '/robots.txt')
  assert.equal(answer.status, 200)
  assert.match(answer.headers['content-type'] ?? '', /^text\/plain/)
  assert.match(answer.text, /^User-agent: \*\nDisallow: \/api\/\n/)
  assert.doesNotMatch(answer.text, /\/p\//)
})

test('GET /favicon.ico', async () => {
  assert.equal((await harness.ask('GET', '/favicon.ico')).status, 204)
})
