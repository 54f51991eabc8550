/** Tests what the page says about signatures: for whom, how to check, and that no page view signs. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { nameOnly } from '../../src/accounts/identity/identity.ts'
import { reencryptIssuerSecrets, rotateSigningKey, setSigning } from '../../src/accounts/issuer/issuer.ts'
import { verifyAccount } from '../../src/accounts/issuer/verify-account.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { LANGUAGES } from '../../src/i18n/catalogue.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import type { Sql } from '../../src/kernel/db/database.ts'
import { verifyProof } from '../../src/standards/signing/data-integrity.ts'
import { createKeyFinder } from '../../src/standards/signing/did-document.ts'
import { endPools } from '../database.ts'
import { ADDRESSES, CORES, type Harness, startHarness, type TestAccount } from '../harness.ts'

const OPERATOR = 'Nord & Licht <GmbH>'
const LINK = /\/signature\?/
const SIGNED = /Signed for Nord &#38; Licht &#60;GmbH&#62;/
const NOT_VERIFIED =
  /Signed by the service Carnet \(carnet\.example\) for an account that it has not verified/

let t: Harness
let account: TestAccount
let ctx: TestAccount['ctx'] & { secretCipher: Harness['setup']['secretCipher'] }
let id: string
let statements = 0
let counted: Sql
let app: FastifyInstance

/** The page on a server whose statements are counted. */
const view = async (query = '', passport = id) => {
  const { statusCode, headers, body } = await app.inject({
    url: `/p/${passport}${query}`,
    headers: { accept: 'text/html', 'accept-language': 'en' },
  })
  assert.equal(statusCode, 200)
  return { headers, body }
}

const create = async () => {
  const economicOperator = { ...(CORES.textile.economicOperator as object), legalName: OPERATOR }
  const body = { category: 'textile', data: { ...CORES.textile, economicOperator } }
  return (await t.ask('POST', '/api/v1/products', { key: account.key, body })).json.data.id
}

/** How many statements the first view of a new passport takes. */
async function countStatements(): Promise<number> {
  const passport = await create()
  t.clock.advance(1_000)
  const before = statements
  await view('', passport)
  return statements - before
}

/** Opens the page to which the passport's page links, and returns the addresses of the two files there. */
async function findFiles(body: string): Promise<string[]> {
  const [, href = ''] = /<a href="https:\/\/carnet\.example([^"]+\/signature\?[^"]+)"/.exec(body) ?? []
  const page = await open(href)
  assert.equal(page.statusCode, 200)
  assert.match(page.body, SIGNED)
  return [
    ...page.body.matchAll(/<a href="(https:\/\/carnet\.example\/[^"]+(?:format&#61;en[^"]*|did\.json))"/g),
  ].map(([, url]) => url ?? '')
}

const open = (href: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  app.inject({ url: unescapeUrl(href), headers, remoteAddress: `10.1.0.${++opened}` })
let opened = 0

const unescapeUrl = (href: string) =>
  href.replaceAll('&#61;', '=').replaceAll('&#38;', '&').replaceAll('&amp;', '&')

const fetchJson = async (url: string) =>
  (await t.ask('GET', unescapeUrl(url.replace(ADDRESSES.publicUrl, '')))).json

before(async () => {
  t = await startHarness()
  t.clock.set('2026-11-23T10:00:00Z')
  counted = await t.openPools({ onStatementEnd: () => statements++ })
  app = createApp({ ...t.setup, sql: counted })
  await app.ready()
  account = await t.account()
  ctx = { ...account.ctx, secretCipher: t.setup.secretCipher }
  id = await create()
})
after(async () => {
  await app.close()
  await endPools(counted)
  await t.close()
})

describe('the signature on the page', () => {
  test('is not mentioned before the account signs', async () => {
    const { body } = await view()
    assert.doesNotMatch(body, LINK)
    assert.equal((await open(`/p/${id}/signature`)).statusCode, 404)
    assert.match((await open(`/p/${id}/signature`, { accept: 'application/json' })).body, /"not_found"/)
  })

  test('appears on cached pages within a second, for the verified company alone, and costs no statement', async () => {
    const unsigned = await countStatements()
    const before = await view()
    await setSigning(ctx, true)
    t.clock.advance(1_000)
    const { headers, body } = await view()
    assert.match(body, NOT_VERIFIED)
    assert.doesNotMatch(body, SIGNED)
    assert.match((await open(`/p/${id}/signature`)).body, NOT_VERIFIED)
    await verifyAccount(ctx, nameOnly(OPERATOR), 'Operator')
    t.clock.advance(1_000)
    const verified = await view()
    assert.match(verified.body, SIGNED)
    assert.notEqual(verified.headers.etag, headers.etag)
    assert.notEqual(headers.etag, before.headers.etag)
    assert.equal(await countStatements(), unsigned)
  })

  test('is not made by a page view', async () => {
    for (const { code } of LANGUAGES) assert.match((await view(`?lang=${code}`)).body, LINK)
    assert.equal((await t.sql`select from signed_document`).length, 0)
  })

  test('can be checked with the two files to which the page links', async () => {
    const [documentUrl = '', keysUrl = ''] = await findFiles((await view()).body)
    const document = await fetchJson(documentUrl)
    verifyProof(document, createKeyFinder(await fetchJson(keysUrl)))
    assert.equal(document.economicOperator.legalName, OPERATOR)
  })

  test('leads on the page of an earlier version to that version', async () => {
    const body = { data: { weightGrams: 300 } }
    await t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body })
    t.clock.advance(1_000)
    const [documentUrl = '', keysUrl = ''] = await findFiles((await view('?version=1')).body)
    const document = await fetchJson(documentUrl)
    assert.equal(document.passportRecord.versionNo, 1)
    verifyProof(document, createKeyFinder(await fetchJson(keysUrl)))
    const [current = ''] = await findFiles((await view()).body)
    assert.equal((await fetchJson(current)).passportRecord.versionNo, 2)
  })

  test('is not claimed by a server that cannot decrypt the key', async () => {
    const others = ['another secret key, also long enough', t.setup.secretKey] as const
    const next = createSecretCipher(others[0], [others[1]])
    await reencryptIssuerSecrets({ sql: t.sql, clock: t.clock }, next)
    t.clock.advance(1_000)
    const other = createApp({ ...t.setup, sql: counted })
    const { body } = await other.inject({ url: `/p/${id}`, headers: { accept: 'text/html' } })
    assert.doesNotMatch(body, LINK)
    await other.close()
    await rotateSigningKey(ctx)
    t.clock.advance(1_000)
    assert.match((await view()).body, SIGNED)
  })

  test('disappears within a second when the account stops signing', async () => {
    await setSigning(ctx, false)
    t.clock.advance(1_000)
    assert.doesNotMatch((await view()).body, LINK)
  })
})
