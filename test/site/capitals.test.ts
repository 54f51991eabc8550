/** Tests addresses of passports in capitals, as the alphanumeric mode of QR codes has them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { type Harness, newProduct, startHarness } from '../harness.ts'

let harness: Harness
let id: string
before(async () => {
  harness = await startHarness()
  const { ctx } = await harness.account()
  id = idFromUuid((await createPassport(ctx, { ...newProduct(), strict: false })).passport.id)
})
after(() => harness.close())

const ORIGIN = 'https://carnet.example'

test('capitals lead to the address in lower case, with the query as it is', async () => {
  const capital = id.toUpperCase()
  for (const [path, target] of [
    [`/P/${capital}`, `/p/${id}`],
    [`/p/${capital}`, `/p/${id}`],
    [`/P/${id}`, `/p/${id}`],
    [`/p/${id.slice(0, -1)}${id.slice(-1).toUpperCase()}?Lang=de`, `/p/${id}?Lang=de`],
    [`/P/${capital}/QR.SVG?ecc=Q`, `/p/${id}/qr.svg?ecc=Q`],
    [`/P/${capital}/BADGE.SVG`, `/p/${id}/badge.svg`],
    [`/P/${capital}/SIGNATURE`, `/p/${id}/signature`],
    [`/P/${capital}/AAS/Nameplate`, `/p/${id}/aas/Nameplate`],
  ] as const) {
    if (path === target) continue
    const { status, headers } = await harness.ask('GET', path)
    assert.deepEqual([status, headers.location], [301, target], path)
    assert.equal(headers['cache-control'], 'public, max-age=86400', path)
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.notEqual((await harness.ask('GET', target)).status, 301)
  }
  const { headers } = await harness.ask('GET', `/P/${capital}?access=token`)
  assert.equal(headers['cache-control'], 'private, no-store')
  const page = await harness.ask('GET', `/p/${id}`)
  assert.equal(page.status, 200)
  assert.equal((await harness.ask('HEAD', `/P/${capital}`)).status, 301)
})

test('what is no id is not found, and other methods are refused', async () => {
  for (const path of [
    '/P/',
    '/P/x',
    `/P/${'8'.repeat(26)}`,
    `/P/${id}x`,
    `/P//${ORIGIN}`,
    `/P/${id}%2F..%2Fconsole`,
  ]) {
    const { status, headers } = await harness.ask('GET', path)
    assert.deepEqual([status, headers.location], [404, undefined], path)
  }
  assert.equal((await harness.ask('POST', `/P/${id}`)).status, 405)
  assert.equal((await harness.ask('OPTIONS', `/P/${id}`)).status, 204)
})

test('an id of nobody leads to the answer of its address, without a look-up', async () => {
  const unknown = idFromUuid(newUuid(Date.now()))
  const { headers } = await harness.ask('GET', `/P/${unknown.toUpperCase()}`)
  assert.equal(headers.location, `/p/${unknown}`)
  assert.equal((await harness.ask('GET', `/p/${unknown}`)).status, 404)
})
