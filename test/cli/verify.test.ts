/** `carnet verify`: what it prints, and its exit codes. It needs no database. */
import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parseArguments } from '../../src/cli/command-line/command.ts'
import { createVerifyCommand } from '../../src/cli/commands/verify.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import { addProof } from '../../src/standards/signing/data-integrity.ts'
import { buildDidDocument } from '../../src/standards/signing/did-document.ts'
import { signJws } from '../../src/standards/signing/jws.ts'
import { buildMerkleProof, computeMerkleRoot } from '../../src/standards/signing/merkle-tree.ts'
import { buildMirrorManifest } from '../../src/standards/signing/mirror-manifest.ts'
import {
  buildStatusListCredential,
  buildTokenStatusList,
  createStatusBits,
  STATUS_LIST_JWT,
  setRevoked,
} from '../../src/standards/signing/status-list.ts'
import { buildVersionEntry } from '../../src/standards/signing/version-entry.ts'
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
  await writeFile(
    path,
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  )
  return path
}

describe('the proof of a version', () => {
  const entries = ['a', 'b', 'c'].map(text => createHash('sha256').update(text).digest())
  const [, commitment = Buffer.alloc(0)] = entries
  const passportId = '01m45m2vp0fqh9ek41pvnj0nca'
  const proven = {
    format: 1 as const,
    passportId,
    address: `https://passports.example.org/p/${passportId}`,
    versionNo: 2,
    commitment,
    index: 1,
    size: 3,
    siblings: buildMerkleProof(entries, 1),
    root: computeMerkleRoot(entries),
    until: new Date('2026-11-21T00:00:00Z'),
    token: null,
  }

  test('of another version of the format is refused, also if a known format has its members', async () => {
    const proof = buildVersionProof(proven)
    const leaves = entries.map(commitment => buildVersionEntry(2, { passportId, versionNo: 2, commitment }))
    const second = {
      ...proven,
      format: 2 as const,
      root: computeMerkleRoot(leaves),
      siblings: buildMerkleProof(leaves, 1),
    }
    assert.equal((await run(await save('second.json', buildVersionProof(second)))).code, 0)
    const { address: _, ...asFirst } = buildVersionProof(second)
    const address = `https://passports.example.org/p/${passportId}`
    const files: [string, object, RegExp][] = [
      ['newer', { ...proof, format: 'carnet-version-proof/3' }, /of a format that is not known here/],
      ['unnumbered', { ...proof, format: 'carnet-version-proof/' }, /of a format that is not known here/],
      ['spelled', { ...proof, format: 'carnet-version-proof/01' }, /of a format that is not known here/],
      ['first as second', { ...proof, format: 'carnet-version-proof/2' }, /lacks a member/],
      [
        'first as whole second',
        { ...proof, format: 'carnet-version-proof/2', passport: passportId, address },
        /not in the tree/,
      ],
      [
        'second as first',
        { ...asFirst, format: 'carnet-version-proof/1', passport: address },
        /not in the tree/,
      ],
    ]
    for (const [name, file, expected] of files) {
      const { code, out, err } = await run(await save('format.json', file))
      assert.equal(code, 1, name)
      assert.match(out + err, expected, name)
      assert.doesNotMatch(out, /is valid/, name)
    }
  })

  test('of format 1 proves a commitment, and not of which version', async () => {
    const path = await save('proof.json', buildVersionProof(proven))
    const { code, out } = await run(path)
    assert.equal(code, 0)
    const [checked = '', rest = ''] = out.split('Not proven:\n')
    assert.match(
      checked,
      /^The proof is valid\. A version with this commitment is in a daily Merkle tree\.\n/,
    )
    assert.doesNotMatch(checked, /about|version 2|2026|passports\.example/)
    assert.match(rest, / +passport +https:\/\/passports\.example\.org\/p\/01m45m2vp0fqh9ek41pvnj0nca\n/)
    assert.match(rest, / +tree\.until +2026-11-21T00:00:00\.000Z \(made before, as the file says; /)
    const { ok, passport, version_no, not_proven } = JSON.parse((await run(path, '--json')).out)
    assert.deepEqual([ok, passport, version_no, not_proven.versionNo], [true, null, null, 2])
  })

  test('of format 2 proves of which version, and only a time stamp proves a date', async () => {
    const bound = entries.map((one, n) =>
      buildVersionEntry(2, { passportId, versionNo: n + 1, commitment: one }),
    )
    const tree = { siblings: buildMerkleProof(bound, 1), root: computeMerkleRoot(bound) }
    const file = buildVersionProof({ ...proven, ...tree, format: 2 })
    const path = await save('bound.json', file)
    const [checked = '', rest = ''] = (await run(path)).out.split('Not proven:\n')
    assert.match(checked, / +about +passport 01m45m2vp0fqh9ek41pvnj0nca, version 2\n/)
    assert.doesNotMatch(checked, /2026/)
    assert.match(rest, / +address +https:/)
    const json = JSON.parse((await run(path, '--json')).out)
    assert.deepEqual(
      [json.ok, json.form, json.passport, json.version_no, json.signed_by, json.reason, json.stamped_at],
      [true, 'version-proof', passportId, 2, null, null, null],
    )
    for (const change of [{ passport: '01m45m2vp0fqh9ek41pvnj0ncb' }, { versionNo: 7 }]) {
      const { code, out } = await run(await save('relabelled.json', { ...file, ...change }), '--json')
      const { ok, passport, version_no, code: reason } = JSON.parse(out)
      assert.deepEqual([code, ok, passport, version_no, reason], [1, false, null, null, 'altered'])
    }
  })

  test('is stamped by an authority that --tsa-ca trusts; the time stamp may be a file of its own', async () => {
    const stamp = readExample<{ root: string; token: string; ca: string }>('time-stamped-root')
    assert.equal(proven.root.toString('hex'), stamp.root)
    const proof = await save('unstamped.json', buildVersionProof(proven))
    const token = await save('root.tst', Buffer.from(stamp.token, 'base64'))
    const authority = new X509Certificate(Buffer.from(stamp.ca, 'base64'))
    const ca = await save('ca.pem', `Some words\n${authority}`)
    const { otherCertificate } = readExample<{ otherCertificate: string }>('time-stamp')
    const other = await save('other.der', Buffer.from(otherCertificate, 'base64'))
    const unchecked = await run(proof, '--time-stamp', token)
    assert.match(
      unchecked.out,
      /Not proven:\n[\s\S]* +timeStamp +2026-11-24T01:25:09\.000Z \(nobody checked who signed it; --tsa-ca/,
    )
    const { code, out } = await run(proof, '--time-stamp', token, '--tsa-ca', ca)
    assert.equal(code, 0)
    assert.match(
      out,
      / +made before +2026-11-24T01:25:09\.000Z\n +stamped by +CN=Test time stamps\nNot proven:/,
    )
    const untrusted = await run(proof, '--time-stamp', token, '--tsa-ca', other, '--json')
    assert.deepEqual([untrusted.code, JSON.parse(untrusted.out).code], [1, 'unusable_key'])
    assert.match((await run(proof, '--tsa-ca', ca)).err, /has no time stamp\. If you have it as a file/)
    assert.match((await run(proof, '--time-stamp', token, '--tsa-ca', proof)).err, /has no certificates/)
    assert.equal((await run(PASSPORT, '--did', DID, '--tsa-ca', ca)).code, 2)
    assert.equal((await run(proof, '--status', ca)).code, 2)
  })

  test('is not valid for another version, index or root: exit code 1', async () => {
    for (const change of [{ commitment: proven.root }, { index: 0 }, { root: commitment }]) {
      const { code, out } = await run(await save('wrong.json', buildVersionProof({ ...proven, ...change })))
      assert.deepEqual([code, out], [1, 'Not valid.\n'], JSON.stringify(change))
    }
  })
})

describe('the status of a credential', () => {
  const NAME = join(EXAMPLES, 'untp-dpp-textile-item.json')
  const entry = readExample<{ credentialStatus: { statusListCredential: string; statusListIndex: number } }>(
    'untp-dpp-textile-item',
  ).credentialStatus
  const { statusListCredential: url, statusListIndex: index } = entry
  const now = new Date()
  let saved = 0
  const buildList = (revoked: readonly number[]) => {
    const bits = createStatusBits()
    for (const one of revoked) setRevoked(bits, one, true)
    const validUntil = new Date(now.getTime() + 86_400_000)
    return { url, did: TEST_DID, bits, validFrom: now, validUntil }
  }
  const saveList = async (list: ReturnType<typeof buildList>) =>
    save(`list-${++saved}.json`, await addProof(buildStatusListCredential(list), testSigner, now))
  const check = async (list: string, ...more: string[]) => run(NAME, '--did', DID, '--status', list, ...more)

  test('is looked up in a list that was saved: exit code 1 if it is revoked', async () => {
    const valid = await check(await saveList(buildList([index - 1, index + 1])))
    assert.equal(valid.code, 0)
    assert.match(valid.out, / +revocation +not revoked, by the list of 20/)
    const revoked = await saveList(buildList([index]))
    const { code, out, err } = await check(revoked)
    assert.deepEqual([code, err], [1, 'Its issuer has revoked it.\n'])
    assert.match(out, / +revocation +revoked, by the list of 20/)
    const json = JSON.parse((await check(revoked, '--json')).out)
    assert.deepEqual([json.ok, json.code, json.revoked], [false, 'revoked', true])
  })

  test('is looked up in a token status list', async () => {
    const { presentations } = readExample<{ presentations: { public: string } }>('sd-jwt-battery-item')
    const file = await save('a.sd-jwt', presentations.public)
    const { status } = JSON.parse((await run(file, '--did', DID, '--json')).out)
    const results = []
    for (const revoked of [[], [status.index]]) {
      const list = { ...buildList(revoked), url: status.list_url }
      const token = await signJws(buildTokenStatusList(list, 300), STATUS_LIST_JWT, testSigner)
      const { out } = await run(file, '--did', DID, '--status', await save('list.jwt', token), '--json')
      results.push(JSON.parse(out).revoked)
    }
    assert.deepEqual(results, [false, true])
  })

  test('is unknown by a list that is another, altered, too old or none: exit code 2', async () => {
    const list = buildList([])
    for (const [file, reason] of [
      [await saveList({ ...list, url: `${url}0` }), /It is not the list/],
      [await saveList({ ...list, validUntil: new Date('2026-01-01T00:00:00Z') }), /valid/],
      [
        await save('altered.json', { ...JSON.parse(await readFile(await saveList(list), 'utf8')), id: 'x' }),
        /changed/,
      ],
      [PASSPORT, /It is not the list/],
      [await save('text', 'hello'), /three parts/],
    ] as const) {
      const { code, err } = await check(file)
      assert.equal(code, 2, err)
      assert.match(err, /^The status list cannot be used\. /)
      assert.match(err, reason)
      assert.equal(JSON.parse((await check(file, '--json')).out).code, 'unknown_status')
    }
    assert.equal((await run(PASSPORT, '--did', DID, '--status', PASSPORT)).code, 2)
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
Not proven:
  signed at  2026-11-20T10:00:00Z, by the clock of the signer
  keys       ${DID} says that these are the keys of the issuer; compare it with https://passports.example.org/issuers/k7m2q9x4t6v8/did.json
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
    assert.match(jwt.out, / valid from +2026-11-02T09:14:05Z\nNot proven:\n +signed at +not stated\n/)
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
    assert.deepEqual([json.code, JSON.parse(json.out).code], [1, 'altered'])
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
    assert.equal(JSON.parse((await run(PASSPORT, '--json')).out).code, 'unknown_key')
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

describe('a signature that has ended', () => {
  const ENDED = new Date('2026-11-24T00:00:00Z')
  const current = 'https://passports.example.org/p/01m45m2vp0fqh9ek41pvnj0nca'

  test('is valid but expired, which is not the same as altered: exit code 1', async () => {
    const { proof: _, ...document } = readExample<Record<string, unknown>>('en18223-textile-item')
    const signed = await addProof(document, testSigner, SIGNED_AT, ENDED)
    const path = await save('expired.json', signed)
    const { code, out, err } = await run(path, '--did', DID)
    assert.equal(code, 1)
    assert.match(out, /^The signature is valid, but has expired\. This is a passport as in EN 18223\.\n/)
    assert.match(out, / +valid until +2026-11-24T00:00:00Z\n/)
    assert.match(
      err,
      /^It may be trusted without looking only until 2026-11-24T00:00:00Z\. The current one is/,
    )
    const json = JSON.parse((await run(path, '--did', DID, '--json')).out)
    assert.deepEqual([json.ok, json.code, json.passport, json.version_no], [false, 'expired', current, 2])
    const altered = await save('altered.json', { ...signed, dppStatus: 'archived' })
    const { ok, code: reason, passport } = JSON.parse((await run(altered, '--did', DID, '--json')).out)
    assert.deepEqual([ok, reason, passport], [false, 'altered', null])
  })

  test('names the current document if the signed one does', async () => {
    const { proof: _, ...document } = readExample<Record<string, unknown>>('en18223-textile-item')
    const passportRecord = { versionNo: 2, currentDocument: `${current}?format=en` }
    const signed = await addProof({ ...document, passportRecord }, testSigner, SIGNED_AT, ENDED)
    const { err } = await run(await save('led.json', signed), '--did', DID)
    assert.match(err, /The current one is at \S+01m45m2vp0fqh9ek41pvnj0nca\?format=en\.\n$/)
  })

  test('of a manifest is reported with its files', async () => {
    const manifest = await addProof(buildMirrorManifest([], SIGNED_AT), testSigner, SIGNED_AT, ENDED)
    const { code, out } = await run(await save('manifest.json', manifest), '--did', DID, '--json')
    const { code: reason, valid_until } = JSON.parse(out)
    assert.deepEqual([code, reason, valid_until], [1, 'expired', '2026-11-24T00:00:00Z'])
  })
})

describe('who signed', () => {
  test('is told apart from who may sign: a passport of another host stands under "Not proven"', async () => {
    const { proof: _, ...document } = readExample<Record<string, unknown>>('en18223-textile-item')
    for (const id of ['https://elsewhere.example/p/01m45m2vp0fqh9ek41pvnj0nca', 'urn:example:1']) {
      const foreign = await addProof({ ...document, digitalProductPassportId: id }, testSigner, SIGNED_AT)
      const { code, out } = await run(await save('foreign.json', foreign), '--did', DID)
      assert.equal(code, 0)
      assert.match(
        out,
        /Not proven:\n[\s\S]* +right to sign +the identifier \S+ is not an address of passports\.ex/,
      )
    }
  })

  test('cannot add lines to what is printed', async () => {
    const { proof: _, ...document } = readExample<Record<string, unknown>>('en18223-textile-item')
    const id = 'https://a.example/p/1\n  stamped by  somebody'
    const forged = await addProof({ ...document, digitalProductPassportId: id }, testSigner, SIGNED_AT)
    const { out } = await run(await save('forged.json', forged), '--did', DID)
    assert.doesNotMatch(out, /^ +stamped by/m)
  })
})

describe('a mirror', () => {
  test('without a proof is compared, and only accepted on demand', async () => {
    const to = await emptyFolder()
    try {
      const sha256 = createHash('sha256').update('a').digest('hex')
      const manifest = buildMirrorManifest([{ path: 'a.html', sha256 }], SIGNED_AT)
      const path = join(to.path, 'manifest.json')
      await writeFile(path, JSON.stringify(manifest))
      await writeFile(join(to.path, 'a.html'), 'a')
      await writeFile(join(to.path, 'b.html'), 'b')
      const refused = await run(path, '--files', to.path)
      assert.deepEqual([refused.code, /Nobody signed this manifest/.test(refused.err)], [2, true])
      const accepted = await run(path, '--files', to.path, '--accept-unsigned')
      assert.equal(accepted.code, 0)
      assert.match(
        accepted.out,
        / +files +1, all as in the list\nNot proven:\n +signer +nobody\n +time +2026/,
      )
      assert.match(accepted.out, / +other files +in the folder and not in the list: b\.html\n/)
      assert.equal((await run(path, '--accept-unsigned')).code, 2)
      await writeFile(join(to.path, 'a.html'), 'c')
      const altered = await run(path, '--files', to.path, '--accept-unsigned', '--json')
      assert.deepEqual([altered.code, JSON.parse(altered.out).code], [1, 'altered'])
    } finally {
      await to.remove()
    }
  })

  test('is compared with its manifest', async () => {
    const page = '<!doctype html>'
    const sha256 = createHash('sha256').update(page).digest('hex')
    const files = ['p/a.html', 'p/b.html'].map(path => ({ path, sha256 }))
    const manifest = await addProof(buildMirrorManifest(files, SIGNED_AT), testSigner, SIGNED_AT)
    const path = await save('manifest.json', manifest)
    await mkdir(join(folder.path, 'p'))
    await save('p/a.html', page)
    await save('p/b.html', page)
    assert.match((await run(path, '--did', DID)).out, /files +not compared; --files DIR compares them/)
    const same = await run(path, '--did', DID, '--files', folder.path)
    assert.match(same.out, /files +2, all as in the list/)
    assert.equal(same.code, 0)
    await save('p/a.html', `${page} `)
    const other = await run(path, '--did', DID, '--files', folder.path)
    assert.equal(other.code, 1)
    assert.equal(other.err, 'These files are missing or differ from the manifest: p/a.html.\n')
    const none = await run(path, '--did', DID, '--files', join(folder.path, 'none'), '--json')
    assert.deepEqual(JSON.parse(none.out).wrong_files, ['p/a.html', 'p/b.html'])
  })
})
