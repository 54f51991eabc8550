/** Tests the credentials of `/dpp/v1` and their status lists, judged by independent implementations. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { getListFromStatusListJWT } from '@sd-jwt/jwt-status-list'
import { getSecretIssuer, rotateSigningKey, setSigning } from '../../src/accounts/issuer/issuer.ts'
import { findMetadataPath } from '../../src/api/dpp/issuer-documents.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import { requireUuid } from '../../src/kernel/crypto/ids.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { findSigner } from '../../src/passports/documents/sign-document.ts'
import { revokeCredential } from '../../src/passports/signed/revoke-credential.ts'
import { revokeKeyAndSignatures } from '../../src/passports/signed/revoke-key.ts'
import { verifyProof } from '../../src/standards/signing/data-integrity.ts'
import { createKeyFinder } from '../../src/standards/signing/did-document.ts'
import { signJws } from '../../src/standards/signing/jws.ts'
import { parseSignedJson } from '../../src/standards/signing/parse-signed-json.ts'
import { getSignaturePeriod } from '../../src/standards/signing/signature-period.ts'
import { readSignedText } from '../../src/standards/signing/signed-text.ts'
import { decodeStatusBits, isRevoked } from '../../src/standards/signing/status-list.ts'
import { emptyFolder } from '../cli/processes.ts'
import { IS_FULL } from '../full.ts'
import { ADDRESSES, type Answer, type Harness, startHarness, type TestAccount } from '../harness.ts'
import {
  BASE64URL,
  isProofValid,
  mutate,
  PRINTABLE,
  readJwt,
  readSdJwt,
  readSdJwtVc,
} from '../standards/judges.ts'
import { compileSchema } from '../standards/schemas.ts'

const VC = 'application/vc'
const VC_JWT = 'application/vc+jwt'
const SD_JWT = 'application/dc+sd-jwt'
/** The forms themselves get 1,000 in `test/standards/signing/` in each run. */
const MUTATIONS = IS_FULL ? 1_000 : 100

const SECRETS = {
  eori: 'DE998877665544332',
  stateOfHealth: 61.25,
  dueDiligence: 'https://planted.example/d',
  report: 'https://planted.example/report',
  audit: 'https://planted.example/audit',
}
const FACTS = {
  countryOfManufacture: 'DE',
  manufacturingFacility: { facilityId: '9521234003007', name: 'Werk Dresden', country: 'DE' },
}
const DATA = {
  ...CATEGORY_EXAMPLES.battery.value.data,
  ...FACTS,
  gtin: '9521234543213',
  economicOperator: {
    ...CATEGORY_EXAMPLES.battery.value.data.economicOperator,
    operatorId: '9521234003007',
    eori: SECRETS.eori,
  },
  stateOfHealth: SECRETS.stateOfHealth,
  dueDiligenceUrl: SECRETS.dueDiligence,
  documents: [
    { title: { en: 'Manual' }, url: 'https://shop.example/manual' },
    { title: { en: 'Report' }, url: SECRETS.report, access: 'restricted' },
    { title: { en: 'Audit' }, url: SECRETS.audit, access: 'authority' },
  ],
}
const assertFacts = compileSchema('untp-0.7.0-facts')

let t: Harness
let account: TestAccount
let battery: Answer['json']
let ctx: TestAccount['ctx'] & { secretCipher: Harness['setup']['secretCipher'] }
let bearers: Record<'legitimate_interest' | 'authority', string>

async function create(data: object = {}): Promise<Answer['json']> {
  const body = { category: 'battery', data: { ...DATA, gtin: undefined, ...data } }
  const { status, json, text } = await t.ask('POST', '/api/v1/products', { key: account.key, body })
  assert.equal(status, 201, text)
  return json.data
}

const change = (id: string, data: object) =>
  t.ask('PATCH', `/api/v1/products/${id}`, { key: account.key, body: { data } })

const read = (accept: string, { id = battery.id, query = '', headers = {}, at = t } = {}) =>
  at.ask('GET', `/dpp/v1/dpps/${id}${query}`, { headers: { accept, ...headers } })

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function readDid(): Promise<Answer['json']> {
  const { json } = await read(VC)
  return (await t.ask('GET', new URL(didUrl(json.proof.verificationMethod)).pathname)).json
}

const didUrl = (keyId: string) =>
  keyId.replace(/^did:web:([^:]+):issuers:([a-z]+)(?:#.*)?$/, 'https://$1/issuers/$2/did.json')

const getStatus = async (id = battery.id) => (await read(VC, { id })).json.credentialStatus

const askPath = (url: string, headers: Record<string, string> = {}) =>
  t.ask('GET', new URL(url).pathname, { headers })

const bitsOf = (credential: Answer['json']) => decodeStatusBits(credential.credentialSubject.encodedList)

before(async () => {
  t = await startHarness()
  account = await t.account()
  ctx = { ...account.ctx, secretCipher: t.setup.secretCipher }
  battery = await create({ gtin: DATA.gtin })
  const grant = async (audience: 'legitimate_interest' | 'authority') =>
    (
      await createAccessLink(account.ctx, {
        passportId: battery.id,
        audience,
        label: audience,
        addresses: ADDRESSES,
        expiresAt: new Date('2999-01-01'),
      })
    ).token
  bearers = { legitimate_interest: await grant('legitimate_interest'), authority: await grant('authority') }
})
after(() => t.close())

describe('without a signature', () => {
  test('there is no credential: the answer says that the account does not sign', async () => {
    for (const accept of [VC, VC_JWT, SD_JWT]) {
      const { status, json } = await read(accept)
      assert.deepEqual([status, json.message[0].code], [406, 'not_acceptable'])
      assert.match(json.message[0].text, /account of this passport does not sign/)
    }
    const other = await read(`${VC}, application/json;q=0.5`)
    assert.deepEqual([other.status, other.json.granularity], [200, 'model'])
    await setSigning(ctx, true)
  })

  test('nor of what UNTP requires: the answer names each missing field', async () => {
    const lacking = await create({ sku: 'LACKING', manufacturingFacility: undefined })
    for (const accept of [VC, VC_JWT]) {
      const { status, json } = await read(accept, { id: lacking.id })
      assert.equal(status, 406)
      assert.match(
        json.message[0].text,
        /lacks manufacturingFacility\.facilityId, manufacturingFacility\.name,/,
      )
    }
    assert.equal((await read(SD_JWT, { id: lacking.id })).status, 200)
    assert.equal((await read(`${VC}, ${SD_JWT};q=0.5`, { id: lacking.id })).headers['content-type'], SD_JWT)
  })

  test('drafts, unknown passports and elements have none', async () => {
    const body = { category: 'battery', data: { ...DATA, gtin: undefined, sku: 'DRAFT' } }
    const draft = await t.ask('POST', '/api/v1/drafts', { key: account.key, body })
    assert.equal(draft.status, 201)
    for (const id of [draft.json.data.id, '01m45m2vp0fqh9ek41pvnj0nca']) {
      for (const accept of [VC, VC_JWT, SD_JWT]) assert.equal((await read(accept, { id })).status, 404)
    }
    const element = await t.ask('GET', `/dpp/v1/dpps/${battery.id}/elements/$.sku`, {
      headers: { accept: VC },
    })
    assert.equal(element.status, 406)
  })
})

describe('the credential of UNTP', () => {
  test('is valid by the facts of UNTP, and Digital Bazaar verifies its proof', async () => {
    const { status, json, headers } = await read(VC)
    assert.deepEqual([status, headers['content-type']], [200, VC])
    assertFacts(json)
    const did = await readDid()
    assert.ok(await isProofValid(json, did))
    assert.equal(verifyProof(json, createKeyFinder(did)).verificationMethod, `${did.id}#key-1`)
    assert.equal(json.issuer.id, did.id)
    assert.equal(json.id, `${ADDRESSES.publicUrl}/p/${battery.id}?version=1&format=vc`)
    assert.equal(json.validFrom, battery.created_at.replace(/\.\d+Z$/, 'Z'))
  })

  test('is the same as vc+jwt, which jose verifies', async () => {
    const [{ text, headers }, { json }] = [await read(VC_JWT), await read(VC)]
    const did = await readDid()
    const { payload, header } = await readJwt(text, did)
    assert.deepEqual(header, { alg: 'ES256', typ: 'vc+jwt', cty: 'vc', kid: `${did.id}#key-1-jwk` })
    assert.equal(headers['content-type'], VC_JWT)
    const { proof: _, ...credential } = json
    assert.deepEqual(payload, credential)
  })

  test('keeps its signature and its ETag until its content changes', async () => {
    const product = await create({ sku: 'KEEPS' })
    for (const accept of [VC, VC_JWT, SD_JWT]) {
      const [first, again] = [await read(accept, { id: product.id }), await read(accept, { id: product.id })]
      assert.equal(again.text, first.text)
      const etag = String(first.headers.etag)
      const same = await read(accept, { id: product.id, headers: { 'if-none-match': etag } })
      assert.deepEqual([same.status, same.text], [304, ''])
      assert.match(String(first.headers.vary), /Accept/)
      const head = await t.ask('HEAD', `/dpp/v1/dpps/${product.id}`, { headers: { accept } })
      assert.deepEqual([head.status, head.headers.etag], [200, etag])
    }
    const before = await read(VC, { id: product.id })
    await change(product.id, { ratedCapacity: 15 })
    const next = await read(VC, { id: product.id })
    assert.equal(next.json.credentialSubject.characteristics.ratedCapacity, 15)
    const [place, nextPlace] = [before, next].map(({ json }) => json.credentialStatus.statusListIndex)
    assert.notEqual(nextPlace, place, 'each version has its own place')
    assert.notEqual(next.headers.etag, before.headers.etag)
    const past = await read(VC, { id: product.id, query: '?version=1' })
    const { supersededByVersion, ...record } = past.json.credentialSubject.characteristics.passportRecord
    assert.deepEqual(record, before.json.credentialSubject.characteristics.passportRecord)
    assert.deepEqual([supersededByVersion, record.currentDocument], [2, `${product.passport_url}?format=en`])
    assert.deepEqual(past.json.credentialStatus, before.json.credentialStatus)
    assert.equal(past.headers['cache-control'], 'public, max-age=3600')
    await t.ask('POST', `/api/v1/products/${product.id}/archive`, { key: account.key })
    const { credentialStatus, credentialSubject } = (await read(VC, { id: product.id })).json
    assert.equal(credentialSubject.characteristics.passportRecord.status, 'archived')
    assert.deepEqual(credentialStatus, next.json.credentialStatus, 'archived is not revoked')
  })

  test('says until when it is valid, and is renewed at half of that time, as the SD-JWT is', async () => {
    const DAY_MS = 86_400_000
    const now = new Date()
    const { end } = getSignaturePeriod(now, 90)
    const { id } = await create({ sku: 'ENDS' })
    const readEnds = async () => {
      const did = await readDid()
      const [vc, jwt, sdJwt] = [
        await read(VC, { id }),
        await read(VC_JWT, { id }),
        await read(SD_JWT, { id }),
      ]
      assert.ok(await isProofValid(vc.json, did))
      const { exp } = await readSdJwt(sdJwt.text, did, t.clock.now())
      return [vc.json.validUntil, (await readJwt(jwt.text, did)).payload.validUntil, Number(exp) * 1000].map(
        one => new Date(one).getTime(),
      )
    }
    t.clock.set(new Date(end.getTime() - 45 * DAY_MS - 1))
    assert.deepEqual(new Set(await readEnds()), new Set([end.getTime()]))
    t.clock.advance(1)
    assert.deepEqual(new Set(await readEnds()), new Set([end.getTime() + 45 * DAY_MS]))
    const { text } = await read(SD_JWT, { id })
    const did = await readDid()
    await assert.rejects(readSdJwt(text, did, new Date(end.getTime() + 46 * DAY_MS)), /expired/i)
    t.clock.release()
  })

  test('is read by product identifier and by date, too', async () => {
    const { text } = await read(VC)
    const productId = encodeURIComponent(`https://id.gs1.org/01/0${DATA.gtin}`)
    const byProduct = await t.ask('GET', `/dpp/v1/dppsByProductId/${productId}`, { headers: { accept: VC } })
    assert.equal(byProduct.text, text)
    const date = '2999-01-01T00:00:00Z'
    const byDate = await t.ask('GET', `/dpp/v1/dppsByIdAndDate/${battery.id}?date=${date}`, {
      headers: { accept: VC },
    })
    assert.equal(byDate.text, text)
  })

  test('has nothing restricted, whatever credential is sent', async () => {
    for (const accept of [VC, VC_JWT]) {
      const open = await read(accept)
      const texts = [open.text]
      for (const token of [...Object.values(bearers), account.key]) {
        const answer = await read(accept, { headers: bearer(token) })
        assert.equal(answer.headers['cache-control'], 'private, no-store')
        texts.push(answer.text)
      }
      assert.deepEqual([...new Set(texts)], [open.text])
      const shown =
        accept === VC ? open.text : JSON.stringify((await readJwt(open.text, await readDid())).payload)
      for (const secret of Object.values(SECRETS)) assert.ok(!shown.includes(String(secret)), String(secret))
    }
  })

  test('agrees with the document of EN 18223 field by field', async () => {
    const [{ json: en }, { json: vc }] = [await read('application/json'), await read(VC)]
    const subject = vc.credentialSubject
    const { characteristics } = subject
    const pairs = [
      [en.uniqueProductIdentifier, subject.id],
      [en.granularity, subject.idGranularity],
      [en.productName, subject.name],
      [en.sku, subject.modelNumber],
      [en.facilityId, subject.producedAtFacility.id],
      [en.manufacturingFacility.name, subject.producedAtFacility.name],
      [en.countryOfManufacture, subject.countryOfProduction.countryCode],
      [en.passportRecord.issuerName, vc.issuer.name],
      [en.weightKg, subject.dimensions.weight.value],
      [en.passportRecord.versionNo, characteristics.versionNo],
      [en.passportRecord.versionCommitment, characteristics.versionCommitment],
      [en.manufacturingDate, characteristics.manufacturingDate],
      ...['brandName', 'batteryCategory', 'cellChemistry', 'ratedCapacity'].map(name => [
        en[name],
        characteristics[name],
      ]),
    ]
    for (const [ours, theirs] of pairs) {
      assert.notEqual(ours, undefined)
      assert.deepEqual(theirs, ours)
    }
    const openFields = Object.keys(characteristics).filter(name => !/^version/.test(name))
    assert.deepEqual(
      openFields.filter(name => !Object.hasOwn(en, name)),
      [],
    )
  })
})

describe('the SD-JWT', () => {
  const readAs = async (token?: string) => (await read(SD_JWT, token ? { headers: bearer(token) } : {})).text

  test('has one signature and three readings', async () => {
    const did = await readDid()
    const [open, interest, authority, owner] = await Promise.all([
      readAs(),
      readAs(bearers.legitimate_interest),
      readAs(bearers.authority),
      readAs(account.key),
    ])
    assert.equal(new Set([open, interest, authority, owner].map(text => text.split('~')[0])).size, 1)
    const claims = {
      open: await readSdJwt(open, did),
      interest: await readSdJwt(interest, did),
      authority: await readSdJwt(authority, did),
      owner: await readSdJwt(owner, did),
    }
    assert.deepEqual(
      [claims.open.dueDiligenceUrl, claims.open.stateOfHealth, claims.open.sku],
      [undefined, undefined, DATA.sku],
    )
    assert.equal(claims.interest.dueDiligenceUrl, SECRETS.dueDiligence)
    assert.equal(claims.interest.stateOfHealth, undefined)
    assert.equal(claims.authority.stateOfHealth, SECRETS.stateOfHealth)
    assert.equal((claims.authority.economicOperator as { eori?: string }).eori, SECRETS.eori)
    assert.equal((claims.interest.economicOperator as { eori?: string }).eori, undefined)
    assert.deepEqual(claims.owner, claims.authority)
    const decoded = open
      .split(/[.~]/)
      .map(part => Buffer.from(part, 'base64url').toString())
      .join('\n')
    for (const secret of Object.values(SECRETS)) assert.ok(!decoded.includes(String(secret)), String(secret))
    const rows =
      await t.sql`select from signed_document where kind = 'sd-jwt' and passport_id = ${requireUuid(battery.id, 'product')}`
    assert.equal(rows.length, 1)
  })

  test('says what the document of EN 18223 says to the same reader', async () => {
    const did = await readDid()
    for (const headers of [{}, bearer(bearers.legitimate_interest), bearer(bearers.authority)]) {
      const {
        proof: _,
        passportRecord,
        '@context': __,
        ...en
      } = (await read('application/json', { headers })).json
      const sdJwt = await readSdJwt((await read(SD_JWT, { headers })).text, did)
      const { iss, iat, exp, vct, versionNo, status, issuerName, issuerVerified, ...claims } = sdJwt
      const { versionCommitment: ___, ...record } = passportRecord
      assert.deepEqual(claims, { ...en, passportRecord: record })
      assert.deepEqual(
        [iss, vct, versionNo, issuerName, issuerVerified],
        [
          didUrl(did.id).replace('/did.json', ''),
          `${ADDRESSES.publicUrl}/ns/dpp/types/battery/v2`,
          passportRecord.versionNo,
          passportRecord.issuerName,
          passportRecord.issuerVerified,
        ],
      )
      const { listUrl, index } = await tokenPlace()
      assert.deepEqual(status, { status_list: { idx: index, uri: listUrl } })
      assert.equal(typeof iat, 'number')
      assert.equal(Number(exp) * 1000, getSignaturePeriod(t.clock.now(), 90).end.getTime())
    }
  })

  const fetch = async (url: string) => {
    assert.ok(url.startsWith(`${ADDRESSES.publicUrl}/`), url)
    const { status, text, headers } = await askPath(url)
    return { status, text, type: String(headers['content-type']) }
  }

  test('is all that a verifier needs that knows nothing of the issuer: key, type, status and end', async () => {
    const { id } = await create({ sku: 'STRANGER' })
    const { text } = await read(SD_JWT, { id, headers: bearer(account.key) })
    const now = t.clock.now()
    const { claims, type } = await readSdJwtVc(text, { fetch, now })
    assert.equal(claims.sku, 'STRANGER')
    assert.deepEqual(type?.vct, claims.vct)
    const schema = await askPath(String(type?.schema_uri))
    const { '@context': _, contentSpecificationIds } = (await read('application/json', { id })).json
    assert.deepEqual(contentSpecificationIds, [type?.schema_uri])
    assert.equal(type?.['schema_uri#integrity'], `sha256-${hash('sha256', schema.text, 'base64')}`)
    const named = type?.claims?.map(({ path }) => path[0])
    for (const name of ['sku', 'productName', 'stateOfHealth', 'documents']) assert.ok(named?.includes(name))
    const end = new Date(Number(claims.exp) * 1000)
    await assert.rejects(readSdJwtVc(text, { fetch, now: end }), /expired/i)
    await revokeCredential(account.ctx, { id: requireUuid(id, 'product'), version_no: 1 })
    await assert.rejects(readSdJwtVc(text, { fetch, now }), /status/i)
  })

  test('has the keys of its issuer at an address that follows from the issuer', async () => {
    const did = await readDid()
    const iss = didUrl(did.id).replace('/did.json', '')
    const url = `${ADDRESSES.publicUrl}/.well-known/jwt-vc-issuer${new URL(iss).pathname}`
    const { json, headers } = await askPath(url)
    assert.deepEqual([json.issuer, json.alsoKnownAs], [iss, [did.id]])
    assert.equal(headers['access-control-allow-origin'], '*')
    const keys = did.verificationMethod.flatMap(({ id, publicKeyJwk }: Answer['json']) =>
      publicKeyJwk === undefined ? [] : [{ ...publicKeyJwk, kid: id }],
    )
    assert.deepEqual(json.jwks.keys, keys)
    for (const name of ['nobody', 'x%00', 'a'.repeat(900)])
      assert.equal((await t.ask('GET', `/.well-known/jwt-vc-issuer/issuers/${name}`)).status, 404, name)
  })

  test('of an earlier release, whose issuer is a DID, is still verified', async () => {
    const did = await readDid()
    const setup = t.setup
    const issuer = await getSecretIssuer(setup.sql, setup.secretCipher, account.id, t.clock.now())
    assert.ok(issuer)
    const found = findSigner(setup, issuer)
    assert.ok(found)
    const sign = (iss: string) =>
      signJws({ iss, vct: 'x', digitalProductPassportId: 'urn:a' }, { type: 'dc+sd-jwt' }, found.signer)
    const check = async (iss: string) =>
      readSignedText(Buffer.from(`${await sign(iss)}~`)).verify(createKeyFinder(did), t.clock.now()).subject
    const address = didUrl(did.id).replace('/did.json', '')
    assert.deepEqual([await check(did.id), await check(address)], ['urn:a', 'urn:a'])
    for (const other of [`${address}/`, `${address}x`, address.replace('carnet', 'elsewhere'), ''])
      await assert.rejects(check(other), { code: 'unusable_key' }, other)
  })

  test('has the well-known part before the path of a server that has one', () => {
    const path = '/.well-known/jwt-vc-issuer/dpp/issuers/:name'
    assert.equal(findMetadataPath('https://x.example:8443/dpp'), path)
    assert.equal(findMetadataPath('https://x.example/dpp/'), path)
    for (const pattern of ['/a:b', '/*', '/a(b)', '/%41'])
      assert.equal(findMetadataPath(`https://x.example${pattern}`), undefined)
  })

  async function tokenPlace() {
    const { statusListCredential, statusListIndex } = await getStatus()
    return { listUrl: `${statusListCredential}/token`, index: statusListIndex }
  }
})

describe('the place in a status list', () => {
  test('is one, whoever reads first, and so is the signature', async () => {
    const product = await create({ sku: 'RACE' })
    const other = await t.beside()
    const accepts = [VC, VC_JWT, SD_JWT]
    // On a busy machine, some wait for their turn for too long: they ask again, as a client does.
    const readWhenFree = async (i: number): Promise<Answer> => {
      const answer = await read(accepts[i % 3] ?? VC, { id: product.id, at: i % 2 === 0 ? t : other })
      if (answer.status !== 503) return answer
      await setTimeout(500)
      return readWhenFree(i)
    }
    const reads = Array.from({ length: 102 }, (_, i) => readWhenFree(i))
    const answers = await Promise.all(reads)
    for (const [i, accept] of accepts.entries()) {
      const texts = answers.filter((_, at) => at % 3 === i).map(({ text }) => text)
      assert.equal(new Set(texts).size, 1, accept)
    }
    const uuid = requireUuid(product.id, 'product')
    const places = await t.sql`select from credential_status where passport_id = ${uuid}`
    const signatures = await t.sql`select from signed_document where passport_id = ${uuid}`
    assert.deepEqual([places.length, signatures.length], [1, 3])
    await other.close()
  })

  test("is no other passport's", async () => {
    const products = await Promise.all(Array.from({ length: 20 }, (_, i) => create({ sku: `MANY-${i}` })))
    const statuses = await Promise.all(products.map(({ id }) => getStatus(id)))
    assert.equal(new Set(statuses.map(({ id }) => id)).size, 20)
    const indexes: number[] = statuses.map(one => one.statusListIndex)
    assert.notDeepEqual(
      indexes,
      indexes.toSorted((a, b) => a - b),
    )
  })

  test('is in the next list when this one is full', async () => {
    const other = await t.account()
    const setup = { ...other.ctx, secretCipher: t.setup.secretCipher }
    await setSigning(setup, true)
    await t.sql`
      insert into credential_status (account_id, passport_id, first_version, list_no, list_index, created_at)
      select ${other.id}, gen_random_uuid(), 1, 1, i, now() from generate_series(0, 131071) i`
    const body = { category: 'battery', data: { ...DATA, gtin: undefined } }
    const { json } = await t.ask('POST', '/api/v1/products', { key: other.key, body })
    const status = await getStatus(json.data.id)
    assert.match(status.statusListCredential, /\/status\/2$/)
    assert.equal((await askPath(status.statusListCredential)).status, 200)
    assert.equal((await askPath(status.statusListCredential.replace(/2$/, '1'))).status, 200)
    assert.equal((await askPath(status.statusListCredential.replace(/2$/, '3'))).status, 404)
  })
})

describe('status lists', () => {
  test('are a credential and a token, which others verify', async () => {
    const [{ statusListCredential: url, statusListIndex: index }, did] = [await getStatus(), await readDid()]
    const list = await askPath(url)
    assert.deepEqual([list.status, list.headers['content-type']], [200, VC])
    assert.equal(list.headers['cache-control'], 'public, max-age=300')
    assert.equal(list.headers['access-control-allow-origin'], '*')
    assert.ok(await isProofValid(list.json, did))
    assert.deepEqual([list.json.id, list.json.issuer], [url, did.id])
    assert.equal(Date.parse(list.json.validUntil) - Date.parse(list.json.validFrom), 7 * 86_400_000)
    assert.equal(isRevoked(bitsOf(list.json), index), false)
    const jwt = await askPath(url, { accept: VC_JWT })
    assert.equal(jwt.headers['content-type'], VC_JWT)
    const { payload } = await readJwt(jwt.text, did)
    assert.deepEqual(payload.credentialSubject, list.json.credentialSubject)
    const token = await askPath(`${url}/token`)
    assert.equal(token.headers['content-type'], 'application/statuslist+jwt')
    const read = await readJwt(token.text, did)
    assert.deepEqual(
      [read.header.typ, read.payload.sub, read.payload.ttl],
      ['statuslist+jwt', `${url}/token`, 300],
    )
    assert.equal(getListFromStatusListJWT(token.text).getStatus(index), 0)
    const asked = await askPath(url, { accept: 'application/ld+json' })
    assert.deepEqual([asked.text, asked.headers['content-type']], [list.text, 'application/ld+json'])
    assert.equal((await askPath(url, { accept: 'text/html' })).status, 406)
    for (const path of ['0', '99', '01', 'x', '1/x']) {
      assert.equal((await askPath(url.replace(/1$/, path))).status, 404, path)
    }
    assert.equal((await t.ask('GET', '/issuers/nobody/status/1')).status, 404)
  })

  test('stay the same for a day, then they are signed again', async () => {
    const { statusListCredential: url } = await getStatus()
    t.clock.set(new Date())
    const readAll = async () =>
      Promise.all([askPath(url), askPath(url, { accept: VC_JWT }), askPath(`${url}/token`)])
    t.clock.advance(86_400_000)
    const first = await readAll()
    t.clock.advance(86_399_000)
    const same = await readAll()
    for (const [i, { text, headers }] of same.entries()) {
      assert.deepEqual([text, headers.etag], [first[i]?.text, first[i]?.headers.etag])
    }
    t.clock.advance(1_000)
    for (const [i, { text }] of (await readAll()).entries()) assert.notEqual(text, first[i]?.text)
    const many = await Promise.all(Array.from({ length: 20 }, () => askPath(url)))
    assert.equal(new Set(many.map(({ text }) => text)).size, 1)
    t.clock.release()
  })

  test('say that a credential is revoked, and later versions have another place', async () => {
    const product = await create({ sku: 'WRONG' })
    const uuid = requireUuid(product.id, 'product')
    await assert.rejects(revokeCredential(account.ctx, { id: uuid, version_no: 1 }), {
      code: 'not_found',
      message: /has no credential/,
    })
    const { statusListCredential: url, statusListIndex: index } = await getStatus(product.id)
    const before = await askPath(url)
    const first = await revokeCredential(account.ctx, { id: uuid, version_no: 1 })
    assert.deepEqual(first, { listNo: 1, index, versionNo: 1, isNew: true })
    const again = await revokeCredential(account.ctx, { id: uuid, version_no: 1 })
    assert.deepEqual(again, { ...first, isNew: false })
    const after = await askPath(url)
    assert.notEqual(after.headers.etag, before.headers.etag)
    assert.equal(isRevoked(bitsOf(after.json), index), true)
    assert.equal(getListFromStatusListJWT((await askPath(`${url}/token`)).text).getStatus(index), 1)
    // The credential of that version stays as it was.
    assert.equal((await getStatus(product.id)).statusListIndex, index)
    await change(product.id, { ratedCapacity: 16 })
    const next = await getStatus(product.id)
    assert.notEqual(next.statusListIndex, index)
    assert.equal(isRevoked(bitsOf((await askPath(url)).json), next.statusListIndex), false)
    const past = await read(VC, { id: product.id, query: '?version=1' })
    assert.equal(past.json.credentialStatus.statusListIndex, index)
    const entries = await t.sql<{ subject: string }[]>`
      select subject from audit_entry where account_id = ${account.id} and action = 'credential_revoked'
        and subject like ${`${product.id}%`}`
    assert.deepEqual([...entries], [{ subject: `${product.id}, version 1` }])
  })
})

describe('each form as it is served', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>
  let forms: { name: string; text: string; letters: string }[]
  let did: Answer['json']
  before(async () => {
    folder = await emptyFolder()
    const { statusListCredential: url } = await getStatus()
    did = await readDid()
    const texts = {
      vc: (await read(VC)).text,
      'vc-jwt': (await read(VC_JWT)).text,
      'sd-jwt': (await read(SD_JWT, { headers: bearer(bearers.authority) })).text,
      list: (await askPath(url)).text,
      'list-jwt': (await askPath(url, { accept: VC_JWT })).text,
      token: (await askPath(`${url}/token`)).text,
    }
    forms = Object.entries(texts).map(([name, text]) => ({
      name,
      text,
      letters: text.startsWith('{') ? PRINTABLE : `${BASE64URL}.~`,
    }))
    await writeFile(join(folder.path, 'did.json'), JSON.stringify(did))
  })
  after(() => folder.remove())

  async function verify(name: string, text: string, didFile = 'did.json') {
    await writeFile(join(folder.path, name), text)
    const said = { out: '', err: '' }
    const io = { out: (line: string) => (said.out += line), err: (line: string) => (said.err += line) }
    const words = ['verify', join(folder.path, name), '--did', join(folder.path, didFile), '--json']
    const code = await runCommandLine(words, {}, io)
    return { code, result: JSON.parse(said.out) }
  }

  test('is verified by `carnet verify` without a network', async () => {
    const found = await Promise.all(forms.map(({ name, text }) => verify(name, text)))
    assert.deepEqual(
      found.map(({ code, result }) => [code, result.ok, result.form]),
      ['credential', 'credential-jwt', 'sd-jwt', 'credential', 'credential-jwt', 'status-list-jwt'].map(
        form => [0, true, form],
      ),
    )
    const { statusListCredential, statusListIndex: index } = await getStatus()
    assert.deepEqual(found[0]?.result.status, { list_url: statusListCredential, index })
    assert.deepEqual(found[2]?.result.status, { list_url: `${statusListCredential}/token`, index })
  })

  test('is refused after any one byte is changed', async () => {
    const findKey = createKeyFinder(did)
    const now = t.clock.now()
    for (const { name, text, letters } of forms) {
      for (const changed of listMutations(text, letters)) {
        const isAccepted = await succeeds(() => readSignedText(Buffer.from(changed)).verify(findKey, now))
        assert.equal(isAccepted, false, `${name}: ${changed}`)
        assert.equal(await isAcceptedByOthers(changed, text), false, `${name}: ${changed}`)
      }
    }
  })

  async function succeeds(run: () => unknown): Promise<boolean> {
    try {
      await run()
      return true
    } catch {
      return false
    }
  }

  /** For JSON, those that are JSON of another value. */
  function listMutations(text: string, letters: string): string[] {
    const isJson = text.startsWith('{')
    const original = isJson ? JSON.stringify(parseSignedJson(text)) : ''
    return mutate(text, letters)
      .filter(changed => !isJson || isOtherJson(changed, original))
      .take(MUTATIONS)
      .toArray()
  }

  /** False for what others read like the original: `@sd-jwt` ignores disclosures that were not signed. */
  async function isAcceptedByOthers(changed: string, text: string): Promise<boolean> {
    if (text.startsWith('{')) return isProofValid(JSON.parse(changed), did)
    // The last letter of a signature has unused bits, which jose ignores.
    if (text.includes('~') || changed.slice(0, -1) === text.slice(0, -1)) return false
    return succeeds(() => readJwt(changed, did))
  }

  function isOtherJson(text: string, original: string): boolean {
    try {
      return JSON.stringify(JSON.parse(text)) !== original
    } catch {
      return false
    }
  }

  test('stays valid under a new key, and is refused after its key was stolen', async () => {
    await rotateSigningKey(ctx)
    await writeFile(join(folder.path, 'rotated.json'), JSON.stringify(await readDid()))
    for (const { name, text } of forms) {
      assert.equal((await verify(name, text, 'rotated.json')).code, 0, name)
    }
    assert.equal((await read(VC)).text, forms[0]?.text)
    await revokeKeyAndSignatures(ctx, 1)
    const now = await readDid()
    await writeFile(join(folder.path, 'revoked.json'), JSON.stringify(now))
    for (const { name, text } of forms) {
      const { code, result } = await verify(name, text, 'revoked.json')
      assert.deepEqual([code, result.code], [1, 'unusable_key'], name)
    }
    const { json } = await read(VC)
    assert.match(json.proof.verificationMethod, /#key-2$/)
    assert.ok(await isProofValid(json, now))
    assert.equal((await readJwt((await read(VC_JWT)).text, now)).header.kid, `${now.id}#key-2-jwk`)
    await readSdJwt((await read(SD_JWT)).text, now)
    const { statusListCredential: url } = json.credentialStatus
    assert.deepEqual(json.credentialStatus, JSON.parse(forms[0]?.text ?? '').credentialStatus)
    assert.ok(await isProofValid((await askPath(url)).json, now))
    assert.equal((await readJwt((await askPath(`${url}/token`)).text, now)).header.kid, `${now.id}#key-2-jwk`)
  })

  test('has its status lists even when the account has stopped signing', async () => {
    const { statusListCredential: url } = await getStatus()
    await setSigning(ctx, false)
    assert.equal((await read(VC)).status, 406)
    t.clock.set(new Date(Date.now() + 2 * 86_400_000))
    const did = (await t.ask('GET', new URL(url).pathname.replace(/status.*/, 'did.json'))).json
    assert.ok(await isProofValid((await askPath(url)).json, did))
    t.clock.release()
  })
})
