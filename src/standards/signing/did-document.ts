/** The DID document of an account (`did:web`): its public keys, and how to find one of them. */
import type { KeyObject } from 'node:crypto'
import { asObject, type DataObject, isObject } from '../../kernel/values/data-object.ts'
import { createP256Key, decodeMultikey, encodeMultikey, type P256PublicJwk } from './p256.ts'
import { malformed, SignatureError } from './signature-error.ts'

const CONTEXTS = [
  'https://www.w3.org/ns/did/v1',
  'https://w3id.org/security/multikey/v1',
  'https://w3id.org/security/jwk/v1',
] as const
const MULTIKEY = 'Multikey'
const JSON_WEB_KEY = 'JsonWebKey'
const PASSPORT_SERVICE = 'DigitalProductPassportService'

export type IssuerKey = {
  /** Such as `key-1`; never used again for another key. */
  name: string
  publicJwk: P256PublicJwk
  /** Since when its signatures are void; null for any other key, also a replaced one. */
  revokedAt: Date | null
}

/** `id` is a DID URL, such as `did:web:…#key-1`. Throws SignatureError for a key that must not be used. */
export type FindKey = (id: string) => KeyObject

/** Keys as `JsonWebKey` have this at the end of their name; JOSE headers use it. */
export const getJwkName = (keyName: string): string => `${keyName}-jwk`

/**
 * The DID of an issuer under an address, such as `did:web:passports.example.org%3A8443:issuers:k7m2q9x4`. The
 * parts of the address's path come before `issuers`.
 */
export function createIssuerDid(publicUrl: string, issuerKey: string): string {
  const { host, pathname } = new URL(publicUrl)
  const parts = pathname.split('/').filter(part => part !== '')
  return ['did:web', encodeURIComponent(host), ...parts, 'issuers', encodeURIComponent(issuerKey)].join(':')
}

export const getDidOfKey = (keyId: string): string => keyId.split('#', 1)[0] ?? ''

/** Where the DID document is published; undefined for another method than `did:web`. */
export function getDidDocumentUrl(did: string): string | undefined {
  const [scheme, method, host = '', ...path] = did.split(':')
  if (scheme !== 'did' || method !== 'web' || host === '') return undefined
  const folder = path.length === 0 ? '.well-known' : path.join('/')
  return `https://${host.replace(/%3A/i, ':')}/${folder}/did.json`
}

/** The host, with its port, that a `did:web` stands for; undefined for another method. */
export function getDidHost(did: string): string | undefined {
  const url = getDidDocumentUrl(did)
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined
}

/** The issuer of SD-JWTs as an address, under which verifiers find its keys without knowing DIDs. */
export const createIssuerAddress = (publicUrl: string, issuerKey: string): string =>
  `${publicUrl}/issuers/${encodeURIComponent(issuerKey)}`

/** Returns true if `iss` of a JWT names the issuer with this DID: by the DID itself, or by its address. */
export function isIssuer(iss: unknown, did: string): boolean {
  const address = getDidDocumentUrl(did)?.replace(/\/did\.json$/, '')
  return iss === did || (typeof iss === 'string' && iss.replace(/^http:/, 'https:') === address)
}

/**
 * JWT VC issuer metadata (draft-ietf-oauth-sd-jwt-vc), without revoked keys. Keys have the ids that JOSE
 * headers name.
 */
export const buildIssuerMetadata = (address: string, did: string, keys: readonly IssuerKey[]) => ({
  issuer: address,
  alsoKnownAs: [did],
  jwks: {
    keys: keys
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ name, publicJwk: { x, y } }) => ({
        kty: 'EC',
        crv: 'P-256',
        x,
        y,
        alg: 'ES256',
        use: 'sig',
        kid: `${did}#${getJwkName(name)}`,
      })),
  },
})

/**
 * `passportsUrl` is where passports are read by the API of EN 18222. `alsoKnownAs`: other URIs of the
 * company, of which each was verified.
 */
export function buildDidDocument(
  did: string,
  keys: readonly IssuerKey[],
  passportsUrl: string,
  alsoKnownAs: readonly string[] = [],
) {
  const methods = keys.map(key => describeKey(did, key))
  return {
    '@context': CONTEXTS,
    id: did,
    ...(alsoKnownAs.length === 0 ? {} : { alsoKnownAs }),
    verificationMethod: methods.flatMap(({ multikey, jwk }) => [multikey, jwk]),
    assertionMethod: methods.flatMap(({ isRevoked, multikey, jwk }) =>
      isRevoked ? [] : [multikey.id, jwk.id],
    ),
    service: [{ id: `${did}#dpp`, type: PASSPORT_SERVICE, serviceEndpoint: passportsUrl }],
  }
}

function describeKey(did: string, { name, publicJwk, revokedAt }: IssuerKey) {
  const { x, y } = publicJwk
  const jwkName = getJwkName(name)
  const revoked = revokedAt === null ? {} : { revoked: revokedAt.toISOString() }
  return {
    isRevoked: revokedAt !== null,
    multikey: {
      id: `${did}#${name}`,
      type: MULTIKEY,
      controller: did,
      ...revoked,
      publicKeyMultibase: encodeMultikey(publicJwk),
    },
    jwk: {
      id: `${did}#${jwkName}`,
      type: JSON_WEB_KEY,
      controller: did,
      ...revoked,
      publicKeyJwk: { kty: 'EC', x, y, crv: 'P-256', alg: 'ES256', use: 'sig', kid: jwkName },
    },
  }
}

/** Finds keys for statements in a DID document that was read from JSON. */
export function createKeyFinder(document: DataObject): FindKey {
  const did = document.id
  const methods = Array.isArray(document.verificationMethod) ? document.verificationMethod : []
  const usable = Array.isArray(document.assertionMethod) ? document.assertionMethod : []
  return id => {
    if (typeof did !== 'string' || getDidOfKey(id) !== did) {
      throw new SignatureError('unknown_key', `The key ${id} is not in the keys at hand.`)
    }
    const method = methods.filter(isObject).find(one => one.id === id && one.controller === did)
    if (method === undefined) throw new SignatureError('unknown_key', `The issuer lists no key ${id}.`)
    if (!usable.includes(id) || method.revoked !== undefined) {
      throw new SignatureError('unusable_key', `The key ${id} was revoked by its issuer.`)
    }
    return readKey(method)
  }
}

function readKey(method: DataObject): KeyObject {
  if (method.type === MULTIKEY && typeof method.publicKeyMultibase === 'string') {
    return createP256Key(decodeMultikey(method.publicKeyMultibase))
  }
  const { kty, crv, x, y } = asObject(method.publicKeyJwk)
  const isP256 = method.type === JSON_WEB_KEY && kty === 'EC' && crv === 'P-256'
  if (!isP256 || typeof x !== 'string' || typeof y !== 'string') throw malformed('A key is not of P-256.')
  return createP256Key({ kty, x, y, crv })
}
