/** Independent implementations that judge what a server has signed, with the keys of its DID document. */
import { createHash, verify } from 'node:crypto'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { createVerifyCryptosuite } from '@digitalbazaar/ecdsa-jcs-2019-cryptosuite'
import { SDJwtInstance } from '@sd-jwt/core'
import { compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose'
import jsigs from 'jsonld-signatures'
import { createP256Key, type P256PublicJwk } from '../../src/standards/signing/p256.ts'
import { createRandom } from './random.ts'

type Json = Record<string, unknown>
type DidDocument = Json & { id: string; verificationMethod: (Json & { id: string; publicKeyJwk?: JWK })[] }

/** With Digital Bazaar's libraries. */
export async function isProofValid(document: Json, did: DidDocument): Promise<boolean> {
  const documentLoader = async (url: string) => {
    const method = did.verificationMethod.find(one => one.id === url)
    const key = method && { '@context': 'https://w3id.org/security/multikey/v1', ...method }
    const found = url === did.id ? did : key
    if (found === undefined) throw new Error(`there is no document ${url}`)
    return { document: found, documentUrl: url, contextUrl: null }
  }
  const suite = new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() })
  const purpose = new jsigs.purposes.AssertionProofPurpose()
  return (await jsigs.verify(document, { suite, purpose, documentLoader })).verified
}

function requireJwk(jwt: string, did: DidDocument): JWK {
  const { kid } = decodeProtectedHeader(jwt)
  const jwk = did.verificationMethod.find(one => one.id === kid)?.publicKeyJwk
  if (jwk === undefined) throw new Error(`there is no key ${kid}`)
  return jwk
}

/** With jose. Throws if the signature is not valid. */
export async function readJwt(jwt: string, did: DidDocument) {
  const key = await importJWK(requireJwk(jwt, did), 'ES256')
  const { payload, protectedHeader } = await compactVerify(jwt, key)
  return { payload: JSON.parse(Buffer.from(payload).toString()), header: protectedHeader }
}

/** The claims of an SD-JWT, with `@sd-jwt`. Throws if the signature is not valid, or has expired. */
export async function readSdJwt(text: string, did: DidDocument, now = new Date()): Promise<Json> {
  const key = createP256Key(requireJwk(text.split('~')[0] ?? '', did) as P256PublicJwk)
  const instance = new SDJwtInstance({
    hashAlg: 'sha-256',
    hasher: (data: string | ArrayBuffer) =>
      createHash('sha256')
        .update(typeof data === 'string' ? data : new Uint8Array(data))
        .digest(),
    verifier: async (data: string, signature: string) =>
      verify(
        'sha256',
        Buffer.from(data),
        { key, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
  })
  const { _sd_alg, ...claims } = (
    await instance.verify(text, { currentDate: Math.floor(now.getTime() / 1000) })
  ).payload as Json
  return claims
}

export const PRINTABLE = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => i + 32))
export const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Texts that differ from `text` in one byte, the same each time. */
export function* mutate(text: string, letters: string): Generator<string> {
  const bytes = Buffer.from(text)
  const random = createRandom(20)
  while (true) {
    const changed = Buffer.from(bytes)
    changed[random(bytes.length)] = letters.charCodeAt(random(letters.length))
    if (!changed.equals(bytes)) yield changed.toString()
  }
}
