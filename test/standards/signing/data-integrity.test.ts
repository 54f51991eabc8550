/** Canonical JSON, encodings, keys and Data Integrity proofs: vectors of RFC 8785 and of the W3C. */
import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  decodeBase58,
  decodeBase64Url,
  encodeBase58,
  encodeBase64Url,
} from '../../../src/standards/signing/base-encodings.ts'
import { canonicalize } from '../../../src/standards/signing/canonicalize.ts'
import { addProof, hashForProof, verifyProof } from '../../../src/standards/signing/data-integrity.ts'
import {
  buildDidDocument,
  createIssuerDid,
  createKeyFinder,
  type FindKey,
  getDidDocumentUrl,
} from '../../../src/standards/signing/did-document.ts'
import { createP256Key, decodeMultikey, encodeMultikey } from '../../../src/standards/signing/p256.ts'
import { readExample, TEST_DID, testSigner, vectors } from '../signing-examples.ts'

const SIGNED_AT = new Date('2026-11-20T10:00:00.700Z')
const PASSPORTS_URL = 'https://passports.example.org/dpp'
const findKey = createKeyFinder(readExample('did-example'))
const findW3cKey: FindKey = () =>
  createP256Key(decodeMultikey(vectors.w3cEcdsaJcs2019P256.publicKeyMultibase))
const withCode = (code: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code

describe('canonical JSON', () => {
  test('sorts, escapes and writes numbers as the examples of RFC 8785', () => {
    const value = JSON.parse(String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`)
    assert.equal(
      canonicalize(value),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
    const names = JSON.parse(
      String.raw`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
    )
    assert.deepEqual(
      canonicalize(names)
        .match(/\d(?=[,}])/g)
        ?.join(''),
      '2467153',
    )
  })

  test('leaves out members that are undefined', () => {
    assert.equal(canonicalize({ b: undefined, a: { c: undefined } }), '{"a":{}}')
  })

  test('refuses what is not JSON', () => {
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)
    for (const value of [
      Number.NaN,
      1 / 0,
      '\ud800',
      { '\udfff': 1 },
      [undefined],
      new Date(),
      new Map(),
      1n,
      deep,
    ])
      assert.throws(() => canonicalize(value), withCode('malformed'))
  })

  test('is JSON of the same value, and does not depend on the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = canonicalize(value)
        assert.equal(canonicalize(JSON.parse(text)), text)
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 200 },
    )
  })
})

describe('encodings', () => {
  test('base58btc gives the values of its draft', () => {
    assert.equal(encodeBase58(Buffer.from('Hello World!')), '2NEpo7TZRRrLZSi2U')
    assert.equal(encodeBase58(Buffer.from('0000287fb4cd', 'hex')), '11233QC4')
    assert.equal(encodeBase58(Buffer.alloc(0)), '')
    assert.equal(encodeBase58(Buffer.alloc(3)), '111')
  })

  test('bytes survive both encodings', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), bytes => {
        assert.deepEqual(decodeBase58(encodeBase58(bytes)), Buffer.from(bytes))
        assert.deepEqual(decodeBase64Url(encodeBase64Url(bytes)), Buffer.from(bytes))
      }),
    )
  })

  test('a second text for the same bytes is refused', () => {
    for (const text of ['0', 'O', 'I', 'l', ' 2', '2\n', '1'.repeat(201)])
      assert.throws(() => decodeBase58(text), withCode('malformed'), text)
    for (const text of ['AB', 'AA==', 'A', 'A+', 'A/', 'AA\n', 'AAA='])
      assert.throws(() => decodeBase64Url(text), withCode('malformed'), text)
  })
})

describe('keys', () => {
  test('a Multikey is read and written', () => {
    const { kty, x, y, crv } = vectors.testPrivateJwk
    assert.equal(encodeMultikey({ kty, x, y, crv }), vectors.publicKeyMultibase)
    assert.deepEqual(decodeMultikey(vectors.publicKeyMultibase), { kty, x, y, crv })
    const other = vectors.w3cEcdsaJcs2019P256.publicKeyMultibase
    assert.equal(encodeMultikey(decodeMultikey(other)), other)
  })

  test('a key of another kind, or no point of the curve, is refused', () => {
    const offCurve = `z${encodeBase58(Buffer.concat([Buffer.from([0x80, 0x24, 2]), Buffer.alloc(32, 255)]))}`
    for (const key of [vectors.w3cEddsaJcs2022.publicKeyMultibase, offCurve, 'u123', 'z', ''])
      assert.throws(() => decodeMultikey(key), withCode('malformed'), key)
    const { x } = vectors.testPrivateJwk
    assert.throws(() => createP256Key({ kty: 'EC', crv: 'P-256', x, y: x }), withCode('malformed'))
  })
})

describe('DID documents', () => {
  const { kty, x, y, crv } = vectors.testPrivateJwk
  const key = { name: 'key-1', publicJwk: { kty, x, y, crv }, revokedAt: null }

  test('list each key twice', () => {
    const document = buildDidDocument(TEST_DID, [key], PASSPORTS_URL)
    assert.equal(JSON.stringify(document), JSON.stringify(readExample('did-example')))
  })

  test('have the DID of their address', () => {
    assert.equal(createIssuerDid('https://passports.example.org', 'k7m2q9x4t6v8'), TEST_DID)
    assert.equal(createIssuerDid('http://localhost:3000', 'a'), 'did:web:localhost%3A3000:issuers:a')
    const below = createIssuerDid('https://shop.example/carnet/', 'a')
    assert.equal(below, 'did:web:shop.example:carnet:issuers:a')
    assert.equal(getDidDocumentUrl(below), 'https://shop.example/carnet/issuers/a/did.json')
  })

  test('keep replaced and revoked keys; revoked ones sign nothing', async () => {
    const revoked = { ...key, revokedAt: SIGNED_AT }
    const fresh = { ...key, name: 'key-2' }
    const document = buildDidDocument(TEST_DID, [revoked, fresh], PASSPORTS_URL)
    assert.deepEqual(
      document.verificationMethod.map(one => one.id.split('#')[1]),
      ['key-1', 'key-1-jwk', 'key-2', 'key-2-jwk'],
    )
    assert.deepEqual(document.assertionMethod, [`${TEST_DID}#key-2`, `${TEST_DID}#key-2-jwk`])
    assert.equal(document.verificationMethod[1]?.revoked, '2026-11-20T10:00:00.700Z')
    const find = createKeyFinder(document)
    assert.throws(() => find(`${TEST_DID}#key-1`), withCode('unusable_key'))
    assert.throws(() => find(`${TEST_DID}#key-3`), withCode('unknown_key'))
    assert.throws(() => find('did:web:elsewhere.example#key-2'), withCode('unknown_key'))
    assert.ok(find(`${TEST_DID}#key-2`).equals(find(`${TEST_DID}#key-2-jwk`)))
    const signed = await addProof({ a: 1 }, testSigner, SIGNED_AT)
    assert.throws(() => verifyProof(signed, find), withCode('unusable_key'))
  })

  test('do not vouch for the key of another DID', () => {
    const document = readExample<{ verificationMethod: { controller: string }[] }>('did-example')
    for (const method of document.verificationMethod) method.controller = 'did:web:elsewhere.example'
    assert.throws(() => createKeyFinder(document)(vectors.verificationMethod), withCode('unknown_key'))
  })
})

describe('ecdsa-jcs-2019', () => {
  test('gives the hashes of the W3C, and verifies its example', () => {
    const { signed, docHash, proofHash } = vectors.w3cEcdsaJcs2019P256
    const { proof, ...document } = signed
    const { proofValue: _, ...config } = proof
    const hashes = hashForProof(document, config)
    assert.equal(hashes.documentHash.toString('hex'), docHash)
    assert.equal(hashes.proofHash.toString('hex'), proofHash)
    assert.equal(verifyProof(signed, findW3cKey).created, '2023-02-24T23:36:38Z')
  })

  test('shares its hashes with eddsa-jcs-2022, whose example verifies', () => {
    const { verificationMethod, proofHash, proofValue, publicKeyMultibase } = vectors.w3cEddsaJcs2022
    const { proof, ...document } = vectors.w3cEcdsaJcs2019P256.signed
    const { proofValue: _, ...others } = proof
    const hashes = hashForProof(document, { ...others, cryptosuite: 'eddsa-jcs-2022', verificationMethod })
    assert.equal(hashes.proofHash.toString('hex'), proofHash)
    const x = decodeBase58(publicKeyMultibase.slice(1)).subarray(2).toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    assert.ok(verify(null, hashes.bytes, key, decodeBase58(proofValue.slice(1))))
  })

  test('gives the hashes of our example', () => {
    const { proof, ...document } = readExample<{ proof: { proofValue: string } }>('en18223-textile-item')
    const { proofValue: _, ...config } = proof
    const { docHash, proofHash, canonicalProofConfig } = vectors.ecdsaJcs2019
    assert.equal(canonicalize(config), canonicalProofConfig)
    const hashes = hashForProof(document, config)
    assert.deepEqual(
      [hashes.documentHash.toString('hex'), hashes.proofHash.toString('hex')],
      [docHash, proofHash],
    )
  })

  test('verifies the examples', () => {
    for (const name of [
      'en18223-textile-item',
      'en18223-battery-item',
      'untp-dpp-textile-item',
      'untp-dpp-battery-item',
    ])
      assert.deepEqual(verifyProof(readExample(name), findKey), {
        verificationMethod: vectors.verificationMethod,
        created: '2026-11-20T10:00:00Z',
      })
    assert.ok(
      verifyProof(
        readExample<{ credential: Record<string, unknown> }>('status-list-example').credential,
        findKey,
      ),
    )
  })

  test('signs anew with the same members in the same order', async () => {
    const example = readExample<Record<string, unknown> & { proof: object }>('en18223-textile-item')
    const signed = await addProof(example, testSigner, SIGNED_AT)
    assert.deepEqual(Object.keys(signed), Object.keys(example))
    assert.deepEqual(Object.keys(signed.proof), Object.keys(example.proof))
    assert.deepEqual({ ...signed.proof, proofValue: '' }, { ...example.proof, proofValue: '' })
    assert.ok(verifyProof(signed, findKey))
  })

  test('signs a document without context', async () => {
    const signed = await addProof({ format: 'x' }, testSigner, SIGNED_AT)
    assert.equal(Object.hasOwn(signed.proof, '@context'), false)
    assert.ok(verifyProof(signed, findKey))
  })

  test('refuses a proof of another kind or purpose, more than one, and a context added later', async () => {
    const signed = await addProof({ '@context': ['https://a.example'], a: 1 }, testSigner, SIGNED_AT)
    const { proof } = signed
    const refuses = (document: Record<string, unknown>, code: string) =>
      assert.throws(() => verifyProof(document, findKey), withCode(code))
    refuses({ ...signed, proof: undefined }, 'malformed')
    refuses({ ...signed, proof: [proof] }, 'malformed')
    refuses({ ...signed, proof: { ...proof, type: 'Other' } }, 'malformed')
    refuses({ ...signed, proof: { ...proof, cryptosuite: 'eddsa-jcs-2022' } }, 'malformed')
    refuses({ ...signed, proof: { ...proof, proofPurpose: 'authentication' } }, 'malformed')
    refuses({ ...signed, proof: { ...proof, verificationMethod: 1 } }, 'malformed')
    refuses({ ...signed, proof: { ...proof, created: 'soon' } }, 'malformed')
    refuses({ ...signed, proof: { ...proof, proofValue: `u${proof.proofValue}` } }, 'malformed')
    refuses({ ...signed, proof: { ...proof, extra: 1 } }, 'altered')
    refuses({ ...signed, proof: { ...proof, proofValue: `z1${proof.proofValue.slice(1)}` } }, 'altered')
    refuses({ ...signed, '@context': ['https://a.example', 'https://b.example'] }, 'altered')
    refuses({ ...signed, a: 2 }, 'altered')
    refuses({ ...signed, b: null }, 'altered')
  })
})
