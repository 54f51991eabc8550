/** Recognises each form of what is signed, and refuses it if one byte is altered. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addProof } from '../../../src/standards/signing/data-integrity.ts'
import { createKeyFinder, getDidDocumentUrl } from '../../../src/standards/signing/did-document.ts'
import { signJws } from '../../../src/standards/signing/jws.ts'
import { buildMirrorManifest, listMirroredFiles } from '../../../src/standards/signing/mirror-manifest.ts'
import { SignatureError } from '../../../src/standards/signing/signature-error.ts'
import {
  MAX_CLOCK_SKEW_MS,
  readSignedText,
  type SignedForm,
} from '../../../src/standards/signing/signed-text.ts'
import {
  buildTokenStatusList,
  createStatusBits,
  STATUS_LIST_JWT,
} from '../../../src/standards/signing/status-list.ts'
import { createRandom } from '../random.ts'
import { readExample, TEST_DID, testSigner, vectors } from '../signing-examples.ts'

const SIGNED_AT = new Date('2026-11-20T10:00:00Z')
const NOW = new Date('2026-11-23T10:00:00Z')
const LATER = new Date('2027-01-01T00:00:00Z')
const FILE = { path: 'p/01m45m2vp0fqh9ek41pvnj0nca/index.html', sha256: 'a'.repeat(64) }
const findKey = createKeyFinder(readExample('did-example'))
const withCode = (code: string) => (error: unknown) => error instanceof SignatureError && error.code === code
const read = (text: string) => readSignedText(Buffer.from(text))

const list = { url: 'https://a.example/1', did: TEST_DID, bits: createStatusBits() }
const tokenList = buildTokenStatusList({ ...list, validFrom: SIGNED_AT, validUntil: LATER }, 300)
const texts = new Map<SignedForm, string>()
before(async () => {
  const example = readExample<{ presentations: { authority: string } }>('sd-jwt-battery-item')
  const manifest = await addProof(buildMirrorManifest([FILE], SIGNED_AT), testSigner, SIGNED_AT)
  texts.set('passport', JSON.stringify(readExample('en18223-textile-item'), null, 2))
  texts.set('credential', JSON.stringify(readExample('untp-dpp-textile-item')))
  texts.set('credential-jwt', `${vectors.vcJwt.jwt}\n`)
  texts.set('sd-jwt', example.presentations.authority)
  texts.set('status-list-jwt', await signJws(tokenList, STATUS_LIST_JWT, testSigner))
  texts.set('mirror-manifest', JSON.stringify(manifest))
})
const getText = (form: SignedForm) => texts.get(form) ?? ''

describe('a signed text', () => {
  test('is recognised, and says who signed what and when', () => {
    const passport = 'https://passports.example.org/p/01m45m2vp0fqh9ek41pvnj0nca'
    const found = Array.from(texts, ([form, text]) => {
      const signed = read(text)
      assert.equal(signed.form, form)
      const { subject, versionNo, signedAt, validFrom } = signed.verify(findKey, NOW)
      return [signed.keyId.split('#')[1], subject, versionNo, signedAt, validFrom]
    })
    assert.deepEqual(found, [
      ['key-1', passport, 2, '2026-11-20T10:00:00Z', null],
      ['key-1', `${passport}?version=2&format=vc`, 2, '2026-11-20T10:00:00Z', '2026-11-02T09:14:05Z'],
      ['key-1-jwk', `${passport}?version=2&format=vc`, 2, null, '2026-11-02T09:14:05Z'],
      [
        'key-1',
        'https://passports.example.org/p/01m45nzwt0ewpa35pb00tpn7ym',
        3,
        '2026-11-20T10:00:00.000Z',
        null,
      ],
      ['key-1-jwk', 'https://a.example/1', null, '2026-11-20T10:00:00.000Z', null],
      ['key-1', '2026-11-20T10:00:00.000Z', null, '2026-11-20T10:00:00Z', null],
    ])
  })

  test('says where its revocation stands, what it discloses and lists', () => {
    const check = (form: SignedForm) => read(getText(form)).verify(findKey, NOW)
    const listUrl = 'https://passports.example.org/issuers/k7m2q9x4t6v8/status/1'
    assert.deepEqual(check('credential').status, { listUrl, index: 93417 })
    assert.deepEqual(check('credential-jwt').status, { listUrl, index: 93417 })
    assert.equal(check('sd-jwt').status?.index, 11260)
    assert.deepEqual([check('sd-jwt').disclosed, check('passport').disclosed], [28, null])
    assert.deepEqual(check('mirror-manifest').files, [FILE])
  })

  test('is refused if one byte is altered', () => {
    const random = createRandom(7)
    for (const [form, text] of texts) {
      const bytes = Buffer.from(text.trim())
      for (let i = 0; i < 400; i++) {
        const changed = Buffer.from(bytes)
        const at = random(bytes.length)
        changed[at] = random(256)
        // White space outside of strings is not signed.
        if (changed.equals(bytes) || /^\s{2}$/.test(String.fromCharCode(bytes[at] ?? 0, changed[at])))
          continue
        const check = () => readSignedText(changed).verify(findKey, NOW)
        assert.throws(check, SignatureError, `${form}: ${at} is ${changed[at]}`)
      }
    }
  })

  test('is refused if it says that it was signed in the future, by more than clocks differ', async () => {
    const sign = async (created: Date) => {
      const { proof: _, ...document } = readExample('en18223-textile-item')
      return read(JSON.stringify(await addProof(document, testSigner, created)))
    }
    ;(await sign(new Date(NOW.getTime() + MAX_CLOCK_SKEW_MS))).verify(findKey, NOW)
    const future = await sign(new Date('2099-01-01T00:00:00Z'))
    assert.throws(() => future.verify(findKey, NOW), withCode('not_current'))
    const iat = Date.parse('2099-01-01T00:00:00Z') / 1000
    const token = read(await signJws({ ...tokenList, iat, exp: iat + 9 }, STATUS_LIST_JWT, testSigner))
    assert.throws(() => token.verify(findKey, NOW), withCode('not_current'))
  })

  test('is valid after its time, but expired', async () => {
    const document = readExample('en18223-textile-item')
    const credential = { ...readExample('untp-dpp-textile-item'), validUntil: LATER.toISOString() }
    const manifest = buildMirrorManifest([FILE], SIGNED_AT)
    const early = new Date(LATER.getTime() - 1)
    const signed = {
      list: getText('status-list-jwt'),
      document: JSON.stringify(await addProof(document, testSigner, SIGNED_AT, LATER)),
      manifest: JSON.stringify(await addProof(manifest, testSigner, SIGNED_AT, LATER)),
      credential: JSON.stringify(await addProof(credential, testSigner, SIGNED_AT)),
      earlierProof: JSON.stringify(
        await addProof({ ...credential, validUntil: '2099-01-01T00:00:00Z' }, testSigner, SIGNED_AT, LATER),
      ),
      laterProof: JSON.stringify(
        await addProof(credential, testSigner, SIGNED_AT, new Date('2099-01-01T00:00:00Z')),
      ),
    }
    for (const [name, text] of Object.entries(signed)) {
      const at = (now: Date) => read(text).verify(findKey, now)
      assert.deepEqual([at(early).isExpired, at(LATER).isExpired], [false, true], name)
      assert.equal(Date.parse(at(early).validUntil ?? ''), LATER.getTime(), name)
    }
    const unlimited = read(getText('passport')).verify(findKey, LATER)
    assert.deepEqual([unlimited.isExpired, unlimited.validUntil], [false, null])
  })

  test('is refused before its time, and with an end that cannot be read', async () => {
    const signed = await addProof(readExample('en18223-textile-item'), testSigner, SIGNED_AT, LATER)
    for (const expires of ['soon', 7, null]) {
      const text = JSON.stringify({ ...signed, proof: { ...signed.proof, expires } })
      assert.throws(() => read(text).verify(findKey, NOW), withCode('malformed'))
    }
    assert.throws(() => read(getText('credential')).verify(findKey, new Date(0)), withCode('not_current'))
  })

  test('belongs to the issuer that it names', async () => {
    const sign = (iss: string) => signJws({ ...tokenList, iss }, STATUS_LIST_JWT, testSigner)
    read(await sign(TEST_DID)).verify(findKey, NOW)
    const foreign = read(await sign('did:web:elsewhere.example'))
    assert.throws(() => foreign.verify(findKey, NOW), withCode('unusable_key'))
    const credential = { type: ['VerifiableCredential'], issuer: 'did:web:elsewhere.example' }
    const signed = read(JSON.stringify(await addProof(credential, testSigner, SIGNED_AT)))
    assert.throws(() => signed.verify(findKey, NOW), withCode('unusable_key'))
  })

  test('must be one of the forms', async () => {
    const proof = { verificationMethod: vectors.verificationMethod }
    const others = ['', '{', '[]', '{}', '1', 'a.b.c', '~', 'a~b~', JSON.stringify({ a: 1, proof })]
    for (const text of [...others, await signJws({}, { type: 'jwt' }, testSigner)])
      assert.throws(() => read(text), withCode('malformed'), text)
    assert.throws(() => readSignedText(Buffer.from([0x7b, 0xff])), withCode('malformed'))
  })
})

describe('the manifest of a mirror', () => {
  test('lists files inside of the mirror only', () => {
    const list = (file: unknown) => () => listMirroredFiles({ files: [file] })
    assert.deepEqual(list(FILE)(), [FILE])
    for (const path of ['/etc/passwd', '../a', 'a/../../b', 'a//b', './a', '', 'a\\b', 'C:a', 'a\0', 1, null])
      assert.throws(list({ ...FILE, path }), withCode('malformed'), String(path))
    for (const sha256 of ['', 'A'.repeat(64), 1, undefined])
      assert.throws(list({ ...FILE, sha256 }), withCode('malformed'))
    assert.throws(list('a'), withCode('malformed'))
    assert.throws(() => listMirroredFiles({}), withCode('malformed'))
  })
})

describe('the address of a DID document', () => {
  test('follows did:web', () => {
    const addresses = [TEST_DID, 'did:web:brand.example', 'did:web:localhost%3A3000:issuers:a'].map(
      getDidDocumentUrl,
    )
    assert.deepEqual(addresses, [
      'https://passports.example.org/issuers/k7m2q9x4t6v8/did.json',
      'https://brand.example/.well-known/did.json',
      'https://localhost:3000/issuers/a/did.json',
    ])
    assert.equal(getDidDocumentUrl('did:key:z6Mk'), undefined)
  })
})
