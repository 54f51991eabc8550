/**
 * Tests whom signed documents name as their issuer: a company that the operator has verified, or the service.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AccountIdentity, parseIdentity } from '../../src/accounts/identity/identity.ts'
import { setSigning } from '../../src/accounts/issuer/issuer.ts'
import { verifyAccount, withdrawVerification } from '../../src/accounts/issuer/verify-account.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { getLabels, LANGUAGES } from '../../src/i18n/catalogue.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { DOCUMENT_FORMATS } from '../../src/passports/documents/formats.ts'
import { createManifest } from '../../src/passports/documents/sign-manifest.ts'
import { ADDRESSES, type Harness, startHarness, type TestAccount } from '../harness.ts'

const NOT_VERIFIED = 'Signed by the service Carnet (carnet.example) for an account that it has not verified'
/** Identifiers of a company that the account is not. */
const STATED = 'Stated Maker AG'
const IDENTITY: AccountIdentity = parseIdentity({
  legalName: 'Nordlicht GmbH',
  identifiers: [
    { scheme: 'vat', value: 'de 136 695 976' },
    { scheme: 'lei', value: '5493001KJTIIGC8Y1R12' },
    { scheme: 'gln', value: '9521234000006' },
    { scheme: 'eori', value: 'DE123456789012345' },
  ],
  hosts: ['Shop.Nordlicht.example'],
  gs1Prefixes: ['9521234'],
  dids: ['did:ebsi:zabc'],
})
const URIS = [
  'https://id.gs1.org/417/9521234000006',
  'urn:oasis:names:tc:ebcore:partyid-type:iso6523:0199:5493001KJTIIGC8Y1R12',
  'urn:oasis:names:tc:ebcore:partyid-type:unregistered:vat:DE136695976',
  'urn:oasis:names:tc:ebcore:partyid-type:unregistered:eori:DE123456789012345',
  'did:ebsi:zabc',
  'https://shop.nordlicht.example',
]

let t: Harness
let account: TestAccount
let ctx: TestAccount['ctx'] & { secretCipher: Harness['setup']['secretCipher'] }
let id: string
/** Who reads, by the headers of the request. */
const readers = new Map<string, Record<string, string>>()

before(async () => {
  t = await startHarness()
  account = await t.account()
  ctx = { ...account.ctx, secretCipher: t.setup.secretCipher }
  const { data } = CATEGORY_EXAMPLES.battery.value
  const manufacturingFacility = { facilityId: '9521234001003', name: 'Plant', country: 'DE' }
  const economicOperator = { ...data.economicOperator, legalName: STATED }
  const body = { category: 'battery', data: { ...data, economicOperator, manufacturingFacility } }
  id = (await t.ask('POST', '/api/v1/products', { key: account.key, body })).json.data.id
  await setSigning(ctx, true)
  readers.set('public', {}).set('owner', { authorization: `Bearer ${account.key}` })
  for (const audience of ['legitimate_interest', 'authority'] as const) {
    const input = { passportId: id, audience, label: audience, expiresAt: new Date('2100-01-01') }
    const { token } = await createAccessLink(account.ctx, { ...input, addresses: ADDRESSES })
    readers.set(audience, { authorization: `Bearer ${token}` })
  }
})
after(() => t.close())

const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())

type Named = { issuer: string; others: unknown[] }

/**
 * The issuer that a document names, and what it says besides of it; undefined for one without a signature.
 */
function findIssuer(format: string, text: string): Named | undefined {
  if (format === 'vc' || format === 'vc-jwt') {
    const { issuer } = format === 'vc' ? JSON.parse(text) : decode(text.split('.')[1])
    return { issuer: issuer.name, others: issuer.issuerAlsoKnownAs ?? [] }
  }
  if (format === 'sd-jwt') return { issuer: decode(text.split('.')[1]).issuerName, others: [] }
  if (format === 'en') return { issuer: JSON.parse(text).passportRecord.issuerName, others: [] }
  if (format === 'en-full') {
    const find = (elements: { elementId: string }[], name: string) =>
      elements.find(one => one.elementId === name) as never
    const record: { elements: never[] } = find(JSON.parse(text).elements, 'passportRecord')
    const element: { value: string } = find(record.elements, 'issuerName')
    return { issuer: element.value, others: [] }
  }
  return undefined
}

/** Documents of all formats for all readers. */
async function listIssuers(): Promise<[string, Named][]> {
  const found: [string, Named][] = []
  for (const [reader, headers] of readers)
    for (const { id: format } of DOCUMENT_FORMATS) {
      const { status, text } = await t.ask('GET', `/p/${id}?format=${format}`, { headers })
      assert.equal(status, 200, `${format} for ${reader}`)
      const named = findIssuer(format, text)
      if (named !== undefined) found.push([`${format} for ${reader}`, named])
    }
  assert.ok(found.length >= 20)
  return found
}

const readDid = async () => {
  const { json } = await t.ask('GET', `/p/${id}?format=en`)
  const [, name] = /issuers:([a-z0-9]+)#/.exec(json.proof.verificationMethod) ?? []
  return (await t.ask('GET', `/issuers/${name}/did.json`)).json
}

const readManifest = async () =>
  (await createManifest({ ...t.setup, clock: t.clock }, ctx.accountId, [])).issuer

describe('the issuer of documents of an account that is not verified', () => {
  test('is the service in every format and for every reader', async () => {
    for (const [what, { issuer, others }] of await listIssuers()) {
      assert.equal(issuer, NOT_VERIFIED, what)
      assert.deepEqual(others, [], what)
    }
    assert.ok(!('alsoKnownAs' in (await readDid())))
    assert.partialDeepStrictEqual(await readManifest(), { name: NOT_VERIFIED, verified: false })
  })

  test('is the service on the page in every language, and no company', async () => {
    for (const { code } of LANGUAGES) {
      const sentence = getLabels(code).ui['signature.notVerified'].replace(
        '{service}',
        'Carnet (carnet.example)',
      )
      for (const path of [`/p/${id}?lang=${code}`, `/p/${id}/signature?lang=${code}`]) {
        const { text } = await t.ask('GET', path, { headers: { accept: 'text/html' } })
        assert.ok(text.includes(sentence), path)
      }
      const { text } = await t.ask('GET', `/p/${id}/signature?lang=${code}`, {
        headers: { accept: 'text/html' },
      })
      assert.doesNotMatch(text, new RegExp(STATED))
    }
    const { text } = await t.ask('GET', `/p/${id}/badge.svg`)
    assert.doesNotMatch(text, new RegExp(STATED))
  })
})

describe('the issuer of documents of a verified account', () => {
  test('is the approved company with the approved identifiers, whatever the data says', async () => {
    await verifyAccount(ctx, IDENTITY, 'Operator')
    for (const [what, { issuer, others }] of await listIssuers()) {
      assert.equal(issuer, 'Nordlicht GmbH', what)
      if (!what.startsWith('vc')) continue
      assert.deepEqual(
        others.map(one => (one as { id: string }).id),
        URIS.slice(0, 4),
      )
    }
    assert.partialDeepStrictEqual(await readManifest(), { name: 'Nordlicht GmbH', verified: true })
  })

  test('has a DID document that lists exactly what was approved', async () => {
    assert.deepEqual((await readDid()).alsoKnownAs, URIS)
  })

  test('is not named by the next signature after a withdrawal, also while documents are signed', async () => {
    const format = '?format=vc'
    const patch = (body: object) => t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body })
    await patch({ data: { productName: 'Signed during the withdrawal' } })
    const during = Array.from({ length: 8 }, () => t.ask('GET', `/p/${id}${format}`))
    await withdrawVerification(ctx)
    assert.equal((await t.ask('GET', `/p/${id}${format}`)).json.issuer.name, NOT_VERIFIED)
    for (const { json } of await Promise.all(during))
      assert.ok([NOT_VERIFIED, 'Nordlicht GmbH'].includes(json.issuer.name))
    for (const [what, { issuer }] of await listIssuers()) assert.equal(issuer, NOT_VERIFIED, what)
    const rows = await t.sql`
      select action from audit_entry where account_id = ${ctx.accountId} and action in ('account_verified', 'verification_withdrawn')
      order by id`
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['account_verified', 'verification_withdrawn'],
    )
  })
})
