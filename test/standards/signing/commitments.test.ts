/** Hashes that commit to versions: the version commitment, the registry's hash, the tree over a day's versions. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hashRegistryContent } from '../../../src/standards/signing/content-hash.ts'
import {
  buildMerkleProof,
  computeMerkleRoot,
  isInMerkleTree,
} from '../../../src/standards/signing/merkle-tree.ts'
import { commitToVersion, deriveCommitmentSalt } from '../../../src/standards/signing/version-commitment.ts'
import { readExample, vectors } from '../signing-examples.ts'

describe('version commitments', () => {
  const { commitKeyHex, passportId, versionNo, chainHeadHex, saltHex, commitment } = vectors.versionCommitment
  const commitKey = Buffer.from(commitKeyHex, 'hex')

  test('follow the recipe', () => {
    const salt = deriveCommitmentSalt(commitKey, passportId, versionNo)
    assert.equal(salt.toString('hex'), saltHex)
    assert.equal(commitToVersion(salt, Buffer.from(chainHeadHex, 'hex')), commitment)
  })

  test('differ for each version and passport', () => {
    const salts = [
      deriveCommitmentSalt(commitKey, passportId, versionNo),
      deriveCommitmentSalt(commitKey, passportId, versionNo + 1),
      deriveCommitmentSalt(commitKey, `${passportId}1`, versionNo),
    ]
    assert.equal(new Set(salts.map(salt => salt.toString('hex'))).size, 3)
  })
})

describe("the registry's hash", () => {
  test('leaves out the context, the record and the proof', () => {
    const example = readExample('en18223-textile-item')
    assert.equal(hashRegistryContent(example), vectors.registryHash.sha256)
    const { proof: _, passportRecord: __, ...rest } = example
    assert.equal(hashRegistryContent({ ...rest, '@context': [] }), vectors.registryHash.sha256)
    assert.notEqual(hashRegistryContent({ ...example, productName: 'other' }), vectors.registryHash.sha256)
  })
})

describe('Merkle trees', () => {
  /** The entries of the test of Certificate Transparency's reference implementation. */
  const ENTRIES = [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ]
  const entries = ENTRIES.map(hex => Buffer.from(hex, 'hex'))
  const ROOTS = new Map([
    [0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [1, '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
    [2, 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    [3, 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
    [8, '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
  ])

  test('have the roots of RFC 6962', () => {
    for (const [size, root] of ROOTS)
      assert.equal(computeMerkleRoot(entries.slice(0, size)).toString('hex'), root, String(size))
  })

  test('prove each entry, at its place, and nothing else', () => {
    const many = Array.from({ length: 21 }, (_, i) => Buffer.from(`entry ${i}`))
    for (let size = 1; size <= many.length; size++) {
      const some = many.slice(0, size)
      const root = computeMerkleRoot(some)
      for (const [index, entry] of some.entries()) {
        const proof = { entry, index, size, siblings: buildMerkleProof(some, index) }
        assert.ok(isInMerkleTree(proof, root))
        assert.equal(isInMerkleTree({ ...proof, entry: Buffer.from('other') }, root), false)
        assert.equal(isInMerkleTree({ ...proof, index: (index + 1) % size }, root), size === 1)
        assert.equal(isInMerkleTree({ ...proof, siblings: [...proof.siblings, root] }, root), false)
        assert.equal(isInMerkleTree({ ...proof, siblings: proof.siblings.slice(1) }, root), size === 1)
      }
    }
  })

  test('do not take a node for an entry', () => {
    const [left, right] = entries.slice(0, 2).map(entry => computeMerkleRoot([entry]))
    const node = Buffer.concat([left ?? Buffer.alloc(0), right ?? Buffer.alloc(0)])
    const root = computeMerkleRoot(entries.slice(0, 2))
    assert.equal(isInMerkleTree({ entry: node, index: 0, size: 1, siblings: [] }, root), false)
  })

  test('know their bounds', () => {
    assert.throws(() => buildMerkleProof(entries, 8), RangeError)
    assert.throws(() => buildMerkleProof([], 0), RangeError)
    const proof = { entry: Buffer.alloc(0), siblings: [] }
    const root = computeMerkleRoot(entries.slice(0, 1))
    for (const [index, size] of [
      [1, 1],
      [-1, 1],
      [0, 0],
      [0.5, 1],
      [0, Number.NaN],
    ] as const)
      assert.equal(isInMerkleTree({ ...proof, index, size }, root), false)
  })
})
