/**
 * Tests that pictures and documents cost no statement each: lists, pages and files take as many with a hundred
 * as with one.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createPerson } from '../../src/accounts/people/people.ts'
import { setPassword } from '../../src/accounts/people/set-password.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { idFromUuid } from '../../src/kernel/crypto/ids.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { createPassport } from '../../src/passports/write/create.ts'
import { endPools } from '../database.ts'
import { ADDRESSES, type Harness, newProduct, startHarness, type TestAccount } from '../harness.ts'
import { storeBytes, storeFileRows } from './stored-files.ts'

const MANY = 100
const PASSWORD = 'four words that nobody guesses'

let t: Harness
let app: FastifyInstance
let counted: Sql
let statements = 0
let one: TestAccount
let many: TestAccount
let files = 0

const nameFiles = (count: number): string[] =>
  Array.from({ length: count }, () => (++files).toString(16).padStart(64, 'f'))

type Contents = { pictures: readonly string[]; documents: readonly string[] }

async function make({ ctx }: TestAccount, { pictures, documents }: Contents): Promise<string> {
  const data = {
    pictures: pictures.map(media => ({ media, alt: { en: 'A shirt', de: 'Ein Hemd' } })),
    documents: documents.map(media => ({ title: { en: 'Care' }, media, access: 'public' })),
  }
  const { passport } = await createPassport(ctx, { ...newProduct(data), strict: false })
  return idFromUuid(passport.id)
}

async function storeFiles({ ctx }: TestAccount, { pictures, documents }: Contents): Promise<Contents> {
  await storeFileRows(ctx, { kind: 'picture', ids: pictures })
  await storeFileRows(ctx, { kind: 'document', ids: documents })
  return { pictures, documents }
}

/** How many statements the second request takes: the first one may also look up who asks. */
async function count(url: string, headers: Record<string, string>): Promise<number> {
  let before = 0
  for (let i = 0; i < 2; i++) {
    before = statements
    await open(url, headers)
  }
  return statements - before
}

async function countFirst(url: string): Promise<number> {
  const before = statements
  await open(url, { accept: 'text/html' })
  return statements - before
}

let opened = 0
async function open(url: string, headers: Record<string, string>): Promise<void> {
  const { statusCode, body } = await app.inject({ url, headers, remoteAddress: `10.2.0.${++opened}` })
  assert.equal(statusCode, 200, body)
}

async function signIn({ ctx, id }: TestAccount): Promise<string> {
  const email = `owner-${id}@testmarke.example`
  const { token } = await createPerson(ctx, { accountId: id, email, role: 'owner' })
  await setPassword(ctx, { token, password: PASSWORD })
  const { statusCode, headers } = await app.inject({
    method: 'POST',
    url: '/console/sign-in',
    payload: `${new URLSearchParams({ email, password: PASSWORD })}`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: ADDRESSES.publicUrl,
      'sec-fetch-site': 'same-origin',
    },
  })
  assert.equal(statusCode, 303)
  return [headers['set-cookie'] ?? []]
    .flat()
    .map(line => line.split(';')[0])
    .join('; ')
}

describe('statements for files', () => {
  let shared: Contents

  before(async () => {
    t = await startHarness()
    t.clock.set('2026-11-24T10:00:00Z')
    counted = await t.openPools({ onStatementEnd: () => statements++ })
    app = createApp({ ...t.setup, sql: counted })
    await app.ready()
    one = await t.account({ plan: 'enterprise' })
    many = await t.account({ plan: 'enterprise' })
    await make(one, await storeFiles(one, { pictures: nameFiles(2), documents: nameFiles(1) }))
    shared = await storeFiles(many, { pictures: nameFiles(MANY), documents: nameFiles(1) })
    await Promise.all(
      shared.pictures.map((picture, i) =>
        make(many, {
          pictures: [picture, shared.pictures[(i + 1) % MANY] ?? picture],
          documents: shared.documents,
        }),
      ),
    )
  })
  after(async () => {
    await app.close()
    await endPools(counted)
    await t.close()
  })

  for (const query of ['limit=100', 'limit=100&updated_since=2000-01-01']) {
    test(`the list of the API takes as many for 100 products as for one: ${query}`, async () => {
      const url = `/api/v1/products?${query}`
      const few = await count(url, { authorization: `Bearer ${one.key}` })
      assert.equal(await count(url, { authorization: `Bearer ${many.key}` }), few)
    })
  }

  test('so does the list of the console, which shows a picture in each row', async () => {
    const few = await count('/console/products', { cookie: await signIn(one) })
    assert.equal(await count('/console/products', { cookie: await signIn(many) }), few)
  })

  test('so does the library, which names each document as a product does', async () => {
    const accounts = [await t.account({ plan: 'enterprise' }), await t.account({ plan: 'enterprise' })]
    const counts: number[] = []
    for (const [i, account] of accounts.entries()) {
      const files = await storeFiles(account, {
        pictures: nameFiles(1),
        documents: nameFiles(i === 0 ? 2 : 23),
      })
      for (const id of files.documents.slice(1)) await make(account, { pictures: [], documents: [id] })
      counts.push(await count('/console/media', { cookie: await signIn(account) }))
    }
    assert.equal(counts[1], counts[0])
  })

  test('a page takes as many with twelve pictures and twelve documents as with one', async () => {
    const of = async (size: number) =>
      make(one, await storeFiles(one, { pictures: nameFiles(size), documents: nameFiles(size) }))
    const [first, small, large] = [await of(1), await of(1), await of(12)]
    // The brand of the account is read with the first page.
    await countFirst(`/p/${first}`)
    const few = await countFirst(`/p/${small}`)
    assert.ok(few > 0)
    assert.equal(await countFirst(`/p/${large}`), few)
  })

  test('a document takes as many if 100 passports have it as if one has, and one when it is known', async () => {
    const alone = await storeFiles(one, { pictures: [], documents: nameFiles(1) })
    await make(one, alone)
    for (const { id } of [one, many])
      await storeBytes({ sql: t.sql, mediaStore: t.setup.media.mediaStore }, id)
    const [few, all] = [`/d/${alone.documents}`, `/d/${shared.documents}`]
    assert.equal(await countFirst(all), await countFirst(few))
    for (const url of [few, all]) assert.equal(await countFirst(url), 1, url)
  })
})
