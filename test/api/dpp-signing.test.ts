/** Tests signed documents of `/dpp/v1`: keys, proofs that others can check, rotation and stolen keys. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import {
  countIssuerSecrets,
  reencryptIssuerSecrets,
  revokeSigningKey,
  rotateSigningKey,
  setSigning,
} from '../../src/accounts/issuer/issuer.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { parseId } from '../../src/kernel/crypto/ids.ts'
import { createSecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { createAccessLink } from '../../src/passports/access/access-links.ts'
import { explainCommitment } from '../../src/passports/documents/explain-commitment.ts'
import { revokeKeyAndSignatures } from '../../src/passports/signed/revoke-key.ts'
import { verifyProof } from '../../src/standards/signing/data-integrity.ts'
import { createKeyFinder } from '../../src/standards/signing/did-document.ts'
import { getSignaturePeriod } from '../../src/standards/signing/signature-period.ts'
import { ADDRESSES, type Answer, type Harness, startHarness, type TestAccount } from '../harness.ts'

let t: Harness
let account: TestAccount
let battery: Answer['json']
let ctx: TestAccount['ctx'] & { secretCipher: Harness['setup']['secretCipher'] }

const read = (headers: Record<string, string> = {}, query = '') =>
  t.ask('GET', `/dpp/v1/dpps/${battery.id}${query}`, { headers })

/** Finds the keys at the address that a DID names. */
async function readDid(keyId: string): Promise<Answer['json']> {
  const [, path = ''] = /^did:web:carnet\.example:(issuers:[a-z]+)#key-\d+$/.exec(keyId) ?? []
  const { status, json, headers } = await t.ask('GET', `/${path.replace(':', '/')}/did.json`)
  assert.equal(status, 200, keyId)
  assert.equal(headers['content-type'], 'application/did+json')
  assert.equal(headers['access-control-allow-origin'], '*')
  return json
}

async function verify(document: Answer['json']): Promise<string> {
  const keys = await readDid(document.proof.verificationMethod)
  return verifyProof(document, createKeyFinder(keys)).verificationMethod.split('#')[1] ?? ''
}

before(async () => {
  t = await startHarness()
  account = await t.account()
  ctx = { ...account.ctx, secretCipher: t.setup.secretCipher }
  const data = { ...CATEGORY_EXAMPLES.battery.value.data, stateOfHealth: 97.5 }
  const body = { category: 'battery', data }
  battery = (await t.ask('POST', '/api/v1/products', { key: account.key, body })).json.data
})
after(() => t.close())

describe('signing', () => {
  test('is off until the account switches it on', async () => {
    const { json } = await read()
    assert.deepEqual([json.proof, json.passportRecord.versionCommitment], [undefined, undefined])
  })

  test('a public document keeps its proof and its ETag until its content changes', async () => {
    await setSigning(ctx, true)
    const [first, again] = [await read(), await read()]
    assert.equal(await verify(first.json), 'key-1')
    assert.equal(again.headers.etag, first.headers.etag)
    assert.deepEqual(again.json, first.json)
    assert.match(first.json.economicOperatorId, /^did:web:carnet\.example:issuers:/)
    const changed = { ...first.json, ratedCapacity: 99 }
    await assert.rejects(() => verify(changed), /changed after it was signed/)
    const body = { data: { weightKg: 3.1 } }
    await t.ask('PATCH', `/api/v1/products/${battery.id}`, { key: account.key, body })
    const next = await read()
    assert.equal(await verify(next.json), 'key-1')
    assert.notEqual(next.json.proof.proofValue, first.json.proof.proofValue)
    const commitments = [first, next].map(({ json }) => json.passportRecord.versionCommitment)
    for (const one of commitments) assert.match(one, /^[\w-]{43}$/)
    assert.notEqual(commitments[0], commitments[1])
    const past = await read({}, '?version=1')
    assert.equal(past.json.passportRecord.versionCommitment, commitments[0])
    assert.equal(await verify(past.json), 'key-1')
  })

  test('a signature says until when it is valid, and is renewed at half of that time', async () => {
    const DAY_MS = 86_400_000
    const now = new Date()
    t.clock.set(now)
    const rows = () => t.sql`select from signed_document where passport_id = ${parseId(battery.id) ?? ''}`
    const readAll = async () => {
      const site = await t.ask('GET', `/p/${battery.id}?format=en`)
      const dpp = await read()
      assert.equal(site.text, dpp.text)
      return dpp
    }
    const first = await readAll()
    const end = getSignaturePeriod(now, 90).end
    assert.equal(first.json.proof.expires, end.toISOString().replace('.000', ''))
    assert.equal(first.json.passportRecord.currentDocument, `${battery.passport_url}?format=en`)
    t.clock.set(new Date(end.getTime() - 45 * DAY_MS - 1))
    assert.equal((await readAll()).text, first.text)
    t.clock.advance(1)
    const next = await readAll()
    assert.equal(Date.parse(next.json.proof.expires), end.getTime() + 45 * DAY_MS)
    assert.notEqual(next.headers.etag, first.headers.etag)
    assert.equal(await verify(next.json), 'key-1')
    assert.equal((await rows()).length, 1, 'the signature of the period before is deleted')
    t.clock.set(now)
    const short = await t.beside({ signatureDays: 8 })
    short.clock.set(now)
    const { json } = await short.ask('GET', `/dpp/v1/dpps/${battery.id}`)
    assert.equal(Date.parse(json.proof.expires), getSignaturePeriod(now, 8).end.getTime())
    assert.equal(await verify(json), 'key-1')
    await short.close()
    t.clock.release()
  })

  test('an auditor gets the hash and the salt of a version, which give its commitment', async () => {
    const uuid = parseId(battery.id) ?? ''
    for (const version of [1, 2]) {
      const { json } = await read({}, `?version=${version}`)
      const { hash, salt, commitment, version_no } = await explainCommitment(t.setup, uuid, version)
      assert.deepEqual([version_no, commitment], [version, json.passportRecord.versionCommitment])
      const both = Buffer.from(salt + hash, 'hex')
      assert.equal(createHash('sha256').update(both).digest('base64url'), commitment)
      const rows = await t.sql<{ hash: Buffer }[]>`
        select hash from passport_version where passport_id = ${uuid} and version_no = ${version}`
      if (rows[0] !== undefined) assert.equal(hash, rows[0].hash.toString('hex'))
    }
    await assert.rejects(explainCommitment(t.setup, uuid, 3), { code: 'not_found' })
    const secretCipher = createSecretCipher('an unknown secret key, long enough')
    await assert.rejects(explainCommitment({ ...t.setup, secretCipher }, uuid), { code: 'validation' })
  })

  test('what only one reader may see is signed, but its signature is not kept', async () => {
    const expiresAt = new Date('2999-01-01')
    const link = {
      passportId: battery.id,
      audience: 'authority',
      label: 'Test',
      addresses: ADDRESSES,
      expiresAt,
    }
    const { token } = await createAccessLink(account.ctx, link)
    const count = async () => (await t.sql`select from signed_document`).length
    const before = await count()
    const { json } = await read({ authorization: `Bearer ${token}` })
    assert.equal(json.stateOfHealth, 97.5)
    assert.equal(await verify(json), 'key-1')
    assert.equal(await count(), before)
    const full = await read({}, '?representation=full')
    assert.equal(full.json.proof, undefined)
  })

  test('a new key breaks no old document; a stolen one does, and everything is signed anew', async () => {
    const old = (await read()).json
    await rotateSigningKey(ctx)
    assert.equal(await verify(old), 'key-1')
    // The document is the same, so its signature is kept.
    assert.equal(await verify((await read()).json), 'key-1')
    await revokeKeyAndSignatures(ctx, 1)
    await assert.rejects(() => verify(old), /was revoked/)
    assert.equal(await verify((await read()).json), 'key-2')
    await revokeKeyAndSignatures(ctx, 2)
    assert.equal(await verify((await read()).json), 'key-3')
    await assert.rejects(revokeSigningKey(ctx, 9), { code: 'not_found' })
  })

  test('signatures of a revoked key are not served, even if deleting them was interrupted', async () => {
    const old = (await read()).json
    await read({}, '?version=1')
    await revokeSigningKey(ctx, 3)
    const [first, again] = [await read(), await read()]
    assert.equal(await verify(first.json), 'key-4')
    assert.equal(again.headers.etag, first.headers.etag)
    await assert.rejects(() => verify(old), /was revoked/)
    // Nobody has read the first version again.
    const left = async () => (await t.sql`select from signed_document where key_number = 3`).length
    assert.ok((await left()) > 0)
    await revokeKeyAndSignatures(ctx, 3)
    assert.equal(await left(), 0)
  })

  test('a key revoked while a process still signs with it', async () => {
    const other = await t.beside()
    const readThere = () => other.ask('GET', `/dpp/v1/dpps/${battery.id}`)
    assert.equal(await verify((await readThere()).json), 'key-4')
    await revokeKeyAndSignatures(ctx, 4)
    // The other process knows its keys for a second, and stores what it signs.
    const late = await readThere()
    assert.match(late.json.proof.verificationMethod, /#key-4$/)
    await assert.rejects(() => verify(late.json), /was revoked/)
    const here = await read()
    assert.equal(await verify(here.json), 'key-5')
    other.clock.advance(1_000)
    assert.deepEqual((await readThere()).json, here.json)
    await other.close()
  })

  test('keys revoked during many reads at once break none of them', async () => {
    const reads = Array.from({ length: 20 }, () => read())
    const [, ...documents] = await Promise.all([revokeKeyAndSignatures(ctx, 5), ...reads])
    for (const { status, json } of documents) {
      assert.equal(status, 200)
      assert.match(json.proof.verificationMethod, /#key-[56]$/)
    }
    assert.equal(await verify((await read()).json), 'key-6')
  })

  test('keys are encrypted, and readable only with SECRET_KEY', async () => {
    const rows = await t.sql<{ private_key: Buffer }[]>`select private_key from issuer_key`
    const left = rows.filter(row => row.private_key.length > 0)
    assert.equal(left.length, 1, 'the private parts of replaced keys are gone')
    for (const row of left) assert.doesNotMatch(row.private_key.toString('latin1'), /MIG|PRIVATE/)
    const next = createSecretCipher('another secret key, also long enough', [t.setup.secretKey])
    assert.deepEqual(await countIssuerSecrets({ sql: t.sql, clock: t.clock }, next), { current: 0, other: 2 })
    assert.equal(await reencryptIssuerSecrets({ sql: t.sql, clock: t.clock }, next), 2)
    assert.deepEqual(await countIssuerSecrets({ sql: t.sql, clock: t.clock }, next), { current: 2, other: 0 })
    const unknown = createSecretCipher('a third secret key, also long enough')
    await assert.rejects(reencryptIssuerSecrets({ sql: t.sql, clock: t.clock }, unknown), {
      code: 'validation',
    })
    const other = await t.beside()
    const unsigned = await other.ask('GET', `/dpp/v1/dpps/${battery.id}`)
    assert.deepEqual([unsigned.status, unsigned.json.proof], [200, undefined])
    await other.close()
    await reencryptIssuerSecrets(
      { sql: t.sql, clock: t.clock },
      createSecretCipher(t.setup.secretKey, ['another secret key, also long enough']),
    )
  })

  test('switched off, documents have no proof, and the keys stay', async () => {
    const old = (await read()).json
    await setSigning(ctx, false)
    assert.equal((await read()).json.proof, undefined)
    assert.equal(await verify(old), 'key-6')
    assert.equal((await t.ask('GET', '/issuers/nobody/did.json')).status, 404)
  })
})
