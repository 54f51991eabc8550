/**
 * Tests the limits for signed-in people: concurrent downloads, tests and pages per minute; links on other
 * sites start no download.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { CONSOLE_ROUTES } from '../../src/console/routes.ts'
import { idFromUuid, newUuid } from '../../src/kernel/crypto/ids.ts'
import { issueUnits } from '../../src/passports/units/issue-units.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { newProduct } from '../harness.ts'
import { type Browser, type Stand, startStand } from './stand.ts'

let stand: Stand
let account: number
let owner: Browser
let labels: string

before(async () => {
  stand = await startStand()
  account = await stand.account({ plan: 'enterprise' })
  owner = await stand.signedIn(account, 'owner')
  const ctx = { ...stand.ctx, sql: stand.sql, accountId: account, actorId: 1 }
  const { passport } = await createPassport(ctx, { ...newProduct(), strict: false })
  const units = Array.from({ length: 100 }, (_, i) => ({ serial: `S${i}` }))
  await issueUnits(ctx, { parentUuid: passport.id, level: 'item', units, bulk: true, strict: false })
  labels = `/console/products/${idFromUuid(passport.id)}/labels/file?of=items`
})
after(() => stand.close())

describe('heavy downloads', () => {
  const paths = CONSOLE_ROUTES.filter(({ cost, method }) => cost === 'download' && method === 'GET').map(
    ({ path }) => path.replace(':id', idFromUuid(newUuid(0))),
  )

  test('cannot be started by a link on another site', async () => {
    assert.ok(paths.length >= 3)
    for (const path of paths) {
      for (const [site, isRefused] of [
        ['cross-site', true],
        ['same-site', true],
        ['same-origin', false],
        ['none', false],
      ] as const) {
        const answer = await owner.get(path, { headers: { 'sec-fetch-site': site } })
        assert.equal(answer.status === 403, isRefused, `${path} ${site}`)
        if (isRefused) assert.match(answer.text, /A link on another site requested this file/)
      }
    }
  })

  test('are limited to two at once per account; a disconnected client frees its permit', async () => {
    await stand.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = stand.app.server.address() as AddressInfo
    const begin = async (path: string) => {
      const sent = request({ port, path, headers: { cookie: owner.cookie ?? '' }, agent: false }).end()
      sent.on('error', () => undefined)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return answer
    }
    const unread = [await begin(`${labels}&copies=200`), await begin(`${labels}&copies=200`)]
    for (const { statusCode } of unread) assert.equal(statusCode, 200)
    const busy = await owner.get(labels)
    assert.deepEqual([busy.status, busy.headers['retry-after']], [503, '30'])
    assert.match(busy.text, /Too many files are being created right now/)
    const other = await stand.signedIn(await stand.account({ plan: 'enterprise' }), 'owner')
    assert.equal((await other.get('/console/export/file?category=textile')).status, 200)
    for (const answer of unread) answer.destroy()
    let status = 503
    while (status === 503) status = (await owner.get(`${labels}&to=S1`)).status
    assert.equal(status, 200)
  })
})

describe('limits per minute', () => {
  test('limits the test events of an account, over all its members', async () => {
    const path = `/console/webhooks/${idFromUuid(newUuid(0))}/test`
    const editor = await stand.signedIn(account, 'editor')
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      for (const browser of [owner, editor]) statuses.push((await browser.post(path)).status)
    }
    assert.deepEqual(statuses, [...Array(10).fill(404), 429, 429])
    const last = await owner.post(path)
    assert.match(last.text, /sent 10 test events in a minute\. Try again in \d+ seconds/)
    assert.ok(Number(last.headers['retry-after']) > 0)
  })

  test('limits the page views of a person', async () => {
    const viewer = await stand.signedIn(account, 'viewer')
    const statuses = new Set<number>()
    let asked = 0
    while (!statuses.has(429) && asked++ < 1_000) statuses.add((await viewer.get('/console/import')).status)
    assert.deepEqual([...statuses], [200, 429])
    assert.ok(asked >= 300)
    assert.equal((await owner.get('/console/import')).status, 200)
  })
})
