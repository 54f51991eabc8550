/** Tests the JSON-LD contexts: published ones never change, and the newest matches the documents. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { NAMESPACE_PLACEHOLDER, readContextVersions } from '../../src/site/json-ld/context-versions.ts'
import { renderContext } from '../../src/site/json-ld/vocabulary.ts'
import { ADDRESSES, type Harness, startHarness } from '../harness.ts'

/** Digests of `assets/contexts/`. Each published context adds a line; no line is ever changed. */
const PUBLISHED: Readonly<Record<string, string>> = {
  v1: 'fca795b1af84e9378f4ba9b01088d8989e59a3a44ef4ebeef2f5d7a6ca94a7ac',
  v2: 'd0909a5e40492335533df1b681d1f5b459725a90ab6f6f83de70a25c8c9aa707',
  v3: 'b62e7362262b9cf4946796b18d0a502c6cc67745a3615ef4cb68c65c69065be4',
  v4: '04345a99d683a6b3a16a944c3a8ca2f9d5814e055d2088df26bab38ea644f8c5',
}

const NS = `${ADDRESSES.publicUrl}/ns/dpp`
const termsOf = (text: string) => JSON.parse(text)['@context'] as Record<string, unknown>

let harness: Harness
before(async () => {
  harness = await startHarness()
})
after(() => harness.close())

describe('the published JSON-LD contexts', () => {
  test('are unchanged', () => {
    const digests = readContextVersions().map(({ name, buildText }) => [
      name,
      hash('sha256', buildText(NAMESPACE_PLACEHOLDER), 'hex'),
    ])
    assert.deepEqual(Object.fromEntries(digests), PUBLISHED)
  })

  test('the newest matches the current fields; otherwise run scripts/publish-context.ts', () => {
    assert.equal(readContextVersions().at(-1)?.buildText(NS), renderContext(NS))
  })

  test('each keeps the meaning of every older term', () => {
    const versions = readContextVersions().map(({ buildText }) => termsOf(buildText(NS)))
    for (const [i, terms] of versions.entries()) {
      for (const [term, meaning] of Object.entries(versions[i - 1] ?? {})) {
        assert.deepEqual(terms[term], meaning, term)
      }
    }
  })
})

describe('GET /ns/dpp/v1', () => {
  test('returns JSON-LD whatever format is requested', async () => {
    for (const accept of ['application/ld+json', 'text/html', '*/*']) {
      const answer = await harness.ask('GET', '/ns/dpp/v1', { headers: { accept } })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['content-type'], 'application/ld+json')
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      assert.equal(answer.json['@context'].dpp, `${NS}#`)
    }
  })

  test('each version is linked from the page for people; unknown versions are 404', async () => {
    const page = await harness.ask('GET', '/ns/dpp')
    for (const name of ['v1', 'v2', 'v3']) assert.ok(page.text.includes(`href="${NS}/${name}"`))
    const next = `v${readContextVersions().length + 1}`
    for (const name of ['v0', next, 'v01', 'V1', 'v1.json']) {
      assert.equal((await harness.ask('GET', `/ns/dpp/${name}`)).status, 404, name)
    }
  })
})
