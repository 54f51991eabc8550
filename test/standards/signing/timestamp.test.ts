/** Time stamps of RFC 3161, with an authority that OpenSSL played. */
import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { SignatureError } from '../../../src/standards/signing/signature-error.ts'
import {
  buildTimeStampRequest,
  readTimeStampResponse,
  readTimeStampToken,
  verifyTimeStampSignature,
} from '../../../src/standards/signing/timestamp.ts'
import { createRandom } from '../random.ts'
import { readExample } from '../signing-examples.ts'

type TimeStampExample = { data: string; nonce: string; request: string; granted: string; rejected: string }
type Certificates = { certificate: string; otherCertificate: string }
const example = readExample<TimeStampExample & Certificates & { requestWithoutNonce: string }>('time-stamp')
const hash = createHash('sha256').update(example.data).digest()
const nonce = Buffer.from(example.nonce, 'hex')
const granted = Buffer.from(example.granted, 'base64')
const withCode = (code: string) => (error: unknown) => error instanceof SignatureError && error.code === code

describe('a request', () => {
  test('is that of OpenSSL, with a nonce', () => {
    const request = buildTimeStampRequest(hash, nonce).toString('hex')
    assert.equal(request, example.request)
    // A positive number whose first bit is set has a zero in front.
    const [before = '', after = ''] = example.requestWithoutNonce.slice(4).split(/(?=0101ff$)/)
    assert.equal(request.slice(4), `${before}021100${example.nonce}${after}`)
  })

  test('has a hash of 32 bytes', () => {
    assert.throws(() => buildTimeStampRequest(hash.subarray(1), nonce), RangeError)
  })
})

describe('a response', () => {
  test('says when, and has the token', () => {
    const { token, time } = readTimeStampResponse(granted, hash, nonce)
    assert.equal(time.toISOString(), '2026-11-23T20:14:07.000Z')
    assert.deepEqual(token, granted.subarray(9))
  })

  test('is refused for another hash or request, or if it was rejected', () => {
    const other = createHash('sha256').update('other').digest()
    assert.throws(() => readTimeStampResponse(granted, other, nonce), withCode('altered'))
    assert.throws(() => readTimeStampResponse(granted, hash, nonce.subarray(1)), withCode('altered'))
    const rejected = Buffer.from(example.rejected, 'base64')
    assert.throws(() => readTimeStampResponse(rejected, hash, nonce), withCode('malformed'))
  })

  test('that is cut or altered gives an error of its own or the same facts', () => {
    for (let length = 0; length < granted.length; length++)
      assert.throws(() => readTimeStampResponse(granted.subarray(0, length), hash, nonce), SignatureError)
    const random = createRandom(3)
    for (let i = 0; i < 2_000; i++) {
      const changed = Buffer.from(granted)
      changed[random(changed.length)] = random(256)
      try {
        readTimeStampResponse(changed, hash, nonce)
      } catch (error) {
        assert.ok(error instanceof SignatureError, String(error))
      }
    }
  })
})

describe('the signature of an authority', () => {
  const { token } = readTimeStampResponse(granted, hash, nonce)
  const [certificate, other] = [example.certificate, example.otherCertificate].map(
    base64 => new X509Certificate(Buffer.from(base64, 'base64')),
  ) as [X509Certificate, X509Certificate]

  test('is valid for its certificate', () => {
    assert.equal(verifyTimeStampSignature(token, hash, [certificate]).subject, 'CN=Test time stamps')
  })

  test('is refused without a trusted certificate, or for another hash', () => {
    for (const authorities of [[], [other]])
      assert.throws(() => verifyTimeStampSignature(token, hash, authorities), withCode('unusable_key'))
    const otherHash = createHash('sha256').update('other').digest()
    assert.throws(() => verifyTimeStampSignature(token, otherHash, [certificate]), withCode('altered'))
  })

  test('is refused if something follows the token', () => {
    assert.deepEqual(readTimeStampToken(token, hash), new Date('2026-11-23T20:14:07.000Z'))
    for (const more of [token, Buffer.from([5, 0])]) {
      const longer = Buffer.concat([token, more])
      assert.throws(() => readTimeStampToken(longer, hash), withCode('malformed'))
      assert.throws(() => verifyTimeStampSignature(longer, hash, [certificate]), withCode('malformed'))
    }
  })

  test('is refused if what it covers was altered by one byte', () => {
    const content = token.indexOf(hash)
    for (let at = 0; at < token.length; at++) {
      const changed = Buffer.from(token)
      changed[at] = (changed[at] ?? 0) ^ 0x11
      try {
        verifyTimeStampSignature(changed, hash, [certificate])
      } catch (error) {
        assert.ok(error instanceof SignatureError, String(error))
        continue
      }
      // Versions, the list of digests, and certificates that the trusted one replaces are not covered.
      assert.deepEqual(readTimeStampToken(changed, hash), readTimeStampToken(token, hash))
      assert.ok(at < content - 40 || at > content + 110, `byte ${at}`)
    }
  })
})
