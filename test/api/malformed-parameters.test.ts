/** Tests that text which no identifier can have is an ordinary error in each address, never one of the database. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ENDPOINTS } from '../../src/api/endpoints.ts'
import { type Harness, startHarness } from '../harness.ts'

const TEXTS = { NUL: 'x%00', 'no UTF-8': '%ff', 'a lone surrogate': '%ED%A0%80', 'half an escape': 'x%4' }
const PUBLIC = [
  '/issuers/:name/did.json',
  '/issuers/:name/status/1',
  '/issuers/:name/status/1/token',
  '/.well-known/jwt-vc-issuer/issuers/:name',
  '/issuers/:name/messages/1',
  '/issuers/x/messages/:n',
  '/issuers/x/status/:n',
  '/p/:id',
  '/p/:id/badge.svg',
  '/p/:id/qr.svg',
  '/m/:id/400.jpg',
  '/d/:id',
  '/01/:gtin',
  '/dpp/v1/dpps/:id',
  '/dpp/v1/dppsByProductId/:id',
]

let t: Harness
let key: string

before(async () => {
  t = await startHarness()
  key = (await t.account()).key
})
after(async () => {
  await t.close()
})

const own = ENDPOINTS.filter(({ pathParameterNames }) => pathParameterNames.length > 0).map(
  ({ method, path }) => [method, `/api/v1${path}`] as const,
)
for (const [method, path] of [...own, ...PUBLIC.map(path => ['GET', path] as const)]) {
  test(`${method} ${path}`, async () => {
    for (const [what, text] of Object.entries(TEXTS)) {
      const url = path.replace(/:\w+/g, text)
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
      const { status } = await t.ask(method, url, { key, ...body })
      // No address with such a text leads to anything, and none may cause an error of ours.
      assert.ok([400, 404, 405, 415, 422].includes(status), `${what}: ${status}`)
    }
  })
}

test('an issuer with a NUL in its name is not found', async () => {
  for (const end of ['did.json', 'status/1', 'status/1/token', 'messages/1']) {
    assert.equal((await t.ask('GET', `/issuers/x%00/${end}`)).status, 404)
  }
  assert.equal((await t.ask('GET', '/.well-known/jwt-vc-issuer/issuers/x%00')).status, 404)
})
