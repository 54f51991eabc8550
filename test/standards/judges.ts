/** Independent implementations that judge what a server has signed, with the keys of its DID document. */
import { createHash, verify } from 'node:crypto'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { createVerifyCryptosuite } from '@digitalbazaar/ecdsa-jcs-2019-cryptosuite'
import { SDJwtInstance } from '@sd-jwt/core'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
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

/** `fetch` gets an address that is https. */
type Web = { fetch: (url: string) => Promise<{ status: number; text: string; type: string }>; now: Date }

/**
 * Verifies as somebody does who knows nothing of the issuer, with `@sd-jwt/sd-jwt-vc`: key, type metadata and
 * status all come from addresses in the credential. The library does not fetch issuer metadata, so the key is
 * found as the draft says.
 */
export async function readSdJwtVc(text: string, { fetch, now }: Web) {
  const get = async (url: string) => {
    const { status, text, type } = await fetch(url)
    if (status !== 200) throw new Error(`${url} is answered with ${status}`)
    return { text, type }
  }
  const { iss } = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString())
  const { protocol, origin, pathname, search, hash } = new URL(iss)
  if (protocol !== 'https:' || search !== '' || hash !== '') throw new Error(`${iss} is no issuer`)
  const metadata = await get(`${origin}/.well-known/jwt-vc-issuer${pathname.replace(/\/$/, '')}`)
  const { issuer, jwks, jwks_uri } = JSON.parse(metadata.text)
  if (metadata.type !== 'application/json' || issuer !== iss || jwks_uri !== undefined)
    throw new Error('these are not the metadata of the issuer')
  const verifier = async (data: string, signature: string) => {
    const { kid } = JSON.parse(Buffer.from(data.split('.')[0] ?? '', 'base64url').toString())
    const jwk = jwks.keys.find((one: JWK) => one.kid === kid)
    if (jwk === undefined) throw new Error(`there is no key ${kid}`)
    const key = { key: createP256Key(jwk), dsaEncoding: 'ieee-p1363' } as const
    return verify('sha256', Buffer.from(data), key, Buffer.from(signature, 'base64url'))
  }
  const instance = new SDJwtVcInstance({
    hashAlg: 'sha-256',
    hasher: (data: string | ArrayBuffer) =>
      createHash('sha256')
        .update(typeof data === 'string' ? data : new Uint8Array(data))
        .digest(),
    verifier,
    statusVerifier: verifier,
    statusListFetcher: async url => (await get(url)).text,
    vctFetcher: async url => JSON.parse((await get(url)).text),
    loadTypeMetadataFormat: true,
  })
  const { payload, typeMetadata } = await instance.verify(text, {
    currentDate: Math.floor(now.getTime() / 1000),
  })
  return { claims: payload as Json, type: typeMetadata?.mergedTypeMetadata }
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
