/**
 * Tests that protected values leave by no side door: webhooks and their log, files meant for others, error
 * messages, drafts, history, and answers to other accounts.
 */

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { HTTPMethods } from 'fastify'
import { createPerson } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { allCategories } from '../../src/categories/catalogue.ts'
import { AUDIENCES, type Field } from '../../src/categories/field.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { systemClock } from '../../src/kernel/values/clock.ts'
import { createAccessLink, LINK_AUDIENCES } from '../../src/passports/access/access-links.ts'
import { DOCUMENT_FORMATS } from '../../src/passports/documents/formats.ts'
import { exportStaticSite } from '../../src/transfer/static/export-static-site.ts'
import { EVENT_TYPES } from '../../src/webhooks/insert-events.ts'
import { cloneDatabase, type TestDatabase } from '../database.ts'
import { ADDRESSES, type Answer, type Harness, nextGtin, type TestAccount } from '../harness.ts'
import { storeBytes, storeFilesOf } from '../media/stored-files.ts'
import { passportsOf, poolOfOne, temporaryFolder } from '../transfer/stores.ts'
import { type Receiver, type Stand, startReceiver, startStand } from '../webhooks/stand.ts'
import { plant } from './planted.ts'

/** In each planted text, address and name of protected fields; the second is in drafts alone, in every field. */
const MARK = 700_411
const DRAFT_MARK = 700_499
const PASSWORD = 'eleven herons over the lake'

let stand: Stand
let database: TestDatabase
let receiver: Receiver
let account: TestAccount
let other: TestAccount
let cookie: string

before(async () => {
  database = await cloneDatabase()
  stand = await startStand(database)
  receiver = await startReceiver((request, response) =>
    // An endpoint that sends back what it got, with an error: the log keeps answers.
    response.writeHead(request.url === '/hook' ? 500 : 204).end(receiver.received.at(-1)?.text),
  )
  account = await stand.account({ plan: 'enterprise' })
  other = await stand.account({ plan: 'enterprise' })
  await stand.endpoint(account, { url: receiver.url, events: [...EVENT_TYPES] })
  cookie = await signIn(account)
})
after(async () => {
  await receiver.close()
  await stand.close()
  await database.drop()
})

const isProtected = (audience: readonly unknown[], field: Field) =>
  audience.length < AUDIENCES.length || field.lawAudience !== undefined

/** Every field; of those that not everyone sees, the texts have the mark. */
const fill = (fields: readonly Field[], mark: number) => ({
  ...plant(fields, ({ audience, field }) => (isProtected(audience, field) ? mark : 0)),
  sku: 'T-1',
  gtin: nextGtin(),
})

const api = (method: HTTPMethods, path: string, body?: unknown, key = account.key, headers = {}) =>
  stand.ask(method, `/api/v1${path}`, { key, headers, ...(body === undefined ? {} : { body }) })

const wholeText = ({ text, headers }: Pick<Answer, 'text' | 'headers'>) => text + JSON.stringify(headers)

function assertHides(answer: Pick<Answer, 'text' | 'headers'>, where: string): void {
  const text = wholeText(answer)
  for (const mark of [MARK, MARK + 1, DRAFT_MARK]) assert.ok(!text.includes(String(mark)), where)
}

async function signIn({ id }: TestAccount): Promise<string> {
  const email = `leaks${id}@testmarke.example`
  const { token } = await createPerson(stand, { accountId: id, email, role: 'owner' })
  await setPassword(stand, { token, password: PASSWORD })
  const answer = await stand.ask('POST', '/console/sign-in', {
    text: new URLSearchParams({ email, password: PASSWORD }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: ADDRESSES.publicUrl,
      'sec-fetch-site': 'same-origin',
    },
  })
  assert.equal(answer.status, 303, answer.text)
  return [answer.headers['set-cookie'] ?? []]
    .flat()
    .map(line => line.split(';')[0])
    .join('; ')
}

const readConsole = (path: string) => stand.ask('GET', `/console${path}`, { headers: { cookie } })

/** A model, an outdated unit, a unit with own values, and the model's history, all with protected values. */
async function makeFamily(category: string, fields: readonly Field[]) {
  const made = await api('POST', '/products', { category, data: fill(fields, MARK) })
  assert.equal(made.status, 201, made.text)
  const { id } = made.json.data
  const issue = async (unit: object) => {
    const answer = await api('POST', `/products/${id}/children`, { level: 'item', ...unit })
    assert.equal(answer.status, 201, answer.text)
    return String(answer.json.data.id)
  }
  const unit = await issue({ serial: 'S1' })
  const { gtin: _, ...own } = fill(fields, MARK)
  const withOwn = await issue({ serial: 'S2', data: own })
  const { gtin: __, ...corrected } = fill(fields, MARK + 1)
  const change = { data: corrected, change_type: 'correction' }
  assert.equal((await api('PATCH', `/products/${id}`, change)).status, 200)
  await api('POST', `/products/${unit}/archive`)
  await api('POST', `/products/${unit}/restore`)
  return { id: String(id), unit, withOwn, gtin: String(made.json.data.gtin) }
}

describe('protected values', () => {
  const families: Awaited<ReturnType<typeof makeFamily>>[] = []
  before(async () => {
    for (const { id, fields } of allCategories()) {
      for (const mark of [MARK, MARK + 1]) await storeFilesOf(stand, account, fill(fields, mark))
      families.push(await makeFamily(id, fields))
    }
  })

  test('are in the data of the account itself', async () => {
    for (const { id } of families) {
      const { text } = await api('GET', `/products/${id}`)
      assert.ok(text.includes(String(MARK + 1)), text)
    }
  })

  test('are in no webhook, and not in its log, which keeps what receivers answer', async () => {
    await stand.worker().drain()
    assert.ok(receiver.received.length >= 6 * families.length, `${receiver.received.length} received`)
    for (const { text, headers } of receiver.received) assertHides({ text, headers }, 'webhook')
    const events = await stand.sql<{ data: string }[]>`select data::text as data from event`
    for (const { data } of events) assertHides({ text: data, headers: {} }, 'event')
    const list = await readConsole('/webhooks')
    const [, id] = list.text.match(/\/webhooks\/(\w{26})/) ?? []
    const log = await readConsole(`/webhooks/${id}`)
    assert.equal(log.status, 200)
    assert.match(log.text, /product\.created/)
    for (const answer of [list, log]) assertHides(answer, 'log of deliveries')
  })

  test('are not in files for others: the list for suppliers, and exported pages', async () => {
    for (const { id } of families) {
      const file = await readConsole(`/products/${id}/readiness.csv`)
      assert.equal(file.status, 200, file.text)
      assertHides(file, 'list for suppliers')
    }
    const folder = await temporaryFolder()
    const pages = { clock: systemClock, addresses: ADDRESSES, nsUrl: `${ADDRESSES.publicUrl}/ns/dpp` }
    const setup = {
      openPool: poolOfOne(database),
      clock: systemClock,
      publicUrl: ADDRESSES.publicUrl,
      namespace: 'ns/dpp',
      openPassport: passportsOf({ ...stand.setup, sql: stand.sql, ...pages }),
      async fetchPage(path: string, accept: string) {
        const { status, headers, text } = await stand.ask('GET', path, { headers: { accept } })
        return { status, type: String(headers['content-type']), body: Buffer.from(text) }
      },
    }
    const dir = folder.file('site')
    const exported = await stand.account({ plan: 'enterprise' })
    const [{ id: category, fields } = assert.fail()] = allCategories().filter(({ id }) => id === 'battery')
    const data = fill(fields, MARK)
    await storeFilesOf(stand, exported, data)
    // Both have the same files: either's bytes may be sent.
    const store = { sql: stand.sql, mediaStore: stand.setup.media.mediaStore }
    for (const { id } of [account, exported]) await storeBytes(store, id)
    const made = await api('POST', '/products', { category, data }, exported.key)
    assert.equal(made.status, 201, made.text)
    await exportStaticSite(setup, { accountId: exported.id, dir })
    const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter(one => one.isFile())
    assert.ok(files.length > 20, `${files.length} files`)
    for (const { parentPath, name } of files)
      assertHides({ text: await readFile(join(parentPath, name), 'utf8'), headers: {} }, name)
    await folder.remove()
  })

  test('are in no error: of validation, of conflicts, of taken GTINs, of pages', async () => {
    for (const { id, unit, gtin } of families) {
      const body = { data: { productName: 7, weightKg: 'x', zzz: 1 } }
      const taken = { category: 'textile', data: { productName: 'x', gtin } }
      const answers = [
        await api('PATCH', `/products/${id}`, body),
        await api('PATCH', `/products/${id}`, { data: {} }, account.key, { 'if-match': '"v9"' }),
        await api('POST', '/products', taken),
        await api('POST', '/products', taken, other.key),
        await api('POST', '/products/bulk', { items: [taken] }, other.key),
        await api('POST', `/products/${id}/children`, { level: 'item', serial: 'S1' }),
        await api('GET', `/products/${id}/versions/99`),
        await stand.ask('GET', `/p/${id}?version=99`, { headers: { accept: 'text/html' } }),
        await stand.ask('GET', `/p/${unit}/x`, { headers: { accept: 'text/html' } }),
      ]
      for (const answer of answers) {
        assert.ok(answer.status >= 400, `${answer.status} ${answer.text}`)
        assertHides(answer, answer.text.slice(0, 200))
      }
    }
  })

  test('are in no answer to another account', async () => {
    for (const { id, unit, withOwn, gtin } of families) {
      const rests = ['', '/versions', '/versions/1', '?at=2099-01-01T00:00:00Z', '/children', '/readiness']
      for (const path of [id, unit, withOwn].flatMap(one => rests.map(rest => `/products/${one}${rest}`)))
        assert.equal((await api('GET', path, undefined, other.key)).status, 404, path)
      const found = [
        await api('GET', `/products?gtin=${gtin}`, undefined, other.key),
        await api('GET', '/readiness', undefined, other.key),
        await api('POST', '/drafts', { product_id: id, data: {} }, other.key),
      ]
      for (const answer of found) assertHides(answer, answer.text.slice(0, 200))
    }
  })

  test('are not in the history for the public, nor in what leads there', async () => {
    for (const { id, unit, withOwn, gtin } of families) {
      const queries = ['', '?version=1', '?at=2099-01-01T00:00:00Z', '?version=1&lang=de', '?format=jsonld']
      for (const format of DOCUMENT_FORMATS)
        queries.push(`?format=${format.id}`, `?format=${format.id}&version=1`)
      const pages = [id, unit, withOwn].flatMap(one => queries.map(query => `/p/${one}${query}`))
      for (const path of [...pages, '/sitemap.xml', `/01/0${gtin}?linkType=all`])
        assertHides(await stand.ask('GET', path), path)
      assertHides(await api('GET', `/products/${id}/snippet`), 'snippet')
    }
  })
})

describe('a draft', () => {
  test('is at no public address, for no access link and no other account', async () => {
    const battery = allCategories().find(({ id }) => id === 'battery')
    assert.ok(battery)
    const data = { ...plant(battery.fields, () => DRAFT_MARK), sku: `draft ${DRAFT_MARK}`, gtin: nextGtin() }
    await storeFilesOf(stand, account, data)
    const made = await api('POST', '/drafts', { category: 'battery', data, note: `note ${DRAFT_MARK}` })
    assert.equal(made.status, 201, made.text)
    const { id } = made.json.data
    const { gtin: _, ...change } = data
    const product = (await api('GET', '/products?category=battery')).json.data[0].id
    const prepared = await api('POST', '/drafts', { product_id: product, data: change })
    assert.equal(prepared.status, 201, prepared.text)
    const bearers = [undefined, ...(await openLinks(stand, account))]
    for (const one of [id, prepared.json.data.id])
      for (const authorization of bearers) await assertUnreachable(one, data.gtin, authorization)
    for (const authorization of bearers)
      for (const query of ['', '?format=jsonld', '?version=1']) {
        const headers = authorization === undefined ? {} : { authorization }
        const answer = await stand.ask('GET', `/p/${product}${query}`, { headers })
        assert.equal(answer.status, 200)
        assert.ok(
          !wholeText(answer).includes(String(DRAFT_MARK)),
          'the page of a product with a prepared change',
        )
      }
    await assertForeign(id)
    await assertForeign(prepared.json.data.id)
    const events = await stand.sql`select id from event where data::text like ${`%${DRAFT_MARK}%`}`
    assert.equal(events.length, 0)
    assertHides(await api('GET', '/products?limit=100'), 'list of products')
    assertHides(await stand.ask('GET', '/sitemap.xml'), 'sitemap')
  })
})

async function openLinks({ clock }: Pick<Harness, 'clock'>, { ctx }: TestAccount): Promise<string[]> {
  const expiresAt = new Date(clock.now().getTime() + 3_600_000)
  const link = { passportId: undefined, expiresAt, label: 'leaks', addresses: ADDRESSES }
  const made = await Promise.all(LINK_AUDIENCES.map(audience => createAccessLink(ctx, { ...link, audience })))
  return made.map(({ token }) => `Bearer ${token}`)
}

async function assertUnreachable(id: string, gtin: string, authorization: string | undefined) {
  const headers = authorization === undefined ? {} : { authorization }
  const paths = ['', '?format=jsonld', '?version=1', '?at=2099-01-01T00:00:00Z', '/qr.svg', '?lang=de']
  paths.push(...DOCUMENT_FORMATS.map(format => `?format=${format.id}`))
  const all = [...paths.map(rest => `/p/${id}${rest}`), `/01/0${gtin}`, `/01/0${gtin}?linkType=all`]
  for (const path of all) {
    const answer = await stand.ask('GET', path, { headers })
    // A QR symbol of an id says nothing about it.
    if (!path.endsWith('/qr.svg')) assert.equal(answer.status, 404, path)
    assertHides(answer, path)
  }
  await assert.rejects(
    createAccessLink(account.ctx, {
      passportId: parseId(id),
      audience: 'authority',
      label: 'x',
      addresses: ADDRESSES,
      expiresAt: new Date(stand.clock.now().getTime() + 3_600_000),
    }),
    { code: 'not_found' },
  )
}

/** Nor does an account find its own draft among its products. */
async function assertForeign(id: string) {
  for (const [method, rest, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { data: {} }],
    ['POST', '/publish', {}],
    ['DELETE', '', undefined],
  ] as const) {
    const answer = await api(method, `/drafts/${id}${rest}`, body, other.key)
    assert.equal(answer.status, 404, `${method} ${rest}`)
    assertHides(answer, `${method} ${rest}`)
  }
  assertHides(await api('GET', '/drafts', undefined, other.key), 'drafts of another account')
  for (const rest of ['', '/versions', '/readiness', '/scans', '/snippet', '/qr', '?at=2099-01-01T00:00:00Z'])
    assert.equal((await api('GET', `/products/${id}${rest}`)).status, 404, rest)
  assert.equal((await api('POST', '/drafts', { product_id: id, data: {} })).status, 404)
}
