import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { buildDeprecationOptions } from '../../src/api/endpoint/deprecation.ts'
import type { Endpoint } from '../../src/api/endpoint/endpoint.ts'
import { ENDPOINTS } from '../../src/api/endpoints.ts'
import { buildOperation } from '../../src/api/openapi/document.ts'

const deprecated = {
  since: new Date('2027-01-01T00:00:00Z'),
  sunset: new Date('2028-01-01T00:00:00Z'),
  link: 'https://carnet.example/changes#old',
}

test('a deprecated route announces its end in every response, errors too', async () => {
  const app = Fastify()
  app.get('/old', { ...buildDeprecationOptions({ deprecated }) }, () => 'still there')
  app.get('/older', { ...buildDeprecationOptions({ deprecated }) }, () => {
    throw new Error('refused')
  })
  app.get('/new', { ...buildDeprecationOptions({}) }, () => 'here to stay')
  for (const path of ['/old', '/older']) {
    const { headers } = await app.inject(path)
    assert.equal(headers.deprecation, '@1798761600')
    assert.equal(headers.sunset, 'Sat, 01 Jan 2028 00:00:00 GMT')
    assert.match(
      String(headers.link),
      /^<https:\/\/carnet\.example\/changes#old>; rel="deprecation"; type="text\/html"/,
    )
  }
  const { headers } = await app.inject('/new')
  assert.deepEqual([headers.deprecation, headers.sunset, headers.link], [undefined, undefined, undefined])
  await app.close()
})

test('the OpenAPI document marks the same routes', () => {
  const [first] = ENDPOINTS
  assert.ok(first)
  const old: Endpoint = { ...first, deprecated }
  assert.equal(buildOperation(old).deprecated, true)
  for (const endpoint of ENDPOINTS) {
    assert.equal(buildOperation(endpoint).deprecated, endpoint.deprecated && true, endpoint.path)
  }
})
