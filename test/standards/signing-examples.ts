/** Worked examples of the documents of standards, signed with a key that is for tests only. */
import { createPrivateKey, type JsonWebKeyInput } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSigner, type P256PublicJwk } from '../../src/standards/signing/p256.ts'

type Json = Record<string, unknown>

/** Parsed anew by each call, so that a test may change it. */
export const readExample = <T = Json>(name: string): T =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'examples', `${name}.json`), 'utf8'))

export type SigningVectors = {
  testPrivateJwk: P256PublicJwk & { d: string }
  publicKeyMultibase: string
  verificationMethod: string
  ecdsaJcs2019: { proofHash: string; docHash: string; canonicalProofConfig: string }
  w3cEcdsaJcs2019P256: {
    publicKeyMultibase: string
    docHash: string
    proofHash: string
    signed: Json & { proof: Json }
  }
  w3cEddsaJcs2022: {
    publicKeyMultibase: string
    verificationMethod: string
    proofHash: string
    proofValue: string
  }
  vcJwt: { header: Json; jwt: string }
  versionCommitment: {
    commitKeyHex: string
    passportId: string
    versionNo: number
    chainHeadHex: string
    saltHex: string
    commitment: string
  }
  registryHash: { sha256: string }
}

export const vectors = readExample<SigningVectors>('signing-vectors')

export const TEST_DID = 'did:web:passports.example.org:issuers:k7m2q9x4t6v8'

const key: JsonWebKeyInput = { key: vectors.testPrivateJwk, format: 'jwk' }
export const testSigner = createSigner(TEST_DID, 'key-1', createPrivateKey(key))
