/** The DID document and the issuer metadata of an account that signs, in which verifiers find its keys. */
import { findIssuerByName, type Issuer } from '../../accounts/issuer/issuer.ts'
import {
  buildDidDocument,
  buildIssuerMetadata,
  createIssuerAddress,
  createIssuerDid,
  type IssuerKey,
} from '../../standards/signing/did-document.ts'
import { listKnownUris } from './issuer-identity.ts'
import type { DocumentSetup } from './setup.ts'

/** Where the API of EN 18222 begins, below the public address. Its version follows. */
export const DPP_API_PATH = '/dpp'

type Where = Pick<DocumentSetup['addresses'], 'publicUrl'>

/** The DID of an issuer by its name. */
export const getIssuerDid = ({ publicUrl }: Where, name: string): string => createIssuerDid(publicUrl, name)

/** Where its DID document is. */
export const getIssuerUrl = ({ publicUrl }: Where, name: string): string =>
  `${publicUrl}/issuers/${name}/did.json`

/** The issuer that SD-JWTs name. */
export const getIssuerAddress = ({ publicUrl }: Where, name: string): string =>
  createIssuerAddress(publicUrl, name)

type IssuerSource = Pick<DocumentSetup, 'sql' | 'addresses'>

/** JWT VC issuer metadata, by the last part of the DID. Undefined for an unknown one. */
export async function buildJwtIssuerMetadata({ sql, addresses }: IssuerSource, name: string) {
  const issuer = await findIssuerByName(sql, name)
  if (issuer === undefined) return undefined
  const did = getIssuerDid(addresses, name)
  return buildIssuerMetadata(getIssuerAddress(addresses, name), did, listKeys(issuer))
}

/** By the last part of the DID. Undefined for an unknown one. */
export async function buildIssuerDocument({ sql, addresses }: IssuerSource, name: string) {
  const issuer = await findIssuerByName(sql, name)
  if (issuer === undefined) return undefined
  return buildDidDocument(
    getIssuerDid(addresses, name),
    listKeys(issuer),
    addresses.publicUrl + DPP_API_PATH,
    listKnownUris(issuer),
  )
}

const listKeys = ({ keys }: Pick<Issuer, 'keys'>): IssuerKey[] =>
  keys.map(({ number, x, y, revokedAt }) => ({
    name: `key-${number}`,
    revokedAt,
    publicJwk: { kty: 'EC', crv: 'P-256', x, y },
  }))
