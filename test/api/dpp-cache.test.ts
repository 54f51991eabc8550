/** Signed public documents of `/dpp/v1` are cached: whatever changes one is seen by the next read, in each process. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setAudienceProfile } from '../../src/accounts/account/audience-profile.ts'
import { rotateSigningKey, setSigning } from '../../src/accounts/issuer/issuer.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { revokeKeyAndSignatures } from '../../src/passports/signed/revoke-key.ts'
import { verifyProof } from '../../src/standards/signing/data-integrity.ts'
import { createKeyFinder } from '../../src/standards/signing/did-document.ts'
import { type Answer, type Harness, nextGtin, startHarness, type TestAccount } from '../harness.ts'

let t: Harness
let other: Harness
let account: TestAccount
let ctx: TestAccount['ctx'] & { secretCipher: Harness['setup']['secretCipher'] }
let model: Answer['json']
let item: Answer['json']

before(async () => {
  t = await startHarness()
  other = await t.beside()
  account = await t.account()
  ctx = { ...account.ctx, secretCipher: t.setup.secretCipher }
  await setSigning(ctx, true)
  const report = { dueDiligenceUrl: 'https://example.com/report' }
  const data = { ...CATEGORY_EXAMPLES.battery.value.data, ...report, gtin: nextGtin(), stateOfHealth: 97.5 }
  model = await write('POST', '/products', { category: 'battery', data })
  item = await write('POST', `/products/${model.id}/children`, { level: 'item', serial: 'A1' })
})
after(async () => {
  await other.close()
  await t.close()
})

async function write(method: 'POST' | 'PATCH', path: string, body?: object): Promise<Answer['json']> {
  const input = { key: account.key, ...(body && { body }) }
  const { status, json, text } = await t.ask(method, `/api/v1${path}`, input)
  assert.ok(status < 300, text)
  return json.data
}

type Document = { text: string; etag: string; json: Answer['json'] }

async function readAt(server: Harness, id: string): Promise<Document> {
  const { status, text, json, headers } = await server.ask('GET', `/dpp/v1/dpps/${id}`)
  assert.equal(status, 200, text)
  return { text, etag: headers.etag ?? '', json }
}

/** The same bytes from both processes, now and again, and the proof holds if there is one. */
async function read({ id }: { id: string }): Promise<Document> {
  const first = await readAt(t, id)
  for (const server of [other, t, other]) assert.deepEqual(await readAt(server, id), first)
  if (first.json.proof !== undefined) {
    const name = /issuers:([a-z]+)#/.exec(first.json.proof.verificationMethod)?.[1]
    const did = (await t.ask('GET', `/issuers/${name}/did.json`)).json
    verifyProof(first.json, createKeyFinder(did))
  }
  return first
}

/** Other processes know the keys of an account for a second. */
const passSecond = () => {
  t.clock.advance(1_000)
  other.clock.advance(1_000)
}

const keyOf = ({ json }: Document): string => json.proof.verificationMethod.split('#')[1]

describe('a signed public document', () => {
  test('keeps its bytes and its ETag until something changes', async () => {
    const first = await read(item)
    const again = await t.ask('GET', `/dpp/v1/dpps/${item.id}`, { headers: { 'if-none-match': first.etag } })
    assert.equal(again.status, 304)
    assert.equal((await read(item)).text, first.text)
  })

  test('shows a new version, archiving and restoring', async () => {
    const before = await read(item)
    await write('PATCH', `/products/${item.id}`, { data: { weightKg: 3.2 } })
    const changed = await read(item)
    assert.deepEqual([changed.json.weightKg, changed.json.passportRecord.versionNo], [3.2, 2])
    assert.notEqual(changed.json.proof.proofValue, before.json.proof.proofValue)
    await write('POST', `/products/${item.id}/archive`)
    assert.equal((await read(item)).json.dppStatus, 'archived')
    await write('POST', `/products/${item.id}/restore`)
    const restored = await read(item)
    assert.equal(restored.json.dppStatus, 'active')
    assert.notEqual(restored.etag, changed.etag)
  })

  test('of a unit shows that its model was corrected, its refresh and the GTIN that it then has', async () => {
    const gtin = nextGtin()
    const data = { gtin, ratedCapacity: 14 }
    assert.equal((await read(item)).json.passportRecord.outdated, false)
    await write('PATCH', `/products/${model.id}`, { data, change_type: 'correction' })
    const [corrected, outdated] = [await read(model), await read(item)]
    assert.deepEqual([corrected.json.ratedCapacity, outdated.json.passportRecord.outdated], [14, true])
    assert.match(corrected.json.uniqueProductIdentifier, new RegExp(`/01/0${gtin}$`))
    await write('POST', `/products/${item.id}/refresh`)
    const { json } = await read(item)
    assert.deepEqual([json.ratedCapacity, json.passportRecord.outdated], [14, false])
    assert.match(json.uniqueProductIdentifier, new RegExp(`/01/0${gtin}/21/A1$`))
  })

  test('follows the audiences that its account chooses', async () => {
    const contract = await read(item)
    const operator = { sql: t.setup.sql, clock: t.clock }
    await setAudienceProfile(operator, { accountId: account.id, profile: 'law' })
    const law = await read(item)
    const shown = [contract, law].map(({ json }) => json.dueDiligenceUrl)
    assert.deepEqual(shown, [undefined, 'https://example.com/report'])
    await setAudienceProfile(operator, { accountId: account.id, profile: 'contract' })
    assert.equal((await read(item)).text, contract.text)
  })

  test('loses its proof if signing is switched off, and has the same one again afterwards', async () => {
    const signed = await read(item)
    await setSigning(ctx, false)
    passSecond()
    const { json } = await read(item)
    assert.deepEqual([json.proof, json.passportRecord.versionCommitment], [undefined, undefined])
    await setSigning(ctx, true)
    passSecond()
    assert.equal((await read(item)).text, signed.text)
  })

  test('keeps its signature under a new key, and gets another one if its key is revoked', async () => {
    const old = await read(item)
    await rotateSigningKey(ctx)
    passSecond()
    assert.equal((await read(item)).text, old.text)
    await revokeKeyAndSignatures(ctx, 1)
    passSecond()
    const signed = await read(item)
    assert.deepEqual([keyOf(old), keyOf(signed)], ['key-1', 'key-2'])
    assert.notEqual(signed.etag, old.etag)
  })

  test('is never sent to a reader who may see more or less', async () => {
    const own = await t.ask('GET', `/dpp/v1/dpps/${item.id}`, { key: account.key })
    assert.equal(own.json.stateOfHealth, 97.5)
    const { json, text } = await read(item)
    assert.equal(json.stateOfHealth, undefined)
    const foreign = await t.account()
    assert.equal((await t.ask('GET', `/dpp/v1/dpps/${item.id}`, { key: foreign.key })).text, text)
  })

  test('is not signed anew for its elements', async () => {
    const { json } = await write('PATCH', `/products/${item.id}`, { data: { weightKg: 3.3 } }).then(() =>
      t.ask('GET', `/dpp/v1/dpps/${item.id}/elements/$.weightKg`),
    )
    assert.equal(json, 3.3)
    const signatures = await t.sql`select from signed_document where account_id = ${account.id}`
    await t.ask('GET', `/dpp/v1/dpps/${item.id}/elements/$.weightKg`, { key: account.key })
    assert.equal(
      (await t.sql`select from signed_document where account_id = ${account.id}`).length,
      signatures.length,
    )
  })

  test('many first reads at once, in both processes, get one signature', async () => {
    await write('PATCH', `/products/${item.id}`, { data: { weightKg: 3.4 } })
    const servers = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? t : other))
    const all = await Promise.all(servers.map(server => readAt(server, item.id)))
    assert.equal(new Set(all.map(({ text }) => text)).size, 1)
  })
})
