/** JSON Web Signatures, and credentials as `vc+jwt`. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  hasCredentialExpired,
  requireIssuer,
  signVcJwt,
  verifyVcJwt,
} from '../../../src/standards/signing/credential.ts'
import { createKeyFinder } from '../../../src/standards/signing/did-document.ts'
import { signJws } from '../../../src/standards/signing/jws.ts'
import { parseSignedJson } from '../../../src/standards/signing/parse-signed-json.ts'
import { readExample, testSigner, vectors } from '../signing-examples.ts'

const findKey = createKeyFinder(readExample('did-example'))
const { proof: _, ...credential } = readExample('untp-dpp-textile-item')
const withCode = (code: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('vc+jwt', () => {
  test('verifies the example', () => {
    const read = verifyVcJwt(vectors.vcJwt.jwt, findKey)
    assert.deepEqual(read, { credential, keyId: vectors.vcJwt.header.kid })
  })

  test('signs with the header and payload of the example', async () => {
    const signed = await signVcJwt(readExample('untp-dpp-textile-item'), testSigner)
    assert.deepEqual(signed.split('.').slice(0, 2), vectors.vcJwt.jwt.split('.').slice(0, 2))
    assert.deepEqual(verifyVcJwt(signed, findKey).credential, credential)
  })

  test('refuses other algorithms, types, extensions and forms', async () => {
    const [, payload, signature] = vectors.vcJwt.jwt.split('.')
    const refuses = (text: string, code: string) =>
      assert.throws(() => verifyVcJwt(text, findKey), withCode(code), text)
    const { header } = vectors.vcJwt
    for (const change of [
      { alg: 'none' },
      { alg: 'HS256' },
      { crit: ['x'] },
      { b64: false },
      { kid: undefined },
    ])
      refuses(`${encode({ ...header, ...change })}.${payload}.${signature}`, 'malformed')
    for (const change of [{ extra: 1 }, { cty: 'other' }])
      refuses(`${encode({ ...header, ...change })}.${payload}.${signature}`, 'altered')
    refuses(
      `${encode({ ...header, kid: 'did:web:elsewhere.example#a' })}.${payload}.${signature}`,
      'unknown_key',
    )
    refuses(`${encode(header)}.${encode({ a: 1 })}.${signature}`, 'altered')
    refuses(`${encode(header)}.${payload}.`, 'altered')
    for (const text of [
      '',
      'a',
      'a.b',
      `${vectors.vcJwt.jwt}.`,
      `${vectors.vcJwt.jwt}=`,
      `.${payload}.${signature}`,
    ])
      refuses(text, 'malformed')
    refuses(await signJws(credential, { type: 'jwt' }, testSigner), 'malformed')
  })

  test('belongs to its issuer', () => {
    const keyId = vectors.verificationMethod
    requireIssuer(credential, keyId)
    requireIssuer({ issuer: keyId.split('#')[0] }, keyId)
    for (const issuer of [undefined, 'did:web:elsewhere.example', { id: 1 }, {}])
      assert.throws(() => requireIssuer({ issuer }, keyId), withCode('unusable_key'))
  })

  test('is valid from one time until another', () => {
    const period = { validFrom: '2026-11-20T00:00:00Z', validUntil: '2026-11-27T01:00:00+01:00' }
    const at = (time: string) => hasCredentialExpired(period, new Date(time))
    assert.throws(() => at('2026-11-19T23:59:59.999Z'), withCode('not_current'))
    assert.equal(at('2026-11-20T00:00:00Z'), false)
    assert.equal(at('2026-11-26T23:59:59.999Z'), false)
    assert.equal(at('2026-11-27T00:00:00Z'), true)
    assert.equal(hasCredentialExpired({}, new Date(0)), false)
    assert.throws(() => hasCredentialExpired({ validFrom: 'soon' }, new Date(0)), withCode('malformed'))
  })
})

describe('signed JSON', () => {
  test('has each member once', () => {
    const text = String.raw`{"a":{"a":[{"a":"\"a\": \\"},{"a" : 1}]},"b":"{\"b\":1}","c":["d","d"]}`
    assert.deepEqual(parseSignedJson(text), JSON.parse(text))
    for (const twice of [
      '{"a":1,"a":1}',
      '[{"a":{"b":1,"b" :2}}]',
      String.raw`{"a":1,"\u0061":2}`,
      '{"":1,"":2}',
    ])
      assert.throws(() => parseSignedJson(twice), withCode('malformed'), twice)
  })

  test('is valid and not too deep', () => {
    for (const text of ['', '{', "{'a':1}", '[1,]', `${'['.repeat(101)}${']'.repeat(101)}`])
      assert.throws(() => parseSignedJson(text), withCode('malformed'))
    parseSignedJson(`${'['.repeat(100)}${']'.repeat(100)}`)
  })
})
