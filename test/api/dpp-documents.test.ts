/**
 * Tests the documents of passports in each format that the table has: no reader finds in one what they may
 * not see, and the addresses that a document names answer.
 */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { strFromU8, unzipSync } from 'fflate'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { allCategories, type CompleteCategory } from '../../src/categories/catalogue.ts'
import { AUDIENCES } from '../../src/categories/field.ts'
import { requireUuid } from '../../src/kernel/crypto/ids.ts'
import type { DataObject } from '../../src/kernel/values/data-object.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { DOCUMENT_FORMATS } from '../../src/passports/documents/formats.ts'
import { findWholePassport } from '../../src/passports/read/find.ts'
import { IS_FULL } from '../full.ts'
import { ADDRESSES, type Harness, nextGtin, startHarness, type TestAccount } from '../harness.ts'
import { storeFilesOf } from '../media/stored-files.ts'
import {
  containsText,
  listPlantedTexts,
  listReaders,
  type PlantedReader,
  type PlantedText,
  plant,
} from '../site/planted.ts'
import { createStrictProcessor } from '../standards/expand.ts'

type Family = { category: CompleteCategory; ids: string[]; gtin: string; planted: PlantedText[] }

const MARK = 700_411
/** Formats with every value; others leave some out. */
const HAVE_ALL: readonly string[] = ['en', 'en-full', 'aas', 'aasx']
const FREE_FORM = 'free-form-700411'

let t: Harness
let account: TestAccount
const families: Family[] = []
const credentials: { name: string; reader: PlantedReader; headers: Record<string, string> }[] = []

async function create(path: string, body: object) {
  const { status, json, text } = await t.ask('POST', `/api/v1${path}`, { key: account.key, body })
  assert.equal(status, 201, text)
  return json.data
}

/** A model, a batch and one of its items, with every field and a key of no field. */
async function makeFamily(category: CompleteCategory): Promise<Family> {
  const gtin = nextGtin()
  const data = { ...plant(category.fields, () => MARK), sku: `${category.id}-${MARK}`, gtin }
  await storeFilesOf(t, account, data)
  const model = await create('/products', { category: category.id, data: { ...data, freeForm: FREE_FORM } })
  const lot = await create(`/products/${model.id}/children`, { level: 'batch', lot: 'L1' })
  const item = await create(`/products/${lot.id}/children`, { level: 'item', serial: 'S1' })
  const planted = listPlantedTexts(category.fields, { ...data, gtin: undefined })
  return { category, ids: [model.id, lot.id, item.id], gtin, planted }
}

before(async () => {
  t = await startHarness()
  account = await t.account({ plan: 'enterprise' })
  const other = await t.account()
  await setSigning({ ...account.ctx, secretCipher: t.setup.secretCipher }, true)
  for (const category of allCategories()) families.push(await makeFamily(category))
  const add = (name: string, reader: PlantedReader, token?: string) =>
    credentials.push({
      name,
      reader,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
  add('nobody', 'public')
  add('a key of another account', 'public', other.key)
  add('its own key', 'owner', account.key)
  for (const audience of ['legitimate_interest', 'authority'] as const) {
    const link = { passportId: undefined, audience, label: 'leaks', addresses: ADDRESSES }
    const { token } = await createAccessLink(account.ctx, { ...link, expiresAt: new Date('2999-01-01') })
    add(`a link for ${audience}`, audience, token)
  }
})
after(() => t.close())

/** Everything in a document: files of an archive, and parts of tokens in base64url. */
function readAll(body: string | Buffer): string {
  const bytes = Buffer.from(body)
  if (bytes.subarray(0, 2).toString() === 'PK')
    return Object.values(unzipSync(bytes))
      .map(file => strFromU8(file))
      .join('\n')
  const text = bytes.toString()
  const parts = Array.from(text.matchAll(/[\w-]{40,}/g), ([part]) =>
    Buffer.from(part, 'base64url').toString(),
  )
  return [text, ...parts].join('\n')
}

function assertSeesOnly(all: string, reader: PlantedReader, family: Family, where: string): void {
  assert.ok(!all.includes(FREE_FORM), `${where}: a key of no field`)
  for (const { path, readers, text } of family.planted)
    if (!readers.includes(reader)) assert.ok(!containsText(all, text), `${where}: ${path} is "${text}"`)
}

function assertSeesAll(all: string, reader: PlantedReader, { planted }: Family, where: string): void {
  const seen = planted.filter(({ readers }) => readers.includes(reader))
  const missing = seen.filter(({ text }) => !containsText(all, text))
  assert.deepEqual(missing, [], `${where} for ${reader}`)
}

const listHidden = (family: Family, reader: PlantedReader) =>
  family.planted.filter(({ readers }) => !readers.includes(reader))

async function read(path: string, headers: Record<string, string>) {
  const { statusCode, rawPayload, headers: sent } = await t.app.inject({ method: 'GET', url: path, headers })
  return { status: statusCode, all: readAll(rawPayload), sent: JSON.stringify(sent) }
}

/** Where a document of the passport may be. */
function listAddresses({ gtin }: Family, id: string): { path: string; accept?: string }[] {
  const types = DOCUMENT_FORMATS.flatMap(({ mediaTypes }) => mediaTypes)
  const byProduct = encodeURIComponent(`https://id.gs1.org/01/${gtin.padStart(14, '0')}`)
  const dpp = [
    `/dpps/${id}`,
    `/dpps/${id}?representation=full`,
    `/dpps/${id}?version=1`,
    `/dppsByProductId/${byProduct}`,
    `/dppsByIdAndDate/${id}?date=2999-01-01T00:00:00Z`,
  ]
  return [
    ...dpp.map(path => ({ path: `/dpp/v1${path}` })),
    ...[...types, 'application/ld+json'].flatMap(accept => [
      { path: `/dpp/v1/dpps/${id}`, accept },
      { path: `/p/${id}`, accept },
      { path: `/01/${gtin.padStart(14, '0')}`, accept },
    ]),
    ...[...DOCUMENT_FORMATS.map(one => one.id), 'jsonld', 'html', 'linkset'].flatMap(format => [
      { path: `/p/${id}?format=${format}` },
      { path: `/p/${id}?format=${format}&version=1` },
    ]),
  ]
}

const READERS: readonly PlantedReader[] = [...AUDIENCES, 'owner']
const getFamily = (id: string) => families.find(({ category }) => category.id === id) ?? assert.fail(id)
const getFormat = (id: string) => DOCUMENT_FORMATS.find(one => one.id === id) ?? assert.fail(id)

describe('a document', () => {
  test('has planted values of every audience, so these tests can fail', () => {
    for (const family of families) {
      assert.ok(family.planted.length > 60, `${family.planted.length} values`)
      assert.ok(listHidden(family, 'public').length > 5)
      assert.ok(listHidden(family, 'legitimate_interest').length > 0)
      assert.throws(() =>
        assertSeesOnly(listHidden(family, 'public')[0]?.text ?? '', 'public', family, 'this'),
      )
    }
  })

  for (const { id, format } of allCategories().flatMap(({ id }) =>
    DOCUMENT_FORMATS.map(one => ({ id, format: one.id })),
  ))
    test(`${id}, ${format}: each reader gets what they may see, and nothing else`, async () => {
      const family = getFamily(id)
      const { build, isAlwaysPublic } = getFormat(format)
      for (const passportId of family.ids) {
        const row = (await findWholePassport(t.sql, requireUuid(passportId, 'product'))) ?? assert.fail()
        for (const reader of READERS) {
          const all = readAll(await build(t.setup, row, reader))
          const seen = isAlwaysPublic ? 'public' : reader
          assertSeesOnly(all, seen, family, `${format} for ${reader}`)
          if (HAVE_ALL.includes(format)) assertSeesAll(all, seen, family, format)
        }
      }
    })

  for (const { id } of allCategories())
    test(`${id}: no address shows a reader more, whatever they ask for`, async () => {
      const family = getFamily(id)
      // Batteries have most restricted fields. Of other categories all levels only with `npm run test:full`.
      const askedIds = IS_FULL || id === 'battery' ? family.ids : family.ids.slice(-1)
      for (const { name, reader, headers } of credentials) {
        let found = 0
        for (const { path, accept } of askedIds.flatMap(one => listAddresses(family, one))) {
          const { status, all, sent } = await read(path, { ...headers, ...(accept && { accept }) })
          assert.ok(status < 500, `${status} ${path}`)
          assertSeesOnly(all + sent, reader, family, `${path} as ${accept} for ${name}`)
          if (status === 200) found++
        }
        assert.ok(found >= 16, `${found} documents for ${name}`)
      }
    })

  for (const { id } of allCategories())
    test(`${id}: an element that the reader may not see is missing`, async () => {
      const family = getFamily(id)
      const tops = new Map(family.category.fields.map(({ name, audience = AUDIENCES }) => [name, audience]))
      for (const { reader, headers } of credentials)
        for (const [name, audience] of tops) {
          const path = `/dpp/v1/dpps/${family.ids[0]}/elements/$.${name}`
          const { status } = await t.ask('GET', path, { headers })
          assert.equal(status, listReaders(audience).includes(reader) ? 200 : 404, `${name} for ${reader}`)
        }
    })
})

/** A document in JSON, or in the payload of a JWT or SD-JWT; undefined if it is neither. */
function parseDocument(text: string): DataObject | undefined {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+(?:~|$)/.exec(text) ?? []
  if (payload === undefined && !text.startsWith('{')) return undefined
  return JSON.parse(payload === undefined ? text : Buffer.from(payload, 'base64url').toString())
}

describe('a document in JSON-LD', () => {
  /** The context that the full form names is that of the compressed one. */
  const formats = DOCUMENT_FORMATS.filter(({ id }) => id !== 'en-full')
  const listTests = () =>
    allCategories().flatMap(({ id }) => formats.map(({ id: format }) => ({ id, format })))

  for (const { id, format } of listTests())
    test(`${id}, ${format}: drops no member when it is expanded strictly`, async () => {
      const { expand } = createStrictProcessor(t.setup.nsUrl)
      for (const passportId of getFamily(id).ids) {
        const row = (await findWholePassport(t.sql, requireUuid(passportId, 'product'))) ?? assert.fail()
        // The owner's has all members that others have.
        for (const reader of IS_FULL ? READERS : (['public', 'owner'] as const)) {
          const document = parseDocument(String(await getFormat(format).build(t.setup, row, reader)))
          if (document?.['@context'] !== undefined) assert.equal((await expand(document)).length, 1)
        }
      }
    })

  test('is never in the full form: 406, or JSON where that is accepted, too', async () => {
    const path = `/dpp/v1/dpps/${families[0]?.ids[0]}?representation=full`
    const ask = (accept: string) => t.ask('GET', path, { headers: { accept } })
    assert.equal((await ask('application/ld+json')).status, 406)
    const { status, headers } = await ask('application/ld+json, application/json;q=0.5')
    assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8'])
  })

  test('is each one that has a context, with its proof', async () => {
    const row =
      (await findWholePassport(t.sql, requireUuid(families[0]?.ids[0] ?? '', 'product'))) ?? assert.fail()
    const document = parseDocument(String(await getFormat('en').build(t.setup, row, 'public')))
    assert.ok(document?.['@context'] && document.proof)
  })
})

/** Texts anywhere in a document that begin with an address of ours. */
function listTextsWith(value: unknown, start: string): string[] {
  if (typeof value === 'string') return value.startsWith(start) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(one => listTextsWith(one, start))
}

describe('what a document names', () => {
  test('every address that a document names for its meaning answers, with the meaning', async () => {
    const { nsUrl } = t.setup
    const named = new Set<string>()
    for (const { ids } of families) {
      const row = (await findWholePassport(t.sql, requireUuid(ids[2] ?? '', 'product'))) ?? assert.fail()
      for (const { build } of DOCUMENT_FORMATS) {
        const document = parseDocument(String(await build(t.setup, row, 'owner')))
        for (const one of listTextsWith(document, nsUrl)) named.add(one)
      }
    }
    // Names of submodels are no addresses.
    const addresses = [...named].filter(one => !one.startsWith(`${nsUrl}/aas/`))
    const page = (await t.ask('GET', new URL(nsUrl).pathname, { headers: { accept: 'text/html' } })).text
    assert.ok(addresses.length > 60, `${addresses.length} addresses`)
    for (const address of addresses) {
      const { pathname, hash } = new URL(address)
      if (hash !== '') {
        assert.ok(page.includes(`<div id="${hash.slice(1)}">`), address)
        continue
      }
      const { status, headers, text } = await t.ask('GET', pathname, {
        headers: { accept: 'application/ld+json' },
      })
      assert.equal(status, 200, address)
      assert.equal(headers['access-control-allow-origin'], '*')
      // Type metadata of SD-JWTs are plain JSON.
      assert.match(headers['content-type'] ?? '', /^application\/(?:(?:ld|schema)\+)?json$/, address)
      assert.ok(Object.keys(JSON.parse(text)).length > 0, address)
    }
  })
})
