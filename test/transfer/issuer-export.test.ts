/** Tests that an account keeps its identity and its keys when it moves to another installation. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { setOperatorAccount } from '../../src/accounts/account/operator-accounts.ts'
import { nameOnly } from '../../src/accounts/identity/identity.ts'
import { askForVerification } from '../../src/accounts/identity/verification-request.ts'
import { rotateSigningKey, setSigning } from '../../src/accounts/issuer/issuer.ts'
import { verifyAccount } from '../../src/accounts/issuer/verify-account.ts'
import { CATEGORY_EXAMPLES } from '../../src/categories/examples.ts'
import { createApp } from '../../src/cli/server/app.ts'
import { createSecretCipher, type SecretCipher } from '../../src/kernel/crypto/secret-cipher.ts'
import { verifyProof } from '../../src/standards/signing/data-integrity.ts'
import { createKeyFinder } from '../../src/standards/signing/did-document.ts'
import { exportAccountToFile } from '../../src/transfer/accounts/export-account.ts'
import { importAccountFromFile } from '../../src/transfer/accounts/import-account.ts'
import { type Answer, type Harness, nextGtin, startHarness } from '../harness.ts'
import { type Folder, temporaryFolder } from './stores.ts'

let source: Harness
let folder: Folder
let file: string
let id: string
let signed: Answer['json']

before(async () => {
  source = await startHarness()
  folder = await temporaryFolder()
  const account = await source.account()
  const ctx = { ...account.ctx, secretCipher: source.setup.secretCipher }
  await setSigning(ctx, true)
  await rotateSigningKey(ctx)
  const body = { category: 'battery', data: CATEGORY_EXAMPLES.battery.value.data }
  id = (await source.ask('POST', '/api/v1/products', { key: account.key, body })).json.data.id
  signed = (await source.ask('GET', `/dpp/v1/dpps/${id}`)).json
  const setup = { ...source.setup, openPool: source.setup.openPoolOfOne, publicUrl: 'https://carnet.example' }
  file = (await exportAccountToFile(setup, { accountId: account.id, path: folder.file('export') })).path
})
after(async () => {
  await source.close()
  await folder.remove()
})

const importInto = (target: Harness, secretCipher: SecretCipher, path = file) =>
  importAccountFromFile(
    { ...target.setup, openPool: target.setup.openPoolOfOne, secretCipher },
    { path, name: undefined, plan: undefined },
  )

/** The document and the keys on an installation with this secret. */
async function read(target: Harness, secretCipher: SecretCipher) {
  const app = createApp({ ...target.setup, secretCipher })
  const get = async (url: string) => (await app.inject({ url })).json()
  const document = await get(`/dpp/v1/dpps/${id}`)
  const keyId: string = document.proof.verificationMethod
  const [, name = ''] = /:issuers:([a-z0-9]+)#/.exec(keyId) ?? []
  const keys = await get(`/issuers/${name}/did.json`)
  await app.close()
  verifyProof(document, createKeyFinder(keys))
  return { document, keys, keyId }
}

describe('an imported account', () => {
  test('signs with the same key under the same DID if the SECRET_KEY is the same', async () => {
    const target = await startHarness()
    const { secretCipher } = target.setup
    const { issuer } = await importInto(target, secretCipher)
    const { name: _, ...kept } = issuer ?? assert.fail()
    assert.deepEqual(kept, { isNewName: false, isNewKey: false, isNewCommitKey: false })
    const { document, keys, keyId } = await read(target, secretCipher)
    assert.equal(keyId, signed.proof.verificationMethod)
    verifyProof(signed, createKeyFinder(keys))
    assert.deepEqual({ ...document, proof: null }, { ...signed, proof: null })
    await target.close()
  })

  test('is neither verified nor of the operator there: another operator has to check it', async () => {
    const account = await source.account()
    const ctx = { ...account.ctx, secretCipher: source.setup.secretCipher }
    await setSigning(ctx, true)
    await verifyAccount(account.ctx, nameOnly('Maker AG'), 'Operator')
    const body = { category: 'battery', data: { ...CATEGORY_EXAMPLES.battery.value.data, gtin: nextGtin() } }
    const made = await source.ask('POST', '/api/v1/products', { key: account.key, body })
    const path = `/dpp/v1/dpps/${made.json.data.id}`
    const here = (await source.ask('GET', path)).json.passportRecord
    assert.deepEqual([here.issuerName, here.issuerVerified], ['Maker AG', true])
    const setup = {
      ...source.setup,
      openPool: source.setup.openPoolOfOne,
      publicUrl: 'https://carnet.example',
    }
    await setOperatorAccount(source.setup, { accountId: account.id, isOperator: true })
    await askForVerification(account.ctx, { identity: nameOnly('Maker SE'), note: 'HRB 1' })
    const exported = await exportAccountToFile(setup, {
      accountId: account.id,
      path: folder.file('verified'),
    })
    const target = await startHarness()
    try {
      await importInto(target, target.setup.secretCipher, exported.path)
      const there = (await target.ask('GET', path)).json.passportRecord
      assert.equal(there.issuerVerified, false)
      assert.doesNotMatch(there.issuerName, /Maker AG/)
      const rows = await target.setup.sql`select from account_identity`
      assert.equal(rows.length, 0)
      assert.equal((await target.setup.sql`select from verification_request`).length, 0)
      assert.equal((await target.setup.sql`select from account where is_operator`).length, 0)
    } finally {
      await target.close()
    }
  })

  test('signs with a new key if it is another, and lists the earlier ones', async () => {
    const target = await startHarness()
    const secretCipher = createSecretCipher('another secret key, also long enough')
    const { issuer } = await importInto(target, secretCipher)
    const { name: _, ...lost } = issuer ?? assert.fail()
    assert.deepEqual(lost, { isNewName: false, isNewKey: true, isNewCommitKey: true })
    const { document, keys, keyId } = await read(target, secretCipher)
    assert.match(keyId, /#key-3$/)
    verifyProof(signed, createKeyFinder(keys))
    assert.notEqual(document.passportRecord.versionCommitment, signed.passportRecord.versionCommitment)
    await target.close()
  })

  test('gets a new name if another account has its name', async () => {
    const target = await startHarness()
    const { secretCipher } = target.setup
    const other = await target.account()
    await setSigning({ ...other.ctx, secretCipher }, true)
    const [, name = ''] = /:issuers:([a-z0-9]+)#/.exec(signed.proof.verificationMethod) ?? []
    await target.setup.sql`update issuer set name = ${name} where account_id = ${other.id}`
    const { issuer } = await importInto(target, secretCipher)
    assert.equal(issuer?.isNewName, true)
    const { keyId } = await read(target, secretCipher)
    assert.match(keyId, new RegExp(`:${issuer?.name}#key-2$`))
    await target.close()
  })

  test('is refused if its keys are damaged, and nothing is left behind', async () => {
    const target = await startHarness()
    for (const [from, to] of [
      [/"x": ?"[^"]{4}/, '"x": "AAAA'],
      [/"number": ?1/, '"number": 7'],
    ] as const) {
      const path = folder.file(`forged-${String(to).length}-${to.charCodeAt(1)}`)
      await writeFile(path, forge(await readFile(file, 'utf8'), from, to))
      await assert.rejects(importInto(target, target.setup.secretCipher, path), {
        code: 'validation',
        message: /its signing keys are damaged/,
      })
    }
    assert.equal((await target.setup.sql`select from account`).length, 0)
    await target.close()
  })
})

/** The file with a change, and a checksum that fits. */
function forge(text: string, from: RegExp, to: string): string {
  const lines = text.trimEnd().split('\n')
  const end = JSON.parse(lines.pop() ?? '')
  const changed = lines.map(line => (line.startsWith('{"type":"issuer"') ? line.replace(from, to) : line))
  assert.notDeepEqual(changed, lines)
  const body = `${changed.join('\n')}\n`
  return `${body}${JSON.stringify({ ...end, sha256: createHash('sha256').update(body).digest('hex') })}\n`
}
