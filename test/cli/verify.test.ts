/** `carnet verify`: what it prints, and its exit codes. It needs no database. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parseArguments } from '../../src/cli/command-line/command.ts'
import { createVerifyCommand } from '../../src/cli/commands/verify.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import { addProof } from '../../src/standards/signing/data-integrity.ts'
import { buildDidDocument } from '../../src/standards/signing/did-document.ts'
import { buildMerkleProof, computeMerkleRoot } from '../../src/standards/signing/merkle-tree.ts'
import { buildMirrorManifest } from '../../src/standards/signing/mirror-manifest.ts'
import { buildVersionProof } from '../../src/standards/signing/version-proof.ts'
import { readExample, TEST_DID, testSigner, vectors } from '../standards/signing-examples.ts'
import { emptyFolder } from './processes.ts'

const SIGNED_AT = new Date('2026-11-20T10:00:00Z')
const EXAMPLES = join(import.meta.dirname, '../standards/examples')
const DID = join(EXAMPLES, 'did-example.json')
const PASSPORT = join(EXAMPLES, 'en18223-textile-item.json')

let folder: Awaited<ReturnType<typeof emptyFolder>>
before(async () => {
  folder = await emptyFolder()
})
after(() => folder.remove())

async function run(...words: string[]) {
  const said = { out: '', err: '' }
  const io = { out: (text: string) => (said.out += text), err: (text: string) => (said.err += text) }
  const code = await runCommandLine(['verify', ...words], {}, io)
  return { code, ...said }
}

async function save(name: string, content: unknown): Promise<string> {
  const path = join(folder.path, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

describe('the proof of a version', () => {
  const entries = ['a', 'b', 'c'].map(text => createHash('sha256').update(text).digest())
  const [, commitment = Buffer.alloc(0)] = entries
  const proven = {
    passport: 'https://passports.example.org/p/01m45m2vp0fqh9ek41pvnj0nca',
    ...{ versionNo: 2, commitment, index: 1, size: 3, siblings: buildMerkleProof(entries, 1) },
    ...{ root: computeMerkleRoot(entries), until: new Date('2026-11-21T00:00:00Z'), token: null },
  }

  test('is valid: which version, before when, among how many', async () => {
    const { code, out } = await run(await save('proof.json', buildVersionProof(proven)))
    assert.equal(code, 0)
    assert.match(
      out,
      /^The proof is valid\. The version is in a daily Merkle tree\.\n +about +https:\/\/passports\.example\.org\/p\/01m45m2vp0fqh9ek41pvnj0nca, version 2\n/,
    )
    assert.match(out, / +made before +2026-11-21T00:00:00\.000Z\n/)
  })

  test('is not valid for another version, index or root: exit code 1', async () => {
    for (const change of [{ commitment: proven.root }, { index: 0 }, { root: commitment }]) {
      const { code, out } = await run(await save('wrong.json', buildVersionProof({ ...proven, ...change })))
      assert.deepEqual([code, out], [1, 'Not valid.\n'], JSON.stringify(change))
    }
  })
})

describe('a signed file', () => {
  test('is valid: who, when and what', async () => {
    const { code, out, err } = await run(PASSPORT, '--did', DID)
    assert.deepEqual([code, err], [0, ''])
    assert.equal(
      out,
      `The signature is valid. This is a passport as in EN 18223.
  about      https://passports.example.org/p/01m45m2vp0fqh9ek41pvnj0nca, version 2
  signed by  ${TEST_DID} (key-1)
  signed at  2026-11-20T10:00:00Z
`,
    )
  })

  test('can be a credential, a JWT or an SD-JWT', async () => {
    const credential = await run(join(EXAMPLES, 'untp-dpp-textile-item.json'), '--did', DID)
    assert.match(
      credential.out,
      /verifiable credential\.\n[\s\S]*revocation +not checked; see number 93417 of https:/,
    )
    const jwt = await run(await save('a.jwt', vectors.vcJwt.jwt), '--did', DID)
    assert.match(jwt.out, /signed at +not stated\n +valid from +2026-11-02T09:14:05Z/)
    const { presentations } = readExample<{ presentations: { public: string } }>('sd-jwt-battery-item')
    const sdJwt = await run(await save('a.sd-jwt', presentations.public), '--did', DID, '--json')
    const { form, disclosed, version_no } = JSON.parse(sdJwt.out)
    assert.deepEqual([sdJwt.code, form, disclosed, version_no], [0, 'sd-jwt', 26, 3])
  })

  test('is not valid if it was altered, or signed with a revoked key: exit code 1', async () => {
    const altered = await save('altered.json', { ...readExample<object>('en18223-textile-item'), gtin: '0' })
    const { code, out, err } = await run(altered, '--did', DID)
    assert.deepEqual([code, out], [1, 'Not valid.\n'])
    assert.match(err, /^It was changed after it was signed/)
    const json = await run(altered, '--did', DID, '--json')
    assert.deepEqual([json.code, JSON.parse(json.out).result], [1, 'altered'])
    const { d: _, ...publicJwk } = vectors.testPrivateJwk
    const revoked = [{ name: 'key-1', publicJwk, revokedAt: SIGNED_AT }]
    const did = await save('revoked.json', buildDidDocument(TEST_DID, revoked, 'https://a.example/dpp'))
    const refused = await run(PASSPORT, '--did', did)
    assert.deepEqual(
      [refused.code, refused.err],
      [1, `The key ${TEST_DID}#key-1 was revoked by its issuer.\n`],
    )
  })

  test('is not checked without the key: exit code 2', async () => {
    const { code, out, err } = await run(PASSPORT)
    assert.deepEqual([code, out], [2, 'Not checked.\n'])
    assert.match(err, /Save https:\/\/passports\.example\.org\/issuers\/k7m2q9x4t6v8\/did\.json and name the/)
    const foreign = await run(join(EXAMPLES, 'en18223-furniture-model.json'), '--did', DID)
    assert.deepEqual([foreign.code, foreign.out], [2, 'Not checked.\n'])
    assert.match(foreign.err, /^The key did:web:passports\.example\.org:issuers:p3c8n5w2z7r4#key-1 is not in/)
    assert.equal(JSON.parse((await run(PASSPORT, '--json')).out).result, 'unknown_key')
  })

  test('is checked with the keys of this installation, if it is one of its issuers', async () => {
    const asked: string[] = []
    const command = createVerifyCommand(async did => {
      asked.push(did)
      return readExample('did-example')
    })
    const call = { args: parseArguments(command, [PASSPORT]), json: false, env: {}, print: () => undefined }
    assert.match((await command.run(call))?.text ?? '', /^The signature is valid/)
    assert.deepEqual(asked, [TEST_DID])
  })

  test('must be there and be one of the forms', async () => {
    const missing = await run(join(folder.path, 'none'), '--did', DID)
    assert.deepEqual(
      [missing.code, missing.err],
      [1, `The file ${folder.path}/none cannot be read (ENOENT).\n`],
    )
    const other = await run(await save('other.txt', 'hello'), '--did', DID)
    assert.deepEqual([other.code, other.err], [1, 'It does not have the three parts of a JWS.\n'])
    const did = await run(PASSPORT, '--did', await save('no-did.json', []))
    assert.match(did.err, /of --did is not a DID document/)
    assert.equal((await run()).code, 2)
    assert.equal((await run(PASSPORT, '--did', DID, '--files', folder.path)).code, 2)
  })
})

describe('a mirror', () => {
  test('is compared with its manifest', async () => {
    const page = '<!doctype html>'
    const sha256 = createHash('sha256').update(page).digest('hex')
    const files = ['p/a.html', 'p/b.html'].map(path => ({ path, sha256 }))
    const manifest = await addProof(buildMirrorManifest(files, SIGNED_AT), testSigner, SIGNED_AT)
    const path = await save('manifest.json', manifest)
    await mkdir(join(folder.path, 'p'))
    await save('p/a.html', page)
    await save('p/b.html', page)
    assert.match((await run(path, '--did', DID)).out, /files +2, not compared; --files DIR compares them/)
    const same = await run(path, '--did', DID, '--files', folder.path)
    assert.match(same.out, /files +2, all as signed/)
    assert.equal(same.code, 0)
    await save('p/a.html', `${page} `)
    const other = await run(path, '--did', DID, '--files', folder.path)
    assert.equal(other.code, 1)
    assert.equal(other.err, 'These files are missing or differ from the manifest: p/a.html.\n')
    const none = await run(path, '--did', DID, '--files', join(folder.path, 'none'), '--json')
    assert.deepEqual(JSON.parse(none.out).wrong_files, ['p/a.html', 'p/b.html'])
  })
})
