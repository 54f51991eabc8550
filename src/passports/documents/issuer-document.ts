/** The DID document of an account that signs, with which verifiers find its keys. */
import { findIssuerByName } from '../../accounts/issuer/issuer.ts'
import { buildDidDocument, createIssuerDid } from '../../standards/signing/did-document.ts'
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

/** By the last part of the DID. Undefined for an unknown one. */
export async function buildIssuerDocument(
  { sql, addresses }: Pick<DocumentSetup, 'sql' | 'addresses'>,
  name: string,
) {
  const issuer = await findIssuerByName(sql, name)
  if (issuer === undefined) return undefined
  const keys = issuer.keys.map(({ number, x, y, revokedAt }) => ({
    ...{ name: `key-${number}`, revokedAt },
    publicJwk: { kty: 'EC' as const, crv: 'P-256' as const, x, y },
  }))
  return buildDidDocument(
    getIssuerDid(addresses, name),
    keys,
    addresses.publicUrl + DPP_API_PATH,
    listKnownUris(issuer),
  )
}
