/**
 * Independent implementations verify what we sign, we verify what they sign, and nobody accepts what was altered
 * by one byte.
 */
import assert from 'node:assert/strict'
import { createHash, verify } from 'node:crypto'
import { describe, test } from 'node:test'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { createSignCryptosuite, createVerifyCryptosuite } from '@digitalbazaar/ecdsa-jcs-2019-cryptosuite'
import * as EcdsaMultikey from '@digitalbazaar/ecdsa-multikey'
import { SDJwtInstance } from '@sd-jwt/core'
import { getListFromStatusListJWT } from '@sd-jwt/jwt-status-list'
import fc from 'fast-check'
import { CompactSign, compactVerify, importJWK } from 'jose'
import jsigs from 'jsonld-signatures'
import { findCategory } from '../../../src/categories/catalogue.ts'
import { AUDIENCES } from '../../../src/categories/field.ts'
import { canonicalize } from '../../../src/standards/signing/canonicalize.ts'
import { signVcJwt, verifyVcJwt } from '../../../src/standards/signing/credential.ts'
import { addProof, verifyProof } from '../../../src/standards/signing/data-integrity.ts'
import { createKeyFinder } from '../../../src/standards/signing/did-document.ts'
import { signJws } from '../../../src/standards/signing/jws.ts'
import { createP256Key } from '../../../src/standards/signing/p256.ts'
import { parseSignedJson } from '../../../src/standards/signing/parse-signed-json.ts'
import { verifySdJwt } from '../../../src/standards/signing/read-sd-jwt.ts'
import { buildSdJwt, presentSdJwt, SD_JWT } from '../../../src/standards/signing/sd-jwt.ts'
import {
  buildTokenStatusList,
  createStatusBits,
  STATUS_LIST_JWT,
  setRevoked,
} from '../../../src/standards/signing/status-list.ts'
import { BASE64URL, mutate, PRINTABLE } from '../judges.ts'
import { readExample, TEST_DID, testSigner, vectors } from '../signing-examples.ts'

type Json = Record<string, unknown>
type Method = { id: string }
const SIGNED_AT = new Date('2026-11-20T10:00:00Z')
const END = new Date('2099-02-15T00:00:00Z')
const DOCUMENTS = ['en18223-textile-item', 'untp-dpp-battery-item']
const MUTATIONS = 1_000

const didDocument = readExample<Json & { id: string; verificationMethod: Method[] }>('did-example')
const findKey = createKeyFinder(didDocument)
const publicKey = createP256Key(vectors.testPrivateJwk)
const { d: _, ...publicJwk } = vectors.testPrivateJwk

/** Loads the keys of the DID document, and nothing else. */
const documentLoader = async (url: string) => {
  const method = didDocument.verificationMethod.find(one => one.id === url)
  const key = method && { '@context': 'https://w3id.org/security/multikey/v1', ...method }
  const document = url === didDocument.id ? didDocument : key
  if (document === undefined) throw new Error(`there is no document ${url}`)
  return { document, documentUrl: url, contextUrl: null }
}
const purpose = new jsigs.purposes.AssertionProofPurpose()

async function isVerifiedByDigitalBazaar(document: Json): Promise<boolean> {
  const suite = new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() })
  return (await jsigs.verify(document, { suite, purpose, documentLoader })).verified
}

const joseKey = await importJWK(publicJwk, 'ES256')
const isVerifiedByJose = (jwt: string) => succeeds(() => compactVerify(jwt, joseKey))

const sdJwt = new SDJwtInstance({
  hashAlg: 'sha-256',
  hasher: (data: string | ArrayBuffer) =>
    createHash('sha256')
      .update(typeof data === 'string' ? data : new Uint8Array(data))
      .digest(),
  saltGenerator: () => 'a salt of tests',
  signAlg: 'ES256',
  signer: async (data: string) => Buffer.from(await testSigner.sign(Buffer.from(data))).toString('base64url'),
  verifier: async (data: string, signature: string) =>
    verify(
      'sha256',
      Buffer.from(data),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    ),
})

async function succeeds(run: () => unknown): Promise<boolean> {
  try {
    await run()
    return true
  } catch {
    return false
  }
}

const sdJwtInput = (versionNo: number) => ({
  issuer: TEST_DID,
  issuedAt: SIGNED_AT,
  expiresAt: END,
  type: 'https://passports.example.org/ns/dpp/textile/v2',
  header: {},
  passportId: '01m45m2vp0fqh9ek41pvnj0nca',
  versionNo,
  fields: findCategory('textile')?.fields ?? [],
  data: {
    productName: 'Merino T-shirt',
    economicOperator: { legalName: 'Nordfaden GmbH', eori: 'DE123456789012345' },
    supplyChainStages: [{ stage: 'spinning', country: 'IT', facilityName: 'Filatura' }],
    documents: [{ title: 'Manual' }, { title: 'Report', access: 'restricted' }],
  },
  commitKey: Buffer.alloc(32, 7),
  status: null,
})

async function issueSdJwt() {
  const { payload, disclosures } = buildSdJwt(sdJwtInput(2))
  return { jwt: await signJws(payload, SD_JWT, testSigner), disclosures }
}

describe('canonical JSON', () => {
  test('is that of another implementation', async () => {
    const { canonize } = createVerifyCryptosuite()
    const all = fc.sample(fc.jsonValue(), { numRuns: 300, seed: 20 })
    for (const value of all) assert.equal(canonicalize(value), await canonize(value))
  })
})

describe('Digital Bazaar', () => {
  test('verifies what we sign', async () => {
    for (const name of DOCUMENTS) {
      for (const end of [undefined, END]) {
        const signed = await addProof(readExample(name), testSigner, SIGNED_AT, end)
        assert.ok(await isVerifiedByDigitalBazaar(signed), name)
      }
    }
  })

  test('signs what we verify', async () => {
    const { proof: _, ...document } = readExample('untp-dpp-textile-item')
    const [method] = didDocument.verificationMethod
    const keyPair = await EcdsaMultikey.fromJwk({ jwk: vectors.testPrivateJwk, secretKey: true })
    const signer = { ...keyPair.signer(), id: method?.id }
    const suite = new DataIntegrityProof({ signer, cryptosuite: createSignCryptosuite(), date: SIGNED_AT })
    const signed: Json = await jsigs.sign(document, { suite, purpose, documentLoader })
    assert.equal(verifyProof(signed, findKey).created, '2026-11-20T10:00:00Z')
  })

  for (const name of DOCUMENTS) {
    test(`refuses as we do ${name}, altered by one byte`, async () => {
      const text = JSON.stringify(await addProof(readExample(name), testSigner, SIGNED_AT, END))
      const original = canonicalize(JSON.parse(text))
      let count = 0
      for (const changed of mutate(text, PRINTABLE)) {
        if (count === MUTATIONS) break
        const document = findOther(changed, original)
        if (document === undefined) continue
        count++
        assert.equal(await succeeds(() => verifyProof(readObject(changed), findKey)), false, changed)
        assert.equal(await isVerifiedByDigitalBazaar(document), false, changed)
      }
      assert.equal(count, MUTATIONS)
    })
  }

  const readObject = (text: string) => parseSignedJson(text) as Json

  /** Undefined if it is no JSON, or JSON of the same value. */
  function findOther(text: string, original: string): Json | undefined {
    try {
      const value: Json = JSON.parse(text)
      return canonicalize(value) === original ? undefined : value
    } catch {
      return undefined
    }
  }
})

describe('jose', () => {
  test('verifies the example and what we sign', async () => {
    for (const jwt of [
      vectors.vcJwt.jwt,
      await signVcJwt(readExample('untp-dpp-textile-item'), testSigner),
    ]) {
      const { payload, protectedHeader } = await compactVerify(jwt, joseKey)
      assert.deepEqual(protectedHeader, vectors.vcJwt.header)
      assert.deepEqual(JSON.parse(Buffer.from(payload).toString()), verifyVcJwt(jwt, findKey).credential)
    }
  })

  test('signs what we verify', async () => {
    const key = await importJWK(vectors.testPrivateJwk, 'ES256')
    const payload = Buffer.from(JSON.stringify({ id: 'urn:a' }))
    const header = { alg: 'ES256', typ: 'vc+jwt', cty: 'vc', kid: String(vectors.vcJwt.header.kid) }
    const jwt = await new CompactSign(payload).setProtectedHeader(header).sign(key)
    assert.deepEqual(verifyVcJwt(jwt, findKey).credential, { id: 'urn:a' })
  })

  test('refuses as we do a vc+jwt altered by one byte', async () => {
    const jwt = await signVcJwt({ '@context': [], issuer: TEST_DID, name: 'Merino T-shirt' }, testSigner)
    const signatureOf = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url')
    let count = 0
    for (const changed of mutate(jwt, `${BASE64URL}.`)) {
      if (count++ === MUTATIONS) break
      assert.equal(await succeeds(() => verifyVcJwt(changed, findKey)), false, changed)
      // The last letter has four unused bits, which jose may ignore.
      const isSame =
        changed.slice(0, -1) === jwt.slice(0, -1) && signatureOf(changed).equals(signatureOf(jwt))
      assert.ok(isSame || !(await isVerifiedByJose(changed)), changed)
    }
  })
})

describe('@sd-jwt', () => {
  test('reads the same claims as we do', async () => {
    const { jwt, disclosures } = await issueSdJwt()
    for (const audience of AUDIENCES) {
      const text = presentSdJwt(jwt, disclosures, audience)
      const { payload } = await sdJwt.verify(text)
      const { _sd_alg, ...claims } = payload as Json
      assert.deepEqual(claims, verifySdJwt(text, findKey).claims)
    }
  })

  test('issues what we read, also with hidden entries of lists', async () => {
    const claims = { iss: TEST_DID, a: 1, list: ['x', 'y', 'z'], inner: { b: 2, c: 3 } }
    const frame = { _sd: ['a', 'inner'], list: { _sd: [0, 2] }, inner: { _sd: ['b'] } }
    const header = { typ: 'dc+sd-jwt', kid: vectors.verificationMethod }
    const text = await sdJwt.issue(claims, frame as never, { header })
    assert.deepEqual(verifySdJwt(text, findKey).claims, claims)
    const some = await sdJwt.present(text, { a: true, list: { 0: true } } as never)
    assert.deepEqual(verifySdJwt(some, findKey).claims, { iss: TEST_DID, a: 1, list: ['x', 'y'] })
  })

  test('reads our token status list', async () => {
    const bits = createStatusBits()
    setRevoked(bits, 500, true)
    const list = {
      url: 'https://a.example/1',
      did: TEST_DID,
      bits,
      validFrom: SIGNED_AT,
      validUntil: SIGNED_AT,
    }
    const jwt = await signJws(buildTokenStatusList(list, 300), STATUS_LIST_JWT, testSigner)
    const read = getListFromStatusListJWT(jwt)
    assert.deepEqual(
      [499, 500, 501].map(index => read.getStatus(index)),
      [0, 1, 0],
    )
    assert.ok(await isVerifiedByJose(jwt))
  })

  test('never reads another value than was signed, and we refuse, if one byte is altered', async () => {
    const { jwt, disclosures } = await issueSdJwt()
    const text = presentSdJwt(jwt, disclosures, 'authority')
    const original: Json = verifySdJwt(text, findKey).claims
    let count = 0
    for (const changed of mutate(text, `${BASE64URL}.~`)) {
      if (count++ === MUTATIONS) break
      assert.equal(await succeeds(() => verifySdJwt(changed, findKey)), false, changed)
      for (const [name, value] of Object.entries(await readByOther(changed)))
        assert.ok(isPart(value, original[name]), changed)
    }
  })

  /** It ignores disclosures that were not signed: what is left must be part of what was. */
  async function readByOther(text: string): Promise<Json> {
    try {
      const { _sd_alg, ...claims } = (await sdJwt.verify(text)).payload as Json
      return claims
    } catch {
      return {}
    }
  }

  function isPart(value: unknown, whole: unknown): boolean {
    if (typeof value !== 'object' || value === null) return value === whole
    if (typeof whole !== 'object' || whole === null) return false
    return Object.entries(value).every(([name, one]) => isPart(one, (whole as Json)[name]))
  }
})
